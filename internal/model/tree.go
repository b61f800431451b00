package model

import (
	"cmp"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// calm is how long after a key rows stay in place.
const calm = 2 * time.Second

// Tree is the list of rows and the user's changes to it.
type Tree struct {
	facts  *known.Facts
	intake *Intake

	window    int  // its height in rows
	following bool // the selection follows the newest problem

	list     rows.List
	built    uint64 // the world's Structure when rows were built
	stale    bool   // rows must be built again for another reason
	arranged uint64 // number of times rows were built
	pending  bool   // a new arrangement is due after calm
	sel      rows.Key
	home     rows.Key // the selection before a filter hid it; zero without a filter
	selIndex int
	touched  bool    // the user has moved the selection
	stopped  stopped // where n stopped last
	anchor   int     // the selection's line in the window
	first    bool    // the user has put it on the first row
	lastKey  time.Time

	settings rows.Settings
	// made is of what groups and what a filter finds are: of which explanation, and a
	// filter of which judgements and second.
	made [3]uint64
}

// refresh updates the rows to the world, and the selection that follows it.
func (t *Tree) updateRows() {
	var of [3]uint64
	if t.settings.Group == rows.GroupCause || t.settings.Filter.Active() {
		of[0] = t.facts.Found.Runs
	}
	if t.settings.Filter.Active() {
		of[1], of[2] = t.facts.World.Judged, uint64(t.facts.World.Tree.Now.Unix())
	}
	if t.made != of {
		t.made, t.pending = of, true
	}
	t.arrangeRows(false)
	t.followNewest()
}

// arrangeRows updates the rows to the world.
func (t *Tree) arrangeRows(force bool) {
	w := t.facts.World
	held := !force && !t.intake.opt.Still && t.touched && w.Tree.Now.Sub(t.lastKey) < calm
	if !t.stale && t.built == w.Tree.Structure && (held || !t.pending) {
		return
	}
	var sel *world.Node
	if t.touched {
		sel = w.Tree.Nodes[cmp.Or(t.home, t.sel).ID] // home: so that it has a row when the filter is removed
	}
	t.list.Build(w, t.facts.Found, &t.settings, sel, held, t.window)
	t.arranged++
	t.built, t.stale, t.pending = w.Tree.Structure, false, held
	t.reselect()
}

// Settings are the user's choices of rows.
func (t *Tree) Settings() rows.Settings { return t.settings }

// reselect finds the selected row again.
func (t *Tree) reselect() {
	if !t.settings.Filter.Active() {
		// Without a filter only now: a row that returns an hour later must not
		// take the selection.
		defer func() { t.home = rows.Key{} }()
	}
	if len(t.list.Refs) == 0 {
		t.selIndex = -1
		return
	}
	// If it is folded or filtered out: the nearest ancestor with a row. If it
	// is gone: the row in its place.
	t.selIndex = min(max(t.selIndex, 0), len(t.list.Refs)-1)
	wanted := []rows.Key{t.home, t.sel}
	for n := t.facts.World.Tree.Nodes[t.sel.ID]; n != nil; n = n.Parent {
		wanted = append(wanted, rows.Key{ID: *n.ID})
	}
	if !t.touched { // of the first screen what the first cause blocks: pane and headline agree
		first := t.list.Refs[:min(max(t.window, t.selIndex+1), len(t.list.Refs))]
		lead := t.lead()
		leads := func(r rows.Ref) bool {
			return r.Kind == rows.Object && lead != nil && slices.Contains(lead.Blocks, *r.Node.ID)
		}
		problem := func(r rows.Ref) bool { return r.Kind == rows.Object && r.Node.Assess.Status != status.Current }
		at := slices.IndexFunc(first, leads)
		if at < 0 {
			at = max(slices.IndexFunc(first, problem), 0)
		}
		t.selIndex, wanted = at, nil
		t.anchor = t.selIndex
	}
	for _, k := range wanted {
		if i := t.list.Index(t.facts.World, k); i >= 0 && k != (rows.Key{}) {
			t.selIndex = i
			break
		}
	}
	t.sel = t.list.Refs[t.selIndex].Key()
}

// lead is the first problem: the cause that the headline names and that is selected first. It is
// that of the first row that has one, if the rows are in the order of the problems, so that
// headline, rows and pane begin with the same. nil if there is none: what only has to be waited
// for changes too fast to be followed.
func (t *Tree) lead() *explain.Cause {
	if s := &t.settings; s.Sort == rows.SortProblems && !s.Reversed && s.Group == rows.GroupNone && !s.Filter.Active() {
		for i := range t.list.Refs[:min(len(t.list.Refs), leadAmong)] {
			r := &t.list.Refs[i]
			if r.Kind != rows.Object || r.Depth > 0 || t.facts.World.Optional([]object.ID{*r.Node.ID}) {
				continue
			}
			if c := t.facts.Found.FirstProblem(r.Node); c != nil && slices.Contains(c.Blocks, *r.Node.ID) {
				return c
			}
		}
	}
	all, _ := t.counting(t.facts.Found.Causes, 0)
	for i := range all {
		if world.IsProblem(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// leadAmong bounds the rows among which the first problem is looked for.
const leadAmong = 100

// Headline are the causes for the headline (see [known.Facts.MergedCauses]), and how many there
// are: the problems, if there are any (see [world.IsProblem]). Where all are merely waited for,
// which selects no row, the selected row's first one leads them, as it leads the pane.
func (t *Tree) Headline() ([]explain.Cause, int) {
	merged, of := t.counting(t.facts.MergedCauses())
	if first := t.lead(); first != nil {
		problems := slices.DeleteFunc(slices.Clone(merged), func(c explain.Cause) bool { return !world.IsProblem(&c) })
		of -= len(merged) - len(problems)
		return leading(problems, *first), max(of, 1)
	}
	n := t.selectedNode()
	if n == nil || len(merged) == 0 || len(t.facts.Found.Of(n)) == 0 {
		return merged, of
	}
	lead := t.facts.Found.Of(n)[0]
	if !lead.Healed.IsZero() || n.Assess.Status == status.Current {
		return merged, of // it is gone, and blocks nothing
	}
	return leading(merged, lead), of
}

// leading puts a cause before the others, with the counts of all that it is said of.
func leading(merged []explain.Cause, lead explain.Cause) []explain.Cause {
	others := make([]explain.Cause, 0, len(merged))
	for _, c := range merged {
		if c.Title == lead.Title {
			lead = c
			continue
		}
		others = append(others, c)
	}
	return slices.Insert(others, 0, lead)
}

// counting leaves out the causes that only keep from Current what does not count.
func (t *Tree) counting(merged []explain.Cause, of int) ([]explain.Cause, int) {
	left := slices.DeleteFunc(slices.Clone(merged), func(c explain.Cause) bool {
		return t.facts.World.Optional(c.Blocks)
	})
	return left, of - len(merged) + len(left)
}

// mute takes the selected row's root out of the verdict, or counts it again.
func (t *Tree) mute() (answer string) {
	n := t.selectedNode()
	if n == nil {
		return ""
	}
	root, muted := t.facts.World.Mute(n)
	switch {
	case root == nil:
		return n.ID.String() + " does not count for the verdict anyway"
	case muted:
		return root.ID.String() + " does not count any more"
	}
	return root.ID.String() + " counts again"
}

// pin keeps the selected row selected, as if the user had moved to it.
func (t *Tree) pin() { t.touched = t.touched || t.selIndex >= 0 }

// choose selects the row at index i.
func (t *Tree) choose(i int) {
	if len(t.list.Refs) == 0 {
		return
	}
	i = min(max(i, 0), len(t.list.Refs)-1)
	t.anchor = min(max(i-t.Top(), 0), max(t.window-1, 0))
	t.pending = true // the previously selected row may be folded now
	t.following, t.lastKey, t.first = false, t.facts.World.Tree.Now, i == 0
	t.selIndex, t.sel, t.touched, t.home = i, t.list.Refs[i].Key(), true, rows.Key{}
}

// Top is the number of the first row in the window. The selected row is in it,
// below the header of its group.
func (t *Tree) Top() int {
	if t.selIndex < 0 || t.window <= 0 {
		return 0
	}
	if t.first && t.selIndex < t.window {
		return 0 // new problems come above it, and must be in sight
	}
	top := t.selIndex - min(t.anchor, t.window-1)
	top = max(min(top, len(t.list.Refs)-t.window), 0)
	if top == t.selIndex && t.window > 1 && t.header(top) < top {
		top--
	}
	return top
}

// header is the row with the header of row i's group; i if there is none.
func (t *Tree) header(i int) int {
	at := i
	for t.settings.Group != rows.GroupNone && at > 0 && t.list.Refs[at].Depth > 0 {
		at--
	}
	if t.list.Refs[at].Kind != rows.Group {
		return i
	}
	return at
}
