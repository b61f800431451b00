package hub

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// RefPatience is how long a Wants may stay unanswered because of a reference:
// one slow answer must not delay the verdict.
const RefPatience = 10 * time.Second

// looked reports whether a reference delivers the object. Unless it is shown,
// it is handed over as one that was only looked up.
func (r *rec) looked() bool {
	for _, s := range r.sources {
		if s.spec.Ref {
			return true
		}
	}
	return false
}

// onlyLooked reports whether only references deliver it.
func (r *rec) onlyLooked() bool {
	for _, s := range r.sources {
		if !s.spec.Ref {
			return false
		}
	}
	return len(r.sources) > 0
}

// demote makes of an object that only references still deliver one that was
// looked up.
func (h *Hub) demote(r *rec) {
	if !r.shown || r.isRoot() || r.obj == nil || !r.onlyLooked() {
		return
	}
	o := r.obj
	h.bury(r, true)
	r.shown = false
	h.put(r.sources[0], o, true)
}

// withTree adds the fields that only a reference reports of an object: the type
// of a Secret, which is immutable.
func withTree(o *object.Object, tree map[string]any) *object.Object {
	if !o.MetadataOnly || o.Tree != nil || tree == nil {
		return o
	}
	c := *o
	c.Tree = tree
	return &c
}

// lend drops an object whose reference is no longer wanted. The receiver keeps
// it, as of then, until a source knows better.
func (h *Hub) lend(r *rec) {
	o := r.obj
	if r.told && o != nil {
		h.lent[o.ID] = o.UID
	}
	r.told = false
	r.is(nil)
	h.forget(r)
}

// recall reports as gone what was lent and a completed list of src would
// contain.
func (h *Hub) recall(src *Source) {
	for id, uid := range h.lent {
		if r := h.recs[id]; (r == nil || r.obj == nil) && src.spec.Covers(id) && (src.keep == nil || src.keep[id.Namespace+"/"+id.Name]) {
			h.takeBack(id, uid)
		}
	}
}

func (h *Hub) takeBack(id object.ID, uid string) {
	delete(h.lent, id)
	h.goneNow(feed.Gone{ID: id, UID: uid})
}
