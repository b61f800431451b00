package hub

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// setBook is the hub's part of following inventories: which of them must be
// decided again because their root, or an object aside from it, has changed. It
// is guarded by the hub's lock. What they list is package follow's.
type setBook struct {
	// asides and schemed are those of Roots.
	asides  map[object.ID][]object.ID
	schemed map[object.ID]bool

	changes map[object.ID]*changes // of all that are, or were, followed
	held    map[*rec]hold
}

// changes counts the changes of an inventory: the last one, the one up to which
// it has been decided, and the one up to which its root may be shown.
type changes struct {
	last, decided, shown uint64

	known bool // its root is, or was, an inventory
}

// hold says since when a root is held back, and by which change.
type hold struct {
	since  time.Time
	change uint64
}

// holdMost is how long a changed root is held back for its inventory.
const holdMost = 700 * time.Millisecond

// EmptySet is the reason why an inventory without members is not done.
const EmptySet = "its inventory is empty"

func newSetBook() setBook {
	return setBook{changes: map[object.ID]*changes{}, held: map[*rec]hold{}}
}

func (b *setBook) of(root object.ID) *changes {
	c := b.changes[root]
	if c == nil {
		c = &changes{}
		b.changes[root] = c
	}
	return c
}

// idle reports whether all inventories have been decided.
func (b *setBook) idle() bool {
	for _, c := range b.changes {
		if c.decided < c.last {
			return false
		}
	}
	return true
}

// decideSet marks an inventory to be decided again.
func (h *Hub) decideSet(root object.ID) {
	h.sets.of(root).last++
	h.checkSynced()
	h.Changed(root)
}

func (h *Hub) decideSets(roots []object.ID) {
	for _, root := range roots {
		h.decideSet(root)
	}
}

// setAsides replaces the objects aside from roots. A new one may have changed
// since its root was decided: that root is decided once more.
func (h *Hub) setAsides(asides map[object.ID][]object.ID) {
	before := h.sets.asides
	h.sets.asides = asides
	for id, roots := range asides {
		if !slices.Equal(before[id], roots) {
			h.decideSets(roots)
		}
	}
}

// noteSet checks whether a stored object is a root or lies aside from one.
func (h *Hub) noteSet(src *Source, r *rec) {
	h.asideChanged(src)
	h.decideSets(h.sets.asides[*r.id])
	h.maybeHold(r)
}

// missing notes that a root does not exist. An inventory that the user named is
// then searched for.
func (h *Hub) missing(r *rec) {
	if h.sets.schemed[*r.id] && r.isRoot() && r.root.In.IsZero() {
		h.sets.of(*r.id).known = true
	}
	h.setChanged(*r.id)
}

// maybeHold holds a root's new state back until its new members are known: an
// inventory that has grown must never look complete without the new ones.
func (h *Hub) maybeHold(r *rec) {
	if !r.isRoot() || r.obj == nil || !h.Expand && !h.sets.schemed[*r.id] || inventory.Recognise(r.obj) == nil {
		return
	}
	h.sets.of(*r.id).known = true
	h.decideSet(*r.id)
	h.holdBack(r, h.sets.of(*r.id).last)
}

// holdBack keeps a rec from the batches until a plan includes what was decided
// about a change, or for too long.
func (h *Hub) holdBack(r *rec, change uint64) {
	since := h.now()
	if r.held {
		since = h.sets.held[r].since
	} else {
		time.AfterFunc(holdMost, h.Kick)
	}
	r.held = true
	h.sets.held[r] = hold{since, change}
}

// letGo ends the holding back of a rec; the caller shows it.
func (h *Hub) letGo(r *rec) {
	r.held = false
	delete(h.sets.held, r)
}

// releaseDecided hands over the roots whose inventories have been decided, or
// that have been held back too long.
func (h *Hub) releaseDecided() {
	for r, held := range h.sets.held {
		if r.obj != nil && h.sets.of(*r.id).shown < held.change && h.now().Sub(held.since) < holdMost {
			continue
		}
		h.letGo(r)
		r.objSeq = h.touch(r)
	}
}

// setChanged notes that a root, or an object aside from one, was deleted or is
// no root any more.
func (h *Hub) setChanged(id object.ID) {
	if c := h.sets.changes[id]; c != nil && c.known {
		h.decideSet(id)
	}
	h.decideSets(h.sets.asides[id])
}

// sourceAnswered marks the inventories with objects aside that src delivers.
func (h *Hub) sourceAnswered(src *Source) {
	for id, roots := range h.sets.asides {
		if src.spec.Covers(id) {
			h.decideSets(roots)
		}
	}
}

// asideChanged notes a change that only an inventory's follower sees.
func (h *Hub) asideChanged(src *Source) {
	if src.sel != nil && src.sel.Aside {
		h.decideSet(src.sel.In)
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
	empty := *of.root
	empty.Pending = EmptySet
	of.root = &empty
	of.rootSeq = h.touch(of)
}

// SelectedIn counts the members found by selections, by root.
func (h *Hub) SelectedIn() map[object.ID]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[object.ID]int{}
	for src := range h.sources {
		if src.sel == nil || src.sel.Aside || src.sel.In.IsZero() {
			continue
		}
		for r := range src.recs {
			// Another inventory may list it, too, and come first.
			if r.obj != nil && r.isRoot() && src.sel.Filter.Passes(r.obj) {
				out[src.sel.In]++
			}
		}
	}
	return out
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

// SelectedBy returns what the selections of an inventory have found.
func (h *Hub) SelectedBy(root object.ID) (out []object.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for src := range h.sources {
		if src.sel == nil || src.sel.Aside || src.sel.In != root {
			continue
		}
		for r := range src.recs {
			if r.obj != nil && src.sel.Filter.Passes(r.obj) {
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
	out := follow.Root{Change: h.sets.of(id).last, Schemed: h.sets.schemed[id]}
	r := h.recs[id]
	if r == nil || !r.isRoot() {
		return out, false
	}
	out.Root, out.Object = r.asRoot(), r.obj
	return out, true
}

// Object implements follow.Engine.
func (h *Hub) Object(id object.ID) (o *object.Object, answered, absent bool) {
	o = h.Get(id)
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.recs[id]; r != nil {
		absent = r.absent
	}
	for src := range h.sources {
		// that a kind is served is no answer about the object
		if src.answered && src.spec.Covers(id) && !(src.spec.Lookup && src.state.Phase == feed.Live) {
			answered = true
		}
	}
	return o, answered, absent
}

// Aside implements follow.Engine.
func (h *Hub) Aside(root object.ID) follow.Aside {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := follow.Aside{Answered: true}
	for src := range h.sources {
		if src.sel == nil || !src.sel.Aside || src.sel.In != root {
			continue
		}
		out.Answered = out.Answered && src.answered
		out.Forbidden = out.Forbidden || src.state.Phase == feed.Forbidden
		for r := range src.recs {
			if r.obj != nil {
				out.Objects = append(out.Objects, r.obj)
			}
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
		delete(h.sets.changes, root)
		return
	}
	c := h.sets.of(root)
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
		h.holdBack(r, d.Change)
		h.show(r)
	}
}
