package world

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// wellFor is how long a parent must have been Current before its children are
// dropped.
const wellFor = 30 * time.Second

// Wanted are the parents whose children are followed.
type Wanted struct {
	parents []*Node
	ids     []object.ID // their IDs; nil if they have changed
	dropAt  time.Time   // when Drop last looked
}

// unsent marks a node whose children are wanted, but have not been asked for.
const unsent = 1<<64 - 1

// IDs are the parents' IDs. The caller must not modify the list.
func (x *Wanted) IDs() []object.ID {
	if x.ids == nil {
		x.ids = make([]object.ID, len(x.parents))
		for i, n := range x.parents {
			x.ids[i] = *n.ID
		}
	}
	return x.ids
}

// Sent notes that the children have been asked for by the Wants of that
// generation.
func (x *Wanted) Sent(w *World, gen uint64) {
	for _, n := range x.parents {
		if n.wanted == unsent {
			n.wanted = gen
			w.awaited = append(w.awaited, n)
		}
	}
}

// Add adds a parent, unless it is one already or cannot have children. A
// recording cannot be asked.
func (x *Wanted) Add(w *World, n *Node) bool {
	if n.wanted != 0 || n.Object == nil || w.Nodes[*n.ID] != n || w.opt.NoChildren || w.Replayed() {
		return false
	}
	if p := n.Parent; p != nil && p.Object != nil && p.wanted != 0 && edges.Covered(p.Object, n.Object) || len(edges.Needs(n.Object)) == 0 {
		return false
	}
	n.wanted = unsent
	x.parents, x.ids = append(x.parents, n), nil
	return true
}

// Grow adds the parents that judgements need, or all.
func (x *Wanted) Grow(w *World, all bool) (grown bool) {
	if w.opt.NoChildren || w.Replayed() {
		w.candidates = nil
		return false
	}
	// Parents first: their needs cover some of their children's.
	slices.SortStableFunc(w.candidates, func(a, b *Node) int { return a.Depth() - b.Depth() })
	later := w.candidates[:0]
	for _, n := range w.candidates {
		if !n.InTree && n.Object != nil && w.Nodes[*n.ID] == n {
			later = append(later, n)
		} else if all || n.Assess.Status != status.Current || status.NeedsChildren(n.Object) {
			grown = x.Add(w, n) || grown
		}
	}
	clear(w.candidates[len(later):])
	w.candidates = later
	return grown
}

// Drop drops the parents that have been Current for a while, except those to
// keep. It looks every few seconds.
func (x *Wanted) Drop(w *World, keep func(*Node) bool) (dropped bool) {
	if w.Replayed() || w.Now.Sub(x.dropAt) < wellFor/6 {
		return false
	}
	x.dropAt = w.Now
	before := len(x.parents)
	x.parents = slices.DeleteFunc(x.parents, func(n *Node) bool {
		if w.Nodes[*n.ID] != n || n.Object == nil {
			return true
		}
		if n.currentAt == 0 || w.Now.Sub(n.Current()) < wellFor || n.Sub.Problems() > 0 || status.NeedsChildren(n.Object) || keep(n) {
			return false
		}
		n.wanted = 0
		return true
	})
	if len(x.parents) == before {
		return false
	}
	x.ids = nil
	return true
}
