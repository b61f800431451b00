package model

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The tree as rows. Facts change many times a second; rows must not move that
// often. So the order of siblings, which of them are folded into one row, and
// which rows are open by themselves is an arrangement that is remembered in
// the nodes and made anew only when a status class changed, and never within
// calm of the last key: until then new rows are added at the end of their
// siblings and vanished ones taken out.

// calm is how long after a key rows stay where they are.
const calm = 2 * time.Second

// folding is what z and Z choose.
type folding uint8

const (
	foldAuto    folding = iota // problems open, Current siblings in one row
	foldCurrent                // everything Current in one row
	foldNothing
)

// rowRef is a row before anybody looks at it. Ten thousand of them are made in a
// frame: what only few of them say stands elsewhere.
type rowRef struct {
	node    *world.Node // nil for gaps, and for RowMore at the top
	special *special    // nil for mere objects
	guides  uint64
	depth   int32
	kind    RowKind
	fold    Fold
	last    bool
	matched bool
}

// special is what a row says that is not an object of the tree.
type special struct {
	from  *world.Node // references: who refers
	ref   object.ID
	gap   string
	count int
	sub   world.Tally // of what is folded into it
}

func (r *rowRef) key() RowKey {
	k := RowKey{Kind: r.kind}
	if r.special != nil {
		k.Gap = r.special.gap
	}
	switch {
	case r.kind == RowReference:
		k.ID, k.From = r.special.ref, *r.special.from.ID
	case r.node != nil:
		k.ID = *r.node.ID
	}
	return k
}

// tree holds the rows and what the user did to them.
type tree struct {
	rows     []rowRef
	built    uint64 // world.structure when rows were built
	stale    bool   // something else calls for building them again
	runs     uint64 // of amend
	arranged uint64 // how often the rows have been made
	pending  bool   // the arrangement was held back
	sel      RowKey
	home     RowKey // the selection before a filter hid it; zero where no filter is active
	selIndex int
	touched  bool // the user has chosen the selection
	anchor   int  // the line of the window that the selection stands on
	lastKey  time.Time

	folds    map[RowKey]bool // true: opened, false: closed
	folding  folding
	scope    Scoping
	volumes  bool // what refers to a volume is open, with its references
	filter   filter
	filtered uint32 // the last run of match
	group    Grouping
	sort     Sorting
	reversed bool

	causes []Cause                // what grouping by cause goes by
	labels map[*world.Node]string // the groups of the top level
}

// arrangeRows brings rows up to date with the world.
func (t *tree) arrangeRows(w *world.World, force bool) {
	held := !force && t.touched && w.Now.Sub(t.lastKey) < calm
	if !t.stale && t.built == w.Structure && (held || !t.pending) {
		return
	}
	b := builder{w: w, t: t, held: held, rows: t.rows[:0]}
	if t.touched {
		b.sel = w.Nodes[t.sel.ID]
		if t.home != (RowKey{}) {
			b.sel = w.Nodes[t.home.ID] // so that it has a row when the filter goes
		}
	}
	b.top()
	t.arranged++
	t.rows = b.rows
	t.built, t.stale, t.pending = w.Structure, false, b.heldBack
	if b.volumes != t.volumes {
		t.volumes = b.volumes
		w.WantsChanged = true
	}
	t.reselect(w)
}

// reselect finds the selected row again.
func (t *tree) reselect(w *world.World) {
	if !t.filter.active() {
		// Without a filter it is found now or never: what comes back an hour
		// later must not take the selection away.
		defer func() { t.home = RowKey{} }()
	}
	if len(t.rows) == 0 {
		t.selIndex = -1
		return
	}
	was := t.selIndex
	t.selIndex = -1
	if !t.touched {
		t.selIndex = 0
		t.sel = t.rows[0].key()
		return
	}
	for _, k := range [2]RowKey{t.home, t.sel} {
		if k == (RowKey{}) {
			continue
		}
		if i := t.indexOf(w, k, was); i >= 0 {
			t.selIndex, t.sel = i, k
			return
		}
	}
	// Folded away or filtered out: the nearest ancestor that has a row. Gone:
	// whatever stands in its place.
	for n := w.Nodes[t.sel.ID]; n != nil; n = n.Parent {
		for i := range t.rows {
			if t.rows[i].kind == RowObject && t.rows[i].node == n {
				t.selIndex, t.sel = i, t.rows[i].key()
				return
			}
		}
	}
	t.selIndex = min(max(was, 0), len(t.rows)-1)
	t.sel = t.rows[t.selIndex].key()
}

// indexOf is the index of the row with that key, or -1. It mostly stands where
// it was.
func (t *tree) indexOf(w *world.World, k RowKey, was int) int {
	if was >= 0 && was < len(t.rows) && t.rows[was].is(k) {
		return was
	}
	if k.Kind != RowObject {
		return slices.IndexFunc(t.rows, func(r rowRef) bool { return r.is(k) })
	}
	n := w.Nodes[k.ID]
	if n == nil {
		return -1
	}
	for i := range t.rows {
		if t.rows[i].kind == RowObject && t.rows[i].node == n {
			return i
		}
	}
	return -1
}

func (r *rowRef) is(k RowKey) bool {
	if r.kind != k.Kind {
		return false
	}
	if r.kind == RowObject {
		return *r.node.ID == k.ID
	}
	return r.key() == k
}

// choose selects the row at index i.
func (t *tree) choose(i, window int) {
	if len(t.rows) == 0 {
		return
	}
	i = min(max(i, 0), len(t.rows)-1)
	t.anchor = min(max(t.anchor+i-max(t.selIndex, 0), 0), max(window-1, 0))
	if i == 0 {
		t.anchor = 0
	}
	// The row that was kept visible for the selection's sake may be folded now.
	if t.selIndex >= 0 && t.selIndex < len(t.rows) {
		if n := t.rows[t.selIndex].node; n != nil {
			for ; n != nil; n = n.Parent {
				n.Reorder = true
			}
			t.pending = true
		}
	}
	t.selIndex, t.sel, t.touched, t.home = i, t.rows[i].key(), true, RowKey{}
}

// topRow is the first row of a window of that height.
func (t *tree) topRow(window int) int {
	if t.selIndex < 0 || window <= 0 {
		return 0
	}
	top := t.selIndex - min(t.anchor, window-1)
	return max(min(top, len(t.rows)-window), 0)
}
