// Package sources reads the streams that a plan asks for. A [Stream] converts each
// object as it comes and hands it to a [Sink]. There are several ways to read it: by a
// client-go Reflector, which watches (watching.go), and by a loop that lists, where
// watching is not permitted or wanted (polling.go). Stream.Run takes the best way that
// works (Stream.ways). A reading is one attempt: it lasts until another way is better. The type
// watching is the lister and the store of a Reflector. An openWatch is one watch request of it,
// which ends about every minute.
//
// A Stream publishes its state: waiting, syncing, live, stale, throttled, forbidden, or not
// served.
//
// When a watch ends, Tap.Reason has the true reason, which client-go hides:
//
//   - The server's timeout changes nothing: the Reflector watches again.
//   - An error of the server or of decoding makes the source stale.
//   - So does a broken or silent connection; it also has the gate's prober ask whether the
//     server is there.
//   - An expired version (410 Gone: as an answer see reading.failed, as an event
//     openWatch.failure) makes the Reflector list again. So does a watch that begins anew instead
//     of going on, and so do several in a row that end with an error.
//   - A server that answers a watch with a list is polled.
//
// A source that was live has two seconds to be live again before it is stale (expectLive).
//
// No error of one source ends another.
package sources

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
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
	// unendedMost is how many initial lists in a row may break off.
	unendedMost = 3
	// failedMost is how many watches in a row may end with an error until a list is read: the
	// server may have lost what it needs to go on from the last version.
	failedMost = 3
	// PauseMax bounds the delay after an answer: the server is up.
	PauseMax = 2 * time.Second
	pollMin  = 2 * time.Second
	PollMax  = 10 * time.Second
	// proofAfter is how long a resumed stream must stay open to count as live.
	proofAfter = 100 * time.Millisecond
	// UpgradeAfter is how long a source is read in another than the best way before it tries
	// the best one again, noWatchFor how long after watches were not answered.
	UpgradeAfter = time.Minute
	noWatchFor   = 15 * time.Minute
)

// refusedError says that the server refuses a verb: it is forbidden (403), or it cannot be done
// for this kind (405; for a watch also 400, 406, 415, 422, or a list as the answer).
type refusedError struct {
	error
	verb string
}

// Sink takes what a source delivers, from any goroutine. Its methods do not block.
type Sink interface {
	Upsert(o *object.Object)
	Remove(o *object.Object)
	// Replace takes a completed list. It decides absence, except for events: of these, it is one page.
	Replace(list []*object.Object, resourceVersion string)
	// Has reports whether the source has delivered exactly this version of an object.
	Has(o *object.Object) bool
	// UpdateState changes the source's published state, one change at a time.
	UpdateState(change func(*feed.SourceState))
}

// Older reports whether resource version a is older than b. Versions that cannot be
// compared, and none, count as newer.
func Older(a, b string) bool {
	c, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && c < 0
}

// SameVersion reports whether both are the same version of one object. Of objects without a
// version (some aggregated servers have none) nobody knows.
func SameVersion(x, y *object.Object) bool {
	return x.UID == y.UID && x.ResourceVersion == y.ResourceVersion && x.ResourceVersion != ""
}

// Server is what all sources of an API server share.
type Server struct {
	Client   *kube.Client
	Resolver *resolve.Resolver
	Gate     *gate.Gate
	Turns    *Turns                  // limits concurrent first syncs
	Tokens   flowcontrol.RateLimiter // of the retries of all sources together
	Poll     time.Duration           // if not zero, polls at this interval instead of watching
	Spawn    func(func())
	End      func(error) // ends everything with a usage error
	// NotAsWhole is called when the area of a source may not be watched as a whole;
	// before says that it could be until now.
	NotAsWhole func(s plan.Spec, before bool)

	running atomic.Int32 // number of sources
	// noWatchList is set if the server does not support WatchList, or a proxy
	// drops the bookmark that ends the initial events.
	noWatchList atomic.Bool
	// noWatch is when watches were not answered though lists were, as behind a
	// proxy that holds answers back until their end; watched says that one was.
	noWatch atomic.Value // a time.Time
	watched atomic.Bool
}

// cannotWatch reports whether it is of no use to try a watch.
func (v *Server) cannotWatch() bool {
	at, tried := v.noWatch.Load().(time.Time)
	return tried && time.Since(at) < noWatchFor
}

// Names are the wanted names of a source, "namespace/name"; nil means all.
type Names map[string]bool

// Has reports whether the object of an ID is wanted.
func (n Names) Has(id object.ID) bool { return n == nil || n[id.Namespace+"/"+id.Name] }

// Use is what a stream is read for.
type Use uint8

const (
	// ToFollow is a stream of the plan: roots, and what is generated from them.
	ToFollow Use = iota
	// ForReferences is what explanations look up: one object now and then, a list by a watch.
	ForReferences
	// ForEvents reads one page of the events that there are, in the server's order (by name), and
	// then all that come: the newest of many may be missing.
	ForEvents
)

// Stream is one stream of data. All its goroutines end with its context.
type Stream struct {
	*Server
	use  Use
	spec plan.Spec
	sink Sink
	keep Names
	opts convert.Options
	ctx  context.Context

	opened time.Time // when the last watch was opened; only the way that is being tried uses it
	late   *time.Timer

	mu       sync.Mutex // guards progress; nothing is called under it
	progress progress
}

// progress is how far a stream has come.
type progress struct {
	way           *way      // that is being tried; its mode is shown once it has had an answer
	lastData      time.Time // the last answer about the cluster
	silentWatches int       // watches since then, each open and without an event
	failedWatches int       // watches since then that the server ended with an error
	fails         int32     // consecutive failures
	unended       int       // consecutive initial lists that broke off
	listFirst     bool      // initial lists cannot be streamed
	hasBeenLive   bool      // it has been live at least once
	awaited       bool      // it was live, and must be so again before late ends

	listInstead bool // the last watch was answered with a list
}

// note changes how far the stream has come, and returns how far that is.
func (s *Stream) note(change func(*progress)) progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.progress)
	return s.progress
}

func (s *Stream) soFar() progress { return s.note(func(*progress) {}) }

// failedAgain counts a failure, and returns how many there are in a row.
func (s *Stream) failedAgain() int32 { return s.note(func(p *progress) { p.fails++ }).fails }

// New prepares a source; Run is its life.
func (v *Server) New(ctx context.Context, use Use, spec plan.Spec, keep Names, opts convert.Options) *Stream {
	s := &Stream{Server: v, ctx: ctx, use: use, spec: spec, keep: keep, opts: opts}
	s.progress.way = s.ways()[0]
	return s
}

// LastData is when its server last sent something; zero if never.
func (s *Stream) LastData() time.Time {
	return s.soFar().lastData
}

// noteData notes that the server has just sent something about the cluster.
func (s *Stream) noteData() {
	s.note(func(p *progress) { p.lastData, p.silentWatches, p.failedWatches = time.Now(), 0, 0 })
}

// unproven reports whether an open watch is no evidence any more: a server, or what
// answers in its place, that sends bookmarks would have sent one.
func (s *Stream) unproven() bool {
	return s.soFar().silentWatches > 1 && s.use != ForEvents && time.Since(s.LastData()) >= LiveSilence
}

// phase sets the phase and its reason.
func (s *Stream) phase(p feed.Phase, err error, retry time.Duration) {
	s.sink.UpdateState(func(st *feed.SourceState) {
		by := s.soFar().way
		st.Phase, st.Error, st.Hint, st.Verb, st.Retry, st.Mode = p, "", "", "", time.Time{}, by.mode
		st.Unpinged = by.watches && !s.Client.Pinged()
		Explain(st, err)
		if r, ok := errors.AsType[*refusedError](err); ok {
			st.Verb = r.verb
		}
		if retry > 0 {
			st.Retry = time.Now().Add(retry)
		}
	})
}

// Explain describes why a source is not live.
func Explain(st *feed.SourceState, err error) {
	if err == nil {
		return
	}
	st.Error, st.Hint = object.Clean(feed.Refusal(kube.ErrorText(err))), object.Clean(problem.Hint(err, ""))
}

func (s *Stream) live() {
	s.note(func(p *progress) { p.hasBeenLive, p.awaited = true, false })
	s.phase(feed.Live, nil, 0)
}

// expectLive starts the time in which a source that was live must be live again (renewPatience).
// A watch that is renewed leaves the source live meanwhile. If the new one is not answered in
// time, the source is stale.
func (s *Stream) expectLive() {
	begins := false
	s.note(func(p *progress) {
		begins = p.hasBeenLive && !p.awaited
		p.awaited = p.hasBeenLive
	})
	if begins {
		s.late.Reset(renewPatience)
	}
}

// Run is the life of the source: the best way that works, again and again.
func (s *Stream) Run(to Sink) {
	s.sink = to
	s.late = time.AfterFunc(renewPatience, func() {
		to.UpdateState(func(st *feed.SourceState) {
			if st.Phase == feed.Live && s.soFar().awaited { // it may have become live just now
				st.Phase, st.Error, st.Hint = feed.Stale, "the server has not answered yet", ""
			}
		})
	})
	defer s.late.Stop()
	s.running.Add(1)
	defer s.running.Add(-1)
	// ofOne is the way that reads the named object alone, once the server has refused it.
	var ofOne *way
	var ofOneRefused *refusedError
	ways := s.ways()
	for refusals := 0; s.ctx.Err() == nil; { // of all ways, in a row
		by := ways[0]
		s.note(func(p *progress) { p.way = by })
		err := s.readBy(by)
		s.Turns.give(s)
		if s.ctx.Err() != nil {
			return
		}
		refused, isRefused := errors.AsType[*refusedError](err)
		if isRefused && by.watches && s.spec.Name == "" && s.use == ToFollow {
			s.NotAsWhole(s.spec, s.soFar().hasBeenLive)
		}
		if by.ofOne {
			ofOne, ofOneRefused = by, refused
		}
		if isRefused {
			next := slices.IndexFunc(ways, func(w *way) bool { return w != by && w.verb != refused.verb })
			if next > 0 {
				ways = ways[next:]
				continue
			}
		}
		delay := s.refusedFor(err, refusals)
		switch {
		case errors.Is(err, resolve.ErrNotServed):
			s.sink.Replace(nil, "")
			s.phase(feed.NotServed, err, 0)
		case isRefused:
			if ofOneRefused != nil {
				refused = ofOneRefused
				s.note(func(p *progress) { p.way = ofOne })
			}
			s.phase(feed.Forbidden, refused, delay)
		default: // errAnew: nothing was refused
			refusals, ways = 0, s.ways()
			continue
		}
		refusals++
		ways = s.ways()
		_ = gate.Sleep(s.ctx, delay)
	}
}

// refusedFor is how long to wait after n refusals in a row; not long if permission was
// there before: it may be restored at any moment.
func (s *Stream) refusedFor(refusal error, n int) time.Duration {
	switch {
	case s.use == ForReferences:
		return RefPace
	case s.use == ForEvents:
		return min(10*time.Second<<min(n, 8), time.Minute)
	case errors.Is(refusal, resolve.ErrNotServed):
		return 3 * time.Second
	case s.soFar().hasBeenLive || n < 30:
		return 1500 * time.Millisecond
	}
	return 30 * time.Second
}

// Unreached reports whether an error is no answer, of whatever kind. That a kind is not served is
// one: to take it for an outage would end one outage and begin the next for ever.
func Unreached(err error) bool {
	return kube.Code(err) == 0 && !kube.IsDecodeError(err) && !errors.Is(err, resolve.ErrNotServed)
}

// pause shows why a request failed and waits for the next attempt.
func (s *Stream) pause(ctx context.Context, err error) error {
	fails := s.failedAgain()
	if Unreached(err) {
		// The gate's prober sets the pace, unless only this source fails to reach the server.
		s.phase(feed.Stale, err, 0)
		begun := time.Now()
		s.Gate.Trip()
		_ = s.Gate.Wait(ctx)
		return s.retryDelay(ctx, gate.Backoff(fails)-time.Since(begun))
	}
	phase, delay := feed.Stale, min(gate.Backoff(fails), PauseMax)
	_, endless := errors.AsType[*kube.BoundError](err)
	switch c := kube.Code(err); {
	case c == 429 || c == 503 && kube.RetryAfter(err, 0) > 0:
		phase, delay = feed.Throttled, kube.RetryAfter(err, gate.Backoff(fails))
	case c == 401:
		delay = min(gate.Backoff(fails+3), PauseMax)
	case endless:
		delay = UpgradeAfter // it would be as long again
	}
	s.phase(phase, err, delay)
	return s.retryDelay(ctx, delay)
}

// retryDelay waits, then for a token of all sources' retries. Its error is the context's.
func (s *Stream) retryDelay(ctx context.Context, d time.Duration) error {
	_ = gate.Sleep(ctx, d)
	return s.Tokens.Wait(ctx)
}
