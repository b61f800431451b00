package status

import (
	"cmp"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// event is a Warning of so many times, the last so long before noon, the first a minute
// before that.
func event(reason string, ago time.Duration, times int) object.Event {
	return object.Event{UID: reason, Type: "Warning", Reason: reason, Message: "why", From: "c", Count: times, First: noon.Add(-ago - time.Minute), Last: noon.Add(-ago)}
}

func normal(reason string, ago time.Duration) object.Event {
	e := event(reason, ago, 1)
	e.Type = "Normal"
	return e
}

// A fault that only events show counts like one in a status: InProgress during its grace,
// then Failed, whichever workload it is; what was made or has succeeded since ends it.
func TestEventsAboutMissingObjectsDecide(t *testing.T) {
	const (
		sts = `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db","generation":1},"spec":{"replicas":2},"status":{"observedGeneration":1,"replicas":1,"readyReplicas":1}}`
		ds  = `{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"log","generation":1},"spec":{},"status":{"observedGeneration":1,"desiredNumberScheduled":2,"currentNumberScheduled":1}}`
		job = `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{},"status":{"startTime":"2026-01-02T11:00:00Z"}}`
		rs  = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r","generation":1},"spec":{"replicas":2},"status":{"observedGeneration":1,"replicas":1}}`
		pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","creationTimestamp":"2026-01-02T11:00:00Z"},"spec":{"nodeName":"n","containers":[{"name":"a"}]},"status":{"phase":"Pending","containerStatuses":[{"name":"a","state":{"waiting":{"reason":"ContainerCreating"}}}]}}`
		lb  = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","uid":"u"},"spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1"}}`
		pvc = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"d"},"spec":{"storageClassName":"x"},"status":{"phase":"Pending"}}`
		big = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"no","lastTransitionTime":"2026-01-02T11:50:00Z"}]}}`
	)
	made := child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"db-1","creationTimestamp":"2026-01-02T11:59:50Z"},"status":{"phase":"Pending"}}`, Assessment{Status: InProgress})
	for name, c := range map[string]struct {
		o        string
		events   []object.Event
		children []Child
		want     string
	}{
		"a StatefulSet whose Pods are refused":     {sts, []object.Event{event("FailedCreate", 0, 9)}, nil, "Failed FailedCreate events recheck=20m0s"},
		"within the grace":                         {sts, []object.Event{{Reason: "FailedCreate", Type: "Warning", First: noon.Add(-10 * time.Second), Last: noon}}, nil, "InProgress FailedCreate events recheck=20s"},
		"one was made since":                       {sts, []object.Event{event("FailedCreate", 20*time.Second, 9)}, []Child{made}, "InProgress ReplicasMissing apps/StatefulSet.replicas"},
		"success was reported since":               {sts, []object.Event{event("FailedCreate", 20*time.Second, 9), normal("SuccessfulCreate", time.Second)}, nil, "InProgress ReplicasMissing apps/StatefulSet.replicas"},
		"success was reported before":              {sts, []object.Event{event("FailedCreate", 0, 9), normal("SuccessfulCreate", 40*time.Second)}, nil, "Failed FailedCreate events recheck=20m0s"},
		"it has not been repeated for long":        {sts, []object.Event{event("FailedCreate", 21*time.Minute, 9)}, nil, "InProgress ReplicasMissing apps/StatefulSet.replicas"},
		"another reason":                           {sts, []object.Event{event("FailedDelete", 0, 9)}, nil, "InProgress ReplicasMissing apps/StatefulSet.replicas"},
		"a DaemonSet whose Pods are refused":       {ds, []object.Event{event("FailedCreate", 0, 9)}, nil, "Failed FailedCreate events recheck=20m0s"},
		"a Job whose Pods are refused":             {job, []object.Event{event("FailedCreate", 0, 9)}, nil, "Failed FailedCreate events recheck=20m0s"},
		"a ReplicaSet whose Pods are refused":      {rs, []object.Event{event("FailedCreate", 0, 9)}, nil, "Failed FailedCreate events recheck=20m0s"},
		"a Pod whose volume cannot be mounted":     {pod, []object.Event{event("FailedMount", 0, 5)}, nil, "Failed FailedMount events recheck=20m0s"},
		"it was, and the image is pulled":          {pod, []object.Event{event("FailedMount", 10*time.Second, 5), normal("Pulling", time.Second)}, nil, "InProgress ContainerCreating Pod.starting"},
		"a Pod whose volume cannot be attached":    {pod, []object.Event{event("FailedAttachVolume", 0, 1)}, nil, "Failed FailedAttachVolume events recheck=20m0s"},
		"it was attached":                          {pod, []object.Event{event("FailedAttachVolume", 10*time.Second, 1), normal("SuccessfulAttachVolume", time.Second)}, nil, "InProgress ContainerCreating Pod.starting"},
		"a Service whose load balancer is refused": {lb, []object.Event{event("SyncLoadBalancerFailed", 0, 5), normal("EnsuringLoadBalancer", 0)}, nil, "Failed SyncLoadBalancerFailed events recheck=20m0s"},
		"a claim whose volume is refused":          {pvc, []object.Event{event("ProvisioningFailed", 0, 5)}, nil, "Failed ProvisioningFailed events recheck=20m0s"},
		"a Pod for which a node was ordered":       {big, []object.Event{normal("TriggeredScaleUp", 2*time.Minute)}, nil, "InProgress Unschedulable Pod.node recheck=13m0s"},
		"the node has not come":                    {big, []object.Event{normal("TriggeredScaleUp", 16*time.Minute)}, nil, "Failed Unschedulable Pod.scheduling"},
		"the autoscaler has refused one since":     {big, []object.Event{normal("TriggeredScaleUp", 2*time.Minute), normal("NotTriggerScaleUp", time.Minute)}, nil, "Failed Unschedulable Pod.scheduling"},
	} {
		a := Assess(decode(t, c.o), World{Children: c.children, Events: func() ([]object.Event, bool) { return c.events, true }}, noon)
		wantCase(t, name, a, c.want)
	}
}

// Patience is no proof: an Ingress without an address is Current after five minutes only
// if nothing speaks against it.
func TestAnIngressWithoutAnAddressIsNotCurrentWhileAFaultIsKnown(t *testing.T) {
	const began = `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"web","namespace":"shop","creationTimestamp":"2026-01-02T11:00:00Z"`
	const spec = `},"spec":{"ingressClassName":"nginx","tls":[{"secretName":"cert"}],"rules":[{"http":{"paths":[{"backend":{"service":{"name":"web","port":{"number":80}}}}]}}]}`
	service := decode(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"shop"},"spec":{"ports":[{"port":80}]}}`)
	for name, c := range map[string]struct {
		meta, status string
		missing      string // the kind that does not exist
		events       []object.Event
		unknown      bool // the events have not been read
		want         string
	}{
		"nothing speaks against it":            {want: "Current - networking.k8s.io/Ingress.no-address"},
		"its events are not known yet":         {unknown: true, want: "InProgress NoAddress networking.k8s.io/Ingress.unread"},
		"its class does not exist":             {missing: "IngressClass", want: "InProgress NoAddress networking.k8s.io/Ingress.missing | Waiting for an address; IngressClass/nginx does not exist"},
		"its certificate does not exist":       {missing: "Secret", want: "InProgress NoAddress networking.k8s.io/Ingress.missing"},
		"its backend does not exist":           {missing: "Service", want: "InProgress BackendMissing networking.k8s.io/Ingress.backend recheck=30s | its backend Service/web does not exist"},
		"nor does that of one with an address": {missing: "Service", status: `,"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}`, want: "InProgress BackendMissing networking.k8s.io/Ingress.backend recheck=30s"},
		"an address is enough for the others":  {missing: "Secret", status: `,"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}`, want: "Current - networking.k8s.io/Ingress.address"},
		"its Warning events repeat":            {events: []object.Event{event("FailedDeployModel", time.Minute, 7)}, want: "Failed FailedDeployModel networking.k8s.io/Ingress.events recheck=19m0s"},
		"one Warning was long ago":             {events: []object.Event{event("FailedDeployModel", 40*time.Minute, 7)}, want: "Current - networking.k8s.io/Ingress.no-address"},
		"a controller has set a finalizer":     {meta: `,"finalizers":["ingress.k8s.aws/resources"]`, want: "InProgress NoAddress networking.k8s.io/Ingress.takenUp"},
		"a finalizer of Kubernetes itself":     {meta: `,"finalizers":["foregroundDeletion"]`, want: "Current - networking.k8s.io/Ingress.no-address"},
		"a controller has reported an event":   {events: []object.Event{normal("Sync", time.Hour)}, want: "InProgress NoAddress networking.k8s.io/Ingress.takenUp"},
		"a controller has written its status":  {meta: `,"managedFields":[{"manager":"traefik","operation":"Update","subresource":"status","time":"2026-01-02T11:00:10Z"}]`, want: "InProgress NoAddress networking.k8s.io/Ingress.takenUp"},
	} {
		w := World{
			Events: func() ([]object.Event, bool) { return c.events, !c.unknown },
			Absent: func(id object.ID) bool { return id.Kind == c.missing },
			Lookup: func(id object.ID) *object.Object {
				if id == service.ID && c.missing != "Service" {
					return service
				}
				return nil
			},
		}
		wantCase(t, name, Assess(decode(t, began+c.meta+spec+c.status+"}"), w, noon), c.want)
	}
}

// An Ingress that names no class has a note of its own (rancher/rancher#35053): the API server would have set the
// default class.
func TestAnIngressWithoutAnAddressSaysThatItNamesNoClass(t *testing.T) {
	for name, c := range map[string]struct{ annotations, spec, want string }{
		"no class":         {want: "no address after 5m0s: it names no class, and only a controller that takes those without one serves it"},
		"a class":          {spec: `"ingressClassName":"nginx"`, want: "no address after 5m0s: its controller may be one that never reports any, or none serves its class"},
		"an annotation is": {annotations: `"kubernetes.io/ingress.class":"nginx"`, want: "no address after 5m0s: its controller may be one that never reports any, or none serves its class"},
	} {
		o := decode(t, `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"web","namespace":"shop","creationTimestamp":"2026-01-02T11:00:00Z","annotations":{`+c.annotations+`}},"spec":{`+c.spec+`}}`)
		if a := Assess(o, World{Events: func() ([]object.Event, bool) { return nil, true }}, noon); a.Status != Current || a.Note != c.want {
			t.Errorf("%s: %s (%s)", name, a.Status, a.Note)
		}
	}
}

// What the rule of a built-in kind calls Current is not while a condition that it does
// not read is clearly a fault.
func TestAConditionThatTheRuleDoesNotReadCounts(t *testing.T) {
	for name, c := range map[string]struct{ o, want string }{
		"a load balancer's ports":           {`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1"},"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]},"conditions":[{"type":"LoadBalancerPortsError","status":"True","reason":"PortsNotServed","lastTransitionTime":"2026-01-02T11:00:00Z"}]}}`, "Failed PortsNotServed convention.abnormal-true convention"},
		"they are well":                     {`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1"},"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]},"conditions":[{"type":"LoadBalancerPortsError","status":"False","reason":"Served"}]}}`, "Current - Service.ready"},
		"a node's own problem":              {`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"GPUFailure","status":"True","reason":"XidError","message":"GPU 3 has fallen off the bus","lastTransitionTime":"2026-01-02T11:00:00Z"}]}}`, "Failed XidError convention.abnormal-true convention"},
		"a problem that its row only notes": {`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"KernelDeadlock","status":"True","reason":"DockerHung"}]}}`, "Current - Node.current"},
		"a Pod's own conditions":            {`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"},{"type":"DisruptionTarget","status":"True","reason":"EvictionByEvictionAPI"}]}}`, "Current - Pod.ready"},
	} {
		wantCase(t, name, Assess(decode(t, c.o), World{}, noon), c.want)
	}
}

// The deduction names the rule of the kind also where another decided before it.
func TestARuleThatWasNotReachedIsNamed(t *testing.T) {
	for o, want := range map[string]Step{
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":2},"status":{"observedGeneration":1}}`:     {Rule: "apps/Deployment", Found: "not reached: generation.observed"},
		`{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"deletionTimestamp":"2026-01-02T11:00:00Z"}}`: {Rule: "registry:argoproj.io/Rollout", Found: "not reached: deletion"},
		`{"apiVersion":"x.io/v1","kind":"Any","metadata":{"deletionTimestamp":"2026-01-02T11:00:00Z"}}`:                  {Rule: "conventions", Found: "not reached: deletion"},
	} {
		steps := Explain(decode(t, o), World{}, noon)
		found := false
		for _, s := range steps {
			found = found || s.Rule == want.Rule && s.Found == want.Found
		}
		if !found {
			t.Errorf("%s: no step %+v in %+v", o, want, steps)
		}
	}
}

// A CronJob whose schedule its controller cannot read starts no run, until its spec is
// changed. Of an older fault of that kind a run is the proof that it has passed.
func TestACronJobWhoseScheduleIsRefusedIsFailed(t *testing.T) {
	cron := `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"c","uid":"c"},"spec":{"schedule":"often"}}`
	for name, c := range map[string]struct {
		o      string
		events []object.Event
		want   string
	}{
		"its schedule":          {cron, []object.Event{event("UnparseableSchedule", 0, 1)}, "Failed UnparseableSchedule batch/CronJob.schedule"},
		"its time zone":         {cron, []object.Event{event("UnknownTimeZone", 0, 1)}, "Failed UnknownTimeZone batch/CronJob.schedule"},
		"within the grace":      {cron, []object.Event{{Reason: "InvalidSchedule", Type: "Warning", First: noon.Add(-10 * time.Second), Last: noon}}, "InProgress InvalidSchedule batch/CronJob.schedule"},
		"what it catches up on": {cron, []object.Event{event("TooManyMissedTimes", 0, 1)}, "Current - batch/CronJob.scheduled"},
		"it ran since": {
			`{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"c"},"status":{"lastScheduleTime":"2026-01-02T12:00:00Z","lastSuccessfulTime":"2026-01-02T12:00:00Z"}}`,
			[]object.Event{event("UnparseableSchedule", time.Minute, 1)},
			"Current - batch/CronJob.scheduled",
		},
		"it is suspended": {`{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"c"},"spec":{"suspend":true}}`, []object.Event{event("UnparseableSchedule", 0, 1)}, "Current Suspended batch/CronJob.suspended"},
	} {
		a := Assess(decode(t, c.o), World{ChildrenKnown: true, Events: func() ([]object.Event, bool) { return c.events, true }}, noon)
		if got := string(a.Status) + " " + cmp.Or(a.Reason, "-") + " " + a.Rule; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
