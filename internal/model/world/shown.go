package world

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The causes that are shown follow those that are found with some delay: a line must neither blink
// nor jump.

// shown holds the causes on the screen, and their history.
type shown struct {
	Causes      []explain.Cause
	known       map[string]*causeHistory // the histories of Causes, by the causes' IDs
	causesAbout map[*Node][]*explain.Cause
	More        int    // number of causes that are not shown: see causesShown
	Runs        uint64 // grows whenever the shown causes change
	settled     bool   // set once all wanted children have been delivered

	// Healed are those that are no longer found, shown struck through.
	Healed []explain.Cause
	// unsettled is since when the shown order has been out of date.
	unsettled time.Time

	Merged   []explain.Cause // see MergeTitles
	MergedOf int
}

// causeHistory is the history of a cause while it is found or shown.
type causeHistory struct {
	found, since time.Time // when it was first found; its earliest known onset
	gone         time.Time // since when it has not been found, though shown
	provisional  bool      // found before everything was known: its onset is a guess until then
}

// keptShown is how long a cause stays on the screen after it was last found: a
// crashing container runs for a moment in between, and the line must not blink.
const keptShown = 2 * time.Second

// healedShown is how long a healed cause is shown, struck through.
const healedShown = 10 * time.Second

func newShown() shown {
	return shown{known: map[string]*causeHistory{}}
}

// causesShown bounds the causes on a screen; the others are counted.
const causesShown = 200

// show updates the shown causes to the found ones.
func (x *shown) show(w *World, fresh []explain.Cause) {
	remarks := func(c explain.Cause) bool { return len(c.Blocks) == 0 }
	if slices.ContainsFunc(x.Causes, remarks) || slices.ContainsFunc(fresh, remarks) {
		w.Tree.Structure++ // one that needs action has a row
	}
	places := x.places()
	all := fresh
	if w.opt.Screen && len(all) > causesShown {
		all = slices.Clip(all[:causesShown])
	}
	x.More = len(fresh) - len(all)
	left := fresh[len(all):]
	for i := range all {
		if x.known[all[i].ID] == nil {
			x.known[all[i].ID] = &causeHistory{found: w.Tree.Now, provisional: !x.settled}
		}
	}
	if w.opt.Screen && !w.opt.Still {
		all = x.hold(w, all, fresh)
	}
	if w.opt.Screen && !w.opt.Still && len(x.Causes) > 0 && x.settled { // during the first sync causes only grow
		all = x.line(w, all)
	} else {
		x.unsettled = time.Time{}
	}
	x.Causes = all
	if !slices.Equal(places, x.places()) {
		w.Tree.Structure++ // rows stand in their order
	}
	x.Runs++
	known := make(map[string]*causeHistory, len(all))
	for i := range all {
		s := x.known[all[i].ID]
		if w.opt.Screen && !w.opt.Still {
			s.onset(&all[i], x.settled)
		}
		known[all[i].ID] = s
	}
	x.known = known
	x.Merged, x.MergedOf = MergeTitles(all, left)
	x.causesAbout = aboutOf(w, all, left, x.Healed)
}

// IsProblem reports whether a cause is a problem: it keeps something from Current, and does more than
// to be waited for. Whoever counts problems, steps to the next one or names the first one asks this.
func IsProblem(c *explain.Cause) bool {
	return len(c.Blocks) > 0 && c.Class != explain.Waits && c.Healed.IsZero()
}

// places are what the problems block, in their order, which is that of rows.
func (x *shown) places() (blocked []object.ID) {
	for i := range x.Causes {
		if IsProblem(&x.Causes[i]) {
			blocked = append(append(blocked, object.ID{}), x.Causes[i].Blocks...)
		}
	}
	return blocked
}

// Problem reports whether n is a problem: it is not Current, and does more than to wait. What
// is on its way has a cause that is a problem. Every other status is one.
func (x *shown) Problem(n *Node) bool {
	switch n.Assess.Status {
	case status.Current:
		return false
	case status.InProgress, status.Terminating:
		return x.FirstProblem(n) != nil
	}
	return true
}

// FirstProblem is the most important cause of n that is a problem; nil if there is none.
func (x *shown) FirstProblem(n *Node) *explain.Cause {
	for _, c := range x.whyOf(n) {
		if IsProblem(c) {
			return c
		}
	}
	return nil
}

// aboutOf finds the causes that concern each object: it or a descendant shows
// them or is blocked by them.
func aboutOf(w *World, lists ...[]explain.Cause) map[*Node][]*explain.Cause {
	about := map[*Node][]*explain.Cause{}
	for _, causes := range lists {
		for i := range causes {
			c := &causes[i]
			mark := func(n *Node) {
				if list := about[n]; len(list) == 0 || list[len(list)-1] != c {
					about[n] = append(list, c)
				}
			}
			mark(w.Tree.Nodes[c.Subject.ID])
			for _, id := range slices.Concat(c.Blocks, c.Chain) {
				mark(w.Tree.Nodes[id])
			}
			for _, id := range c.Objects {
				for n := w.Tree.Nodes[id]; n != nil; n = n.Parent {
					mark(n)
				}
			}
		}
	}
	return about
}

// Of are the causes that concern an object, the most important first, and then
// those that have healed.
func (x *shown) Of(n *Node) (out []explain.Cause) {
	for _, c := range x.causesAbout[n] {
		out = append(out, *c)
	}
	return out
}

// Why is the most important proven cause that keeps n from being Current, and how
// many more there are; nil if there is none, or n only waits.
func (x *shown) Why(n *Node) (first *explain.Cause, more int) {
	switch n.Assess.Status {
	case status.InProgress, status.Failed:
	default: // the status says itself what is missing
		return nil, 0
	}
	if o := n.Object; o == nil || o.Observed.Set && o.Observed.V < o.Generation.V {
		return nil, 0 // the causes are about what was applied before
	}
	for _, c := range x.whyOf(n) {
		switch {
		case len(c.Blocks) == 0 || c.Class == explain.Waits || !c.Healed.IsZero() || c.Certainty != explain.Proven:
		case first == nil:
			first = c
		default:
			more++
		}
	}
	return first, more
}

// whyOf are the causes that concern n. A cause counts more objects than it lists; one
// that it may have left out shares it with a sibling of the same status and reason.
func (x *shown) whyOf(n *Node) []*explain.Cause {
	if causes := x.causesAbout[n]; len(causes) > 0 || n.Parent == nil {
		return causes
	}
	for _, c := range x.causesAbout[n.Parent] {
		if c.Count <= len(c.Objects) {
			continue
		}
		for _, k := range n.Parent.Kids {
			if k.Assess.Status == n.Assess.Status && k.Lead.Reason == n.Lead.Reason &&
				slices.Contains(x.causesAbout[k], c) {
				return []*explain.Cause{c}
			}
		}
	}
	return nil
}

// Below is how many objects below n show a cause that concerns it, 0 where n itself
// does.
func (x *shown) Below(w *World, n *Node, c *explain.Cause) (count int) {
	if slices.Contains(append(slices.Clip(c.Objects), c.Subject.ID), *n.ID) {
		return 0
	}
	for _, id := range c.Objects {
		for k := w.Tree.Nodes[id]; k != nil; k = k.Parent {
			if k == n {
				count++
				break
			}
		}
	}
	if count == len(c.Objects) {
		count = c.Count
	}
	return max(count, 1)
}

// Remark is the first cause of a Current object, which it does not block; nil if
// there is none.
func (x *shown) Remark(n *Node) *explain.Cause {
	if n.Assess.Status != status.Current || !n.InTree || n.Object == nil {
		return nil
	}
	for _, c := range x.causesAbout[n] {
		if len(c.Blocks) == 0 && c.Subject.ID == *n.ID && c.Healed.IsZero() {
			return c
		}
	}
	return nil
}

// Acted reports whether n has a remark that needs action, which keeps its row
// from being folded.
func (x *shown) Acted(n *Node) bool {
	c := x.Remark(n)
	return c != nil && c.Class != explain.Waits
}

// Remarked are the Current objects with such a remark.
func (x *shown) Remarked() (out []*Node) {
	for n := range x.causesAbout {
		if n != nil && x.Acted(n) {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, ByID)
	return out
}

// hold decides about shown causes that are no longer found: one stays as long
// as an object that it blocked is not Current. A cause that stays away has
// healed, with two exceptions: a short interruption (as long as an object is left that
// can show the cause again), and a parent's symptom
// that was taken for a cause while its children were not known.
func (x *shown) hold(w *World, all, fresh []explain.Cause) []explain.Cause {
	type symptom struct {
		code string
		id   object.ID
	}
	found, explained := map[string]bool{}, map[symptom]bool{}
	for i := range fresh {
		found[fresh[i].ID] = true
		for _, s := range fresh[i].Symptoms {
			explained[symptom{s.Code, s.Ref}] = true
		}
	}
	x.Healed = slices.DeleteFunc(x.Healed, func(c explain.Cause) bool {
		return found[c.ID] || w.Tree.Now.Sub(c.Healed) >= healedShown
	})
	for i := range x.Causes {
		c := &x.Causes[i]
		s := x.known[c.ID]
		if found[c.ID] {
			s.gone = time.Time{}
			continue
		}
		if s.gone.IsZero() {
			s.gone = w.Tree.Now
		}
		switch {
		case c.Class == explain.Waits, s.gone.Sub(s.found) < keptShown,
			slices.ContainsFunc(c.Objects, func(id object.ID) bool { return explained[symptom{c.Code, id}] }):
		case w.Tree.Now.Sub(s.gone) < keptShown && slices.ContainsFunc(c.Blocks, w.Tree.unwell) && w.Tree.mayShow(c):
			all = slices.Insert(slices.Clip(all), min(i, len(all)), *c)
		case len(x.Healed) < mostHealed:
			h := *c
			h.Healed = s.gone
			x.Healed = append(x.Healed, h)
		}
	}
	return all
}

// line orders the shown causes: a new one does not push another down, and none
// are swapped, unless the order has been different for two seconds. Only a
// cause that is waiting yields at once.
func (x *shown) line(w *World, all []explain.Cause) []explain.Cause {
	places := make(map[string]int, len(x.Causes))
	for i := range x.Causes {
		places[x.Causes[i].ID] = i - len(x.Causes) // before the new ones, at 0
	}
	waits := func(c *explain.Cause) bool { return c.Class == explain.Waits }
	kept := slices.Clone(all)
	slices.SortStableFunc(kept, func(a, b explain.Cause) int {
		switch {
		case waits(&a) == waits(&b):
			return cmp.Compare(places[a.ID], places[b.ID])
		case waits(&a):
			return 1
		}
		return -1
	})
	switch {
	case slices.EqualFunc(kept, all, func(a, b explain.Cause) bool { return a.ID == b.ID }):
	case x.unsettled.IsZero():
		x.unsettled = w.Tree.Now
		return kept
	case w.Tree.Now.Sub(x.unsettled) < keptShown:
		return kept
	}
	x.unsettled = time.Time{}
	return all
}

// onset keeps the earliest known onset of a cause on a screen: a crash loop's fields only
// show its last iterations. What is printed once says what the objects say, whichever of them
// came first.
func (s *causeHistory) onset(c *explain.Cause, settled bool) {
	if s.provisional || s.since.IsZero() || !c.Since.IsZero() && c.Since.Before(s.since) {
		s.since = c.Since
	}
	s.provisional = s.provisional && !settled
	c.Since = s.since
}

// turns is when time alone changes what is shown; zero is never.
func (x *shown) turns() (at time.Time) {
	for _, s := range x.known {
		if !s.gone.IsZero() {
			at = Earliest(at, s.gone.Add(keptShown))
		}
	}
	for i := range x.Healed {
		at = Earliest(at, x.Healed[i].Healed.Add(healedShown))
	}
	if !x.unsettled.IsZero() {
		at = Earliest(at, x.unsettled.Add(keptShown))
	}
	return at
}

const mostHealed = 20

func (t *Tree) unwell(id object.ID) bool {
	n := t.Nodes[id]
	return n != nil && n.Object != nil && n.Assess.Status != status.Current
}

// mayShow reports whether an object that shows the cause, if any does, exists and is not
// being deleted.
func (t *Tree) mayShow(c *explain.Cause) bool {
	return len(c.Objects) == 0 || slices.ContainsFunc(c.Objects, func(id object.ID) bool {
		n := t.Nodes[id]
		return n != nil && n.Object != nil && n.Object.Deleted.IsZero()
	})
}

// Memory is the causes' history, in a fixed order.
func (x *shown) Memory(now time.Time) []feed.Began {
	out := make([]feed.Began, 0, len(x.known))
	for id, s := range x.known {
		out = append(out, feed.Began{ID: id, Found: ago(now, s.found), Since: ago(now, s.since)})
	}
	slices.SortFunc(out, func(a, b feed.Began) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Recall restores the history of a moment.
func (x *shown) Recall(at time.Time, causes []feed.Began) {
	for _, c := range causes {
		x.known[c.ID] = &causeHistory{found: whenAgo(at, c.Found), since: whenAgo(at, c.Since)}
	}
}

// mostInLine bounds the causes in one line.
const mostInLine = 16

// MergeTitles merges causes with equal titles: their counts are added and their
// blocked objects joined. It returns the first few, and how many there are.
func MergeTitles(lists ...[]explain.Cause) (merged []explain.Cause, of int) {
	at := map[string]int{}
	for _, causes := range lists {
		for i := range causes {
			c := &causes[i]
			j, known := at[c.Title]
			switch {
			case !known:
				at[c.Title] = len(at)
				if len(merged) < mostInLine {
					merged = append(merged, *c)
					merged[len(merged)-1].Blocks = slices.Clip(c.Blocks) // so that appending copies it once
				}
			case j < mostInLine:
				t := &merged[j]
				t.Count = max(t.Count, 1) + max(c.Count, 1)
				t.Blocks = append(t.Blocks, c.Blocks...)
			}
		}
	}
	return merged, len(at)
}
