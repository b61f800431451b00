package world

import (
	"slices"
	"time"
)

// touch has n judged by the next settle.
func (t *Tree) touch(n *Node) {
	if !n.dirty {
		n.dirty = true
		t.touched = append(t.touched, n)
	}
}

// touchDue has what is due judged, in a fixed order.
func (w *World) touchDue() {
	if w.Due.IsZero() || w.Due.After(w.Tree.Now) {
		return
	}
	w.Due = time.Time{}
	var list []*Node
	for _, n := range w.Tree.Nodes {
		if at := n.Assess.Recheck; at.After(w.Tree.Now) {
			w.Due = Earliest(w.Due, at)
		} else if !at.IsZero() {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, ByID)
	for _, n := range list {
		w.Tree.touch(n)
	}
}

// settleRounds bounds how often judgements that depend on each other are repeated: an
// object may be judged by another that is elsewhere in the tree, as an HPA by its target.
const settleRounds = 4

// settle judges what was touched, children before parents, and then the whole.
func (w *World) settle() {
	for round := 0; len(w.Tree.touched) > 0 && round < settleRounds; round++ {
		var tops []*Node
		for _, n := range w.Tree.touched {
			for p := n; !p.due; p = p.Parent {
				p.due = true
				if p.Parent == nil {
					tops = append(tops, p)
					break
				}
			}
		}
		clear(w.Tree.touched)
		w.Tree.touched = w.Tree.touched[:0]
		for _, n := range tops {
			w.visit(n)
		}
	}
	w.conclude()
}

// visit judges what is due of n and below it. It reports whether the parent must
// be judged again.
func (w *World) visit(n *Node) (again bool) {
	n.due = false
	for _, k := range n.Kids {
		if k.due {
			n.dirty = w.visit(k) || n.dirty
		}
	}
	if n.dirty {
		n.dirty = false
		again = !n.empty() && w.judgeNode(n) // an empty one has been pruned
	}
	w.Tree.sum(n)
	return again
}

// Earliest is the first of some times, of which zero is never.
func Earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}
