package hub

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func (h *Hub) Notice(n feed.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n.At.IsZero() {
		n.At = h.now()
	}
	h.notices = append(h.notices, stamped[feed.Notice]{h.seq.bump(), n})
	if len(h.notices) > 500 {
		h.notices = slices.Delete(h.notices, 0, len(h.notices)-500)
	}
}

func (h *Hub) End(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = err
		h.seq.bump()
	}
}

// Get returns the known object of an ID, or nil.
func (h *Hub) Get(id object.ID) *object.Object {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.recs[id]; r != nil && r.obj != nil {
		return r.obj
	}
	if r := h.refs[id]; r != nil && id.Name != "" && len(r.objects) > 0 {
		return r.objects[0]
	}
	return nil
}

// Since returns nil if there is a change after since, and a channel that is
// closed at the next one if there is none; or why there is none to come.
func (h *Hub) Since(since uint64) (<-chan struct{}, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sweep()
	return h.seq.past(since), h.err
}

// Next waits for a change after since and returns all such changes.
func (h *Hub) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return feed.Batch{}, err
		}
		next, err := h.Since(since)
		if err != nil {
			return feed.Batch{}, err
		}
		var due <-chan time.Time
		if next == nil {
			b, wait := h.take(since)
			if wait <= 0 {
				return b, nil
			}
			due = time.After(min(wait, h.frame)) // the pace may become faster while waiting
		}
		select {
		case <-ctx.Done():
		case <-next:
		case <-due:
		}
	}
}

// take returns all changes after since, or how long to wait for them.
func (h *Hub) take(since uint64) (feed.Batch, time.Duration) {
	h.mu.Lock()
	if wait := h.pace() - h.now().Sub(h.lastOut); wait > 0 {
		h.mu.Unlock()
		return feed.Batch{}, wait
	}
	b := h.collect(since)
	h.mu.Unlock()
	b.Events = h.Events(since, b.Seq)
	return b, 0
}

// pace is the time between two batches: a frame, or several during a large
// first sync, because the receiver processes every row with each batch.
func (h *Hub) pace() time.Duration {
	if !h.synced && !h.settled && h.seq.now()-h.firstOut > manyObjects {
		if len(h.recs) >= largeSync {
			return largeSyncFrames * h.frame
		}
		return syncFrames * h.frame
	}
	return h.frame
}

// collect returns all changes after since.
func (h *Hub) collect(since uint64) feed.Batch {
	h.lastOut = h.now()
	if len(h.recs) > 0 && h.firstOut == 0 {
		h.firstOut = h.seq.now()
	}
	b := feed.Batch{Seq: h.seq.now(), At: h.lastOut, Synced: h.synced, Answered: h.answered, Told: h.told}
	if h.skew.Abs() >= 2*time.Second {
		b.Skew = feed.Duration(h.skew.Round(time.Second))
	}
	for r := h.after(since); r != nil; {
		following := r.next
		if r.root != nil && r.rootSeq > since && (since > 0 || !r.root.Removed) {
			b.Roots = append(b.Roots, r.asRoot())
		}
		if len(r.gone) > 0 {
			r.own().gone = slices.DeleteFunc(r.gone, func(g stamped[feed.Gone]) bool {
				if g.seq > since && since > 0 {
					b.Gone = append(b.Gone, g.v)
				}
				return g.seq <= since || since == 0
			})
		}
		if r.shown && r.absent && r.absentSeq > since {
			b.Absent = append(b.Absent, *r.id)
		}
		if r.shown && r.obj != nil && r.objSeq > since && !r.held {
			b.Objects = append(b.Objects, r.obj)
			r.told = r.obj.UID
		}
		r = following
	}
	h.recalled = slices.DeleteFunc(h.recalled, func(g stamped[feed.Gone]) bool {
		if g.seq > since && since > 0 {
			b.Gone = append(b.Gone, g.v)
		}
		return g.seq <= since
	})
	h.reap(since)
	for src := range h.sources {
		if src.stateSeq > since {
			st := src.state
			st.LastData, st.Objects = src.lastData(), len(src.recs)
			b.Sources = append(b.Sources, st)
		}
	}
	for _, c := range h.closed {
		if c.seq > since && since > 0 {
			b.Sources = append(b.Sources, c.v)
		}
	}
	h.closed = slices.DeleteFunc(h.closed, func(c closedSource) bool { return c.seq <= since })
	for _, c := range h.beside {
		if c.seq > since {
			b.Sources = append(b.Sources, c.v)
		}
	}
	h.collectRefs(since, &b)
	slices.SortFunc(b.Sources, func(x, y feed.SourceState) int {
		if x.Key < y.Key {
			return -1
		}
		return 1
	})
	for _, n := range h.notices {
		if n.seq > since {
			b.Notices = append(b.Notices, n.v)
		}
	}
	h.notices = slices.DeleteFunc(h.notices, func(n stamped[feed.Notice]) bool { return n.seq <= since })
	return b
}

// older reports whether resource version a is older than b. Versions that
// cannot be compared count as newer.
func older(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	c, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && c < 0
}
