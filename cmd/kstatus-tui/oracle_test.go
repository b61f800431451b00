package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// The oracle's length: the same histories with every `go test`, new ones for a minute with
// `make oracle`, hours by hand (ORACLETIME=3h). A history that failed is repeated by its number:
//
//	go test ./cmd/kstatus-tui -run Oracle -oracle 1ns -oracle-seed 4711
var (
	oracleTime = flag.Duration("oracle", 0, "for how long the oracle tries random histories; 0 tries a fixed number")
	oracleSeed = flag.Uint64("oracle-seed", 1, "the first history that the oracle tries")
)

// histories is how many are tried where no time is given: the same on a slow machine as on a fast one.
const histories = 12

// Random creations, changes, deletions and recreations of objects, kinds and
// permissions, under random faults. At rest, the program's state equals that of
// a program that reads everything at once.
func TestOracleOfRandomHistories(t *testing.T) {
	began := time.Now()
	n := uint64(0)
	more := func() bool {
		if *oracleTime == 0 {
			return n < histories
		}
		return n == 0 || time.Since(began) < *oracleTime
	}
	for ; more(); n++ {
		seed := *oracleSeed + n
		if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { playHistory(t, seed) }) {
			t.Fatalf("repeat it with -oracle 1ns -oracle-seed %d", seed)
		}
	}
	t.Logf("%d histories, from seed %d", n, *oracleSeed)
}

// history is a cluster that random things happen to.
type history struct {
	t        *testing.T
	c        *testcluster.Cluster
	rnd      *rand.Rand
	uids     map[object.ID]string
	gens     map[object.ID]int
	kind     bool // Widgets are served
	lifts    []func()
	happened []string // what happened, for a failure
}

var widgets = testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"}

func (h *history) say(format string, args ...any) {
	h.happened = append(h.happened, time.Now().Format("04:05.000 ")+fmt.Sprintf(format, args...))
}

func (h *history) pick(list ...string) string { return list[h.rnd.IntN(len(list))] }

// put writes an object in some state, and counts a generation when it is a
// change of the spec.
func (h *history) put(kind, namespace, name string, owner object.ID) {
	id := object.ID{Group: groups[kind], Kind: kind, Namespace: namespace, Name: name}
	if h.gens[id] == 0 || h.rnd.IntN(3) == 0 {
		h.gens[id]++
	}
	gen := h.gens[id]
	observed := gen - h.rnd.IntN(5)/4 // usually the newest
	meta := map[string]any{"name": name, "namespace": namespace, "generation": gen, "labels": map[string]any{"app": strings.Split(name, "-")[0], "team": h.pick("x", "y")}}
	if owner.Name != "" {
		meta["ownerReferences"] = []any{map[string]any{
			"apiVersion": versions[owner.Kind], "kind": owner.Kind, "name": owner.Name, "uid": h.uids[owner], "controller": true,
		}}
	}
	if kind == "EndpointSlice" {
		meta["labels"].(map[string]any)["kubernetes.io/service-name"] = owner.Name
	}
	spec, st := h.state(kind, name, observed)
	manifest := map[string]any{"apiVersion": versions[kind], "kind": kind, "metadata": meta}
	if spec != nil {
		manifest["spec"] = spec
	}
	if st != nil {
		manifest["status"] = st
	}
	if kind == "EndpointSlice" {
		delete(manifest, "spec")
		maps.Copy(manifest, spec)
	}
	h.uids[id] = h.c.Put(manifest)
	h.say("put %v of %v, generation %d, observed %d", id, owner, gen, observed)
}

var (
	groups = map[string]string{
		"Deployment": "apps", "ReplicaSet": "apps", "StatefulSet": "apps", "Job": "batch", "EndpointSlice": "discovery.k8s.io", "Widget": "example.com",
	}
	versions = map[string]string{
		"Deployment": "apps/v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "Job": "batch/v1", "EndpointSlice": "discovery.k8s.io/v1", "Widget": "example.com/v1",
		"Pod": "v1", "Service": "v1", "ConfigMap": "v1",
	}
)

func conditionOf(typ, value, reason string, at time.Time) map[string]any {
	return map[string]any{"type": typ, "status": value, "reason": reason, "message": "so it is", "lastTransitionTime": at.UTC().Format(time.RFC3339)}
}

// state is some spec and status of a kind.
func (h *history) state(kind, name string, observed int) (spec, st map[string]any) {
	now := time.Now()
	yes := h.pick("True", "True", "False")
	app := map[string]any{"matchLabels": map[string]any{"app": strings.Split(name, "-")[0]}}
	switch kind {
	case "Deployment":
		ready := h.rnd.IntN(3)
		spec = map[string]any{"replicas": 2, "selector": app, "template": map[string]any{}, "paused": h.rnd.IntN(6) == 0}
		st = map[string]any{
			"observedGeneration": observed, "replicas": 2, "updatedReplicas": 2, "readyReplicas": ready, "availableReplicas": ready, "unavailableReplicas": 2 - ready,
			"conditions": []any{
				conditionOf("Available", yes, "MinimumReplicasAvailable", now),
				conditionOf("Progressing", yes, h.pick("NewReplicaSetAvailable", "ReplicaSetUpdated", "ProgressDeadlineExceeded"), now),
			},
		}
	case "ReplicaSet", "StatefulSet":
		ready := h.rnd.IntN(3)
		spec = map[string]any{"replicas": 2, "selector": app}
		st = map[string]any{"observedGeneration": observed, "replicas": 2, "readyReplicas": ready, "availableReplicas": ready, "fullyLabeledReplicas": 2, "currentReplicas": 2, "updatedReplicas": 2}
	case "Pod":
		spec = map[string]any{"containers": []any{map[string]any{"name": "app", "image": "app:1"}}}
		container := func(ready bool, state map[string]any) []any {
			return []any{map[string]any{"name": "app", "ready": ready, "restartCount": 0, "image": "app:1", "state": state}}
		}
		switch h.rnd.IntN(4) {
		case 0:
			st = map[string]any{"phase": "Pending", "conditions": []any{conditionOf("PodScheduled", "False", "Unschedulable", now)}}
		case 1:
			st = map[string]any{
				"phase": "Pending", "conditions": []any{conditionOf("PodScheduled", "True", "", now), conditionOf("Ready", "False", "ContainersNotReady", now)},
				"containerStatuses": container(false, map[string]any{"waiting": map[string]any{"reason": "ImagePullBackOff", "message": "not found"}}),
			}
		default:
			st = map[string]any{
				"phase": "Running", "conditions": []any{conditionOf("PodScheduled", "True", "", now), conditionOf("Ready", yes, "", now), conditionOf("ContainersReady", yes, "", now)},
				"containerStatuses": container(yes == "True", map[string]any{"running": map[string]any{"startedAt": now.UTC().Format(time.RFC3339)}}),
			}
		}
	case "Service":
		spec = map[string]any{"type": "ClusterIP", "clusterIP": "10.0.0.1", "selector": app["matchLabels"], "ports": []any{map[string]any{"port": 80}}}
	case "EndpointSlice":
		spec = map[string]any{"addressType": "IPv4", "endpoints": []any{map[string]any{"addresses": []any{"10.1.0.1"}, "conditions": map[string]any{"ready": yes == "True"}}}}
	case "Job":
		spec = map[string]any{"completions": 1, "backoffLimit": 1}
		st = map[string]any{"active": 1, "startTime": now.UTC().Format(time.RFC3339)}
		if typ := h.pick("", "Complete", "Failed"); typ != "" {
			st = map[string]any{"succeeded": 1, "conditions": []any{conditionOf(typ, "True", "", now)}}
		}
	case "Widget":
		if h.rnd.IntN(5) > 0 {
			st = map[string]any{"observedGeneration": observed, "conditions": []any{conditionOf("Ready", h.pick("True", "False", "Unknown"), "Because", now)}}
		}
	}
	return spec, st
}

func (h *history) delete(id object.ID) {
	h.c.Delete(id.Kind, id.Namespace, id.Name)
	delete(h.uids, id)
	h.gens[id] = 0
	h.say("delete %v", id)
}

func (h *history) wait(limit time.Duration) {
	time.Sleep(time.Duration(h.rnd.Int64N(int64(limit))))
}

// change does something to the objects.
func (h *history) change() {
	ns, app := h.pick("shop", "shop", "other"), fmt.Sprint("app", h.rnd.IntN(3))
	deploy := object.ID{Group: "apps", Kind: "Deployment", Namespace: ns, Name: app}
	rs := object.ID{Group: "apps", Kind: "ReplicaSet", Namespace: ns, Name: fmt.Sprint(app, "-", h.rnd.IntN(2))}
	svc := object.ID{Kind: "Service", Namespace: ns, Name: app}
	has := func(id object.ID) bool { return h.uids[id] != "" }
	switch h.rnd.IntN(14) {
	case 0, 1:
		h.put("Deployment", ns, app, object.ID{})
	case 2, 3:
		if has(deploy) {
			h.put("ReplicaSet", ns, rs.Name, deploy)
		}
	case 4, 5, 6:
		if has(rs) {
			h.put("Pod", ns, fmt.Sprint(rs.Name, "-", h.rnd.IntN(3)), rs)
		}
	case 7:
		h.put("Service", ns, app, object.ID{})
	case 8:
		if has(svc) {
			h.put("EndpointSlice", ns, fmt.Sprint(app, "-eps", h.rnd.IntN(2)), svc)
		}
	case 9:
		h.put("ConfigMap", ns, app, object.ID{})
	case 10:
		h.put("Job", ns, app, object.ID{})
	case 11:
		if h.kind {
			h.put("Widget", ns, app, object.ID{})
		}
	default:
		if ids := slices.SortedFunc(maps.Keys(h.uids), object.ID.Compare); len(ids) > 0 {
			h.delete(ids[h.rnd.IntN(len(ids))])
		}
	}
}

// fault makes something fail, for a while or until the end.
func (h *history) fault() {
	resource := h.pick("deployments", "replicasets", "pods",
		"services", "endpointslices", "configmaps", "jobs", "widgets", "")
	ns := h.pick("shop", "other", "", "")
	matches := func(r testcluster.Request) bool {
		return r.Resource != "" && (resource == "" || r.Resource == resource) && (ns == "" || r.Namespace == ns)
	}
	inject := func(f testcluster.Fault) {
		if f.Match == nil {
			f.Match = matches
		}
		h.lifts = append(h.lifts, h.c.Inject(f))
		h.say("fault on %q in %q: status %d, %+v", resource, ns, f.Status, f)
	}
	switch h.rnd.IntN(14) {
	case 0:
		h.say("the streams are cut")
		h.c.CutStreams()
	case 1:
		h.say("the history is forgotten")
		h.c.Forget()
	case 2:
		h.say("the server stops")
		h.c.Stop()
		h.wait(5 * time.Second)
		h.c.Start()
	case 3:
		h.say("the server freezes")
		h.c.Freeze()
		h.wait(2 * time.Minute)
		h.c.Thaw()
	case 4, 5, 6: // rights go
		verbs := [][]string{{"watch"}, {"watch", "list"}, {"watch", "get"}, {"watch", "list", "get"}}[h.rnd.IntN(4)]
		name := h.pick("", "", "app1")
		inject(testcluster.Fault{Status: 403, Message: "forbidden", Match: func(r testcluster.Request) bool {
			return matches(r) && slices.Contains(verbs, r.Verb) &&
				(name == "" || r.Name != name && !strings.Contains(r.Query, "metadata.name%3D"+name))
		}})
		if h.rnd.IntN(2) == 0 {
			h.c.CutStreams()
		}
	case 7:
		inject(testcluster.Fault{Status: []int{401, 410, 429, 500, 503, 504}[h.rnd.IntN(6)], RetryAfter: h.rnd.IntN(3)})
		h.c.CutStreams()
	case 8:
		inject(testcluster.Fault{NoEnd: h.rnd.IntN(2) == 0, Twice: true})
		h.c.CutStreams()
	case 9:
		inject(testcluster.Fault{Close: time.Duration(1+h.rnd.IntN(4000)) * time.Millisecond, NoBookmarks: true})
	case 10:
		inject(testcluster.Fault{Stall: true})
	case 11:
		inject(testcluster.Fault{Hang: true})
	case 12:
		if h.kind = !h.kind; h.kind {
			h.say("Widgets are served")
			h.c.Serve(widgets)
			break
		}
		h.say("Widgets are served no more")
		h.c.Unserve("Widget")
		for id := range h.uids {
			if id.Kind == "Widget" {
				delete(h.uids, id)
				h.gens[id] = 0
			}
		}
		if h.rnd.IntN(2) == 0 {
			h.c.CutStreams()
		}
	case 13: // what was taken is given back
		if n := len(h.lifts); n > 0 {
			i := h.rnd.IntN(n)
			h.lifts[i]()
			h.lifts = slices.Delete(h.lifts, i, i+1)
			h.say("a fault is lifted")
		}
	}
}

func playHistory(t *testing.T, seed uint64) {
	synctest.Test(t, func(t *testing.T) {
		c := testcluster.New()
		defer c.Close()
		h := &history{t: t, c: c, rnd: rand.New(rand.NewPCG(seed, 24)), uids: map[object.ID]string{}, gens: map[object.ID]int{}}
		if h.kind = h.rnd.IntN(2) == 0; h.kind {
			c.Serve(widgets)
		}
		for range h.rnd.IntN(30) {
			h.change()
		}
		children := h.pick("all", "all", "auto")
		targets := asked()
		config := c.Config()
		engine, err := watch.New(watch.Options{Config: config, Targets: targets, Children: children, Namespace: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		engine.Start(t.Context())
		defer engine.Close()
		opt := model.Options{Now: time.Now(), Sources: inventory.Sources(targets), Namespace: "shop", StallAfter: time.Minute, Children: model.Children(children)}

		var over atomic.Bool
		ended := make(chan *model.Model, 1) // gets one model
		go func() {
			m, err := headless{feed: engine, now: time.Now}.run(t.Context(), opt,
				func(*model.Model) (bool, time.Time) { return over.Load(), time.Time{} })
			if err != nil {
				t.Error(err)
			}
			ended <- m
		}()
		for range 40 + h.rnd.IntN(40) {
			if h.rnd.IntN(4) == 0 {
				h.fault()
			} else {
				h.change()
			}
			if h.rnd.IntN(2) == 0 {
				h.wait(2 * time.Second)
			}
		}
		for _, lift := range h.lifts {
			lift()
		}
		h.say("all faults are lifted")
		time.Sleep(6 * time.Minute) // the slowest way back: a refusal, then polling for a while
		over.Store(true)
		m := <-ended

		now := m.Facts.Now()
		m = grow(m, now)
		want := reference(t, c, now, targets, h.kind)
		h.compare(m, want, children == "all")
		if t.Failed() {
			t.Logf("--children=%s; what happened:\n%s", children, strings.Join(h.happened, "\n"))
		}
	})
}

// asked are the followed sources: names that exist and names that do not, in
// both namespaces, a kind that comes and goes, and a selection.
func asked() (targets []inventory.Target) {
	for _, ns := range []string{"shop", "other"} {
		for _, kind := range []string{"Deployment", "Service", "ConfigMap", "Job", "Widget"} {
			for i := range 2 {
				_, version, found := strings.Cut(versions[kind], "/")
				if !found {
					version = versions[kind]
				}
				targets = append(targets, inventory.Target{
					Source: "-f app.yaml", Version: version,
					ID: object.ID{Group: groups[kind], Kind: kind, Namespace: ns, Name: fmt.Sprint("app", i)},
				})
			}
		}
	}
	return append(targets, inventory.Target{Source: "cm -l team=x -n other", Type: "configmaps", Selector: "team=x", Namespace: "other"})
}

// reference is the state of a program that reads everything at once and judges
// it by the same rules, with every grace period over.
func reference(
	t *testing.T, c *testcluster.Cluster, now time.Time, targets []inventory.Target, served bool,
) *model.Model {
	m, _ := model.New(model.Options{Now: now, Namespace: "shop", StallAfter: time.Minute, Children: model.ChildrenAll})
	b := feed.Batch{Seq: 1, At: now, Synced: true}
	if !served {
		b.Sources = []feed.SourceState{{Key: "widgets", Group: "example.com", Version: "v1", Kind: "Widget", Phase: feed.NotServed}}
	}
	all := map[object.ID]*object.Object{}
	var list []*object.Object
	for _, text := range c.Objects() {
		o, err := convert.JSON(text, convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if convert.MetadataKind(o.Group, o.Kind) {
			o.MetadataOnly = true
		}
		all[o.ID], list = o, append(list, o)
	}
	known := map[string]bool{} // UIDs
	root := func(id object.ID, target inventory.Target, order int) {
		if slices.ContainsFunc(b.Roots, func(r feed.Root) bool { return r.ID == id }) {
			return
		}
		b.Roots = append(b.Roots, feed.Root{ID: id, Version: target.Version, Source: target.Source, Order: order})
		if o := all[id]; o != nil {
			known[o.UID] = true
		} else {
			b.Absent = append(b.Absent, id)
		}
	}
	for i, target := range targets {
		if target.Name == "" && target.ID.IsZero() {
			for _, o := range list {
				if team, _ := o.Label("team"); o.Kind == "ConfigMap" && o.Namespace == target.Namespace && team == "x" {
					root(o.ID, target, i+1)
				}
			}
			continue
		}
		root(target.ID, target, i+1)
	}
	for range 4 {
		for _, o := range list {
			for _, owner := range o.Owners {
				known[o.UID] = known[o.UID] || known[owner.UID]
			}
			// A slice belongs to the Service that it names, as kube-proxy has it.
			if name, ok := o.Label("kubernetes.io/service-name"); ok {
				svc := all[object.ID{Kind: "Service", Namespace: o.Namespace, Name: name}]
				known[o.UID] = known[o.UID] || svc != nil && known[svc.UID]
			}
			known[o.UID] = known[o.UID] || o.Kind == "Pod" && slices.ContainsFunc(list, func(svc *object.Object) bool {
				return svc.Service != nil && known[svc.UID] && svc.Namespace == o.Namespace &&
					edges.Selects(svc.Service.Selector, o)
			})
		}
	}
	for _, o := range list {
		if known[o.UID] {
			b.Objects = append(b.Objects, o)
		}
	}
	m, _ = m.Update(model.BatchArrived{Batch: b})
	m, _ = m.Update(model.ClockTicked{Now: now.Add(time.Second)}) // it wishes for children, all of which are there
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{Seq: 2, At: now.Add(2 * time.Second), Synced: true, Answered: 1 << 60}})
	return grow(m, now)
}

// grow lets the time of any grace pass.
func grow(m *model.Model, now time.Time) *model.Model {
	for s := range 180 {
		m, _ = m.Update(model.ClockTicked{Now: now.Add(time.Duration(s) * time.Second)})
	}
	return m
}

// tree writes what a model knows, a line an object, children below. Only those
// in keep, where that is not nil.
func tree(m *model.Model, children bool, keep map[string]bool) []string {
	var out []string
	var visit func(id object.ID, depth int)
	visit = func(id object.ID, depth int) {
		r, ok := m.Facts.Resource(id)
		uid := ""
		if ok && r.Object != nil {
			uid = r.Object.UID
		}
		if depth > 0 && (r.Root != nil || keep != nil && !keep[uid]) {
			return
		}
		line := fmt.Sprintf("%s%s %v %s %s", strings.Repeat("  ", depth), id.Namespace, id, uid, r.Assessment.Status)
		if r.Object != nil {
			line += fmt.Sprintf(" %s generation %d", r.Assessment.Reason, r.Object.Generation.V)
		}
		out = append(out, line)
		if children {
			for _, child := range slices.SortedFunc(slices.Values(r.Children), object.ID.Compare) {
				visit(child, depth+1)
			}
		}
	}
	for _, id := range slices.SortedFunc(slices.Values(m.Facts.Roots()), object.ID.Compare) {
		visit(id, 0)
	}
	return out
}

// explained are the roots that have a cause. Which one it is may depend on what
// was seen first.
func explained(m *model.Model) []string {
	var out []string
	for _, id := range m.Facts.Roots() {
		if len(m.Facts.CausesOf(id)) > 0 {
			out = append(out, id.Namespace+" "+id.String())
		}
	}
	slices.Sort(out)
	return out
}

func (h *history) compare(got, want *model.Model, children bool) {
	h.t.Helper()
	// Orphans that were shown below a parent stay until they are deleted;
	// deleted objects must not be shown.
	alive, keep := map[string]bool{}, map[string]bool{}
	for _, uid := range h.uids {
		alive[uid] = true
	}
	var note func(m *model.Model, id object.ID, f func(uid string))
	note = func(m *model.Model, id object.ID, f func(uid string)) {
		r, _ := m.Facts.Resource(id)
		if r.Object != nil {
			f(r.Object.UID)
		}
		for _, child := range r.Children {
			note(m, child, f)
		}
	}
	for _, id := range want.Facts.Roots() {
		note(want, id, func(uid string) { keep[uid] = true })
	}
	for _, id := range got.Facts.Roots() {
		note(got, id, func(uid string) {
			if !alive[uid] {
				h.t.Errorf("%v holds %s, which is gone", id, uid)
			}
		})
	}
	if diff := cmp.Diff(tree(want, children, nil), tree(got, children, keep)); diff != "" {
		h.t.Errorf("at rest (-read at once +followed):\n%s", diff)
	}
	if w, g := want.Facts.Verdict().Status, got.Facts.Verdict().Status; w != g || got.Facts.Verdict().Lost {
		h.t.Errorf("verdict %s (lost: %v), want %s", g, got.Facts.Verdict().Lost, w)
	}
	if diff := cmp.Diff(want.Facts.Counts(), got.Facts.Counts()); diff != "" {
		h.t.Errorf("counts (-want +got):\n%s", diff)
	}
	if children {
		if diff := cmp.Diff(explained(want), explained(got)); diff != "" {
			h.t.Errorf("with a cause (-read at once +followed):\n%s", diff)
		}
	}
	if c := got.Facts.Connection(); c.Link != world.LinkLive {
		h.t.Errorf("the connection is %s: %s", c.Link, c.Error)
	}
	for _, s := range got.Facts.Sources() {
		if s.Phase != feed.Live && s.Phase != feed.NotServed && s.Phase != feed.Closed {
			h.t.Errorf("%s is %s: %s", s.Key, s.Phase, s.Error)
		}
	}
}
