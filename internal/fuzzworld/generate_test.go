package fuzzworld

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type kind struct {
	apiVersion, name string
	cluster          bool
	empty            func() any // nil for what has no Go type here
}

// kinds are those that are generated. What stands earlier may own what stands
// later, so that owners form no ring (rings have tests of their own in model).
var kinds = []kind{
	{"apiextensions.k8s.io/v1", "CustomResourceDefinition", true, nil},
	{"v1", "Node", true, func() any { return &corev1.Node{} }},
	{"v1", "PersistentVolume", true, func() any { return &corev1.PersistentVolume{} }},
	{"storage.k8s.io/v1", "StorageClass", true, func() any { return &storagev1.StorageClass{} }},
	{"storage.k8s.io/v1", "VolumeAttachment", true, func() any { return &storagev1.VolumeAttachment{} }},
	{"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", true, func() any { return &admissionv1.ValidatingWebhookConfiguration{} }},
	{"admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", true, func() any { return &admissionv1.MutatingWebhookConfiguration{} }},
	{"lab.example.org/v1", "Widget", false, nil},
	{"apps/v1", "Deployment", false, func() any { return &appsv1.Deployment{} }},
	{"apps/v1", "StatefulSet", false, func() any { return &appsv1.StatefulSet{} }},
	{"apps/v1", "DaemonSet", false, func() any { return &appsv1.DaemonSet{} }},
	{"batch/v1", "CronJob", false, func() any { return &batchv1.CronJob{} }},
	{"batch/v1", "Job", false, func() any { return &batchv1.Job{} }},
	{"apps/v1", "ReplicaSet", false, func() any { return &appsv1.ReplicaSet{} }},
	{"autoscaling/v2", "HorizontalPodAutoscaler", false, func() any { return &autoscalingv2.HorizontalPodAutoscaler{} }},
	{"policy/v1", "PodDisruptionBudget", false, func() any { return &policyv1.PodDisruptionBudget{} }},
	{"networking.k8s.io/v1", "Ingress", false, func() any { return &networkingv1.Ingress{} }},
	{"v1", "Service", false, func() any { return &corev1.Service{} }},
	{"discovery.k8s.io/v1", "EndpointSlice", false, func() any { return &discoveryv1.EndpointSlice{} }},
	{"v1", "Pod", false, func() any { return &corev1.Pod{} }},
	{"v1", "PersistentVolumeClaim", false, func() any { return &corev1.PersistentVolumeClaim{} }},
	{"v1", "ConfigMap", false, func() any { return &corev1.ConfigMap{} }},
}

// words are what a field of that name holds in a cluster, good and bad.
var words = map[string][]string{
	"status": {"True", "False", "Unknown"},
	"phase":  {"Pending", "Running", "Succeeded", "Failed", "Bound", "Lost", "Released", "Ready", "Error"},
	"type":   {"Ready", "Available", "Progressing", "PodScheduled", "ContainersReady", "Initialized", "Complete", "Failed", "ReplicaFailure", "Stalled", "Reconciling", "ClusterIP", "LoadBalancer", "ExternalName", "DiskPressure"},
	"reason": {
		"", "CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "CreateContainerConfigError", "OOMKilled", "Error", "Completed", "Unschedulable",
		"SchedulingGated", "ProgressDeadlineExceeded", "MinimumReplicasUnavailable", "FailedCreate", "BackoffLimitExceeded", "ContainerCreating", "Evicted", "NewReplicaSetAvailable",
	},
	"message": {
		"", "0/3 nodes are available: 3 Insufficient cpu.", "0/2 nodes are available: 1 node(s) were unschedulable, 1 node(s) didn't match pod topology spread constraints.",
		"Back-off pulling image \"acme/web:1\": not found", "pods \"web-1\" is forbidden: exceeded quota: q", "back-off 5m0s restarting failed container",
		"MountVolume.SetUp failed for volume \"v\": configmap \"web\" not found", "Deployment has minimum availability.",
	},
	"whenUnsatisfiable": {"DoNotSchedule", "ScheduleAnyway"}, "topologyKey": {"zone", "kubernetes.io/hostname"}, "effect": {"NoSchedule", "NoExecute", "PreferNoSchedule"},
	"operator": {"In", "NotIn", "Exists", "DoesNotExist"}, "restartPolicy": {"Always", "OnFailure", "Never"}, "protocol": {"TCP", "UDP"},
	"nodeName": {"", "web", "db", "api"}, "storageClassName": {"web", "db", ""}, "claimName": {"web", "db", "api"}, "volumeName": {"web", "db", ""}, "scaleTargetRef": {"web"},
	"accessModes": {"ReadWriteOnce", "ReadWriteOncePod", "ReadWriteMany"}, "addressType": {"IPv4", "IPv6"}, "clusterIP": {"10.0.0.1", "None", ""},
	"volumeBindingMode": {"Immediate", "WaitForFirstConsumer"}, "completionMode": {"Indexed", "NonIndexed"}, "schedule": {"* * * * *", "0 0 31 2 *"},
}

var names = []string{"web", "db", "api"}

// fill makes a typed object whose texts, numbers and times are such as occur.
func fill(seed int64, into any) {
	randfill.NewWithSeed(seed).NilChance(0.4).NumElements(1, 3).MaxDepth(12).Funcs(
		func(s *string, c randfill.Continue) { *s = []string{"web", "db", "api", "app", "zone", ""}[c.Intn(6)] },
		func(n *int32, c randfill.Continue) { *n = int32(c.Intn(4)) },
		func(n *int64, c randfill.Continue) { *n = int64(c.Intn(4)) },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(int64(c.Intn(8000)), resource.DecimalSI)
		},
		func(t *metav1.Time, c randfill.Continue) {
			*t = metav1.NewTime(moment(c.Intn))
		},
		func(t *metav1.MicroTime, c randfill.Continue) {
			*t = metav1.NewMicroTime(moment(c.Intn))
		},
		func(p *intstr.IntOrString, c randfill.Continue) {
			*p = []intstr.IntOrString{intstr.FromInt32(int32(c.Intn(3))), intstr.FromString("50%")}[c.Intn(2)]
		},
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.SetRawBytes([]byte(`{"f:status":{}}`)) },
		func(*metav1.ObjectMeta, randfill.Continue) {}, func(*metav1.TypeMeta, randfill.Continue) {},
	).Fill(into)
}

// moment is a time in the last hour, and now and then one in the next minutes: the
// server's clock may be ahead.
func moment(intn func(int) int) time.Time {
	if intn(8) == 0 {
		return now.Add(time.Duration(1+intn(300)) * time.Second)
	}
	return now.Add(-time.Duration(intn(4000)) * time.Second)
}

// set is what a cluster holds.
type set struct {
	objects []*object.Object
	raw     map[object.ID]map[string]any // the same as they were written
	events  []object.Event
	roots   []feed.Root
}

type generator struct {
	*rand.Rand
	t testing.TB
}

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// generate makes a set of objects in one namespace and beside it.
func (g *generator) generate() *set {
	s := &set{raw: map[object.ID]map[string]any{}}
	for range 2 + g.IntN(14) {
		at := g.IntN(len(kinds))
		if g.IntN(3) == 0 {
			at = rank("Pod")
		}
		k := kinds[at]
		body := map[string]any{}
		if k.empty != nil {
			typed := k.empty()
			fill(g.Int64(), typed)
			data, err := json.Marshal(typed)
			if err != nil {
				g.t.Fatal(err)
			}
			if err := json.Unmarshal(data, &body); err != nil {
				g.t.Fatal(err)
			}
			g.useWords(body)
			if k.name == "Pod" {
				matchStatuses(body)
			}
		} else {
			body["spec"], body["status"] = map[string]any{"replicas": g.IntN(3)}, g.custom(3)
			if k.name == "CustomResourceDefinition" {
				body["spec"] = map[string]any{"group": "lab.example.org", "names": map[string]any{"kind": "Widget", "plural": "widgets"}, "scope": "Namespaced"}
			}
		}
		body["apiVersion"], body["kind"] = k.apiVersion, k.name
		body["metadata"] = g.metadata(k, len(s.objects), s)
		data, err := json.Marshal(body)
		if err != nil {
			g.t.Fatal(err)
		}
		o, err := convert.JSON(data, convert.Options{})
		if err != nil {
			g.t.Fatalf("%v\n%s", err, data)
		}
		if !slices.ContainsFunc(s.objects, func(x *object.Object) bool { return x.ID == o.ID }) {
			s.objects = append(s.objects, o)
			var written map[string]any
			if err := json.Unmarshal(data, &written); err != nil {
				g.t.Fatal(err)
			}
			s.raw[o.ID] = written
		}
	}
	for i, o := range s.objects {
		if g.IntN(3) == 0 {
			s.events = append(s.events, object.Event{
				UID: fmt.Sprint("e", i), About: o.ID, AboutUID: o.UID, Type: "Warning",
				Reason:  pick(g, []string{"Failed", "FailedScheduling", "BackOff", "Unhealthy", "FailedMount", "FailedCreate"}),
				Message: pick(g, words["message"]), Count: 1 + g.IntN(5), First: now.Add(-time.Hour),
				Last: now.Add(-time.Duration(g.IntN(600)) * time.Second),
			})
		}
		if len(o.Owners) == 0 || g.IntN(6) == 0 {
			s.roots = append(s.roots, feed.Root{ID: o.ID, Source: "x", Order: len(s.roots) + 1})
		}
	}
	if g.IntN(4) == 0 {
		s.roots = append(s.roots, feed.Root{ID: object.ID{Kind: "Service", Namespace: "shop", Name: "absent"}, Source: "x", Order: len(s.roots) + 1})
	}
	return s
}

// rank is the place of a kind among those that may own others.
func rank(name string) int {
	return slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
}

// metadata names the object, with owners among those that may own it.
func (g *generator) metadata(k kind, n int, s *set) map[string]any {
	m := map[string]any{
		"name": pick(g, names), "uid": fmt.Sprint("u", n), "resourceVersion": fmt.Sprint(n + 1), "generation": 1 + g.IntN(2),
		"creationTimestamp": moment(g.IntN).Format(time.RFC3339),
		"labels":            map[string]any{"app": pick(g, names), "zone": pick(g, names), "kubernetes.io/service-name": pick(g, names)},
	}
	if k.cluster {
		return m
	}
	m["namespace"] = "shop"
	if len(s.objects) > 0 && g.IntN(4) > 0 {
		o := pick(g, s.objects)
		if rank(o.Kind) >= rank(k.name) {
			return m
		}
		version := o.Version
		if o.Group != "" {
			version = o.Group + "/" + o.Version
		}
		m["ownerReferences"] = []any{map[string]any{"apiVersion": version, "kind": o.Kind, "name": o.Name, "uid": o.UID, "controller": g.IntN(4) > 0}}
	}
	if g.IntN(8) == 0 || k.name == "Pod" && g.IntN(4) == 0 {
		at := moment(g.IntN)
		if k.name == "Pod" && g.IntN(2) == 0 { // the end of its grace period
			at = now.Add(20 * time.Second)
		}
		m["deletionTimestamp"], m["deletionGracePeriodSeconds"] = at.Format(time.RFC3339), 30
		if k.name != "Pod" || g.IntN(4) == 0 {
			m["finalizers"] = []any{"example.org/wait"}
		}
	}
	return m
}

// matchStatuses drops containers whose name another one of the Pod has, and the statuses of
// containers that it does not have. Every container gets an image, which the API server asks of a
// Pod.
func matchStatuses(pod map[string]any) {
	spec, _ := pod["spec"].(map[string]any)
	status, _ := pod["status"].(map[string]any)
	name := func(v any) any { return v.(map[string]any)["name"] }
	seen := map[any]bool{}
	for _, lists := range [][2]string{{"containers", "containerStatuses"}, {"initContainers", "initContainerStatuses"}, {"ephemeralContainers", "ephemeralContainerStatuses"}} {
		own := map[any]bool{}
		containers, _ := spec[lists[0]].([]any)
		spec[lists[0]] = slices.DeleteFunc(containers, func(c any) bool {
			twice := seen[name(c)]
			seen[name(c)], own[name(c)] = true, own[name(c)] || !twice
			if fields := c.(map[string]any); fields["image"] == nil {
				fields["image"] = "app"
			}
			return twice
		})
		statuses, _ := status[lists[1]].([]any)
		status[lists[1]] = slices.DeleteFunc(statuses, func(s any) bool {
			first := own[name(s)]
			own[name(s)] = false
			return !first
		})
	}
}

// useWords replaces the texts of fields that have words.
func (g *generator) useWords(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			list := words[k]
			switch x := v[k].(type) {
			case string:
				if list != nil {
					v[k] = pick(g, list)
				}
			case []any:
				for i := range x {
					if _, isText := x[i].(string); isText && list != nil {
						x[i] = pick(g, list)
					}
				}
			}
			g.useWords(v[k])
		}
	case []any:
		for _, x := range v {
			g.useWords(x)
		}
	}
}

// custom is the status of a custom object: conditions, states and counters, some
// of them deeper.
func (g *generator) custom(depth int) map[string]any {
	m := map[string]any{}
	if g.IntN(2) == 0 {
		var list []any
		for range 1 + g.IntN(3) {
			list = append(list, map[string]any{
				"type": pick(g, words["type"]), "status": pick(g, words["status"]), "reason": pick(g, words["reason"]), "message": pick(g, words["message"]),
				"lastTransitionTime": now.Add(-time.Duration(g.IntN(600)) * time.Second).Format(time.RFC3339),
			})
		}
		m["conditions"] = list
	}
	if g.IntN(2) == 0 {
		m["phase"] = pick(g, words["phase"])
	}
	if g.IntN(3) == 0 {
		m["readyReplicas"], m["replicas"] = g.IntN(3), g.IntN(3)
	}
	if g.IntN(3) == 0 {
		m["observedGeneration"] = g.IntN(3)
	}
	if depth > 0 && g.IntN(3) == 0 {
		m["parts"] = map[string]any{pick(g, names): g.custom(depth - 1)}
	}
	return m
}
