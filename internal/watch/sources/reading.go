package sources

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// way is a way to read a stream. A new one is a value here and in [Stream.ways].
type way struct {
	mode feed.Mode // as it is published
	// verb is that of the request that lists. If it is refused, the next way with another
	// one is tried. If another request is (a watch), so is the next way with this one.
	verb string
	// watches says that it keeps a watch open. If an area may not be watched, its names are.
	watches bool
	// ofOne says that it reads the named object alone. If no way is permitted, its refusal is
	// the one that is shown.
	ofOne bool
	// list reads everything, or a page of it.
	list func(*Stream, context.Context, metav1.ListOptions) (kube.Page, error)
	// run reads until the context ends, which [reading.leave] does, too.
	run func(*reading, context.Context)
}

var (
	byWatching  = &way{mode: feed.ModeWatch, verb: "list", watches: true, list: (*Stream).list, run: (*reading).watch}
	byListing   = &way{mode: feed.ModePollList, verb: "list", list: (*Stream).list, run: (*reading).poll}
	byName      = &way{mode: feed.ModePollGet, verb: "get", ofOne: true, list: (*Stream).getAsList, run: (*reading).poll}
	byDiscovery = &way{mode: feed.ModeNone, verb: "get", list: (*Stream).discover, run: (*reading).poll}
)

// ways are the ways to read the stream, the best one first.
func (s *Stream) ways() (out []*way) {
	if s.spec.Role == plan.Lookup {
		return []*way{byDiscovery}
	}
	nowAndThen := s.Poll > 0 || s.spec.Poll || s.use == ForReferences && s.spec.Name != ""
	if !nowAndThen && !s.cannotWatch() {
		out = append(out, byWatching)
	}
	// A reference may name an object whose namespace nobody knows: then it is listed by its name.
	anywhere := s.use == ForReferences && s.spec.Namespace == "" && s.spec.Resource.Namespaced
	if s.spec.Name != "" && !anywhere {
		out = append(out, byName)
	}
	return append(out, byListing)
}

// reading is a stream that is read in one way. It handles what goes wrong itself: it
// waits, retries, shows the state, or leaves the way.
type reading struct {
	*Stream
	way   *way
	leave context.CancelCauseFunc // with the reason why the way has to change
	began time.Time
	// better reports whether there is a better way.
	better func() bool
}

// errAnew says that there is a better way, or that a way must begin anew.
var errAnew = errors.New("begin again")

// readBy reads the stream in one way until that has to change, and returns why.
func (s *Stream) readBy(w *way) error {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	better := func() bool { return w != s.ways()[0] }
	w.run(&reading{Stream: s, way: w, leave: cancel, began: time.Now(), better: better}, ctx)
	return context.Cause(ctx)
}

// waitToRetry waits before a list or a watch that failed is begun anew.
func (r *reading) waitToRetry(ctx context.Context) {
	r.expectLive()
	_ = r.retryDelay(ctx, gate.Backoff(r.failedAgain()))
}

// pageSize is how many objects a page of a list may have; of events no more than
// eventsMost are read.
const (
	pageSize   = 500
	eventsMost = 10 * pageSize
)

// page reads a page of a list. An error says that the list must begin anew, or that
// the way has been left.
func (r *reading) page(ctx context.Context, o metav1.ListOptions) (kube.Page, error) {
	if r.use == ForEvents {
		o.Limit = eventsMost
	}
	for {
		if r.better() && o.Continue == "" && time.Since(r.began) > UpgradeAfter {
			r.leave(errAnew)
			return kube.Page{}, context.Canceled
		}
		if err := r.Turns.take(ctx, r.Stream); err != nil {
			return kube.Page{}, err
		}
		r.expectLive()
		err := r.waitForServer(ctx)
		if err == nil {
			var page kube.Page
			if page, err = r.way.list(r.Stream, ctx, o); err == nil {
				if r.use == ForEvents {
					page.Continue = ""
				}
				return page, nil
			}
		}
		r.Turns.give(r.Stream)
		if err := r.failed(ctx, err, r.way.verb); err != nil {
			return kube.Page{}, err
		}
	}
}

// complete hands over a completed list.
func (r *reading) complete(list []*object.Object, resourceVersion string) {
	r.noteData()
	r.sink.Replace(list, resourceVersion)
	r.Turns.give(r.Stream)
	r.live()
}

// failed decides what a failed request means: nil to try again (after a delay),
// or why the list or the watch must begin anew.
func (r *reading) failed(ctx context.Context, err error, verb string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch c := kube.Code(err); {
	case c == http.StatusForbidden, c == http.StatusMethodNotAllowed && verb == "watch":
		r.leave(&refusedError{err, verb})
		return context.Canceled
	case errors.Is(r.Resolver.Missing(ctx, r.spec.Resource, err), resolve.ErrNotServed):
		if r.Gate.JustOpened() {
			return r.pause(ctx, err) // after an outage the discovery may not know every kind yet
		}
		r.leave(resolve.ErrNotServed)
		return context.Canceled
	case c == 410, apierrors.IsResourceExpired(err), isTooLargeVersion(err):
		// As a 410 and not as "Expired": that would make the Reflector's pager read the whole
		// list in one request, without pages.
		gone := error(apierrors.NewGenericServerResponse(http.StatusGone, verb,
			schema.GroupResource{}, "", err.Error(), 0, false))
		first := false
		r.note(func(p *progress) {
			if first = p.fails == 0; first {
				p.fails = 1
			}
		})
		if first {
			return gone // the Reflector lists again at once
		}
		// If the version is expired again and again, the Reflector would list without a pause.
		return cmp.Or(r.pause(ctx, err), gone)
	case c == 400 || c == 422 || c == 405 || c == 406 || c == 415:
		// The server does not support WatchList: the Reflector falls back to a
		// list, and paces itself.
		if verb != "watch" {
			r.phase(feed.Stale, err, gate.BackoffMax)
			if c == 400 && r.spec.Fields != "" && r.spec.Target != 0 { // the selectable fields of a type do not change
				r.End(problem.New(
					"every type has metadata.name, few have others: pods have status.phase and spec.nodeName",
					"cannot select %s by --field-selector %s: %w", r.spec.Resource.Plural, r.spec.Fields, err))
			}
		}
		return err
	}
	return r.pause(ctx, err)
}

// isTooLargeVersion reports whether the server's cache has not come to a version yet. Servers
// of 1.18 and older say so by the message alone (client-go v0.37.2 tools/cache/reflector.go).
func isTooLargeVersion(err error) bool {
	return apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) ||
		apierrors.IsTimeout(err) && strings.Contains(err.Error(), "Too large resource version")
}

// getAsList reads the object that the stream names.
func (s *Stream) getAsList(ctx context.Context, _ metav1.ListOptions) (kube.Page, error) {
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
}

// discover asks whether an unknown kind is served. If it is, the next plan replaces the stream.
func (s *Stream) discover(ctx context.Context, _ metav1.ListOptions) (kube.Page, error) {
	kind := s.spec.Resource
	if _, err := s.Resolver.Served(ctx, kind.Group, kind.Version, kind.Kind); err != nil {
		return kube.Page{}, err
	}
	s.Turns.give(s)
	<-ctx.Done()
	return kube.Page{}, ctx.Err()
}

// waitForServer waits until the server may be asked (the gate is open), and then shows that a
// first list is in progress, unless the source has been live or has failed.
func (s *Stream) waitForServer(ctx context.Context) error {
	err := s.Gate.Wait(ctx)
	s.sink.UpdateState(func(st *feed.SourceState) {
		if err == nil && (st.Phase == feed.Waiting || st.Phase == feed.Syncing) {
			st.Phase, st.Mode = feed.Syncing, s.soFar().way.mode
		}
	})
	return err
}

// list reads a page of a list.
func (s *Stream) list(ctx context.Context, o metav1.ListOptions) (kube.Page, error) {
	return s.listIn(ctx, o, s.enc())
}

func (s *Stream) listIn(ctx context.Context, o metav1.ListOptions, enc kube.Encoding) (kube.Page, error) {
	data, err := s.Client.Read(ctx, s.spec.Resource.Path(s.spec.Namespace), s.query(o), kube.Accept(enc, true))
	if err != nil {
		return kube.Page{}, err
	}
	p, err := kube.DecodeList(data, s.spec.Resource, s.opts)
	if _, ok := errors.AsType[*kube.DecodeError](err); ok && enc == kube.Protobuf {
		return s.listIn(ctx, o, kube.JSON) // JSON is decoded item by item
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
	if s.use == ForReferences && s.spec.Resource == resolve.Builtin("", "Secret") {
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
	return ok && s.ErrStatus.Reason == metav1.StatusReasonNotFound && s.ErrStatus.Details != nil &&
		s.ErrStatus.Details.Name == name
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
