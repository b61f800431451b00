package watch

import (
	"iter"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// rec is all that is known about one name. There is one for every object: what
// few of them have stands apart.
type rec struct {
	id   *object.ID     // the object's, where there is one
	obj  *object.Object // nil: not there, or not known to be
	root *feed.Root
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
	gone   []stamped[feed.Gone]
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
func (r *rec) is(o *object.Object) {
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

func (r *rec) isRoot() bool { return r.root != nil && !r.root.Removed }
