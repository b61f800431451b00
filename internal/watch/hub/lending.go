package hub

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// lending is what references have told: objects that are handed over although
// no source delivers them, until one knows better. It is guarded by the hub's
// lock.
type lending struct {
	refs     map[object.ID]*refRec        // answers to wanted references
	lent     map[object.ID]*object.Object // objects handed over that no source delivers
	recalled []stamped[feed.Gone]         // those of them that are gone
	sorts    map[string]map[string]any    // fields of followed objects that only references report, by UID
}

// sortsMost bounds lending.sorts.
const sortsMost = 2000

// refRec is the answer to one reference.
type refRec struct {
	seq     uint64
	objects []*object.Object
	gone    []feed.Gone
	absent  bool
	state   feed.SourceState
	// told says that its state is reported: a list, which may be complete, or
	// an error.
	told bool
}

// SetRef publishes the answer to a reference, unless it is unchanged.
func (h *Hub) SetRef(id object.ID, objects []*object.Object, st feed.SourceState) (changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.refs[id]
	r := &refRec{objects: objects, state: st, absent: id.Name != "" && len(objects) == 0 && st.Phase == feed.Live}
	r.state.Since = h.now()
	r.told = id.Name == "" || st.Phase != feed.Live || old != nil && old.told
	if old != nil {
		if old.state.Phase == st.Phase {
			r.state.Since = old.state.Since
		}
		for _, o := range old.objects {
			if !slices.ContainsFunc(objects, func(x *object.Object) bool { return x.ID == o.ID }) {
				r.gone = append(r.gone, feed.Gone{ID: o.ID, UID: o.UID})
			}
		}
		if len(r.gone) == 0 && old.absent == r.absent && old.state.Phase == st.Phase &&
			slices.EqualFunc(old.objects, objects, func(a, b *object.Object) bool { return a.ID == b.ID && a.ResourceVersion == b.ResourceVersion }) {
			return false
		}
	}
	if h.refs == nil {
		h.refs = map[object.ID]*refRec{}
	}
	r.seq = h.seq.bump()
	h.refs[id] = r
	for _, o := range objects {
		h.learn(o)
	}
	return true
}

// learn keeps what a reference reports about an object that is followed by its
// metadata alone: the type of a Secret, which is immutable.
func (h *Hub) learn(o *object.Object) {
	if !o.MetadataOnly || o.Tree == nil {
		return
	}
	if h.sorts == nil || len(h.sorts) >= sortsMost {
		h.sorts = map[string]map[string]any{}
	}
	h.sorts[o.UID] = o.Tree
	if r := h.recs[o.ID]; r != nil && r.obj != nil && r.obj.UID == o.UID && r.obj.Tree == nil {
		r.obj = h.sorted(r.obj)
		r.objSeq = h.touch(r)
	}
}

// sorted adds those fields to an object.
func (h *Hub) sorted(o *object.Object) *object.Object {
	tree := h.sorts[o.UID]
	if !o.MetadataOnly || o.Tree != nil || tree == nil {
		return o
	}
	c := *o
	c.Tree = tree
	return &c
}

// DropRef forgets a reference that is no longer wanted. The receiver keeps the
// objects, as of then, until a source knows better.
func (h *Hub) DropRef(id object.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.refs[id]
	if r == nil {
		return
	}
	delete(h.refs, id)
	for src := range h.sources {
		if src.answered && src.state.Phase == feed.Live {
			h.recall(src)
		}
	}
	if !r.told {
		return
	}
	st := r.state
	st.Phase = feed.Closed
	h.closed = append(h.closed, closedSource{h.seq.bump(), st})
}

// collectRefs adds the answers after since. An object that a source follows is
// newer and takes precedence.
func (h *Hub) collectRefs(since uint64, b *feed.Batch) {
	followed := func(id object.ID) bool {
		r := h.recs[id]
		return r != nil && r.shown
	}
	var ids []object.ID
	for id, r := range h.refs {
		if r.seq > since {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, object.ID.Compare)
	for _, id := range ids {
		r := h.refs[id]
		for _, g := range r.gone {
			if !followed(g.ID) {
				b.Gone = append(b.Gone, g)
				delete(h.lent, g.ID)
			}
		}
		if r.absent && !followed(id) {
			b.Absent = append(b.Absent, id)
		}
		for _, o := range r.objects {
			if !followed(o.ID) {
				b.Objects = append(b.Objects, o)
				if h.lent == nil {
					h.lent = map[object.ID]*object.Object{}
				}
				h.lent[o.ID] = o
			}
		}
		if r.told {
			b.Sources = append(b.Sources, r.state)
		}
	}
}

// recall withdraws a lent object that the completed list of src would contain
// and does not. While the reference is wanted, its next answer says so instead.
func (h *Hub) recall(src *Source) {
	for id, o := range h.lent {
		if r := h.recs[id]; r != nil && r.obj != nil || h.lends(id) || !src.wouldDeliver(o) {
			continue
		}
		h.takeBack(o)
	}
}

// takeBack reports a lent object as gone.
func (h *Hub) takeBack(o *object.Object) {
	delete(h.lent, o.ID)
	h.recalled = append(h.recalled, stamped[feed.Gone]{h.seq.bump(), feed.Gone{ID: o.ID, UID: o.UID}})
}

// lends reports whether an answer to a wanted reference contains an object.
func (h *Hub) lends(id object.ID) bool {
	if h.refs[id] != nil {
		return true
	}
	return h.refs[object.ID{Group: id.Group, Kind: id.Kind, Namespace: id.Namespace}] != nil
}

// wouldDeliver reports whether a completed list of the source contains o, if o
// exists.
func (s *Source) wouldDeliver(o *object.Object) bool {
	sp := s.spec
	if sp.Lookup || sp.Resource.Group != o.Group || sp.Resource.Kind != o.Kind || sp.Namespace != "" && sp.Namespace != o.Namespace ||
		sp.Name != "" && sp.Name != o.Name || !s.keep.Has(o) {
		return false
	}
	if sp.Fields != "" {
		return false // field selectors are evaluated by the server alone
	}
	if sp.Selector == "" {
		return true
	}
	sel, err := labels.Parse(sp.Selector)
	if err != nil {
		return false
	}
	set := labels.Set{}
	for _, l := range o.Labels {
		set[l.Key] = l.Value
	}
	return sel.Matches(set)
}
