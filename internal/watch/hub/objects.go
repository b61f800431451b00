package hub

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// record holds the state of one ID. It is one of these:
//
//	obj   root     intakes  shown  absent
//	nil   present  any      yes    no      a root of which nothing has been read yet
//	nil   present  none     yes    yes     a root that does not exist
//	set   present  any      yes    no      a root
//	set   none     some     no     no      an object that belongs below nothing followed: hidden
//	set   none     some     yes    no      a generated object, a row
//	any   Removed  any      yes    no      a root no longer, of which the next batch says so
//
// A record without an object, a root and intakes is forgotten.
type record struct {
	id      object.ID
	obj     *object.Object
	root    *feed.Root // see [record.isRoot]
	intakes []*Intake  // those that deliver it
	goneRV  string     // the version at which it was last gone: no older one brings it back

	selected  bool // a selection made it a root, until it is deleted
	shown     bool // it is in batches
	absent    bool // a complete answer lacks it
	delivered bool // the object is in some batch

	changed change // what has not been handed over; if anything, it is among the hub's dirty
}

// change is what of a record has changed.
type change uint8

const (
	objectChanged change = 1 << iota // or it is absent
	rootChanged
)

func (r *record) isRoot() bool { return r.root != nil && !r.root.Removed }

// recordOf returns the record of an ID, and creates it if necessary.
func (h *Hub) recordOf(id object.ID) *record {
	r := h.records[id]
	if r == nil {
		r = &record{id: id, goneRV: h.deleted[id]}
		h.records[id] = r
	}
	return r
}

// touch notes what of a record has changed.
func (h *Hub) touch(r *record, what change) {
	if r.changed == 0 {
		h.dirty = append(h.dirty, r)
	}
	r.changed |= what
	h.Wake()
}

// Upsert stores an object that the source delivers, unless a newer version is known.
func (src *Intake) Upsert(o *object.Object) {
	h := src.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	src.noteVersion(o)
	if src.spec.Role == plan.Search {
		src.noteOwners(o)
		return
	}
	h.put(src, o, false)
}

// noteVersion notes the version of an event.
func (src *Intake) noteVersion(o *object.Object) {
	if !sources.Older(o.ResourceVersion, src.newestVersion) {
		src.newestVersion = o.ResourceVersion
	}
}

// put stores an object that a source delivers, unless a newer version is known. restored
// says that the server went back to an earlier state, so that an older version is right.
func (h *Hub) put(src *Intake, o *object.Object, restored bool) {
	if !h.intakes.Has(src) {
		return // the source has been closed
	}
	r := h.recordOf(o.ID)
	if r.obj == nil && !restored && sources.Older(o.ResourceVersion, r.goneRV) {
		h.forget(r)
		return // an object of the very version exists: that has only left a selection
	}
	if !src.records.Has(r) {
		src.records.Insert(r)
		src.objects.Store(int32(len(src.records)))
		r.intakes = append(r.intakes, src)
	}
	if old := r.obj; old != nil {
		same := old.UID == o.UID
		switch _, followed := h.followed[r]; {
		case sources.SameVersion(old, o):
			h.maybeSelect(src, r)
			h.maybeShow(r)
			return
		case !restored && sources.Older(o.ResourceVersion, old.ResourceVersion):
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
	h.unfollowed.remove(r) // it may have other owners now
	r.obj = o
	r.absent = false
	if r.mark() != mark {
		h.touch(r, rootChanged)
	}
	h.maybeSelect(src, r)
	h.mayDecide(src)
	h.decide(h.neededBy[o.ID]...)
	h.maybeHold(r)
	if r.shown {
		h.touch(r, objectChanged)
	}
	h.maybeFollow(r)
	if h.maybeShow(r); !r.shown {
		h.hidden.Insert(r)
	}
}

// Has reports whether the source has delivered exactly this version of an object.
func (src *Intake) Has(o *object.Object) bool {
	h := src.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.records[o.ID]
	return r != nil && src.records.Has(r) && r.obj != nil && sources.SameVersion(r.obj, o)
}

// Remove notes that the source has reported o as deleted.
func (src *Intake) Remove(o *object.Object) {
	h := src.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.intakes.Has(src) {
		return
	}
	src.noteVersion(o)
	if src.spec.Role == plan.Search {
		src.forgetOwners(o.ID)
		return
	}
	r := h.records[o.ID]
	if r == nil || r.obj != nil && o.UID != "" && r.obj.UID != o.UID {
		return // a new object of that name exists already
	}
	r.goneRV = o.ResourceVersion
	how := src.lacks()
	if how == notSelected && src.spec.Role == plan.Children && leftAlive(o) {
		how = notFollowed
	}
	h.lose(src, r, how)
}

// loss is what it means that a source delivers an object no longer.
type loss uint8

const (
	// deleted is a proof: the object does not exist, whatever other sources have.
	deleted loss = iota
	// notSelected means that a selection has the object no longer. If no other source has it, it
	// counts as deleted.
	notSelected
	// notFollowed means that the object may well exist. If no other source has it, it is dropped.
	notFollowed
)

// lacks is what it means that an object is not in a complete list of the source, or that a watch
// reports it as deleted: a selection reports the same of an object that has left it.
func (src *Intake) lacks() loss {
	if src.spec.Selects() {
		return notSelected
	}
	return deleted
}

// leftAlive reports whether a Pod that a selector no longer delivers is more likely to
// have lost its label than to have been deleted: Pods on a node end with a deletion time,
// which only "kubectl delete --force" spares. Of other kinds nothing can be concluded:
// the garbage collector deletes at once.
func leftAlive(o *object.Object) bool { return o.Pod != nil && o.Pod.Node != "" && o.Deleted.IsZero() }

// lose removes src from r's intakes. The object is gone with the last, or if it is deleted.
func (h *Hub) lose(src *Intake, r *record, how loss) {
	delete(src.records, r)
	src.objects.Store(int32(len(src.records)))
	h.mayDecide(src)
	r.intakes = slices.DeleteFunc(r.intakes, func(s *Intake) bool { return s == src })
	if len(r.intakes) > 0 && how != deleted {
		h.reselect(src, r)
		return
	}
	for _, other := range r.intakes {
		other.records.Delete(r)
		other.objects.Store(int32(len(other.records)))
	}
	r.intakes = nil
	if how != deleted && r.isRoot() && !r.selected {
		return // a selection, or a source with another filter, does not know whether it exists: r's own source does
	}
	h.bury(r, how == notFollowed)
	switch {
	case r.selected:
		h.removeRoot(r)
	case r.isRoot():
		h.setAbsent(r)
	default:
		h.forget(r)
	}
}

// bury records that the object of a record has been deleted, or dropped.
func (h *Hub) bury(r *record, dropped bool) {
	if r.obj == nil {
		return
	}
	h.noteGone(r.id)
	delete(h.held, r)
	h.hidden.Delete(r)
	h.unfollowed.remove(r)
	if r.delivered && r.obj.UID != "" {
		h.post(func() {
			h.pending.Gone = append(h.pending.Gone, feed.Gone{ID: r.id, UID: r.obj.UID, Dropped: dropped})
		})
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

// forget drops a record without content.
func (h *Hub) forget(r *record) {
	if r.obj != nil || r.isRoot() || len(r.intakes) > 0 {
		return
	}
	delete(h.records, r.id)
	if r.goneRV != "" && !h.synced {
		h.deleted[r.id] = r.goneRV
	}
	if r.root == nil { // otherwise a batch has yet to say that it is none any more
		r.changed = 0
	}
}

func (h *Hub) setAbsent(r *record) {
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
	restored := sources.Older(at, src.newestVersion)
	src.newestVersion = at
	if !h.intakes.Has(src) {
		return
	}
	if src.spec.Role == plan.Search {
		src.owned = nil
		for _, o := range list {
			src.noteOwners(o)
		}
		return
	}
	listed := make(sets.Set[*record], len(list))
	for _, o := range list {
		r := h.records[o.ID]
		if restored || r == nil || r.obj != o || !src.records.Has(r) { // otherwise it came while the list was streamed
			h.put(src, o, restored)
			r = h.records[o.ID]
		}
		listed.Insert(r)
	}
	for r := range src.records {
		if listed.Has(r) || !restored && sources.Older(rv, r.obj.ResourceVersion) {
			continue // another source has a newer version
		}
		r.goneRV = rv
		h.lose(src, r, src.lacks())
	}
	for r := range h.roots {
		switch {
		case !src.Covers(r.id) || listed.Has(r):
		case r.obj == nil: // it was unknown
			h.setAbsent(r)
		case len(r.intakes) == 0 || sources.Older(r.obj.ResourceVersion, rv): // its source has an older version
			r.goneRV = rv
			h.lose(src, r, deleted)
		}
	}
	h.mayDecide(src)
}
