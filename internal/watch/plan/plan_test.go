package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

var (
	deploymentKind = resolve.Builtin("apps", "Deployment")
	podKind        = resolve.Builtin("", "Pod")
	replicaSetKind = resolve.Builtin("apps", "ReplicaSet")
)

// input is a plan's input in which everything is known and allowed.
func input() Input {
	return Input{
		NotAsWhole: func(Area) bool { return false }, Partial: func(Area) bool { return false },
		Unreadable: func(Area) bool { return false },
		Keeps:      func(Spec, string) bool { return false },
		Known:      func(n edges.Need) (kube.Resource, bool) { return resolve.Builtin(n.Group, n.Kind), true },
		Found:      func(Area) []object.ID { return nil },
	}
}

// A search reads metadata, beside what others need of the area; what it has found is read by
// name, and the area where that is much.
func TestASearchReadsMetadataAndThenTheObjectsItFinds(t *testing.T) {
	found := func(n int) func(Area) []object.ID {
		return func(Area) (out []object.ID) {
			for i := range n {
				out = append(out, object.ID{Kind: "Pod", Namespace: "ns", Name: fmt.Sprint("p", i)})
			}
			return out
		}
	}
	search := podsOf("ns")
	search.Search = true
	for _, c := range []struct {
		name  string
		needs []edges.Need
		found int
		want  []string
	}{
		{"nothing yet", []edges.Need{search}, 0, []string{"pods -n ns (owners)"}},
		{"two", []edges.Need{search, search}, 2, []string{"pods -n ns (owners)", "pods -n ns p0 (children)", "pods -n ns p1 (children)"}},
		{"beside a selector", []edges.Need{podsOf("ns", "app", "web"), search}, 1, []string{"pods -n ns -l app=web (children)", "pods -n ns (owners)", "pods -n ns p0 (children)"}},
		{"beside all of them", []edges.Need{podsOf("ns"), search}, 1, []string{"pods -n ns (children)"}},
		{"many", []edges.Need{search}, foundMost + 1, []string{"pods -n ns (children)"}},
	} {
		in := input()
		in.Needs, in.Found = c.needs, found(c.found)
		if diff := cmp.Diff(c.want, keys(Make(in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	// Too many streams are never merged into one that would take metadata for objects.
	in := input()
	for i := range Budget + 5 {
		n := search
		n.Namespace = fmt.Sprint("ns", i)
		in.Needs = append(in.Needs, n)
	}
	for _, s := range Make(in) {
		if s.Resource.Enc == kube.Metadata && s.Role != Search {
			t.Fatalf("%+v reads metadata and does not search", s)
		}
	}
}

func want(res kube.Resource, namespace string, names ...string) (out []Spec) {
	for _, n := range names {
		out = append(out, Spec{Resource: res, Namespace: namespace, Name: n})
	}
	return out
}

// add wants names of an area.
func (in *Input) add(res kube.Resource, namespace string, names ...string) {
	for _, n := range names {
		in.Named.Add(Area{res, namespace}, n)
	}
}

func numbered(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("app-%d", i))
	}
	return out
}

func podsOf(namespace string, labels ...string) edges.Need {
	n := edges.Need{Version: "v1", Resource: "pods", Kind: "Pod", Namespace: namespace}
	for i := 0; i < len(labels); i += 2 {
		n.Selector.Match = append(n.Selector.Match, object.Label{Key: labels[i], Value: labels[i+1]})
	}
	return n
}

func keys(specs []Spec) (out []string) {
	for _, s := range specs {
		k := s.Key()
		if i := strings.Index(k, " #"); i >= 0 {
			k = k[:i] + " filtered"
		}
		out = append(out, k)
	}
	return out
}

func TestPlansWatchByNameSelectorOrNamespace(t *testing.T) {
	for _, c := range []struct {
		name string
		in   func() Input
		want []string
	}{
		{"a few names are watched one by one", func() Input {
			in := input()
			in.add(deploymentKind, "shop", "web", "api")
			return in
		}, []string{"deployments.apps -n shop web", "deployments.apps -n shop api"}},
		{"many names of a namespace are one watch", func() Input {
			in := input()
			in.add(deploymentKind, "shop", numbered(fewNames+1)...)
			return in
		}, []string{"deployments.apps -n shop filtered"}},
		{"but not when that took too many streams", func() Input {
			in := input()
			for _, ns := range []string{"a", "b", "c", "d", "e"} {
				in.add(deploymentKind, ns, numbered(fewNames)...)
			}
			return in
		}, slices.Concat(eachName("a"), eachName("b"), eachName("c"),
			eachName("d"), []string{"deployments.apps -n e filtered"})},
		{"children of more parents than selectors could name begin with them", func() Input {
			in := input()
			in.All = true
			in.add(deploymentKind, "shop", numbered(1100)...)
			in.add(resolve.BuiltinNames["services"], "shop", "web")
			return in
		}, []string{
			"deployments.apps -n shop filtered", "services -n shop web",
			"pods -n shop (children)", "replicasets.apps -n shop (children)",
		}},
		{"but not where their children are not all wanted", func() Input {
			in := input()
			in.add(deploymentKind, "shop", numbered(1100)...)
			return in
		}, []string{"deployments.apps -n shop filtered"}},
		{"nor of so few that their selectors will do", func() Input {
			in := input()
			in.All = true
			in.add(deploymentKind, "shop", numbered(500)...)
			return in
		}, []string{"deployments.apps -n shop filtered"}},
		{"a label selector is one watch, however many it selects", func() Input {
			in := input()
			in.Selections = []Spec{{Resource: deploymentKind, Namespace: "shop", Selector: "app.kubernetes.io/instance=web", Target: 1}}
			return in
		}, []string{"deployments.apps -n shop -l app.kubernetes.io/instance=web @1"}},
		{"names are what is left where the namespace is denied", func() Input {
			in := input()
			in.add(deploymentKind, "shop", numbered(6)...)
			in.NotAsWhole = func(Area) bool { return true }
			return in
		}, []string{
			"deployments.apps -n shop app-0", "deployments.apps -n shop app-1", "deployments.apps -n shop app-2",
			"deployments.apps -n shop app-3", "deployments.apps -n shop app-4", "deployments.apps -n shop app-5",
		}},
		{"a selection of the whole namespace shows its names too", func() Input {
			in := input()
			in.Selections = []Spec{{Resource: deploymentKind, Namespace: "shop", Target: 1}}
			in.add(deploymentKind, "shop", "web")
			return in
		}, []string{"deployments.apps -n shop @1"}},
		{"children by their parents' selectors", func() Input {
			in := input()
			in.Needs = []edges.Need{podsOf("shop", "app", "web"), podsOf("shop", "app", "web"), podsOf("db", "app", "pg")}
			return in
		}, []string{"pods -n db -l app=pg (children)", "pods -n shop -l app=web (children)"}},
		{"selectors of many parents become one", func() Input {
			in := input()
			for _, n := range numbered(5) {
				in.Needs = append(in.Needs, podsOf("shop", "app", n, "part-of", "shop"))
			}
			return in
		}, []string{"pods -n shop -l app in (app-0,app-1,app-2,app-3,app-4) (children)"}},
		{"selectors that have nothing in common become the namespace", func() Input {
			in := input()
			for _, n := range numbered(5) {
				in.Needs = append(in.Needs, podsOf("shop", "key-"+n, n))
			}
			return in
		}, []string{"pods -n shop (children)"}},
		{"merged selectors that are too long become the namespace", func() Input {
			in := input()
			for _, n := range numbered(2000) {
				in.Needs = append(in.Needs, podsOf("shop", "app", n))
			}
			return in
		}, []string{"pods -n shop (children)"}},
		{"parents that came one by one are merged anew when there would be too many streams", func() Input {
			in := input()
			in.Have = podsBy("app=app-0", "app=app-1", "app=app-2", "app=app-3")
			for _, n := range numbered(5) {
				in.Needs = append(in.Needs, podsOf("shop", "app", n))
			}
			return in
		}, []string{"pods -n shop -l app in (app-0,app-1,app-2,app-3,app-4) (children)"}},
		{"of streams that run the widest is kept, and not what it delivers as well", func() Input {
			in := input()
			in.Have = podsBy("app=app-1", "app in (app-0,app-1,app-2)", "app=app-0")
			in.Needs = []edges.Need{podsOf("shop", "app", "app-0"), podsOf("shop", "app", "app-1")}
			return in
		}, []string{"pods -n shop -l app in (app-0,app-1,app-2) (children)"}},
		{"but not where that were very many again and again", func() Input {
			in := input()
			in.Have = podsBy(edges.Format(object.Selector{Exprs: []object.Requirement{{Key: "app", Operator: "In", Values: numbered(mergeAnew)}}}), "app=a", "app=b", "app=c")
			for _, n := range append(numbered(mergeAnew), "a", "b", "c", "d") {
				in.Needs = append(in.Needs, podsOf("shop", "app", n))
			}
			return in
		}, []string{"pods -n shop (children)"}},
		{"before the cluster is taken, each namespace is", func() Input {
			in := input()
			for ns := range Budget / 2 {
				for _, k := range []string{"a", "b", "c", "d", "e"} {
					in.Needs = append(in.Needs, podsOf(fmt.Sprintf("ns-%02d", ns), k, "x"))
				}
			}
			return in
		}, eachWhole(Budget / 2)},
		{"what runs is kept, and only the newcomer is added", func() Input {
			in := input()
			in.Have = []Spec{{Resource: podKind, Namespace: "shop", Selector: "app in (api,web)", Role: Children}}
			in.Needs = []edges.Need{podsOf("shop", "app", "web"), podsOf("shop", "app", "new")}
			return in
		}, []string{"pods -n shop -l app in (api,web) (children)", "pods -n shop -l app=new (children)"}},
		{"what runs and covers nothing any more is closed", func() Input {
			in := input()
			in.Have = []Spec{{Resource: podKind, Namespace: "shop", Selector: "app=old", Role: Children}}
			in.Needs = []edges.Need{podsOf("shop", "app", "web")}
			return in
		}, []string{"pods -n shop -l app=web (children)"}},
		{"a namespace once watched whole stays so", func() Input {
			in := input()
			in.Have = []Spec{{Resource: podKind, Namespace: "shop", Role: Children}}
			in.Needs = []edges.Need{podsOf("shop", "app", "web")}
			return in
		}, []string{"pods -n shop (children)"}},
		{"a denied kind of children costs one source", func() Input {
			in := input()
			in.NotAsWhole = func(a Area) bool { return a.Resource == podKind }
			in.Needs = []edges.Need{podsOf("shop", "app", "web"), podsOf("shop", "x", "y")}
			return in
		}, []string{"pods -n shop (children)"}},
		{"children that a root's source delivers need no other", func() Input {
			in := input()
			in.Selections = []Spec{{Resource: podKind, Namespace: "shop", Target: 1}}
			in.Needs = []edges.Need{podsOf("shop", "app", "web")}
			return in
		}, []string{"pods -n shop @1"}},
		{"a filtered source delivers no children", func() Input {
			in := input()
			in.add(podKind, "shop", numbered(fewNames+1)...)
			in.Needs = []edges.Need{podsOf("shop", "app", "web")}
			return in
		}, []string{"pods -n shop filtered", "pods -n shop -l app=web (children)"}},
		{"too many namespaces become the cluster", func() Input {
			in := input()
			for i := range 100 {
				in.add(deploymentKind, fmt.Sprint("ns-", i), "web")
			}
			return in
		}, []string{"deployments.apps filtered"}},
		{"of many in each namespace, children take the cluster", func() Input {
			in := input()
			for i := range Budget + 1 {
				in.Needs = append(in.Needs, podsOf(fmt.Sprint("ns-", i), "app", "web"))
			}
			return in
		}, []string{"pods (children)"}},
		{"streams of a selection count for themselves", func() Input {
			in := input()
			for i := range Budget + 1 {
				in.Selections = append(in.Selections, Spec{Resource: kube.Resource{Version: "v1", Plural: fmt.Sprint("kinds", i), Namespaced: true}, Namespace: "shop", Target: 1})
			}
			in.Selections = in.Selections[:Budget]
			in.Needs = []edges.Need{podsOf("shop", "app", "web"), podsOf("db", "app", "pg")}
			return in
		}, append(eachKind(Budget), "pods -n db -l app=pg (children)", "pods -n shop -l app=web (children)")},
		{"but not where the cluster is denied", func() Input {
			in := input()
			for i := range 82 {
				in.add(deploymentKind, "ns", fmt.Sprint("web-", i))
				in.Needs = append(in.Needs, podsOf(fmt.Sprint("ns-", i), "app", "web"))
			}
			in.NotAsWhole = func(a Area) bool { return a.Namespace == "" }
			return in
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			specs := Make(c.in())
			if c.want == nil {
				if len(specs) != 83 {
					t.Errorf("%d sources", len(specs))
				}
				return
			}
			if diff := cmp.Diff(c.want, keys(specs)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func eachName(namespace string) (out []string) {
	for _, name := range numbered(fewNames) {
		out = append(out, "deployments.apps -n "+namespace+" "+name)
	}
	return out
}

func eachWhole(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("pods -n ns-%02d (children)", i))
	}
	return out
}

// podsBy are the streams of children that run.
func podsBy(selectors ...string) (out []Spec) {
	for _, s := range selectors {
		out = append(out, Spec{Resource: podKind, Namespace: "shop", Selector: s, Role: Children})
	}
	return out
}

func eachKind(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("kinds%d -n shop @1", i))
	}
	return out
}

// TestChildrenAreSoughtAsNarrowlyAsTheirParentAllows has a row for every kind of
// parent that generates something.
func TestChildrenAreSoughtAsNarrowlyAsTheirParentAllows(t *testing.T) {
	web := object.Selector{Match: []object.Label{{Key: "app", Value: "web"}}}
	workload := &object.Workload{HasSelector: true, Selector: web}
	claims := &object.Workload{HasSelector: true, Selector: web, ClaimTemplates: []string{"data"}}
	for _, c := range []struct {
		parent object.Object
		want   []string
	}{
		{object.Object{ID: object.ID{Group: "apps", Kind: "Deployment"}, Workload: workload}, []string{
			"pods -n shop -l app=web (children)", "replicasets.apps -n shop -l app=web (children)",
		}},
		{object.Object{ID: object.ID{Group: "apps", Kind: "ReplicaSet"}, Workload: workload}, []string{"pods -n shop -l app=web (children)"}},
		{object.Object{ID: object.ID{Group: "apps", Kind: "DaemonSet"}, Workload: workload}, []string{"pods -n shop -l app=web (children)"}},
		{object.Object{ID: object.ID{Kind: "ReplicationController"}, Workload: workload}, []string{"pods -n shop -l app=web (children)"}},
		{object.Object{ID: object.ID{Group: "apps", Kind: "StatefulSet"}, Workload: claims}, []string{
			"persistentvolumeclaims -n shop -l app=web (children)", "pods -n shop -l app=web (children)",
		}},
		{object.Object{ID: object.ID{Group: "batch", Kind: "Job"}, UID: "u1", Job: &object.Job{}}, []string{
			"pods -n shop -l batch.kubernetes.io/controller-uid=u1 (children)",
		}},
		{object.Object{ID: object.ID{Group: "batch", Kind: "CronJob"}}, []string{"jobs.batch -n shop (children)"}},
		{object.Object{ID: object.ID{Kind: "Service", Name: "web"}, Service: &object.Service{}}, []string{
			"endpointslices.discovery.k8s.io -n shop -l kubernetes.io/service-name=web (children)",
		}},
		{object.Object{ID: object.ID{Kind: "Service", Name: "web"}, Service: &object.Service{Selector: web}}, []string{
			"endpointslices.discovery.k8s.io -n shop -l kubernetes.io/service-name=web (children)", "pods -n shop -l app=web (children)",
		}},
		{object.Object{ID: object.ID{Kind: "Service", Name: "web"}, Service: &object.Service{Type: "ExternalName"}}, nil},
		{object.Object{ID: object.ID{Kind: "Pod"}, Pod: &object.Pod{PodTemplate: &object.PodTemplate{}}}, nil},
		{object.Object{ID: object.ID{Kind: "ConfigMap"}}, nil},
	} {
		in := input()
		c.parent.Namespace = "shop"
		in.Needs = edges.Needs(&c.parent)
		specs := Make(in)
		if diff := cmp.Diff(c.want, keys(specs)); diff != "" {
			t.Errorf("%s: %s", c.parent.GroupKind(), diff)
		}
	}
}

// TestAPlanCoversEverythingThatIsWanted checks random wishes against what the
// planned sources would deliver.
func TestAPlanCoversEverythingThatIsWanted(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		in := input()
		for range rnd.IntN(60) {
			in.add([]kube.Resource{deploymentKind, podKind, replicaSetKind}[rnd.IntN(3)],
				fmt.Sprint("ns", rnd.IntN(40)), fmt.Sprint("n", rnd.IntN(20)))
		}
		for range rnd.IntN(120) {
			in.Needs = append(in.Needs, podsOf(fmt.Sprint("ns", rnd.IntN(60)),
				fmt.Sprint("k", rnd.IntN(3)), fmt.Sprint("v", rnd.IntN(9))))
		}
		specs := Make(in)
		in.Have = specs
		again := Make(in)
		if diff := cmp.Diff(keys(specs), keys(again)); diff != "" && len(specs) <= Budget {
			t.Fatalf("seed %d: the plan does not stand:\n%s", seed, diff)
		}
		for a, names := range in.Named.Of {
			for _, name := range names {
				if !slices.ContainsFunc(specs, func(s Spec) bool { return s.Resource == a.Resource && s.Covers(a.Resource.ID(a.Namespace, name)) }) {
					t.Fatalf("seed %d: nothing shows %v %s", seed, a, name)
				}
			}
		}
		for _, n := range in.Needs {
			if !slices.ContainsFunc(specs, func(s Spec) bool {
				return s.Resource == podKind && s.Names == 0 && s.Name == "" && (s.Namespace == "" || s.Namespace == n.Namespace) &&
					(s.Selector == "" || edges.Covers(s.Selector, n.Selector))
			}) {
				t.Fatalf("seed %d: nothing shows %v", seed, n)
			}
		}
		if len(specs) > Budget {
			t.Errorf("seed %d: %d sources", seed, len(specs))
		}
	}
}

// A selector delivers only what is wanted; a namespace everything in it. The
// planner does not know how much that is, and would have to ask. Instead it
// keeps to selectors as long as few streams suffice: however many parents there
// are at once or one by one, and whatever share of the namespace their Pods
// are.
func TestNamespacesAreWatchedWholeOnlyWhereSelectorsTakeTooManyStreams(t *testing.T) {
	long := func(n int) (out []string) { // as long as names in life are
		for i := range n {
			out = append(out, fmt.Sprintf("checkout-service-%04d", i))
		}
		return out
	}
	for _, c := range []struct {
		name    string
		parents []string
		alone   bool // they come one by one
		streams int  // at most
		whole   bool
	}{
		{"one", long(1), false, 1, false},
		{"ninety at once: one selector", long(90), false, 1, false},
		{"three hundred at once: four", long(300), false, FewSelectors, false},
		{"a thousand at once", long(1000), false, 1, true},
		{"forty, one by one", long(mergeAnew), true, FewSelectors, false},
		{"a hundred, one by one", long(100), true, FewSelectors, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := input()
			again := 0 // how many parents' children have been listed again
			for i, p := range c.parents {
				in.Needs = append(in.Needs, podsOf("shop", "app", p, "tier", "x"+p))
				if !c.alone && i < len(c.parents)-1 {
					continue
				}
				specs := Make(in)
				for _, s := range specs {
					if !slices.Contains(in.Have, s) && c.alone {
						again += strings.Count(s.Selector, ",")
					}
				}
				in.Have = specs
				if len(specs) > FewSelectors {
					t.Fatalf("%d parents: %q", i+1, keys(specs))
				}
			}
			if len(in.Have) > c.streams || (in.Have[0].Selector == "") != c.whole {
				t.Errorf("%q", keys(in.Have))
			}
			if again > 6*mergeAnew {
				t.Errorf("listed again for %d parents", again)
			}
			for _, s := range in.Have {
				if len(s.Selector) > longSelector {
					t.Errorf("a selector of %d bytes", len(s.Selector))
				}
			}
		})
	}
}

// A name more, as an inventory's next member, must not list again what runs already.
func TestOneMoreNameKeepsTheSourceOfItsArea(t *testing.T) {
	area := func(names ...string) Input {
		in := input()
		in.add(deploymentKind, "shop", names...)
		return in
	}
	before := Make(area(numbered(20)...))
	again := func(names ...string) []Spec {
		in := area(names...)
		in.Have = before
		in.Keeps = func(_ Spec, name string) bool { return slices.Contains(numbered(20), name) }
		return Make(in)
	}
	if diff := cmp.Diff(append(slices.Clone(before), want(deploymentKind, "shop", "late")...), again(append(numbered(20), "late")...)); diff != "" {
		t.Errorf("one more (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, again(numbered(15)...)); diff != "" {
		t.Errorf("five less (-want +got):\n%s", diff)
	}
	if got := again(numbered(20 + fewNames + 1)...); len(got) != 1 || got[0] == before[0] {
		t.Errorf("too many more to watch one by one: %v", keys(got))
	}
	others := numbered(40)[20:]
	if got := again(others...); len(got) != 1 || got[0] == before[0] {
		t.Errorf("all others: %v", keys(got))
	}
}
