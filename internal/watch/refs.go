package watch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// Intervals of references. An object that has not changed for ten minutes is
// read less often: an idle dashboard with fifty references makes 25 requests a
// minute instead of 100.
const (
	refPace = 30 * time.Second
	refRest = 2 * time.Minute
	refCalm = 10 * time.Minute
	refMost = 200 // bound on references
	// refPatience is how long a Wants may stay unanswered because of its
	// references: one slow answer must not delay the verdict.
	refPatience = 10 * time.Second
)

// refKeeper fetches objects that a cause may depend on and that no source
// follows: a GET for a name, a list for a whole kind, every half minute while
// wanted, less often if unchanged. It has one goroutine, from the first want
// on.
type refKeeper struct {
	e       *Engine
	mu      sync.Mutex
	wanted  []object.ID
	late    *time.Timer // ends refPatience
	running bool
	wake    chan struct{} // buffered, one: there is something to do
}

func newRefKeeper(e *Engine) *refKeeper { return &refKeeper{e: e, wake: make(chan struct{}, 1)} }

// want replaces the set of wanted references.
func (k *refKeeper) want(ids []object.ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	ids = ids[:min(len(ids), refMost)]
	if slices.Equal(ids, k.wanted) || k.e.ctx == nil || k.e.ctx.Err() != nil {
		return
	}
	k.wanted = slices.Clone(ids)
	k.e.hub.setRefsDue(true)
	if k.late != nil {
		k.late.Stop()
	}
	k.late = time.AfterFunc(refPatience, func() { k.e.hub.setRefsDue(false) })
	if !k.running {
		k.running = true
		k.e.spawn(func() { k.run(k.e.ctx) })
	}
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *refKeeper) run(ctx context.Context) {
	type asking struct{ at, changed time.Time }
	asked := map[object.ID]*asking{}
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.late.Stop()
	}()
	for ctx.Err() == nil {
		k.mu.Lock()
		wanted := k.wanted
		k.mu.Unlock()
		for id := range asked {
			if !slices.Contains(wanted, id) {
				delete(asked, id)
				k.e.hub.dropRef(id)
			}
		}
		for _, id := range wanted {
			a := asked[id]
			if a == nil {
				a = &asking{changed: time.Now()}
				asked[id] = a
			}
			pace := refPace
			if time.Since(a.changed) >= refCalm {
				pace = refRest
			}
			if !a.at.IsZero() && time.Since(a.at) < pace {
				continue
			}
			if ctx.Err() != nil {
				return
			}
			a.at = time.Now()
			if k.fetch(ctx, id) {
				a.changed = a.at
			}
		}
		k.mu.Lock()
		if slices.Equal(wanted, k.wanted) {
			k.e.hub.setRefsDue(false)
		}
		k.mu.Unlock()
		t := time.NewTimer(refPace)
		select {
		case <-ctx.Done():
		case <-k.wake:
		case <-t.C:
		}
		t.Stop()
	}
}

// fetch reads one reference, passes the answer to the hub, and reports whether
// it has changed. A temporary error keeps the last answer.
func (k *refKeeper) fetch(ctx context.Context, id object.ID) (changed bool) {
	st := feed.SourceState{
		Key: "reference " + id.GroupKind() + " " + id.Namespace + "/" + id.Name, Group: id.Group, Kind: id.Kind,
		Namespace: id.Namespace, Name: id.Name, Mode: feed.ModePollGet, Phase: feed.Live, Children: true,
	}
	if id.Name == "" {
		st.Mode = feed.ModePollList
	}
	res, ok := k.e.resolver.Kind(id.Group, id.Kind)
	if !ok {
		var err error
		switch res, err = k.e.resolver.Served(ctx, id.Group, "", id.Kind); {
		case errors.Is(err, kube.ErrNotServed):
			st.Phase = feed.NotServed
			return k.e.hub.setRef(id, nil, st)
		case err != nil:
			return false
		}
	}
	st.Version, st.Resource = res.Version, res.Plural
	if id.Name == "" && res.Namespaced && id.Namespace == "" {
		return false // too much for a reference: a kind in all namespaces
	}
	objects, err := k.read(ctx, res, id, st.Key)
	switch c := kube.Code(err); {
	case err == nil:
		for _, o := range objects {
			o.LookedUp = true
		}
		return k.e.hub.setRef(id, objects, st)
	case c == 403:
		st.Phase, st.Error, st.Verb = feed.Forbidden, object.Clean(kube.ErrorText(err)), "get"
		if id.Name == "" {
			st.Verb = "list"
		}
		return k.e.hub.setRef(id, nil, st)
	case kube.IsNotFound(err) && errors.Is(k.e.resolver.Missing(ctx, res, err), kube.ErrNotServed):
		st.Phase = feed.NotServed
		return k.e.hub.setRef(id, nil, st)
	}
	return false
}

// read makes the request: an object, a whole kind or, of a Secret, its metadata,
// its type and the number of its keys.
func (k *refKeeper) read(ctx context.Context, res kube.Resource, id object.ID, key string) ([]*object.Object, error) {
	once := func() ([]*object.Object, error) {
		return k.e.server.Read(ctx, plan.Spec{Resource: res, Namespace: id.Namespace, Name: id.Name})
	}
	if id.GroupKind() != "Secret" || id.Name == "" {
		return once()
	}
	if err := k.e.gate.Wait(ctx, key); err != nil {
		return nil, err
	}
	data, err := k.e.client.Read(ctx, res.Path(id.Namespace)+"/"+id.Name, nil, kube.AcceptTable)
	switch {
	case kube.Code(err) == 406: // the server does not support tables
		return once()
	case sources.Says(err, id.Name):
		return nil, nil
	case err != nil:
		return nil, err
	}
	o, err := decodeTable(data, res)
	if err != nil {
		return nil, err
	}
	return []*object.Object{o}, nil
}

// decodeTable decodes the table of one Secret, or its metadata if it is no
// table.
func decodeTable(data []byte, res kube.Resource) (*object.Object, error) {
	var t struct {
		Kind    string
		Columns []struct{ Name string } `json:"columnDefinitions"`
		Rows    []struct {
			Cells  []any
			Object json.RawMessage
		}
	}
	if err := kube.CheckKind(data, kube.Table, res.ObjectKind(), kube.PartialMetadata); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, err
	}
	if t.Kind != "Table" || len(t.Rows) != 1 {
		return kube.DecodeJSON(data, res, convert.Options{})
	}
	o, err := kube.DecodeJSON(t.Rows[0].Object, res, convert.Options{})
	if err != nil {
		return nil, err
	}
	tree := map[string]any{}
	for i, c := range t.Columns {
		if i == len(t.Rows[0].Cells) {
			break
		}
		switch v := t.Rows[0].Cells[i].(type) {
		case string:
			if c.Name == "Type" {
				tree["type"] = object.Clean(v)
			}
		case float64:
			if c.Name == "Data" {
				tree["keys"] = int64(v)
			}
		}
	}
	if len(tree) > 0 {
		o.Tree = tree
	}
	return o, nil
}

// setRefsDue notes whether wanted references have not been requested yet: until
// then the Wants is unanswered.
func (h *hub) setRefsDue(due bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refsDue = due
	h.checkSynced()
}

// refRec is the answer to one reference.
type refRec struct {
	seq     uint64
	objects []*object.Object
	gone    []feed.Gone
	absent  bool
	state   feed.SourceState
	// told says that its state is reported: a list, which may be complete, or
	// an error.
	told bool
}

// setRef publishes the answer to a reference, unless it is unchanged.
func (h *hub) setRef(id object.ID, objects []*object.Object, st feed.SourceState) (changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.refs[id]
	r := &refRec{objects: objects, state: st, absent: id.Name != "" && len(objects) == 0 && st.Phase == feed.Live}
	r.state.Since = h.now()
	r.told = id.Name == "" || st.Phase != feed.Live || old != nil && old.told
	if old != nil {
		if old.state.Phase == st.Phase {
			r.state.Since = old.state.Since
		}
		for _, o := range old.objects {
			if !slices.ContainsFunc(objects, func(x *object.Object) bool { return x.ID == o.ID }) {
				r.gone = append(r.gone, feed.Gone{ID: o.ID, UID: o.UID})
			}
		}
		if len(r.gone) == 0 && old.absent == r.absent && old.state.Phase == st.Phase &&
			slices.EqualFunc(old.objects, objects, func(a, b *object.Object) bool { return a.ID == b.ID && a.ResourceVersion == b.ResourceVersion }) {
			return false
		}
	}
	if h.refs == nil {
		h.refs = map[object.ID]*refRec{}
	}
	r.seq = h.seq.bump()
	h.refs[id] = r
	for _, o := range objects {
		h.learn(o)
	}
	return true
}

// learn keeps what a reference reports about an object that is followed by its
// metadata alone: the type of a Secret, which is immutable.
func (h *hub) learn(o *object.Object) {
	if !o.MetadataOnly || o.Tree == nil {
		return
	}
	if h.sorts == nil || len(h.sorts) >= 10*refMost {
		h.sorts = map[string]map[string]any{}
	}
	h.sorts[o.UID] = o.Tree
	if r := h.recs[o.ID]; r != nil && r.obj != nil && r.obj.UID == o.UID && r.obj.Tree == nil {
		r.obj = h.sorted(r.obj)
		r.objSeq = h.touch(r)
	}
}

// sorted adds those fields to an object.
func (h *hub) sorted(o *object.Object) *object.Object {
	tree := h.sorts[o.UID]
	if !o.MetadataOnly || o.Tree != nil || tree == nil {
		return o
	}
	c := *o
	c.Tree = tree
	return &c
}

// dropRef forgets a reference that is no longer wanted. The receiver keeps the
// objects, as of then, until a source knows better.
func (h *hub) dropRef(id object.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.refs[id]
	if r == nil {
		return
	}
	delete(h.refs, id)
	for src := range h.sources {
		if src.answered && src.state.Phase == feed.Live {
			h.recall(src)
		}
	}
	if !r.told {
		return
	}
	st := r.state
	st.Phase = feed.Closed
	h.closed = append(h.closed, closedSource{h.seq.bump(), st})
}

// collectRefs adds the answers after since. An object that a source follows is
// newer and takes precedence.
func (h *hub) collectRefs(since uint64, b *feed.Batch) {
	followed := func(id object.ID) bool {
		r := h.recs[id]
		return r != nil && r.shown
	}
	var ids []object.ID
	for id, r := range h.refs {
		if r.seq > since {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, object.ID.Compare)
	for _, id := range ids {
		r := h.refs[id]
		for _, g := range r.gone {
			if !followed(g.ID) {
				b.Gone = append(b.Gone, g)
				delete(h.lent, g.ID)
			}
		}
		if r.absent && !followed(id) {
			b.Absent = append(b.Absent, id)
		}
		for _, o := range r.objects {
			if !followed(o.ID) {
				b.Objects = append(b.Objects, o)
				if h.lent == nil {
					h.lent = map[object.ID]*object.Object{}
				}
				h.lent[o.ID] = o
			}
		}
		if r.told {
			b.Sources = append(b.Sources, r.state)
		}
	}
}

// recall withdraws a lent object that the completed list of src would contain
// and does not. While the reference is wanted, its next answer says so instead.
func (h *hub) recall(src *source) {
	for id, o := range h.lent {
		if r := h.recs[id]; r != nil && r.obj != nil || h.lends(id) || !src.wouldDeliver(o) {
			continue
		}
		h.takeBack(o)
	}
}

// takeBack reports a lent object as gone.
func (h *hub) takeBack(o *object.Object) {
	delete(h.lent, o.ID)
	h.recalled = append(h.recalled, stamped[feed.Gone]{h.seq.bump(), feed.Gone{ID: o.ID, UID: o.UID}})
}

// lends reports whether an answer to a wanted reference contains an object.
func (h *hub) lends(id object.ID) bool {
	if h.refs[id] != nil {
		return true
	}
	return h.refs[object.ID{Group: id.Group, Kind: id.Kind, Namespace: id.Namespace}] != nil
}

// wouldDeliver reports whether a completed list of the source contains o, if o
// exists.
func (s *source) wouldDeliver(o *object.Object) bool {
	sp := s.spec
	if sp.Lookup || sp.Resource.Group != o.Group || sp.Resource.Kind != o.Kind || sp.Namespace != "" && sp.Namespace != o.Namespace ||
		sp.Name != "" && sp.Name != o.Name || !s.keep.Has(o) {
		return false
	}
	if sp.Fields != "" {
		return false // field selectors are evaluated by the server alone
	}
	if sp.Selector == "" {
		return true
	}
	sel, err := labels.Parse(sp.Selector)
	if err != nil {
		return false
	}
	set := labels.Set{}
	for _, l := range o.Labels {
		set[l.Key] = l.Value
	}
	return sel.Matches(set)
}
