package hub

import (
	"iter"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// rec holds the state of one ID. There is one for every object: fields that few
// of them need are in rare.
type rec struct {
	id   *object.ID     // the object's own, if it is known
	obj  *object.Object // nil: it does not exist, or is not known yet
	root *feed.Root
	src  *Source // the delivering source; see sources
	*rare

	// selected says that a selection made it a root: it is one no longer when
	// it is deleted.
	selected bool
	shown    bool
	held     bool // not handed over until its inventory has been decided
	absent   bool
	told     string // the UID last handed over

	seq, objSeq, rootSeq, absentSeq uint64
	prev, next                      *rec
}

// rare are the fields that few recs need: most share an empty one.
type rare struct {
	others []*Source // further sources that deliver it
	gone   []stamped[feed.Gone]
	goneRV string
}

var noRare = &rare{}

// own returns the rec's own rare fields, for writing.
func (r *rec) own() *rare {
	if r.rare == noRare {
		r.rare = &rare{}
	}
	return r.rare
}

// is sets the object of a rec; nil if it does not exist (any more).
func (r *rec) is(o *object.Object) {
	switch {
	case o != nil:
		r.id = &o.ID
	case r.obj != nil:
		r.id = new(*r.id) // a copy, so that the object can be collected
	}
	r.obj = o
}

// sources are the sources that deliver it.
func (r *rec) sources() iter.Seq[*Source] {
	return func(yield func(*Source) bool) {
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

func (r *rec) addSource(s *Source) {
	if r.src == nil {
		r.src = s
		return
	}
	r.own().others = append(r.others, s)
}

func (r *rec) dropSource(s *Source) {
	if len(r.others) > 0 {
		list := slices.DeleteFunc(r.others, func(o *Source) bool { return o == s })
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

// changeList holds the changed recs in the order of their changes.
type changeList struct{ oldest, last *rec }

// moveToEnd adds a rec, or moves it.
func (l *changeList) moveToEnd(r *rec) {
	if l.last == r {
		return
	}
	l.unlink(r)
	r.prev = l.last
	if l.last != nil {
		l.last.next = r
	} else {
		l.oldest = r
	}
	l.last = r
}

func (l *changeList) unlink(r *rec) {
	if r.prev != nil {
		r.prev.next = r.next
	} else if l.oldest == r {
		l.oldest = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	} else if l.last == r {
		l.last = r.prev
	}
	r.prev, r.next = nil, nil
}

// after returns the first rec that has changed after since.
func (l *changeList) after(since uint64) *rec {
	var first *rec
	for r := l.last; r != nil && r.seq > since; r = r.prev {
		first = r
	}
	return first
}
