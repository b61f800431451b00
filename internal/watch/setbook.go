package watch

import (
	"maps"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// setBook is what the hub knows of inventories: which of them have to be decided
// anew because their root, or something aside from it, has changed. It is
// guarded by the hub's lock. What the inventories hold is the setKeeper's.
type setBook struct {
	expand bool // recognise roots by their shape
	// wake is called, under the lock, when there is something to decide.
	wake func()
	// asides and schemed are the plan's: see rootPlan.
	asides  map[object.ID][]object.ID
	schemed map[object.ID]bool

	known   map[object.ID]struct{} // roots that are, or were, taken for inventories
	dirty   map[object.ID]struct{} // to be decided
	working map[object.ID]struct{} // being decided
	held    map[*rec]time.Time     // changed, and not handed over before that
}

func newSetBook() setBook {
	return setBook{
		wake: func() {}, known: map[object.ID]struct{}{}, dirty: map[object.ID]struct{}{}, working: map[object.ID]struct{}{},
		held: map[*rec]time.Time{},
	}
}

// holdMost is how long a changed root waits for its inventory before it is shown
// without.
const holdMost = 700 * time.Millisecond

func (b *setBook) idle() bool { return len(b.dirty) == 0 && len(b.working) == 0 }

// decideSet asks for an inventory to be decided anew.
func (h *hub) decideSet(root object.ID) {
	if _, ok := h.sets.dirty[root]; !ok {
		h.sets.dirty[root] = struct{}{}
		h.checkSynced()
		h.sets.wake()
	}
}

// setAsides replaces what lies aside from roots. What is new among it may have changed
// since its root was decided, while nobody looked: that is decided once more.
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

// noteSet looks at what has just been stored: is it a root, or does it lie aside
// from one?
func (h *hub) noteSet(src *source, r *rec) {
	h.asideChanged(src)
	for _, root := range h.sets.asides[*r.id] {
		h.decideSet(root)
	}
	h.maybeHold(r)
}

// missing tells that a root does not exist. Of one that was named as an inventory
// there is something to find out.
func (h *hub) missing(r *rec) {
	if h.sets.schemed[*r.id] && r.isRoot() && r.root.In.IsZero() {
		h.sets.known[*r.id] = struct{}{}
	}
	h.setChanged(*r.id)
}

// maybeHold keeps a root's new state back until it is known what its inventory
// lists now: a set that has grown must never be seen complete without what is
// new.
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

// setChanged tells that a root, or what lies aside from one, has gone or is no
// root any more.
func (h *hub) setChanged(id object.ID) {
	if _, ok := h.sets.known[id]; ok {
		h.decideSet(id)
	}
	for _, root := range h.sets.asides[id] {
		h.decideSet(root)
	}
}

// heardOf reports whether a source has said about an object that it exists, or
// not, or that it may not be asked for.
func (h *hub) heardOf(id object.ID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for src := range h.sources {
		// That a kind is served says nothing about the object.
		if src.answered && src.spec.Covers(id) && !(src.spec.Lookup && src.state.Phase == feed.Live) {
			return true
		}
	}
	return false
}

// sourceAnswered tells the sets beside which something lies that src has said
// what it knows of it.
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

// asideChanged tells that a source has news that only an inventory's follower
// wants.
func (h *hub) asideChanged(src *source) {
	if src.sel != nil && src.sel.target.Aside {
		h.decideSet(src.sel.target.In)
	}
}

// letGo ends the holding back of a rec; what it then shows is the caller's
// business.
func (h *hub) letGo(r *rec) {
	if r.held {
		r.held = false
		delete(h.sets.held, r)
	}
}

// releaseDecided hands over the roots whose inventories have been decided, and
// those that have waited for too long. It reports whether some still wait.
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

// takeDirty takes over the inventories that have to be decided; each has to be
// finished.
func (h *hub) takeDirty() []object.ID {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []object.ID
	for id := range h.sets.dirty {
		if _, busy := h.sets.working[id]; busy {
			continue // its worker looks again
		}
		h.sets.working[id] = struct{}{}
		delete(h.sets.dirty, id)
		out = append(out, id)
	}
	return out
}

// finishSet says that an inventory has been decided. It reports whether that has
// to be done once more.
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

// emptySet is why a set without members is not done.
const emptySet = "its inventory is empty"

// mayBeEmpty looks whether a set has lost its last member. That is said at once,
// in the batch that tells of the loss: the set must not look done until the next
// plan. The plan is asked for all the same: it knows more.
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

// selectedIn counts the members that selections have found, by root.
func (h *hub) selectedIn() map[object.ID]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[object.ID]int{}
	for src := range h.sources {
		if src.sel == nil || src.sel.target.Aside || src.sel.target.In.IsZero() {
			continue
		}
		for r := range src.recs {
			// Another inventory may have had it first.
			if r.obj != nil && r.isRoot() && src.sel.target.Filter.Passes(r.obj) {
				out[src.sel.target.In]++
			}
		}
	}
	return out
}

// Listed are the members of an inventory that is followed, sorted: also
// those that are in another one too, under which they stand instead.
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

// rootState is what the follower of an inventory has to know about its root.
type rootState struct {
	object *object.Object
	root   feed.Root
	isRoot bool
	// schemed says that it was named as an inventory: flux/ks/apps.
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

// mark is what the writer of a member's set has marked it with, so that it does
// not count: see [inventory.Informational]. What the user named counts.
func (r *rec) mark() string {
	if r.obj == nil || !r.isRoot() || r.root.Asked() {
		return ""
	}
	return inventory.Informational(r.root.In, r.obj)
}

// asRoot is what a batch says of a root: what the plan does, and what its object
// bears.
func (r *rec) asRoot() feed.Root {
	out := *r.root
	if m := r.mark(); m != "" {
		out.Optional, out.Note = true, joinNotes(out.Note, m)
	}
	return out
}

// aside lists what the selections aside from a root have found, and the worst
// phase of their sources; answered is false while one of them owes its first
// answer.
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
// A nil object says that there is none. Like any changed root it is held back
// until its inventory has been decided.
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
	if !r.held { // until the plan has what it lists now
		r.held = true
		h.sets.held[r] = h.now()
	}
	h.show(r)
}
