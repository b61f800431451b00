package sources

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Why a stream is ended here.
var (
	errNoWatchList    = errors.New("the end of the initial list was not announced")
	errSilent         = errors.New("no data for too long")
	errRenew          = errors.New("the watch is being renewed")
	errAnsweredByList = errors.New("the server answered the watch with a list")
)

// watch runs a Reflector, which lists and watches.
func (r *reading) watch(ctx context.Context) {
	w := &watching{reading: r}
	reflector := cache.NewReflectorWithOptions(w, nil, w, cache.ReflectorOptions{Name: r.spec.Key()})
	reflector.WatchListPageSize = pageSize
	// Not RunWithContext: its error handler is a global with one rate for the
	// process.
	quiet := klog.NewContext(ctx, logr.Discard())
	for ctx.Err() == nil {
		_ = reflector.ListAndWatchWithContext(quiet) // watching has handled it
		r.waitToRetry(ctx)
	}
}

// watching is the ListerWatcher and the store of a Reflector. It returns to the
// Reflector what that needs to know (success, an expired version). As a store it keeps
// nothing.
type watching struct {
	cache.ListWatch // unused: the Reflector calls the methods with a context
	*reading

	listed bool // by pages, and not watched since
}

// IsWatchListSemanticsUnSupported tells the Reflector to list first. The API
// server has no watch cache for events.
func (w *watching) IsWatchListSemanticsUnSupported() bool {
	return w.cannotStream() || w.use == ForEvents
}

// ListWithContext reads a page of a list. The Reflector asks for the next one.
func (w *watching) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, err // called by a goroutine that the Reflector has left behind
	}
	o.ResourceVersionMatch = ""
	if o.ResourceVersion == "0" {
		o.ResourceVersion = ""
	} else if o.ResourceVersion != "" {
		// With a limit the server's default is exactly that version: the past,
		// for as long as etcd has it, although a watch from there is 410 Gone
		// already.
		o.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
	page, err := w.page(ctx, o)
	if err != nil {
		return nil, err
	}
	w.listed = true
	list := &internalversion.List{
		ListMeta: metav1.ListMeta{ResourceVersion: page.ResourceVersion, Continue: page.Continue},
	}
	for _, o := range page.Items {
		list.Items = append(list.Items, &item{o: o})
	}
	return list, nil
}

// WatchWithContext opens a watch.
func (w *watching) WatchWithContext(ctx context.Context, o metav1.ListOptions) (kwatch.Interface, error) {
	w.Turns.give(w.Stream) // of an initial list that broke off
	w.expectLive()
	initial := o.SendInitialEvents != nil && *o.SendInitialEvents
	switch {
	case initial:
	case w.unproven():
		return nil, apierrors.NewResourceExpired("the server has sent nothing for too long") // so that it lists
	case w.soFar().failedWatches >= failedMost:
		return nil, apierrors.NewResourceExpired("every watch from this version fails")
	}
	resumes := !initial && !w.listed
	w.listed = false
	o.Watch, o.AllowWatchBookmarks = true, true
	if !initial { // a long list takes time
		o.TimeoutSeconds = new(int64(w.renewal().Seconds()))
	}
	for unanswered := 0; ; {
		// A stream that ends soon after it began counts as a failure.
		switch {
		case w.opened.IsZero():
		case time.Since(w.opened) >= gate.BackoffMax:
			w.note(func(p *progress) { p.fails = 0 })
		default:
			if err := w.retryDelay(ctx, gate.Backoff(w.failedAgain())); err != nil {
				return nil, err
			}
		}
		w.opened = time.Time{}
		if w.soFar().listInstead {
			w.note(func(p *progress) { p.listInstead = false })
			w.leave(&refusedError{errAnsweredByList, "watch"})
			return nil, context.Canceled
		}
		if w.cannotWatch() || initial && w.cannotStream() {
			w.leave(errAnew)
			return nil, context.Canceled
		}
		if initial {
			if err := w.Turns.take(ctx, w.Stream); err != nil {
				return nil, err
			}
		}
		st, err := w.open(ctx, o, initial, resumes)
		if err == nil {
			return st, nil
		}
		w.Turns.give(w.Stream)
		switch c := kube.Code(err); {
		case initial && c == http.StatusUnprocessableEntity:
			w.listsFirst()
		case initial && o.ResourceVersion == "" && isTooLargeVersion(err):
			// its cache lags behind; a list is not from there
			w.note(func(p *progress) { p.listFirst = true })
		case !initial && (c == 400 || c == 406 || c == 415 || c == 422):
			w.leave(&refusedError{err, "watch"})
			return nil, context.Canceled
		}
		silent := errors.Is(err, kube.ErrNoAnswer) && !w.watched.Load()
		if err := w.failed(ctx, err, "watch"); err != nil {
			return nil, err
		}
		if silent { // but the server is reached: a proxy may hold answers back
			w.listsFirst()
			if unanswered++; unanswered > 1 && !initial {
				w.noWatch.Store(time.Now())
			}
		}
	}
}

// Transformer implements cache.TransformingStore. The Reflector collects a
// streamed list and replaces the store with it, which decides absence; the hub
// shows its rows as they arrive.
func (w *watching) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) { return obj, w.Add(obj) }
}

func (w *watching) Add(obj any) error {
	w.sink.Upsert(obj.(*item).o)
	return nil
}

func (w *watching) Update(obj any) error { return w.Add(obj) }

func (w *watching) Delete(obj any) error {
	w.sink.Remove(obj.(*item).o)
	return nil
}

func (w *watching) Replace(list []any, rv string) error {
	objects := make([]*object.Object, len(list))
	for i, obj := range list {
		objects[i] = obj.(*item).o
	}
	w.complete(objects, rv)
	return nil
}

func (w *watching) Resync() error { return nil }

// item carries a converted object through client-go's Reflector, which calls
// the methods below, and no others of metav1.Object (client-go v0.37.2
// tools/cache/reflector.go, store.go).
type item struct {
	metav1.Object
	o *object.Object
}

func (i *item) GetName() string                  { return i.o.Name }
func (i *item) GetNamespace() string             { return i.o.Namespace }
func (i *item) GetResourceVersion() string       { return i.o.ResourceVersion }
func (i *item) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (i *item) DeepCopyObject() runtime.Object   { return i } // immutable

// listsFirst notes that initial lists are not streamed here. No other source need
// try, but that a group with a dot in its name may come from an aggregated server,
// which is no evidence for the others.
func (s *Stream) listsFirst() {
	s.note(func(p *progress) { p.listFirst = true })
	if !strings.Contains(s.spec.Resource.Group, ".") {
		s.noWatchList.Store(true)
	}
}

func (s *Stream) cannotStream() bool { return s.soFar().listFirst || s.noWatchList.Load() }

// openWatch is a watch that has been opened.
type openWatch struct {
	s       *Stream
	events  chan kwatch.Event // closed when the stream has ended
	stop    context.CancelFunc
	ctx     context.Context
	decoder *kube.Decoder
	clocks  clocks
	// listing says that the initial events have not ended.
	listing bool
	// resumes says that it continues where an earlier watch ended, and has had no event yet.
	resumes bool
}

// clocks are the times that an open watch waits for.
type clocks struct {
	patience time.Duration // how long the watch may be silent
	silence  *time.Timer   // fires when it has been silent for so long
	silent   error         // why the watch then ends
	// renew fires when the watch has lasted long enough. It is nil during the initial events,
	// and for a watch that the server ends in time.
	renew <-chan time.Time
	// proof fires when an open watch counts as live although it has had no event.
	proof <-chan time.Time
}

// again starts the time of silence anew.
func (c *clocks) again() { c.silence.Reset(c.patience) }

func (st *openWatch) ResultChan() <-chan kwatch.Event { return st.events }

// Stop ends the stream; the channel is closed soon after.
func (st *openWatch) Stop() { st.stop() }

// open starts a watch.
func (s *Stream) open(ctx context.Context, o metav1.ListOptions, initial, resumes bool) (*openWatch, error) {
	if err := s.waitForServer(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w, tap, err := s.Client.Watch(ctx, s.spec.Resource.Path(s.spec.Namespace), s.query(o), kube.Accept(s.enc(), false))
	if err != nil {
		cancel()
		return nil, err
	}
	s.watched.Store(true)
	s.opened = time.Now()
	st := &openWatch{
		s: s, events: make(chan kwatch.Event), stop: cancel, ctx: ctx, listing: initial, resumes: resumes,
	}
	s.Spawn(func() {
		defer close(st.events)
		defer cancel()
		st.ended(st.read(w, tap))
	})
	return st, nil
}

// renewal is how long a watch may last. It varies: they are renewed one by one.
func (s *Stream) renewal() time.Duration {
	d := RenewEvery * time.Duration(max(int(s.running.Load()), renewMany)) / renewMany
	return d - rand.N(d/4)
}

// newClocks starts the clocks of a watch that has just been opened.
func (st *openWatch) newClocks() clocks {
	s := st.s
	c := clocks{patience: LiveSilence, silent: errSilent}
	switch {
	case st.listing:
		c.patience = syncSilence
	case s.use == ForEvents: // without a watch cache there are no bookmarks
		c.patience = max(LiveSilence, 2*s.renewal())
	}
	c.silence = time.NewTimer(c.patience)
	if st.listing {
		return c
	}
	c.proof = time.After(proofAfter) // without events, an open stream is the only evidence
	// If the watch before had no event either, silence counts from the last data. Then this watch
	// is not taken for broken: it is renewed, and in place of the next one a list is read (unproven).
	age := time.Since(s.LastData())
	silentWatches := s.note(func(p *progress) { p.silentWatches++ }).silentWatches
	if silentWatches > 1 && age < c.patience && s.use != ForEvents {
		c.silent = errRenew
		c.silence.Reset(c.patience - age)
	}
	return c
}

// read delivers the events of a watch until it ends, and returns why it has.
func (st *openWatch) read(w kwatch.Interface, tap *kube.Tap) error {
	defer w.Stop()
	st.clocks, st.decoder = st.newClocks(), kube.NewDecoder(st.s.spec.Resource, st.s.opts)
	c := &st.clocks
	defer c.silence.Stop()
	for {
		select {
		case ev := <-w.ResultChan(): // empty when the channel is closed
			raw, ok := ev.Object.(*runtime.Unknown)
			if !ok {
				return st.brokenOff(tap)
			}
			deliver, err := st.event(ev.Type, raw.Raw)
			if err != nil {
				return err
			}
			if deliver.Type == "" {
				continue
			}
			select {
			case st.events <- deliver:
			case <-st.ctx.Done():
				return st.ctx.Err()
			}
		case due := <-c.silence.C:
			switch {
			case stopped(due):
				c.silence.Reset(afterStop)
			case st.listing:
				return errNoWatchList
			default:
				return c.silent
			}
		case <-c.renew:
			return errRenew
		case <-c.proof:
			if st.ctx.Err() == nil {
				st.s.live()
			}
		}
	}
}

// brokenOff is why a watch ended without a word of ours: Tap has the reason. If initial
// events break off again and again, they are listed instead.
func (st *openWatch) brokenOff(tap *kube.Tap) error {
	if st.listing && st.ctx.Err() == nil &&
		st.s.note(func(p *progress) { p.unended++ }).unended >= unendedMost {
		return errNoWatchList
	}
	return tap.Reason
}

// event converts an event of the server for the Reflector. It returns none (without a type) for one
// that the Reflector need not see, and an error if the watch must end.
func (st *openWatch) event(typ kwatch.EventType, raw []byte) (kwatch.Event, error) {
	if !st.listing || typ == kwatch.Added { // other events are no part of the initial list
		st.clocks.again()
	}
	switch typ {
	case kwatch.Added, kwatch.Modified, kwatch.Deleted:
		return st.object(typ, raw)
	case kwatch.Bookmark:
		return st.bookmark(raw)
	case kwatch.Error:
		return st.failure(raw)
	}
	return kwatch.Event{}, nil
}

// object converts an event about an object. Where only a new list can tell what there is, the
// Reflector gets an expired version instead.
func (st *openWatch) object(typ kwatch.EventType, raw []byte) (kwatch.Event, error) {
	s := st.s
	o, err := st.decoder.Object(raw)
	switch {
	case kube.IsForeign(err):
		return kwatch.Event{}, err
	case err == nil && s.elsewhere(o):
		return kwatch.Event{}, kube.Another(o.ID.String(), "what is in "+s.spec.Namespace)
	}
	s.noteData()
	switch {
	case err != nil: // which object it was is not known
		s.phase(feed.Stale, err, 0)
		return expired(err.Error()), nil
	case !s.keep.Has(o.ID):
		return kwatch.Event{}, nil
	case st.resumes && typ == kwatch.Added && s.sink.Has(o):
		// The server does not go on from a version but begins anew, as one without a history
		// does: what was deleted meanwhile is not among its events.
		return expired("the watch began anew"), nil
	}
	st.resumes = false
	return kwatch.Event{Type: typ, Object: &item{o: o}}, nil
}

// expired is the event that makes the Reflector list again.
func expired(why string) kwatch.Event {
	return kwatch.Event{Type: kwatch.Error, Object: &apierrors.NewResourceExpired(why).ErrStatus}
}

// bookmark reads a bookmark: the server is there, and the initial events may have ended.
func (st *openWatch) bookmark(raw []byte) (kwatch.Event, error) {
	s := st.s
	obj, err := kube.Decode(raw, s.spec.Resource.ObjectKind(), kube.PartialMetadata)
	if kube.IsForeign(err) {
		return kwatch.Event{}, err
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return kwatch.Event{}, nil
	}
	s.noteData()
	if st.listing && m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
		st.listing = false
		s.note(func(p *progress) { p.unended = 0 })
		st.clocks.patience = LiveSilence
		st.clocks.again()
		st.clocks.renew = time.After(s.renewal())
	}
	return kwatch.Event{Type: kwatch.Bookmark, Object: obj}, nil
}

// failure reads an error event. The Reflector only needs to see that its version is expired.
func (st *openWatch) failure(raw []byte) (kwatch.Event, error) {
	err := kube.EventError(raw)
	if c := kube.Code(err); c == 410 || c == 504 || apierrors.IsResourceExpired(err) {
		return kwatch.Event{Type: kwatch.Error, Object: &err.ErrStatus}, nil
	}
	return kwatch.Event{}, err
}

// afterStop is how long a stream may be silent after this process was stopped (ctrl+z):
// what the server sent meanwhile has yet to be read.
const afterStop = 5 * time.Second

// stopped reports whether a timer that was due then is seen so late that the process
// cannot have run meanwhile. (The value of a timer is when it was due: package time, Go 1.23.)
func stopped(due time.Time) bool { return time.Since(due) > time.Second }

// ended shows why a stream ended, if the server ended it.
func (st *openWatch) ended(err error) {
	s := st.s
	switch {
	case kube.IsListOf(err, s.spec.Resource): // it cannot be watched; polling says what there is
		s.note(func(p *progress) { p.listInstead = true })
	case kube.Code(err) == http.StatusTooManyRequests:
		s.Turns.give(s)
		_ = s.pause(st.ctx, err)
	case errors.Is(err, errNoWatchList):
		s.listsFirst()
		phase := feed.Syncing
		if s.soFar().hasBeenLive { // what is known is no longer new
			phase = feed.Stale
		}
		s.phase(phase, err, 0)
	case st.ctx.Err() != nil, errors.Is(err, errRenew), err == io.EOF:
		// EOF: the server's timeout, or a graceful shutdown
	default:
		s.phase(feed.Stale, err, 0)
		if Unreached(err) {
			s.Gate.Trip()
		} else {
			s.note(func(p *progress) { p.failedWatches++ })
		}
	}
}
