package hub

import (
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// rec holds the state of one ID.
type rec struct {
	id      *object.ID     // the object's own, if it is known
	obj     *object.Object // nil: it does not exist, or is not known yet
	root    *feed.Root
	sources []*Source // those that deliver it
	goneRV  string    // the version at which it was last gone

	// selected says that a selection made it a root: it is one no longer when
	// it is deleted.
	selected bool
	shown    bool
	absent   bool
	told     bool // the object was handed over

	changed change // what has not been handed over
	seq     uint64 // of its last change
}

// change is what of a rec has changed.
type change uint8

const (
	objectChanged change = 1 << iota // or it is absent
	rootChanged
)

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

func (r *rec) isRoot() bool { return r.root != nil && !r.root.Removed }
