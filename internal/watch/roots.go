package watch

import (
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// setRoot makes an object a root, or changes its root's fields.
func (h *hub) setRoot(root feed.Root) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.putRoot(&root, nil)
}

// putRoot stores a copy of root; mine, if not nil, is such a copy already.
func (h *hub) putRoot(root, mine *feed.Root) {
	r := h.recs[root.ID]
	if r != nil && r.root != nil && *r.root == *root {
		return
	}
	if mine == nil {
		mine = new(*root)
	}
	if r == nil {
		r = h.rec(&mine.ID)
	}
	fresh := !r.isRoot()
	r.root = mine
	h.roots[r] = struct{}{}
	r.rootSeq = h.touch(r)
	if fresh && r.obj != nil {
		h.maybeHold(r)
	}
	h.show(r)
}

func (h *hub) unroot(r *rec) {
	if r.root == nil || r.root.Removed {
		return
	}
	gone := *r.root
	gone.Removed = true
	r.root = &gone
	if r.selected && !gone.In.IsZero() {
		h.mayBeEmpty(gone.In)
	}
	h.setChanged(*r.id)
	delete(h.roots, r)
	if r.src == nil {
		h.bury(r, true)
	}
	r.absent, r.selected = false, false
	r.rootSeq = h.touch(r)
	h.forget(r)
}

// setRoots replaces the named roots all at once, so that a batch contains
// either none or all of an inventory's new members. Selected roots stay. The
// hub owns the list from then on.
func (h *hub) setRoots(p rootPlan, selections map[int]*target) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.setAsides(p.asides)
	h.sets.schemed = p.schemed
	if len(h.roots) == 0 { // all are new: keep their order
		for i := range p.list {
			h.putRoot(&p.list[i], &p.list[i])
		}
	} else {
		for i := range p.list {
			h.putRoot(&p.list[i], nil)
		}
		for r := range h.roots {
			if _, named := p.at[*r.id]; !named && (!r.selected || len(selections) == 0) {
				h.unroot(r)
			}
		}
	}
	h.releaseDecided()
}

// release is setRoots for unchanged roots.
func (h *hub) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.releaseDecided()
}

// show includes a rec in batches and follows its children if they are wanted.
func (h *hub) show(r *rec) {
	if !r.shown {
		r.shown = true
		h.unhide(r)
		if r.obj != nil {
			r.objSeq = h.touch(r)
		}
	}
	h.maybeFollow(r)
}

// maybeSelect makes a root of an object that a selection delivers.
func (h *hub) maybeSelect(src *source, r *rec) {
	selected, ok := src.selects(r.obj)
	if !ok || r.isRoot() {
		return
	}
	root := selected // on the heap only here: most objects are no roots
	r.root = &root
	h.roots[r] = struct{}{}
	r.selected = true
	if !root.In.IsZero() {
		h.kick() // the set is no longer empty
	}
	h.maybeHold(r)
	r.rootSeq = h.touch(r)
	h.show(r)
}
