package convert

import (
	"bytes"
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func decode(t testing.TB, data string) *object.Object {
	t.Helper()
	o, err := JSON([]byte(data), Options{})
	if err != nil {
		t.Fatalf("decode: %v\n%s", err, data)
	}
	return o
}

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

const podJSON = `{
 "apiVersion": "v1", "kind": "Pod",
 "metadata": {"name": "web-7d", "namespace": "shop", "uid": "u1", "resourceVersion": "77", "generation": 2,
  "creationTimestamp": "2026-01-02T03:04:05Z",
  "labels": {"b": "2", "a": "1"},
  "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "kubectl.kubernetes.io/restartedAt": "now", "note": "dropped"},
  "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u0", "controller": true}],
  "managedFields": [{"manager": "kubelet", "time": "2026-01-02T03:05:00Z", "fieldsV1": {"f:x": {}}}]},
 "status": {"phase": "Running", "podIP": "10.1.2.3", "startTime": "2026-01-02T03:04:06Z", "observedGeneration": 2,
  "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "line\nbreak", "lastTransitionTime": "2026-01-02T03:04:07Z", "observedGeneration": 2}],
  "containerStatuses": [
   {"name": "side", "ready": true, "restartCount": 0, "state": {"running": {"startedAt": "2026-01-02T03:04:08Z"}}},
   {"name": "app", "ready": false, "started": false, "restartCount": 3, "image": "app:1@sha", "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}},
    "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-01-02T03:04:09Z"}}}],
  "initContainerStatuses": [{"name": "mesh", "ready": true, "state": {"running": {}}}]},
 "spec": {"nodeName": "n1", "restartPolicy": "Always", "serviceAccountName": "web",
  "initContainers": [{"name": "mesh", "image": "mesh:1", "restartPolicy": "Always"}],
  "containers": [
   {"name": "app", "image": "app:1", "resources": {"limits": {"memory": "64Mi"}}, "args": ["--password=hunter2"],
    "env": [{"name": "X", "value": "hunter2"}, {"name": "Y", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": true}}}],
    "readinessProbe": {"httpGet": {"path": "/ok", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10, "failureThreshold": 3},
    "ports": [{"containerPort": 8080, "protocol": "TCP"}]},
   {"name": "side", "image": "side:1"}],
  "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "e", "ephemeral": {}}, {"name": "p", "projected": {"sources": [{"configMap": {"name": "ca"}}]}}]}}`

func TestDecodingAPodKeepsTheFieldsThatRulesRead(t *testing.T) {
	got := decode(t, podJSON)
	want := &object.Object{
		ID:      object.ID{Kind: "Pod", Namespace: "shop", Name: "web-7d"},
		Version: "v1", UID: "u1", ResourceVersion: "77",
		Generation: object.IntOf(2), Observed: object.IntOf(2),
		Created:     at("2026-01-02T03:04:05Z"),
		Changed:     at("2026-01-02T03:05:00Z"),
		Written:     at("2026-01-02T03:05:00Z"),
		Owners:      []object.Owner{{Group: "apps", Kind: "ReplicaSet", Name: "web", UID: "u0", Controller: true}},
		Labels:      []object.Label{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}},
		Annotations: []object.Label{{Key: "kubectl.kubernetes.io/restartedAt", Value: "now"}},
		Conditions: []object.Condition{{
			Statement:          &object.Statement{Type: "Ready", Status: "False", Reason: "ContainersNotReady", Message: "line⏎break", ObservedGeneration: object.IntOf(2)},
			LastTransitionTime: at("2026-01-02T03:04:07Z"),
		}},
		Pod: &object.Pod{
			Phase: "Running", Node: "n1", IP: "10.1.2.3", Started: at("2026-01-02T03:04:06Z"),
			Containers: []object.Container{
				{ContainerSpec: &object.ContainerSpec{Name: "mesh", Image: "mesh:1", Kind: object.SidecarContainer}, Ready: true, State: object.ContainerState{Kind: "running"}, Place: 1},
				{
					ContainerSpec: &object.ContainerSpec{
						Name: "app", Image: "app:1", Memory: "64Mi",
						Probes: object.Probes{Readiness: &object.Probe{What: "http :8080/ok", Period: 10, Threshold: 3}},
						Ports:  []object.Port{{Number: 8080, Protocol: "TCP"}},
					},
					Restarts: 3, Place: 2,
					State: object.ContainerState{Kind: "waiting", Reason: "CrashLoopBackOff", Message: "back-off"},
					Prior: &object.ContainerState{Kind: "terminated", Reason: "OOMKilled", ExitCode: 137, Finished: at("2026-01-02T03:04:09Z")},
				},
				{ContainerSpec: &object.ContainerSpec{Name: "side", Image: "side:1"}, Ready: true, State: object.ContainerState{Kind: "running", Started: at("2026-01-02T03:04:08Z")}, Place: 1},
			},
			PodTemplate: &object.PodTemplate{RestartPolicy: "Always", ServiceAccount: "web", Uses: []object.Use{
				{Kind: "Secret", Name: "s", Key: "k", Optional: true},
				{Kind: "PersistentVolumeClaim", Name: "data"},
				{Kind: "PersistentVolumeClaim", Name: "web-7d-e"},
				{Kind: "ConfigMap", Name: "ca"},
			}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWordsAreSharedBetweenObjects(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection forgets words: its objects' copies stay, new ones share a new copy
	node := func() *byte {
		o, err := JSON([]byte(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"nodeName": "node-1"}}`), optionsFor("Pod"))
		if err != nil {
			t.Fatal(err)
		}
		return unsafe.StringData(o.Pod.Node)
	}
	if a, b := node(), node(); a != b {
		t.Error("two Pods of one node keep its name twice")
	}
}

func TestAPodWithoutANodeKeepsTheFieldsForScheduling(t *testing.T) {
	const spec = `"tolerations":[{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],
	 "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}},
	  "podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{},"topologyKey":"host"}]}},
	 "nodeSelector":{"disk":"ssd"},"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"},{"whenUnsatisfiable":"ScheduleAnyway"}],
	 "schedulerName":"s","schedulingGates":[{"name":"g"}],"overhead":{"cpu":"10m"},
	 "initContainers":[{"name":"i","resources":{"requests":{"cpu":"2","memory":"1Mi"}}},{"name":"s","restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}}],
	 "containers":[{"name":"c","ports":[{"hostPort":80,"containerPort":8080}],"resources":{"requests":{"cpu":"0.5","memory":"1.5Gi"}}}]`
	got := decode(t, `{"apiVersion":"v1","kind":"Pod","spec":{`+spec+`}}`).Pod
	want := &object.Pod{
		PodTemplate: &object.PodTemplate{
			Scheduler: "s", Gates: []string{"g"}, EvictAfter: object.IntOf(300), HostPorts: []object.Port{{Number: 80}},
			Requests:     []object.Amount{{Name: "cpu", Milli: 2010}, {Name: "memory", Milli: 1610612736000}},
			AntiAffinity: []object.PodTerm{{AnySelector: true, TopologyKey: "host"}},
		},
		Containers: []object.Container{
			{ContainerSpec: &object.ContainerSpec{Name: "i", Kind: object.InitContainer, CPURequest: "2", MemoryRequest: "1Mi"}},
			{ContainerSpec: &object.ContainerSpec{Name: "s", Kind: object.SidecarContainer, CPURequest: "100m"}},
			{ContainerSpec: &object.ContainerSpec{Name: "c", Ports: []object.Port{{Number: 8080}}, CPURequest: "500m", MemoryRequest: "1536Mi"}},
		},
		Placement: &object.Placement{
			NodeSelector: []object.Label{{Key: "disk", Value: "ssd"}}, HasTerms: true, Terms: []object.NodeTerm{{Exprs: []object.Requirement{{Key: "zone", Operator: "In", Values: []string{"a"}}}}},
			Tolerations: []object.Toleration{{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute"}},
			Spread:      []object.Spread{{TopologyKey: "zone", MaxSkew: 1}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if p := decode(t, `{"apiVersion":"v1","kind":"Pod","spec":{"nodeName":"n",`+spec+`}}`).Pod; p.Placement != nil || len(p.AntiAffinity) != 1 {
		t.Errorf("the pod has a node: nothing but its anti-affinity matters to others: %+v %+v", p.Placement, p.AntiAffinity)
	}
}

func TestWritersAreKeptForDeletionAndStaleStatusOnly(t *testing.T) {
	const meta = `"managedFields":[{"manager":"helm","operation":"Apply","time":"2026-01-02T03:04:05Z","fieldsV1":{"f:metadata":{"f:finalizers":{".":{},"v:\"x.io/f\"":{}}}}},{"manager":"ctrl","subresource":"status","time":"2026-01-02T03:04:06Z"}]`
	writers := func(finalizers ...string) []object.Writer {
		return []object.Writer{{Manager: "helm", At: at("2026-01-02T03:04:05Z"), Finalizers: finalizers}, {Manager: "ctrl", Status: true, At: at("2026-01-02T03:04:06Z")}}
	}
	for in, want := range map[string][]object.Writer{
		// Who set a finalizer is only asked of what is being deleted.
		`"metadata":{"finalizers":["x.io/f"],"deletionTimestamp":"2026-01-02T03:04:07Z",` + meta + `},"status":{"a":1}`: writers("x.io/f"),
		`"metadata":{"generation":2,` + meta + `},"status":{"observedGeneration":1}`:                                    writers(),
		`"metadata":{` + meta + `}`:                  writers(),
		`"metadata":{` + meta + `},"status":{"a":1}`: nil,
	} {
		if diff := cmp.Diff(want, decode(t, `{"apiVersion":"x/v1","kind":"X",`+in+`}`).Writers); diff != "" {
			t.Errorf("%s (-want +got)\n%s", in, diff)
		}
	}
}

func TestDecodingWorkloadsReadsEveryCounter(t *testing.T) {
	got := decode(t, `{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"db","annotations":{"deployment.kubernetes.io/revision":"4"}},
	 "spec":{"replicas":3,"serviceName":"db","minReadySeconds":5,"selector":{"matchLabels":{"app":"db"},"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]},
	  "updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":1,"maxUnavailable":"25%"}},
	  "template":{"metadata":{"labels":{"app":"db"}},"spec":{"nodeSelector":{"disk":"ssd"},"containers":[{"name":"c","image":"i","env":[{"name":"A","value":"B"}]}]}},
	  "volumeClaimTemplates":[{"metadata":{"name":"data"}}]},
	 "status":{"replicas":3,"readyReplicas":2,"currentReplicas":1,"updatedReplicas":2,"availableReplicas":1,"currentRevision":"a","updateRevision":"b"}}`).Workload
	want := &object.Workload{
		Replicas: object.IntOf(3), ServiceName: "db", MinReadySeconds: object.IntOf(5), HasSelector: true,
		Selector: object.Selector{Match: []object.Label{{Key: "app", Value: "db"}}, Exprs: []object.Requirement{{Key: "k", Operator: "In", Values: []string{"v"}}}},
		Strategy: "RollingUpdate", Partition: object.IntOf(1), MaxUnavailable: "25%",
		PodLabels: []object.Label{{Key: "app", Value: "db"}}, Images: []object.Image{{Container: "c", Image: "i"}}, ClaimTemplates: []string{"data"},
		StatusReplicas: object.IntOf(3), Ready: object.IntOf(2), Current: object.IntOf(1), Updated: object.IntOf(2), Available: object.IntOf(1),
		CurrentRevision: "a", UpdateRevision: "b", Revision: "4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDecodingTheOtherViews(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		view func(*object.Object) any
		want any
	}{
		"job": {
			`{"kind":"Job","apiVersion":"batch/v1","metadata":{},"spec":{"completions":5,"backoffLimit":2,"suspend":true,"completionMode":"Indexed"},"status":{"startTime":"2026-01-01T00:00:00Z","failed":1,"failedIndexes":"1,3-4"}}`,
			func(o *object.Object) any { return o.Job }, &object.Job{Completions: object.IntOf(5), BackoffLimit: object.IntOf(2), Suspend: true, Mode: "Indexed", Started: at("2026-01-01T00:00:00Z"), Failed: object.IntOf(1), FailedIndexes: "1,3-4"},
		},
		"cron job": {
			`{"kind":"CronJob","apiVersion":"batch/v1","spec":{"schedule":"* * * * *"},"status":{"active":[{"kind":"Job","name":"a-1"}],"lastScheduleTime":"2026-01-01T00:00:00Z"}}`,
			func(o *object.Object) any { return o.CronJob }, &object.CronJob{Schedule: "* * * * *", Active: []string{"a-1"}, LastSchedule: at("2026-01-01T00:00:00Z")},
		},
		"service": {
			`{"kind":"Service","apiVersion":"v1","spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1","selector":{"app":"web"},"ports":[{"port":80,"targetPort":"http"}]},"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"},{"hostname":"lb.example"}]}}}`,
			func(o *object.Object) any { return o.Service }, &object.Service{Type: "LoadBalancer", ClusterIP: "10.0.0.1", Selector: object.Selector{Match: []object.Label{{Key: "app", Value: "web"}}}, Ports: []object.Port{{Number: 80, Target: "http"}}, Ingress: []string{"1.2.3.4", "lb.example"}},
		},
		"slice": {
			`{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"namespace":"n","labels":{"kubernetes.io/service-name":"web"}},"endpoints":[{"addresses":["1.1.1.1"],"targetRef":{"kind":"Pod","name":"p","uid":"u"}},{"addresses":[],"conditions":{"ready":false,"serving":true,"terminating":true}}]}`,
			func(o *object.Object) any { return o.Endpoints }, &object.Endpoints{Service: "web", Endpoints: []object.Endpoint{
				{Target: object.ID{Kind: "Pod", Namespace: "n", Name: "p"}, TargetUID: "u", Ready: true, Serving: true, Addresses: 1}, {Serving: true, Terminating: true},
			}},
		},
		"endpoints": {
			`{"kind":"Endpoints","apiVersion":"v1","metadata":{"name":"web","namespace":"n"},"subsets":[{"notReadyAddresses":[{"ip":"1.1.1.1","targetRef":{"kind":"Pod","name":"p","namespace":"n"}}],"ports":[{"port":80}]}]}`,
			func(o *object.Object) any { return o.Endpoints }, &object.Endpoints{Service: "web", Endpoints: []object.Endpoint{{Target: object.ID{Kind: "Pod", Namespace: "n", Name: "p"}, Addresses: 1}}, Ports: []object.Port{{Number: 80}}},
		},
		"claim": {
			`{"kind":"PersistentVolumeClaim","apiVersion":"v1","spec":{"storageClassName":"","resources":{"requests":{"storage":"1Gi"}},"volumeName":"pv"},"status":{"phase":"Bound","capacity":{"storage":"1Gi"},"allocatedResourceStatuses":{"storage":"NodeResizePending"}}}`,
			func(o *object.Object) any { return o.Claim }, &object.Claim{Phase: "Bound", HasClass: true, Volume: "pv", Requested: "1Gi", Capacity: "1Gi", Resize: "NodeResizePending"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.view(decode(t, c.in))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestATreeHoldsTheStatusAndTheShortScalarsOfTheSpec(t *testing.T) {
	o := decode(t, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},
	 "spec":{"replicas":3,"paused":true,"blob":{"deep":"dropped"},"long":"`+strings.Repeat("x", 300)+`","classRef":{"name":"c"},"list":[1]},
	 "data":{"password":"hunter2"},"provisioner":"p",
	 "status":{"phase":"Ready","count":2,"ratio":1.5,"observedGeneration":7,"conditions":[{"type":"Ready","status":"True"}],"parents":[{"conditions":[{"type":"Accepted"}]}]}}`)
	want := map[string]any{
		"provisioner": "p",
		"spec":        map[string]any{"replicas": int64(3), "paused": true, "classRef": map[string]any{"name": "c"}},
		"status": map[string]any{
			"phase": "Ready", "count": int64(2), "ratio": 1.5, "observedGeneration": int64(7),
			"parents": []any{map[string]any{"conditions": []any{map[string]any{"type": "Accepted"}}}},
		},
	}
	if diff := cmp.Diff(want, o.Tree); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := o.Int("status", "count"); got != object.IntOf(2) {
		t.Errorf("Int = %v", got)
	}
	parents := o.List("status", "parents")
	conditions, _ := object.At(parents[0], "conditions").([]any)
	if got := object.At(conditions[0], "type"); got != "Accepted" {
		t.Errorf("type = %v", got)
	}
	if _, ok := o.Get("status", "absent"); ok {
		t.Error("found what is not there")
	}
}

// Package edges reads them (NamedByKind); nothing else of the field is kept.
func TestTheNamesInFieldsThatAreCalledAsAKnownKindAreKept(t *testing.T) {
	o := decode(t, `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","spec":{"template":{"spec":{"volumes":[{"name":"disk0","dataVolume":{"name":"fedora","hotpluggable":true}}],"domain":{"name":"d"}}}}}`)
	want := map[string]any{"template": map[string]any{"spec": map[string]any{"volumes": []any{map[string]any{"dataVolume": map[string]any{"name": "fedora"}}}}}}
	if diff := cmp.Diff(want, o.Map("spec")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReferencesBelowAFieldThatIsCalledAsAKnownKindAreKept(t *testing.T) {
	o := decode(t, `{"apiVersion":"example.com/v1","kind":"Widget","spec":{"database":{"name":"pg","engine":"x","passwordSecretRef":{"name":"pw"},"tls":{"existingSecret":"tls"}}}}`)
	want := map[string]any{"database": map[string]any{
		"name": "pg", "passwordSecretRef": map[string]any{"name": "pw"}, "tls": map[string]any{"existingSecret": "tls"},
	}}
	if diff := cmp.Diff(want, o.Map("spec")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Package general reads them (Addresses). What may let one in is not kept.
func TestTheHostsOfWebAddressesInASpecAreKept(t *testing.T) {
	o := decode(t, `{"apiVersion":"example.com/v1","kind":"Widget","spec":{"provider":{"vault":{"server":"https://vault:8200","path":"kv"}},"remotes":[{"url":"http://a:b@c"},{"url":"http://c/"},{"url":"https://chat.example.com/api/webhooks/1/AbC"},{"url":"http://c?code=x"}]}}`)
	want := map[string]any{"provider": map[string]any{"vault": map[string]any{"server": "https://vault:8200"}}, "remotes": []any{nil, map[string]any{"url": "http://c/"}, nil, nil}}
	if diff := cmp.Diff(want, o.Map("spec")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The events of an object that is gone are found by what they are about.
func TestAnEventSaysWhatItIsAbout(t *testing.T) {
	for apiVersion, want := range map[string]string{"v1": "Pod", "apps/v1": "apps/Pod", "": "Pod"} {
		o := decode(t, `{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"shop"},"involvedObject":{"apiVersion":"`+apiVersion+`","kind":"Pod","namespace":"shop","name":"web-0","uid":"u"}}`)
		if about := o.Event.About; about.GroupKind() != want || about.Namespace != "shop" || about.Name != "web-0" {
			t.Errorf("%q: %v", apiVersion, about)
		}
	}
}

func TestDeclaredPathsAreKeptThroughLists(t *testing.T) {
	const in = `{"apiVersion":"policy/v1","kind":"Unknown","spec":{"rules":[{"a":1}]}}`
	if o, err := JSON([]byte(in), Options{}); err != nil || o.Tree["spec"] != nil && len(o.Map("spec")) > 0 {
		t.Errorf("kept without a declaration: %v, %v", o.Tree, err)
	}
	const ingress = `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","spec":{"tls":[{"secretName":"a","other":{"b":1}},{"secretName":"c"}]}}`
	o, err := JSON([]byte(ingress), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"spec": map[string]any{"tls": []any{map[string]any{"secretName": "a"}, map[string]any{"secretName": "c"}}}}
	if diff := cmp.Diff(want, o.Tree); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A saved Ingress of extensions/v1beta1 is read as one of networking.k8s.io, with its own field names.
func TestTheDefaultBackendOfAnOldIngressIsKept(t *testing.T) {
	o, err := JSON([]byte(`{"apiVersion":"networking.k8s.io/v1beta1","kind":"Ingress","spec":{"backend":{"serviceName":"web","servicePort":80}}}`), Options{})
	if err != nil || o.Str("spec", "backend", "serviceName") != "web" {
		t.Errorf("kept of it: %v, %v", o.Tree, err)
	}
}

func TestNoPayloadOfASecretIsKept(t *testing.T) {
	for _, opts := range []Options{{}, {Whole: true}} {
		o, err := JSON([]byte(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"hunter2"}},"data":{"a":"hunter2"},"stringData":{"b":"hunter2"}}`), opts)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(o)
		if !o.MetadataOnly || bytes.Contains(text, []byte("hunter2")) {
			t.Errorf("%+v keeps %s", opts, text)
		}
	}
}

func TestAMalformedFieldIsRecordedAsAFlaw(t *testing.T) {
	for _, c := range []struct{ in, path, problem string }{
		{`"status":{"conditions":{"Ready":{"status":"True"}}}`, "status.conditions", "is an object, not a list"},
		{`"status":{"conditions":{}}`, "status.conditions", "is an object, not a list"},
		{`"status":{"conditions":[{"type":"Ready","status":true}]}`, "status.conditions[0].status", "is a boolean, not a string"},
		{`"status":{"conditions":["Ready"]}`, "status.conditions[0]", "is a string, not an object"},
		{`"status":"fine"`, "status", "is a string, not an object"},
		{`"status":{"observedGeneration":"3"}`, "status.observedGeneration", "is a string, not an integer"},
		{`"status":{"observedGeneration":3.0}`, "status.observedGeneration", "is a number, not an integer"},
		{`"status":{"replicas":"3"}`, "object", "cannot be read: json: cannot unmarshal string into Go struct field DeploymentStatus.status.replicas of type int32"},
		{`"metadata":{"generation":null}`, "metadata.generation", "is null, not an integer"},
		{`"metadata":[]`, "metadata", "is a list, not an object"},
	} {
		o := decode(t, `{"apiVersion":"apps/v1","kind":"Deployment",`+c.in+`}`)
		want := []object.Flaw{{Path: c.path, Problem: c.problem}}
		if diff := cmp.Diff(want, o.Flaws); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.in, diff)
		}
	}
}

func TestAValueThatIsNoObjectIsAnError(t *testing.T) {
	for in, want := range map[string]string{
		``:                              "unexpected end of JSON input",
		`[]`:                            "this is a list",
		`{"apiVersion":"v1"}`:           "has no kind",
		`{"kind":"Pod","metadata":{"na`: "unexpected end of JSON input",
		`{"kind":"Pod" "metadata":{}}`:  "invalid character",
	} {
		_, err := JSON([]byte(in), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", in, err, want)
		}
	}
}

func TestItemsOfATypedListTakeTheirKindFromTheCaller(t *testing.T) {
	o, err := JSON([]byte(`{"metadata":{"name":"a"},"status":{"phase":"Running"}}`), Options{Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}})
	if err != nil {
		t.Fatal(err)
	}
	if o.ID != (object.ID{Kind: "Pod", Name: "a"}) || o.Pod == nil || o.Pod.Phase != "Running" {
		t.Errorf("got %+v", o)
	}
	o, err = JSON([]byte(`{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"a"}}`), Options{Kind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}})
	if err != nil {
		t.Fatal(err)
	}
	if o.GroupKind() != "apps/Deployment" || !o.MetadataOnly || o.Workload != nil {
		t.Errorf("got %+v", o)
	}
}

func TestHostileSizesStayBounded(t *testing.T) {
	many := `{"apiVersion":"x/v1","kind":"X","metadata":{"annotations":{"big":"` + strings.Repeat("y", 1<<20) + `"}},"status":{"conditions":[` +
		strings.Repeat(`{"type":"A"},`, 9999) + `{"type":"Z"}],"deep":` + strings.Repeat(`{"a":`, 5000) + `1` + strings.Repeat(`}`, 5000) +
		`,"wide":[` + strings.Repeat(`{"a":[]},`, 200_000) + `1]}}`
	data := []byte(many)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	o, err := JSON(data, Options{})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Conditions) != maxConditions || len(o.Flaws) == 0 || len(o.Annotations) != 0 {
		t.Errorf("%d conditions, flaws %v, %d annotations", len(o.Conditions), o.Flaws, len(o.Annotations))
	}
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 8<<20 {
		t.Errorf("%d bytes are kept", used)
	}
}

// FuzzDecode holds the decoder to encoding/json on the fields that both read.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(podJSON))
	f.Add([]byte(`{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"generation":1,"name":"\u00e9\ud83d\ude00"},"status":{"conditions":[{"type":"A\\\"B","status":"True"}]}}`))
	f.Add([]byte(`{"kind":"X","apiVersion":"a/b/c","status":{"conditions":{"a":[1,2,{"b":null}]},"x":1e400}}`))
	f.Add([]byte(`{"kind":"Service","spec":{"ports":[{"port":1e9}]},"status":{"loadBalancer":{"ingress":null}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := JSON(data, Options{})
		if whole, err := JSON(data, Options{Whole: true}); err == nil && whole.ID != o.ID {
			t.Fatal("Whole changes the identity")
		}
		if err != nil || !json.Valid(data) || bytes.Contains(data, []byte(`\u0000`)) {
			return
		}
		var full map[string]any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		if dec.Decode(&full) != nil || !onlyOnce(data) {
			return
		}
		meta, _ := full["metadata"].(map[string]any)
		if name, _ := meta["name"].(string); o.Name != object.Clean(name) {
			t.Errorf("name %q, want %q", o.Name, name)
		}
		if n, ok := meta["generation"].(json.Number); ok {
			v, err := n.Int64()
			if (err == nil) != o.Generation.Set || err == nil && v != o.Generation.V {
				t.Errorf("generation %v, want %v", o.Generation, n)
			}
		}
		st, _ := full["status"].(map[string]any)
		conds, _ := st["conditions"].([]any)
		if o.Endpoints == nil && len(o.Conditions) != min(len(conds), maxConditions) {
			t.Errorf("%d conditions, want %d", len(o.Conditions), len(conds))
		}
	})
}

// onlyOnce reports whether no object of the input repeats a field: which one
// wins is not defined.
func onlyOnce(data []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var value func() bool
	value = func() bool {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		switch tok {
		case json.Delim('{'):
			seen := map[string]bool{}
			for dec.More() {
				k, err := dec.Token()
				if err != nil || seen[k.(string)] {
					return false
				}
				seen[k.(string)] = true
				if !value() {
					return false
				}
			}
			dec.Token()
		case json.Delim('['):
			for dec.More() {
				if !value() {
					return false
				}
			}
			dec.Token()
		}
		return true
	}
	return value()
}

func TestANodeIsKeptWithoutItsImages(t *testing.T) {
	for kind, want := range map[string]bool{"Node": false, "ImageList": true} {
		o := decode(t, `{"apiVersion":"v1","kind":"`+kind+`","metadata":{"name":"n"},"status":{"phase":"Ready","images":[{"names":["app:1"],"sizeBytes":7}]}}`)
		status := o.Tree["status"].(map[string]any)
		if _, kept := status["images"]; kept != want || status["phase"] != "Ready" {
			t.Errorf("%s: %v", kind, status)
		}
	}
}
