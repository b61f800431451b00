package edges

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func obj(group, kind, name, uid string, owners ...string) *object.Object {
	o := &object.Object{ID: object.ID{Group: group, Kind: kind, Namespace: "shop", Name: name}, UID: uid}
	for _, u := range owners {
		o.Owners = append(o.Owners, object.Owner{UID: u, Controller: true})
	}
	return o
}

func app(v string) object.Selector {
	return object.Selector{Match: []object.Label{{Key: "app", Value: v}}}
}

func TestADeploymentNeedsItsReplicaSetsAndPods(t *testing.T) {
	d := obj("apps", "Deployment", "web", "d1")
	d.Workload = &object.Workload{HasSelector: true, Selector: app("web")}
	want := []Need{
		{Group: "apps", Version: "v1", Resource: "replicasets", Kind: "ReplicaSet", Namespace: "shop", Selector: app("web")},
		{Version: "v1", Resource: "pods", Kind: "Pod", Namespace: "shop", Selector: app("web")},
	}
	if diff := cmp.Diff(want, Needs(d)); diff != "" {
		t.Error(diff)
	}
	d.Workload.HasSelector = false
	if n := Needs(d); n != nil {
		t.Errorf("a deployment without a selector needs %v", n)
	}
}

func TestTheNeedsOfAKindAreTheNeedsOfItsObjectsWithoutSelectors(t *testing.T) {
	sel := object.Selector{Match: []object.Label{{Key: "app", Value: "web"}}}
	for _, o := range []*object.Object{
		{ID: object.ID{Group: "apps", Kind: "Deployment"}, Workload: &object.Workload{HasSelector: true, Selector: sel}},
		{ID: object.ID{Group: "apps", Kind: "StatefulSet"}, Workload: &object.Workload{HasSelector: true, Selector: sel}},
		{ID: object.ID{Group: "apps", Kind: "DaemonSet"}, Workload: &object.Workload{HasSelector: true, Selector: sel}},
		{ID: object.ID{Group: "apps", Kind: "ReplicaSet"}, Workload: &object.Workload{HasSelector: true, Selector: sel}},
		{ID: object.ID{Kind: "ReplicationController"}, Workload: &object.Workload{HasSelector: true, Selector: sel}},
		{ID: object.ID{Group: "batch", Kind: "Job"}, UID: "u"},
		{ID: object.ID{Kind: "Service"}, Service: &object.Service{Type: "ClusterIP"}},
	} {
		o.Namespace, o.Name = "shop", "web"
		always := Always(o.GroupKind(), "shop")
		var got []Need
		for _, n := range Needs(o) {
			n.Selector, n.Name = object.Selector{}, ""
			got = append(got, n)
		}
		if diff := cmp.Diff(got, always); diff != "" {
			t.Errorf("%s (-needs +always):\n%s", o.GroupKind(), diff)
		}
	}
	if n := Always("ConfigMap", "shop"); n != nil {
		t.Errorf("a ConfigMap has children: %v", n)
	}
}

func TestACronJobsJobsAreSoughtInTheWholeNamespace(t *testing.T) {
	n := Needs(obj("batch", "CronJob", "backup", "c1"))
	if len(n) != 1 || !n[0].Whole() || n[0].Resource != "jobs" {
		t.Errorf("got %v", n)
	}
}

func TestChildrenAreVerifiedByUIDNotByLabels(t *testing.T) {
	rs := obj("apps", "ReplicaSet", "web-1", "r1", "d1")
	pod := obj("", "Pod", "web-1-x", "p1", "r1")
	if !IsChild(rs, pod) {
		t.Error("the pod's owner is the replica set")
	}
	again := obj("apps", "ReplicaSet", "web-1", "r2", "d1")
	if IsChild(again, pod) {
		t.Error("a recreated replica set of the same name adopted the old one's pod")
	}
	if IsChild(pod, pod) {
		t.Error("a pod is its own child")
	}
}

func TestClaimsBelongToTheStatefulSetThatNamesThem(t *testing.T) {
	db := obj("apps", "StatefulSet", "db", "s1")
	db.Workload = &object.Workload{ClaimTemplates: []string{"data"}}
	for name, want := range map[string]bool{
		"data-db-0": true, "data-db-12": true, "data-db": false, "data-db-x": false, "data-db-0-1": false, "logs-db-0": false,
	} {
		if got := IsChild(db, obj("", "PersistentVolumeClaim", name, "v-"+name)); got != want {
			t.Errorf("%s: child = %v, want %v", name, got, want)
		}
	}
}

func TestASliceStandsBetweenItsServiceAndThePodsItPointsAt(t *testing.T) {
	svc := obj("", "Service", "web", "s1")
	slice := obj("discovery.k8s.io", "EndpointSlice", "web-abc", "e1")
	slice.Endpoints = &object.Endpoints{Service: "web", Endpoints: []object.Endpoint{
		{Target: object.ID{Kind: "Pod", Namespace: "shop", Name: "web-1"}, TargetUID: "p1"},
	}}
	pod, other := obj("", "Pod", "web-1", "p1"), obj("", "Pod", "web-1", "p2")
	if !IsChild(svc, slice) || !IsChild(slice, pod) {
		t.Error("service → slice → pod does not hold")
	}
	if IsChild(slice, other) {
		t.Error("the slice points at another pod of the same name")
	}
}

func TestWithoutSlicesAServiceHasItsEndpoints(t *testing.T) {
	svc := obj("", "Service", "web", "s1")
	svc.Service = &object.Service{Selector: app("web")}
	var got []Need
	for _, n := range Needs(svc) {
		if x, ok := Instead(n); ok {
			got = append(got, x)
		}
	}
	if len(got) != 1 || got[0].Kind != "Endpoints" || got[0].Name != "web" || got[0].Namespace != "shop" || got[0].Whole() {
		t.Fatalf("instead: %+v", got)
	}
	ep := obj("", "Endpoints", "web", "e1")
	ep.Endpoints = &object.Endpoints{Service: "web"}
	if !IsChild(svc, ep) {
		t.Error("the Endpoints do not stand under their Service")
	}
}

func TestFormatIsCanonical(t *testing.T) {
	a := object.Selector{Match: []object.Label{{Key: "tier", Value: "fe"}, {Key: "app", Value: "web"}}, Exprs: []object.Requirement{
		{Key: "env", Operator: "In", Values: []string{"prod", "dev"}}, {Key: "x", Operator: "Exists"}, {Key: "y", Operator: "DoesNotExist"},
	}}
	const want = "!y,app=web,env in (dev,prod),tier=fe,x"
	if got := Format(a); got != want {
		t.Errorf("Format = %q, want %q", got, want)
	}
	if Format(object.Selector{}) != "" {
		t.Error("the empty selector is not empty")
	}
}

func TestSelectorsMatchAsInKubernetes(t *testing.T) {
	o := &object.Object{Labels: []object.Label{{Key: "app", Value: "web"}, {Key: "env", Value: "dev"}, {Key: "cores", Value: "8"}}}
	req := func(key, op string, v ...string) object.Selector {
		return object.Selector{Exprs: []object.Requirement{{Key: key, Operator: op, Values: v}}}
	}
	for _, c := range []struct {
		name string
		s    object.Selector
		want bool
	}{
		{"equal", app("web"), true},
		{"different", app("api"), false},
		{"nothing", object.Selector{}, false},
		{"in", req("env", "In", "dev", "prod"), true},
		{"not in, absent", req("zone", "NotIn", "a"), true},
		{"not in, present", req("env", "NotIn", "dev"), false},
		{"exists", req("zone", "Exists"), false},
		{"does not exist", req("zone", "DoesNotExist"), true},
		{"unknown operator", req("env", "Like", "dev"), false},
		{"greater", req("cores", "Gt", "7"), true},
		{"not greater", req("cores", "Gt", "8"), false},
		{"less", req("cores", "Lt", "9"), true},
		{"no number", req("env", "Gt", "1"), false},
		{"greater than nothing", req("zone", "Gt", "1"), false},
	} {
		if got := Selects(c.s, o); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// What is refused to a stream with the selectors of several objects is refused to each of them.
func TestAMergedSelectorCoversEachOfItsParts(t *testing.T) {
	const merged = "kubernetes.io/service-name in (api,web)"
	for name, want := range map[string]bool{"api": true, "web": true, "we": false, "api,web": false} {
		need := object.Selector{Match: []object.Label{{Key: "kubernetes.io/service-name", Value: name}}}
		if got := Covers(merged, need); got != want {
			t.Errorf("%s covers %s: %v", merged, name, got)
		}
		if !Covers(Format(need), need) {
			t.Errorf("%s does not cover itself", name)
		}
	}
	both := object.Selector{Match: []object.Label{{Key: "app", Value: "web"}, {Key: "tier", Value: "front"}}}
	if !Covers("tier in (back,front)", both) || Covers("app in (api),tier in (front)", both) {
		t.Error("a selector with another label is read wrongly")
	}
}
