package watch

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// Timeouts and intervals of a source.
const (
	// syncSilence is how long the initial events may pause before the source
	// gives up waiting for the bookmark that ends them.
	syncSilence = 10 * time.Second
	// liveSilence is how long a live watch may be silent: bookmarks come about
	// every minute.
	liveSilence = 90 * time.Second
	// renewEvery is how long a watch lasts before it is renewed. An API server
	// checks permissions only when a watch begins: this bounds how long revoked
	// permissions go unnoticed. With more than renewMany streams it takes
	// longer, so that there are at most 20 renewals a minute.
	renewEvery = time.Minute
	renewMany  = 20
	// renewPatience is how long a renewal may take before the source is stale.
	renewPatience = 2 * time.Second
	// unendedMost is how many initial lists in a row may break off before the
	// source falls back to lists.
	unendedMost = 3
	backoffMin  = 100 * time.Millisecond
	backoffMax  = 5 * time.Second
	// pauseMax bounds the delay after an answer that shows that the server is
	// up.
	pauseMax = 2 * time.Second
	pollMin  = 2 * time.Second
	pollMax  = 10 * time.Second
	// proofAfter is how long a resumed stream must stay open to count as live.
	proofAfter = 100 * time.Millisecond
	// upgradeAfter is how long a source stays in a lesser mode before it tries
	// the better one again.
	upgradeAfter = time.Minute
	// Delays before a denied area is tried as a whole again. Watches by name
	// miss nothing, but a short loss of permission must not leave a stream per
	// name behind.
	deniedFirst = 10 * time.Second
	deniedFor   = 5 * time.Minute
)

// servedPoll is the least time between two requests for a kind that is not
// served yet.
const servedPoll = 4 * time.Second

// Why a source has to change its mode.
var (
	errNoWatchList = errors.New("the end of the initial list was not announced")
	errSilent      = errors.New("no data for too long")
	errRenew       = errors.New("the watch is being renewed")
)

// deniedError is a 403.
type deniedError struct {
	verb string
	err  error
}

func (d *deniedError) Error() string { return d.err.Error() }

// source is one stream of data: a state machine around a Reflector, or around
// polling if watching is not permitted or not wanted. All its goroutines end
// with its context.
type source struct {
	e    *Engine
	spec plan.Spec
	sel  *rootSelection // its selection, or nil
	keep map[string]bool
	opts convert.Options

	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	last atomic.Int64 // time of the last byte, in Unix nanoseconds

	// Owned by the hub and guarded by its lock.
	state    feed.SourceState
	mode     feed.Mode // the mode that is being tried; shown once it has had an answer
	cut      bool      // stale because the server is not reachable
	stateSeq uint64
	answered bool // it has completed a list, or reported why it cannot
	listRV   string
	recs     map[*rec]struct{}

	// Owned by the running mode.
	fails  atomic.Int32 // consecutive failures
	opened time.Time    // when the last stream was opened
	worked atomic.Bool  // it was live once; a list that its mode no longer uses may still look like it
	// unended counts consecutive initial lists that broke off.
	unended atomic.Int32

	slotMu  sync.Mutex
	release func()      // returns the slot of a first sync
	late    *time.Timer // runs while a source that was live has no stream
}

func (s *source) lastData() time.Time {
	if n := s.last.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

// heard notes the time of an answer about the cluster.
func (s *source) heard() { s.last.Store(time.Now().UnixNano()) }

// pinged notes, when an HTTP/2 stream has ended, until when its server
// certainly answered: the last ping was answered within PingWindow. Until then
// nothing happened that it would not have reported. A stream shorter than that
// proves nothing.
func (s *source) pinged(opened time.Time) {
	window := kube.PingWindow()
	if at := time.Now().Add(-window); window > 0 && at.After(opened) && at.UnixNano() > s.last.Load() {
		s.last.Store(at.UnixNano())
	}
}

// selects reports whether o is a root because this source selects it.
func (s *source) selects(o *object.Object) (feed.Root, bool) {
	if s.sel == nil || o == nil {
		return feed.Root{}, false
	}
	return s.sel.root(o)
}

func (s *source) set(f func(*feed.SourceState)) { s.e.hub.setState(s, f) }

// phase sets the phase and its reason.
func (s *source) phase(p feed.Phase, err error, retry time.Duration) {
	s.set(func(st *feed.SourceState) {
		st.Phase, st.Error, st.Hint, st.Verb, st.Retry = p, "", "", "", time.Time{}
		st.Mode = s.mode
		explain(st, err)
		s.cut = err != nil && kube.Code(err) == 0 && !kube.IsDecodeError(err)
		if d, ok := errors.AsType[*deniedError](err); ok {
			st.Verb = d.verb
		}
		if retry > 0 {
			st.Retry = time.Now().Add(retry)
		}
	})
}

// explain describes why a source is not live.
func explain(st *feed.SourceState, err error) {
	if err == nil {
		return
	}
	st.Error, st.Hint = object.Clean(feed.Refusal(kube.ErrorText(err))), ""
	if p, ok := errors.AsType[*kube.Problem](err); ok {
		st.Hint = object.Clean(p.Next)
	}
}

// learn takes over the prober's error: the end of a stream does not say why no
// other one can be opened.
func (s *source) learn(err error) {
	s.set(func(st *feed.SourceState) {
		if st.Phase == feed.Stale && s.cut {
			explain(st, err)
		}
	})
}

func (s *source) live() {
	s.worked.Store(true)
	s.inTime()
	s.e.seen(s.spec, true)
	s.phase(feed.Live, nil, 0)
}

// resumed reports that a stream continues where the last one ended.
func (s *source) resumed(st *stream) {
	if st.ctx.Err() == nil {
		s.live()
	}
}

// overdue starts the time in which a source that was live must be live again.
// Renewing a watch is no change; if it fails, the source is stale, however long
// the server takes to answer.
func (s *source) overdue() {
	if !s.worked.Load() {
		return
	}
	s.slotMu.Lock()
	defer s.slotMu.Unlock()
	if s.late == nil {
		s.late = time.AfterFunc(renewPatience, func() {
			s.set(func(st *feed.SourceState) {
				if st.Phase == feed.Live {
					s.cut = true
					st.Phase, st.Error, st.Hint = feed.Stale, "the server has not answered yet", ""
				}
			})
		})
	}
}

// inTime stops that timer.
func (s *source) inTime() {
	s.slotMu.Lock()
	defer s.slotMu.Unlock()
	if s.late != nil {
		s.late.Stop()
		s.late = nil
	}
}

// run is the life of the source: the best mode that works, again and again.
func (s *source) run() {
	defer s.freeSlot()
	defer s.inTime()
	if s.spec.Lookup {
		s.set(func(*feed.SourceState) { s.mode = feed.ModeNone })
		s.e.lookUp(s)
		return
	}
	mode := s.best()
	forbidden := 0
	var noGet *deniedError
	for s.ctx.Err() == nil {
		m := mode
		s.set(func(*feed.SourceState) { s.mode = m })
		var err error
		switch mode {
		case feed.ModeWatch:
			err = s.watch()
		case feed.ModePollList:
			err = s.poll(false)
		case feed.ModePollGet:
			err = s.poll(true)
		}
		s.freeSlot()
		if s.ctx.Err() != nil {
			return
		}
		denied, isDenied := errors.AsType[*deniedError](err)
		switch {
		case errors.Is(err, kube.ErrNotServed):
			s.e.seen(s.spec, false)
			s.e.hub.replace(s, nil, "")
			s.phase(feed.NotServed, err, 0)
			s.awaitServed()
			mode = s.best()
		case isDenied && mode == feed.ModeWatch && s.spec.Name == "":
			s.e.deny(s.spec, s.worked.Load())
			mode = feed.ModePollList
		case isDenied && mode == feed.ModeWatch:
			mode = feed.ModePollGet
		case isDenied && mode == feed.ModePollGet && noGet == nil:
			noGet = denied // with list alone, a name is found in a list
			mode = feed.ModePollList
		case isDenied:
			if noGet != nil {
				denied, noGet = noGet, nil
				s.set(func(*feed.SourceState) { s.mode = feed.ModePollGet })
			}
			delay := s.forbiddenDelay(forbidden)
			forbidden++
			s.e.seen(s.spec, false)
			s.phase(feed.Forbidden, denied, delay)
			if gate.Sleep(s.ctx, delay) != nil {
				return
			}
			mode = s.best()
			continue
		case errors.Is(err, errUpgrade):
			mode, noGet = s.best(), nil
		}
		if !isDenied {
			forbidden = 0
		}
	}
}

// best is the first mode to try.
func (s *source) best() feed.Mode {
	switch {
	case s.e.opts.Poll == 0 && !s.spec.Poll && !s.e.noWatch.Load():
		return feed.ModeWatch
	case s.spec.Name != "":
		return feed.ModePollGet
	}
	return feed.ModePollList
}

// forbiddenDelay is short if permission was there before: it may be restored at
// any moment.
func (s *source) forbiddenDelay(n int) time.Duration {
	limit := 30 * time.Second
	if s.worked.Load() || n < 30 {
		limit = 1500 * time.Millisecond
	}
	return min(time.Second<<min(n, 5), limit)
}

// notServed reports whether the kind is not served, if an error looks like it.
func (s *source) notServed(ctx context.Context, err error) bool {
	return errors.Is(s.e.resolver.Missing(ctx, s.spec.Resource, err), kube.ErrNotServed)
}

// awaitServed waits until the server serves the kind.
func (s *source) awaitServed() {
	for delay := time.Second; gate.Sleep(s.ctx, delay) == nil; delay = min(delay*3/2, servedPoll) {
		if s.e.gate.Wait(s.ctx, s.state.Key) != nil {
			return
		}
		r, err := s.e.resolver.Served(s.ctx, s.spec.Resource.Group, s.spec.Resource.Version, s.spec.Resource.Kind)
		if err == nil {
			if r != s.spec.Resource {
				s.e.resolver.Changed(r)
			}
			return
		}
	}
}

// pause shows why a request failed and waits for the next attempt.
func (s *source) pause(ctx context.Context, err error) error {
	fails := s.fails.Add(1)
	switch c := kube.Code(err); {
	case c == 429 || c == 503 && kube.RetryAfter(err, 0) > 0:
		d := kube.RetryAfter(err, backoff(fails))
		s.phase(feed.Throttled, err, d)
		return s.retryDelay(ctx, d)
	case c == 401:
		d := min(backoff(fails+3), pauseMax)
		s.phase(feed.Stale, err, d)
		return s.retryDelay(ctx, d)
	case c != 0 || kube.IsDecodeError(err):
		d := min(backoff(fails), pauseMax)
		if _, ok := errors.AsType[*kube.BoundError](err); ok {
			d = upgradeAfter // it would be as long again
		}
		s.phase(feed.Stale, err, d)
		return s.retryDelay(ctx, d)
	}
	// The server was not reached. The gate's prober sets the pace, unless the
	// prober reaches the server and this source does not.
	s.phase(feed.Stale, err, 0)
	begun := time.Now()
	s.e.gate.Trip()
	if err := s.e.gate.Wait(ctx, s.state.Key); err != nil {
		return err
	}
	return s.retryDelay(ctx, backoff(fails)-time.Since(begun))
}

// retryDelay waits, and then for a token: the retries of all sources together
// are limited.
func (s *source) retryDelay(ctx context.Context, d time.Duration) error {
	if err := gate.Sleep(ctx, d); err != nil {
		return err
	}
	return s.e.tokens.Wait(ctx)
}

func backoff(n int32) time.Duration {
	if n <= 0 {
		return 0
	}
	d := min(backoffMin<<min(n-1, 6), backoffMax)
	return d - d/8 + rand.N(d/4+1)
}
