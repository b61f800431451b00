package model

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// move moves the selection.
func (t *tree) move(by int) { t.choose(max(t.selIndex, 0) + by) }

// click selects the row with a key, if there is one.
func (t *tree) click(k RowKey) bool {
	t.following = false
	i := slices.IndexFunc(t.rows, func(r rowRef) bool { return r.is(k) })
	if i >= 0 {
		t.choose(i)
	}
	return i >= 0
}

func (t *tree) selectedRow() *rowRef {
	if t.selIndex < 0 || t.selIndex >= len(t.rows) {
		return nil
	}
	return &t.rows[t.selIndex]
}

// RowCount is the number of rows after folding and filtering.
func (t *tree) RowCount() int {
	if t.frozen != nil {
		return len(t.frozen.rows)
	}
	return len(t.rows)
}

// Rows returns up to n rows beginning with row from. Its cost depends on n
// alone.
func (t *tree) Rows(from, n int) []Row {
	from = max(from, 0)
	to := min(from+n, t.RowCount())
	if from >= to {
		return nil
	}
	out := make([]Row, 0, to-from)
	for i := from; i < to; i++ {
		if t.frozen != nil {
			r := t.frozen.rows[i]
			if r.node != nil {
				r.node = t.frozen.world.Nodes[*r.node.ID]
			}
			out = append(out, r.row(t.frozen.world, i == t.selIndex))
			continue
		}
		out = append(out, t.rows[i].row(t.w, i == t.selIndex))
	}
	return out
}

// Selected is the key of the selected row, zero if there is none, and its row
// number or -1.
func (t *tree) Selected() (RowKey, int) {
	if r := t.selectedRow(); r != nil {
		return r.key(), t.selIndex
	}
	return RowKey{}, -1
}

// SelectedObject is the object that the panes show: the selected one, or the
// parent of a row that stands for several; zero if there is none.
func (t *tree) SelectedObject() object.ID {
	if n := t.seenNode(); n != nil {
		return *n.ID
	}
	return object.ID{}
}

func (t *tree) selectedNode() *world.Node {
	r := t.selectedRow()
	if r == nil || r.node == nil || t.w.Nodes[*r.node.ID] != r.node {
		return nil
	}
	return r.node
}

// seenNode is the selected node in the world on the screen.
func (t *tree) seenNode() *world.Node {
	if r := t.selectedRow(); t.frozen != nil && r != nil && r.node != nil {
		return t.frozen.world.Nodes[*r.node.ID]
	}
	return t.selectedNode()
}

// Problems are the objects that n and N move between, in display order.
func (t *tree) Problems() []object.ID {
	p := t.problems()
	ids := make([]object.ID, len(p))
	for i, n := range p {
		ids[i] = *n.ID
	}
	return ids
}

// Scoping says what the tree shows.
type Scoping uint8

// The scopes of the tree.
const (
	WithGenerated Scoping = iota
	WithReferences
	AppliedOnly
)

// Scoped is the scope: followed objects only, generated ones, or references,
// too.
func (t *tree) Scoped() Scoping { return t.scope }

// Following reports whether the selection follows the newest problem.
func (t *tree) Following() bool { return t.following }

// Conditions are the selected object's conditions, the summarising one first.
func (t *tree) Conditions() []ConditionRow {
	if n := t.seenNode(); n != nil {
		return t.ConditionsOf(*n.ID)
	}
	return nil
}

// EventRefusals are the missing permissions that hide events of the selected
// object and its descendants.
func (t *tree) EventRefusals() []string {
	if n := t.seenNode(); n != nil {
		return t.seen().EventRefusals(n)
	}
	return nil
}
