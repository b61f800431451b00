// Package events fetches the events of the objects whose events are wanted, and
// hands over those that have changed.
//
// The API server has no watch cache for events, so requests are limited to
// wanted objects: one list per object, and one watch per namespace if it has
// several of them.
package events

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	kwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Intervals and bounds.
const (
	Pace     = 10 * time.Second
	Patience = 10 * time.Second
	Several  = 4                      // from so many wanted objects on, the namespace is watched
	soon     = 500 * time.Millisecond // while a wanted object is not known yet
	alone    = 10                     // up to so many new objects are listed one by one beside a watch
	page     = "500"
	pages    = 10
	keptMost = 1024        // kept per watched namespace; about half a MB
	dropped  = 16384       // objects remembered as having lost an event, per watched namespace
	denied   = time.Minute // longest wait before a refused request is repeated: see afterDenials
)

// afterDenials is how long to wait after n refusals in a row. A permission
// granted late is soon used; without one there is a request a minute.
func afterDenials(n int) time.Duration {
	return min(Pace<<min(max(n-1, 0), 8), denied)
}

// Keeper fetches the events of the wanted objects, with one goroutine per
// namespace that has some.
type Keeper struct {
	Client  *kube.Client
	Gate    *gate.Gate
	Context context.Context // nil until it may ask
	Spawn   func(func())
	// Object returns a known object, or nil.
	Object func(object.ID) *object.Object
	// State takes the state of a namespace's events, while they may not be read.
	State func(feed.SourceState)
	// Due says whether wanted events of a namespace have not been listed yet.
	Due func(namespace string, due bool)
	// Bump numbers a change.
	Bump func() uint64
	// NoWatch reports whether watches are not answered though lists are.
	NoWatch func() bool

	mu sync.Mutex
	by map[string]*namespace

	changes changes
}

// namespace is one that has wanted objects.
type namespace struct {
	name   string
	wanted map[object.ID]struct{}
	gen    uint64 // incremented by every want
	kept   kept
	wake   chan struct{}
	cancel context.CancelFunc
}

// Changed returns the events that changed after since, up to a change.
func (k *Keeper) Changed(since, upTo uint64) []feed.Event { return k.changes.after(since, upTo) }

// Want replaces the set of wanted objects.
func (k *Keeper) Want(ids []object.ID) {
	by := map[string]map[object.ID]struct{}{}
	for _, id := range ids {
		ns := id.Namespace
		if ns == "" {
			ns = "default" // events of cluster-scoped objects are in "default"
		}
		if by[ns] == nil {
			by[ns] = map[object.ID]struct{}{}
		}
		by[ns][id] = struct{}{}
	}
	k.changes.forget(ids)
	k.mu.Lock()
	defer k.mu.Unlock()
	for ns, w := range by {
		n := k.by[ns]
		if n == nil {
			if k.by == nil {
				k.by = map[string]*namespace{}
			}
			if k.Context == nil || k.Context.Err() != nil {
				return
			}
			ctx, cancel := context.WithCancel(k.Context)
			n = &namespace{name: ns, wake: make(chan struct{}, 1), cancel: cancel}
			k.by[ns] = n
			k.Spawn(func() { k.run(ctx, n) })
		}
		for id := range w {
			if _, ok := n.wanted[id]; !ok {
				k.Due(ns, true)
				break
			}
		}
		n.wanted = w
		n.gen++
		select {
		case n.wake <- struct{}{}:
		default:
		}
	}
	for ns, n := range k.by {
		if by[ns] == nil {
			n.cancel()
			delete(k.by, ns)
			k.Due(ns, false)
		}
	}
}

// uids returns the wanted objects of a namespace by their current UIDs, and the
// generation of that want.
func (k *Keeper) uids(n *namespace) (map[string]object.ID, uint64) {
	k.mu.Lock()
	wanted, gen := n.wanted, n.gen
	k.mu.Unlock()
	out := make(map[string]object.ID, len(wanted))
	for id := range wanted {
		if o := k.Object(id); o != nil && o.UID != "" {
			out[o.UID] = id
		}
	}
	return out, gen
}

// incomplete reports whether a wanted object is not known yet.
func (k *Keeper) incomplete(n *namespace, known int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(n.wanted) > known
}

// listed reports that the events of one want have been requested as far as
// possible.
func (k *Keeper) listed(n *namespace, gen uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n.gen == gen && k.by[n.name] == n {
		k.Due(n.name, false)
	}
}

func (k *Keeper) run(ctx context.Context, n *namespace) {
	asked := map[string]time.Time{} // UID → time of its last list
	watched, stop := false, func() {}
	defer func() {
		stop()
		k.State(stateOf(n.name, nil))
	}()
	var deniedAt time.Time // when the last list was refused
	denials := 0           // consecutive refusals
	tell := func(err error) {
		switch c := kube.Code(err); {
		case c == 403:
			deniedAt = time.Now()
			denials++
		case err == nil:
			deniedAt, denials = time.Time{}, 0
		case kube.IsForeign(err):
		default:
			return
		}
		k.State(stateOf(n.name, err))
	}
	for ctx.Err() == nil {
		uids, gen := k.uids(n)
		for uid := range asked {
			if _, ok := uids[uid]; !ok {
				delete(asked, uid)
			}
		}
		if len(uids) == 0 && !deniedAt.IsZero() {
			tell(nil) // nothing is wanted: withdraw the refusal
		}
		now := time.Now()
		switch many := len(uids) >= Several; {
		case many && !watched:
			// One list of the namespace covers all objects and starts the
			// watch.
			rv, err := k.fetch(ctx, n, "")
			tell(err)
			for uid := range uids {
				asked[uid] = now
			}
			watched, stop = true, k.startWatch(ctx, n, rv)
		case !many && watched:
			watched = false
			stop()
			n.kept.forget()
		}
		var due []string
		for uid, id := range uids {
			at, ok := asked[uid]
			switch {
			case ok && (watched || now.Sub(at) < Pace):
			case !deniedAt.IsZero() && now.Sub(deniedAt) < afterDenials(denials):
			case watched && n.kept.hand(uid, func(list []feed.Event) { k.put(list, id) }):
				asked[uid] = now // the watch has delivered them
			default:
				due = append(due, uid)
			}
		}
		if watched && len(due) > alone {
			_, err := k.fetch(ctx, n, "") // one list of the namespace instead of many
			tell(err)
			for _, uid := range due {
				asked[uid] = now
			}
			due = nil
		}
		slices.Sort(due)
		for _, uid := range due {
			asked[uid] = now
			_, err := k.fetch(ctx, n, "involvedObject.uid="+uid)
			if tell(err); err != nil {
				break
			}
		}
		k.listed(n, gen)
		pace := Pace
		if k.incomplete(n, len(uids)) {
			pace = soon
		}
		t := time.NewTimer(pace)
		select {
		case <-ctx.Done():
		case <-n.wake:
		case <-t.C:
		}
		t.Stop()
	}
}

// stateOf is the state of events that may not be listed; a nil error
// withdraws it.
func stateOf(ns string, err error) feed.SourceState {
	st := feed.SourceState{
		Key: "events -n " + ns, Version: "v1", Resource: "events", Kind: "Event", Namespace: ns,
		Mode: feed.ModePollList, Phase: feed.Closed, Children: true,
	}
	switch {
	case kube.IsForeign(err):
		st.Phase, st.Error = feed.Stale, object.Clean(kube.ErrorText(err))
	case err != nil:
		st.Phase, st.Verb, st.Error = feed.Forbidden, "list", object.Clean(kube.ErrorText(err))
	}
	return st
}

// fetch lists events and passes on those of wanted objects; from a whole
// namespace it also keeps the others.
func (k *Keeper) fetch(ctx context.Context, n *namespace, field string) (rv string, err error) {
	if err := k.Gate.Wait(ctx, "events "+n.name); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	q := url.Values{"limit": {page}}
	if field != "" {
		q.Set("fieldSelector", field)
	}
	for range pages {
		var l corev1.EventList
		if err := k.Client.ReadJSON(ctx, "/api/v1/namespaces/"+n.name+"/events", q, kube.AcceptJSON, &l, kube.Builtin("", "Event").ListKind()); err != nil {
			return "", err
		}
		list := make([]feed.Event, len(l.Items))
		for i := range l.Items {
			list[i] = Of(&l.Items[i])
		}
		if field == "" {
			n.kept.add(list)
		}
		k.keep(n, list)
		rv = l.ResourceVersion
		if l.Continue == "" {
			if field == "" {
				n.kept.begin()
			}
			break
		}
		q.Set("continue", l.Continue)
	}
	return rv, nil
}

func (k *Keeper) startWatch(ctx context.Context, n *namespace, rv string) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	k.Spawn(func() { k.watch(ctx, n, rv) })
	return stop
}

// watch follows the events of a namespace from a resource version on; without
// one it begins with a list.
func (k *Keeper) watch(ctx context.Context, n *namespace, rv string) {
	denials := 0
	for fails := int32(0); ctx.Err() == nil; {
		var err error
		if rv == "" {
			rv, err = k.fetch(ctx, n, "")
		}
		if ctx.Err() != nil {
			return // cancelled: its state is no longer reported
		}
		if kube.Code(err) == 403 {
			k.State(stateOf(n.name, err))
		}
		if err == nil {
			began := time.Now()
			rv, err = k.stream(ctx, n, rv)
			if time.Since(began) > Pace {
				fails, denials = 0, 0
			}
		}
		fails++
		if gate.Sleep(ctx, max(gate.Backoff(fails), time.Second)) != nil {
			return
		}
		switch c := kube.Code(err); {
		case c == 403:
			if rv != "" {
				k.State(stateOf(n.name, err))
				rv = "" // list is permitted, watch is not
			}
			denials++
			_ = gate.Sleep(ctx, afterDenials(denials))
		case c == 410 || c == 404 || c == 400 || k.NoWatch():
			rv = ""
		}
	}
}

func (k *Keeper) stream(ctx context.Context, n *namespace, rv string) (string, error) {
	if err := k.Gate.Wait(ctx, "events "+n.name); err != nil {
		return rv, err
	}
	q := url.Values{"watch": {"true"}, "allowWatchBookmarks": {"true"}, "resourceVersion": {rv}, "timeoutSeconds": {"600"}}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w, tap, err := k.Client.Watch(ctx, "/api/v1/namespaces/"+n.name+"/events", q, kube.AcceptJSON, kube.Builtin("", "Event").ObjectKind())
	if err != nil {
		return rv, err
	}
	defer w.Stop()
	// The watch is permitted, whatever the list said.
	k.State(stateOf(n.name, nil))
	for e := range w.ResultChan() {
		f, ok := e.Object.(*kube.Watched)
		switch {
		case !ok:
			return rv, tap.Reason(e.Object)
		case e.Type == kwatch.Error:
			return rv, f.Status()
		case kube.IsForeign(f.Err):
			return rv, f.Err
		}
		var x corev1.Event
		if json.Unmarshal(f.Raw, &x) != nil {
			continue
		}
		if x.ResourceVersion != "" {
			rv = x.ResourceVersion
		}
		if e.Type != kwatch.Bookmark {
			ev := Of(&x)
			ev.Gone = e.Type == kwatch.Deleted
			// Kept first: an object that becomes wanted from now on gets it in
			// either case.
			n.kept.add([]feed.Event{ev})
			k.keep(n, []feed.Event{ev})
		}
	}
	return rv, tap.Reason(nil)
}

// keep passes the events of wanted objects to the hub.
func (k *Keeper) keep(n *namespace, list []feed.Event) {
	uids, _ := k.uids(n)
	var out []feed.Event
	for _, ev := range list {
		var ok bool
		if ev.About, ok = uids[ev.AboutUID]; ok {
			out = append(out, ev)
		}
	}
	k.changes.put(k.Bump, out)
}

// put passes the events of one object to the hub.
func (k *Keeper) put(list []feed.Event, about object.ID) {
	out := slices.Clone(list)
	for i := range out {
		out[i].About = about
	}
	k.changes.put(k.Bump, out)
}

// Of converts both conventions: firstTimestamp, lastTimestamp and count of
// the core API; eventTime and series of events.k8s.io, which leaves the others
// empty. The object is identified by UID alone.
func Of(x *corev1.Event) feed.Event {
	e := feed.Event{
		UID: string(x.UID), AboutUID: string(x.InvolvedObject.UID), Field: object.Clean(x.InvolvedObject.FieldPath),
		Type: object.Clean(x.Type), Reason: object.Clean(x.Reason), Message: object.Clean(x.Message),
		From: object.Clean(cmp.Or(x.Source.Component, x.ReportingController)), Count: int(x.Count),
	}
	last := []time.Time{x.LastTimestamp.Time, x.EventTime.Time, x.FirstTimestamp.Time}
	if x.Series != nil {
		last = append(last, x.Series.LastObservedTime.Time)
		e.Count = max(e.Count, int(x.Series.Count))
	}
	for _, t := range []time.Time{x.FirstTimestamp.Time, x.EventTime.Time, x.CreationTimestamp.Time} {
		if e.First.IsZero() {
			e.First = t.UTC()
		}
	}
	e.Last = slices.MaxFunc(append(last, e.First), time.Time.Compare).UTC()
	e.Count = max(e.Count, 1)
	return e
}
