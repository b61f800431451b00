package watch

import (
	"slices"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// hub is everything that is known, and its only writer. Sources tell it facts;
// next hands over what changed. It does no I/O; its lock is held for
// microseconds. What is remembered about an object is one rec; the recs that
// changed form a list in the order of their changes, so that handing over
// costs as much as there is to hand over.
type hub struct {
	frame time.Duration
	now   func() time.Time
	// kick is called, under the lock, when the plan may have to change.
	kick func()

	mu       sync.Mutex
	seq      uint64
	lastOut  time.Time
	firstOut uint64 // the seq of the first batch that had something in it
	waiting  chan struct{}
	err      error // the feed has ended

	recs         map[object.ID]*rec
	oldest, last *rec                  // the change list
	offers       map[string]struct{}   // keys that followed objects offer
	offered      []string              // offers that are new since the last sweep
	hiddenBy     map[string][]*rec     // the hidden, by what they refer to
	hidden       map[*rec]struct{}     // delivered, but nothing that is shown leads to them (yet)
	followed     map[*rec][]edges.Need // recs whose children are sought, and where
	orphans      []orphan              // needs of parents that are gone, kept for a while

	all, none bool                   // children: all of them, none of them
	wanted    map[object.ID]struct{} // whose children are wanted; grows only

	sets    setBook           // what concerns inventories
	roots   map[*rec]struct{} // those that are roots now
	dead    []*rec            // nothing is left of them but what has to be told
	sources map[*source]struct{}
	closed  []closedSource
	beside  map[string]closedSource // states of what is asked for beside the sources, by key
	notices []stamped[feed.Notice]
	events  map[string]*eventRec
	refs    map[object.ID]*refRec // answers to what is wanted on the side
	refsDue bool                  // some of it has not been asked for yet
	// lent is what was handed over as the answer to a reference, and what no
	// source has delivered since; recalled is what of it is gone.
	lent      map[object.ID]*object.Object
	recalled  []stamped[feed.Gone]
	sorts     map[string]map[string]any // what references told of objects that are followed, by UID
	eventsDue map[string]struct{}       // namespaces with events that were wished for and not listed yet
	skew      time.Duration
	settled   bool // the first sync of many objects is over
	// onSettled is called then, under the lock.
	onSettled func()
	planned   bool // the plan is up to date with everything that is known
	resolved  bool // every target has been looked up
	synced    bool
	gen       uint64 // of the newest Wants
	answered  uint64 // the gen whose every source has answered
	told      uint64 // the gen whose events have been listed, too
}

type stamped[T any] struct {
	seq uint64
	v   T
}

type eventRec struct {
	seq uint64
	ev  feed.Event
}

// orphan is what a parent that is gone still needs, until its children have
// gone too.
type orphan struct {
	needs []edges.Need
	until time.Time
}

// manyObjects is from how many objects on a first sync leaves memory behind that
// is worth giving back.
const manyObjects = 500

// Of manyParents and more their first list is awaited before their children are
// sought, for parentsPatience at most.
const (
	manyParents     = 20
	parentsPatience = time.Second
)

// syncFrames is how many frames lie between two batches of a first sync, and
// largeSyncFrames of one that has brought largeSync objects: what each batch has
// the receiver look at grows with them.
const (
	syncFrames      = 4
	largeSyncFrames = 8
	largeSync       = 20_000
)

// orphanTime is how long the children of a deleted parent are still followed.
const orphanTime = time.Minute

func newHub(frame time.Duration, children string, now func() time.Time) *hub {
	return &hub{
		frame: frame, now: now, kick: func() {}, onSettled: func() {},
		recs: map[object.ID]*rec{}, offers: map[string]struct{}{}, hidden: map[*rec]struct{}{}, hiddenBy: map[string][]*rec{},
		followed: map[*rec][]edges.Need{}, wanted: map[object.ID]struct{}{}, sources: map[*source]struct{}{},
		roots: map[*rec]struct{}{}, sets: newSetBook(),
		events: map[string]*eventRec{}, all: children == "all", none: children == "none",
	}
}

// bump starts a change and wakes who waits for one.
func (h *hub) bump() uint64 {
	h.seq++
	if h.waiting != nil {
		close(h.waiting)
		h.waiting = nil
	}
	return h.seq
}

// touch moves a rec to the end of the change list.
func (h *hub) touch(r *rec) uint64 {
	s := h.bump()
	r.seq = s
	if h.last == r {
		return s
	}
	h.unlink(r)
	r.prev = h.last
	if h.last != nil {
		h.last.next = r
	} else {
		h.oldest = r
	}
	h.last = r
	return s
}

func (h *hub) unlink(r *rec) {
	if r.prev != nil {
		r.prev.next = r.next
	} else if h.oldest == r {
		h.oldest = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	} else if h.last == r {
		h.last = r.prev
	}
	r.prev, r.next = nil, nil
}

// rec returns what is known about a name, made where it is not. The ID is not to
// be written to afterwards.
func (h *hub) rec(id *object.ID) *rec {
	r := h.recs[*id]
	if r == nil {
		r = &rec{id: id, rare: noRare}
		h.recs[*r.id] = r
	}
	return r
}

func (h *hub) planDirty() {
	h.planned = false
	h.kick()
}

// want replaces what is wanted beyond the roots. Children once wanted stay so:
// a parent that has become Current keeps its rows.
func (h *hub) want(gen uint64, children []object.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if gen < h.gen {
		return // overtaken
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

// upsert tells that src has seen o. Older news than what is known is ignored.
func (h *hub) upsert(src *source, o *object.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.put(src, o, false)
}

func (h *hub) put(src *source, o *object.Object, epoch bool) {
	if _, ok := h.sources[src]; !ok {
		return // it has been closed
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
			// Selectors of other parents are immutable.
			if _, ok := h.followed[r]; ok {
				h.followed[r] = edges.Needs(o)
				h.planDirty()
			}
		}
	} else if !epoch && older(o.ResourceVersion, r.goneRV) {
		return // of that very version it lives, and has but left a selection
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

// remove tells that src has seen o go.
func (h *hub) remove(src *source, o *object.Object) {
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
		return // another one of that name is there already
	}
	r.own().goneRV = o.ResourceVersion
	h.lose(src, r, !src.spec.Selects(), false)
}

// lose takes r from src. The object is gone when nobody delivers it any more,
// or when src knows for certain.
func (h *hub) lose(src *source, r *rec, certain, dropped bool) {
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
		return // who selects, or looks no longer, does not know: its own source will say
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

// bury records that the present object of a rec is gone, or dropped.
func (h *hub) bury(r *rec, dropped bool) {
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

// forget drops a rec about which there is nothing more to say, or puts it up
// for that once what is left to tell has been handed over.
func (h *hub) forget(r *rec) {
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

// reap drops the dead recs whose last change has been handed over.
func (h *hub) reap(since uint64) {
	h.dead = slices.DeleteFunc(h.dead, func(r *rec) bool {
		if r.obj != nil || r.isRoot() || r.src != nil {
			return true // it lives again
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

func (h *hub) setAbsent(r *rec) {
	if r.absent || r.obj != nil {
		return
	}
	h.missing(r)
	r.absent = true
	r.absentSeq = h.touch(r)
}

// replace tells that a completed list of src holds exactly these objects. It
// is the one place where absence is decided.
func (h *hub) replace(src *source, list []*object.Object, rv string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// A list older than the one before is the sign of a restored etcd: then
	// the list is right and what we know is not.
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
			continue // another source has newer news than this list
		}
		r.own().goneRV = rv
		h.lose(src, r, !src.spec.Selects(), false)
	}
	for r := range h.roots {
		if !src.spec.Covers(*r.id) {
			continue
		}
		// Nobody knew, and now somebody does; or who holds it has older news.
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

// needs appends what the followed parents need, and marks the plan as up to
// date. While more of their kind are still coming, parents wait (and the plan
// is not up to date): their children are found by one source then, not by one
// that is thrown away for a wider one.
func (h *hub) needs(out []edges.Need) (_ []edges.Need, waiting bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sweep()
	now := h.now()
	for r, needs := range h.followed {
		switch {
		case len(needs) == 0 || h.covered(r.obj):
		case r.amongMany(now):
			waiting = true
		default:
			out = append(out, needs...)
		}
	}
	h.planned = !waiting
	h.orphans = slices.DeleteFunc(h.orphans, func(o orphan) bool { return now.After(o.until) })
	for _, o := range h.orphans {
		out = append(out, o.needs...)
	}
	return out, waiting
}

// amongMany reports whether r is one of many that its source has begun to list.
func (r *rec) amongMany(now time.Time) bool {
	for s := range r.sources() {
		if s.answered || max(len(s.recs), len(s.keep)) < manyParents || now.Sub(s.state.Since) >= parentsPatience {
			return false
		}
	}
	return r.src != nil
}

// covered reports whether a followed owner's needs find o's children already.
func (h *hub) covered(o *object.Object) bool {
	if o.Kind != "ReplicaSet" {
		return false
	}
	c, ok := o.Controller()
	if !ok {
		return false
	}
	p := h.recs[object.ID{Group: c.Group, Kind: c.Kind, Namespace: o.Namespace, Name: c.Name}]
	if p == nil || p.obj == nil || p.obj.UID != c.UID {
		return false
	}
	_, followed := h.followed[p]
	return followed && edges.Covered(p.obj, o)
}
