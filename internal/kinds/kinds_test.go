package kinds

import (
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func replicaSet(name, revision string, created int64) *object.Object {
	o := &object.Object{ID: object.ID{Group: "apps", Kind: "ReplicaSet", Name: name}, Created: time.Unix(created, 0)}
	o.Workload = &object.Workload{Revision: revision}
	return o
}

func TestTheNewestReplicaSetHasTheHighestRevision(t *testing.T) {
	pod := &object.Object{ID: object.ID{Kind: "Pod", Name: "p"}, Pod: &object.Pod{}}
	for _, c := range []struct {
		want     string
		children []*object.Object
	}{
		{"", nil},
		{"", []*object.Object{nil, pod}},
		{"b", []*object.Object{replicaSet("a", "9", 3), replicaSet("b", "10", 1), pod}},     // numbers, not texts
		{"b", []*object.Object{replicaSet("a", "", 1), replicaSet("b", "", 2)}},             // neither has a revision yet
		{"a", []*object.Object{replicaSet("a", "3", 1), replicaSet("b", "2", 2), pod, nil}}, // after an undo
	} {
		got := NewestReplicaSet(slices.Values(c.children))
		if (got == nil) != (c.want == "") || got != nil && got.Name != c.want {
			t.Errorf("of %v the newest is %v, want %q", c.children, got, c.want)
		}
	}
}

func TestOrdinalsBeginAtTheStartOfTheStatefulSet(t *testing.T) {
	o := OrdinalsOf(&object.Workload{Replicas: object.IntOf(2), Start: object.IntOf(5)})
	for n, want := range map[int64]bool{0: false, 4: false, 5: true, 6: true, 7: false} {
		if o.Has(n) != want {
			t.Errorf("ordinal %d of %v: %v", n, o, !want)
		}
	}
	if o := OrdinalsOf(&object.Workload{}); o != (Ordinals{0, 1}) {
		t.Errorf("a StatefulSet that does not say how many has %v, want one", o)
	}
	for name, want := range map[string]int64{"web-0": 0, "web-12": 12, "web-": -1, "web--1": -1, "web-x": -1, "web": -1, "web-a-1": -1, "other-1": -1} {
		n, ok := Ordinal(name, "web")
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("the ordinal of %s is %d, want %d", name, n, want)
		}
	}
}

// slice is an EndpointSlice of Pods; a name with "+" is ready, with "-" terminating,
// with "~" terminating and served.
func endpoints(kind string, pods ...string) *object.Object {
	o := &object.Object{ID: object.ID{Kind: kind, Name: "s"}, Endpoints: &object.Endpoints{}}
	for _, name := range pods {
		e := object.Endpoint{Target: object.ID{Kind: "Pod", Name: name[:len(name)-1]}}
		switch name[len(name)-1] {
		case '+':
			e.Ready, e.Serving = true, true
		case '-':
			e.Terminating = true
		case '~':
			e.Terminating, e.Serving = true, true
		}
		o.Endpoints.Endpoints = append(o.Endpoints.Endpoints, e)
	}
	return o
}

func TestAPodIsOneEndpoint(t *testing.T) {
	for _, c := range []struct {
		name                               string
		ready, notReady, terminating, live int
		children                           []*object.Object
	}{
		{"none", 0, 0, 0, 0, nil},
		{"two address families", 1, 1, 0, 2, []*object.Object{endpoints("EndpointSlice", "a+", "b."), endpoints("EndpointSlice", "a+", "b.")}},
		{"moved between two slices", 1, 0, 0, 1, []*object.Object{endpoints("EndpointSlice", "a."), endpoints("EndpointSlice", "a+")}},
		{"the slices go before the Endpoints", 1, 0, 0, 1, []*object.Object{endpoints("Endpoints", "b+"), nil, endpoints("EndpointSlice", "a+")}},
		{"no slices", 1, 0, 0, 1, []*object.Object{endpoints("Endpoints", "b+")}},
		{"about to end", 0, 0, 2, 1, []*object.Object{endpoints("EndpointSlice", "a-", "b~")}},
	} {
		got := EndpointsOf(slices.Values(c.children))
		if len(got.Ready) != c.ready || len(got.NotReady) != c.notReady || len(got.Terminating) != c.terminating || got.Live() != c.live {
			t.Errorf("%s: %+v, %d live", c.name, got, got.Live())
		}
	}
	outside := endpoints("EndpointSlice", "a+", "b+")
	outside.Endpoints.Endpoints[0].Target, outside.Endpoints.Endpoints[1].Target = object.ID{}, object.ID{}
	if got := EndpointsOf(slices.Values([]*object.Object{outside})); len(got.Ready) != 2 {
		t.Errorf("of two addresses without a Pod %d count", len(got.Ready))
	}
}

func TestOnlyPodsThatCanGetAnAddressAreSelectable(t *testing.T) {
	pod := func(phase string, deleted time.Time) *object.Object {
		return &object.Object{ID: object.ID{Kind: "Pod"}, Deleted: deleted, Pod: &object.Pod{Phase: phase}}
	}
	for _, c := range []struct {
		o    *object.Object
		want bool
	}{
		{pod("Pending", time.Time{}), true},
		{pod("Running", time.Time{}), true},
		{pod("Running", time.Unix(1, 0)), false},
		{pod("Succeeded", time.Time{}), false},
		{pod("Failed", time.Time{}), false},
		{&object.Object{}, false},
	} {
		if Selectable(c.o) != c.want {
			t.Errorf("%+v: %v", c.o, !c.want)
		}
	}
}

func TestPodsRunToAnEndByTheirOwner(t *testing.T) {
	for _, c := range []struct {
		policy, owner string
		always        bool // a container's own restartPolicy
		want          bool
	}{
		{"Always", "", false, false},
		{"", "", false, false},
		{"Never", "", false, true},
		{"OnFailure", "", false, true},
		{"Never", "Job", false, true},
		{"OnFailure", "Job", false, true},
		{"Never", "Workflow", false, true},
		{"Never", "TaskRun", false, true},
		{"Never", "PipelineRun", false, true},
		{"Never", "SparkApplication", false, true},
		{"Never", "PyTorchJob", false, true},
		{"Never", "ArangoDeployment", false, false},
		{"Never", "NifiCluster", false, false},
		{"OnFailure", "Pod", false, false},
		{"Never", "Job", true, false},
		{"Never", "", true, false},
	} {
		o := &object.Object{ID: object.ID{Kind: "Pod"}, Pod: &object.Pod{PodTemplate: &object.PodTemplate{RestartPolicy: c.policy}}}
		o.Pod.Containers = []object.Container{{ContainerSpec: &object.ContainerSpec{Always: c.always}}}
		if c.owner != "" {
			o.Owners = []object.Owner{{Kind: "Other"}, {Kind: c.owner, Controller: true}}
		}
		if RunsToEnd(o) != c.want {
			t.Errorf("%+v: %v", c, !c.want)
		}
	}
}

func TestAContainersOwnPolicyGoesBeforeThePods(t *testing.T) {
	for _, c := range []struct {
		policy        string
		kind          object.ContainerKind
		always, again bool
		ok, failed    bool // what the kubelet does after each end
	}{
		{"Always", object.MainContainer, false, false, true, true},
		{"OnFailure", object.MainContainer, false, false, false, true},
		{"Never", object.MainContainer, false, false, false, false},
		{"Never", object.MainContainer, true, true, true, true},
		{"Never", object.MainContainer, false, true, false, true},
		{"Never", object.SidecarContainer, false, false, true, true},
	} {
		p := &object.Pod{PodTemplate: &object.PodTemplate{RestartPolicy: c.policy}}
		x := &object.Container{ContainerSpec: &object.ContainerSpec{Kind: c.kind, Always: c.always, Again: c.again}}
		if RestartsAfter(p, x, false) != c.ok || RestartsAfter(p, x, true) != c.failed {
			t.Errorf("%+v: %v, %v", c, RestartsAfter(p, x, false), RestartsAfter(p, x, true))
		}
	}
}

func TestAServiceWaitsForAnAddressByItsType(t *testing.T) {
	for _, c := range []struct {
		s    object.Service
		want bool
	}{
		{object.Service{Type: "LoadBalancer"}, true},
		{object.Service{Type: "LoadBalancer", ExternalIPs: 1}, false},
		{object.Service{Type: "LoadBalancer", Ingress: []string{"1.2.3.4"}}, false},
		{object.Service{Type: "ClusterIP"}, false},
	} {
		if AwaitsLoadBalancer(&c.s) != c.want {
			t.Errorf("%+v: %v", c.s, !c.want)
		}
	}
	o := &object.Object{Tree: map[string]any{"status": map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"hostname": ""}, map[string]any{"ip": "::1"}}}}}}
	if got, answered := IngressAddress(o); got != "::1" || !answered {
		t.Errorf("the address is %q, answered %t", got, answered)
	}
	if got, answered := IngressAddress(&object.Object{}); got != "" || answered {
		t.Errorf("the address is %q, answered %t", got, answered)
	}
}

func TestPausedReadsTheFieldOfEachKind(t *testing.T) {
	tree := func(field string, v any) *object.Object {
		return &object.Object{Tree: map[string]any{"spec": map[string]any{field: v}}}
	}
	for _, c := range []struct {
		o    *object.Object
		want string
	}{
		{&object.Object{Workload: &object.Workload{Paused: true}}, "spec.paused"},
		{&object.Object{Workload: &object.Workload{}}, ""},
		{&object.Object{Job: &object.Job{Suspend: true}}, "spec.suspend"},
		{&object.Object{CronJob: &object.CronJob{Suspend: true}}, "spec.suspend"},
		{tree("suspend", true), "spec.suspend"},
		{tree("paused", true), "spec.paused"},
		{tree("paused", false), ""},
		{tree("paused", "true"), ""},
		{tree("stopped", true), ""},
	} {
		if got := Paused(c.o); got != c.want {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
}

func TestAnObstacleLastsUntilItsEndIsReported(t *testing.T) {
	now := time.Unix(10_000, 0)
	ev := func(reason string, ago, lasted time.Duration) object.Event {
		return object.Event{Reason: reason, Type: "Warning", Count: 2, First: now.Add(-ago - lasted), Last: now.Add(-ago)}
	}
	noClass := ev("ProvisioningFailed", time.Minute, time.Minute)
	noClass.Message = `storageclass.storage.k8s.io "fast" not found`
	for _, c := range []struct {
		name, kind string
		newest     time.Duration // how long ago its last Pod was made; 0 is never
		events     []object.Event
		began      time.Duration // how long ago; 0 means that there is no obstacle
	}{
		{"refused", "StatefulSet", 0, []object.Event{ev("FailedCreate", time.Minute, time.Hour)}, 61 * time.Minute},
		{"since the last success", "StatefulSet", 0, []object.Event{ev("FailedCreate", time.Minute, time.Hour), ev("SuccessfulCreate", 5*time.Minute, 0)}, 5 * time.Minute},
		{"a success since", "StatefulSet", 0, []object.Event{ev("FailedCreate", time.Minute, time.Hour), ev("SuccessfulCreate", time.Second, 0)}, 0},
		{"a Pod was made since", "StatefulSet", time.Second, []object.Event{ev("FailedCreate", time.Minute, time.Hour)}, 0},
		{"long ago", "StatefulSet", 0, []object.Event{ev("FailedCreate", 20*time.Minute, time.Hour)}, 0},
		{"the reason of another kind", "Service", 0, []object.Event{ev("FailedCreate", time.Minute, time.Hour)}, 0},
		{"another kind", "ConfigMap", 0, []object.Event{ev("FailedCreate", time.Minute, time.Hour)}, 0},
		{"the node has no network", "Pod", 0, []object.Event{ev("NetworkNotReady", time.Minute, time.Minute)}, 2 * time.Minute},
		{"MetalLB has no address", "Service", 0, []object.Event{ev("AllocationFailed", time.Minute, time.Minute)}, 2 * time.Minute},
		{"MetalLB has found one", "Service", 0, []object.Event{ev("AllocationFailed", time.Minute, time.Minute), ev("IPAllocated", time.Second, 0)}, 0},
		{"another attempt of the provisioner", "PersistentVolumeClaim", 0, []object.Event{ev("ProvisioningFailed", time.Minute, time.Minute), ev("Provisioning", time.Second, 0)}, 2 * time.Minute},
		{"the provisioner is asked, so its class exists", "PersistentVolumeClaim", 0, []object.Event{noClass, ev("ExternalProvisioning", time.Second, 0)}, 0},
		{"attached, not mounted", "Pod", 0, []object.Event{ev("FailedAttachVolume", 3*time.Minute, 0), ev("SuccessfulAttachVolume", 2*time.Minute, 0), ev("FailedMount", time.Minute, time.Minute)}, 2 * time.Minute},
	} {
		var newest time.Time
		if c.newest != 0 {
			newest = now.Add(-c.newest)
		}
		_, began, _, ok := Obstructed(&object.Object{ID: object.ID{Kind: c.kind}}, c.events, newest, now)
		if ok != (c.began != 0) || ok && now.Sub(began) != c.began {
			t.Errorf("%s: %v, since %s", c.name, ok, now.Sub(began))
		}
	}
}

func TestBackendsOfAnIngressAreListed(t *testing.T) {
	backend := func(name string, port map[string]any) map[string]any {
		return map[string]any{"service": map[string]any{"name": name, "port": port}}
	}
	o := &object.Object{Tree: map[string]any{"spec": map[string]any{
		"defaultBackend": backend("rest", map[string]any{"name": "http"}),
		"rules": []any{map[string]any{"http": map[string]any{"paths": []any{
			map[string]any{"backend": backend("web", map[string]any{"number": int64(80)})},
			map[string]any{"backend": backend("redirect", map[string]any{"name": "use-annotation"})},
			map[string]any{"backend": map[string]any{"resource": map[string]any{"kind": "Bucket", "name": "b"}}},
			map[string]any{"backend": map[string]any{"serviceName": "old", "servicePort": int64(8080)}},
		}}}},
	}}}
	const paths = "spec.rules[0].http.paths"
	want := []Backend{
		{"rest", "http", "spec.defaultBackend.service", "spec.defaultBackend.service.name", "spec.defaultBackend.service.port.name"},
		{"web", "80", paths + "[0].backend.service", paths + "[0].backend.service.name", paths + "[0].backend.service.port.number"},
		{"old", "8080", paths + "[3].backend", paths + "[3].backend.serviceName", paths + "[3].backend.servicePort"},
	}
	if got := IngressBackends(o); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	s := &object.Service{Ports: []object.Port{{Name: "http", Number: 8080}}}
	for port, want := range map[string]bool{"": true, "http": true, "8080": true, "80": false, "web": false} {
		if HasPort(s, port) != want {
			t.Errorf("port %q: %v", port, !want)
		}
	}
}

// TestAnObstacleEndsWithALaterSuccess tells an obstacle that has ended from one that lasts.
func TestAnObstacleEndsWithALaterSuccess(t *testing.T) {
	pod := &object.Object{ID: object.ID{Kind: "Pod"}}
	at := func(reason string, s int) object.Event {
		return object.Event{Reason: reason, Last: time.Unix(int64(s), 0)}
	}
	fails := at("FailedAttachVolume", 10)
	for _, c := range []struct {
		events []object.Event
		want   bool
	}{
		{[]object.Event{fails, at("SuccessfulAttachVolume", 20)}, true},
		{[]object.Event{fails, at("SuccessfulAttachVolume", 5)}, false},
		{[]object.Event{fails, at("Scheduled", 20)}, false},
		{[]object.Event{fails, at("Pulling", 20)}, true},
	} {
		if got := Over(pod, fails, c.events, time.Time{}); got != c.want {
			t.Errorf("%v: %v, want %v", c.events, got, c.want)
		}
	}
	if Over(&object.Object{ID: object.ID{Kind: "Service"}}, fails, []object.Event{at("SuccessfulAttachVolume", 20)}, time.Time{}) {
		t.Error("an obstacle of a Pod is none of a Service")
	}
	job := &object.Object{ID: object.ID{Kind: "Job"}}
	for made, want := range map[int64]bool{5: false, 10: false, 20: true} {
		if got := Over(job, at("FailedCreate", 10), nil, time.Unix(made, 0)); got != want {
			t.Errorf("a Pod made at %d s ends a refusal at 10 s: %v", made, got)
		}
	}
}

// A controller that fails for one Pod and succeeds for another in the same second has
// still failed: status and explain decide that alike.
func TestASuccessInTheSameSecondDoesNotEndAnObstacle(t *testing.T) {
	now := time.Unix(100, 0)
	o := &object.Object{ID: object.ID{Kind: "ReplicaSet"}}
	fails := object.Event{Reason: "FailedCreate", First: now, Last: now}
	events := []object.Event{fails, {Reason: "SuccessfulCreate", First: now, Last: now}}
	if _, _, _, ok := Obstructed(o, events, time.Time{}, now); !ok || Over(o, fails, events, time.Time{}) {
		t.Errorf("obstructed %v, over %v", ok, Over(o, fails, events, time.Time{}))
	}
}

// A run whose Job could not be created is refused until a Job is created, a run is recorded or the spec changes.
// The controller tries again within milliseconds, so a Job of the same second was created afterwards.
func TestARunIsRefusedUntilAJobIsCreated(t *testing.T) {
	at := func(second int64) time.Time { return time.Unix(second, 0) }
	refused := object.Event{Reason: "FailedCreate", First: at(90), Last: at(100)}
	created := func(second int64) object.Event { return object.Event{Reason: "SuccessfulCreate", Last: at(second)} }
	for _, c := range []struct {
		name   string
		job    object.CronJob
		events []object.Event
		newest time.Time
		want   bool
	}{
		{"nothing has come since", object.CronJob{LastSchedule: at(50)}, []object.Event{created(50), refused}, at(50), true},
		{"no run was ever made", object.CronJob{}, []object.Event{refused}, time.Time{}, true},
		{"no event", object.CronJob{}, nil, time.Time{}, false},
		{"a Job was created in the same second", object.CronJob{LastSchedule: at(90)}, []object.Event{refused, created(100)}, time.Time{}, false},
		{"a Job is known that was created later", object.CronJob{LastSchedule: at(90)}, []object.Event{refused}, at(101), false},
		{"a later run is recorded", object.CronJob{LastSchedule: at(150)}, []object.Event{refused}, time.Time{}, false},
		{"it is suspended", object.CronJob{Suspend: true}, []object.Event{refused}, time.Time{}, false},
	} {
		cronJob := &object.Object{ID: object.ID{Group: "batch", Kind: "CronJob", Name: "c"}, CronJob: &c.job}
		if _, got := RunRefused(cronJob, c.events, c.newest); got != c.want {
			t.Errorf("%s: refused is %t, want %t", c.name, got, c.want)
		}
	}
}
