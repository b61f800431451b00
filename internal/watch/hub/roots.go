package hub

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// putRoot makes an object a root, or changes its root's fields.
func (h *Hub) putRoot(root feed.Root) *rec {
	r := h.rec(root.ID)
	if r.root != nil && *r.root == root {
		return r
	}
	fresh := !r.isRoot()
	if r.lent() {
		h.bury(r, true)
	}
	r.root = new(root) // on the heap only here: most objects are no roots
	h.roots.Insert(r)
	h.touch(r, rootChanged)
	if fresh {
		h.maybeHold(r)
	}
	h.show(r)
	return r
}

func (h *Hub) unroot(r *rec) {
	r.root.Removed = true
	if r.selected && !r.root.In.IsZero() {
		h.mayBeEmpty(r.root.In)
	}
	h.goes(*r.id)
	h.roots.Delete(r)
	if len(r.sources) == 0 {
		h.bury(r, true)
	}
	r.absent, r.selected = false, false
	h.touch(r, rootChanged)
	h.demote(r)
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
// either none or all of an inventory's new members. Selected roots stay.
func (h *Hub) SetRoots(p Roots, selections bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, roots := range p.Asides { // a new one may have changed since its root was decided
		if !slices.Equal(h.asides[id], roots) {
			h.decide(roots...)
		}
	}
	h.asides, h.schemed = p.Asides, p.Schemed
	for _, root := range p.List {
		h.putRoot(root)
	}
	for r := range h.roots {
		if _, named := p.At[*r.id]; !named && (!r.selected || !selections) {
			h.unroot(r)
		}
	}
	for r, since := range h.held {
		if c := h.decision(*r.id); c.shown >= c.last || h.now().Sub(since) >= holdMost {
			delete(h.held, r)
			h.touch(r, objectChanged)
		}
	}
}

// show includes a rec in batches and follows its children if they are wanted.
func (h *Hub) show(r *rec) {
	if !r.shown {
		r.shown = true
		if r.obj != nil {
			h.touch(r, objectChanged)
		}
	}
	h.maybeFollow(r)
}

// maybeSelect makes a root of an object that a selection delivers.
func (h *Hub) maybeSelect(src *Source, r *rec) {
	if src.sel.Root == nil || r.isRoot() {
		return
	}
	if root, ok := src.sel.Root(r.obj); ok {
		h.putRoot(root).selected = true
		if !root.In.IsZero() {
			h.Kick() // the set is no longer empty
		}
	}
}
