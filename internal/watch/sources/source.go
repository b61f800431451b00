package sources

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/flowcontrol"

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
	// LiveSilence is how long a live watch may be silent: bookmarks come about
	// every minute.
	LiveSilence = 90 * time.Second
	// RenewEvery is how long a watch lasts before it is renewed. An API server
	// checks permissions only when a watch begins: this bounds how long revoked
	// permissions go unnoticed. With more than renewMany streams it takes
	// longer, so that there are at most 20 renewals a minute.
	RenewEvery = time.Minute
	renewMany  = 20
	// renewPatience is how long a renewal may take before the source is stale.
	renewPatience = 2 * time.Second
	// unendedMost is how many initial lists in a row may break off before the
	// source falls back to lists.
	unendedMost = 3
	// PauseMax bounds the delay after an answer that shows that the server is
	// up.
	PauseMax = 2 * time.Second
	pollMin  = 2 * time.Second
	PollMax  = 10 * time.Second
	// proofAfter is how long a resumed stream must stay open to count as live.
	proofAfter = 100 * time.Millisecond
	// UpgradeAfter is how long a source stays in a lesser mode before it tries
	// the better one again.
	UpgradeAfter = time.Minute
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

// Sink takes what a source delivers. Its methods are called from any goroutine
// and do not block.
type Sink interface {
	Upsert(o *object.Object)
	Remove(o *object.Object)
	// Replace takes a completed list, which decides absence.
	Replace(list []*object.Object, resourceVersion string)
	// State changes the source's published state, one change at a time.
	State(change func(*feed.SourceState))
	// Denied is called when the area may not be watched as a whole; before says
	// that it could be until now.
	Denied(before bool)
	// Seen says whether the source's objects can be read.
	Seen(yes bool)
}

// Server is what all sources of an API server share.
type Server struct {
	Client   *kube.Client
	Resolver *kube.Resolver
	Gate     *gate.Gate
	Turns    *Turns                  // limits concurrent first syncs
	Tokens   flowcontrol.RateLimiter // of the retries of all sources together
	Poll     time.Duration           // if not zero, polls at this interval instead of watching
	Spawn    func(func())
	End      func(error) // ends everything with a usage error

	running atomic.Int32 // number of sources
	// noWatchList is set if the server does not support WatchList, or a proxy
	// drops the bookmark that ends the initial events.
	noWatchList atomic.Bool
	// noWatch is set if watches are not answered though lists are, as behind a
	// proxy that holds answers back until their end; watched, if one ever was.
	noWatch, watched atomic.Bool
}

// NoWatch reports whether watches are not answered though lists are.
func (v *Server) NoWatch() bool { return v.noWatch.Load() }

// Names are the wanted names of a source, "namespace/name"; nil means all.
type Names map[string]bool

// Has reports whether an object is wanted.
func (n Names) Has(o *object.Object) bool { return n == nil || n[o.Namespace+"/"+o.Name] }

// Source is one stream of data: a state machine around a Reflector, or around
// polling if watching is not permitted or not wanted. All its goroutines end
// with its context.
type Source struct {
	*Server
	key  string
	spec plan.Spec
	sink Sink
	keep Names
	opts convert.Options
	ctx  context.Context

	last   atomic.Int64 // time of the last byte, in Unix nanoseconds
	listed atomic.Bool  // a list with a version was completed

	// Owned by the running mode.
	fails  atomic.Int32 // consecutive failures
	opened time.Time    // when the last stream was opened
	worked atomic.Bool  // it was live once; a list that its mode no longer uses may still look like it
	// unended counts consecutive initial lists that broke off.
	unended atomic.Int32

	mu      sync.Mutex
	mode    feed.Mode   // the mode that is being tried; shown once it has had an answer
	cut     bool        // stale because the server is not reachable
	release func()      // returns the slot of a first sync
	late    *time.Timer // runs while a source that was live has no stream
}

// New prepares a source; Run is its life.
func (v *Server) New(ctx context.Context, spec plan.Spec, keep Names, opts convert.Options, sink Sink) *Source {
	return &Source{Server: v, ctx: ctx, key: spec.Key(), spec: spec, keep: keep, opts: opts, sink: sink}
}

// LastData is when its server was heard last; zero if never.
func (s *Source) LastData() time.Time {
	if n := s.last.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

func (s *Source) replace(list []*object.Object, rv string) {
	s.listed.Store(rv != "")
	s.sink.Replace(list, rv)
}

// heard notes the time of an answer about the cluster.
func (s *Source) heard() { s.last.Store(time.Now().UnixNano()) }

// pinged notes, when an HTTP/2 stream has ended, until when its server
// certainly answered: the last ping was answered within PingWindow. Until then
// nothing happened that it would not have reported. A stream shorter than that
// proves nothing.
func (s *Source) pinged(opened time.Time) {
	window := kube.PingWindow()
	if at := time.Now().Add(-window); window > 0 && at.After(opened) && at.UnixNano() > s.last.Load() {
		s.last.Store(at.UnixNano())
	}
}

// phase sets the phase and its reason.
func (s *Source) phase(p feed.Phase, err error, retry time.Duration) {
	s.sink.State(func(st *feed.SourceState) {
		s.cutOff(err != nil && kube.Code(err) == 0 && !kube.IsDecodeError(err))
		st.Phase, st.Error, st.Hint, st.Verb, st.Retry, st.Mode = p, "", "", "", time.Time{}, s.trying()
		Explain(st, err)
		if d, ok := errors.AsType[*deniedError](err); ok {
			st.Verb = d.verb
		}
		if retry > 0 {
			st.Retry = time.Now().Add(retry)
		}
	})
}

func (s *Source) cutOff(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = yes
}

func (s *Source) try(mode feed.Mode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = mode
}

func (s *Source) trying() feed.Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// Explain describes why a source is not live.
func Explain(st *feed.SourceState, err error) {
	if err == nil {
		return
	}
	st.Error, st.Hint = object.Clean(feed.Refusal(kube.ErrorText(err))), ""
	if p, ok := errors.AsType[*kube.Problem](err); ok {
		st.Hint = object.Clean(p.Next)
	}
}

// Learn takes over the prober's error: the end of a stream does not say why no
// other one can be opened.
func (s *Source) Learn(err error) {
	s.mu.Lock()
	cut := s.cut
	s.mu.Unlock()
	if !cut {
		return
	}
	s.sink.State(func(st *feed.SourceState) {
		if st.Phase == feed.Stale {
			Explain(st, err)
		}
	})
}

func (s *Source) live() {
	s.worked.Store(true)
	s.inTime()
	s.sink.Seen(true)
	s.phase(feed.Live, nil, 0)
}

// resumed reports that a stream continues where the last one ended.
func (s *Source) resumed(st *stream) {
	if st.ctx.Err() == nil {
		s.live()
	}
}

// overdue starts the time in which a source that was live must be live again.
// Renewing a watch is no change; if it fails, the source is stale, however long
// the server takes to answer.
func (s *Source) overdue() {
	if !s.worked.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.late == nil {
		s.late = time.AfterFunc(renewPatience, func() {
			s.sink.State(func(st *feed.SourceState) {
				if st.Phase == feed.Live {
					s.cutOff(true)
					st.Phase, st.Error, st.Hint = feed.Stale, "the server has not answered yet", ""
				}
			})
		})
	}
}

// inTime stops that timer.
func (s *Source) inTime() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.late != nil {
		s.late.Stop()
		s.late = nil
	}
}

// Run is the life of the source: the best mode that works, again and again.
func (s *Source) Run() {
	s.running.Add(1)
	defer s.running.Add(-1)
	defer s.freeSlot()
	defer s.inTime()
	if s.spec.Lookup {
		s.try(feed.ModeNone)
		s.lookUp()
		return
	}
	mode := s.best()
	forbidden := 0
	var noGet *deniedError
	for s.ctx.Err() == nil {
		s.try(mode)
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
			s.sink.Seen(false)
			s.replace(nil, "")
			s.phase(feed.NotServed, err, 0)
			s.awaitServed()
			mode = s.best()
		case isDenied && mode == feed.ModeWatch && s.spec.Name == "":
			s.sink.Denied(s.worked.Load())
			mode = feed.ModePollList
		case isDenied && mode == feed.ModeWatch:
			mode = feed.ModePollGet
		case isDenied && mode == feed.ModePollGet && noGet == nil:
			noGet = denied // with list alone, a name is found in a list
			mode = feed.ModePollList
		case isDenied:
			if noGet != nil {
				denied, noGet = noGet, nil
				s.try(feed.ModePollGet)
			}
			delay := s.forbiddenDelay(forbidden)
			forbidden++
			s.sink.Seen(false)
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

// lookUp is the life of a source for an unknown kind: it asks until the kind is
// served, then the next plan replaces it.
func (s *Source) lookUp() {
	r := s.spec.Resource
	s.phase(feed.Syncing, nil, 0)
	for delay := time.Second; s.Gate.Wait(s.ctx, s.key) == nil; {
		res, err := s.Resolver.Served(s.ctx, r.Group, r.Version, r.Kind)
		switch {
		case err == nil:
			s.Resolver.Changed(res)
			return
		case errors.Is(err, kube.ErrNotServed):
			s.fails.Store(0)
			s.replace(nil, "")
			s.phase(feed.NotServed, kube.ErrNotServed, delay)
			if gate.Sleep(s.ctx, delay) != nil {
				return
			}
			delay = min(delay*3/2, servedPoll)
		case kube.Code(err) == http.StatusForbidden:
			s.phase(feed.Forbidden, &deniedError{"get", err}, 10*time.Second)
			_ = gate.Sleep(s.ctx, 10*time.Second)
		default:
			if s.pause(s.ctx, err) != nil {
				return
			}
		}
	}
}

// best is the first mode to try.
func (s *Source) best() feed.Mode {
	switch {
	case s.Poll == 0 && !s.spec.Poll && !s.noWatch.Load():
		return feed.ModeWatch
	case s.spec.Name != "":
		return feed.ModePollGet
	}
	return feed.ModePollList
}

// forbiddenDelay is short if permission was there before: it may be restored at
// any moment.
func (s *Source) forbiddenDelay(n int) time.Duration {
	limit := 30 * time.Second
	if s.worked.Load() || n < 30 {
		limit = 1500 * time.Millisecond
	}
	return min(time.Second<<min(n, 5), limit)
}

// notServed reports whether the kind is not served, if an error looks like it.
func (s *Source) notServed(ctx context.Context, err error) bool {
	return errors.Is(s.Resolver.Missing(ctx, s.spec.Resource, err), kube.ErrNotServed)
}

// awaitServed waits until the server serves the kind.
func (s *Source) awaitServed() {
	for delay := time.Second; gate.Sleep(s.ctx, delay) == nil; delay = min(delay*3/2, servedPoll) {
		if s.Gate.Wait(s.ctx, s.key) != nil {
			return
		}
		r, err := s.Resolver.Served(s.ctx, s.spec.Resource.Group, s.spec.Resource.Version, s.spec.Resource.Kind)
		if err == nil {
			if r != s.spec.Resource {
				s.Resolver.Changed(r)
			}
			return
		}
	}
}

// pause shows why a request failed and waits for the next attempt.
func (s *Source) pause(ctx context.Context, err error) error {
	fails := s.fails.Add(1)
	switch c := kube.Code(err); {
	case c == 429 || c == 503 && kube.RetryAfter(err, 0) > 0:
		d := kube.RetryAfter(err, gate.Backoff(fails))
		s.phase(feed.Throttled, err, d)
		return s.retryDelay(ctx, d)
	case c == 401:
		d := min(gate.Backoff(fails+3), PauseMax)
		s.phase(feed.Stale, err, d)
		return s.retryDelay(ctx, d)
	case c != 0 || kube.IsDecodeError(err):
		d := min(gate.Backoff(fails), PauseMax)
		if _, ok := errors.AsType[*kube.BoundError](err); ok {
			d = UpgradeAfter // it would be as long again
		}
		s.phase(feed.Stale, err, d)
		return s.retryDelay(ctx, d)
	}
	// The server was not reached. The gate's prober sets the pace, unless the
	// prober reaches the server and this source does not.
	s.phase(feed.Stale, err, 0)
	begun := time.Now()
	s.Gate.Trip()
	if err := s.Gate.Wait(ctx, s.key); err != nil {
		return err
	}
	return s.retryDelay(ctx, gate.Backoff(fails)-time.Since(begun))
}

// retryDelay waits, and then for a token: the retries of all sources together
// are limited.
func (s *Source) retryDelay(ctx context.Context, d time.Duration) error {
	if err := gate.Sleep(ctx, d); err != nil {
		return err
	}
	return s.Tokens.Wait(ctx)
}
