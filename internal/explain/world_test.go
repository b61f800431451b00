package explain

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/logline"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// world is a snapshot made of decoded objects, as the model would offer it.
type world struct {
	now      time.Time
	objects  map[object.ID]*object.Object
	raw      map[object.ID]map[string]any // the same as they were written
	order    []*object.Object
	events   map[object.ID][]object.Event
	children map[object.ID][]*object.Object
	parents  map[object.ID][]object.ID
	members  map[object.ID]object.ID // to the roots of the inventories that list them
	absent   map[object.ID]bool
	complete map[object.ID]bool // kinds of which everything is known
	hidden   map[string]string
	logs     map[string]string
	logged   map[string][]logline.Line
	template map[object.ID]Template
	respecs  map[object.ID][]Change
	lost     map[object.ID]int // how often it stopped being Current
	written  map[object.ID]int // how often its spec was changed
	gone     map[object.ID]time.Time
	trouble  map[string]string // by kind
	judged   map[object.ID]status.Assessment
	given    map[object.ID]status.Assessment // by the case, whatever we would judge
	// readsEvents are those whose judgement depends on their events.
	readsEvents map[object.ID]bool
	looked      map[object.ID][]object.ID // what their judgements look up
	manifest    []string
}

func newWorld(now time.Time) *world {
	return &world{
		now: now, objects: map[object.ID]*object.Object{},
		raw: map[object.ID]map[string]any{}, events: map[object.ID][]object.Event{},
		members: map[object.ID]object.ID{}, absent: map[object.ID]bool{},
		complete: map[object.ID]bool{}, hidden: map[string]string{},
		logs: map[string]string{}, logged: map[string][]logline.Line{}, template: map[object.ID]Template{}, respecs: map[object.ID][]Change{}, lost: map[object.ID]int{}, written: map[object.ID]int{}, gone: map[object.ID]time.Time{}, trouble: map[string]string{}, judged: map[object.ID]status.Assessment{}, given: map[object.ID]status.Assessment{}, readsEvents: map[object.ID]bool{}, looked: map[object.ID][]object.ID{},
	}
}

// add decodes one item of a List, and returns it unless it is an event.
func (w *world) add(t testing.TB, raw []byte) *object.Object {
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
		Source         struct{ Component string }
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
		o, err := convert.JSON(raw, convert.Options{})
		if err != nil {
			t.Fatalf("decode: %v\n%s", err, raw)
		}
		w.put(o)
		var m map[string]any
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		w.raw[o.ID] = m
		return o
	}
	about := object.ID{Kind: head.InvolvedObject.Kind, Namespace: head.InvolvedObject.Namespace, Name: head.InvolvedObject.Name}
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
	e := object.Event{
		UID: head.Metadata.UID, About: about, AboutUID: head.InvolvedObject.UID, Field: head.InvolvedObject.FieldPath,
		Type: head.Type, Reason: head.Reason, Message: head.Message, From: head.Source.Component, Count: head.Count,
		First: first(head.EventTime, head.FirstTimestamp, head.Metadata.CreationTimestamp),
		Last:  first(head.LastTimestamp, head.EventTime, head.FirstTimestamp, head.Metadata.CreationTimestamp),
	}
	if head.Series != nil {
		e.Last = first(head.Series.LastObservedTime, e.Last)
	}
	w.events[about] = append(w.events[about], e)
	return nil
}

func (w *world) put(o *object.Object) {
	if w.objects[o.ID] == nil {
		w.order = append(w.order, o)
	} else {
		w.order = slices.DeleteFunc(w.order, func(x *object.Object) bool { return x.ID == o.ID })
		w.order = append(w.order, o)
	}
	w.objects[o.ID] = o
}

func (w *world) link() {
	w.children, w.parents = map[object.ID][]*object.Object{}, map[object.ID][]object.ID{}
	offers := map[string][]*object.Object{}
	for _, o := range w.order {
		for _, k := range edges.Offers(o, nil) {
			offers[k] = append(offers[k], o)
		}
	}
	for _, c := range w.order {
		var up []*object.Object
		for _, k := range edges.Refers(c, nil) {
			for _, p := range offers[k] {
				if p != c && edges.IsChild(p, c) && !slices.Contains(up, p) {
					up = append(up, p)
				}
			}
		}
		slices.SortStableFunc(up, func(a, b *object.Object) int { return weight(c, a) - weight(c, b) })
		for _, p := range up {
			w.parents[c.ID] = append(w.parents[c.ID], p.ID)
			w.children[p.ID] = append(w.children[p.ID], c)
		}
	}
	w.enlist()
}

// enlist puts the members of inventories under their roots.
func (w *world) enlist() {
	for member, root := range w.members {
		w.parents[member] = append([]object.ID{root}, w.parents[member]...)
		if o := w.objects[member]; o != nil {
			w.children[root] = append(w.children[root], o)
		}
	}
}

// weight puts the controller first.
func weight(c, p *object.Object) int {
	if o, ok := c.Controller(); ok && o.UID == p.UID {
		return 0
	}
	return 1
}

// judge assesses every object with its children, the deepest first.
func (w *world) judge() {
	var judge func(o *object.Object, depth int) status.Assessment
	judge = func(o *object.Object, depth int) status.Assessment {
		given, fixed := w.given[o.ID]
		if a, ok := w.judged[o.ID]; ok || depth > 8 {
			return a
		}
		w.judged[o.ID] = given // a cycle ends here
		known := status.World{
			ChildrenKnown: true, FirstSeen: o.Created, Lookup: func(id object.ID) *object.Object {
				w.looked[o.ID] = append(w.looked[o.ID], id)
				return w.objects[id]
			},
			Absent: func(id object.ID) bool { return w.absent[id] },
			Events: func() ([]object.Event, bool) {
				w.readsEvents[o.ID] = true
				return w.events[o.ID], true
			},
			Judged: func(id object.ID) (status.Assessment, bool) {
				other := w.objects[id]
				if other == nil {
					return status.Assessment{}, false
				}
				return judge(other, depth+1), true
			},
		}
		for _, c := range w.children[o.ID] {
			known.Children = append(known.Children, status.Child{Object: c, Assessment: judge(c, depth+1)})
		}
		a := status.Assess(o, known, w.now)
		if fixed {
			a = given
		}
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
	kinds := map[object.ID][]*object.Object{}
	for _, o := range w.order {
		k := object.ID{Group: o.Group, Kind: o.Kind}
		kinds[k] = append(kinds[k], o)
	}
	return Snapshot{
		Walk:     w.walker(),
		Now:      w.now,
		Object:   func(id object.ID) *object.Object { return w.objects[id] },
		Absent:   func(id object.ID) bool { return w.absent[id] },
		Manifest: func(object.ID) []string { return w.manifest },
		Children: func(id object.ID) []*object.Object { return w.children[id] },
		Parents:  func(id object.ID) []object.ID { return w.parents[id] },
		Assessment: func(id object.ID) (status.Assessment, bool) {
			a, ok := w.judged[id]
			return a, ok
		},
		Events: func(id object.ID) []object.Event { return w.events[id] },
		List: func(group, kind, namespace string) (list []*object.Object, complete bool) {
			for _, o := range kinds[object.ID{Group: group, Kind: kind}] {
				if namespace == "" || o.Namespace == namespace {
					list = append(list, o)
				}
			}
			return list, w.complete[object.ID{Group: group, Kind: kind}]
		},
		AllOnNode:   func(string) bool { return w.complete[object.ID{Kind: "Pod"}] },
		Hidden:      func(_, kind, _ string) string { return w.hidden[kind] },
		ReadyLost:   func(id object.ID) (int, time.Time) { return w.lost[id], w.now.Add(-time.Minute) },
		Rewritten:   func(id object.ID) (int, time.Time) { return w.written[id], w.now.Add(-time.Minute) },
		Gone:        func(id object.ID) time.Time { return w.gone[id] },
		FirstSeen:   func(object.ID) time.Time { return time.Time{} },
		Deleted:     func(object.ID) []*object.Object { return nil },
		SpecChanges: func(id object.ID) []Change { return w.respecs[id] },
		Trouble:     func(_, kind, _ string) string { return w.trouble[kind] },
		Template: func(id object.ID) (Template, bool) {
			t, ok := w.template[id]
			return t, ok
		},
		LogLine: func(pod object.ID, container string) (string, string, bool) {
			line, ok := w.logs[pod.Name+"/"+container]
			return line, "", ok
		},
		Complaints: func(pod object.ID, container string) ([]logline.Complaint, string, bool) {
			if why := w.hidden["log"]; why != "" {
				return nil, why, true
			}
			lines, ok := w.logged[pod.Name+"/"+container]
			return logline.Complaints(lines, w.now), "", ok
		},
	}
}

// roots are the objects that nothing else made.
// place is an object in the tree, as the program's world has it.
type place struct {
	object *object.Object
	status status.Status
	kids   []*place
}

func (p *place) walk(visit func(o *object.Object, is status.Status, parent bool) bool) {
	if !visit(p.object, p.status, len(p.kids) > 0) {
		return
	}
	for _, k := range p.kids {
		k.walk(visit)
	}
}

func (w *world) walker() func(root object.ID, visit func(o *object.Object, is status.Status, parent bool) bool) {
	places := make(map[object.ID]*place, len(w.objects))
	for id, o := range w.objects {
		places[id] = &place{object: o, status: w.judged[id].Status}
	}
	for id, p := range places {
		for _, c := range w.children[id] {
			p.kids = append(p.kids, places[c.ID])
		}
	}
	return func(root object.ID, visit func(o *object.Object, is status.Status, parent bool) bool) {
		if p := places[root]; p != nil {
			p.walk(visit)
		}
	}
}

func (w *world) roots(namespace string) []object.ID {
	if w.parents == nil {
		w.link()
	}
	var out []object.ID
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
