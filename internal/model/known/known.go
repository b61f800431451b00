// Package known is the read-only view of the followed objects (their statuses, the verdict, the
// causes) that reports, exit codes and panes are made from.
package known

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Facts gives access to all that is known of the followed objects.
type Facts struct {
	World  *world.World
	Found  *world.Causes
	Ended  bool         // the feed has ended
	Err    error        // why it has ended
	Damage *feed.Damage // why the recording ended early, or nil
}

// Verdict is the verdict over the followed objects.
type Verdict struct {
	// Status is kstatus's aggregation over the roots that are not optional:
	// any Failed, else any Unknown, else all Current, else InProgress. It is
	// Unknown for an empty set.
	Status status.Status
	Empty  bool // nothing was named, or nothing was found
	Gone   bool // all followed objects existed, and have been deleted
	// Remains are the Pods that are still there of what is Gone.
	Remains int
	// Since is when the verdict was observed to become this one.
	Since time.Time
	// Stalled says that nothing has changed for Options.StallAfter while not
	// everything is Current; Moved is when something last did.
	Stalled bool
	Moved   time.Time
	// Failing says that something was Failed until its container was started again. A
	// crash loop alternates between Failed and InProgress with each restart. A screen
	// must not flicker between two verdicts.
	Failing bool
	// Lost says that the verdict rests on stale data: Connection says since
	// when.
	Lost   bool
	Unseen string // why something that was asked for may not be seen, or ""
	Barred string // what may not be read, if nothing that was asked for may be, or ""
}

// Resource is what is known of one object, for reports and panes. It is a copy;
// Object is shared and must not be modified.
type Resource struct {
	ID         object.ID
	Title      string         // kind and name, or those of the inventory that it represents
	Object     *object.Object // nil if it does not exist or was never seen
	Root       *feed.Root     // nil for generated objects
	Assessment status.Assessment
	Parent     object.ID   // zero at the top
	Children   []object.ID // sorted
	// Known counts the known descendants by status.
	Known     world.Counts
	Generated bool
	Changed   time.Time     // when it or a descendant last changed status
	OwnChange time.Time     // when it last changed status itself
	Took      time.Duration // until a root became Current, 0 if it is not or always was
	Stalled   bool
	Stale     bool
	// Lead is the descendant that its row names as blocking, with the reason
	// and how many have it; the object itself if none does.
	Lead       object.ID
	LeadReason string
	LeadCount  int
	Note       string // counters: "3/6 ready"
}

// Options are the settings, with defaults filled in.
func (f *Facts) Options() world.Options { return f.World.Options() }

// Now is the time of the last tick or batch; all ages are measured from it.
func (f *Facts) Now() time.Time { return f.World.Tree.Now }

// Elapsed is the time since following began, or since the moment it counts from.
func (f *Facts) Elapsed() time.Duration {
	return max(f.World.Tree.Now.Sub(cmp.Or(f.Options().From, f.Options().Now)), 0)
}

// Verdict is the verdict over the followed objects.
func (f *Facts) Verdict() Verdict {
	w := f.World
	v := Verdict{
		Status: w.Verdict, Empty: len(w.Tree.Roots) == 0, Gone: w.Gone(),
		Since: w.VerdictSince, Unseen: w.Sources.Unseen(),
	}
	if v.Empty {
		v.Barred = w.Sources.Barred()
	}
	if v.Status == "" || v.Status == status.Current && (!w.Sources.Synced || w.Awaiting() || w.Sources.Listing()) ||
		v.Status != status.Failed && w.Withheld {
		v.Status = status.Unknown // more objects may still arrive
	}
	if v.Gone {
		v.Remains = w.Tree.Remains.Among(w.Tree.Nodes)
	}
	v.Failing = v.Status == status.InProgress && w.Looping
	link := f.Connection().Link
	v.Lost = link == world.LinkStale || (link == world.LinkEnded && f.Options().Recording == "") || w.VerdictIsStale()
	v.Moved = f.Options().Now
	if w.Moved.After(v.Moved) {
		v.Moved = w.Moved
	}
	v.Stalled = w.Expected && !v.Gone && w.Tree.Now.Sub(v.Moved) >= f.Options().StallAfter
	return v
}

// Counts counts the followed objects by status, including optional ones.
func (f *Facts) Counts() world.Counts { return f.World.Counts.Counts() }

// Muted counts the followed objects that the user has taken out of the verdict.
func (f *Facts) Muted() int { return f.World.Muted() }

// Assumed counts the followed objects that are Current with the confidence
// assumed.
func (f *Facts) Assumed() int { return f.World.Assumed }

// GeneratedCounts counts the known generated objects by status.
func (f *Facts) GeneratedCounts() world.Counts { return f.World.Generated.Counts() }

// Known counts all objects in the tree.
func (f *Facts) Known() int { return f.World.Counts.Total() + f.World.Generated.Total() }

// Connection summarises the sources.
func (f *Facts) Connection() world.Connection { return f.World.Sources.Connection(f.Ended, f.Err) }

// Sources returns the state of every source, by key.
func (f *Facts) Sources() []feed.SourceState {
	return slices.SortedFunc(maps.Values(f.World.Sources.States), func(a, b feed.SourceState) int {
		return strings.Compare(a.Key, b.Key)
	})
}

// Synced reports whether every source needed for the roots has answered.
func (f *Facts) Synced() bool { return f.World.Sources.Synced }

// Whole reports the same of this moment: nothing new is being looked into.
func (f *Facts) Whole() bool { return f.World.Sources.Whole }

// Namespaces are the followed objects' namespaces, sorted. The caller must not
// modify the list.
func (f *Facts) Namespaces() []string { return f.World.Tree.Spaces }

// LongestNamespace is the length of the longest namespace that rows name, if what is followed
// is in several; otherwise 0.
func (f *Facts) LongestNamespace() int {
	spaces := f.World.Tree.Spaces
	if len(spaces) < 2 {
		return 0
	}
	longest := f.World.Tree.LongestForeign
	for _, space := range spaces {
		longest = max(longest, len(space))
	}
	return longest
}

// Restarted reports whether a Pod has restarted, be it one that is gone by now.
func (f *Facts) Restarted() bool { return f.World.Tree.Restarted }

// Roots are the followed objects, in the order of the command line.
func (f *Facts) Roots() []object.ID { return world.IDs(f.World.Tree.Roots) }

// ChangedSince returns the objects that may have changed after a stamp, and the
// stamp for the next call; 0 returns all. They are in the order of Roots, each
// followed by its descendants to that depth; some may appear twice.
func (f *Facts) ChangedSince(stamp uint64, depth int) ([]object.ID, uint64) {
	var ids []object.ID
	var visit func(n *world.Node, left int)
	visit = func(n *world.Node, left int) {
		if left < 0 {
			return
		}
		if n.Stamp > stamp {
			ids = append(ids, *n.ID)
		}
		for _, k := range n.Kids {
			visit(k, left-1)
		}
	}
	for _, n := range f.World.Tree.Roots {
		visit(n, depth)
	}
	return ids, f.World.Tree.Epoch
}

// Resource is what is known of one object; false if nothing is.
func (f *Facts) Resource(id object.ID) (Resource, bool) {
	w := f.World
	n := w.Tree.Nodes[id]
	if n == nil {
		return Resource{}, false
	}
	r := Resource{
		ID: *n.ID, Title: rows.Title(n), Object: n.Object, Root: n.Root, Assessment: n.Assessment(),
		Generated: n.Root == nil, Changed: n.Moved, OwnChange: n.Changed,
		Stalled: w.Stalled(n), Stale: w.Sources.Stale(n),
		Lead: *n.Lead.Node.ID, LeadReason: n.Lead.Reason, LeadCount: int(n.Lead.Count), Note: rows.Note(n),
	}
	if w.Awaits(n) {
		r.Assessment = status.Assessment{
			Status: status.Unknown, Reason: world.ReasonWaiting,
			Message: world.WaitingBelow, Rule: "watch", Deciding: -1, Confidence: status.Exact,
		}
	}
	if again := n.Object.Restarts(); again > 0 {
		r.Note += "  ↻" + strconv.FormatInt(again, 10)
	}
	if n.Root != nil {
		r.Took = w.Took(n)
	}
	if n.Parent != nil {
		r.Parent = *n.Parent.ID
	}
	r.Children = world.IDs(n.Kids)
	below := n.Sub
	below[n.Rank()]--
	r.Known = below.Counts()
	return r, true
}

// Slowest is the root that took longest to become Current, with 0 if none took
// any time.
func (f *Facts) Slowest() (object.ID, time.Duration) { return f.World.Slowest() }

// Path is the chain of ancestors from a root to the object, both included.
func (f *Facts) Path(id object.ID) []object.ID {
	var ids []object.ID
	for n := f.World.Tree.Nodes[id]; n != nil && n.InTree; n = n.Parent {
		ids = append(ids, *n.ID)
	}
	slices.Reverse(ids)
	return ids
}

// History returns the whole history in memory, oldest first.
func (f *Facts) History() []world.Transition { return slices.Clone(f.World.Records.History.List) }

// Notices are the newest messages that are not about an object, oldest first.
func (f *Facts) Notices() []feed.Notice { return f.World.Records.Notices.List }

// Refusals are the missing permissions and API groups, sorted: "user dev cannot
// list events in shop (RBAC)". A single followed object shows that in its own
// row.
func (f *Facts) Refusals() []string {
	return f.World.Sources.Refusals(func(s *feed.SourceState) bool { return s.Name == "" || s.Children })
}

// Late are the objects that explanations look up and that the cluster has not returned in
// time, sorted: "nodes/n1", "secrets in shop". What they would explain is missing.
func (f *Facts) Late() []string { return f.World.Sources.Late() }

// Done reports whether every followed object is Current, and how long that took
// since the verdict last was Current, or since following began; 0 if it was
// from the start.
func (f *Facts) Done() (bool, time.Duration) {
	done := f.Verdict().Status == status.Current
	if !done || !f.World.Moving {
		return done, 0
	}
	return true, f.World.VerdictSince.Sub(cmp.Or(f.World.Began, f.Options().Now))
}

// VerdictOver returns the verdict over a root and its members, the first
// resource with the worst status, the number of members, and how many of all are
// Current with the confidence assumed. A member of two inventories stands in the
// tree of only one of them; listed holds all members of this one.
func (f *Facts) VerdictOver(
	root object.ID, listed []object.ID,
) (verdict status.Status, worst Resource, members, assumed int) {
	var counts world.Tally
	seen := map[*world.Node]bool{}
	var add func(n *world.Node)
	add = func(n *world.Node) {
		if n == nil || n.Root == nil || n.Root.Kept || seen[n] {
			return
		}
		seen[n] = true
		if !n.Root.Optional {
			r, _ := f.Resource(*n.ID)
			rank := world.RankOf(r.Assessment.Status)
			if counts.Total() == 0 || rank < counts.Worst() {
				worst = r
			}
			counts[rank]++
			if world.Assumed(&r.Assessment) {
				assumed++
			}
		}
		for _, k := range n.Kids {
			if *n.ID == root && k.Root != nil && !k.Root.Kept {
				members++
			}
			add(k)
		}
	}
	add(f.World.Tree.Nodes[root])
	for _, id := range listed {
		if n := f.World.Tree.Nodes[id]; n != nil && n.Root != nil && n.Root.In != root && !seen[n] {
			members++
			add(n)
		}
	}
	return counts.Verdict(), worst, members, assumed
}
