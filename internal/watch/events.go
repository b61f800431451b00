package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"hash/maphash"
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
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// Intervals and bounds of events. The API server has no watch cache for them,
// so requests are limited to wanted objects: one list per object, and one watch
// per namespace if it has several of them.
const (
	eventPace     = 10 * time.Second
	eventSoon     = 500 * time.Millisecond // while a wanted object is not known yet
	eventWatch    = 4                      // from so many wanted objects on, the namespace is watched
	eventAlone    = 10                     // up to so many new objects are listed one by one beside a watch
	eventPage     = 500
	eventPages    = 10
	eventPatience = 10 * time.Second
	eventsKept    = 1024        // kept per watched namespace; about half a MB
	eventsDropped = 16384       // objects remembered as having lost an event, per watched namespace
	eventDenied   = time.Minute // longest wait before a refused request is repeated: see afterDenials
)

// afterDenials is how long to wait after n refusals in a row. A permission
// granted late is soon used; without one there is a request a minute.
func afterDenials(n int) time.Duration {
	return min(eventPace<<min(max(n-1, 0), 8), eventDenied)
}

// eventKeeper fetches the events of the wanted objects, with one goroutine per
// namespace that has some.
type eventKeeper struct {
	e  *Engine
	mu sync.Mutex
	by map[string]*eventNamespace
}

type eventNamespace struct {
	wanted map[object.ID]struct{}
	gen    uint64 // incremented by every want
	kept   keptEvents
	wake   chan struct{}
	cancel context.CancelFunc
}

func newEventKeeper(e *Engine) *eventKeeper {
	return &eventKeeper{e: e, by: map[string]*eventNamespace{}}
}

// want replaces the set of wanted objects.
func (k *eventKeeper) want(ids []object.ID) {
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
	k.e.hub.forgetEvents(ids)
	k.mu.Lock()
	defer k.mu.Unlock()
	for ns, w := range by {
		n := k.by[ns]
		if n == nil {
			if k.e.ctx == nil || k.e.ctx.Err() != nil {
				return
			}
			ctx, cancel := context.WithCancel(k.e.ctx)
			n = &eventNamespace{wake: make(chan struct{}, 1), cancel: cancel}
			k.by[ns] = n
			k.e.spawn(func() { k.run(ctx, ns, n) })
		}
		for id := range w {
			if _, ok := n.wanted[id]; !ok {
				k.e.hub.setEventsDue(ns, true)
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
			k.e.hub.setEventsDue(ns, false)
		}
	}
}

// uids returns the wanted objects of a namespace by their current UIDs, and the
// generation of that want.
func (k *eventKeeper) uids(n *eventNamespace) (map[string]object.ID, uint64) {
	k.mu.Lock()
	wanted, gen := n.wanted, n.gen
	k.mu.Unlock()
	out := make(map[string]object.ID, len(wanted))
	for id := range wanted {
		if o := k.e.hub.object(id); o != nil && o.UID != "" {
			out[o.UID] = id
		}
	}
	return out, gen
}

// incomplete reports whether a wanted object is not known yet.
func (k *eventKeeper) incomplete(n *eventNamespace, known int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(n.wanted) > known
}

// listed reports that the events of one want have been requested as far as
// possible.
func (k *eventKeeper) listed(ns string, n *eventNamespace, gen uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n.gen == gen && k.by[ns] == n {
		k.e.hub.setEventsDue(ns, false)
	}
}

func (k *eventKeeper) run(ctx context.Context, ns string, n *eventNamespace) {
	asked := map[string]time.Time{} // UID → time of its last list
	watched, stop := false, func() {}
	defer func() {
		stop()
		k.e.hub.tellSource(eventSource(ns, nil))
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
		k.e.hub.tellSource(eventSource(ns, err))
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
		switch many := len(uids) >= eventWatch; {
		case many && !watched:
			// One list of the namespace covers all objects and starts the
			// watch.
			rv, err := k.fetch(ctx, ns, n, "")
			tell(err)
			for uid := range uids {
				asked[uid] = now
			}
			watched, stop = true, k.startWatch(ctx, ns, n, rv)
		case !many && watched:
			watched = false
			stop()
			n.kept.forget()
		}
		var due []string
		for uid, id := range uids {
			at, ok := asked[uid]
			switch {
			case ok && (watched || now.Sub(at) < eventPace):
			case !deniedAt.IsZero() && now.Sub(deniedAt) < afterDenials(denials):
			case watched && n.kept.hand(uid, func(list []feed.Event) { k.put(list, id) }):
				asked[uid] = now // the watch has delivered them
			default:
				due = append(due, uid)
			}
		}
		if watched && len(due) > eventAlone {
			_, err := k.fetch(ctx, ns, n, "") // one list of the namespace instead of many
			tell(err)
			for _, uid := range due {
				asked[uid] = now
			}
			due = nil
		}
		slices.Sort(due)
		for _, uid := range due {
			asked[uid] = now
			_, err := k.fetch(ctx, ns, n, "involvedObject.uid="+uid)
			if tell(err); err != nil {
				break
			}
		}
		k.listed(ns, n, gen)
		pace := eventPace
		if k.incomplete(n, len(uids)) {
			pace = eventSoon
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

// eventSource is the state of events that may not be listed; a nil error
// withdraws it.
func eventSource(ns string, err error) feed.SourceState {
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
func (k *eventKeeper) fetch(ctx context.Context, ns string, n *eventNamespace, field string) (rv string, err error) {
	if err := k.e.gate.Wait(ctx, "events "+ns); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, eventPatience)
	defer cancel()
	q := url.Values{"limit": {"500"}}
	if field != "" {
		q.Set("fieldSelector", field)
	}
	for range eventPages {
		var l corev1.EventList
		if err := k.e.client.ReadJSON(ctx, "/api/v1/namespaces/"+ns+"/events", q, kube.AcceptJSON, &l, kube.Builtin("", "Event").ListKind()); err != nil {
			return "", err
		}
		list := make([]feed.Event, len(l.Items))
		for i := range l.Items {
			list[i] = eventOf(&l.Items[i])
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

func (k *eventKeeper) startWatch(ctx context.Context, ns string, n *eventNamespace, rv string) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	k.e.spawn(func() { k.watch(ctx, ns, n, rv) })
	return stop
}

// watch follows the events of a namespace from a resource version on; without
// one it begins with a list.
func (k *eventKeeper) watch(ctx context.Context, ns string, n *eventNamespace, rv string) {
	denials := 0
	for fails := int32(0); ctx.Err() == nil; {
		var err error
		if rv == "" {
			rv, err = k.fetch(ctx, ns, n, "")
		}
		if ctx.Err() != nil {
			return // cancelled: its state is no longer reported
		}
		if kube.Code(err) == 403 {
			k.e.hub.tellSource(eventSource(ns, err))
		}
		if err == nil {
			began := time.Now()
			rv, err = k.stream(ctx, ns, n, rv)
			if time.Since(began) > eventPace {
				fails, denials = 0, 0
			}
		}
		fails++
		if gate.Sleep(ctx, max(sources.Backoff(fails), time.Second)) != nil {
			return
		}
		switch c := kube.Code(err); {
		case c == 403:
			if rv != "" {
				k.e.hub.tellSource(eventSource(ns, err))
				rv = "" // list is permitted, watch is not
			}
			denials++
			_ = gate.Sleep(ctx, afterDenials(denials))
		case c == 410 || c == 404 || c == 400 || k.e.server.NoWatch():
			rv = ""
		}
	}
}

func (k *eventKeeper) stream(ctx context.Context, ns string, n *eventNamespace, rv string) (string, error) {
	if err := k.e.gate.Wait(ctx, "events "+ns); err != nil {
		return rv, err
	}
	q := url.Values{"watch": {"true"}, "allowWatchBookmarks": {"true"}, "resourceVersion": {rv}, "timeoutSeconds": {"600"}}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w, tap, err := k.e.client.Watch(ctx, "/api/v1/namespaces/"+ns+"/events", q, kube.AcceptJSON, kube.Builtin("", "Event").ObjectKind())
	if err != nil {
		return rv, err
	}
	defer w.Stop()
	// The watch is permitted, whatever the list said.
	k.e.hub.tellSource(eventSource(ns, nil))
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
			ev := eventOf(&x)
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
func (k *eventKeeper) keep(n *eventNamespace, list []feed.Event) {
	uids, _ := k.uids(n)
	var out []feed.Event
	for _, ev := range list {
		var ok bool
		if ev.About, ok = uids[ev.AboutUID]; ok {
			out = append(out, ev)
		}
	}
	k.e.hub.putEvents(out)
}

// put passes the events of one object to the hub.
func (k *eventKeeper) put(list []feed.Event, about object.ID) {
	out := slices.Clone(list)
	for i := range out {
		out[i].About = about
	}
	k.e.hub.putEvents(out)
}

// keptEvents are the events of a watched namespace, of any object: an object
// that becomes wanted was usually created during the watch, and then needs no
// list of its own. The oldest are dropped, and their objects remembered.
type keptEvents struct {
	mu    sync.Mutex
	whole bool                    // a list of the whole namespace has been added
	about map[string][]feed.Event // by UID of the object
	order []string                // those UIDs, an entry for each event, oldest first
	lossy map[uint64]struct{}     // hashes of the UIDs of which an event was dropped
}

var uidSeed = maphash.MakeSeed()

// sumOf hashes a UID. A collision costs a list.
func sumOf(uid string) uint64 { return maphash.String(uidSeed, uid) }

// begin marks the kept events as complete.
func (e *keptEvents) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.whole = true
}

// forget drops everything when the watch ends.
func (e *keptEvents) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.whole, e.about, e.order, e.lossy = false, nil, nil, nil
}

func (e *keptEvents) add(list []feed.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.about == nil {
		e.about, e.lossy = map[string][]feed.Event{}, map[uint64]struct{}{}
	}
	for _, ev := range list {
		uid := ev.AboutUID
		same := func(x feed.Event) bool { return x.UID == ev.UID }
		if i := slices.IndexFunc(e.about[uid], same); i >= 0 {
			e.about[uid][i] = ev
		} else {
			e.about[uid] = append(e.about[uid], ev)
			e.order = append(e.order, uid)
		}
		if ev.Gone {
			e.about[uid] = slices.DeleteFunc(e.about[uid], same) // its entry in order is ignored later
		}
		for len(e.order) > eventsKept {
			oldest := e.order[0]
			e.order = e.order[1:]
			if list := e.about[oldest]; len(list) > 1 {
				e.about[oldest] = list[1:]
				e.lossy[sumOf(oldest)] = struct{}{}
			} else {
				delete(e.about, oldest)
				if len(list) > 0 {
					e.lossy[sumOf(oldest)] = struct{}{}
				}
			}
		}
		if len(e.lossy) > eventsDropped {
			e.whole = false
			clear(e.lossy)
		}
	}
}

// hand passes on the kept events of an object, if they are complete.
func (e *keptEvents) hand(uid string, to func([]feed.Event)) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.lossy[sumOf(uid)]; ok || !e.whole {
		return false
	}
	to(e.about[uid])
	return true
}

// eventOf converts both conventions: firstTimestamp, lastTimestamp and count of
// the core API; eventTime and series of events.k8s.io, which leaves the others
// empty. The object is identified by UID alone.
func eventOf(x *corev1.Event) feed.Event {
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

// putEvents adds events; known ones are no change.
func (h *hub) putEvents(list []feed.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, ev := range list {
		old := h.events[ev.UID]
		switch {
		case old == nil && ev.Gone:
		case old == nil:
			h.events[ev.UID] = &eventRec{h.bump(), ev}
		case old.ev != ev:
			old.seq, old.ev = h.bump(), ev
		}
	}
}

// forgetEvents drops the events of objects that are no longer wanted; the
// receiver keeps what it has.
func (h *hub) forgetEvents(wanted []object.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.events) == 0 {
		return
	}
	about := make(map[object.ID]struct{}, len(wanted))
	for _, id := range wanted {
		about[id] = struct{}{}
	}
	for uid, e := range h.events {
		if _, ok := about[e.ev.About]; !ok {
			delete(h.events, uid)
		}
	}
}

// setEventsDue notes whether wanted events of a namespace have not been listed
// yet.
func (h *hub) setEventsDue(ns string, due bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if due {
		if h.eventsDue == nil {
			h.eventsDue = map[string]struct{}{}
		}
		h.eventsDue[ns] = struct{}{}
		return
	}
	delete(h.eventsDue, ns)
	h.checkSynced()
}
