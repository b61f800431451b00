package explain

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explaintest"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// What is explained of a whole cluster is explained of one that is followed, too: nothing
// is known there but the roots, the children of what is not Current, and what explanations
// have asked for. A detector that only looks at what happens to be known finds its cause in
// a saved cluster, and nowhere else.
func TestFollowedClustersHaveTheCausesOfWholeOnes(t *testing.T) {
	cases, err := explaintest.Cases(filepath.Join("testdata", "cases"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.File+"/"+c.Name, func(t *testing.T) {
			w, roots := caseWorld(t, c)
			f := follow(w, roots)
			want, got := Explain(f.whole(), roots).Causes, f.explain().Causes
			// What a case leaves out of its cluster does not count as absent.
			described := Explain(w.snapshot(), roots).Causes
			want = slices.DeleteFunc(want, func(c Cause) bool { return len(missingCauses([]Cause{c}, described)) > 0 })
			lost := missingCauses(want, got)
			if why := onlyInWholeClusters[c.Name]; why != "" && len(lost) == 0 {
				t.Error("it is no exception any more:", why)
			} else if why == "" {
				for _, x := range lost {
					t.Errorf("the whole cluster has the cause %s; followed, it has\n%s", x, describe(got))
				}
			}
		})
	}
}

// onlyInWholeClusters are the cases whose causes are not looked for in a cluster that is followed.
var onlyInWholeClusters = map[string]string{
	"GoverningServiceMissing":                                        "nothing is asked for on behalf of a StatefulSet that is Current",
	"ServiceAddressFailed":                                           "the events of what is Current are not read",
	"an operator's Service whose owner wants no Pods":                "what a custom object that is Current has made is not looked for",
	"KindNotServed folds under the definition whose names are taken": "of the definitions only the one with the usual name is read",
}

// missingCauses are the causes of one list that another lacks, or has with less certainty.
func missingCauses(want, got []Cause) (out []string) {
	name := func(c Cause) string { return fmt.Sprintf("%s %s %s: %s", c.Code, c.Class, c.Subject.ID, c.Title) }
	certainties := []Certainty{Possible, Likely, Proven}
	for _, c := range want {
		if c.Code != codes.Progressing.Name && !slices.ContainsFunc(got, func(g Cause) bool {
			return name(g) == name(c) && slices.Index(certainties, g.Certainty) >= slices.Index(certainties, c.Certainty)
		}) {
			out = append(out, string(c.Certainty)+" "+name(c))
		}
	}
	return out
}

// followed is what a program knows of a cluster that follows some roots: what the watch side
// delivers of it (model/world, watch/refs).
type followed struct {
	*world
	roots    []object.ID
	inTree   map[object.ID]bool // the roots, and the children of what is not Current
	known    map[object.ID]bool
	listed   map[object.ID]bool // kinds, with a namespace or without
	missing  map[object.ID]bool
	eventsOf map[object.ID]bool
	onNode   map[string]bool // whose Pods are known
	lookedUp map[object.ID]*object.Object
	all      Snapshot
}

func follow(w *world, roots []object.ID) *followed {
	f := &followed{
		world: w, roots: roots, inTree: map[object.ID]bool{}, known: map[object.ID]bool{}, listed: map[object.ID]bool{},
		missing: map[object.ID]bool{}, eventsOf: map[object.ID]bool{}, onNode: map[string]bool{}, lookedUp: map[object.ID]*object.Object{}, all: w.snapshot(),
	}
	for _, id := range roots {
		f.missing[id] = w.objects[id] == nil && w.hidden[id.Kind] == ""
		f.descend(id, false)
	}
	for id := range f.inTree {
		for _, other := range w.looked[id] {
			f.deliver(inspect.Need{ID: other})
		}
	}
	return f
}

// descend follows an object, and everything below one that is not Current.
func (f *followed) descend(id object.ID, all bool) {
	o := f.objects[id]
	if o == nil || f.hidden[id.Kind] != "" || f.inTree[id] {
		return
	}
	f.inTree[id], f.known[id] = true, true
	fine := f.judged[id].Status == status.Current
	f.eventsOf[id] = !fine || f.readsEvents[id]
	if all = all || !fine || status.NeedsChildren(o); !all {
		return
	}
	for _, c := range f.children[id] {
		f.descend(c.ID, all)
	}
}

// explain explains until nothing is needed any more.
func (f *followed) explain() Explanation {
	for {
		x := Explain(f.snapshot(), f.roots)
		more := false
		for _, n := range x.Needs {
			more = f.deliver(n) || more
		}
		if !more {
			return x
		}
	}
}

// deliver fetches what is needed, as watch/refs does; false if that is nothing new.
func (f *followed) deliver(n inspect.Need) bool {
	id := n.ID
	if n.Events {
		gone := f.objects[id] == nil // its events are found by its name
		new := (f.known[id] || gone) && !f.eventsOf[id]
		f.eventsOf[id] = f.eventsOf[id] || new
		return new
	}
	cluster := explaintest.ClusterScoped[id.Kind] || slices.ContainsFunc(f.order, func(o *object.Object) bool {
		return o.Namespace == "" && o.Group == id.Group && o.Kind == id.Kind
	})
	if cluster {
		id.Namespace = ""
	}
	few := id.Kind == "DaemonSet" || strings.Contains(id.Group, ".") && !strings.HasSuffix(id.Group, ".k8s.io")
	if node, ok := strings.CutPrefix(id.Fields(), "spec.nodeName="); ok {
		if f.onNode[node] || f.hidden["Pod"] != "" {
			return false
		}
		f.onNode[node] = true
		for _, o := range f.order {
			f.known[o.ID] = f.known[o.ID] || o.Pod != nil && o.Pod.Node == node
		}
		return true
	}
	if f.hidden[id.Kind] != "" || id.Name == "" && id.Namespace == "" && !cluster && !few {
		return false // not permitted, or too much
	}
	if id.Name == "" && f.listed[id] || id.Name != "" && (f.known[id] || f.missing[id]) {
		return false
	}
	found := false
	for _, o := range f.order {
		if o.Group == id.Group && o.Kind == id.Kind && (id.Name == "" || o.Name == id.Name) && (id.Namespace == "" || o.Namespace == id.Namespace) {
			f.known[o.ID], found = true, true
		}
	}
	f.listed[id] = id.Name == ""
	f.missing[id] = id.Name != "" && !found
	if n.Namespace != "" && cluster {
		f.missing[n.ID] = f.missing[id]
	}
	return true
}

// object is an object as it is delivered.
func (f *followed) object(id object.ID) *object.Object {
	o := f.objects[id]
	if f.inTree[id] || o == nil {
		return o
	}
	if f.lookedUp[id] == nil {
		f.lookedUp[id] = new(*o)
		f.lookedUp[id].LookedUp = true
	}
	return f.lookedUp[id]
}

// snapshot is what is known now.
func (f *followed) snapshot() Snapshot {
	s := f.all
	s.Object = func(id object.ID) *object.Object {
		if !f.known[id] {
			return nil
		}
		return f.object(id)
	}
	s.Absent = func(id object.ID) bool { return f.missing[id] }
	s.Events = func(id object.ID) []object.Event {
		if !f.eventsOf[id] {
			return nil
		}
		return f.events[id]
	}
	s.Parents = func(id object.ID) (out []object.ID) {
		if f.inTree[id] || slices.Contains(f.roots, id) {
			out = slices.DeleteFunc(slices.Clone(f.parents[id]), func(p object.ID) bool { return !f.inTree[p] })
		}
		return out
	}
	s.Children = func(id object.ID) (out []*object.Object) {
		if f.inTree[id] {
			out = slices.DeleteFunc(slices.Clone(f.children[id]), func(c *object.Object) bool { return !f.inTree[c.ID] })
		}
		return out
	}
	s.Walk = func(root object.ID, visit func(o *object.Object, is status.Status, parent bool) bool) {
		f.walk(root, visit, 0)
	}
	s.AllOnNode = func(node string) bool { return f.onNode[node] }
	s.List = func(group, kind, namespace string) (items []*object.Object, complete bool) {
		items, _ = f.all.List(group, kind, namespace)
		items = slices.DeleteFunc(slices.Clone(items), func(o *object.Object) bool { return !f.known[o.ID] })
		for i, o := range items {
			items[i] = f.object(o.ID)
		}
		all := object.ID{Group: group, Kind: kind}
		one := all
		one.Namespace = namespace
		return items, f.listed[all] || f.listed[one]
	}
	return s
}

func (f *followed) walk(id object.ID, visit func(o *object.Object, is status.Status, parent bool) bool, depth int) {
	kids := f.children[id]
	if !f.inTree[id] || depth > 8 || !visit(f.objects[id], f.judged[id].Status, len(kids) > 0) {
		return
	}
	for _, c := range kids {
		f.walk(c.ID, visit, depth+1)
	}
}

// whole is a snapshot of which everything is known.
func (f *followed) whole() Snapshot {
	s := f.all
	s.Object = func(id object.ID) *object.Object {
		if f.hidden[id.Kind] != "" {
			return nil
		}
		return f.objects[id]
	}
	s.Absent = func(id object.ID) bool { return f.hidden[id.Kind] == "" && f.objects[id] == nil }
	s.AllOnNode = func(string) bool { return true }
	s.List = func(group, kind, namespace string) (items []*object.Object, complete bool) {
		if f.hidden[kind] != "" {
			return nil, false
		}
		items, _ = f.all.List(group, kind, namespace)
		return items, true
	}
	return s
}
