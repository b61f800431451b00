// Package fold turns findings into causes. A symptom goes under the cause that explains it.
// Findings with one fingerprint become one cause with a count. Causes are ranked, and each has the
// roots that it keeps from being Current. The package knows no detector.
package fold

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Input is what the detectors have found.
type Input struct {
	Snapshot *inspect.Snapshot
	Roots    map[object.ID]bool
	Entries  []*inspect.Entry // the inspected objects with findings, in order
	// Inspect returns the entry of an object that a finding is linked to,
	// inspected now if it has not been; nil if nothing was found.
	Inspect func(object.ID) *inspect.Entry
}

// Result is what [Fold] makes of it.
type Result struct {
	Causes    []Cause        // most important first
	Reading   []inspect.Need // see Explanation
	Asked     []inspect.Need // objects that are only worth asking for because of a cause
	DependsOn []object.ID    // see Explanation
}

// foldedEntry is an inspected object while its findings are folded.
type foldedEntry struct {
	*inspect.Entry
	findings []*foldedFinding
	reached  bool   // it concerns a root
	counted  *group // the group that has counted it
}

// foldedFinding is a finding while it is folded.
type foldedFinding struct {
	*inspect.Finding
	fingerprint uint64
	entry       *foldedEntry
	settled     bool     // groups is set
	groups      []*group // the groups it was folded under, or its own
}

// group becomes one cause: the findings with one fingerprint and the symptoms
// that they explain.
type group struct {
	members    []*foldedFinding
	symptoms   []*foldedFinding
	progress   bool // only ordinary progress
	remark     bool // only remarks
	onlyItself bool // blocks no ancestor
	outdated   bool // only of superseded revisions and runs: it blocks nothing else
}

// folder folds findings into groups. It does not depend on the order in which
// findings were made; the final order is made at the end.
type folder struct {
	Input
	entries map[object.ID]*foldedEntry
	reached []*foldedEntry // those with findings that concern a root
	groups  map[uint64]*group
	list    []*group               // groups in order of creation
	below   map[object.ID][]*group // groups among an object's descendants
}

// Fold turns findings into causes.
func Fold(x Input) Result {
	c := &folder{
		Input: x, entries: make(map[object.ID]*foldedEntry, len(x.Entries)),
		groups: map[uint64]*group{}, below: map[object.ID][]*group{},
	}
	for _, e := range slices.Clone(x.Entries) { // Inspect may add some
		if e.Followed {
			c.reach(c.entryOf(e))
		}
	}
	for i := 0; i < len(c.reached); i++ { // it grows in the loop
		c.link(c.reached[i])
	}
	var all, absorbers, symptoms []*foldedFinding
	quotes := map[uint64]*foldedFinding{} // a log line that names what it waits for speaks for all with its fingerprint
	for _, n := range c.reached {
		for _, f := range n.findings {
			all = append(all, f)
			if len(f.Absorbs) > 0 {
				absorbers = append(absorbers, f)
			}
			if f.QuotesLog && f.Symptom {
				quotes[f.fingerprint] = f
			}
		}
	}
	slices.SortFunc(absorbers, compareFindings)
	for _, f := range absorbers {
		c.absorb(f)
	}
	for _, f := range all {
		if q := quotes[f.fingerprint]; q != nil && !f.Symptom {
			f.Blame(q.Because...)
		}
		switch {
		case f.settled:
		case f.Symptom:
			symptoms = append(symptoms, f)
		default:
			c.explain(f, c.lacking(f))
		}
	}
	// Deepest first: descendants are decided before their ancestors, but for the
	// consequences of what is found on those.
	slices.SortFunc(symptoms, func(a, b *foldedFinding) int {
		return cmp.Or(TrueLast(a.OfParent)-TrueLast(b.OfParent),
			cmp.Compare(len(b.entry.Ancestors), len(a.entry.Ancestors)), compareFindings(a, b))
	})
	for _, f := range symptoms {
		c.fold(f, 0)
	}
	return c.conclude()
}

// entryOf is the foldedEntry of an inspected object; it is made at first.
func (c *folder) entryOf(e *inspect.Entry) *foldedEntry {
	n := c.entries[e.ID]
	if n == nil {
		n = &foldedEntry{Entry: e, findings: make([]*foldedFinding, 0, len(e.Found))}
		for _, f := range e.Found {
			w := object.ID{}
			if !f.Shared {
				w = e.Workload
				w.Namespace = e.ID.Namespace
			}
			print := fingerprint(f.Code.Name, f.Key, w.Group, w.Kind, w.Namespace, w.Name)
			n.findings = append(n.findings, &foldedFinding{Finding: f, fingerprint: print, entry: n})
		}
		c.entries[e.ID] = n
	}
	return n
}

// reach includes an entry below a root, and whatever explains it or is
// explained by it, however far away. A lost node without Pods of a root is not
// included.
func (c *folder) reach(n *foldedEntry) {
	// a past run only matters if it is a root itself
	if !n.reached && (!n.Outdated || c.Roots[n.ID]) {
		n.reached = true
		c.reached = append(c.reached, n)
	}
}

// link includes the entries that an included one is linked to.
func (c *folder) link(n *foldedEntry) {
	for _, f := range n.findings {
		for _, list := range [2][]object.ID{f.Because, f.Absorbs} {
			for _, id := range list {
				switch e := c.Inspect(id); {
				case e == nil:
				case c.unseen(e): // explains nothing; it is named beside what is known
					for _, what := range e.Found[0].Unread {
						if !slices.Contains(f.Unread, what) {
							f.Unread = append(f.Unread, what)
						}
					}
				default:
					c.reach(c.entryOf(e))
				}
			}
		}
	}
}

// unseen reports whether all that is known of an object is that it may not be read, or was
// not saved, and nobody has asked for it.
func (c *folder) unseen(e *inspect.Entry) bool {
	return !e.Followed && !c.Roots[e.ID] && len(e.Found) == 1 && e.Found[0].Code == codes.NotVisible
}

// linked are the findings on another object, if it is included.
func (c *folder) linked(f *foldedFinding, id object.ID) []*foldedFinding {
	if n := c.entries[id]; n != nil && n.reached && n != f.entry {
		return n.findings
	}
	return nil
}

// absorb groups a finding with the findings that it explains.
func (c *folder) absorb(f *foldedFinding) {
	g := c.join(f)
	for _, id := range f.Absorbs {
		for _, ff := range c.linked(f, id) {
			if !ff.settled {
				c.explain(ff, g)
			}
		}
	}
}

// explain adds a finding to a group as its symptom; without one it becomes a
// cause.
func (c *folder) explain(f *foldedFinding, g *group) {
	if g == nil {
		c.join(f)
		return
	}
	g.symptoms = append(g.symptoms, f)
	f.settled, f.groups = true, []*group{g}
	c.mark(f.entry, g)
}

// lacking is the group of a followed object that does not exist, if a finding is
// about its absence: one line says it.
func (c *folder) lacking(f *foldedFinding) *group {
	for i := range f.Evidence {
		ev := &f.Evidence[i]
		if ev.Type == inspect.AbsenceEvidence && ev.Path == "" && c.Roots[ev.Ref] {
			for _, ff := range c.linked(f, ev.Ref) {
				return c.join(ff)
			}
		}
	}
	return nil
}

// conclude turns the groups into ordered causes.
func (c *folder) conclude() (out Result) {
	ranks := make([]ranked, 0, len(c.list))
	for _, g := range c.list {
		if cause, ok := c.cause(g); ok {
			first := slices.MinFunc(g.members, regardlessOfLogs).entry
			ranks = append(ranks,
				ranked{cause, importance(cause, c.fails(cause.Blocks)), g.members[0].entry, first, g.outdated})
		}
	}
	slices.SortFunc(ranks, compareCauses)
	c.patienceIsOver(ranks)
	// Ordinary progress is left out if everything that waits for it has a
	// better reason, or if nothing does.
	excused := map[object.ID]bool{}
	for _, r := range ranks {
		if r.Code != codes.Progressing.Name {
			for _, b := range r.Blocks {
				excused[b] = true
			}
		}
	}
	out.Causes = make([]Cause, 0, len(ranks))
	for _, r := range ranks {
		uses := r.exemplar.Uses
		if !r.exemplar.Followed { // it is only referred to: without it the cause would neither heal nor have events
			uses = append([]object.ID{r.exemplar.ID}, uses...)
		}
		for _, id := range uses {
			if len(out.DependsOn) < inspect.MaxObjects && !slices.Contains(out.DependsOn, id) {
				out.DependsOn = append(out.DependsOn, id)
			}
		}
		for _, n := range slices.Concat(r.exemplar.Needs, r.first.Needs) {
			list := &out.Reading
			if n.ForCause && n.Log == "" {
				list = &out.Asked
			}
			if (n.Log != "" || n.Template || n.ForCause) && len(*list) < inspect.MaxObjects && !slices.Contains(*list, n) {
				*list = append(*list, n)
			}
		}
		if r.Code != codes.Progressing.Name ||
			slices.ContainsFunc(r.Blocks, func(b object.ID) bool { return !excused[b] }) {
			out.Causes = append(out.Causes, *r.Cause)
		}
	}
	return out
}

// patienceIsOver sees to it that nothing Failed has only causes that are normal
// for the moment: the first of them is no longer waited for. A deletion is
// retried by its controller.
func (c *folder) patienceIsOver(ranks []ranked) {
	explained := map[object.ID]bool{}
	for _, r := range ranks {
		for _, id := range r.Blocks {
			explained[id] = explained[id] || r.Class != codes.Waits
		}
	}
	changed := false
	for i := range ranks {
		r := &ranks[i]
		if r.Class != codes.Waits || !slices.ContainsFunc(r.Blocks, func(id object.ID) bool {
			return !explained[id] && c.fails([]object.ID{id})
		}) {
			continue
		}
		r.Class = codes.Action
		switch r.Code {
		case codes.Deleting.Name, codes.FinalizerBlocks.Name, codes.DependentsRemain.Name:
			r.Class = codes.Retries
		}
		for _, id := range r.Blocks {
			explained[id] = true
		}
		r.importance, changed = importance(r.Cause, true), true
	}
	if changed {
		slices.SortFunc(ranks, compareCauses)
	}
}

// join adds a finding to the group of its fingerprint.
func (c *folder) join(f *foldedFinding) *group {
	if f.settled && len(f.groups) > 0 {
		return f.groups[0]
	}
	g := c.groups[f.fingerprint]
	if g == nil {
		g = &group{progress: true, remark: true, onlyItself: true, outdated: true}
		c.groups[f.fingerprint] = g
		c.list = append(c.list, g)
	}
	g.members = append(g.members, f)
	g.progress = g.progress && f.Code == codes.Progressing
	g.remark, g.onlyItself = g.remark && f.Remark, g.onlyItself && (f.OnlyItself || f.Remark)
	g.outdated = g.outdated && f.entry.Outdated
	f.settled, f.groups = true, []*group{g}
	c.mark(f.entry, g)
	return g
}

// unseen reports whether all that is known is that some objects may not be read: that does not
// explain what has a reason of its own.
func (g *group) unseen() bool {
	return !slices.ContainsFunc(g.members, func(f *foldedFinding) bool { return f.Code != codes.NotVisible })
}

// mark notes a group at every ancestor of an object.
func (c *folder) mark(n *foldedEntry, g *group) {
	for _, a := range n.Ancestors {
		if list := c.below[a]; len(list) < inspect.MaxObjects && !slices.Contains(list, g) {
			c.below[a] = append(list, g)
		}
	}
}

// fold puts a symptom under the groups that explain it, or makes it a cause.
func (c *folder) fold(f *foldedFinding, depth int) []*group {
	if f.settled {
		return f.groups
	}
	f.settled, f.groups = true, nil // breaks cycles
	var because []*group
	if !f.NeverCause { // the echo of what it names alone: what is wrong below its own object says nothing about that
		because = slices.Clone(c.below[f.Object])
	}
	if depth < 8 {
		for _, id := range f.Because {
			because = append(because, c.below[id]...)
			for _, ff := range c.linked(f, id) {
				if ff.Code == codes.Progressing && f.Code != codes.Progressing &&
					slices.Contains(ff.Because, f.Object) {
					continue // it waits for this one, which refers back to it
				}
				if ff.Symptom {
					c.fold(ff, depth+1)
				}
				because = append(because, ff.groups...)
			}
		}
	}
	seen := map[*group]bool{}
	because = slices.DeleteFunc(because, func(g *group) bool {
		// Progress of a descendant explains progress, not a failure.
		drop := seen[g] || g.onlyItself || g.outdated && !f.entry.Outdated ||
			g.progress && f.Code != codes.Progressing ||
			g.unseen() && f.Code != codes.Progressing
		seen[g] = true
		return drop
	})
	if len(because) == 0 {
		if !f.NeverCause {
			f.settled = false
			c.join(f)
		}
		return f.groups
	}
	for _, g := range because {
		g.symptoms = append(g.symptoms, f)
	}
	f.groups = because
	c.mark(f.entry, because[0])
	return because
}

// exemplary orders findings below a root before others, then the one with most
// details (its log has been read and must stay the one that is read), then the
// oldest.
func exemplary(a, b *foldedFinding) int {
	return cmp.Or(
		TrueLast(b.entry.Followed)-TrueLast(a.entry.Followed),
		TrueLast(b.QuotesLog)-TrueLast(a.QuotesLog),
		compareFindings(a, b),
	)
}

// regardlessOfLogs is the order of exemplary but for the logs: the first by it becomes the exemplar
// once its log has been read, too, so that it does not matter which Pod's log came first.
func regardlessOfLogs(a, b *foldedFinding) int {
	return cmp.Or(TrueLast(b.entry.Followed)-TrueLast(a.entry.Followed), compareFindings(a, b))
}

// cause turns a group into a cause, if a root leads to it.
func (c *folder) cause(g *group) (out *Cause, reached bool) {
	slices.SortFunc(g.members, exemplary)
	slices.SortFunc(g.symptoms, compareFindings)
	g.symptoms = slices.Compact(g.symptoms) // one may be absorbed twice
	f := g.members[0]
	out = &Cause{
		ID: identity(f.fingerprint), Code: f.Code.Name, Title: f.Title(), Detail: f.Detail,
		Class: f.Class, Certainty: f.Certainty,
		Since: f.Since, Subject: f.About, Evidence: f.Evidence, Next: f.Next, Changes: f.Offers,
		Until: f.Until, UntilWhat: f.UntilWhat, Changed: f.Changed, Missing: f.Unread,
	}
	for _, s := range f.Offers {
		out.Next = append(slices.Clip(out.Next), s.Command)
	}
	// What it keeps from being done was to be done by now.
	if (out.Class == codes.Waits || out.Class == codes.Retries) &&
		slices.ContainsFunc(g.symptoms, func(s *foldedFinding) bool { return s.Overdue }) {
		out.Class = codes.Action
	}
	if o := c.Snapshot.Object(f.Object); g.outdated && out.Class == codes.Action && o != nil && o.Deleted.IsZero() {
		out.Class = codes.Retries // its controller replaces it
	}
	if !out.Until.After(c.Snapshot.Now) {
		out.Until, out.UntilWhat = time.Time{}, ""
	}
	blocks := func(id object.ID) {
		if !c.Roots[id] {
			return
		}
		reached = true
		if !g.remark && !c.current(id) && len(out.Blocks) < inspect.MaxObjects && !slices.Contains(out.Blocks, id) {
			out.Blocks = append(out.Blocks, id)
		}
	}
	follow := func(f *foldedFinding) {
		blocks(f.entry.ID)
		if g.outdated {
			reached = reached || f.entry.Followed
			return
		}
		if f.OnlyItself || f.Remark {
			reached = reached || f.entry.Followed
			return
		}
		for _, a := range f.entry.Ancestors {
			blocks(a)
		}
	}
	for _, m := range g.members {
		// The node that its Pods report is not counted among them.
		if m.entry.counted != g && (m.Object != f.About.ID || f.entry == m.entry) {
			m.entry.counted = g
			out.Count++
			if len(out.Objects) < inspect.MaxObjects {
				out.Objects = append(out.Objects, m.Object)
			}
		}
		follow(m)
		if !m.Since.IsZero() && (out.Since.IsZero() || m.Since.Before(out.Since)) {
			out.Since = m.Since
		}
		if rankOf(m.Certainty) < rankOf(out.Certainty) {
			out.Certainty = m.Certainty
		}
	}
	if out.Code == codes.NotFound.Name && out.Count > 1 {
		nameAbsent(out)
	}
	for _, y := range g.symptoms {
		follow(y)
		if len(out.Symptoms) < inspect.MaxObjects {
			out.Symptoms = append(out.Symptoms, Symptom{Ref: y.Object, Code: y.Code.Name, Title: y.Title()})
		}
	}
	wordless(out, g.symptoms)
	if now := c.Snapshot.Now; out.Since.After(now) { // the server's clock is ahead
		out.Since = now
	}
	blocks(f.About.ID)
	if len(out.Blocks) == 0 && out.Certainty == inspect.Proven && slices.ContainsFunc(out.Objects, c.current) {
		// A note: what it says of a Current object is proven, but not that this is a
		// fault. A Service may select nothing on purpose.
		out.Certainty = inspect.Likely
	}
	slices.SortFunc(out.Blocks, object.ID.Compare)
	out.Chain = c.chain(f.Object)
	return out, reached
}

// wordless gives a cause that only has a status, a probe's or an exit's, the words of the custom
// object that waits for it: an operator that keeps a database from starting says why, and one
// that has read the log of its installer.
func wordless(out *Cause, symptoms []*foldedFinding) {
	probe := slices.Contains(probes, out.Code) && message.Weight(out.Title) < message.SaysWhy
	if !probe && !onlyExits().MatchString(out.Title) {
		return
	}
	for _, y := range symptoms {
		if y.Code.Family == "custom" && message.Weight(y.Title()) >= message.SaysWhy &&
			!onlyExits().MatchString(y.Title()) {
			whose := "; " + y.Object.String() + ": "
			if room := inspect.TitleMost - len(out.Title) - len(whose); room >= leastWords {
				out.Title += whose + message.Clip(message.Short(y.Title(), min(room, 120)), room)
			}
			return
		}
	}
}

// leastWords is the shortest part of a reason that says something, in bytes.
const leastWords = 40

// probes are the codes of a probe that fails.
var probes = []string{codes.ReadinessProbeFailing.Name, codes.StartupProbePending.Name, codes.LivenessProbeFailing.Name}

// onlyExits matches what ends with an exit status.
var onlyExits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bexit(?:ed)?(?: with)?(?: status| code)? \d+$`)
})

// nameAbsent is the title of a cause that several objects do not exist.
func nameAbsent(out *Cause) {
	var list []string
	for _, id := range out.Objects[:min(len(out.Objects), 3)] {
		list = append(list, id.String())
	}
	if out.Count > 3 {
		list = append(list, "…")
	}
	out.Title = message.Clip(
		fmt.Sprintf("%d of what was asked for do not exist: %s", out.Count, strings.Join(list, ", ")), 240)
}

// chain is the path of canonical parents from a root to an object.
func (c *folder) chain(id object.ID) (chain []object.ID) {
	top := 0
	chain = make([]object.ID, 0, 4)
	for len(chain) < chainMost && !slices.Contains(chain, id) {
		if chain = append(chain, id); c.Roots[id] {
			top = len(chain)
		}
		parents := c.Snapshot.Parents(id)
		if len(parents) == 0 {
			break
		}
		id = parents[0]
	}
	chain = slices.Clip(chain[:top])
	slices.Reverse(chain)
	return chain
}

const chainMost = 16

// fingerprint identifies a cause: its code, its key, and the workload unless
// the cause is shared.
func fingerprint(parts ...string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, strings.Join(parts, "\x00")+"\x00")
	return h.Sum64()
}

// identity is a fingerprint as text.
func identity(print uint64) string { return fmt.Sprintf("%012x", print&0xffffffffffff) }

// current reports whether an object is Current.
func (c *folder) current(id object.ID) bool {
	a, ok := c.Snapshot.Assessment(id)
	return ok && a.Status == status.Current
}

// fails reports whether one of the objects is Failed.
func (c *folder) fails(ids []object.ID) bool {
	return slices.ContainsFunc(ids, func(id object.ID) bool {
		a, ok := c.Snapshot.Assessment(id)
		return ok && a.Status == status.Failed
	})
}
