// Package hub holds what is known of all followed objects, and says what of it
// has changed. Sources report to it ([Intake.Upsert], [Intake.Remove], [Intake.Replace],
// [Intake.UpdateState]), a plan says what is asked for ([Hub.SetRoots]) and learns what
// is needed for it ([Hub.Needs]), and [Hub.Next] is the way out: every change
// since the last batch, at most once a frame, for one receiver.
//
// It does no I/O, and nothing waits while its lock is held. Absence is decided by a
// complete answer, a DELETE event or a release's follower, and never by an error;
// rows are kept while their source is stale. A root whose inventory has changed is
// held back until its new members are known.
package hub

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var _ follow.Engine = (*Hub)(nil)

// Hub holds all known objects, and is the only writer of that state. There is one record per
// object. What a batch costs depends on how much has changed. There is one receiver: a change
// that has been handed over is not kept. The hub's lock is taken first, then an Intake's, and
// the outbox's last.
type Hub struct {
	frame time.Duration
	// RequestPlan is called, with the lock or without, when the plan may have to change.
	RequestPlan func()
	// ExpandInventories says that inventories are recognised among the roots by their shape.
	ExpandInventories bool
	// InventoryChanged is called, with the lock, when an inventory's members must be decided.
	InventoryChanged func(root object.ID)
	// InventoryDecided is called, without the lock, when they have been.
	InventoryDecided func(root object.ID, d follow.Decision)
	// IsOptional reports roots that may fail although they are not marked as optional; may be
	// nil.
	IsOptional func(root object.ID) bool

	outbox

	// mu guards the following. A batch is made under it, so that it is of one moment.
	mu      sync.Mutex
	records map[object.ID]*record
	// dirty are those to be handed over, in the order in which they first changed. The receiver
	// gets them as they are when the batch is made.
	dirty []*record
	// deleted are the versions at which objects were deleted while the list of a
	// source was still coming: an older version in it does not bring them back.
	deleted map[object.ID]string
	intakes sets.Set[*Intake]
	dependents

	roots       sets.Set[*record]          // the present ones
	rootRemoved bool                       // one ceased to be one since the last Roots, which may name it
	neededBy    map[object.ID][]object.ID  // that of Roots
	schemed     map[object.ID]bool         // that of Roots
	facts       map[object.ID]follow.Facts // that of Roots, of the present ones
	decisions   map[object.ID]*decision    // about all inventories that are, or were, followed
	held        map[*record]time.Time      // roots, and since when they are held back

	planning    bool   // the plan that is being made is up to date with all known objects
	planned     bool   // it has been carried out, and every target was resolved
	synced      bool   // and every source has answered
	settled     bool   // a large first sync is complete
	gen         uint64 // generation of the newest Wants
	completeGen uint64 // the last generation of Wants of which all sources have been listed
}

// New returns an empty hub. Its fields are set before it is used.
func New(frame time.Duration, children string, now func() time.Time) *Hub {
	return &Hub{
		frame: frame, RequestPlan: func() {}, InventoryChanged: func(object.ID) {},
		outbox: outbox{
			now: now, wake: make(chan struct{}, 1), pending: feed.Batch{Seq: 1},
			states: map[string]feed.SourceState{}, requestStates: map[string]feed.SourceState{},
		},
		records: map[object.ID]*record{}, intakes: sets.Set[*Intake]{}, deleted: map[object.ID]string{},
		dependents: dependents{
			allChildren: children == "all", noChildren: children == "none", wanted: sets.Set[object.ID]{},
			followed: map[*record][]edges.Need{}, offers: sets.Set[string]{},
			hidden: sets.Set[*record]{}, unfollowed: byReference{},
		},
		roots: sets.Set[*record]{}, decisions: map[object.ID]*decision{},
		held: map[*record]time.Time{}, facts: map[object.ID]follow.Facts{},
	}
}

func (h *Hub) planDirty() {
	h.planning, h.planned = false, false
	h.checkSynced()
	h.RequestPlan()
}

// Replan notes that the plan is out of date.
func (h *Hub) Replan() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.planDirty()
}

// Size counts the known objects, and those that have changed, for tests.
func (h *Hub) Size() (known, dirty int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.dirty {
		if r.changed != 0 {
			dirty++
		}
	}
	return len(h.records), dirty
}

// Want replaces what is wanted beyond the roots. Wanted children stay wanted: a
// parent that becomes Current keeps its rows.
func (h *Hub) Want(gen uint64, children []object.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gen = max(h.gen, gen)
	defer h.checkSynced()
	if len(h.wanted) > 2*len(h.records)+1000 { // most are gone for good, or never were
		maps.DeleteFunc(h.wanted, func(id object.ID, _ sets.Empty) bool { return h.records[id] == nil })
	}
	for _, id := range children {
		if h.wanted.Has(id) {
			continue // it is followed since it has been known
		}
		h.wanted.Insert(id)
		if r := h.records[id]; r != nil {
			h.maybeFollow(r)
		}
	}
}

// Get returns the known object of an ID, or nil.
func (h *Hub) Get(id object.ID) *object.Object {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.records[id]; r != nil {
		return r.obj
	}
	return nil
}

// Followed reports whether the hub hands over the object of an ID, or that it does not
// exist, and returns it if it is known.
func (h *Hub) Followed(id object.ID) (*object.Object, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.records[id]
	if r == nil || !r.shown || r.obj == nil && !r.isRoot() {
		return nil, false
	}
	return r.obj, true
}

// checkSynced notes how far what is wanted has been found out.
func (h *Hub) checkSynced() {
	s := h.planned
	for _, c := range h.decisions {
		s = s && c.decided >= c.last
	}
	for src := range h.intakes {
		s = s && src.listed
	}
	if s {
		clear(h.deleted)
	}
	if s != h.synced {
		h.synced = s
		h.Wake()
		h.settled = h.settled || s && len(h.records) >= manyObjects
	}
	if s && h.completeGen != h.gen {
		h.completeGen = h.gen
		h.Wake()
	}
}

// SetPlanned notes that the plan has been carried out: the intakes of its sources have
// been added. It is up to date, unless something has changed since it was begun.
func (h *Hub) SetPlanned(resolved bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.planned = h.planning && resolved
	h.checkSynced()
}

// A first sync is large from manyObjects on. Then a frame passes between batches
// for each thousand objects, with which the receiver's work grows: 6 to 30.
const (
	manyObjects = 500
	syncFrames  = 6
)

// HasChanges reports whether there is something to hand over, or why nothing more will come.
func (h *Hub) HasChanges() (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sweep()
	h.outbox.mu.Lock()
	defer h.outbox.mu.Unlock()
	return h.changed, h.err
}

// Next waits for a change and returns all changes since the last batch.
func (h *Hub) Next(ctx context.Context) (feed.Batch, error) {
	for {
		b, wait, err := h.take()
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return b, err
		}
		if wait == 0 {
			return b, nil
		}
		wake, due := h.wake, (<-chan time.Time)(nil)
		if wait > 0 {
			wake, due = nil, time.After(min(wait, h.frame)) // the pace may become faster while waiting
		}
		select {
		case <-ctx.Done():
		case <-wake:
		case <-due:
		}
	}
}

// take returns all changes, or how long to wait for them; -1 if there are none.
func (h *Hub) take() (feed.Batch, time.Duration, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sweep()
	pace := h.frame
	if !h.synced && !h.settled && len(h.records) > manyObjects {
		pace *= time.Duration(min(max(syncFrames, len(h.records)/1000), 5*syncFrames))
	}
	b, wait, err := h.outbox.take(pace)
	if wait != 0 {
		return b, wait, err
	}
	b.Synced, b.Answered = h.synced, h.completeGen
	b.Objects = slices.Grow(b.Objects, len(h.dirty)) // most have one
	for _, r := range h.dirty {
		if r.root != nil && r.changed&rootChanged != 0 {
			b.Roots = append(b.Roots, h.asRoot(r))
		}
		switch o := r.obj; {
		case r.changed&objectChanged == 0 || !r.shown:
		case r.absent:
			b.Absent = append(b.Absent, r.id)
		case o != nil && h.held[r].IsZero():
			b.Objects = append(b.Objects, o)
			r.delivered = true
		}
		r.changed = 0
	}
	clear(h.dirty) // for the collector
	h.dirty = h.dirty[:0]
	return b, 0, nil
}
