package watch

import (
	"maps"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// setBook is the hub's part of following inventories: which of them must be
// decided again because their root, or an object aside from it, has changed. It
// is guarded by the hub's lock. The members are the setKeeper's.
type setBook struct {
	expand bool // recognise inventories among the roots by their shape
	// wake is called, under the lock, when an inventory must be decided.
	wake func()
	// asides and schemed are those of rootPlan.
	asides  map[object.ID][]object.ID
	schemed map[object.ID]bool

	known   map[object.ID]struct{} // roots that are, or were, inventories
	dirty   map[object.ID]struct{} // to be decided
	working map[object.ID]struct{} // being decided
	held    map[*rec]time.Time     // changed, and held back since
}

func newSetBook() setBook {
	return setBook{
		wake: func() {}, known: map[object.ID]struct{}{}, dirty: map[object.ID]struct{}{}, working: map[object.ID]struct{}{},
		held: map[*rec]time.Time{},
	}
}

// holdMost is how long a changed root is held back for its inventory.
const holdMost = 700 * time.Millisecond

func (b *setBook) idle() bool { return len(b.dirty) == 0 && len(b.working) == 0 }

// decideSet marks an inventory to be decided again.
func (h *hub) decideSet(root object.ID) {
	if _, ok := h.sets.dirty[root]; !ok {
		h.sets.dirty[root] = struct{}{}
		h.checkSynced()
		h.sets.wake()
	}
}

// setAsides replaces the objects aside from roots. A new one may have changed
// since its root was decided: that root is decided once more.
func (h *hub) setAsides(asides map[object.ID][]object.ID) {
	before := h.sets.asides
	h.sets.asides = asides
	for id, roots := range asides {
		if slices.Equal(before[id], roots) {
			continue
		}
		for _, root := range roots {
			h.decideSet(root)
		}
	}
}

// noteSet checks whether a stored object is a root or lies aside from one.
func (h *hub) noteSet(src *source, r *rec) {
	h.asideChanged(src)
	for _, root := range h.sets.asides[*r.id] {
		h.decideSet(root)
	}
	h.maybeHold(r)
}

// missing notes that a root does not exist. An inventory that the user named is
// then searched for.
func (h *hub) missing(r *rec) {
	if h.sets.schemed[*r.id] && r.isRoot() && r.root.In.IsZero() {
		h.sets.known[*r.id] = struct{}{}
	}
	h.setChanged(*r.id)
}

// maybeHold holds a root's new state back until its new members are known: an
// inventory that has grown must never look complete without the new ones.
func (h *hub) maybeHold(r *rec) {
	if !r.isRoot() || r.obj == nil || !h.sets.expand && !h.sets.schemed[*r.id] || inventory.Recognise(r.obj) == nil {
		return
	}
	h.sets.known[*r.id] = struct{}{}
	if !r.held {
		r.held = true
		h.sets.held[r] = h.now()
	}
	h.decideSet(*r.id)
}

// setChanged notes that a root, or an object aside from one, was deleted or is
// no root any more.
func (h *hub) setChanged(id object.ID) {
	if _, ok := h.sets.known[id]; ok {
		h.decideSet(id)
	}
	for _, root := range h.sets.asides[id] {
		h.decideSet(root)
	}
}

// heardOf reports whether a source has answered whether an object exists, or
// that it may not be read.
func (h *hub) heardOf(id object.ID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for src := range h.sources {
		// that a kind is served is no answer about the object
		if src.answered && src.spec.Covers(id) && !(src.spec.Lookup && src.state.Phase == feed.Live) {
			return true
		}
	}
	return false
}

// sourceAnswered marks the inventories with objects aside that src delivers.
func (h *hub) sourceAnswered(src *source) {
	for id, roots := range h.sets.asides {
		if !src.spec.Covers(id) {
			continue
		}
		for _, root := range roots {
			h.decideSet(root)
		}
	}
}

// asideChanged notes a change that only an inventory's follower sees.
func (h *hub) asideChanged(src *source) {
	if src.sel != nil && src.sel.target.Aside {
		h.decideSet(src.sel.target.In)
	}
}

// letGo ends the holding back of a rec; the caller shows it.
func (h *hub) letGo(r *rec) {
	if r.held {
		r.held = false
		delete(h.sets.held, r)
	}
}

// releaseDecided hands over the roots whose inventories have been decided, or
// that have been held back too long. It reports whether others remain.
func (h *hub) releaseDecided(decided func(object.ID, string) bool) bool {
	for r, since := range h.sets.held {
		if r.obj != nil && !decided(*r.id, r.obj.ResourceVersion) && h.now().Sub(since) < holdMost {
			continue
		}
		h.letGo(r)
		r.objSeq = h.touch(r)
	}
	return len(h.sets.held) > 0
}

// takeDirty returns the inventories to be decided; the caller must finish each.
func (h *hub) takeDirty() []object.ID {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []object.ID
	for id := range h.sets.dirty {
		if _, busy := h.sets.working[id]; busy {
			continue // its worker decides it once more
		}
		h.sets.working[id] = struct{}{}
		delete(h.sets.dirty, id)
		out = append(out, id)
	}
	return out
}

// finishSet notes that an inventory has been decided, and reports whether it
// must be decided again.
func (h *hub) finishSet(id object.ID) (again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, again = h.sets.dirty[id]; again {
		delete(h.sets.dirty, id)
		return true
	}
	delete(h.sets.working, id)
	h.checkSynced()
	return false
}

// holds reports whether something is held back.
func (h *hub) holds() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sets.held) > 0
}

// emptySet is the reason why an inventory without members is not done.
const emptySet = "its inventory is empty"

// mayBeEmpty checks whether an inventory has lost its last member. That is
// reported in the same batch as the loss: the inventory must not look done
// until the next plan.
func (h *hub) mayBeEmpty(root object.ID) {
	h.kick()
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
	empty.Pending = emptySet
	of.root = &empty
	of.rootSeq = h.touch(of)
}

// selectedIn counts the members found by selections, by root.
func (h *hub) selectedIn() map[object.ID]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[object.ID]int{}
	for src := range h.sources {
		if src.sel == nil || src.sel.target.Aside || src.sel.target.In.IsZero() {
			continue
		}
		for r := range src.recs {
			// Another inventory may list it, too, and come first.
			if r.obj != nil && r.isRoot() && src.sel.target.Filter.Passes(r.obj) {
				out[src.sel.target.In]++
			}
		}
	}
	return out
}

// Listed returns the members of a followed inventory, sorted, including those
// that stand under another inventory that lists them, too.
func (e *Engine) Listed(root object.ID) []object.ID {
	listed := map[object.ID]bool{}
	e.mu.Lock()
	for _, t := range e.groups[groupOf(root)] {
		if t.root.Name != "" && !t.Gone {
			listed[t.root] = true
		}
	}
	e.mu.Unlock()
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	for src := range e.hub.sources {
		if src.sel == nil || src.sel.target.Aside || src.sel.target.In != root {
			continue
		}
		for r := range src.recs {
			if r.obj != nil && src.sel.target.Filter.Passes(r.obj) {
				listed[*r.id] = true
			}
		}
	}
	delete(listed, root)
	return slices.SortedFunc(maps.Keys(listed), object.ID.Compare)
}

// rootState is what the follower of an inventory reads of its root.
type rootState struct {
	object *object.Object
	root   feed.Root
	isRoot bool
	// schemed says that the user named it as an inventory: flux/ks/apps.
	schemed bool
}

func (h *hub) rootState(id object.ID) rootState {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.recs[id]
	if r == nil || !r.isRoot() {
		return rootState{}
	}
	return rootState{object: r.obj, root: r.asRoot(), isRoot: true, schemed: h.sets.schemed[id]}
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
		out.Optional, out.Note = true, joinNotes(out.Note, m)
	}
	return out
}

// aside returns the objects of the selections aside from a root, and the worst
// phase of their sources; answered is false until all of them have answered.
func (h *hub) aside(root object.ID) (objects []*object.Object, phase feed.Phase, answered bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	answered, phase = true, feed.Live
	for src := range h.sources {
		if src.sel == nil || !src.sel.target.Aside || src.sel.target.In != root {
			continue
		}
		answered = answered && src.answered
		if src.state.Phase == feed.Forbidden {
			phase = feed.Forbidden
		}
		for r := range src.recs {
			if r.obj != nil {
				objects = append(objects, r.obj)
			}
		}
	}
	return objects, phase, answered
}

// putFixed stores the object of a root that no source delivers: a Helm release.
// Nil means that it does not exist. Like any changed root it is held back until
// its inventory has been decided.
func (h *hub) putFixed(id object.ID, o *object.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.recs[id]
	if r == nil || !r.isRoot() {
		return
	}
	if o == nil {
		h.bury(r, false)
		h.setAbsent(r)
		return
	}
	if old := r.obj; old != nil && old.UID != o.UID {
		h.bury(r, false)
	}
	r.is(o)
	r.absent = false
	if !r.held { // until a plan includes its new members
		r.held = true
		h.sets.held[r] = h.now()
	}
	h.show(r)
}
