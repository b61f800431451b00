package explain

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// world is a snapshot made of decoded objects, as the model would offer it.
type world struct {
	now      time.Time
	objects  map[status.ID]*status.Object
	order    []*status.Object
	events   map[status.ID][]status.Event
	children map[status.ID][]*status.Object
	parents  map[status.ID][]status.ID
	absent   map[status.ID]bool
	complete map[status.ID]bool // kinds of which everything is known
	hidden   map[string]string
	logs     map[string]string
	template map[status.ID]Template
	respecs  map[status.ID][]Change
	lost     map[status.ID]int // how often it stopped being Current
	written  map[status.ID]int // how often its spec was changed
	gone     map[status.ID]time.Time
	trouble  map[string]string // by kind
	judged   map[status.ID]status.Assessment
}

func newWorld(now time.Time) *world {
	return &world{
		now: now, objects: map[status.ID]*status.Object{}, events: map[status.ID][]status.Event{},
		absent: map[status.ID]bool{}, complete: map[status.ID]bool{}, hidden: map[string]string{},
		logs: map[string]string{}, template: map[status.ID]Template{}, respecs: map[status.ID][]Change{}, lost: map[status.ID]int{}, written: map[status.ID]int{}, gone: map[status.ID]time.Time{}, trouble: map[string]string{}, judged: map[status.ID]status.Assessment{},
	}
}

// add decodes one item of a List: an object or an event.
func (w *world) add(t testing.TB, raw []byte) {
	t.Helper()
	var head struct {
		Kind, APIVersion string
		Type             string
		Reason, Message  string
		Count            int
		Metadata         struct {
			UID               string
			CreationTimestamp time.Time
		}
		InvolvedObject struct {
			APIVersion, Kind, Namespace, Name, UID, FieldPath string
		}
		FirstTimestamp, LastTimestamp, EventTime time.Time
		Series                                   *struct {
			Count            int
			LastObservedTime time.Time
		}
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		t.Fatal(err)
	}
	if head.Kind != "Event" {
		o, err := status.DecodeJSON(raw, status.DecodeOptions{})
		if err != nil {
			t.Fatalf("decode: %v\n%s", err, raw)
		}
		w.put(o)
		return
	}
	about := status.ID{Kind: head.InvolvedObject.Kind, Namespace: head.InvolvedObject.Namespace, Name: head.InvolvedObject.Name}
	for i, c := range head.InvolvedObject.APIVersion {
		if c == '/' {
			about.Group = head.InvolvedObject.APIVersion[:i]
		}
	}
	first := func(ts ...time.Time) time.Time {
		for _, t := range ts {
			if !t.IsZero() {
				return t
			}
		}
		return time.Time{}
	}
	e := status.Event{
		UID: head.Metadata.UID, About: about, AboutUID: head.InvolvedObject.UID, Field: head.InvolvedObject.FieldPath,
		Type: head.Type, Reason: head.Reason, Message: head.Message, Count: head.Count,
		First: first(head.EventTime, head.FirstTimestamp, head.Metadata.CreationTimestamp),
		Last:  first(head.LastTimestamp, head.EventTime, head.FirstTimestamp, head.Metadata.CreationTimestamp),
	}
	if head.Series != nil {
		e.Last = first(head.Series.LastObservedTime, e.Last)
	}
	w.events[about] = append(w.events[about], e)
}

func (w *world) put(o *status.Object) {
	if w.objects[o.ID] == nil {
		w.order = append(w.order, o)
	} else {
		w.order = slices.DeleteFunc(w.order, func(x *status.Object) bool { return x.ID == o.ID })
		w.order = append(w.order, o)
	}
	w.objects[o.ID] = o
}

func (w *world) link() {
	w.children, w.parents = map[status.ID][]*status.Object{}, map[status.ID][]status.ID{}
	offers := map[string][]*status.Object{}
	for _, o := range w.order {
		for _, k := range edges.Offers(o, nil) {
			offers[k] = append(offers[k], o)
		}
	}
	for _, c := range w.order {
		var up []*status.Object
		for _, k := range edges.Refers(c, nil) {
			for _, p := range offers[k] {
				if p != c && edges.IsChild(p, c) && !slices.Contains(up, p) {
					up = append(up, p)
				}
			}
		}
		slices.SortStableFunc(up, func(a, b *status.Object) int { return weight(c, a) - weight(c, b) })
		for _, p := range up {
			w.parents[c.ID] = append(w.parents[c.ID], p.ID)
			w.children[p.ID] = append(w.children[p.ID], c)
		}
	}
}

// weight puts the controller first.
func weight(c, p *status.Object) int {
	if o, ok := c.Controller(); ok && o.UID == p.UID {
		return 0
	}
	return 1
}

// judge assesses every object with its children, the deepest first.
func (w *world) judge() {
	var judge func(o *status.Object, depth int) status.Assessment
	judge = func(o *status.Object, depth int) status.Assessment {
		if a, ok := w.judged[o.ID]; ok || depth > 8 {
			return a
		}
		w.judged[o.ID] = status.Assessment{} // a cycle ends here
		known := status.World{ChildrenKnown: true, FirstSeen: o.Created, Lookup: func(id status.ID) *status.Object { return w.objects[id] }}
		for _, c := range w.children[o.ID] {
			known.Children = append(known.Children, status.Child{Object: c, Assessment: judge(c, depth+1)})
		}
		a := status.Assess(o, known, w.now)
		w.judged[o.ID] = a
		return a
	}
	for _, o := range w.order {
		judge(o, 0)
	}
}

func (w *world) snapshot() Snapshot {
	if w.children == nil {
		w.link()
	}
	w.judge()
	return Snapshot{
		Now:      w.now,
		Object:   func(id status.ID) *status.Object { return w.objects[id] },
		Absent:   func(id status.ID) bool { return w.absent[id] },
		Children: func(id status.ID) []*status.Object { return w.children[id] },
		Beneath: func(id status.ID, visit func(status.ID, bool) bool) {
			seen := map[status.ID]bool{}
			var below func(id status.ID)
			below = func(id status.ID) {
				o := w.objects[id]
				if seen[id] {
					return // it stands under several, or under itself
				}
				seen[id] = true
				if !visit(id, o != nil && w.judged[id].Status == status.Current && Quiet(o)) {
					return
				}
				for _, c := range w.children[id] {
					below(c.ID)
				}
			}
			below(id)
		},
		Parents: func(id status.ID) []status.ID { return w.parents[id] },
		Assessment: func(id status.ID) (status.Assessment, bool) {
			a, ok := w.judged[id]
			return a, ok
		},
		Events: func(id status.ID) []status.Event { return w.events[id] },
		List: func(group, kind, namespace string) (list []*status.Object, complete bool) {
			for _, o := range w.order {
				if o.Group == group && o.Kind == kind && (namespace == "" || o.Namespace == namespace) {
					list = append(list, o)
				}
			}
			return list, w.complete[status.ID{Group: group, Kind: kind}]
		},
		Hidden:    func(_, kind, _ string) string { return w.hidden[kind] },
		ReadyLost: func(id status.ID) (int, time.Time) { return w.lost[id], w.now.Add(-time.Minute) },
		Rewritten: func(id status.ID) (int, time.Time) { return w.written[id], w.now.Add(-time.Minute) },
		Gone:      func(id status.ID) time.Time { return w.gone[id] },
		Respecced: func(id status.ID) []Change { return w.respecs[id] },
		Trouble:   func(_, kind, _ string) string { return w.trouble[kind] },
		Template: func(id status.ID) (Template, bool) {
			t, ok := w.template[id]
			return t, ok
		},
		LogLine: func(pod status.ID, container string) (string, string, bool) {
			line, ok := w.logs[pod.Name+"/"+container]
			return line, "", ok
		},
	}
}

// kin is how objects hung together.
type kin struct {
	objects map[status.ID]*status.Object
	parents map[status.ID][]status.ID
}

func (w *world) kin() kin { return kin{maps.Clone(w.objects), w.parents} }

// news is what has become of the world since, told by whoever knows what else has
// changed.
func (w *world) news(since kin, changed ...status.ID) (out []News) {
	if w.parents == nil {
		w.link()
	}
	all := map[status.ID]*News{}
	of := func(id status.ID) *News {
		if all[id] == nil {
			all[id] = &News{ID: &id, Leaf: len(w.children[id]) == 0, Quiet: w.objects[id] != nil && w.judged[id].Status == status.Current && Quiet(w.objects[id])}
		}
		return all[id]
	}
	for _, id := range changed {
		of(id).Changed = true
	}
	for _, objects := range [2]map[status.ID]*status.Object{since.objects, w.objects} {
		for id := range objects {
			if (since.objects[id] == nil) != (w.objects[id] == nil) || !slices.Equal(since.parents[id], w.parents[id]) {
				of(id).Moved = true
			}
		}
	}
	for id, n := range maps.Clone(all) {
		for _, p := range append(slices.Clone(since.parents[id]), w.parents[id]...) {
			if n.Changed || n.Moved {
				of(p).Beneath = true
			}
		}
	}
	for _, n := range all {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b News) int { return a.ID.Compare(*b.ID) })
	return out
}

// roots are the objects that nothing else made.
func (w *world) roots(namespace string) []status.ID {
	if w.parents == nil {
		w.link()
	}
	var out []status.ID
	for _, o := range w.order {
		switch o.Kind {
		case "Endpoints", "ControllerRevision", "Namespace", "EndpointSlice":
			continue
		}
		if o.Namespace == namespace && len(w.parents[o.ID]) == 0 {
			out = append(out, o.ID)
		}
	}
	return out
}

// sharedDir finds the recordings beside the repository, or skips the test.
func sharedDir(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
	p := filepath.Join(filepath.Dir(dir), "shared", name)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("%s is not there", filepath.Join("..", "shared", name))
	}
	return p
}

// load adds the items of a recorded List.
func (w *world) load(t testing.TB, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	for _, i := range list.Items {
		w.add(t, i)
	}
}
