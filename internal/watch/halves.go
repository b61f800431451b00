package watch

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// longHalf is how long the selector of a half may be, as it stands in the URL: what
// it has no room for comes with the other half. API servers take a megabyte; what
// stands before one and takes less gets the question without a selector.
const longHalf = 32 << 10

// halves finds two selectors, one the other's contrary, each of which may select
// about half of an area's Pods; there are none where it knows none. An API server
// copies, writes and encrypts the objects of a stream one after the other, so two
// streams side by side take half the time, and no more of its CPU.
//
// What their parents select decides about the balance and about nothing else: what
// no parent selects has its place in the second half.
func (s *source) halves() []string {
	if s.e.noHalves.Load() || s.e.client.ways.Load().bulk == nil {
		return nil
	}
	key, values := s.e.hub.tellingLabel(area{s.spec.res, s.spec.namespace})
	n, long := 0, 0
	for n < len(values)/2 {
		if long += len(url.QueryEscape(values[n] + ",")); long > longHalf {
			break
		}
		n++
	}
	if n == 0 {
		return nil
	}
	both := make([]string, 0, 2)
	for _, op := range []string{"In", "NotIn"} {
		both = append(both, edges.Format(object.Selector{Exprs: []object.Requirement{{Key: key, Operator: op, Values: values[:n]}}}))
	}
	return both
}

// tellingLabel is the label by which the selectors of an area's parents tell the most
// of them apart, with the values that they select, in order.
func (h *hub) tellingLabel(a area) (key string, values []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	labels := map[string]map[string]struct{}{}
	for _, needs := range h.followed {
		for i := range needs {
			n := &needs[i]
			if n.Kind != a.res.Kind || n.Group != a.res.Group || a.namespace != "" && n.Namespace != a.namespace {
				continue
			}
			for _, l := range n.Selector.Match {
				if labels[l.Key] == nil {
					labels[l.Key] = map[string]struct{}{}
				}
				labels[l.Key][l.Value] = struct{}{}
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		if len(labels[k]) > len(labels[key]) {
			key = k
		}
	}
	return key, slices.Sorted(maps.Keys(labels[key]))
}

// awaitParents waits, for a moment, until those are listed whose selectors can halve
// a large first sync. It waits before it has a turn: they may need theirs.
func (s *source) awaitParents(ctx context.Context) {
	if !s.bulky() || !s.manifold() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, crowdPatience)
	defer cancel()
	for {
		news := s.e.hub.parentsListed(area{s.spec.res, s.spec.namespace})
		if news == nil {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}

// manifold reports whether there are many of the kind for each of its parents.
func (s *source) manifold() bool { return s.spec.res.Group == "" && s.spec.res.Kind == "Pod" }

// parentsListed is nil when every kind that is followed in an area's namespace and
// may have children in the area has been listed; or else closed at the next that is.
func (h *hub) parentsListed(a area) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.sources {
		if s.answered || s.spec.child || s.spec.lookup || a.namespace != "" && s.spec.namespace != a.namespace {
			continue
		}
		for _, n := range edges.Always(object.ID{Group: s.spec.res.Group, Kind: s.spec.res.Kind}.GroupKind(), a.namespace) {
			if n.Group == a.res.Group && n.Kind == a.res.Kind {
				if h.listed == nil {
					h.listed = make(chan struct{})
				}
				return h.listed
			}
		}
	}
	return nil
}

// sourceListed wakes who waits for a source's first answer, or for its end.
func (h *hub) sourceListed() {
	if h.listed != nil {
		close(h.listed)
		h.listed = nil
	}
}

// ask sends the requests of a stream: one, or for a large first sync of Pods two.
// bulk tells that they came by the way of large first syncs, and end with it.
func (s *source) ask(ctx context.Context, q url.Values, initial bool) (answers []*http.Response, bulk bool, err error) {
	get := func(ctx context.Context, q url.Values) (*http.Response, error) {
		return s.e.client.get(ctx, s.spec.res.path(s.spec.namespace), q, accept(s.enc(), false))
	}
	if bulk = initial && s.bulky(); bulk && s.manifold() {
		if both := s.halves(); both != nil {
			answers, err = askBoth(q, both, func(q url.Values) (*http.Response, error) { return get(inBulk(ctx), q) })
			if err == nil || ctx.Err() != nil {
				return answers, true, err
			}
			switch code(err) {
			case 0, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong, http.StatusRequestHeaderFieldsTooLarge:
				s.e.noHalves.Store(true) // somebody before the server may find them long
			default:
				return nil, false, err
			}
		}
	}
	var one *http.Response
	if bulk {
		if one, err = get(inBulk(ctx), q); err != nil && code(err) == 0 && ctx.Err() == nil {
			bulk = false
			s.e.noBulk.Store(true) // the usual way tells whether it is the server
			one, err = get(ctx, q)
		}
	} else {
		one, err = get(ctx, q)
	}
	if err != nil {
		return nil, false, err
	}
	return []*http.Response{one}, bulk && one.ProtoMajor == 1, nil
}

// askBoth asks for both halves at once; it has both answers or none.
func askBoth(q url.Values, halves []string, get func(url.Values) (*http.Response, error)) ([]*http.Response, error) {
	answers, errs := make([]*http.Response, len(halves)), make([]error, len(halves))
	var wg sync.WaitGroup
	for i, half := range halves {
		q := maps.Clone(q)
		q.Set("labelSelector", half)
		wg.Go(func() { answers[i], errs[i] = get(q) })
	}
	wg.Wait()
	for _, err := range errs {
		if err == nil {
			continue
		}
		for _, a := range answers {
			if a != nil {
				a.Body.Close()
			}
		}
		return nil, err
	}
	return answers, nil
}

// joint puts an initial list together that comes in several parts.
type joint struct {
	mu    sync.Mutex
	left  int // parts that have not ended
	whole *streamed
}

// end takes a part that has ended, and returns the whole with the last one. Its
// version is the oldest part's: what goes on from there meets again what the others
// have seen, and also what went from a part that was yet to be listed to one that
// had been.
func (j *joint) end(f *streamed) *streamed {
	j.mu.Lock()
	defer j.mu.Unlock()
	if w := j.whole; w != nil {
		f.list = append(w.list, f.list...)
		if older(w.rv, f.rv) {
			f.rv = w.rv
		}
	}
	j.whole = f
	if j.left--; j.left > 0 {
		return nil
	}
	return f
}
