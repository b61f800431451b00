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

	mu      sync.Mutex
	changed bool // since the last batch
	last    time.Time
	err     error      // the feed has ended
	pending feed.Batch // what has gone, notices
	// states are the changed states of sources, by key. requestStates are the last known
	// states of requests that no source makes, such as discovery.
	states        map[string]feed.SourceState
	requestStates map[string]feed.SourceState
}

// post adds to the next batch, and wakes the receiver.
func (x *outbox) post(add func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	add()
	x.changed = true
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// Wake wakes the receiver: something has changed that other keepers add to a batch.
func (x *outbox) Wake() { x.post(func() {}) }

// PublishSource hands over the state of a source.
func (x *outbox) PublishSource(s feed.SourceState) { x.post(func() { x.states[s.Key] = s }) }

// PublishRequest hands over the state of a request that no source makes, if it has changed.
// No batch waits for such a request.
func (x *outbox) PublishRequest(st feed.SourceState) {
	st.Since = x.now()
	x.mu.Lock()
	old := x.requestStates[st.Key]
	x.requestStates[st.Key] = st
	x.mu.Unlock()
	if st.Phase != cmp.Or(old.Phase, feed.Closed) || st.Phase != feed.Closed && st.Error != old.Error {
		x.PublishSource(st)
	}
}

func (x *outbox) Notice(n feed.Notice) {
	if n.At.IsZero() {
		n.At = x.now()
	}
	x.post(func() { x.pending.Notices = append(x.pending.Notices[max(0, len(x.pending.Notices)-499):], n) })
}

func (x *outbox) EndFeed(err error) { x.post(func() { x.err = cmp.Or(x.err, err) }) }

// SetSkew notes by how much the server's clock differs.
func (x *outbox) SetSkew(d time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if d.Abs() < 2*time.Second {
		d = 0
	}
	x.pending.Skew = feed.Duration(d.Round(time.Second))
}

// take empties the outbox, if there is something in it, a pace after the last time;
// otherwise it returns how long to wait for that, -1 if there is nothing.
func (x *outbox) take(pace time.Duration) (b feed.Batch, wait time.Duration, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.now()
	if x.err != nil || !x.changed {
		return b, -1, x.err
	} else if wait = pace - now.Sub(x.last); wait > 0 {
		return b, wait, nil
	}
	b, x.pending = x.pending, feed.Batch{Seq: x.pending.Seq + 1, Skew: x.pending.Skew}
	b.At, x.last, x.changed = now, now, false
	b.Sources = slices.SortedFunc(maps.Values(x.states),
		func(x, y feed.SourceState) int { return cmp.Compare(x.Key, y.Key) })
	clear(x.states)
	return b, 0, nil
}
