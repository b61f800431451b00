// Package refs keeps the objects that explanations look up though nobody follows them: a
// Pod's Node, the class of a claim, every ResourceQuota of a namespace. An object that is
// wanted by its name is read now and then; a list of a kind is watched. Objects that are no
// longer wanted are kept as they were, until a stream proves that they are deleted or newer
// ones take their place.
//
// What is followed, too, is handed over by the hub. Then the keeper adds nothing but the
// type of a Secret, and takes over again when the hub lets go of it ([Keeper.Join]).
package refs

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

const (
	// Patience is how long a Wants may stay unanswered because of a reference: one slow
	// answer must not delay the verdict.
	Patience = 10 * time.Second
	// unwantedMost is how many objects are kept that are no longer wanted.
	unwantedMost = 500
)

// Keeper keeps the wanted references. Its lock is taken before the hub's.
type Keeper struct {
	Context context.Context // ends all readers
	// Kind finds the resource of a kind; false if it is not known (yet).
	Kind func(group, kind string) (kube.Resource, bool)
	// Describe returns the state of a stream that has not started.
	Describe func(plan.Spec) feed.SourceState
	// Run runs a stream in the background. It returns when the server last answered it.
	Run func(context.Context, plan.Spec, sources.Sink) (lastData func() time.Time)
	// Followed reports whether the hub hands over the object of an ID, and returns it.
	Followed func(object.ID) (*object.Object, bool)
	// Wake is called when Join has something new.
	Wake func()
	// Patience is how long a Wants may stay unanswered because of a reference; the package's
	// if zero.
	Patience time.Duration

	mu          sync.Mutex
	wanted      []object.ID
	readers     map[plan.Spec]*reader
	kept        map[object.ID]*entry
	changed     []*entry           // since the last Join
	states      []feed.SourceState // that have changed since: no batch answers without those that it rests on
	unwanted    []*entry           // those without a reader, oldest first
	completeGen uint64             // the newest generation of Wants whose references have been read
}

// entry is what is known of one object.
type entry struct {
	id      object.ID
	object  *object.Object // nil: it does not exist, or is not known
	from    *reader        // that has read it last; nil if the hub has delivered it
	readers int            // how many know of it
	absent  bool           // a reader that names it has found that it does not exist
	changed bool           // it is among the keeper's changed

	handedOver handedOver
	uid        string // of the object that was handed over
	dropped    bool   // the object was let go of, not deleted
}

// handedOver is what the receiver has of an entry by the keeper: the hub may have handed
// over the same object.
type handedOver uint8

const (
	nothing handedOver = iota
	theObject
	itsAbsence
)

// Want replaces the set of wanted references. An ID without a name means all objects of
// its kind in its namespace.
func (k *Keeper) Want(ids []object.ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wanted = ids
	k.update()
}

// Resolve starts to read those whose kinds have become known.
func (k *Keeper) Resolve() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.update()
}

// update starts and ends readers.
func (k *Keeper) update() {
	if k.Context.Err() != nil {
		return
	}
	if k.readers == nil {
		k.readers, k.kept = map[plan.Spec]*reader{}, map[object.ID]*entry{}
	}
	wanted := sets.Set[plan.Spec]{}
	for _, id := range k.wanted {
		spec := k.spec(id)
		if spec.Name == "" && spec.Fields == "" && spec.Namespace == "" && spec.Resource.Namespaced &&
			!few(spec.Resource) {
			continue // all of a kind in all namespaces is too much
		}
		wanted.Insert(spec)
		if k.readers[spec] == nil {
			k.start(spec)
		}
	}
	for spec, r := range k.readers {
		if !wanted.Has(spec) {
			k.end(spec, r)
		}
	}
}

// few reports whether a cluster has so few objects of a kind that all of them may be listed.
// DaemonSets run one agent each: network, storage, logs, metrics. Those of a custom kind are only
// asked for while its definition is being deleted, and they with it.
func few(r kube.Resource) bool {
	return r.Group == "apps" && r.Kind == "DaemonSet" || object.ProjectGroup(r.Group)
}

// spec is the stream that reads a reference.
func (k *Keeper) spec(id object.ID) plan.Spec {
	res, known := k.Kind(id.Group, id.Kind)
	if !known {
		return plan.Spec{
			Resource: kube.Resource{Group: id.Group, Kind: id.Kind}, Namespace: id.Namespace,
			Name: id.Name, Role: plan.Lookup,
		}
	}
	if fields := id.Fields(); fields != "" {
		return plan.Spec{Resource: res, Fields: fields}
	}
	return plan.Spec{Resource: res, Namespace: res.ID(id.Namespace, "").Namespace, Name: id.Name}
}

func (k *Keeper) start(spec plan.Spec) {
	ctx, cancel := context.WithCancel(k.Context)
	r := &reader{k: k, spec: spec, cancel: cancel, state: k.Describe(spec), entries: sets.Set[*entry]{}}
	r.state.Key, r.state.Children = "reference "+r.state.Key, true
	k.readers[spec] = r
	r.lastData = k.Run(ctx, spec, r)
	time.AfterFunc(cmp.Or(k.Patience, Patience), func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		r.giveUp()
	})
}

func (k *Keeper) end(spec plan.Spec, r *reader) {
	r.cancel()
	r.ended = true
	delete(k.readers, spec)
	for e := range r.entries {
		if e.readers--; e.readers == 0 {
			k.release(e)
		}
	}
	if r.noteKnown(); r.published {
		r.state.Phase = feed.Closed
		k.states = append(k.states, r.state)
		k.Wake()
	}
}

// release keeps the object of an entry that nobody reads any more, if the receiver has it:
// the next explanation may want it again.
func (k *Keeper) release(e *entry) {
	if e.handedOver != theObject || e.object == nil {
		k.drop(e)
		return
	}
	if k.unwanted = append(k.unwanted, e); len(k.unwanted) > unwantedMost {
		k.drop(k.unwanted[0])
		k.unwanted = slices.Delete(k.unwanted, 0, 1)
	}
}

// drop lets go of an object that nobody reads any more.
func (k *Keeper) drop(e *entry) {
	e.object, e.absent, e.dropped = nil, false, true
	k.note(e)
}

// note has an entry handed over as it will be then.
func (k *Keeper) note(e *entry) {
	k.mark(e)
	k.Wake()
}

func (k *Keeper) mark(e *entry) {
	if !e.changed {
		e.changed = true
		k.changed = append(k.changed, e)
	}
}

// Get returns the object of a wanted reference, or nil.
func (k *Keeper) Get(id object.ID) *object.Object {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.kept[id]; e != nil && e.readers > 0 {
		return e.object
	}
	return nil
}

// Deleted notes that a stream of the plan has reported the deletion of an object.
func (k *Keeper) Deleted(o *object.Object) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.deleted(o)
}

func (k *Keeper) deleted(o *object.Object) {
	e := k.kept[o.ID]
	if e == nil || e.object == nil || o.UID != "" && e.object.UID != o.UID {
		return
	}
	k.gone(e)
}

func (k *Keeper) gone(e *entry) {
	e.object, e.dropped = nil, false
	k.unwanted = slices.DeleteFunc(k.unwanted, func(u *entry) bool { return u == e })
	k.note(e)
}

// Listed notes that a stream of the plan has completed a list. What nobody reads any more
// and the list would contain is deleted.
func (k *Keeper) Listed(covers func(object.ID) bool, list []*object.Object) {
	k.mu.Lock()
	defer k.mu.Unlock()
	missing := map[object.ID]*entry{}
	for _, e := range k.unwanted {
		if covers(e.id) {
			missing[e.id] = e
		}
	}
	if len(missing) == 0 {
		return
	}
	for _, o := range list {
		delete(missing, o.ID)
	}
	for _, e := range missing {
		k.gone(e)
	}
}

// ChangeStates changes the state of each reader.
func (k *Keeper) ChangeStates(change func(*feed.SourceState)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.readers {
		r.change(change)
	}
}
