package hub

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// rec holds the state of one ID.
type rec struct {
	id      object.ID
	obj     *object.Object // nil: it does not exist, or is not known yet
	root    *feed.Root
	sources []*Intake // those that deliver it
	goneRV  string    // the version at which it was last gone

	selected  bool // a selection made it a root, until it is deleted
	shown     bool
	absent    bool
	delivered bool // the object is in some batch

	changed change // what has not been handed over; if anything, it is among the hub's dirty
}

// change is what of a rec has changed.
type change uint8

const (
	objectChanged change = 1 << iota // or it is absent
	rootChanged
)

func (r *rec) isRoot() bool { return r.root != nil && !r.root.Removed }

// rec returns the rec of an ID, and creates it if necessary.
func (h *Hub) rec(id object.ID) *rec {
	r := h.recs[id]
	if r == nil {
		r = &rec{id: id, goneRV: h.deleted[id]}
		h.recs[id] = r
	}
	return r
}

// touch notes what of a rec has changed.
func (h *Hub) touch(r *rec, what change) {
	if r.changed == 0 {
		h.dirty = append(h.dirty, r)
	}
	r.changed |= what
	h.Bump()
}

// Upsert stores an object that the source delivers, unless a newer version is known.
func (src *Intake) Upsert(o *object.Object) {
	h := src.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	src.noteVersion(o)
	if src.spec.Search {
		src.note(o)
		return
	}
	h.put(src, o, false)
}

// noteVersion notes the version of an event.
func (src *Intake) noteVersion(o *object.Object) {
	if !older(o.ResourceVersion, src.newestVersion) {
		src.newestVersion = o.ResourceVersion
	}
}

func (h *Hub) put(src *Intake, o *object.Object, epoch bool) {
	if !h.sources.Has(src) {
		return // the source has been closed
	}
	r := h.rec(o.ID)
	if r.obj == nil && !epoch && older(o.ResourceVersion, r.goneRV) {
		h.forget(r)
		return // an object of the very version exists: that has only left a selection
	}
	if !src.recs.Has(r) {
		src.recs.Insert(r)
		src.objects.Store(int32(len(src.recs)))
		r.sources = append(r.sources, src)
		if src.spec.Ref && r.obj != nil {
			h.touch(r, objectChanged)
		}
	}
	if old := r.obj; old != nil {
		same := old.UID == o.UID
		if same && o.MetadataOnly && o.Tree == nil && old.Tree != nil {
			o = new(*o)
			o.Tree = old.Tree // only a reference reports it: the type of a Secret, which is immutable
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
			if o.Service != nil {
				h.selecting.Set(r, r.id.Namespace, o.Service.Selector)
			}
			h.planDirty()
		}
	}
	mark := r.mark()
	r.obj = o
	r.absent = false
	if r.mark() != mark {
		h.touch(r, rootChanged)
	}
	h.maybeSelect(src, r)
	h.mayDecide(src)
	h.decide(h.neededBy[o.ID]...)
	h.maybeHold(r)
	if r.shown || r.deliveredBy(true) {
		h.touch(r, objectChanged)
	}
	h.maybeFollow(r)
	if h.maybeShow(r); !r.shown {
		h.hidden.Insert(r)
	}
}

// Remove notes that the source has reported o as deleted.
func (src *Intake) Remove(o *object.Object) {
	h := src.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.sources.Has(src) {
		return
	}
	src.noteVersion(o)
	if src.spec.Search {
		src.unnote(o.ID)
		return
	}
	r := h.recs[o.ID]
	if r == nil || r.obj != nil && o.UID != "" && r.obj.UID != o.UID {
		return // a new object of that name exists already
	}
	r.goneRV = o.ResourceVersion
	h.lose(src, r, !src.spec.Selects(), src.spec.Child && src.spec.Selects() && leftAlive(o))
}

// leftAlive reports whether a Pod that a selector no longer delivers is more likely to
// have lost its label than to have been deleted: Pods on a node end with a deletion time,
// which only "kubectl delete --force" spares. Of other kinds nothing can be concluded:
// the garbage collector deletes at once.
func leftAlive(o *object.Object) bool { return o.Pod != nil && o.Pod.Node != "" && o.Deleted.IsZero() }

// lose removes src from r's sources. The object is gone with the last, or if src is certain.
func (h *Hub) lose(src *Intake, r *rec, certain, dropped bool) {
	delete(src.recs, r)
	src.objects.Store(int32(len(src.recs)))
	h.mayDecide(src)
	r.sources = slices.DeleteFunc(r.sources, func(s *Intake) bool { return s == src })
	if len(r.sources) > 0 && !certain {
		h.reselect(src, r)
		h.demote(r)
		return
	}
	if src.spec.Ref && dropped && r.delivered && r.leftOver() {
		h.keepLeftOver(r)
		return
	}
	for _, other := range r.sources {
		other.recs.Delete(r)
		other.objects.Store(int32(len(other.recs)))
	}
	r.sources = nil
	if !certain && r.isRoot() && !r.selected {
		return // a selection, or a source with another filter, does not know: r's own source will tell
	}
	h.bury(r, dropped)
	switch {
	case r.selected:
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
	h.noteGone(r.id)
	delete(h.held, r)
	h.hidden.Delete(r)
	if r.delivered && r.obj.UID != "" {
		h.post(func() { h.next.Gone = append(h.next.Gone, feed.Gone{ID: r.id, UID: r.obj.UID, Dropped: dropped}) })
	}
	r.delivered = false
	if needs, ok := h.followed[r]; ok {
		delete(h.followed, r)
		h.selecting.Delete(r)
		if len(needs) > 0 && !h.covered(r.obj) {
			h.orphans = append(h.orphans, orphan{needs, h.now().Add(orphanTime)})
			h.planDirty()
		}
	}
	if r.mark() != "" {
		h.touch(r, rootChanged)
	}
	r.obj = nil
}

// forget drops a rec without content.
func (h *Hub) forget(r *rec) {
	if r.obj != nil || r.isRoot() || len(r.sources) > 0 {
		return
	}
	delete(h.recs, r.id)
	if r.goneRV != "" && !h.synced {
		h.deleted[r.id] = r.goneRV
	}
	if r.root == nil { // otherwise a batch has yet to say that it is none any more
		r.changed = 0
	}
}

func (h *Hub) setAbsent(r *rec) {
	if r.absent || r.obj != nil {
		return
	}
	if h.schemed[r.id] && r.isRoot() && r.root.In.IsZero() {
		h.decision(r.id) // an inventory that the user named is searched for
	}
	h.noteGone(r.id)
	r.absent = true
	h.touch(r, objectChanged)
}

// Replace notes that a completed list holds exactly these objects: others are absent.
func (src *Intake) Replace(list []*object.Object, rv string) {
	h := src.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	// A list older than what the source itself has delivered means a restored etcd:
	// then the list is right and the known state is not. Of a name the object's
	// version counts: what a GET answers has no other.
	at := rv
	if src.spec.Name != "" && len(list) > 0 {
		at = list[0].ResourceVersion
	}
	epoch := older(at, src.newestVersion)
	src.newestVersion = at
	if !h.sources.Has(src) {
		return
	}
	if src.spec.Search {
		src.owned = nil
		for _, o := range list {
			src.note(o)
		}
		return
	}
	listed := make(sets.Set[*rec], len(list))
	for _, o := range list {
		r := h.recs[o.ID]
		if epoch || r == nil || r.obj != o || !src.recs.Has(r) { // otherwise it came while the list was streamed
			h.put(src, o, epoch)
			r = h.recs[o.ID]
		}
		listed.Insert(r)
	}
	for r := range src.recs {
		if listed.Has(r) || !epoch && older(rv, r.obj.ResourceVersion) {
			continue // another source has a newer version
		}
		r.goneRV = rv
		h.lose(src, r, !src.spec.Selects() && !src.spec.Ref, false) // another source may know a newer one than a reference
	}
	for _, r := range h.recs { // the list would contain it
		if r.leftOver() && src.covers(r.id) {
			h.bury(r, false)
			h.forget(r)
		}
	}
	id := src.spec.Resource.ID(src.spec.Namespace, src.spec.Name)
	switch {
	case len(list) > 0:
		src.absent = false
	case src.spec.Ref && id.Name != "" && !src.spec.Lookup && !src.absent && h.recs[id] == nil:
		src.absent = true
		h.post(func() { h.next.Absent = append(h.next.Absent, id) })
	}
	for r := range h.roots {
		switch {
		case !src.covers(r.id) || listed.Has(r):
		case r.obj == nil: // it was unknown
			h.setAbsent(r)
		case len(r.sources) == 0 || older(r.obj.ResourceVersion, rv): // its source has an older version
			r.goneRV = rv
			h.lose(src, r, true, false)
		}
	}
	h.mayDecide(src)
}

// deliveredBy reports whether a reference delivers the object, or a source of
// another kind. If only references do, it is no row: it is handed over as one that
// was looked up.
func (r *rec) deliveredBy(ref bool) bool {
	return slices.ContainsFunc(r.sources, func(s *Intake) bool { return s.spec.Ref == ref })
}

// leftOver reports whether the object was only looked up, and its reference is wanted
// no longer. The receiver keeps it, as of then, until a source knows better.
func (r *rec) leftOver() bool { return r.obj != nil && len(r.sources) == 0 && !r.isRoot() }

// leftOverMost is how many objects are kept that were only looked up, and are wanted no longer.
const leftOverMost = 500

// keepLeftOver keeps the newest of the objects that nobody wants any more.
func (h *Hub) keepLeftOver(r *rec) {
	h.leftOver = append(h.leftOver, r)
	if len(h.leftOver) <= leftOverMost {
		return
	}
	oldest := h.leftOver[0]
	h.leftOver = slices.Delete(h.leftOver, 0, 1)
	if oldest.leftOver() && h.recs[oldest.id] == oldest {
		h.bury(oldest, true)
		h.forget(oldest)
	}
}

// demote makes an object that only references still deliver one that was looked up.
func (h *Hub) demote(r *rec) {
	if !r.shown || r.isRoot() || r.obj == nil || r.deliveredBy(false) {
		return
	}
	o := r.obj
	h.bury(r, true)
	r.shown = false
	h.put(r.sources[0], o, true)
}

// older reports whether resource version a is older than b. Versions that
// cannot be compared, and none, count as newer.
func older(a, b string) bool {
	c, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && c < 0
}
