package watch

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
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

// maybeFollow adds an object's offers to the keys by which children are
// recognised. In auto mode that is done for parents whose children are wanted,
// and for their descendants.
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

// follow adds the needs of r. The plan has to change only if they are not
// covered already.
func (h *hub) follow(r *rec) {
	needs := edges.Needs(r.obj)
	h.followed[r] = needs
	if len(needs) > 0 && !h.covered(r.obj) {
		h.planDirty()
	}
}

// under reports whether r's children are wanted: by name, or because r is a
// descendant of a followed parent.
func (h *hub) under(r *rec) bool {
	if _, ok := h.wanted[*r.id]; ok {
		return true
	}
	return h.referred(r.obj)
}

// referred reports whether o refers to a followed object. (A Pod also refers to
// its own UID, which an EndpointSlice may offer.)
func (h *hub) referred(o *object.Object) bool {
	var buf [8]string
	for _, k := range edges.Refers(o, buf[:0]) {
		if _, ok := h.offers[k]; ok && k != "" {
			return true
		}
	}
	return false
}

// sweep shows hidden objects that have become descendants of followed ones.
// They may be parents of others.
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

// hide keeps an object that is not a descendant of a followed one.
func (h *hub) hide(r *rec) {
	h.hidden[r] = struct{}{}
	var buf [8]string
	for _, k := range edges.Refers(r.obj, buf[:0]) {
		if k != "" {
			h.hiddenBy[k] = append(h.hiddenBy[k], r)
		}
	}
}

// unhide removes it from the hidden objects.
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
