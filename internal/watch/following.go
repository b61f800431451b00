package watch

import (
	"maps"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// setBook is the hub's part of following inventories: which of them must be
// decided again because their root, or an object aside from it, has changed. It
// is guarded by the hub's lock. What they list is package follow's.
type setBook struct {
	expand bool // recognise inventories among the roots by their shape
	// changed is called, under the lock, when an inventory must be decided.
	changed func(root object.ID)
	// asides and schemed are those of rootPlan.
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

// emptySet is the reason why an inventory without members is not done.
const emptySet = "its inventory is empty"

func newSetBook() setBook {
	return setBook{changed: func(object.ID) {}, changes: map[object.ID]*changes{}, held: map[*rec]hold{}}
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
func (h *hub) decideSet(root object.ID) {
	h.sets.of(root).last++
	h.checkSynced()
	h.sets.changed(root)
}

func (h *hub) decideSets(roots []object.ID) {
	for _, root := range roots {
		h.decideSet(root)
	}
}

// setAsides replaces the objects aside from roots. A new one may have changed
// since its root was decided: that root is decided once more.
func (h *hub) setAsides(asides map[object.ID][]object.ID) {
	before := h.sets.asides
	h.sets.asides = asides
	for id, roots := range asides {
		if !slices.Equal(before[id], roots) {
			h.decideSets(roots)
		}
	}
}

// noteSet checks whether a stored object is a root or lies aside from one.
func (h *hub) noteSet(src *source, r *rec) {
	h.asideChanged(src)
	h.decideSets(h.sets.asides[*r.id])
	h.maybeHold(r)
}

// missing notes that a root does not exist. An inventory that the user named is
// then searched for.
func (h *hub) missing(r *rec) {
	if h.sets.schemed[*r.id] && r.isRoot() && r.root.In.IsZero() {
		h.sets.of(*r.id).known = true
	}
	h.setChanged(*r.id)
}

// maybeHold holds a root's new state back until its new members are known: an
// inventory that has grown must never look complete without the new ones.
func (h *hub) maybeHold(r *rec) {
	if !r.isRoot() || r.obj == nil || !h.sets.expand && !h.sets.schemed[*r.id] || inventory.Recognise(r.obj) == nil {
		return
	}
	h.sets.of(*r.id).known = true
	h.decideSet(*r.id)
	h.holdBack(r, h.sets.of(*r.id).last)
}

// holdBack keeps a rec from the batches until a plan includes what was decided
// about a change, or for too long.
func (h *hub) holdBack(r *rec, change uint64) {
	since := h.now()
	if r.held {
		since = h.sets.held[r].since
	} else {
		time.AfterFunc(holdMost, h.kick)
	}
	r.held = true
	h.sets.held[r] = hold{since, change}
}

// letGo ends the holding back of a rec; the caller shows it.
func (h *hub) letGo(r *rec) {
	r.held = false
	delete(h.sets.held, r)
}

// releaseDecided hands over the roots whose inventories have been decided, or
// that have been held back too long.
func (h *hub) releaseDecided() {
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
func (h *hub) setChanged(id object.ID) {
	if c := h.sets.changes[id]; c != nil && c.known {
		h.decideSet(id)
	}
	h.decideSets(h.sets.asides[id])
}

// sourceAnswered marks the inventories with objects aside that src delivers.
func (h *hub) sourceAnswered(src *source) {
	for id, roots := range h.sets.asides {
		if src.spec.Covers(id) {
			h.decideSets(roots)
		}
	}
}

// asideChanged notes a change that only an inventory's follower sees.
func (h *hub) asideChanged(src *source) {
	if src.sel != nil && src.sel.target.Aside {
		h.decideSet(src.sel.target.In)
	}
}

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
	for _, t := range e.groups[root] {
		if t.root.Name != "" && !t.Gone && !t.Aside {
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

// followed is the engine as package follow sees it.
type followed struct{ *Engine }

var _ follow.Engine = followed{}

// Root implements follow.Engine.
func (f followed) Root(id object.ID) (follow.Root, bool) {
	h := f.hub
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
func (f followed) Object(id object.ID) (o *object.Object, answered, absent bool) {
	o = f.hub.object(id)
	h := f.hub
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
func (f followed) Aside(root object.ID) follow.Aside {
	h := f.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	out := follow.Aside{Answered: true}
	for src := range h.sources {
		if src.sel == nil || !src.sel.target.Aside || src.sel.target.In != root {
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

// Follow implements follow.Engine. A Helm release is stored like any changed
// root: it is held back until a plan includes its new members.
func (f followed) Follow(root object.ID, d follow.Decision) {
	f.setGroup(root, d.Targets)
	f.setFacts(root, d.Facts)
	h := f.hub
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

// setFacts stores what is said of a root.
func (e *Engine) setFacts(root object.ID, f follow.Facts) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.named = nil
	if f == (follow.Facts{}) {
		delete(e.facts, root)
		return
	}
	e.facts[root] = f
}

// amendRoots adds what the inventories' follower says of their roots. An
// inventory is not complete while its members have not been listed, nor while
// it is empty.
func (e *Engine) amendRoots(p *rootPlan, in *plan.Input, selected map[object.ID]int) {
	if len(e.facts) == 0 {
		return
	}
	waiting := map[object.ID]bool{}
	for _, s := range in.Selections {
		if s.In.IsZero() {
			continue
		}
		if src := e.running[plan.Spec{Resource: s.Resource, Namespace: s.Namespace, Selector: s.Selector, Target: s.Target}]; src == nil || !src.hasAnswered() {
			waiting[s.In] = true
		}
	}
	for i := range p.list {
		r := &p.list[i]
		f, ok := e.facts[r.ID]
		if !ok {
			continue
		}
		r.Revision, r.Pending = f.Revision, f.Pending
		r.Note = follow.JoinNotes(r.Note, f.Note)
		if r.Told.Status == "" {
			r.Told = f.Told
		}
		switch {
		case r.Pending != "" || f.Told.Status != "" && f.Told.Status != status.Current:
		case waiting[r.ID]:
			r.Pending = "its members are being looked for"
		case f.Asked && p.members[r.ID]+selected[r.ID] == 0:
			r.Pending = emptySet
		}
	}
}
