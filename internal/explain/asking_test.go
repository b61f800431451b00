package explain

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explaintest"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// asking is a snapshot in which only what is followed is known at first, and then what an explanation asks for: as on a
// cluster, where nobody reads the rest.
type asking struct {
	full     inspect.Snapshot
	followed map[object.ID]bool
	asked    map[inspect.Need]bool
}

func (a *asking) listed(group, kind, namespace string) bool {
	id := object.ID{Group: group, Kind: kind, Namespace: namespace}
	return a.asked[inspect.Need{ID: id}] || namespace != "" && a.asked[inspect.Need{ID: object.ID{Group: group, Kind: kind}}]
}

func (a *asking) known(id object.ID) bool {
	if id.Namespace == "" && !a.followed[id] { // a reference does not say that its kind is cluster-scoped
		for n := range a.asked {
			if n.Group == id.Group && n.Kind == id.Kind && n.Name == id.Name && !n.Events {
				return true
			}
		}
	}
	return a.followed[id] || a.asked[inspect.Need{ID: id}] || a.listed(id.Group, id.Kind, id.Namespace)
}

func (a *asking) snapshot() inspect.Snapshot {
	s, full := a.full, a.full
	s.Object = func(id object.ID) *object.Object {
		if !a.known(id) {
			return nil
		}
		return full.Object(id)
	}
	s.Absent = func(id object.ID) bool {
		_, complete := full.List(id.Group, id.Kind, id.Namespace)
		return a.known(id) && (full.Absent(id) || complete && full.Object(id) == nil)
	}
	s.Children = func(id object.ID) []*object.Object {
		if !a.followed[id] {
			return nil
		}
		return full.Children(id)
	}
	s.Parents = func(id object.ID) []object.ID {
		if !a.followed[id] {
			return nil
		}
		return full.Parents(id)
	}
	s.Assessment = func(id object.ID) (status.Assessment, bool) {
		if !a.known(id) {
			return status.Assessment{}, false
		}
		return full.Assessment(id)
	}
	s.Events = func(id object.ID) []object.Event {
		if !a.followed[id] && !a.asked[inspect.Need{ID: id, Events: true}] {
			return nil
		}
		return full.Events(id)
	}
	s.List = func(group, kind, namespace string) (items []*object.Object, complete bool) {
		items, complete = full.List(group, kind, namespace)
		items = slices.DeleteFunc(slices.Clone(items), func(o *object.Object) bool { return !a.known(o.ID) })
		return items, complete && a.listed(group, kind, namespace)
	}
	return s
}

// onlyFollowed are cases whose cause, or a part of its title, needs objects that are known only if somebody follows them
// anyway: to ask for them would list all Pods of all namespaces, or the objects of a kind that nothing names.
var onlyFollowed = map[string]string{
	"TopologySpread: in which domains the pods are":                          "Pods of all namespaces",
	"TopologySpread: by zone, which is satisfied, and by host, which is not": "Pods of all namespaces",
	"NodeFullOfPods: which nodes":                                            "Pods of all namespaces",
	"Preempting: whom it waits for":                                          "Pods of all namespaces",
	"PodAffinity: the pod that is in the way is named":                       "Pods of all namespaces",
	"PodAffinity: the pod whose own anti-affinity keeps this one away is named, also from another node of the zone": "Pods of all namespaces",
	"Disrupted: preempted by which pod":                                                         "Pods of all namespaces",
	"DefinitionTerminating: what is left of it is named":                                        "a definition's objects in all namespaces",
	"KindNotServed folds under the definition whose names are taken":                            "definitions",
	"ReplicasContested: the autoscaler is named":                                                "autoscalers, for a remark",
	"VolumeInUse: the claim that is in use, and not the other":                                  "who mounts a claim",
	"a claim whose Pod the scheduler never sees (kubernetes/kubernetes#95767)":                  "who mounts a claim",
	"a volume has grown, and the Pod that mounts it does not see it (apecloud/kubeblocks#5711)": "who mounts a claim",
	"a probe fails because a Service does, which is the cause":                                  "a Service's EndpointSlices",
	"an init container waits for a Service by its name (kubesphere/kubesphere#158)":             "a Service's EndpointSlices",
}

// TestWhatIsFoundIsAskedFor explains each case again with nothing but what is followed and what the explanation asks
// for: a cause that reads what happens to be known holds in a saved cluster, and not on a cluster.
func TestWhatIsFoundIsAskedFor(t *testing.T) {
	cases, err := explaintest.Cases(filepath.Join("testdata", "cases"))
	if err != nil {
		t.Fatal(err)
	}
	excused := map[string]bool{}
	for _, c := range cases {
		if !slices.ContainsFunc(c.Lines, func(l explaintest.Line) bool { return l.Key == "roots" }) {
			continue // all that nothing owns is followed
		}
		w, roots := caseWorld(t, c)
		full := w.snapshot()
		want := Explain(full, roots)
		if len(want.Causes) == 0 {
			continue
		}
		got := askOnly(w, full, roots)
		if len(got.Causes) > 0 && got.Causes[0].Title == want.Causes[0].Title {
			continue
		}
		excused[c.Name] = true
		if onlyFollowed[c.Name] == "" {
			t.Errorf("%s/%s: asking only finds\n%swant\n%s", c.File, c.Name, describe(got.Causes), describe(want.Causes[:1]))
		}
	}
	for name := range onlyFollowed {
		if !excused[name] {
			t.Errorf("%s: its cause is asked for: it needs no excuse", name)
		}
	}
}

// askOnly explains roots until an explanation asks for nothing new.
func askOnly(w *world, full inspect.Snapshot, roots []object.ID) (got Explanation) {
	a := &asking{full: full, followed: map[object.ID]bool{}, asked: map[inspect.Need]bool{}}
	var follow func(id object.ID)
	follow = func(id object.ID) {
		if a.followed[id] {
			return
		}
		a.followed[id] = true
		for _, c := range full.Children(id) {
			follow(c.ID)
		}
		for member, root := range w.members {
			if root == id {
				follow(member)
			}
		}
	}
	for _, id := range roots {
		follow(id)
	}
	for known := -1; known < len(a.asked); {
		known = len(a.asked)
		got = Explain(a.snapshot(), roots)
		for _, n := range got.Needs {
			a.asked[n] = true
		}
		for _, id := range got.DependsOn {
			a.asked[inspect.Need{ID: id, Events: true}] = true
		}
	}
	return got
}
