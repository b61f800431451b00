package hub

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// Intake is the hub's end of a stream ([sources.Sink]): it takes what a source delivers. What the
// hub knows of the source is guarded by the hub's lock, and the state that the source reports by
// its own.
type Intake struct {
	hub      *Hub // once it is added
	spec     plan.Spec
	sel      Selection // without AsRoot if its objects are no roots by it
	keep     sources.Names
	partial  bool // there may be objects that it does not deliver
	lastData func() time.Time
	cancel   context.CancelFunc

	listed        bool   // it has completed a list, or reported why it cannot
	unreadable    bool   // the latter, the last time: it is forbidden, or not served
	newestVersion string // that it has delivered
	records       sets.Set[*record]
	owned         owned // of a search

	objects atomic.Int32 // the number of records

	mu    sync.Mutex // guards the state; taken under the hub's, or alone
	state feed.SourceState
}

// Selection makes roots of the objects that a source delivers.
type Selection struct {
	// In is the inventory that selects them; if Supporting, only its follower sees them.
	In         object.ID
	Supporting bool
	// AsRoot returns the root that an object is; false if it is none.
	AsRoot func(*object.Object) (feed.Root, bool)
}

// NewIntake prepares the intake of a source. lastData returns when its server
// last answered; cancel ends it.
func NewIntake(
	spec plan.Spec, sel Selection, keep sources.Names, state feed.SourceState,
	lastData func() time.Time, cancel context.CancelFunc,
) *Intake {
	return &Intake{
		spec: spec, sel: sel, keep: keep, partial: state.Partial, state: state, lastData: lastData,
		cancel: cancel, records: sets.Set[*record]{},
	}
}

// Covers reports whether an object that a completed list of the source does not contain does
// not exist.
func (src *Intake) Covers(id object.ID) bool {
	return !src.partial && src.spec.Covers(id) && src.keep.Has(id)
}

// Keeps reports whether the source hands on an object of that name.
func (src *Intake) Keeps(namespace, name string) bool {
	return src.keep.Has(object.ID{Namespace: namespace, Name: name})
}

// Listed reports whether a source has completed a list, or said why it cannot.
func (h *Hub) Listed(s *Intake) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.listed
}

// Unreadable reports whether an area may not be read, or is not served.
func (h *Hub) Unreadable(a plan.Area) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for src := range h.intakes {
		// other objects of the kind may still be readable
		if src.unreadable && src.spec.Area() == a && src.spec.Name == "" {
			return true
		}
	}
	return false
}

// DropIntake ends a source that is no longer needed, and removes what it alone has delivered.
func (h *Hub) DropIntake(src *Intake) {
	src.cancel()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.intakes.Delete(src)
	for r := range src.records {
		h.lose(src, r, notFollowed)
	}
	src.publish(func(st *feed.SourceState) { st.Phase = feed.Closed })
	for s := range h.intakes {
		if st := s.published(); st.Key == src.state.Key { // in another version, or by other requests: it is still read
			h.PublishSource(st)
		}
	}
	h.checkSynced()
}

// AddIntake adds the intake of a source that is about to start.
func (h *Hub) AddIntake(src *Intake) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.intakes.Insert(src)
	src.hub = h
	src.publish(func(st *feed.SourceState) { st.Since = h.now() })
	h.checkSynced()
}

// UpdateState changes the source's state by f and publishes it: what the hub concludes
// from that is never handed over before it.
func (src *Intake) UpdateState(f func(*feed.SourceState)) {
	before, now := src.publish(f)
	if before == now {
		return
	}
	h := src.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if !src.listed {
		time.AfterFunc(parentsPatience, h.RequestPlan) // parents wait for its list no longer
	}
	switch now = src.published().Phase; now { // by now it may be another one
	case feed.Live, feed.Forbidden, feed.NotServed:
		unreadable := now != feed.Live
		if !src.listed && !src.sel.In.IsZero() || unreadable != src.unreadable {
			h.planDirty() // only a new plan knows that the set is complete, or what is read instead
		}
		src.listed, src.unreadable = true, unreadable
		for id, roots := range h.neededBy {
			if src.Covers(id) {
				h.decide(roots...)
			}
		}
		h.RequestPlan() // sources that this one replaces can be closed
	}
	h.mayDecide(src)
	h.checkSynced()
}

// publish changes the state by f, until it is closed, and hands it over.
func (src *Intake) publish(f func(*feed.SourceState)) (before, now feed.Phase) {
	src.mu.Lock()
	defer src.mu.Unlock()
	st, old := &src.state, src.state
	if old.Phase != feed.Closed {
		f(st)
	}
	if *st == old {
		return old.Phase, old.Phase
	}
	if st.Phase != old.Phase {
		st.Since = src.hub.now()
	}
	st.LastData, st.Objects = src.lastData(), int(src.objects.Load())
	src.hub.outbox.PublishSource(*st)
	return old.Phase, st.Phase
}

// published returns the present state.
func (src *Intake) published() feed.SourceState {
	src.mu.Lock()
	defer src.mu.Unlock()
	return src.state
}
