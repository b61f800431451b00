package hub

import (
	"slices"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Hub holds all known objects, and is the only writer of that state. Sources
// report to it; next returns the changes. It does no I/O; its lock is held for
// microseconds. There is one rec per object; changed recs form a list in the
// order of their changes, so that a batch costs as much as it contains.
//
// What its lock guards is parted by subject, each in a file of its own: which
// objects are shown ([dependents]), what references have told ([lending]), what
// inventories wait for ([setBook]), how far everything is ([progress]).
type Hub struct {
	frame time.Duration
	now   func() time.Time
	// Kick is called, under the lock, when the plan may have to change.
	Kick func()
	// Settled is called, under the lock, when a large first sync is complete.
	Settled func()
	// Events returns the events that changed after since, up to a change.
	Events func(since, upTo uint64) []feed.Event

	// Expand says that inventories are recognised among the roots by their
	// shape; Changed is called, under the lock, when one must be decided.
	Expand  bool
	Changed func(root object.ID)

	seq sequence // of all changes, those of events included

	mu       sync.Mutex
	lastOut  time.Time
	firstOut uint64 // seq of the first batch that was not empty
	err      error  // the feed has ended

	recs map[object.ID]*rec
	changeList
	dependents
	lending
	progress
	sets    setBook           // what concerns inventories
	roots   map[*rec]struct{} // the present roots
	dead    []*rec            // deleted recs whose deletion has not been handed over
	sources map[*Source]struct{}
	closed  []closedSource
	beside  map[string]closedSource // states of requests other than the sources', by key
	notices []stamped[feed.Notice]
	skew    time.Duration
}

type stamped[T any] struct {
	seq uint64
	v   T
}

// sequence numbers the changes. It has a lock of its own.
type sequence struct {
	mu      sync.Mutex
	last    uint64
	waiting chan struct{}
}

// bump begins a change and wakes waiting receivers.
func (s *sequence) bump() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	if s.waiting != nil {
		close(s.waiting)
		s.waiting = nil
	}
	return s.last
}

func (s *sequence) now() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// past returns a channel that is closed at the first change after since; nil if
// there was one.
func (s *sequence) past(since uint64) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last > since {
		return nil
	}
	if s.waiting == nil {
		s.waiting = make(chan struct{})
	}
	return s.waiting
}

// manyObjects is how large a first sync must be to return its temporary memory.
const manyObjects = 500

// With manyParents or more the children wait for the parents' first list, for
// ParentsPatience at most.
const (
	manyParents     = 20
	ParentsPatience = time.Second
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
		frame: frame, now: now, Kick: func() {}, Settled: func() {}, Changed: func(object.ID) {}, Events: func(uint64, uint64) []feed.Event { return nil },
		recs: map[object.ID]*rec{}, dependents: newDependents(children), sources: map[*Source]struct{}{},
		roots: map[*rec]struct{}{}, sets: newSetBook(),
	}
}

// touch moves a rec to the end of the list of changes.
func (h *Hub) touch(r *rec) uint64 {
	s := h.seq.bump()
	r.seq = s
	h.moveToEnd(r)
	return s
}

// rec returns the rec of an ID, and creates it if necessary. The ID must not be
// modified afterwards.
func (h *Hub) rec(id *object.ID) *rec {
	r := h.recs[*id]
	if r == nil {
		r = &rec{id: id, rare: noRare}
		h.recs[*r.id] = r
	}
	return r
}

func (h *Hub) planDirty() {
	h.planned = false
	h.Kick()
}

// Bump numbers a change that is kept elsewhere.
func (h *Hub) Bump() uint64 { return h.seq.bump() }

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

// Size counts the known objects, those that are not shown, and those whose
// deletion has not been handed over.
func (h *Hub) Size() (known, hidden, dead int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.recs), len(h.hidden), len(h.dead)
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
	if h.all || h.none {
		return
	}
	for _, id := range children {
		if _, ok := h.wanted[id]; ok {
			continue
		}
		h.wanted[id] = struct{}{}
		if r := h.recs[id]; r != nil {
			h.maybeFollow(r)
		}
	}
}

// Upsert stores o, as delivered by src. A version older than the known one is
// ignored.
func (h *Hub) Upsert(src *Source, o *object.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.put(src, o, false)
}

func (h *Hub) put(src *Source, o *object.Object, epoch bool) {
	if _, ok := h.sources[src]; !ok {
		return // the source has been closed
	}
	r := h.rec(&o.ID)
	if _, ok := src.recs[r]; !ok {
		src.recs[r] = struct{}{}
		r.addSource(src)
	}
	if old := r.obj; old != nil {
		if old.ResourceVersion == o.ResourceVersion && old.UID == o.UID {
			h.maybeSelect(src, r)
			return
		}
		if !epoch && older(o.ResourceVersion, old.ResourceVersion) {
			return
		}
		if old.UID != o.UID {
			h.bury(r, false)
		} else if o.Kind == "Service" || len(old.Owners) != len(o.Owners) {
			// Other parents' selectors are immutable.
			if _, ok := h.followed[r]; ok {
				h.followed[r] = edges.Needs(o)
				h.planDirty()
			}
		}
	} else if !epoch && older(o.ResourceVersion, r.goneRV) {
		return // the object of that version exists; it has only left a selection
	}
	if l := h.lent[o.ID]; l != nil {
		delete(h.lent, o.ID)
		if r.told == "" {
			r.told = l.UID
		}
	}
	h.unhide(r)
	mark := r.mark()
	r.is(h.sorted(o))
	r.absent = false
	if r.mark() != mark {
		r.rootSeq = h.touch(r)
	}
	h.maybeSelect(src, r)
	h.noteSet(src, r)
	switch {
	case r.shown:
		r.objSeq = h.touch(r)
		h.maybeFollow(r)
	case r.isRoot() || h.referred(o):
		h.show(r)
	default:
		h.hide(r)
	}
}

// Remove notes that src has reported o as deleted.
func (h *Hub) Remove(src *Source, o *object.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.recs[o.ID]
	if _, ok := h.sources[src]; !ok {
		return
	}
	if l := h.lent[o.ID]; l != nil && l.UID == o.UID && !h.lends(o.ID) {
		h.takeBack(l)
	}
	if r == nil {
		return
	}
	if r.obj != nil && o.UID != "" && r.obj.UID != o.UID {
		return // a new object of that name exists already
	}
	r.own().goneRV = o.ResourceVersion
	h.lose(src, r, !src.spec.Selects(), false)
}

// lose removes src from r's sources. The object is gone when no source delivers
// it any more, or if src is certain.
func (h *Hub) lose(src *Source, r *rec, certain, dropped bool) {
	delete(src.recs, r)
	h.asideChanged(src)
	r.dropSource(src)
	if r.src != nil && !certain {
		return
	}
	for other := range r.sources() {
		delete(other.recs, r)
	}
	if r.src = nil; len(r.others) > 0 {
		r.own().others = nil
	}
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
	h.setChanged(*r.id)
	h.letGo(r)
	if r.told == r.obj.UID && r.obj.UID != "" {
		s := h.touch(r)
		r.own().gone = append(r.gone, stamped[feed.Gone]{s, feed.Gone{ID: *r.id, UID: r.obj.UID, Dropped: dropped}})
	}
	if needs, ok := h.followed[r]; ok {
		delete(h.followed, r)
		if len(needs) > 0 && !h.covered(r.obj) {
			h.orphans = append(h.orphans, orphan{needs, h.now().Add(orphanTime)})
			h.planDirty()
		}
	}
	h.unhide(r)
	if r.mark() != "" {
		r.rootSeq = h.touch(r)
	}
	r.is(nil)
}

// forget drops a rec without content; one whose deletion has not been handed
// over is dropped later.
func (h *Hub) forget(r *rec) {
	if r.obj != nil || r.isRoot() || r.src != nil {
		return
	}
	if len(r.gone) == 0 && r.root == nil {
		h.unlink(r)
		delete(h.recs, *r.id)
		return
	}
	r.shown = false
	h.dead = append(h.dead, r)
}

// reap drops the dead recs whose deletion has been handed over.
func (h *Hub) reap(since uint64) {
	h.dead = slices.DeleteFunc(h.dead, func(r *rec) bool {
		if r.obj != nil || r.isRoot() || r.src != nil {
			return true // the object exists again
		}
		if r.seq > since {
			return false
		}
		h.unlink(r)
		if h.recs[*r.id] == r {
			delete(h.recs, *r.id)
		}
		return true
	})
}

func (h *Hub) setAbsent(r *rec) {
	if r.absent || r.obj != nil {
		return
	}
	h.missing(r)
	r.absent = true
	r.absentSeq = h.touch(r)
}

// Replace notes that a completed list of src holds exactly these objects. Only
// here absence is decided.
func (h *Hub) Replace(src *Source, list []*object.Object, rv string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// A list older than the previous one means a restored etcd: then the list
	// is right and the known state is not.
	epoch := src.listRV != "" && rv != "" && older(rv, src.listRV)
	src.listRV = rv
	if _, ok := h.sources[src]; !ok {
		return
	}
	listed := make(map[*rec]struct{}, len(list))
	for _, o := range list {
		h.put(src, o, epoch)
		listed[h.recs[o.ID]] = struct{}{}
	}
	for r := range src.recs {
		if _, ok := listed[r]; ok {
			continue
		}
		if r.obj != nil && !epoch && rv != "" && older(rv, r.obj.ResourceVersion) {
			continue // another source has a newer version
		}
		r.own().goneRV = rv
		h.lose(src, r, !src.spec.Selects(), false)
	}
	for r := range h.roots {
		if !src.spec.Covers(*r.id) {
			continue
		}
		// The object was unknown, or its source has an older version.
		if _, ok := listed[r]; !ok && r.obj != nil && (r.src == nil || older(r.obj.ResourceVersion, rv)) {
			r.own().goneRV = rv
			h.lose(src, r, true, false)
		}
		if r.obj == nil {
			h.setAbsent(r)
		}
	}
	h.recall(src)
	h.asideChanged(src)
}
