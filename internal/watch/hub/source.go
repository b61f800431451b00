package hub

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// Source is the hub's record of a source: its state, and what it has delivered.
// Its fields are guarded by the hub's lock.
type Source struct {
	spec     plan.Spec
	sel      *Selection // nil if its objects are no roots by it
	keep     sources.Names
	lastData func() time.Time

	state    feed.SourceState
	stateSeq uint64
	answered bool // it has completed a list, or reported why it cannot
	listRV   string
	recs     map[*rec]struct{}
}

// Selection makes roots of the objects that a source delivers.
type Selection struct {
	// In is the inventory that selects them; Aside says that only its follower
	// sees them.
	In     object.ID
	Aside  bool
	Filter inventory.Filter
	// Root returns the root that an object is; false if it is none.
	Root func(*object.Object) (feed.Root, bool)
}

// NewSource prepares the record of a source. lastData tells when its server was
// heard last.
func NewSource(spec plan.Spec, sel *Selection, keep sources.Names, state feed.SourceState, lastData func() time.Time) *Source {
	return &Source{spec: spec, sel: sel, keep: keep, state: state, lastData: lastData, recs: map[*rec]struct{}{}}
}

// selects reports whether o is a root because this source selects it.
func (s *Source) selects(o *object.Object) (feed.Root, bool) {
	if s.sel == nil || o == nil {
		return feed.Root{}, false
	}
	return s.sel.Root(o)
}

// Answered reports whether a source has completed a list, or said why it cannot.
func (h *Hub) Answered(s *Source) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.answered
}
