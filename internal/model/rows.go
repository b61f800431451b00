package model

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The tree as rows. Facts change many times a second; rows must not move that
// often. So the order of siblings, which of them are folded into one row, and
// which rows open automatically is an arrangement that is stored in the nodes
// and only renewed when a status class has changed, and never within calm of
// the last key: until then new rows are added after their siblings and deleted
// ones are removed.

// calm is how long after a key rows stay in place.
const calm = 2 * time.Second

// folding is the folding chosen by z and Z.
type folding uint8

const (
	foldAuto    folding = iota // problems open, Current siblings in one row
	foldCurrent                // everything Current in one row
	foldNothing
)

// rowRef is a row before it is rendered. Ten thousand of them are made in a
// frame: rarely used fields are in special.
type rowRef struct {
	node    *world.Node // nil for gaps, and for RowMore at the top
	special *special    // nil for ordinary objects
	guides  uint64
	depth   int32
	kind    RowKind
	fold    Fold
	last    bool
	matched bool
}

// special holds the fields of rows that are not objects of the tree.
type special struct {
	from  *world.Node // references: the referring object
	ref   object.ID
	gap   string
	count int
	sub   world.Tally // of the objects folded into it
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

// tree is the list of rows and the user's changes to it.
type tree struct {
	*facts

	window    int  // its height in rows
	following bool // the selection follows the newest problem

	rows     []rowRef
	built    uint64 // the world's Structure when rows were built
	stale    bool   // rows must be built again for another reason
	runs     uint64 // number of calls of amend
	arranged uint64 // number of times rows were built
	pending  bool   // a new arrangement is due after calm
	sel      RowKey
	home     RowKey // the selection before a filter hid it; zero without a filter
	selIndex int
	touched  bool // the user has moved the selection
	anchor   int  // the selection's line in the window
	lastKey  time.Time

	folds     map[RowKey]bool // true: opened by the user, false: closed
	folding   folding
	scope     Scoping
	volumes   bool // an object that refers to a volume is open, with its references
	filter    filter
	filterErr error
	filtered  uint32 // number of calls of match
	group     Grouping
	sort      Sorting
	reversed  bool

	topShown []*world.Node // the top level in display order
	topRoots []*world.Node // the same in the order of the command line
	reorder  bool          // topShown has to be brought into order
	newTops  bool          // topRoots has to be found again

	causes []Cause                // the causes that groups are made of
	labels map[*world.Node]string // the group of each node at the top level
}

// refresh updates the rows to the world, and the selection that follows it.
func (t *tree) refresh() {
	if t.group == GroupCause && !slices.EqualFunc(t.causes, t.x.Causes, sameCause) {
		t.causes = t.x.Causes
		t.reorder, t.pending = true, true
	}
	t.arrangeRows(false)
	t.followNewest()
}

// arrangeRows updates the rows to the world.
func (t *tree) arrangeRows(force bool) {
	w := t.w
	held := !force && t.touched && w.Now.Sub(t.lastKey) < calm
	if !t.stale && t.built == w.Structure && (held || !t.pending) {
		return
	}
	b := builder{w: w, t: t, held: held, rows: t.rows[:0]}
	if t.touched {
		b.sel = w.Nodes[t.sel.ID]
		if t.home != (RowKey{}) {
			b.sel = w.Nodes[t.home.ID] // so that it has a row when the filter is removed
		}
	}
	b.top()
	t.arranged++
	t.rows = b.rows
	t.built, t.stale, t.pending = w.Structure, false, b.heldBack
	if b.volumes != t.volumes {
		t.volumes = b.volumes
		t.wants.dirty = true
	}
	t.reselect()
}

// reselect finds the selected row again.
func (t *tree) reselect() {
	if !t.filter.active() {
		// Without a filter only now: a row that returns an hour later must not
		// take the selection.
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
		if i := t.indexOf(k, was); i >= 0 {
			t.selIndex, t.sel = i, k
			return
		}
	}
	// If it is folded or filtered out: the nearest ancestor with a row. If it
	// is gone: the row in its place.
	for n := t.w.Nodes[t.sel.ID]; n != nil; n = n.Parent {
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

// indexOf is the index of the row with a key, or -1. It is usually where it
// was.
func (t *tree) indexOf(k RowKey, was int) int {
	if was >= 0 && was < len(t.rows) && t.rows[was].is(k) {
		return was
	}
	if k.Kind != RowObject {
		return slices.IndexFunc(t.rows, func(r rowRef) bool { return r.is(k) })
	}
	n := t.w.Nodes[k.ID]
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
func (t *tree) choose(i int) {
	if len(t.rows) == 0 {
		return
	}
	i = min(max(i, 0), len(t.rows)-1)
	t.anchor = min(max(t.anchor+i-max(t.selIndex, 0), 0), max(t.window-1, 0))
	if i == 0 {
		t.anchor = 0
	}
	// The previously selected row may be folded now.
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

// Top is the number of the first visible row, such that the selected row is
// visible.
func (t *tree) Top() int {
	if t.selIndex < 0 || t.window <= 0 {
		return 0
	}
	top := t.selIndex - min(t.anchor, t.window-1)
	return max(min(top, len(t.rows)-t.window), 0)
}
