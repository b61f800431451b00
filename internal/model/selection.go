package model

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// move moves the selection.
func (t *Tree) move(by int) { t.choose(max(t.selIndex, 0) + by) }

// click selects the row with a key, if there is one.
func (t *Tree) click(k rows.Key) {
	if i := t.list.Index(t.facts.World, k); i >= 0 {
		t.choose(i)
	}
}

func (t *Tree) selectedRow() *rows.Ref {
	if t.selIndex < 0 || t.selIndex >= len(t.list.Refs) {
		return nil
	}
	return &t.list.Refs[t.selIndex]
}

// RowCount is the number of rows after folding and filtering.
func (t *Tree) RowCount() int { return len(t.list.Refs) }

// Rows returns up to n rows from row from on. Its cost depends on n alone.
func (t *Tree) Rows(from, n int) []rows.Row {
	out := make([]rows.Row, 0, max(n, 0))
	for i := max(from, 0); i < min(from+n, len(t.list.Refs)); i++ {
		out = append(out, t.list.Refs[i].Row(t.facts.World, t.facts.Found, i == t.selIndex))
	}
	return out
}

// InSight are n rows from Top on, the first the header of a group that is scrolled.
func (t *Tree) InSight(n int) iter.Seq[rows.Row] {
	return func(yield func(rows.Row) bool) {
		first := t.Top()
		end := min(first+n, len(t.list.Refs))
		more := true
		for i := first; i < end && more; i++ {
			at := i
			if i == first && end-first > 1 {
				at = t.header(first)
			}
			more = yield(t.list.Refs[at].Row(t.facts.World, t.facts.Found, at == t.selIndex))
		}
	}
}

// Selected is the key of the selected row, zero if there is none, and its row
// number or -1.
func (t *Tree) Selected() (rows.Key, int) {
	if r := t.selectedRow(); r != nil {
		return r.Key(), t.selIndex
	}
	return rows.Key{}, -1
}

// selectedNode is the object that the panes show: the selected one, or the
// parent of a row that stands for several; nil if there is none.
func (t *Tree) selectedNode() *world.Node {
	r := t.selectedRow()
	if r == nil || r.Node == nil || t.facts.World.Tree.Nodes[*r.Node.ID] != r.Node {
		return nil
	}
	return r.Node
}

func (t *Tree) toggleFollowing() {
	t.following = !t.following
	t.touched = t.touched || t.following
}

// Following reports whether the selection follows the newest problem.
func (t *Tree) Following() bool { return t.following }

// Conditions are the selected object's conditions, the summarising one first.
func (p *Panes) Conditions() []known.Condition {
	k, _ := p.tree.Selected()
	return p.facts.ConditionsOf(k.ID)
}

// stop is where n and N stop: a problem, at the row that shows it.
type stop struct {
	node  *world.Node
	cause *explain.Cause // nil if none is known
}

// stopped is the row and the cause of a stop, which outlive it.
type stopped struct {
	row   rows.Key
	cause string
}

func (s stop) at() stopped {
	at := stopped{row: rows.Key{ID: *s.node.ID}}
	if s.cause != nil {
		at.cause = s.cause.ID
	}
	return at
}

// title says what the problem is.
func (s stop) title() string {
	if s.cause != nil {
		return markup.OneLine(s.cause.Title)
	}
	return rows.Title(s.node) + " is " + string(s.node.Assess.Status)
}

// next selects the row of the next problem.
func (t *Tree) next(by int) (answer string) {
	all := t.stops()
	switch c := t.facts.Counts(); {
	case len(all) > 0:
	case c.Total() > c[status.Current]:
		return "no problem: what is not Current only has to be waited for"
	default:
		return "no problem"
	}
	on := slices.IndexFunc(all, func(s stop) bool { return t.sel == t.stopped.row && s.at() == t.stopped })
	if on < 0 {
		on = slices.IndexFunc(all, func(s stop) bool { return t.sel == s.at().row })
	}
	if on < 0 { // between two
		if on = t.before(all); by < 0 {
			on++
		}
	}
	on = (on + by + len(all)) % len(all)
	t.reveal(all[on].node)
	t.stopped = all[on].at()
	return "problem " + strconv.Itoa(on+1) + " of " + strconv.Itoa(len(all)) + ": " + all[on].title()
}

// stops are the problems in the order of the rows. Each cause that is one (see
// [world.IsProblem]) is there once, however many rows show it; then each row with a problem of
// which no cause is known, or whose cause leaves it Current.
func (t *Tree) stops() []stop {
	var all []stop
	named := map[string]bool{}
	rank := t.list.Ranks()
	for i := range t.facts.Found.Causes {
		c := &t.facts.Found.Causes[i]
		if n := t.rowOf(c, rank); n != nil && world.IsProblem(c) {
			all, named[c.ID] = append(all, stop{n, c}), true
		}
	}
	for _, n := range t.list.Problems(t.facts.Found, &t.settings) {
		c := t.facts.Found.FirstProblem(n)
		if c == nil {
			c = t.facts.Found.Remark(n)
		}
		if c != nil && named[c.ID] {
			continue
		}
		if all = append(all, stop{n, c}); c != nil {
			named[c.ID] = true
		}
	}
	slices.SortStableFunc(all, func(a, b stop) int { return cmp.Compare(rank[a.node], rank[b.node]) })
	return all
}

// rowOf is the row that shows a cause best: the first one that it blocks, of those whose first
// problem it is, if there are any. In place of one that is hidden stands its nearest ancestor that
// is not; nil if there is none.
func (t *Tree) rowOf(c *explain.Cause, rank map[*world.Node]int) (best *world.Node) {
	firstOf := func(n *world.Node) bool {
		first := t.facts.Found.FirstProblem(n)
		return first != nil && first.ID == c.ID
	}
	for _, id := range c.Blocks {
		n := t.list.Shown(&t.settings, t.facts.World.Tree.Nodes[id])
		switch {
		case n == nil:
		case best == nil, firstOf(n) && !firstOf(best), firstOf(n) == firstOf(best) && rank[n] < rank[best]:
			best = n
		}
	}
	return best
}

// before is the last of the stops above the selected row; -1 if there is none.
func (t *Tree) before(all []stop) int {
	rowOf := map[*world.Node]int{}
	for i := range t.list.Refs {
		if r := &t.list.Refs[i]; r.Kind == rows.Object {
			rowOf[r.Node] = i
		}
	}
	for i, s := range all {
		for p := s.node; p != nil; p = p.Parent { // its row, or the one that it is folded into
			if at, ok := rowOf[p]; ok {
				if at >= t.selIndex {
					return i - 1
				}
				break
			}
		}
	}
	return len(all) - 1
}

// goTo selects the first row that a cause blocks, or the row of the first problem if no cause is
// named. It reports whether there is one.
func (t *Tree) goTo(cause string) bool {
	c := t.lead()
	if cause != "" {
		i := slices.IndexFunc(t.facts.Found.Causes, func(c explain.Cause) bool { return c.ID == cause })
		if i < 0 {
			return false
		}
		c = &t.facts.Found.Causes[i]
	}
	if c == nil {
		return false
	}
	for i := range t.list.Refs {
		if r := &t.list.Refs[i]; r.Kind == rows.Object && slices.Contains(c.Blocks, *r.Node.ID) {
			t.reveal(r.Node)
			return true
		}
	}
	for _, id := range slices.Concat(c.Blocks, c.Objects) {
		if n := t.facts.World.Tree.Nodes[id]; n != nil && n.InTree {
			t.reveal(n)
			return true
		}
	}
	return false
}

// reveal selects n, and opens its ancestors. The rows stay where they are if n's is among
// those in sight. Otherwise some rows above it are in sight, too: its owners.
func (t *Tree) reveal(n *world.Node) {
	top := t.Top()
	for p := n; p != nil; p = p.Parent {
		p.Fold = "" // also while rows are held
		if p != n && !t.settings.Folds[rows.Key{ID: *p.ID}] {
			delete(t.settings.Folds, rows.Key{ID: *p.ID})
		}
	}
	maps.DeleteFunc(t.settings.Folds, func(k rows.Key, open bool) bool { return k.Kind == rows.Group && !open })
	t.sel, t.touched, t.home = rows.Key{ID: *n.ID}, true, rows.Key{}
	t.stale = true
	t.arrangeRows(false)
	if t.anchor = t.selIndex - top; t.anchor < 0 || t.anchor >= t.window {
		t.anchor = t.window / 3
	}
}

// followNewest keeps the selection on the worst problem, if that is switched on.
func (t *Tree) followNewest() {
	if !t.following {
		return
	}
	var newest *world.Node
	for _, n := range t.list.Problems(t.facts.Found, &t.settings) {
		if newest == nil || n.Rank() == newest.Rank() && n.Since.After(newest.Since) {
			newest = n
		}
	}
	if newest != nil && t.sel != (rows.Key{ID: *newest.ID}) {
		t.reveal(newest)
	}
}
