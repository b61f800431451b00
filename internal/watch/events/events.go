// Package events reads the events of the wanted objects and hands over those
// that have changed. A few objects in a namespace are read by a source each. As
// soon as others are wanted, one source reads the whole namespace, and runs
// while anything in it is wanted and for a minute after that. So moving a cursor
// makes no request: the events of what becomes wanted are known already. They are in
// Keeper.kept, by the object that each is about.
package events

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

const (
	// From Several wanted objects in a namespace on, all of its events are read.
	Several = 4
	// keptMost bounds the events kept beside those of wanted objects: about 10 MB.
	keptMost = 20_000
	// Linger is how long a namespace's events are watched after the last object in
	// it was wanted.
	Linger = time.Minute
	// Patience is how long a Wants may stay unanswered because the first attempt to list its
	// events has failed. A second failure ends that sooner.
	Patience = 10 * time.Second
)

// Keeper keeps the events of the wanted objects.
type Keeper struct {
	Context context.Context // ends all readers
	// Run runs a source in the background.
	Run func(context.Context, plan.Spec, sources.Sink)
	// Object returns a known object, or nil.
	Object func(object.ID) *object.Object
	// Wake is called when Join has something new.
	Wake func()

	mu      sync.Mutex
	wanted  []object.ID
	uids    map[string]object.ID // of the wanted
	unknown []object.ID          // of the wanted, those of which there is no object
	readers map[plan.Spec]*reader
	kept    map[string]map[string]*entry // by the UIDs of the object and of the event
	count   int                          // of kept
	dropAt  int                          // how many may be kept until some are dropped

	completeGen uint64 // the newest generation of Wants whose events have been listed
	// unread are the published states of namespaces whose events may not be read (403), or
	// have not been read in time, by their keys. changed are those that are new, or have ended,
	// since the last Join: no batch answers without the state that it rests on.
	unread  map[string]feed.SourceState
	changed []feed.SourceState
}

// publish hands over that the events of a namespace cannot be read, if a reader says so, or
// that they can be read again. A receiver takes the phase Closed as the latter: events that can
// be read are no source that it shows.
func (k *Keeper) publish(key string) {
	var st *feed.SourceState
	for _, r := range k.readers {
		switch {
		case r.state.Key != key || r.linger != nil:
		case r.refused != nil:
			st = r.refused
		case r.state.Late && st == nil:
			st = &r.state
		}
	}
	old, published := k.unread[key]
	switch {
	case st == nil && !published, st != nil && published && st.Phase == old.Phase && st.Error == old.Error:
		return
	case st == nil:
		delete(k.unread, key)
		old.Phase, old.Late = feed.Closed, false
		st = &old
	default:
		if k.unread == nil {
			k.unread = map[string]feed.SourceState{}
		}
		k.unread[key] = *st
	}
	change := *st
	change.Since = time.Now()
	k.changed = append(k.changed, change)
	k.Wake()
}

type entry struct {
	object.Event
	namespace string
	delivered bool
}

// Want replaces the set of wanted objects.
func (k *Keeper) Want(ids []object.ID) {
	in := map[string][]object.ID{}
	for _, id := range ids {
		ns := cmp.Or(id.Namespace, metav1.NamespaceDefault) // where events of cluster-scoped objects are
		in[ns] = append(in[ns], id)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Context.Err() != nil {
		return
	}
	if k.readers == nil {
		k.readers, k.kept = map[plan.Spec]*reader{}, map[string]map[string]*entry{}
		k.dropAt = keptMost
	}
	k.wanted = ids
	k.identify()
	for ns, ids := range in {
		specs := k.specs(ns, ids)
		for _, spec := range specs {
			k.start(spec)
		}
		for spec, r := range k.readers {
			if spec.Namespace == ns && !slices.Contains(specs, spec) {
				r.cancel()
				delete(k.readers, spec)
			}
		}
	}
	for spec, r := range k.readers {
		switch wanted := in[spec.Namespace] != nil; {
		case !wanted && r.linger == nil:
			r.linger = time.AfterFunc(Linger, func() { k.end(spec, r) })
			k.publish(r.state.Key) // that nobody may read what nobody wants is of no interest
		case wanted && r.linger != nil:
			r.linger.Stop()
			r.linger = nil
			k.publish(r.state.Key)
		}
	}
}

// specs are the sources for the events of a namespace's wanted objects.
func (k *Keeper) specs(ns string, ids []object.ID) []plan.Spec {
	whole := plan.Spec{Resource: resolve.Builtin("", "Event"), Namespace: ns}
	if len(ids) >= Several || k.readers[whole] != nil {
		return []plan.Spec{whole}
	}
	var each []plan.Spec
	for _, id := range ids {
		spec := whole
		// Not of a fields.Set: its terms come in random order, and the spec is a key.
		spec.Fields = fields.AndSelectors(
			fields.OneTermEqualSelector("involvedObject.kind", id.Kind),
			fields.OneTermEqualSelector("involvedObject.name", id.Name),
		).String()
		each = append(each, spec)
	}
	for spec := range k.readers {
		if spec.Namespace == ns && !slices.Contains(each, spec) {
			return []plan.Spec{whole} // other objects were wanted before: a cursor moves
		}
	}
	return each
}

func (k *Keeper) start(spec plan.Spec) {
	if k.readers[spec] != nil {
		return
	}
	ctx, cancel := context.WithCancel(k.Context)
	k.readers[spec] = &reader{k: k, ctx: ctx, cancel: cancel, started: time.Now(), state: feed.SourceState{
		Key: "events -n " + spec.Namespace, Version: "v1", Resource: "events", Kind: "Event", Namespace: spec.Namespace,
		Phase: feed.Waiting, Children: true,
	}}
	k.Run(ctx, spec, k.readers[spec])
}

// end ends a reader of a namespace in which nothing has been wanted for Linger.
func (k *Keeper) end(spec plan.Spec, r *reader) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.readers[spec] != r || r.linger == nil { // wanted again meanwhile
		return
	}
	r.cancel()
	delete(k.readers, spec)
	k.publish(r.state.Key)
	k.drop(func(e *entry) bool { return e.namespace == spec.Namespace })
}

// identify notes the UIDs of the wanted objects. Of one that is not known, as it is gone, the
// events are found by what they say that they are about.
func (k *Keeper) identify() {
	k.uids = make(map[string]object.ID, len(k.wanted))
	k.unknown = nil
	for _, id := range k.wanted {
		if o := k.Object(id); o != nil {
			k.uids[o.UID] = id
		} else {
			k.unknown = append(k.unknown, id)
		}
	}
	if len(k.unknown) == 0 {
		return
	}
	for uid, about := range k.kept {
		for _, e := range about {
			if slices.Contains(k.unknown, e.About) {
				k.uids[uid] = e.About
			}
			break // all are about the same object
		}
	}
}

// put keeps events.
func (k *Keeper) put(gone bool, list ...*object.Object) {
	k.mu.Lock()
	defer k.mu.Unlock()
	news := false
	for _, o := range list {
		if o.Event == nil || o.Event.AboutUID == "" {
			continue // it cannot be read, or does not say which object of a name it is about
		}
		ev := *o.Event
		ev.Gone = gone
		about := k.kept[ev.AboutUID]
		old := about[ev.UID]
		if old == nil && gone || old != nil && old.Event == ev {
			continue
		}
		if about == nil {
			about = map[string]*entry{}
			k.kept[ev.AboutUID] = about
		}
		if old == nil {
			k.count++
		}
		about[ev.UID] = &entry{Event: ev, namespace: o.Namespace}
		if slices.Contains(k.unknown, ev.About) {
			k.uids[ev.AboutUID] = ev.About
		}
		_, wanted := k.uids[ev.AboutUID]
		news = news || wanted
	}
	if news {
		k.Wake()
	}
	if k.count > k.dropAt {
		var times []time.Time
		k.drop(func(e *entry) bool { times = append(times, e.Last); return false })
		slices.SortFunc(times, time.Time.Compare)
		if len(times) > 0 {
			k.drop(func(e *entry) bool { return !e.Last.After(times[len(times)/2]) })
		}
		k.dropAt = max(keptMost, 2*k.count) // more only if so many are of wanted objects
	}
}

// drop drops events of objects that nobody wants.
func (k *Keeper) drop(which func(*entry) bool) {
	for uid, about := range k.kept {
		if _, wanted := k.uids[uid]; wanted {
			continue
		}
		maps.DeleteFunc(about, func(_ string, e *entry) bool { return which(e) })
		if len(about) == 0 {
			delete(k.kept, uid)
		}
	}
	k.count = 0
	for _, about := range k.kept {
		k.count += len(about)
	}
}

// Join adds the events of wanted objects that have changed to a batch, and notes for which
// Wants all events have been listed.
func (k *Keeper) Join(b *feed.Batch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b.Sources = append(b.Sources, k.changed...)
	k.changed = nil
	listed := true
	for _, r := range k.readers {
		listed = listed && (r.known || r.linger != nil)
	}
	if listed {
		k.completeGen = b.Answered
	}
	b.EventsAnswered = k.completeGen
	k.identify()
	for about, id := range k.uids {
		for uid, e := range k.kept[about] {
			if e.delivered {
				continue
			}
			e.delivered = true
			ev := e.Event
			ev.About = id
			b.Events = append(b.Events, ev)
			if e.Gone {
				delete(k.kept[about], uid)
				k.count--
			}
		}
	}
	slices.SortFunc(b.Events, func(x, y object.Event) int { return x.Last.Compare(y.Last) })
}

// reader takes what a source delivers ([sources.Sink]).
type reader struct {
	k       *Keeper
	ctx     context.Context // ends when it is no longer wanted
	cancel  context.CancelFunc
	started time.Time

	// Guarded by k.mu.
	state  feed.SourceState
	failed bool // an attempt has failed, and none has succeeded since
	known  bool // nobody need wait: the events are listed, cannot be, or are late
	// refused is the state when reading was forbidden, until it succeeds: an error since says
	// nothing of the permission.
	refused *feed.SourceState
	linger  *time.Timer // ends it; nil while an object in its namespace is wanted
}

func (r *reader) Upsert(o *object.Object) { r.k.put(false, o) }

func (r *reader) Remove(o *object.Object) { r.k.put(true, o) }

// Has implements sources.Sink, by which a watch that begins anew is noticed. The API server itself
// serves events, and continues from a version: there is nothing to notice.
func (r *reader) Has(*object.Object) bool { return false }

// Replace implements sources.Sink. A list of events decides no absence: it has those of the
// last hour, and is only the first page. Events that it lacks are kept.
func (r *reader) Replace(list []*object.Object, _ string) { r.k.put(false, list...) }

// UpdateState implements sources.Sink. A first attempt that fails is waited for: an answer
// without its events would look as if there were none.
func (r *reader) UpdateState(change func(*feed.SourceState)) {
	r.k.mu.Lock()
	defer r.k.mu.Unlock()
	before := r.state
	change(&r.state)
	if r.ctx.Err() != nil || r.state == before {
		return
	}
	switch r.state.Phase {
	case feed.Live, feed.NotServed:
		r.refused = nil
	case feed.Forbidden:
		r.refused = new(r.state)
	}
	switch r.state.Phase {
	case feed.Live, feed.Forbidden, feed.NotServed:
		r.failed, r.state.Late = false, false
		r.noteKnown()
	case feed.Stale, feed.Throttled:
		switch rest := Patience - time.Since(r.started); {
		case r.known:
		case r.failed || rest <= 0:
			r.giveUp()
		default:
			r.failed = true
			time.AfterFunc(rest, func() {
				r.k.mu.Lock()
				defer r.k.mu.Unlock()
				if r.ctx.Err() == nil && !r.known {
					r.giveUp()
				}
			})
		}
	default: // the first list is on its way
		return
	}
	r.k.publish(r.state.Key)
}

// giveUp has nobody wait any longer for a list that has not come, and says so. The source
// continues.
func (r *reader) giveUp() {
	r.state.Late = true
	r.noteKnown()
	r.k.publish(r.state.Key)
}

// noteKnown notes that nobody need wait for the reader any more.
func (r *reader) noteKnown() {
	if !r.known {
		r.known = true
		r.k.Wake()
	}
}
