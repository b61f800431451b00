package world

import "github.com/kstatus-tui/kstatus-tui/internal/object"

// Mute takes the root at or above a node out of the verdict, or counts it again: it
// becomes optional, as with --optional. It returns the root, nil if there is none, and
// whether it is muted now.
func (w *World) Mute(n *Node) (root *Node, muted bool) {
	for n != nil && n.Root == nil {
		n = n.Parent
	}
	if n == nil {
		return nil, false
	}
	r := *n.Root
	if before, ok := w.Tree.muted[*n.ID]; ok {
		r.Optional = before
		delete(w.Tree.muted, *n.ID)
	} else {
		if w.Tree.muted == nil {
			w.Tree.muted = map[object.ID]bool{}
		}
		w.Tree.muted[*n.ID], r.Optional, muted = r.Optional, true, true
	}
	n.Root, n.optional = &r, r.Optional
	w.Tree.Epoch++
	n.Stamp, w.Tree.Unexplained = w.Tree.Epoch, true
	w.Tree.Structure++
	w.conclude()
	return n, muted
}

// Muted counts the roots that the user has taken out of the verdict.
func (w *World) Muted() int { return len(w.Tree.muted) }

// Optional reports whether all of these objects are roots that may fail.
func (w *World) Optional(ids []object.ID) bool {
	for _, id := range ids {
		if n := w.Tree.Nodes[id]; n == nil || n.Root == nil || !n.optional {
			return false
		}
	}
	return len(ids) > 0
}
