package model

import (
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
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

// next selects the next problem.
func (t *Tree) next(by int) (answer string) {
	problems := t.list.Problems(t.facts.Found, &t.settings)
	switch c := t.facts.Counts(); {
	case len(problems) > 0:
	case c.Total() > c[status.Current]:
		return "no problem: what is not Current only has to be waited for"
	default:
		return "no problem"
	}
	at := slices.Index(problems, t.facts.World.Tree.Nodes[t.sel.ID])
	if at < 0 { // between two
		if at = t.before(problems); by < 0 {
			at++
		}
	}
	at = (at + by + len(problems)) % len(problems)
	t.reveal(problems[at])
	return "row " + strconv.Itoa(at+1) + " of " + strconv.Itoa(len(problems)) + " with a problem" + t.ofCauses(problems[at])
}

// before is the last of the problems above the selected row; -1 if there is none.
func (t *Tree) before(problems []*world.Node) int {
	rowOf := map[*world.Node]int{}
	for i := range t.list.Refs {
		if r := &t.list.Refs[i]; r.Kind == rows.Object {
			rowOf[r.Node] = i
		}
	}
	for i, n := range problems {
		for p := n; p != nil; p = p.Parent { // its row, or the one that it is folded into
			if at, ok := rowOf[p]; ok {
				if at >= t.selIndex {
					return i - 1
				}
				break
			}
		}
	}
	return len(problems) - 1
}

// ofCauses is the place of a row's cause among those that the headline counts, where there are several.
func (t *Tree) ofCauses(n *world.Node) string {
	c := t.facts.Found.FirstProblem(n)
	merged, of := t.Headline()
	if c == nil || of < 2 {
		return ""
	}
	at := slices.IndexFunc(merged, func(m explain.Cause) bool { return m.Title == c.Title })
	if at < 0 {
		return ""
	}
	return ", cause " + strconv.Itoa(at+1) + " of " + strconv.Itoa(of)
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
