package sources

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// follow runs a Reflector until the mode has to change.
func (s *Stream) follow(mode feed.Mode) error {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	l := &reading{Stream: s, mode: mode, leave: cancel, began: time.Now(), changed: time.Now(), rest: pollMin}
	r := cache.NewReflectorWithOptions(l, nil, l, cache.ReflectorOptions{Name: s.spec.Key()})
	r.WatchListPageSize = pageSize
	// Not RunWithContext: its error handler is a global with one rate for the
	// process.
	quiet := klog.NewContext(ctx, logr.Discard())
	for ctx.Err() == nil {
		if err := r.ListAndWatchWithContext(quiet); !errors.Is(err, errPollAgain) { // reading has handled it
			l.overdue()
			_ = l.retryDelay(ctx, gate.Backoff(l.fails.Add(1)))
		}
	}
	return context.Cause(ctx)
}

// reading is a source in one mode: the ListerWatcher and the store of a
// Reflector. It returns to the Reflector what it needs to know (success, an
// expired version) and handles everything else itself: it waits, retries, shows
// the state, or leaves the mode. Where the source polls, its watch is the pause
// before the next list. As a store it keeps nothing.
type reading struct {
	cache.ListWatch // unused: the Reflector calls the methods with a context
	*Stream
	mode  feed.Mode
	leave context.CancelCauseFunc
	began time.Time

	// Of a source that polls: what it has read last, when that had changed, and
	// how long to rest before the next list.
	last    []any
	changed time.Time
	rest    time.Duration
}

var (
	// errAnew says that there is a better mode, or that a mode must begin anew.
	errAnew = errors.New("begin again")
	// errPollAgain tells the Reflector to list again.
	errPollAgain = errors.New("poll again")
)

// IsWatchListSemanticsUnSupported tells the Reflector to list first. The API
// server has no watch cache for events.
func (l *reading) IsWatchListSemanticsUnSupported() bool {
	return l.mode != feed.ModeWatch || l.cannotStream() || l.spec.Events
}

// pageSize is how many objects a page of a list may have; of events no more than
// eventsMost are read.
const (
	pageSize   = 500
	eventsMost = 10 * pageSize
)

// ListWithContext reads a page of a list. The Reflector asks for the next one.
func (l *reading) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, err // called by a goroutine that the Reflector has left behind
	}
	o.ResourceVersionMatch = ""
	if l.mode != feed.ModeWatch || o.ResourceVersion == "0" {
		o.ResourceVersion = ""
	} else if o.ResourceVersion != "" {
		// With a limit the server's default is exactly that version: the past,
		// for as long as etcd has it, although a watch from there is 410 Gone
		// already.
		o.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
	if l.spec.Events {
		o.Limit = eventsMost
	}
	for {
		if l.mode != l.modes()[0] && o.Continue == "" && time.Since(l.began) > UpgradeAfter {
			l.leave(errAnew)
			return nil, context.Canceled
		}
		if err := l.Turns.take(ctx, l.Stream); err != nil {
			return nil, err
		}
		l.overdue()
		page, err := l.fetch(ctx, l.mode, o)
		if err == nil {
			list := &internalversion.List{ListMeta: metav1.ListMeta{ResourceVersion: page.ResourceVersion, Continue: page.Continue}}
			if l.spec.Events {
				list.Continue = ""
			}
			for _, o := range page.Items {
				list.Items = append(list.Items, &item{o: o})
			}
			return list, nil
		}
		l.Turns.give(l.Stream)
		verb := "list"
		if l.mode == feed.ModePollGet || l.mode == feed.ModeNone {
			verb = "get"
		}
		if err := l.failed(ctx, err, verb); err != nil {
			return nil, err
		}
	}
}

// A reference is read again every RefPace. One that has not changed for
// refCalm is read less often: an idle dashboard with fifty references makes 25
// requests a minute instead of 100.
const (
	RefPace = 30 * time.Second
	RefRest = 2 * time.Minute
	refCalm = 10 * time.Minute
)

// polled decides how long to pause after a list, if the source polls.
func (l *reading) polled(list []any) {
	if l.mode == feed.ModeWatch {
		return
	}
	l.fails.Store(0)
	same := slices.EqualFunc(l.last, list, func(a, b any) bool {
		x, y := a.(*item).o, b.(*item).o
		return x.ID == y.ID && x.ResourceVersion == y.ResourceVersion
	})
	if !same {
		l.last, l.changed = list, time.Now()
	}
	switch {
	case l.spec.Ref && time.Since(l.changed) >= refCalm:
		l.rest = RefRest
	case l.spec.Ref:
		l.rest = RefPace
	case l.Poll > 0:
		l.rest = l.Poll
	case same:
		l.rest = min(l.rest*3/2, PollMax)
	default:
		l.rest = pollMin
	}
}

// failed decides what a failed request means: nil to try again (after a delay),
// or the error for the Reflector.
func (l *reading) failed(ctx context.Context, err error, verb string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch c := kube.Code(err); {
	case c == http.StatusForbidden, c == http.StatusMethodNotAllowed && verb == "watch":
		l.leave(&deniedError{err, verb})
		return context.Canceled
	case errors.Is(l.Resolver.Missing(ctx, l.spec.Resource, err), resolve.ErrNotServed):
		if l.Gate.JustOpened() {
			return l.pause(ctx, err) // after an outage the discovery may not know every kind yet
		}
		l.leave(resolve.ErrNotServed)
		return context.Canceled
	case c == 410, apierrors.IsResourceExpired(err), apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge):
		// Of Expired the pager would make one list without pages.
		gone := error(apierrors.NewGenericServerResponse(http.StatusGone, verb, schema.GroupResource{}, "", err.Error(), 0, false))
		if l.fails.CompareAndSwap(0, 1) {
			return gone // the Reflector starts again at once, as often as it likes
		}
		return cmp.Or(l.pause(ctx, err), gone)
	case c == 400 || c == 422 || c == 405 || c == 406 || c == 415:
		// The server does not support WatchList: the Reflector falls back to a
		// list, and paces itself.
		if verb != "watch" {
			l.phase(feed.Stale, err, gate.BackoffMax)
			if c == 400 && l.spec.Fields != "" { // the selectable fields of a type do not change
				l.End(problem.New("every type has metadata.name, few have others: pods have status.phase and spec.nodeName",
					"cannot select %s by --field-selector %s: %w", l.spec.Resource.Plural, l.spec.Fields, err))
			}
		}
		return err
	}
	return l.pause(ctx, err)
}

// fetch reads the source once, or a page of it.
func (s *Stream) fetch(ctx context.Context, mode feed.Mode, o metav1.ListOptions) (kube.Page, error) {
	if err := s.begin(ctx); err != nil {
		return kube.Page{}, err
	}
	switch mode {
	case feed.ModePollGet:
		o, err := s.get(ctx)
		switch {
		case says(err, s.spec.Name):
			return kube.Page{}, nil
		case err != nil:
			return kube.Page{}, err
		case o.Name != s.spec.Name || s.elsewhere(o):
			return kube.Page{}, kube.Another(o.ID.String(), s.spec.Resource.ID(s.spec.Namespace, s.spec.Name).String())
		}
		return kube.Page{ResourceVersion: o.ResourceVersion, Items: []*object.Object{o}}, nil
	case feed.ModeNone: // is an unknown kind served? If it is, the next plan replaces the source
		r := s.spec.Resource
		if _, err := s.Resolver.Served(ctx, r.Group, r.Version, r.Kind); err != nil {
			return kube.Page{}, err
		}
		s.Turns.give(s)
		<-ctx.Done()
		return kube.Page{}, ctx.Err()
	}
	return s.list(ctx, o, s.enc())
}

// begin waits until the server may be asked, and shows that a first list is in
// progress, unless there are rows already.
func (s *Stream) begin(ctx context.Context) error {
	err := s.Gate.Wait(ctx)
	s.sink.State(func(st *feed.SourceState) {
		if err == nil && (st.Phase == feed.Waiting || st.Phase == feed.Syncing) {
			st.Phase, st.Mode = feed.Syncing, s.mode.Load().(feed.Mode)
		}
	})
	return err
}

// list reads a page of a list.
func (s *Stream) list(ctx context.Context, o metav1.ListOptions, enc kube.Encoding) (kube.Page, error) {
	data, err := s.Client.Read(ctx, s.spec.Resource.Path(s.spec.Namespace), s.query(o), kube.Accept(enc, true))
	if err != nil {
		return kube.Page{}, err
	}
	p, err := kube.DecodeList(data, s.spec.Resource, s.opts)
	if _, ok := errors.AsType[*kube.DecodeError](err); ok && enc == kube.Protobuf {
		return s.list(ctx, o, kube.JSON) // JSON is decoded item by item
	}
	if i := slices.IndexFunc(p.Items, s.elsewhere); i >= 0 {
		return kube.Page{}, kube.Another(p.Items[i].ID.String(), "what is in "+s.spec.Namespace)
	}
	p.Items = slices.DeleteFunc(p.Items, func(o *object.Object) bool { return !s.keep.Has(o.ID) })
	if err != nil {
		for _, o := range p.Items { // they exist, even if they cannot be read
			s.sink.Upsert(o)
		}
	}
	return p, err
}

// elsewhere reports an object of another namespace than was asked for.
func (s *Stream) elsewhere(o *object.Object) bool {
	return s.spec.Namespace != "" && s.spec.Resource.Namespaced && o.Namespace != s.spec.Namespace
}

// get reads the object; of a Secret that is a reference its metadata, its
// type and the number of its keys, where the server has tables.
func (s *Stream) get(ctx context.Context) (*object.Object, error) {
	path := s.spec.Resource.Path(s.spec.Namespace) + "/" + s.spec.Name
	if s.spec.Ref && s.spec.Resource == resolve.Builtin("", "Secret") {
		data, err := s.Client.Read(ctx, path, nil, kube.AcceptTable)
		if err == nil {
			return kube.DecodeTable(data, s.spec.Resource)
		}
		if kube.Code(err) != http.StatusNotAcceptable {
			return nil, err
		}
	}
	data, err := s.Client.Read(ctx, path, nil, kube.Accept(s.enc(), false))
	if err != nil {
		return nil, err
	}
	return kube.DecodeObject(data, s.spec.Resource, s.opts)
}

// says reports whether a 404 is about the object: it contains its name.
func says(err error, name string) bool {
	s, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && s.ErrStatus.Reason == metav1.StatusReasonNotFound && s.ErrStatus.Details != nil && s.ErrStatus.Details.Name == name
}

// query adds the source's selectors to the options of a request.
func (s *Stream) query(o metav1.ListOptions) url.Values {
	o.LabelSelector, o.FieldSelector = s.spec.Selector, s.spec.Fields
	if s.spec.Name != "" {
		o.FieldSelector = fields.OneTermEqualSelector("metadata.name", s.spec.Name).String()
	}
	q, _ := queryparams.Convert(&o) // its types are known
	return q
}

// enc is the encoding of the source's kind: JSON if it is wanted whole.
func (s *Stream) enc() kube.Encoding {
	if s.opts.Whole {
		return kube.JSON
	}
	return s.spec.Resource.Enc
}

// Transformer implements cache.TransformingStore. The Reflector collects a
// streamed list and replaces the store with it, which decides absence; the hub
// shows its rows as they arrive.
func (l *reading) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) { return obj, l.Add(obj) }
}

func (l *reading) Add(obj any) error {
	l.sink.Upsert(obj.(*item).o)
	return nil
}

func (l *reading) Update(obj any) error { return l.Add(obj) }

func (l *reading) Delete(obj any) error {
	l.sink.Remove(obj.(*item).o)
	return nil
}

func (l *reading) Replace(list []any, rv string) error {
	l.polled(list)
	objects := make([]*object.Object, len(list))
	for i, obj := range list {
		objects[i] = obj.(*item).o
	}
	l.answered()
	l.sink.Replace(objects, rv)
	l.Turns.give(l.Stream)
	l.live()
	return nil
}

func (l *reading) Resync() error { return nil }

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
