package model

import (
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

// facts is what is known of what is followed. All parts of the model read it.
type facts struct {
	opt    *Options
	ask    *asker
	w      *world.World
	x      *world.Causes
	wants  wanting
	played *feed.Playback // nil unless a recording is played on a screen
	err    error          // why the feed ended
	ended  bool

	frozen bool         // batches wait: the picture stays as it is
	missed []feed.Batch // the batches that wait
	ticks  time.Time    // the last tick

	rev    uint64 // grows whenever the screen may have changed
	ticked bool   // the message that Update is handling is a tick
	landed bool   // it ends a jump
}

// mostMissed bounds the batches that wait. From then on the feed is not asked,
// and keeps the newest of each object.
const mostMissed = 1000

// clock is the present time, which a frozen picture does not show.
func (f *facts) clock() time.Time {
	if f.ticks.After(f.w.Now) {
		return f.ticks
	}
	return f.w.Now
}

// Options returns the model's settings, with defaults filled in.
func (f *facts) Options() Options { return *f.opt }

// Now is the time of the last tick or batch; all ages are measured from it.
func (f *facts) Now() time.Time { return f.w.Now }

// Elapsed is the time since following began.
func (f *facts) Elapsed() time.Duration { return f.w.Now.Sub(f.opt.Now) }

// Verdict is the verdict over the followed objects.
func (f *facts) Verdict() Verdict {
	w := f.w
	v := Verdict{Status: w.Verdict, Empty: len(w.Roots) == 0, Gone: w.Gone(), Since: w.VerdictSince}
	if v.Status == "" || v.Status == status.Current && (!w.Synced || w.Awaiting()) {
		v.Status = status.Unknown // more objects may still arrive
	}
	link := f.Connection().Link
	v.Lost = link == world.LinkStale || (link == world.LinkEnded && f.opt.Recording == "") || w.OutOfTouch()
	v.Moved = f.opt.Now
	if w.Moved.After(v.Moved) {
		v.Moved = w.Moved
	}
	v.Stalled = w.Expected && !v.Gone && w.Now.Sub(v.Moved) >= f.opt.StallAfter
	return v
}

// Counts counts the followed objects by status, including optional ones.
func (f *facts) Counts() world.Counts {
	return f.w.Counts.Counts()
}

// Assumed counts the followed objects that are Current with the confidence
// assumed.
func (f *facts) Assumed() int {
	return f.w.Assumed
}

// GeneratedCounts counts the known generated objects by status.
func (f *facts) GeneratedCounts() world.Counts {
	return f.w.Generated.Counts()
}

// Known counts all objects in the tree.
func (f *facts) Known() int { return f.w.Counts.Total() + f.w.Generated.Total() }

// Connection summarises the sources.
func (f *facts) Connection() world.Connection {
	return f.w.Connection(f.ended, f.err)
}

// Sources returns the state of every source, by key.
func (f *facts) Sources() []feed.SourceState {
	return slices.SortedFunc(maps.Values(f.w.Sources), func(a, b feed.SourceState) int { return strings.Compare(a.Key, b.Key) })
}

// Synced reports whether every source needed for the roots has answered.
func (f *facts) Synced() bool { return f.w.Synced }

// Quiesced reports whether all requests have been answered: the roots are
// synced, and the wanted children and events have arrived. A one-shot command
// may print then.
func (f *facts) Quiesced() bool {
	return f.ended || f.Answered() && f.w.ToldGen >= f.wants.sent.Gen && !f.w.Reads() && !f.x.Busy() && !f.x.Pending(f.w)
}

// Answered reports whether the roots and everything needed to judge them has
// arrived: until then a Current may rest on partial data.
func (f *facts) Answered() bool {
	return f.w.Synced && f.w.Answered >= f.wants.sent.Gen && !f.wants.dirty
}

// Namespaces are the followed objects' namespaces, sorted. The caller must not
// modify the list.
func (f *facts) Namespaces() []string { return f.w.Spaces }

// Roots are the followed objects, in the order of the command line.
func (f *facts) Roots() []object.ID { return ids(f.w.Roots) }

func ids(nodes []*world.Node) []object.ID {
	out := make([]object.ID, len(nodes))
	for i, n := range nodes {
		out[i] = *n.ID
	}
	return out
}

// ChangedSince returns the objects that may have changed after a stamp, and the
// stamp for the next call; 0 returns all. They are in the order of Roots, each
// followed by its descendants to that depth; some may appear twice.
func (f *facts) ChangedSince(stamp uint64, depth int) ([]object.ID, uint64) {
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
	for _, n := range f.w.Roots {
		visit(n, depth)
	}
	return ids, f.w.Epoch
}

// Resource is what is known of one object; false if nothing is.
func (f *facts) Resource(id object.ID) (Resource, bool) {
	w := f.w
	n := w.Nodes[id]
	if n == nil {
		return Resource{}, false
	}
	r := Resource{
		ID: *n.ID, Object: n.Object, Root: n.Root, Assessment: n.Assessment(),
		Generated: n.Root == nil, Changed: n.Moved, OwnChange: n.Changed,
		Stalled: w.Stalled(n), Stale: w.Stale(n), FirstSeen: n.Seen,
		Lead: *n.Lead.Node.ID, LeadReason: n.Lead.Reason, LeadCount: int(n.Lead.Count), Note: rows.Note(n),
		ChildrenKnown: n.Object != nil && w.ChildrenKnown(n),
	}
	if w.Awaits(n) {
		r.Assessment = status.Assessment{Status: status.Unknown, Reason: world.ReasonWaiting, Message: world.WaitingBelow, Rule: "watch", Deciding: -1, Confidence: status.Exact}
	}
	if again := rows.Restarts(n.Object); again > 0 {
		r.Note += "  ↻" + strconv.FormatInt(again, 10)
	}
	if n.Parent != nil {
		r.Parent = *n.Parent.ID
	}
	r.Children = ids(n.Kids)
	below := n.Sub
	below[n.Rank()]--
	r.Known = below.Counts()
	return r, true
}

// Slowest returns up to n roots that took longest to become Current, slowest
// first. Those that were Current from the start are left out.
func (f *facts) Slowest(n int) []world.Slow { return f.w.Slowest(n) }

// Path is the chain of ancestors from a root to the object, both included.
func (f *facts) Path(id object.ID) []object.ID {
	var ids []object.ID
	for n := f.w.Nodes[id]; n != nil && n.InTree; n = n.Parent {
		ids = append(ids, *n.ID)
	}
	slices.Reverse(ids)
	return ids
}

// History returns the whole history in memory, oldest first.
func (f *facts) History() []world.Transition { return slices.Clone(f.w.History.List) }

// Notices are the newest messages that are not about an object, oldest first.
func (f *facts) Notices() []feed.Notice { return f.w.Notices.List }

// Refusals are the missing permissions, sorted: "user dev cannot list events in
// shop (RBAC)". A single followed object shows that in its own row.
func (f *facts) Refusals() []string {
	var out []string
	for _, s := range f.w.Sources {
		if s.Phase == feed.Forbidden && (s.Name == "" || s.Children) {
			out = append(out, world.Refusal(&s))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Paused reports whether the picture is frozen, and how many updates it has
// missed.
func (f *facts) Paused() (bool, int) {
	return f.frozen, len(f.missed)
}

// Done reports whether every followed object is Current, and how long that took
// since the verdict last was Current, or since following began; 0 if it was
// from the start.
func (f *facts) Done() (bool, time.Duration) {
	if f.w.Verdict != status.Current || !f.w.Synced || f.w.Awaiting() {
		return false, 0
	}
	if !f.w.Moving {
		return true, 0
	}
	began := f.opt.Now
	if !f.w.Began.IsZero() {
		began = f.w.Began
	}
	return true, f.w.VerdictSince.Sub(began)
}
