package hub

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// outbox holds what the receiver gets with the next batch, in addition to changed objects
// and roots. The hub, sources and others put it there, and wake the receiver. Its lock is
// the last in the order: it may be taken under any other.
type outbox struct {
	now  func() time.Time
	wake chan struct{} // buffered, one: there is something new

	mu     sync.Mutex
	fresh  bool // something has changed since the last batch
	last   time.Time
	err    error                       // the feed has ended
	next   feed.Batch                  // what has gone, notices
	states map[string]feed.SourceState // those to be handed over, by key
	beside map[string]feed.SourceState // of requests other than the sources', by key
}

// post adds to the next batch, and wakes the receiver.
func (x *outbox) post(add func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	add()
	x.fresh = true
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// Wake has the receiver take a batch: something that is kept elsewhere has changed.
func (x *outbox) Wake() { x.post(func() {}) }

// PublishSource hands over the state of a source.
func (x *outbox) PublishSource(s feed.SourceState) { x.post(func() { x.states[s.Key] = s }) }

// PublishRequest hands over the state of a request that is no source, if it has changed:
// nothing waits for it.
func (x *outbox) PublishRequest(st feed.SourceState) {
	st.Since = x.now()
	x.mu.Lock()
	old := x.beside[st.Key]
	x.beside[st.Key] = st
	x.mu.Unlock()
	if st.Phase != cmp.Or(old.Phase, feed.Closed) || st.Phase != feed.Closed && st.Error != old.Error {
		x.PublishSource(st)
	}
}

func (x *outbox) Notice(n feed.Notice) {
	if n.At.IsZero() {
		n.At = x.now()
	}
	x.post(func() { x.next.Notices = append(x.next.Notices[max(0, len(x.next.Notices)-499):], n) })
}

func (x *outbox) EndFeed(err error) { x.post(func() { x.err = cmp.Or(x.err, err) }) }

// SetSkew notes by how much the server's clock differs.
func (x *outbox) SetSkew(d time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if d.Abs() < 2*time.Second {
		d = 0
	}
	x.next.Skew = feed.Duration(d.Round(time.Second))
}

// take empties the outbox, if there is something in it, a pace after the last time;
// otherwise it returns how long to wait for that, -1 if there is nothing.
func (x *outbox) take(pace time.Duration) (b feed.Batch, wait time.Duration, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.now()
	if x.err != nil || !x.fresh {
		return b, -1, x.err
	} else if wait = pace - now.Sub(x.last); wait > 0 {
		return b, wait, nil
	}
	b, x.next = x.next, feed.Batch{Seq: x.next.Seq + 1, Skew: x.next.Skew}
	b.At, x.last, x.fresh = now, now, false
	b.Sources = slices.SortedFunc(maps.Values(x.states),
		func(x, y feed.SourceState) int { return cmp.Compare(x.Key, y.Key) })
	clear(x.states)
	return b, 0, nil
}
