package sources

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// follow runs a Reflector until the mode has to change.
func (s *Source) follow(mode feed.Mode) error {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	l := &reading{Source: s, mode: mode, leave: cancel, began: time.Now(), changed: time.Now(), rest: pollMin}
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
	*Source
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
	return l.mode != feed.ModeWatch || l.noWatchList.Load() || l.spec.Events
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
		if l.mode != l.modes()[0] && time.Since(l.began) > UpgradeAfter {
			l.leave(errAnew)
			return nil, context.Canceled
		}
		if err := l.Turns.take(ctx, l.Source); err != nil {
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
		l.Turns.give(l.Source)
		verb := "list"
		if l.mode == feed.ModePollGet || l.mode == feed.ModeNone {
			verb = "get"
		}
		if err := l.judge(ctx, err, verb); err != nil {
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

func (l *reading) WatchWithContext(ctx context.Context, o metav1.ListOptions) (kwatch.Interface, error) {
	if l.mode != feed.ModeWatch {
		return nil, cmp.Or(gate.Sleep(ctx, l.rest), errPollAgain)
	}
	l.Turns.give(l.Source) // of an initial list that broke off
	l.overdue()
	initial := o.SendInitialEvents != nil && *o.SendInitialEvents
	o.Watch, o.AllowWatchBookmarks = true, true
	if !initial { // a long list takes time
		o.TimeoutSeconds = new(int64(l.renewal().Seconds()))
	}
	for unanswered := 0; ; {
		// A stream that ends soon after it began counts as a failure.
		switch {
		case l.opened.IsZero():
		case time.Since(l.opened) >= gate.BackoffMax:
			l.fails.Store(0)
		default:
			if err := l.retryDelay(ctx, gate.Backoff(l.fails.Add(1))); err != nil {
				return nil, err
			}
		}
		l.opened = time.Time{}
		if l.noWatch.Load() || initial && l.noWatchList.Load() {
			l.leave(errAnew)
			return nil, context.Canceled
		}
		if initial {
			if err := l.Turns.take(ctx, l.Source); err != nil {
				return nil, err
			}
		}
		st, err := l.open(ctx, o, initial)
		if err == nil {
			return st, nil
		}
		l.Turns.give(l.Source)
		if initial && kube.Code(err) == http.StatusUnprocessableEntity && !strings.Contains(l.spec.Resource.Group, ".") {
			// No other source need try. A group with a dot in its name may come
			// from an aggregated server, which is no evidence for the others.
			l.noWatchList.Store(true)
		}
		silent := errors.Is(err, kube.ErrNoAnswer) && !l.watched.Load()
		if err := l.judge(ctx, err, "watch"); err != nil {
			return nil, err
		}
		if silent { // but the server is reached: a proxy may hold answers back
			l.noWatchList.Store(true)
			if unanswered++; unanswered > 1 && !initial {
				l.noWatch.Store(true)
			}
		}
	}
}

// judge decides what a failed request means: nil to try again (after a delay),
// or the error for the Reflector.
func (l *reading) judge(ctx context.Context, err error, verb string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch c := kube.Code(err); {
	case c == http.StatusForbidden, c == http.StatusMethodNotAllowed && verb == "watch":
		l.leave(&deniedError{err, verb})
		return context.Canceled
	case errors.Is(l.Resolver.Missing(ctx, l.spec.Resource, err), kube.ErrNotServed):
		l.leave(kube.ErrNotServed)
		return context.Canceled
	case c == 410, apierrors.IsResourceExpired(err), apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge):
		gone := error(apierrors.NewGone(err.Error())) // of Expired the pager would make one list without pages
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
	l.heard()
	l.sink.Replace(objects, rv)
	l.Turns.give(l.Source)
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
