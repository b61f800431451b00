package model

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/model/filter"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
)

// rearrange builds the rows again at the user's request: at once, and with the
// selection kept.
func (t *Tree) rearrange() {
	t.stale = true
	t.arrangeRows(true)
}

func (t *Tree) groupBy(g rows.Grouping) (answer string) {
	t.settings.Group = g
	t.rearrange()
	if g == rows.GroupNone {
		return "not grouped"
	}
	return "grouped by " + string(g)
}

func (t *Tree) nextGrouping() string { return t.groupBy(after(rows.Groupings, t.settings.Group)) }
func (t *Tree) nextSorting() string {
	return t.sortBy(after(rows.Sortings, t.settings.Sort), t.settings.Reversed)
}
func (t *Tree) reverse() string { return t.sortBy(t.settings.Sort, !t.settings.Reversed) }

func (t *Tree) sortBy(s rows.Sorting, reversed bool) (answer string) {
	t.settings.Sort, t.settings.Reversed = s, reversed
	t.rearrange()
	if s != rows.SortProblems {
		answer = "sorted by "
	}
	return answer + s.Words(reversed)
}

// after returns the element after x, wrapping around.
func after[T comparable](list []T, x T) T {
	return list[(slices.Index(list, x)+1)%len(list)]
}

// setFold opens or closes a row for the user.
func (t *Tree) setFold(r *rows.Ref, open bool) {
	t.settings.Folds[r.Key()] = open
	t.stale, t.touched = true, true
	t.arrangeRows(false)
	if r.Node != nil {
		t.facts.World.Tree.MayWant(r.Node)
	}
}

func (t *Tree) toggle() (answer string) {
	r := t.selectedRow()
	if r == nil || r.Fold == rows.Leaf {
		return "nothing is below it"
	}
	t.setFold(r, r.Fold == rows.Closed)
	return ""
}

func (t *Tree) collapse() {
	if r := t.selectedRow(); r != nil && r.Fold == rows.Opened {
		t.setFold(r, false)
		return
	}
	t.toParent()
}

// toParent selects the parent's row. It reports whether there is one.
func (t *Tree) toParent() bool {
	for i := t.selIndex - 1; i >= 0; i-- {
		if t.list.Refs[i].Depth < t.list.Refs[t.selIndex].Depth {
			t.choose(i)
			return true
		}
	}
	return false
}

// toOwner selects the owner's row.
func (t *Tree) toOwner() (answer string) {
	if t.toParent() {
		return ""
	}
	return "no owner of it is followed here"
}

func (t *Tree) expand() {
	switch t.selectedFold() {
	case rows.Closed:
		t.setFold(t.selectedRow(), true)
	case rows.Opened:
		t.choose(t.selIndex + 1)
	}
}

// foldAll folds or unfolds all rows, or leaves it to the room again. It says what holds now:
// on a small tree nothing may change.
func (t *Tree) foldAll(f rows.Folding) (answer string) {
	if t.settings.Folding == f {
		f = rows.FoldAuto
	}
	t.settings.Folding = f
	clear(t.settings.Folds)
	t.rearrange()
	return map[rows.Folding]string{
		rows.FoldCurrent: "all that is Current is folded", rows.FoldNothing: "everything is unfolded",
		rows.FoldAuto: "folded where room is short",
	}[f]
}

func (t *Tree) nextScope() (answer string) {
	t.settings.Scope = (t.settings.Scope + 1) % 3
	t.stale = true
	return "showing " + map[rows.Scope]string{
		rows.WithGenerated: "generated objects", rows.WithReferences: "generated objects and references",
		rows.AppliedOnly: "only what was asked for",
	}[t.settings.Scope]
}

// selectedFold says whether the selected row is folded.
func (t *Tree) selectedFold() rows.Fold {
	if r := t.selectedRow(); r != nil {
		return r.Fold
	}
	return rows.Leaf
}

// setFilter filters the rows by a text, which may still be being typed.
func (t *Tree) setFilter(text string) {
	t.settings.Filter = filter.Parse(text)
	if t.touched && t.home == (rows.Key{}) {
		t.home = t.sel
	}
	t.stale = true
	t.touched = t.touched || text != ""
}
