package hub

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// A first sync is large from manyObjects on. Then a frame passes between batches
// for each thousand objects, with which the receiver's work grows: 6 to 30.
const (
	manyObjects = 500
	syncFrames  = 6
)

// Fresh reports whether there is something to hand over, or why there will be
// nothing more.
func (h *Hub) Fresh() (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sweep()
	return h.fresh, h.err
}

// Next waits for a change and returns all changes since the last batch.
func (h *Hub) Next(ctx context.Context) (feed.Batch, error) {
	for {
		b, wait, err := h.take()
		if err = cmp.Or(ctx.Err(), err); err != nil || wait == 0 {
			return b, err
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
	h.sweep()
	if h.err != nil || !h.fresh {
		defer h.mu.Unlock()
		return feed.Batch{}, -1, h.err
	}
	if wait := h.pace() - h.now().Sub(h.lastOut); wait > 0 {
		h.mu.Unlock()
		return feed.Batch{}, wait, nil
	}
	b, gen := h.collect(), h.gen
	h.mu.Unlock()
	var listed bool
	if b.Events, listed = h.Events(); listed && b.Answered == gen {
		h.told = gen
	}
	b.Told = h.told
	return b, 0, nil
}

// pace is the time between two batches.
func (h *Hub) pace() time.Duration {
	if !h.synced && !h.settled && len(h.recs) > manyObjects {
		return h.frame * time.Duration(min(max(syncFrames, len(h.recs)/1000), 5*syncFrames))
	}
	return h.frame
}

// collect returns all changes since the last batch.
func (h *Hub) collect() feed.Batch {
	h.lastOut, h.fresh = h.now(), false
	h.seq++
	b := h.next
	h.next = feed.Batch{}
	b.Seq, b.At, b.Synced, b.Answered = h.seq, h.lastOut, h.synced, h.answered
	if h.skew.Abs() >= 2*time.Second {
		b.Skew = feed.Duration(h.skew.Round(time.Second))
	}
	for _, r := range slices.SortedFunc(maps.Keys(h.dirty), func(x, y *rec) int { return cmp.Compare(x.seq, y.seq) }) {
		if r.root != nil && r.changed&rootChanged != 0 {
			b.Roots = append(b.Roots, r.asRoot())
		}
		switch o := r.obj; {
		case r.changed&objectChanged == 0 || !r.shown && !r.deliveredBy(true):
		case r.absent:
			b.Absent = append(b.Absent, r.id)
		case o != nil && h.held[r].IsZero():
			if !r.shown {
				o = new(*o)
				o.LookedUp = true
			}
			b.Objects = append(b.Objects, o)
			r.told = true
		}
		r.changed = 0
	}
	clear(h.dirty)
	b.Sources = slices.SortedFunc(maps.Values(h.states), func(x, y feed.SourceState) int { return cmp.Compare(x.Key, y.Key) })
	clear(h.states)
	return b
}
