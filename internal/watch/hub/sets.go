package hub

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// inventories is the hub's part of following them: which must be decided again
// because their root, or an object aside from it, has changed. It is guarded by the
// hub's lock. What they list is package follow's.
type inventories struct {
	// asides and schemed are those of Roots.
	asides  map[object.ID][]object.ID
	schemed map[object.ID]bool

	decisions map[object.ID]*decision // of all that are, or were, followed
	held      map[*rec]time.Time      // since when they are held back
}

// decision counts the changes of an inventory: the last one, the one up to which
// it has been decided, and the one up to which its root may be shown.
type decision struct{ last, decided, shown uint64 }

// holdMost is how long a changed root is held back for its inventory.
const holdMost = 700 * time.Millisecond

// EmptySet is the reason why an inventory without members is not done.
const EmptySet = "its inventory is empty"

func (s *inventories) decision(root object.ID) *decision {
	c := s.decisions[root]
	if c == nil {
		c = &decision{}
		s.decisions[root] = c
	}
	return c
}

// decide has inventories decided again.
func (h *Hub) decide(roots ...object.ID) {
	for _, root := range roots {
		h.decision(root).last++
		h.checkSynced()
		h.Changed(root)
	}
}

// goes notes that a root, or an object aside from one, was deleted or is no root
// any more.
func (h *Hub) goes(id object.ID) {
	if h.decisions[id] != nil {
		h.decide(id)
	}
	h.decide(h.asides[id]...)
}

// delivered notes a change that only an inventory's follower sees.
func (h *Hub) delivered(src *Source) {
	if src.sel.Aside {
		h.decide(src.sel.In)
	}
}

// maybeHold holds a root's new state back until its new members are known: an
// inventory that has grown must never look complete without the new ones.
func (h *Hub) maybeHold(r *rec) {
	if r.isRoot() && r.obj != nil && (h.Expand || h.schemed[*r.id]) && inventory.Recognise(r.obj) != nil {
		h.decide(*r.id)
		h.holdBack(r)
	}
}

// holdBack keeps a rec from the batches until a plan includes what was decided
// about its last change, or for too long.
func (h *Hub) holdBack(r *rec) {
	if _, held := h.held[r]; !held {
		h.held[r] = h.now()
		time.AfterFunc(holdMost, h.Kick)
	}
}

// mayBeEmpty checks whether an inventory has lost its last member. That is
// reported in the same batch as the loss: the inventory must not look done
// until the next plan.
func (h *Hub) mayBeEmpty(root object.ID) {
	h.Kick()
	of := h.recs[root]
	if of == nil || !of.isRoot() || !of.root.Asked() || of.root.Pending != "" {
		return
	}
	for r := range h.roots {
		if r.isRoot() && r.root.In == root && !r.root.Kept {
			return
		}
	}
	of.root.Pending = EmptySet
	h.touch(of, rootChanged)
}

// mark is the annotation that excludes a member from the verdict: see
// [inventory.Informational]. Objects that the user named always count.
func (r *rec) mark() string {
	if r.obj == nil || !r.isRoot() || r.root.Asked() {
		return ""
	}
	return inventory.Informational(r.root.In, r.obj)
}

// asRoot is the root as a batch reports it: the plan's fields with the object's
// own.
func (r *rec) asRoot() feed.Root {
	out := *r.root
	if m := r.mark(); m != "" {
		out.Optional, out.Note = true, follow.JoinNotes(out.Note, m)
	}
	return out
}

// SelectedBy returns what the selections of an inventory have found; another
// inventory may list it, too, and come first.
func (h *Hub) SelectedBy(root object.ID) (out []object.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for src := range h.sources {
		if src.sel.In != root {
			continue
		}
		for r := range src.recs {
			if _, selected := src.sel.Root(r.obj); selected && r.isRoot() {
				out = append(out, *r.id)
			}
		}
	}
	return out
}

// Root implements follow.Engine.
func (h *Hub) Root(id object.ID) (follow.Root, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := follow.Root{Change: h.decision(id).last, Schemed: h.schemed[id]}
	r := h.recs[id]
	if r == nil || !r.isRoot() {
		return out, false
	}
	out.Root, out.Object = r.asRoot(), r.obj
	return out, true
}

// Object implements follow.Engine.
func (h *Hub) Object(id object.ID) (o *object.Object, answered bool) {
	o = h.Get(id)
	h.mu.Lock()
	defer h.mu.Unlock()
	for src := range h.sources {
		answered = answered || src.answered && src.spec.Covers(id)
	}
	return o, answered
}

// Aside implements follow.Engine.
func (h *Hub) Aside(root object.ID) follow.Aside {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := follow.Aside{Answered: true}
	for src := range h.sources {
		if !src.sel.Aside || src.sel.In != root {
			continue
		}
		out.Answered = out.Answered && src.answered
		out.Forbidden = out.Forbidden || src.state.Phase == feed.Forbidden
		for r := range src.recs {
			out.Objects = append(out.Objects, r.obj)
		}
	}
	return out
}

// Decided notes what the follower has decided about a root. A Helm release is
// stored like any changed root: it is held back until a plan includes its new
// members.
func (h *Hub) Decided(root object.ID, d follow.Decision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.planDirty()
	defer h.checkSynced()
	r := h.recs[root]
	if r == nil || !r.isRoot() {
		delete(h.decisions, root)
		return
	}
	c := h.decision(root)
	c.decided = d.Change
	if !d.Hold {
		c.shown = d.Change
	}
	switch {
	case !d.Fixed || r.obj == d.Object && d.Object != nil:
	case d.Object == nil:
		h.bury(r, false)
		h.setAbsent(r)
	default:
		if r.obj != nil && r.obj.UID != d.Object.UID {
			h.bury(r, false)
		}
		r.is(d.Object)
		r.absent = false
		h.holdBack(r)
		h.show(r)
	}
}
