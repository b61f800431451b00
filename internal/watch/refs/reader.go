package refs

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// reader takes what a stream delivers. It is guarded by the keeper's lock.
type reader struct {
	k        *Keeper
	spec     plan.Spec
	cancel   context.CancelFunc
	lastData func() time.Time

	ended     bool
	known     bool // there is an answer, or none to be had, or it takes too long
	published bool // its state is in some batch: what follows it is, too
	state     feed.SourceState
	entries   sets.Set[*entry] // what it knows of
}

// entry returns the entry of an ID, of which the reader knows from now on.
func (r *reader) entry(id object.ID) *entry {
	k := r.k
	e := k.kept[id]
	if e == nil {
		e = &entry{id: id}
		k.kept[id] = e
	}
	if !r.entries.Has(e) {
		r.entries.Insert(e)
		if e.readers++; e.readers == 1 {
			k.unwanted = slices.DeleteFunc(k.unwanted, func(u *entry) bool { return u == e })
		}
	}
	return e
}

// lose notes that the reader no longer knows of an entry.
func (r *reader) lose(e *entry) {
	r.entries.Delete(e)
	if e.readers--; e.readers == 0 {
		r.k.gone(e)
	}
}

// Upsert implements sources.Sink.
func (r *reader) Upsert(o *object.Object) {
	r.k.mu.Lock()
	defer r.k.mu.Unlock()
	if !r.ended {
		r.put(o)
	}
}

// put keeps an object. A reader that delivers an older version than another one has read it
// earlier; one that delivers an older version than itself reads a restored etcd.
func (r *reader) put(o *object.Object) {
	e := r.entry(o.ID)
	if old := e.object; old != nil {
		given := o
		if e.from != r && sources.Older(o.ResourceVersion, old.ResourceVersion) {
			o = old
		}
		o = withType(withType(o, given), old)
		if sources.SameVersion(o, old) && (o.Tree == nil) == (old.Tree == nil) {
			return
		}
	}
	e.object, e.from, e.absent, e.dropped = o, r, false, false
	r.k.note(e)
}

// withType is an object with the type of a Secret, if other has it. Only a reference by
// name reports it; it is immutable.
func withType(o, other *object.Object) *object.Object {
	if o == nil || other == nil || !o.MetadataOnly || o.Tree != nil || other.Tree == nil || o.UID != other.UID {
		return o
	}
	o = new(*o)
	o.Tree = other.Tree
	return o
}

// Has implements sources.Sink.
func (r *reader) Has(o *object.Object) bool {
	r.k.mu.Lock()
	defer r.k.mu.Unlock()
	e := r.k.kept[o.ID]
	return e != nil && r.entries.Has(e) && e.object != nil && sources.SameVersion(e.object, o)
}

// Remove implements sources.Sink.
func (r *reader) Remove(o *object.Object) {
	r.k.mu.Lock()
	defer r.k.mu.Unlock()
	if !r.ended {
		r.k.deleted(o)
	}
}

// Replace implements sources.Sink.
func (r *reader) Replace(list []*object.Object, resourceVersion string) {
	k := r.k
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.ended {
		return
	}
	listed := make(sets.Set[object.ID], len(list))
	for _, o := range list {
		listed.Insert(o.ID)
		r.put(o)
	}
	named := r.spec.Resource.ID(r.spec.Namespace, r.spec.Name)
	missing := named.Name != "" && len(list) == 0 && r.spec.Role != plan.Lookup
	for e := range r.entries {
		switch {
		case listed.Has(e.id) || missing && e.id == named && e.object == nil:
		case e.object != nil && e.from != r && sources.Older(resourceVersion, e.object.ResourceVersion):
			// another one knows better
		default:
			r.lose(e)
		}
	}
	if missing {
		if e := r.entry(named); e.object == nil && !e.absent {
			e.absent = true
			k.note(e)
		}
	}
}

// UpdateState implements sources.Sink.
func (r *reader) UpdateState(change func(*feed.SourceState)) {
	r.k.mu.Lock()
	defer r.k.mu.Unlock()
	if !r.ended {
		r.change(change)
	}
}

// change changes the state, and publishes it: of a reference by name only a refusal, that it
// is late, and what follows them.
func (r *reader) change(change func(*feed.SourceState)) {
	st, old := &r.state, r.state
	if change(st); *st == old {
		return
	}
	if st.Phase != old.Phase {
		st.Since = time.Now()
	}
	switch st.Phase {
	case feed.Live, feed.Forbidden, feed.NotServed:
		r.published = r.published || r.spec.Name == "" || st.Phase != feed.Live
		st.Late = false
		defer r.noteKnown() // what rests on the state is not handed over before it
	}
	if r.published {
		r.publish()
	}
}

func (r *reader) publish() {
	r.state.LastData, r.state.Objects = r.lastData(), len(r.entries)
	r.k.states = append(r.k.states, r.state)
	r.k.Wake()
}

// giveUp has nobody wait any longer for an answer that has not come, and says so. The reader
// goes on.
func (r *reader) giveUp() {
	if r.ended || r.known {
		return
	}
	r.state.Late, r.published = true, true
	r.publish()
	r.noteKnown()
}

// noteKnown notes that nobody need wait for the reader any more.
func (r *reader) noteKnown() {
	if !r.known {
		r.known = true
		r.k.Wake()
	}
}
