package watch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

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
	k.e.hub.SetRefsDue(true)
	if k.late != nil {
		k.late.Stop()
	}
	k.late = time.AfterFunc(refPatience, func() { k.e.hub.SetRefsDue(false) })
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
				k.e.hub.DropRef(id)
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
			k.e.hub.SetRefsDue(false)
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
			return k.e.hub.SetRef(id, nil, st)
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
		return k.e.hub.SetRef(id, objects, st)
	case c == 403:
		st.Phase, st.Error, st.Verb = feed.Forbidden, object.Clean(kube.ErrorText(err)), "get"
		if id.Name == "" {
			st.Verb = "list"
		}
		return k.e.hub.SetRef(id, nil, st)
	case kube.IsNotFound(err) && errors.Is(k.e.resolver.Missing(ctx, res, err), kube.ErrNotServed):
		st.Phase = feed.NotServed
		return k.e.hub.SetRef(id, nil, st)
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
