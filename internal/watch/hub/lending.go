package hub

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// RefPatience is how long a Wants may stay unanswered because of a reference:
// one slow answer must not delay the verdict.
const RefPatience = 10 * time.Second

// deliveredBy reports whether a reference delivers the object, or a source of
// another kind. If only references do, it is no row: it is handed over as one that
// was looked up.
func (r *rec) deliveredBy(ref bool) bool {
	return slices.ContainsFunc(r.sources, func(s *Source) bool { return s.spec.Ref == ref })
}

// lent reports whether the object was only looked up, and its reference is wanted
// no longer. The receiver keeps it, as of then, until a source knows better.
func (r *rec) lent() bool { return r.obj != nil && len(r.sources) == 0 && !r.isRoot() }

// demote makes of an object that only references still deliver one that was
// looked up.
func (h *Hub) demote(r *rec) {
	if !r.shown || r.isRoot() || r.obj == nil || r.deliveredBy(false) {
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

// recall reports as gone what was lent and a completed list of src would
// contain.
func (h *Hub) recall(src *Source) {
	for _, r := range h.recs {
		if r.lent() && src.spec.Covers(*r.id) && src.keep.Has(r.obj) {
			h.bury(r, false)
			h.forget(r)
		}
	}
}
