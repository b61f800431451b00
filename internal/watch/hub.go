package watch

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
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

	recs         *status.Table[*rec]
	oldest, last *rec                  // the change list
	offers       map[string]struct{}   // keys that followed objects offer
	offered      []string              // offers that are new since the last sweep
	hiddenBy     map[string][]*rec     // the hidden, by what they refer to
	hidden       map[*rec]struct{}     // delivered, but nothing that is shown leads to them (yet)
	followed     map[*rec][]edges.Need // recs whose children are sought, and where
	orphans      []orphan              // needs of parents that are gone, kept for a while

	all, none bool                   // children: all of them, none of them
	wanted    map[status.ID]struct{} // whose children are wanted; grows only

	sets    setBook           // what concerns inventories
	roots   map[*rec]struct{} // those that are roots now
	dead    []*rec            // nothing is left of them but what has to be told
	sources map[*source]struct{}
	closed  []closedSource
	beside  map[string]closedSource // states of what is asked for beside the sources, by key
	notices []stamped[status.Notice]
	events  map[string]*eventRec
	refs    map[status.ID]*refRec // answers to what is wanted on the side
	refsDue bool                  // some of it has not been asked for yet
	// lent is what was handed over as the answer to a reference, and what no
	// source has delivered since; recalled is what of it is gone.
	lent      map[status.ID]*status.Object
	recalled  []stamped[status.Gone]
	sorts     map[string]map[string]any // what references told of objects that are followed, by UID
	eventsDue map[string]struct{}       // namespaces with events that were wished for and not listed yet
	skew      time.Duration
	settled   bool // the first sync of many objects is over
	// onSettled is called then, under the lock.
	onSettled func()
	onLittle  func() // in its place while there are few
	crowded   bool   // there have been crowdedHub objects
	onCrowded func() // called then, under the lock
	planned   bool   // the plan is up to date with everything that is known
	resolved  bool   // every target has been looked up
	synced    bool
	gen       uint64 // of the newest Wants
	answered  uint64 // the gen whose every source has answered
	told      uint64 // the gen whose events have been listed, too
}

// size is how many objects there are.
func (h *hub) size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.recs.Len()
}

type stamped[T any] struct {
	seq uint64
	v   T
}

type closedSource = stamped[status.SourceState]

type eventRec struct {
	seq uint64
	ev  status.Event
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

// A crowd is so many parents that their first list is awaited before their
// children are sought, for so long at most.
const (
	crowd         = 20
	crowdPatience = time.Second
)

// syncFrames is how many frames lie between two batches then.
const syncFrames = 4

// orphanTime is how long the children of a deleted parent are still followed.
const orphanTime = time.Minute

// rec is all that is known about one name. There is one for every object: what
// few of them have stands apart.
type rec struct {
	id   *status.ID     // the object's, where there is one
	obj  *status.Object // nil: not there, or not known to be
	root *status.Root
	src  *source // who delivers it; see sources
	*rare

	// selected says that a selection made it a root, so that it ceases to be
	// one when it goes.
	selected bool
	shown    bool
	held     bool // not handed over until its inventory has been decided
	absent   bool
	told     string // the UID that was last handed over

	seq, objSeq, rootSeq, absentSeq uint64
	prev, next                      *rec
}

// rare is what few recs have: most share one that is empty.
type rare struct {
	others []*source // who delivers it, beside src
	gone   []stamped[status.Gone]
	goneRV string
}

var noRare = &rare{}

// own is what the rec has of what few have, to be written to.
func (r *rec) own() *rare {
	if r.rare == noRare {
		r.rare = &rare{}
	}
	return r.rare
}

// is sets the object of a rec; nil where there is none (any more).
func (r *rec) is(o *status.Object) {
	switch {
	case o != nil:
		r.id = &o.ID
	case r.obj != nil:
		r.id = new(*r.id) // so that nothing holds the object
	}
	r.obj = o
}

// sources are those that deliver it.
func (r *rec) sources() iter.Seq[*source] {
	return func(yield func(*source) bool) {
		if r.src == nil || !yield(r.src) {
			return
		}
		for _, s := range r.others {
			if !yield(s) {
				return
			}
		}
	}
}

func (r *rec) addSource(s *source) {
	if r.src == nil {
		r.src = s
		return
	}
	r.own().others = append(r.others, s)
}

func (r *rec) dropSource(s *source) {
	if len(r.others) > 0 {
		list := slices.DeleteFunc(r.others, func(o *source) bool { return o == s })
		if r.src == s {
			r.src = list[0] // before Delete clears it
			list = slices.Delete(list, 0, 1)
		}
		r.own().others = list
	} else if r.src == s {
		r.src = nil
	}
}

func newHub(frame time.Duration, children string, now func() time.Time) *hub {
	return &hub{
		frame: frame, now: now, kick: func() {}, onSettled: func() {}, onLittle: func() {}, onCrowded: func() {},
		recs: status.NewTable(func(r *rec) *status.ID { return r.id }), offers: map[string]struct{}{}, hidden: map[*rec]struct{}{}, hiddenBy: map[string][]*rec{},
		followed: map[*rec][]edges.Need{}, wanted: map[status.ID]struct{}{}, sources: map[*source]struct{}{},
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
func (h *hub) rec(id *status.ID) *rec {
	r := h.recs.At(*id)
	if r == nil {
		r = &rec{id: id, rare: noRare}
		h.recs.Put(r)
		if !h.crowded && h.recs.Len() >= crowdedHub {
			h.crowded = true
			h.onCrowded()
		}
	}
	return r
}

// setRoot makes an object a root, or changes how it is one.
func (h *hub) setRoot(root status.Root) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.putRoot(root)
}

func (h *hub) putRoot(root status.Root) {
	r := h.recs.At(root.ID)
	if r != nil && r.root != nil && *r.root == root {
		return
	}
	mine := new(root) // on the heap, as most are known already
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

func (h *hub) unroot(r *rec) {
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
		h.bury(r)
	}
	r.absent, r.selected = false, false
	r.rootSeq = h.touch(r)
	h.forget(r)
}

// setRoots replaces the roots that are named: all at once, so that a batch has
// either none or all of what an inventory lists anew. What selections found
// stays.
func (h *hub) setRoots(p rootPlan, selections map[int]*target) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sets.asides, h.sets.schemed = p.asides, p.schemed
	for _, r := range p.list {
		h.putRoot(r)
	}
	for r := range h.roots {
		if _, named := p.at[*r.id]; !named && (!r.selected || len(selections) == 0) {
			h.unroot(r)
		}
	}
	h.releaseDecided(p.decided)
}

// release is what setRoots does where the roots stay as they are.
func (h *hub) release(decided func(status.ID, string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.releaseDecided(decided)
}

func (r *rec) isRoot() bool { return r.root != nil && !r.root.Removed }

// show makes a rec visible to batches and follows it where children are wanted.
func (h *hub) show(r *rec) {
	if !r.shown {
		r.shown = true
		h.unhide(r)
		if r.obj != nil {
			r.objSeq = h.touch(r)
		}
	}
	h.maybeFollow(r)
}

// maybeFollow adds what an object offers to the keys by which children are
// recognised. In auto mode that is for objects whose children are wanted, and
// for what stands under them.
func (h *hub) maybeFollow(r *rec) {
	if r.obj == nil || !r.shown || h.none || r.obj.Pod != nil {
		return
	}
	if _, ok := h.followed[r]; !ok {
		if !h.all && !h.under(r) {
			return
		}
		h.follow(r)
	}
	var buf [16]string
	for _, k := range edges.Offers(r.obj, buf[:0]) {
		if _, ok := h.offers[k]; !ok {
			h.offers[k] = struct{}{}
			h.offered = append(h.offered, k)
		}
	}
}

// follow seeks the children of r. The plan has to change only when they are not
// found already.
func (h *hub) follow(r *rec) {
	needs := edges.Needs(r.obj)
	h.followed[r] = needs
	if len(needs) > 0 && !h.covered(r.obj) {
		h.planDirty()
	}
}

// under reports whether r's children are wanted: by name, or because r itself
// stands under a parent that is followed.
func (h *hub) under(r *rec) bool {
	if _, ok := h.wanted[*r.id]; ok {
		return true
	}
	return h.referred(r.obj)
}

// referred reports whether o refers to something that is followed. (A Pod
// refers to its own UID as well, which an EndpointSlice may offer.)
func (h *hub) referred(o *status.Object) bool {
	var buf [8]string
	for _, k := range edges.Refers(o, buf[:0]) {
		if _, ok := h.offers[k]; ok && k != "" {
			return true
		}
	}
	return false
}

// sweep shows the hidden objects that have come to stand under something that
// is followed. Those may be parents of others.
func (h *hub) sweep() {
	for len(h.offered) > 0 {
		k := h.offered[len(h.offered)-1]
		h.offered = h.offered[:len(h.offered)-1]
		list := h.hiddenBy[k]
		delete(h.hiddenBy, k)
		for _, r := range list {
			if _, ok := h.hidden[r]; ok {
				h.show(r)
			}
		}
	}
}

// hide keeps an object that nothing leads to yet.
func (h *hub) hide(r *rec) {
	h.hidden[r] = struct{}{}
	var buf [8]string
	for _, k := range edges.Refers(r.obj, buf[:0]) {
		if k != "" {
			h.hiddenBy[k] = append(h.hiddenBy[k], r)
		}
	}
}

// unhide takes it from among the hidden, with the object that it was hidden
// with.
func (h *hub) unhide(r *rec) {
	if _, ok := h.hidden[r]; !ok {
		return
	}
	delete(h.hidden, r)
	var buf [8]string
	for _, k := range edges.Refers(r.obj, buf[:0]) {
		list := h.hiddenBy[k]
		i := slices.Index(list, r)
		switch {
		case i < 0:
		case len(list) == 1:
			delete(h.hiddenBy, k)
		default:
			h.hiddenBy[k] = slices.Delete(list, i, i+1)
		}
	}
}

func (h *hub) planDirty() {
	h.planned = false
	h.kick()
}

// want replaces what is wanted beyond the roots. Children once wanted stay so:
// a parent that has become Current keeps its rows.
func (h *hub) want(gen uint64, children []status.ID) {
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
		if r := h.recs.At(id); r != nil {
			h.maybeFollow(r)
		}
	}
}

// upsert tells that src has seen o. Older news than what is known is ignored.
func (h *hub) upsert(src *source, o *status.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.put(src, o, false)
}

func (h *hub) put(src *source, o *status.Object, epoch bool) {
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
			h.bury(r)
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

// maybeSelect makes a root of what a selection delivers.
func (h *hub) maybeSelect(src *source, r *rec) {
	selected, ok := src.selects(r.obj)
	if !ok || r.isRoot() {
		return
	}
	root := selected // on the heap, as most objects are nobody's roots
	r.root = &root
	h.roots[r] = struct{}{}
	r.selected = true
	if !root.In.IsZero() {
		h.kick() // the set is not empty any more
	}
	h.maybeHold(r)
	r.rootSeq = h.touch(r)
	h.show(r)
}

// remove tells that src has seen o go.
func (h *hub) remove(src *source, o *status.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.recs.At(o.ID)
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
	h.lose(src, r, src.spec.selector == "")
}

// lose takes r from src. The object is gone when nobody delivers it any more,
// or when src knows for certain.
func (h *hub) lose(src *source, r *rec, certain bool) {
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
	h.bury(r)
	switch {
	case r.selected && r.isRoot():
		h.unroot(r)
	case r.isRoot():
		h.setAbsent(r)
	default:
		h.forget(r)
	}
}

// bury records that the present object of a rec is gone.
func (h *hub) bury(r *rec) {
	if r.obj == nil {
		return
	}
	h.setChanged(*r.id)
	h.letGo(r)
	if r.told == r.obj.UID && r.obj.UID != "" {
		s := h.touch(r)
		r.own().gone = append(r.gone, stamped[status.Gone]{s, status.Gone{ID: *r.id, UID: r.obj.UID}})
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
		h.recs.Delete(*r.id)
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
		if h.recs.At(*r.id) == r {
			h.recs.Delete(*r.id)
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
func (h *hub) replace(src *source, list []*status.Object, rv string) {
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
		listed[h.recs.At(o.ID)] = struct{}{}
	}
	for r := range src.recs {
		if _, ok := listed[r]; ok {
			continue
		}
		if r.obj != nil && !epoch && rv != "" && older(rv, r.obj.ResourceVersion) {
			continue // another source has newer news than this list
		}
		r.own().goneRV = rv
		h.lose(src, r, src.spec.selector == "")
	}
	for r := range h.roots {
		if !src.spec.covers(*r.id) {
			continue
		}
		if _, ok := listed[r]; !ok && r.obj != nil && r.src == nil {
			r.own().goneRV = rv
			h.bury(r) // nobody knew, and now somebody does
		}
		if r.obj == nil {
			h.setAbsent(r)
		}
	}
	h.recall(src)
	h.asideChanged(src)
}

// drop forgets a source that is no longer needed, and what only it delivered.
func (h *hub) drop(src *source) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.sources[src]; !ok {
		return
	}
	delete(h.sources, src)
	for r := range src.recs {
		h.lose(src, r, false)
	}
	st := src.state
	st.Phase, st.Since = status.Closed, h.now()
	h.closed = append(h.closed, closedSource{h.bump(), st})
	h.checkSynced()
}

// add makes a source known.
func (h *hub) add(src *source) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sources[src] = struct{}{}
	src.state.Since = h.now()
	src.stateSeq = h.bump()
	h.checkSynced()
}

// setState publishes a source's state; f changes it.
func (h *hub) setState(src *source, f func(*status.SourceState)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.sources[src]; !ok {
		return
	}
	old := src.state
	f(&src.state)
	src.state.LastData = src.lastData()
	src.state.Objects = len(src.recs)
	if old.Phase != src.state.Phase {
		src.state.Since = h.now()
	}
	a, b := old, src.state
	a.LastData, b.LastData, a.Objects, b.Objects = time.Time{}, time.Time{}, 0, 0
	if a == b {
		return
	}
	switch src.state.Phase {
	case status.Live, status.Forbidden, status.NotServed:
		if !src.answered {
			src.answered = true
			if src.sel != nil && !src.sel.target.In.IsZero() {
				h.planned = false // only a plan can say that the set is complete now
			}
			h.sourceAnswered(src)
			h.kick() // what this source replaces can be closed
		}
	}
	if old.Phase != src.state.Phase {
		h.asideChanged(src)
	}
	src.stateSeq = h.bump()
	h.checkSynced()
}

// cutOff are the sources that are stale because the server is not reached.
func (h *hub) cutOff() (out []*source) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.sources {
		if s.cut && s.state.Phase == status.Stale {
			out = append(out, s)
		}
	}
	return out
}

// tellSource publishes the state of something that is asked for beside the
// sources. Nothing waits for it.
func (h *hub) tellSource(st status.SourceState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old, ok := h.beside[st.Key]
	if st.Phase == status.Closed {
		if ok {
			delete(h.beside, st.Key)
			h.closed = append(h.closed, closedSource{h.bump(), st})
		}
		return
	}
	if ok && old.v.Phase == st.Phase && old.v.Error == st.Error {
		return
	}
	if h.beside == nil {
		h.beside = map[string]closedSource{}
	}
	st.Since = h.now()
	h.beside[st.Key] = closedSource{h.bump(), st}
}

func (h *hub) checkSynced() {
	s := h.planned && h.resolved && h.sets.idle()
	if s {
		for src := range h.sources {
			if !src.answered {
				s = false
				break
			}
		}
	}
	if s != h.synced {
		h.synced = s
		h.bump()
		switch {
		case !s || h.settled:
		case h.recs.Len() >= manyObjects:
			h.settled = true
			h.onSettled()
		default:
			h.onLittle()
		}
	}
	if s && !h.refsDue && h.answered != h.gen {
		h.answered = h.gen
		h.bump()
	}
	if h.answered == h.gen && len(h.eventsDue) == 0 && h.told != h.gen {
		h.told = h.gen
		h.bump()
	}
}

// setPlanned says that the plan is up to date, unless something changed since
// the plan was begun.
func (h *hub) setPlanned(resolved bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.resolved = resolved
	h.checkSynced()
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
		case r.crowded(now):
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

// crowded reports whether r is one of many that its source has begun to list.
func (r *rec) crowded(now time.Time) bool {
	for s := range r.sources() {
		if s.answered || max(len(s.recs), len(s.keep)) < crowd || now.Sub(s.state.Since) >= crowdPatience {
			return false
		}
	}
	return r.src != nil
}

// covered reports whether a followed owner's needs find o's children already.
func (h *hub) covered(o *status.Object) bool {
	if o.Kind != "ReplicaSet" {
		return false
	}
	c, ok := o.Controller()
	if !ok {
		return false
	}
	p := h.recs.At(status.ID{Group: c.Group, Kind: c.Kind, Namespace: o.Namespace, Name: c.Name})
	if p == nil || p.obj == nil || p.obj.UID != c.UID {
		return false
	}
	_, followed := h.followed[p]
	return followed && edges.Covered(p.obj, o)
}

func (h *hub) notice(n status.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n.At.IsZero() {
		n.At = h.now()
	}
	h.notices = append(h.notices, stamped[status.Notice]{h.bump(), n})
	if len(h.notices) > 500 {
		h.notices = slices.Delete(h.notices, 0, len(h.notices)-500)
	}
}

func (h *hub) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = err
		h.bump()
	}
}

// object returns what is known under a name, or nil.
func (h *hub) object(id status.ID) *status.Object {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.recs.At(id); r != nil && r.obj != nil {
		return r.obj
	}
	if r := h.refs[id]; r != nil && id.Name != "" && len(r.objects) > 0 {
		return r.objects[0]
	}
	return nil
}

// next waits for a change after since and hands over all of them.
func (h *hub) next(ctx context.Context, since uint64) (status.Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return status.Batch{}, err
		}
		h.mu.Lock()
		h.sweep()
		if h.err != nil {
			defer h.mu.Unlock()
			return status.Batch{}, h.err
		}
		if h.seq > since {
			wait := h.pace() - h.now().Sub(h.lastOut)
			if wait <= 0 {
				b := h.collect(since)
				h.mu.Unlock()
				return b, nil
			}
			h.mu.Unlock()
			t := time.NewTimer(min(wait, h.frame)) // the pace may quicken
			select {
			case <-ctx.Done():
				t.Stop()
			case <-t.C:
			}
			continue
		}
		if h.waiting == nil {
			h.waiting = make(chan struct{})
		}
		w := h.waiting
		h.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-w:
		}
	}
}

// pace is how long lies between two batches: a frame; a few of them while the
// first sync of many objects goes on, since each batch has the receiver look at
// everything once.
func (h *hub) pace() time.Duration {
	if !h.synced && !h.settled && h.seq-h.firstOut > manyObjects {
		return syncFrames * h.frame
	}
	return h.frame
}

// collect is the union of all changes after since.
func (h *hub) collect(since uint64) status.Batch {
	h.lastOut = h.now()
	if h.recs.Len() > 0 && h.firstOut == 0 {
		h.firstOut = h.seq
	}
	b := status.Batch{Seq: h.seq, At: h.lastOut, Synced: h.synced, Answered: h.answered, Told: h.told}
	if h.skew.Abs() >= 2*time.Second {
		b.Skew = status.Duration(h.skew.Round(time.Second))
	}
	first := h.last
	for first != nil && first.prev != nil && first.prev.seq > since {
		first = first.prev
	}
	if first != nil && first.seq <= since {
		first = nil
	}
	for r := first; r != nil; {
		following := r.next
		if r.root != nil && r.rootSeq > since && (since > 0 || !r.root.Removed) {
			b.Roots = append(b.Roots, r.asRoot())
		}
		if len(r.gone) > 0 {
			r.own().gone = slices.DeleteFunc(r.gone, func(g stamped[status.Gone]) bool {
				if g.seq > since && since > 0 {
					b.Gone = append(b.Gone, g.v)
				}
				return g.seq <= since || since == 0
			})
		}
		if r.shown && r.absent && r.absentSeq > since {
			b.Absent = append(b.Absent, *r.id)
		}
		if r.shown && r.obj != nil && r.objSeq > since && !r.held {
			b.Objects = append(b.Objects, r.obj)
			r.told = r.obj.UID
		}
		r = following
	}
	h.recalled = slices.DeleteFunc(h.recalled, func(g stamped[status.Gone]) bool {
		if g.seq > since && since > 0 {
			b.Gone = append(b.Gone, g.v)
		}
		return g.seq <= since
	})
	h.reap(since)
	for src := range h.sources {
		if src.stateSeq > since {
			st := src.state
			st.LastData, st.Objects = src.lastData(), len(src.recs)
			b.Sources = append(b.Sources, st)
		}
	}
	for _, c := range h.closed {
		if c.seq > since && since > 0 {
			b.Sources = append(b.Sources, c.v)
		}
	}
	h.closed = slices.DeleteFunc(h.closed, func(c closedSource) bool { return c.seq <= since })
	for _, c := range h.beside {
		if c.seq > since {
			b.Sources = append(b.Sources, c.v)
		}
	}
	h.collectRefs(since, &b)
	slices.SortFunc(b.Sources, func(x, y status.SourceState) int {
		if x.Key < y.Key {
			return -1
		}
		return 1
	})
	for _, n := range h.notices {
		if n.seq > since {
			b.Notices = append(b.Notices, n.v)
		}
	}
	h.notices = slices.DeleteFunc(h.notices, func(n stamped[status.Notice]) bool { return n.seq <= since })
	for uid, e := range h.events {
		if e.seq > since {
			b.Events = append(b.Events, e.ev)
			if e.ev.Gone {
				delete(h.events, uid)
			}
		}
	}
	slices.SortFunc(b.Events, func(x, y status.Event) int { return x.Last.Compare(y.Last) })
	return b
}

// older reports whether resource version a is older than b. Versions that
// cannot be compared are taken for newer: the news wins.
func older(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	c, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && c < 0
}
