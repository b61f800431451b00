package hub

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Hub holds all known objects, and is the only writer of that state. Sources
// report to it; Next returns the changes. It does no I/O; its lock is held for
// microseconds. There is one rec per object; a batch costs as much as has
// changed. There is one receiver: what was handed over is not kept.
//
// What its lock guards is parted by subject, each in a file of its own: which
// objects are shown ([dependents]), what inventories wait for ([inventories]), how far everything is ([progress]).
type Hub struct {
	frame time.Duration
	now   func() time.Time
	// Kick is called, under the lock, when the plan may have to change.
	Kick func()
	// Events returns the events that have changed since its last call, and
	// whether all that are wanted have been listed.
	Events func() ([]object.Event, bool)

	// Expand says that inventories are recognised among the roots by their
	// shape; Changed is called, under the lock, when one must be decided.
	Expand  bool
	Changed func(root object.ID)

	wake chan struct{} // buffered, one: there is something new

	mu       sync.Mutex
	seq      uint64 // of the last batch
	fresh    bool   // something has changed since
	changes  uint64 // number of changes of objects
	lastOut  time.Time
	firstOut uint64 // changes at the first batch that was not empty
	err      error  // the feed has ended

	recs    map[object.ID]*rec
	dirty   sets.Set[*rec] // to be handed over, as are gone, absent, states and notices
	gone    []feed.Gone
	absent  []object.ID                 // to which something refers
	states  map[string]feed.SourceState // by key
	notices []feed.Notice

	dependents
	inventories
	progress
	roots   sets.Set[*rec] // the present roots
	sources sets.Set[*Source]
	beside  map[string]feed.SourceState // states of requests other than the sources', by key
	skew    time.Duration
}

// news wakes the receiver.
func (h *Hub) news() {
	h.fresh = true
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// manyObjects is from when on a first sync counts as large.
const manyObjects = 500

// With manyParents or more the children wait for the parents' first list, for
// parentsPatience at most.
const (
	manyParents     = 20
	parentsPatience = time.Second
)

// Frames between two batches of a first sync, and of a large one with largeSync
// objects: the receiver's work per batch grows with the number of objects.
const (
	syncFrames      = 4
	largeSyncFrames = 8
	largeSync       = 20_000
)

// New returns an empty hub. Its fields are set before it is used.
func New(frame time.Duration, children string, now func() time.Time) *Hub {
	return &Hub{
		frame: frame, now: now, Kick: func() {}, Changed: func(object.ID) {}, Events: func() ([]object.Event, bool) { return nil, true },
		wake: make(chan struct{}, 1), recs: map[object.ID]*rec{}, dirty: sets.Set[*rec]{}, states: map[string]feed.SourceState{},
		beside: map[string]feed.SourceState{}, sources: sets.Set[*Source]{},
		dependents: dependents{
			all: children == "all", none: children == "none", wanted: sets.Set[object.ID]{}, followed: map[*rec][]edges.Need{}, offers: sets.Set[string]{},
		},
		roots: sets.Set[*rec]{}, inventories: inventories{decisions: map[object.ID]*decision{}, held: map[*rec]time.Time{}},
	}
}

// touch notes what of a rec has changed.
func (h *Hub) touch(r *rec, what change) {
	h.changes++
	r.seq, r.changed = h.changes, r.changed|what
	h.dirty.Insert(r)
	h.news()
}

// rec returns the rec of an ID, and creates it if necessary.
func (h *Hub) rec(id object.ID) *rec {
	r := h.recs[id]
	if r == nil {
		r = &rec{id: new(id)}
		h.recs[id] = r
	}
	return r
}

func (h *Hub) planDirty() {
	h.planned = false
	h.Kick()
}

// Bump notes a change that is kept elsewhere.
func (h *Hub) Bump() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.news()
}

// Replan notes that the plan is out of date.
func (h *Hub) Replan() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.planDirty()
}

// SetSkew notes by how much the server's clock differs.
func (h *Hub) SetSkew(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.skew = d
}

// Size counts the known objects, and those that have changed since the last
// batch.
func (h *Hub) Size() (known, dirty int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.recs), len(h.dirty)
}

// Want replaces what is wanted beyond the roots. Wanted children stay wanted: a
// parent that becomes Current keeps its rows.
func (h *Hub) Want(gen uint64, children []object.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if gen < h.gen {
		return // a newer Wants has arrived
	}
	h.gen = gen
	defer h.checkSynced()
	for _, id := range children {
		h.wanted.Insert(id)
		if r := h.recs[id]; r != nil {
			h.maybeFollow(r)
		}
	}
}

// Upsert stores an object that the source delivers. A version older than the
// known one is ignored.
func (src *Source) Upsert(o *object.Object) {
	h := src.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.put(src, o, false)
}

func (h *Hub) put(src *Source, o *object.Object, epoch bool) {
	if !h.sources.Has(src) {
		return // the source has been closed
	}
	r := h.rec(o.ID)
	if r.obj == nil && !epoch && older(o.ResourceVersion, r.goneRV) {
		return // an object of the very version exists: that has only left a selection
	}
	if !src.recs.Has(r) {
		src.recs.Insert(r)
		r.sources = append(r.sources, src)
		if src.spec.Ref && r.obj != nil {
			h.touch(r, objectChanged)
		}
	}
	if old := r.obj; old != nil {
		same := old.UID == o.UID
		if same {
			o = withTree(o, old.Tree)
		}
		switch _, followed := h.followed[r]; {
		case same && old.ResourceVersion == o.ResourceVersion && (old.Tree != nil || o.Tree == nil):
			h.maybeSelect(src, r)
			h.maybeShow(r)
			return
		case !epoch && older(o.ResourceVersion, old.ResourceVersion):
			return
		case !same:
			h.bury(r, false)
		case followed && (o.Kind == "Service" || len(old.Owners) != len(o.Owners)):
			h.followed[r] = edges.Needs(o) // other parents' selectors are immutable
			h.planDirty()
		}
	}
	mark := r.mark()
	r.is(o)
	r.absent = false
	if r.mark() != mark {
		h.touch(r, rootChanged)
	}
	h.maybeSelect(src, r)
	h.delivered(src)
	h.decide(h.asides[o.ID]...)
	h.maybeHold(r)
	if r.shown || r.deliveredBy(true) {
		h.touch(r, objectChanged)
	}
	h.maybeFollow(r)
	h.maybeShow(r)
}

// Remove notes that the source has reported o as deleted.
func (src *Source) Remove(o *object.Object) {
	h := src.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.sources.Has(src) {
		return
	}
	r := h.recs[o.ID]
	if r == nil || r.obj != nil && o.UID != "" && r.obj.UID != o.UID {
		return // a new object of that name exists already
	}
	r.goneRV = o.ResourceVersion
	h.lose(src, r, !src.spec.Selects(), false)
}

// lose removes src from r's sources. The object is gone when no source delivers
// it any more, or if src is certain.
func (h *Hub) lose(src *Source, r *rec, certain, dropped bool) {
	delete(src.recs, r)
	h.delivered(src)
	r.sources = slices.DeleteFunc(r.sources, func(s *Source) bool { return s == src })
	if len(r.sources) > 0 && !certain {
		h.demote(r)
		return
	}
	if src.spec.Ref && dropped && r.told && r.lent() {
		return
	}
	for _, other := range r.sources {
		other.recs.Delete(r)
	}
	r.sources = nil
	if !certain && r.isRoot() && !r.selected {
		return // a selection, or a source with another filter, does not know: r's own source will tell
	}
	h.bury(r, dropped)
	switch {
	case r.selected && r.isRoot():
		h.unroot(r)
	case r.isRoot():
		h.setAbsent(r)
	default:
		h.forget(r)
	}
}

// bury records that the object of a rec has been deleted, or dropped.
func (h *Hub) bury(r *rec, dropped bool) {
	if r.obj == nil {
		return
	}
	h.goes(*r.id)
	delete(h.held, r)
	if r.told && r.obj.UID != "" {
		h.gone = append(h.gone, feed.Gone{ID: *r.id, UID: r.obj.UID, Dropped: dropped})
		h.news()
	}
	r.told = false
	if needs, ok := h.followed[r]; ok {
		delete(h.followed, r)
		if len(needs) > 0 && !h.covered(r.obj) {
			h.orphans = append(h.orphans, orphan{needs, h.now().Add(orphanTime)})
			h.planDirty()
		}
	}
	if r.mark() != "" {
		h.touch(r, rootChanged)
	}
	r.is(nil)
}

// forget drops a rec without content.
func (h *Hub) forget(r *rec) {
	if r.obj != nil || r.isRoot() || len(r.sources) > 0 {
		return
	}
	delete(h.recs, *r.id)
	if r.root == nil { // otherwise it is still to be told that it is none any more
		delete(h.dirty, r)
	}
}

func (h *Hub) setAbsent(r *rec) {
	if r.absent || r.obj != nil {
		return
	}
	if h.schemed[*r.id] && r.isRoot() && r.root.In.IsZero() {
		h.decision(*r.id) // an inventory that the user named is searched for
	}
	h.goes(*r.id)
	r.absent = true
	h.touch(r, objectChanged)
}

// Replace notes that a completed list of the source holds exactly these objects.
// What it does not hold is absent.
func (src *Source) Replace(list []*object.Object, rv string) {
	h := src.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	// A list older than the previous one means a restored etcd: then the list
	// is right and the known state is not.
	epoch := src.listRV != "" && rv != "" && older(rv, src.listRV)
	src.listRV = rv
	if !h.sources.Has(src) {
		return
	}
	listed := make(sets.Set[*rec], len(list))
	for _, o := range list {
		h.put(src, o, epoch)
		listed.Insert(h.recs[o.ID])
	}
	for r := range src.recs {
		if listed.Has(r) || !epoch && older(rv, r.obj.ResourceVersion) {
			continue // another source has a newer version
		}
		r.goneRV = rv
		h.lose(src, r, !src.spec.Selects() && !src.spec.Ref, false) // another source may know a newer one than a reference
	}
	absent := src.spec.Ref && src.spec.Name != "" && !src.spec.Lookup && len(list) == 0
	if id := src.spec.Resource.ID(src.spec.Namespace, src.spec.Name); absent && !src.absent && h.recs[id] == nil {
		h.absent = append(h.absent, id)
		h.news()
	}
	src.absent = absent
	for r := range h.roots {
		switch {
		case !src.spec.Covers(*r.id) || listed.Has(r):
		case r.obj == nil: // it was unknown
			h.setAbsent(r)
		case len(r.sources) == 0 || older(r.obj.ResourceVersion, rv): // its source has an older version
			r.goneRV = rv
			h.lose(src, r, true, false)
		}
	}
	h.recall(src)
	h.delivered(src)
}
