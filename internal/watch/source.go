package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	kwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The watchdogs and paces of a source.
const (
	// syncSilence is how long the initial events may pause before the source
	// takes it that their end will never be announced.
	syncSilence = 10 * time.Second
	// liveSilence is how long a live watch may be silent: bookmarks come every
	// minute or so.
	liveSilence = 90 * time.Second
	// renewEvery is how long a watch goes on before it is asked for anew. An API
	// server looks at rights when a watch begins, and never again: this bounds
	// how long rights that were taken away go unnoticed. From renewMany streams
	// on it takes longer, so that there are no more than 20 renewals a minute.
	renewEvery = time.Minute
	renewMany  = 20
	// renewPatience is how long that may take before the source is stale.
	renewPatience = 2 * time.Second
	// unendedMost is how many initial lists may break off, one after the other,
	// before the source takes it that their end will never come.
	unendedMost = 3
	backoffMin  = 100 * time.Millisecond
	backoffMax  = 5 * time.Second
	// pauseMax bounds the wait after an answer that says that the server lives.
	pauseMax = 2 * time.Second
	pollMin  = 2 * time.Second
	pollMax  = 10 * time.Second
	// upgradeAfter is how long a source stays with a lesser mode before it
	// tries the better one again.
	upgradeAfter = time.Minute
)

// Why a source has to go about it in another way.
var (
	errNoWatchList = errors.New("the end of the initial list was not announced")
	errNotServed   = errors.New("the server does not know the kind")
	errSilent      = errors.New("nothing came for too long")
	errRenew       = errors.New("the watch is asked for anew")
	errFirstSynced = errors.New("the large first sync is over")
)

// deniedError is a 403.
type deniedError struct {
	verb string
	err  error
}

func (d *deniedError) Error() string { return d.err.Error() }

// source is one stream of data: a state machine around a Reflector, or around
// polling where watching is not allowed or not wanted. All its goroutines end
// with its context.
type source struct {
	e     *Engine
	spec  spec
	sel   *rootSelection // what it selects, or nil
	keep  map[string]bool
	opts  status.DecodeOptions
	twins twins
	specs podSpecs

	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	last atomic.Int64 // when the last byte came, in Unix nanoseconds

	// Owned by the hub and guarded by its lock.
	state    status.SourceState
	mode     status.Mode // the one that is being tried; shown once it has told something
	cut      bool        // while it is stale: it is so because the server is not reached
	stateSeq uint64
	answered bool // it has completed a list, or said why it cannot
	listRV   string
	recs     map[*rec]struct{}

	// Owned by the running mode.
	fails  atomic.Int32 // attempts that failed in a row
	opened time.Time    // when the last stream began
	worked atomic.Bool  // it was live once; a list that its mode has left may still look
	// unended counts the initial lists in a row that broke off.
	unended atomic.Int32

	slotMu  sync.Mutex
	release func()      // gives the slot of a first sync back
	late    *time.Timer // runs while a source that was live has no stream
}

func (s *source) lastData() time.Time {
	if n := s.last.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

func (s *source) heard() { s.last.Store(time.Now().UnixNano()) }

// selects reports whether o is a root because this source selected it.
func (s *source) selects(o *status.Object) (status.Root, bool) {
	if s.sel == nil || o == nil {
		return status.Root{}, false
	}
	return s.sel.root(o)
}

func (s *source) set(f func(*status.SourceState)) { s.e.hub.setState(s, f) }

// phase changes the phase and says why.
func (s *source) phase(p status.Phase, err error, retry time.Duration) {
	s.set(func(st *status.SourceState) {
		st.Phase, st.Error, st.Hint, st.Verb, st.Retry = p, "", "", "", time.Time{}
		st.Mode = s.mode
		explain(st, err)
		s.cut = err != nil && code(err) == 0 && !isDecodeError(err)
		if d, ok := errors.AsType[*deniedError](err); ok {
			st.Verb = d.verb
		}
		if retry > 0 {
			st.Retry = time.Now().Add(retry)
		}
	})
}

// explain puts into words why a source is not live.
func explain(st *status.SourceState, err error) {
	if err == nil {
		return
	}
	st.Error, st.Hint = status.Clean(errorText(err)), ""
	if p, ok := errors.AsType[*Problem](err); ok {
		st.Hint = status.Clean(p.Next)
	}
}

// learn takes in what the prober has met: that a stream broke off says nothing of
// why there is no other one.
func (s *source) learn(err error) {
	s.set(func(st *status.SourceState) {
		if st.Phase == status.Stale && s.cut {
			explain(st, err)
		}
	})
}

func (s *source) live() {
	s.worked.Store(true)
	s.inTime()
	s.e.seen(s.spec, true)
	s.phase(status.Live, nil, 0)
}

// overdue begins the time in which a source that was live has to be so again.
// A watch that is renewed is no news; one that cannot be is stale, however long
// the server takes to say so.
func (s *source) overdue() {
	if !s.worked.Load() {
		return
	}
	s.slotMu.Lock()
	defer s.slotMu.Unlock()
	if s.late == nil {
		s.late = time.AfterFunc(renewPatience, func() {
			s.set(func(st *status.SourceState) {
				if st.Phase == status.Live {
					s.cut = true
					st.Phase, st.Error, st.Hint = status.Stale, "the server has not answered yet", ""
				}
			})
		})
	}
}

// inTime ends it.
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
	if s.spec.lookup {
		s.set(func(*status.SourceState) { s.mode = status.ModeNone })
		s.e.lookUp(s)
		return
	}
	mode := s.best()
	forbidden := 0
	var noGet *deniedError
	for s.ctx.Err() == nil {
		m := mode
		s.set(func(*status.SourceState) { s.mode = m })
		var err error
		switch mode {
		case status.ModeWatch:
			err = s.watch()
		case status.ModePollList:
			err = s.poll(false)
		case status.ModePollGet:
			err = s.poll(true)
		}
		s.freeSlot()
		if s.ctx.Err() != nil {
			return
		}
		denied, isDenied := errors.AsType[*deniedError](err)
		switch {
		case errors.Is(err, errNotServed):
			s.e.seen(s.spec, false)
			s.e.hub.replace(s, nil, "")
			s.phase(status.NotServed, err, 0)
			s.awaitServed()
			mode = s.best()
		case isDenied && mode == status.ModeWatch && s.spec.name == "":
			s.e.deny(s.spec)
			mode = status.ModePollList
		case isDenied && mode == status.ModeWatch:
			mode = status.ModePollGet
		case isDenied && mode == status.ModePollGet && noGet == nil:
			noGet = denied // who may only list finds a name in a list
			mode = status.ModePollList
		case isDenied:
			if noGet != nil {
				denied, noGet = noGet, nil
				s.set(func(*status.SourceState) { s.mode = status.ModePollGet })
			}
			delay := s.forbiddenDelay(forbidden)
			forbidden++
			s.e.seen(s.spec, false)
			s.phase(status.Forbidden, denied, delay)
			if sleep(s.ctx, delay) != nil {
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

// best is the mode to begin with.
func (s *source) best() status.Mode {
	switch {
	case s.e.opts.Poll == 0 && !s.spec.poll:
		return status.ModeWatch
	case s.spec.name != "":
		return status.ModePollGet
	}
	return status.ModePollList
}

// forbiddenDelay is short for rights that were there once: they may be given
// back at any moment.
func (s *source) forbiddenDelay(n int) time.Duration {
	limit := 30 * time.Second
	if s.worked.Load() || n < 30 {
		limit = 1500 * time.Millisecond
	}
	return min(time.Second<<min(n, 5), limit)
}

// awaitServed waits until the server knows the kind.
func (s *source) awaitServed() {
	for delay := time.Second; sleep(s.ctx, delay) == nil; delay = min(delay*3/2, servedPoll) {
		if s.e.gate.wait(s.ctx, s.state.Key) != nil {
			return
		}
		r, err := s.e.resolver.served(s.ctx, s.spec.res.Group, s.spec.res.Version, s.spec.res.Kind)
		if err == nil {
			if r != s.spec.res {
				s.e.resolver.changed(r)
			}
			return
		}
	}
}

// watch runs a Reflector until the mode has to change.
func (s *source) watch() error {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	lw := &listerWatcher{s: s, leave: cancel}
	r := cache.NewReflectorWithOptions(lw, nil, (*store)(s), cache.ReflectorOptions{
		Name:    s.state.Key,
		Backoff: &wait.Backoff{Duration: backoffMin, Factor: 2, Steps: 7, Cap: backoffMax, Jitter: 0.2},
	})
	// Not RunWithContext: its error handler is a global with a global pace.
	quiet := klog.NewContext(ctx, logr.Discard())
	for n := int32(0); ctx.Err() == nil; {
		began := time.Now()
		_ = r.ListAndWatchWithContext(quiet) // the listerWatcher has dealt with errors
		if n++; time.Since(began) > backoffMax {
			n = 1
		}
		_ = sleep(ctx, backoff(n))
	}
	err := context.Cause(ctx)
	if errors.Is(err, errNoWatchList) {
		return nil // again, with a list
	}
	return err
}

// listerWatcher is the Reflector's only door to the server. It returns to the
// Reflector what the Reflector has to know (success, an expired version) and
// deals with everything else itself: it waits, retries, shows the state, or
// leaves the mode.
type listerWatcher struct {
	s     *source
	leave context.CancelCauseFunc
}

// IsWatchListSemanticsUnSupported tells the Reflector to list first.
func (l *listerWatcher) IsWatchListSemanticsUnSupported() bool {
	return l.s.e.noWatchList.Load()
}

func (l *listerWatcher) List(metav1.ListOptions) (runtime.Object, error) {
	return nil, errors.ErrUnsupported
}

func (l *listerWatcher) Watch(metav1.ListOptions) (kwatch.Interface, error) {
	return nil, errors.ErrUnsupported
}

func (l *listerWatcher) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	s := l.s
	if err := ctx.Err(); err != nil {
		return nil, err // the Reflector calls from a goroutine of its own
	}
	s.overdue()
	if err := s.slot(ctx); err != nil {
		return nil, err
	}
	q := s.query()
	if o.ResourceVersion != "" && o.ResourceVersion != "0" {
		q.Set("resourceVersion", o.ResourceVersion)
	}
	if o.Limit > 0 {
		q.Set("limit", strconv.FormatInt(o.Limit, 10))
	}
	if o.Continue != "" {
		q.Set("continue", o.Continue)
		q.Del("resourceVersion")
	}
	for {
		p, err := s.list(ctx, q)
		if err == nil {
			l := &itemList{ListMeta: metav1.ListMeta{ResourceVersion: p.rv, Continue: p.cont}}
			for _, o := range p.items {
				l.Items = append(l.Items, &item{o: o})
			}
			return l, nil
		}
		if err := l.judge(ctx, err, "list"); err != nil {
			return nil, err
		}
	}
}

func (l *listerWatcher) WatchWithContext(ctx context.Context, o metav1.ListOptions) (kwatch.Interface, error) {
	s := l.s
	if err := ctx.Err(); err != nil {
		return nil, err // the Reflector calls from a goroutine of its own
	}
	s.overdue()
	initial := o.SendInitialEvents != nil && *o.SendInitialEvents
	if initial {
		if err := s.slot(ctx); err != nil {
			return nil, err
		}
	}
	q := s.query()
	q.Set("watch", "true")
	q.Set("allowWatchBookmarks", "true")
	if initial {
		q.Set("sendInitialEvents", "true")
		q.Set("resourceVersionMatch", string(o.ResourceVersionMatch))
	}
	if o.ResourceVersion != "" {
		q.Set("resourceVersion", o.ResourceVersion)
	}
	switch {
	case !initial:
		q.Set("timeoutSeconds", strconv.Itoa(int(s.renewal().Seconds())))
	case o.TimeoutSeconds != nil: // a long list takes its time
		q.Set("timeoutSeconds", strconv.FormatInt(*o.TimeoutSeconds, 10))
	}
	for {
		// A stream that ended soon after its beginning is a failure too.
		switch {
		case s.opened.IsZero():
		case time.Since(s.opened) >= backoffMax:
			s.fails.Store(0)
		default:
			if err := s.retryDelay(ctx, backoff(s.fails.Add(1))); err != nil {
				return nil, err
			}
		}
		s.opened = time.Time{}
		if initial && s.e.noWatchList.Load() {
			l.leave(errNoWatchList)
			return nil, context.Canceled
		}
		st, err := s.open(ctx, q, initial)
		if err == nil {
			return st, nil
		}
		if initial && code(err) == http.StatusUnprocessableEntity && !strings.Contains(s.spec.res.Group, ".") {
			// Nobody need ask again. A group with a dot may come from a server of
			// its own, which speaks for itself alone.
			s.e.noWatchList.Store(true)
		}
		if err := l.judge(ctx, err, "watch"); err != nil {
			return nil, err
		}
	}
}

// judge decides what a failed request means: nil to try again (after having
// waited), or the error for the Reflector.
func (l *listerWatcher) judge(ctx context.Context, err error, verb string) error {
	s := l.s
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch c := code(err); {
	case c == 403:
		l.leave(&deniedError{verb, err})
		return context.Canceled
	case c == 404:
		l.leave(errNotServed)
		return context.Canceled
	case c == 410, apierrors.IsResourceExpired(err), apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge):
		// The Reflector begins anew, at once and without end.
		if fails := s.fails.Add(1); fails > 1 {
			s.phase(status.Stale, err, 0)
			if err := s.retryDelay(ctx, backoff(fails)); err != nil {
				return err
			}
		}
		return err
	case c == 400 || c == 422 || c == 405 || c == 406 || c == 415:
		// A server that cannot stream a list: the Reflector lists instead. It
		// paces its repetitions itself.
		if verb == "list" {
			s.phase(status.Stale, err, backoffMax)
		}
		return err
	}
	return s.pause(ctx, err)
}

// pause shows why a request failed and waits until another try makes sense.
func (s *source) pause(ctx context.Context, err error) error {
	fails := s.fails.Add(1)
	switch c := code(err); {
	case c == 429 || c == 503 && retryAfter(err, 0) > 0:
		d := retryAfter(err, backoff(fails))
		s.phase(status.Throttled, err, d)
		return s.retryDelay(ctx, d)
	case c == 401:
		d := min(backoff(fails+3), pauseMax)
		s.phase(status.Stale, err, d)
		return s.retryDelay(ctx, d)
	case c != 0 || isDecodeError(err):
		d := min(backoff(fails), pauseMax)
		s.phase(status.Stale, err, d)
		return s.retryDelay(ctx, d)
	}
	// The server was not reached. The gate's prober sets the pace, unless it
	// finds the server well when we do not.
	s.phase(status.Stale, err, 0)
	begun := time.Now()
	s.e.gate.trip()
	if err := s.e.gate.wait(ctx, s.state.Key); err != nil {
		return err
	}
	return s.retryDelay(ctx, backoff(fails)-time.Since(begun))
}

// retryDelay waits, and then for a token: all retries of all sources together
// are bounded.
func (s *source) retryDelay(ctx context.Context, d time.Duration) error {
	if err := sleep(ctx, d); err != nil {
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

func (s *source) query() url.Values {
	q := url.Values{}
	if s.spec.name != "" {
		q.Set("fieldSelector", "metadata.name="+s.spec.name)
	}
	if s.spec.selector != "" {
		q.Set("labelSelector", s.spec.selector)
	}
	return q
}

// enc is how the kind is asked for: a kind that is wanted whole, as JSON.
func (s *source) enc() encoding {
	if s.opts.Whole {
		return encJSON
	}
	return s.spec.res.Enc
}

// list requests one page of a list.
func (s *source) list(ctx context.Context, q url.Values) (listPage, error) {
	if err := s.e.gate.wait(ctx, s.state.Key); err != nil {
		return listPage{}, err
	}
	s.syncing()
	resp, err := s.e.client.get(ctx, s.spec.res.path(s.spec.namespace), q, accept(s.enc(), true))
	if err != nil {
		return listPage{}, err
	}
	defer resp.Body.Close()
	p, err := readList(&ear{resp.Body, s}, resp.Header.Get("Content-Type"), s.spec.res, s.opts)
	if err != nil {
		return p, err
	}
	n := p.items[:0]
	for _, o := range p.items {
		if s.keeps(o) {
			s.twins.share(o)
			n = append(n, o)
		}
	}
	p.items = n
	return p, nil
}

// syncing says that a first list is on its way, unless rows are there already.
func (s *source) syncing() {
	s.set(func(st *status.SourceState) {
		if st.Phase == status.Waiting || st.Phase == status.Syncing {
			st.Phase, st.Mode = status.Syncing, s.mode
		}
	})
}

func (s *source) keeps(o *status.Object) bool {
	return s.keep == nil || s.keep[o.Namespace+"/"+o.Name]
}

// ear notes when bytes come.
type ear struct {
	io.Reader
	s *source
}

func (e *ear) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if n > 0 {
		e.s.heard()
	}
	return n, err
}

// slot waits for one of the few places for first syncs.
func (s *source) slot(ctx context.Context) error {
	s.slotMu.Lock()
	held := s.release != nil
	s.slotMu.Unlock()
	if held {
		return nil
	}
	if err := s.e.turns.take(ctx, s.spec); err != nil {
		return err
	}
	s.slotMu.Lock()
	s.release = sync.OnceFunc(s.e.turns.give)
	s.slotMu.Unlock()
	return nil
}

// freeSlot gives the place back, if the source has one.
func (s *source) freeSlot() {
	s.slotMu.Lock()
	defer s.slotMu.Unlock()
	if s.release != nil {
		s.release()
		s.release = nil
	}
}

// stream is an open watch.
type stream struct {
	s      *source
	events chan kwatch.Event // closed by the reading goroutine
	stop   context.CancelFunc
	ctx    context.Context
}

func (st *stream) ResultChan() <-chan kwatch.Event { return st.events }

// Stop ends the stream; the channel is closed soon after.
func (st *stream) Stop() { st.stop() }

// open starts a watch.
func (s *source) open(ctx context.Context, q url.Values, initial bool) (*stream, error) {
	if err := s.e.gate.wait(ctx, s.state.Key); err != nil {
		return nil, err
	}
	s.syncing()
	ctx, cancel := context.WithCancel(ctx)
	asked := ctx
	bulk := initial && s.bulky()
	if bulk {
		asked = inBulk(ctx)
	}
	resp, err := s.e.client.get(asked, s.spec.res.path(s.spec.namespace), q, accept(s.enc(), false))
	if bulk && err != nil && code(err) == 0 && ctx.Err() == nil {
		bulk = false
		s.e.noBulk.Store(true) // the usual way tells whether it is the server
		resp, err = s.e.client.get(ctx, s.spec.res.path(s.spec.namespace), q, accept(s.enc(), false))
	}
	if err != nil {
		cancel()
		return nil, err
	}
	bulk = bulk && resp.ProtoMajor == 1
	s.heard()
	s.opened = time.Now()
	if !initial {
		s.freeSlot()
		if s.listedBefore() {
			s.live()
		}
	}
	st := &stream{s: s, events: make(chan kwatch.Event), stop: cancel, ctx: ctx}
	s.e.spawn(func() {
		defer close(st.events)
		defer cancel()
		defer resp.Body.Close()
		err := st.read(resp.Body, resp.Header.Get("Content-Type"), initial, bulk)
		if bulk && !errors.Is(err, errFirstSynced) {
			s.e.noBulk.Store(true)
		}
		st.ended(err)
	})
	return st, nil
}

// bulky reports whether a first sync is worth a connection of its own: that of a
// whole area is, where there is much.
func (s *source) bulky() bool {
	if s.spec.name != "" || s.spec.selector != "" || s.e.noBulk.Load() {
		return false
	}
	s.e.mu.Lock()
	n := len(s.e.named)
	s.e.mu.Unlock()
	return n >= bulkFrom || s.e.hub.size() >= bulkFrom
}

// renewal is how long a watch may go on; not the same for all, so that they are
// renewed one by one.
func (s *source) renewal() time.Duration {
	s.e.hub.mu.Lock()
	n := len(s.e.hub.sources)
	s.e.hub.mu.Unlock()
	d := renewEvery * time.Duration(max(n, renewMany)) / renewMany
	return d - rand.N(d/4)
}

func (s *source) listedBefore() bool {
	s.e.hub.mu.Lock()
	defer s.e.hub.mu.Unlock()
	return s.listRV != ""
}

// read delivers events until the stream ends; one in bulk ends with the first sync.
func (st *stream) read(body io.ReadCloser, contentType string, listing, bulk bool) error {
	s := st.s
	patience := liveSilence
	if listing {
		patience = syncSilence
	}
	var initial atomic.Bool // until the end of the initial list
	initial.Store(listing)
	var given atomic.Pointer[error] // why we have ended it
	end := func(why error) {
		given.CompareAndSwap(nil, &why)
		st.stop()
		body.Close()
	}
	dog := time.AfterFunc(patience, func() {
		if initial.Load() {
			end(errNoWatchList)
		} else {
			end(errSilent)
		}
	})
	defer dog.Stop()
	var renew *time.Timer
	defer func() {
		if renew != nil {
			renew.Stop()
		}
	}()
	next, proto := frames(&ear{body, s}, contentType)
	for {
		f, err := next()
		if why := given.Load(); why != nil {
			return *why
		}
		if err != nil {
			if initial.Load() && st.ctx.Err() == nil && s.unended.Add(1) >= unendedMost {
				return errNoWatchList
			}
			return err
		}
		dog.Reset(patience)
		ev := kwatch.Event{Type: kwatch.EventType(f.typ)}
		switch ev.Type {
		case kwatch.Added, kwatch.Modified, kwatch.Deleted:
			o, err := s.decode(f.object, proto)
			if err != nil {
				s.e.hub.notice(status.Notice{Level: "warning", From: "watch", Text: status.Clean(
					fmt.Sprintf("an object of %s cannot be read: %v", s.spec.res, err))})
				continue
			}
			if !s.keeps(o) {
				continue
			}
			if initial.Load() && ev.Type != kwatch.Deleted {
				// The Reflector hands over only when the list is complete; the
				// first rows are worth showing at once.
				s.e.hub.upsert(s, o)
			}
			ev.Object = &item{o: o}
		case kwatch.Bookmark:
			rv, last, err := bookmark(f.object, proto)
			if err != nil {
				continue
			}
			if last {
				initial.Store(false)
				s.unended.Store(0)
				patience = liveSilence
				dog.Reset(patience)
				renew = time.AfterFunc(s.renewal(), func() { end(errRenew) })
			}
			ev.Object = &item{o: &status.Object{ResourceVersion: rv}, end: last}
			if last && bulk {
				return st.handOver(ev)
			}
		case kwatch.Error:
			err := eventError(f.object, proto)
			if c := code(err); c == 410 || c == 504 || apierrors.IsResourceExpired(err) {
				ev.Object = statusOf(err)
				break
			}
			return err
		default:
			continue
		}
		select {
		case st.events <- ev:
		case <-st.ctx.Done():
			return st.ctx.Err()
		}
	}
}

// handOver ends a stream with the end of its first sync, so that the Reflector goes
// on from there by another. It takes a stream without any event for a fault and
// would list everything again: hence the second bookmark.
func (st *stream) handOver(end kwatch.Event) error {
	st.s.opened = time.Time{} // it has not failed
	again := end
	again.Object = &item{o: end.Object.(*item).o}
	for _, ev := range []kwatch.Event{end, again} {
		select {
		case st.events <- ev:
		case <-st.ctx.Done():
			return st.ctx.Err()
		}
	}
	return errFirstSynced
}

// ended shows why a stream ended, when it was not by us.
func (st *stream) ended(err error) {
	s := st.s
	if errors.Is(err, errFirstSynced) {
		return
	}
	if errors.Is(err, errNoWatchList) {
		s.e.noWatchList.Store(true)
		s.phase(status.Syncing, errNoWatchList, 0)
		return
	}
	if st.ctx.Err() != nil && !errors.Is(err, errSilent) {
		return
	}
	switch {
	case err == io.EOF: // the server's timeout, or a graceful shutdown
	case code(err) != 0:
		s.phase(status.Stale, err, 0)
	default:
		s.phase(status.Stale, err, 0)
		s.e.gate.trip()
	}
}

func (s *source) decode(raw []byte, proto bool) (o *status.Object, err error) {
	if proto {
		b, err := unwrapUnknown(raw)
		if err != nil {
			return nil, err
		}
		o, err = s.specs.decode(b, s.spec.res, s.opts)
		if err != nil {
			return nil, err
		}
	} else if o, err = decodeJSON(raw, s.spec.res, s.opts); err != nil {
		return nil, err
	}
	s.twins.share(o)
	return o, nil
}

// store is the Reflector's view of a source: it passes everything on to the
// hub and keeps nothing.
type store source

func (t *store) Add(obj any) error    { return t.put(obj) }
func (t *store) Update(obj any) error { return t.put(obj) }

func (t *store) put(obj any) error {
	t.e.hub.upsert((*source)(t), obj.(*item).o)
	return nil
}

func (t *store) Delete(obj any) error {
	t.e.hub.remove((*source)(t), obj.(*item).o)
	return nil
}

func (t *store) Replace(list []any, rv string) error {
	s := (*source)(t)
	objects := make([]*status.Object, len(list))
	for i, o := range list {
		objects[i] = o.(*item).o
	}
	s.e.hub.replace(s, objects, rv)
	s.freeSlot()
	s.live()
	return nil
}

func (t *store) Resync() error { return nil }
