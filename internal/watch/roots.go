package watch

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// setRoot makes an object a root, or changes how it is one.
func (h *hub) setRoot(root feed.Root) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.putRoot(&root, nil)
}

// putRoot needs a copy of root, on the heap; nil makes it, where root is news.
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

// setRoots replaces the roots that are named: all at once, so that a batch has
// either none or all of what an inventory lists anew. What selections found
// stays. The list is the hub's from then on.
func (h *hub) setRoots(p rootPlan, selections map[int]*target) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.setAsides(p.asides)
	h.sets.schemed = p.schemed
	if len(h.roots) == 0 { // all are news: they stay where they are
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
	h.releaseDecided(p.decided)
}

// release is what setRoots does where the roots stay as they are.
func (h *hub) release(decided func(object.ID, string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.releaseDecided(decided)
}

// show makes a rec visible to batches and follows it where children are wanted.
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

// maybeFollow adds what an object offers to the keys by which children are
// recognised. In auto mode that is for objects whose children are wanted, and
// for what stands under them.
func (h *hub) maybeFollow(r *rec) {
	if r.obj == nil || !r.shown || h.none || r.obj.Pod != nil {
		return
	}
	if _, ok := h.followed[r]; !ok {
		if !h.all && !h.under(r) {
			return
		}
		h.follow(r)
	}
	var buf [16]string
	for _, k := range edges.Offers(r.obj, buf[:0]) {
		if _, ok := h.offers[k]; !ok {
			h.offers[k] = struct{}{}
			h.offered = append(h.offered, k)
		}
	}
}

// follow seeks the children of r. The plan has to change only when they are not
// found already.
func (h *hub) follow(r *rec) {
	needs := edges.Needs(r.obj)
	h.followed[r] = needs
	if len(needs) > 0 && !h.covered(r.obj) {
		h.planDirty()
	}
}

// under reports whether r's children are wanted: by name, or because r itself
// stands under a parent that is followed.
func (h *hub) under(r *rec) bool {
	if _, ok := h.wanted[*r.id]; ok {
		return true
	}
	return h.referred(r.obj)
}

// referred reports whether o refers to something that is followed. (A Pod
// refers to its own UID as well, which an EndpointSlice may offer.)
func (h *hub) referred(o *object.Object) bool {
	var buf [8]string
	for _, k := range edges.Refers(o, buf[:0]) {
		if _, ok := h.offers[k]; ok && k != "" {
			return true
		}
	}
	return false
}

// sweep shows the hidden objects that have come to stand under something that
// is followed. Those may be parents of others.
func (h *hub) sweep() {
	for len(h.offered) > 0 {
		k := h.offered[len(h.offered)-1]
		h.offered = h.offered[:len(h.offered)-1]
		list := h.hiddenBy[k]
		delete(h.hiddenBy, k)
		for _, r := range list {
			if _, ok := h.hidden[r]; ok {
				h.show(r)
			}
		}
	}
}

// hide keeps an object that nothing leads to yet.
func (h *hub) hide(r *rec) {
	h.hidden[r] = struct{}{}
	var buf [8]string
	for _, k := range edges.Refers(r.obj, buf[:0]) {
		if k != "" {
			h.hiddenBy[k] = append(h.hiddenBy[k], r)
		}
	}
}

// unhide takes it from among the hidden, with the object that it was hidden
// with.
func (h *hub) unhide(r *rec) {
	if _, ok := h.hidden[r]; !ok {
		return
	}
	delete(h.hidden, r)
	var buf [8]string
	for _, k := range edges.Refers(r.obj, buf[:0]) {
		list := h.hiddenBy[k]
		i := slices.Index(list, r)
		switch {
		case i < 0:
		case len(list) == 1:
			delete(h.hiddenBy, k)
		default:
			h.hiddenBy[k] = slices.Delete(list, i, i+1)
		}
	}
}

// maybeSelect makes a root of what a selection delivers.
func (h *hub) maybeSelect(src *source, r *rec) {
	selected, ok := src.selects(r.obj)
	if !ok || r.isRoot() {
		return
	}
	root := selected // on the heap, as most objects are nobody's roots
	r.root = &root
	h.roots[r] = struct{}{}
	r.selected = true
	if !root.In.IsZero() {
		h.kick() // the set is not empty any more
	}
	h.maybeHold(r)
	r.rootSeq = h.touch(r)
	h.show(r)
}
