package hub

import (
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// setRoot makes an object a root, or changes its root's fields.
func (h *Hub) setRoot(root feed.Root) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.putRoot(&root, nil)
}

// putRoot stores a copy of root; mine, if not nil, is such a copy already.
func (h *Hub) putRoot(root, mine *feed.Root) {
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

func (h *Hub) unroot(r *rec) {
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

// Roots are the named roots, in the order of the command line, and facts about
// them.
type Roots struct {
	List []feed.Root
	At   map[object.ID]int // their places in List
	// Asides maps an object to the roots whose followers need it (a repository
	// is the source of many); Schemed are the roots named as inventories.
	Asides  map[object.ID][]object.ID
	Schemed map[object.ID]bool
}

// SetRoots replaces the named roots all at once, so that a batch contains
// either none or all of an inventory's new members. Selected roots stay. The
// hub owns the list from then on.
func (h *Hub) SetRoots(p Roots, selections bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.setAsides(p.Asides)
	h.sets.schemed = p.Schemed
	if len(h.roots) == 0 { // all are new: keep their order
		for i := range p.List {
			h.putRoot(&p.List[i], &p.List[i])
		}
	} else {
		for i := range p.List {
			h.putRoot(&p.List[i], nil)
		}
		for r := range h.roots {
			if _, named := p.At[*r.id]; !named && (!r.selected || !selections) {
				h.unroot(r)
			}
		}
	}
	h.releaseDecided()
}

// Release is setRoots for unchanged roots.
func (h *Hub) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.releaseDecided()
}

// show includes a rec in batches and follows its children if they are wanted.
func (h *Hub) show(r *rec) {
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
func (h *Hub) maybeSelect(src *Source, r *rec) {
	selected, ok := src.selects(r.obj)
	if !ok || r.isRoot() {
		return
	}
	root := selected // on the heap only here: most objects are no roots
	r.root = &root
	h.roots[r] = struct{}{}
	r.selected = true
	if !root.In.IsZero() {
		h.Kick() // the set is no longer empty
	}
	h.maybeHold(r)
	r.rootSeq = h.touch(r)
	h.show(r)
}
