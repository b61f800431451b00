package sources

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	kwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// watch runs a Reflector until the mode has to change.
func (s *Source) watch() error {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	lw := &listerWatcher{s: s, leave: cancel}
	r := cache.NewReflectorWithOptions(lw, nil, (*store)(s), cache.ReflectorOptions{
		Name:    s.spec.Key(),
		Backoff: &wait.Backoff{Duration: gate.BackoffMin, Factor: 2, Steps: 7, Cap: gate.BackoffMax, Jitter: 0.2},
	})
	// Not RunWithContext: its error handler is a global with one rate for the
	// process.
	quiet := klog.NewContext(ctx, logr.Discard())
	for n := int32(0); ctx.Err() == nil; {
		began := time.Now()
		_ = r.ListAndWatchWithContext(quiet) // the listerWatcher has handled the errors
		if n++; time.Since(began) > gate.BackoffMax {
			n = 1
		}
		_ = gate.Sleep(ctx, gate.Backoff(n))
	}
	err := context.Cause(ctx)
	if errors.Is(err, errNoWatchList) {
		return nil // start again, with a list
	}
	return err
}

// listerWatcher is the Reflector's only access to the server. It returns to the
// Reflector what it needs to know (success, an expired version) and handles
// everything else itself: it waits, retries, shows the state, or leaves the
// mode.
type listerWatcher struct {
	cache.ListWatch // unused: the Reflector calls the methods with a context
	s               *Source
	leave           context.CancelCauseFunc
}

// IsWatchListSemanticsUnSupported tells the Reflector to list first. The API
// server has no watch cache for events.
func (l *listerWatcher) IsWatchListSemanticsUnSupported() bool {
	return l.s.noWatchList.Load() || l.s.spec.Events
}

func (l *listerWatcher) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	s := l.s
	if err := ctx.Err(); err != nil {
		return nil, err // called by a goroutine that the Reflector has left behind
	}
	s.overdue()
	if err := s.Turns.take(ctx, s); err != nil {
		return nil, err
	}
	list := metav1.ListOptions{}
	if o.ResourceVersion != "" && o.ResourceVersion != "0" {
		list.ResourceVersion = o.ResourceVersion
		// With a limit the server's default is exactly that version: the past,
		// for as long as etcd has it, although a watch from there is 410 Gone
		// already.
		list.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
	for {
		objects, rv, err := s.list(ctx, list)
		if err == nil {
			l := &internalversion.List{ListMeta: metav1.ListMeta{ResourceVersion: rv}}
			for _, o := range objects {
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
		return nil, err // called by a goroutine that the Reflector has left behind
	}
	s.overdue()
	initial := o.SendInitialEvents != nil && *o.SendInitialEvents
	if initial {
		if err := s.Turns.take(ctx, s); err != nil {
			return nil, err
		}
	}
	o.Watch, o.AllowWatchBookmarks = true, true
	if !initial { // a long list takes time
		o.TimeoutSeconds = new(int64(s.renewal().Seconds()))
	}
	for unanswered := 0; ; {
		// A stream that ends soon after it began counts as a failure.
		switch {
		case s.opened.IsZero():
		case time.Since(s.opened) >= gate.BackoffMax:
			s.fails.Store(0)
		default:
			if err := s.retryDelay(ctx, gate.Backoff(s.fails.Add(1))); err != nil {
				return nil, err
			}
		}
		s.opened = time.Time{}
		switch {
		case s.noWatch.Load():
			l.leave(errUpgrade)
			return nil, context.Canceled
		case initial && s.noWatchList.Load():
			l.leave(errNoWatchList)
			return nil, context.Canceled
		}
		st, err := s.open(ctx, o, initial)
		if err == nil {
			return st, nil
		}
		if initial && kube.Code(err) == http.StatusUnprocessableEntity && !strings.Contains(s.spec.Resource.Group, ".") {
			// No other source need try. A group with a dot in its name may come
			// from an aggregated server, which is no evidence for the others.
			s.noWatchList.Store(true)
		}
		silent := errors.Is(err, kube.ErrNoAnswer) && !s.watched.Load()
		if err := l.judge(ctx, err, "watch"); err != nil {
			return nil, err
		}
		if silent { // but the server is reached: a proxy may hold answers back
			s.noWatchList.Store(true)
			if unanswered++; unanswered > 1 && !initial {
				s.noWatch.Store(true)
			}
		}
	}
}

// judge decides what a failed request means: nil to try again (after a delay),
// or the error for the Reflector.
func (l *listerWatcher) judge(ctx context.Context, err error, verb string) error {
	s := l.s
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if why := s.refused(ctx, err, verb); why != nil {
		l.leave(why)
		return context.Canceled
	}
	switch c := kube.Code(err); {
	case c == 410, apierrors.IsResourceExpired(err), apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge):
		// The Reflector starts again at once, without a limit.
		if fails := s.fails.Add(1); fails > 1 {
			s.phase(feed.Stale, err, 0)
			if err := s.retryDelay(ctx, gate.Backoff(fails)); err != nil {
				return err
			}
		}
		return err
	case c == 400 || c == 422 || c == 405 || c == 406 || c == 415:
		// The server does not support WatchList: the Reflector falls back to a
		// list, and paces itself.
		if verb == "list" {
			s.phase(feed.Stale, err, gate.BackoffMax)
			if c == 400 && s.spec.Fields != "" { // the selectable fields of a type do not change
				s.End(problem.New("every type has metadata.name, few have others: pods have status.phase and spec.nodeName",
					"cannot select %s by --field-selector %s: %w", s.spec.Resource.Plural, s.spec.Fields, err))
			}
		}
		return err
	}
	return s.pause(ctx, err)
}

// query adds the source's selectors to the options of a request.
func (s *Source) query(o metav1.ListOptions) url.Values {
	o.LabelSelector, o.FieldSelector = s.spec.Selector, s.spec.Fields
	if s.spec.Name != "" {
		o.FieldSelector = "metadata.name=" + s.spec.Name
	}
	q, _ := queryparams.Convert(&o) // its types are known
	return q
}

// enc is the encoding of the source's kind: JSON if it is wanted whole.
func (s *Source) enc() kube.Encoding {
	if s.opts.Whole {
		return kube.JSON
	}
	return s.spec.Resource.Enc
}

// pageSize is how many objects a page of a list may have; of events no more than
// eventsMost are read.
const (
	pageSize   = 500
	eventsMost = 10 * pageSize
)

// list requests a list, page by page.
func (s *Source) list(ctx context.Context, o metav1.ListOptions) (all []*object.Object, rv string, err error) {
	first := o
	for restarts := 0; ; {
		p, err := s.listPage(ctx, o)
		switch {
		case kube.Code(err) == 410 && o.Continue != "" && restarts < 3: // the continue token expired
			restarts++
			all, o = nil, first
			continue
		case err != nil:
			return nil, "", err
		}
		all = append(all, p.Items...)
		if p.Continue == "" || s.spec.Events && len(all) >= eventsMost {
			return all, p.ResourceVersion, nil
		}
		o = metav1.ListOptions{Continue: p.Continue}
	}
}

func (s *Source) listPage(ctx context.Context, o metav1.ListOptions) (kube.Page, error) {
	if err := s.Gate.Wait(ctx); err != nil {
		return kube.Page{}, err
	}
	o.Limit = pageSize
	q := s.query(o)
	s.syncing()
	p, err := s.page(ctx, q, s.enc())
	if _, ok := errors.AsType[*kube.DecodeError](err); ok && s.enc() == kube.Protobuf {
		p, err = s.page(ctx, q, kube.JSON) // JSON is decoded item by item
	}
	p.Items = slices.DeleteFunc(p.Items, func(o *object.Object) bool { return !s.keep.Has(o) })
	if err != nil {
		for _, o := range p.Items { // they exist, even if they cannot be read
			s.sink.Upsert(o)
		}
		return p, err
	}
	s.heard()
	return p, nil
}

func (s *Source) page(ctx context.Context, q url.Values, enc kube.Encoding) (kube.Page, error) {
	data, err := s.Client.Read(ctx, s.spec.Resource.Path(s.spec.Namespace), q, kube.Accept(enc, true))
	if err != nil {
		return kube.Page{}, err
	}
	return kube.DecodeList(data, s.spec.Resource, s.opts)
}

// syncing shows that a first list is in progress, unless there are rows
// already.
func (s *Source) syncing() {
	s.sink.State(func(st *feed.SourceState) {
		if st.Phase == feed.Waiting || st.Phase == feed.Syncing {
			st.Phase, st.Mode = feed.Syncing, s.mode.Load().(feed.Mode)
		}
	})
}

// store is the Reflector's store of a source: it passes everything on to the
// sink and keeps nothing.
type store Source

// Transformer implements cache.TransformingStore. The Reflector collects a
// streamed list and replaces the store with it, which decides absence; the hub
// shows its rows as they arrive.
func (t *store) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) { return obj, t.put(obj) }
}

func (t *store) Add(obj any) error    { return t.put(obj) }
func (t *store) Update(obj any) error { return t.put(obj) }

func (t *store) put(obj any) error {
	t.sink.Upsert(obj.(*item).o)
	return nil
}

func (t *store) Delete(obj any) error {
	t.sink.Remove(obj.(*item).o)
	return nil
}

func (t *store) Replace(list []any, rv string) error {
	s := (*Source)(t)
	objects := make([]*object.Object, len(list))
	for i, obj := range list {
		objects[i] = obj.(*item).o
	}
	s.sink.Replace(objects, rv)
	s.Turns.give(s)
	s.live()
	return nil
}

func (t *store) Resync() error { return nil }
