package convert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/randfill"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// typedKinds are those with a view.
var typedKinds = []string{
	"Pod", "apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet", "apps/DaemonSet", "ReplicationController",
	"batch/Job", "batch/CronJob", "Service", "discovery.k8s.io/EndpointSlice", "Endpoints", "PersistentVolumeClaim",
}

type message interface {
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal(b []byte) error
}

// optionsFor names a kind as a list does.
func optionsFor(groupKind string) Options {
	group, kind, ok := strings.Cut(groupKind, "/")
	if !ok {
		group, kind = "", groupKind
	}
	return Options{Kind: schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind}}
}

// filler fills typed objects with random contents that a JSON server could
// send: FieldsV1 is JSON, quantities are quantities.
func filler(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(1, 3).MaxDepth(14).Funcs(
		func(q *apiresource.Quantity, c randfill.Continue) {
			*q = *apiresource.NewMilliQuantity(int64(c.Intn(1<<20)), apiresource.DecimalSI)
		},
		func(f *metav1.FieldsV1, c randfill.Continue) {
			f.SetRawBytes(fmt.Appendf(nil, `{"f:metadata":{"f:finalizers":{"v:\"x%d/y\"":{}}}}`, c.Intn(9)))
		},
		func(*metav1.TypeMeta, randfill.Continue) {}, // absent in lists, and known
		func(m *metav1.ManagedFieldsEntry, c randfill.Continue) {
			c.FillNoCustom(m)
			if c.Bool() {
				m.Subresource = "status"
			}
		},
		func(p *corev1.ContainerRestartPolicy, c randfill.Continue) {
			*p = []corev1.ContainerRestartPolicy{"Always", "Never"}[c.Intn(2)]
		},
		// What the API server makes sure of.
		func(n *corev1.NodeSelector, c randfill.Continue) {
			if c.FillNoCustom(n); len(n.NodeSelectorTerms) == 0 {
				n.NodeSelectorTerms = make([]corev1.NodeSelectorTerm, 1)
			}
		},
		func(u *corev1.UnsatisfiableConstraintAction, c randfill.Continue) {
			*u = []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}[c.Intn(2)]
		},
	)
}

func diffTyped(t *testing.T, groupKind string, obj message) {
	t.Helper()
	js, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	want, err := JSON(js, optionsFor(groupKind))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Object(obj, optionsFor(groupKind))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s from JSON (-) and typed (+) differ:\n%s", groupKind, diff)
	}
}

func TestATypedObjectAndItsJSONAreConvertedAlike(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 10
	}
	for _, groupKind := range typedKinds {
		t.Run(groupKind, func(t *testing.T) {
			diffTyped(t, groupKind, kinds[groupKind].empty.DeepCopyObject().(message))
			for seed := range rounds {
				obj := kinds[groupKind].empty.DeepCopyObject().(message)
				filler(int64(seed)).Fill(obj)
				diffTyped(t, groupKind, obj)
				if t.Failed() {
					t.Logf("seed %d", seed)
					return
				}
			}
		})
	}
}

func TestPartialMetadataAndItsJSONAreConvertedAlike(t *testing.T) {
	for seed := range int64(30) {
		m := &metav1.PartialObjectMetadata{}
		filler(seed).Fill(m)
		m.TypeMeta = metav1.TypeMeta{}
		diffTyped(t, "Secret", m)
	}
}

// FuzzTyped looks for objects of the typed kinds, as their protobuf allows them, that
// are converted otherwise than their JSON.
func FuzzTyped(f *testing.F) {
	for i, groupKind := range typedKinds {
		for seed := range int64(3) {
			obj := kinds[groupKind].empty.DeepCopyObject().(message)
			filler(seed).Fill(obj)
			b, _ := obj.Marshal()
			f.Add(uint8(i), b)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		groupKind := typedKinds[int(which)%len(typedKinds)]
		obj := kinds[groupKind].empty.DeepCopyObject().(message)
		if obj.Unmarshal(b) != nil {
			return
		}
		if _, err := Object(obj, optionsFor(groupKind)); err != nil {
			t.Fatal(err)
		}
		// A string that is not UTF-8 is written \ufffd, and � once read: another text, of
		// which SpecSum is another sum. An API server stores none.
		if js, err := json.Marshal(obj); err == nil && !bytes.Contains(js, []byte(`\ufffd`)) {
			diffTyped(t, groupKind, obj)
		}
	})
}

// bigPod is about as large as a Pod of a real cluster: 6 KB of protobuf.
func bigPod() *corev1.Pod {
	p := &corev1.Pod{}
	rnd := rand.New(rand.NewSource(1))
	word := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + rnd.Intn(26))
		}
		return string(b)
	}
	now := metav1.Now()
	p.Name, p.Namespace, p.UID = "web-7887448d46-x7k2p", "shop", "0a1b2c3d-0000-4000-8000-123456789abc"
	p.ResourceVersion, p.Generation, p.CreationTimestamp = "123456", 1, now
	p.Labels = map[string]string{"app": "web", "pod-template-hash": "7887448d46", "tier": "frontend"}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-7887448d46", UID: "1-2-3", Controller: new(true)}}
	for range 3 {
		p.ManagedFields = append(p.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: "kubelet", Operation: "Update", Time: &now,
			FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:conditions":{"` + word(700) + `":{}}}}`),
		})
	}
	for i := range 2 {
		c := corev1.Container{Name: fmt.Sprint("c", i), Image: "registry.local/app:1", ImagePullPolicy: "IfNotPresent"}
		for range 12 {
			c.Env = append(c.Env, corev1.EnvVar{Name: word(12), Value: word(40)})
		}
		probe := &corev1.Probe{PeriodSeconds: 10, FailureThreshold: 3, TimeoutSeconds: 1}
		probe.HTTPGet = &corev1.HTTPGetAction{Path: "/healthz", Scheme: "HTTP"}
		c.ReadinessProbe, c.LivenessProbe = probe, probe
		c.VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}, {Name: "config", MountPath: "/etc/app"}}
		p.Spec.Containers = append(p.Spec.Containers, c)
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true, Started: new(true),
			ImageID: "sha256:" + word(64), ContainerID: "containerd://" + word(64), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	p.Spec.NodeName, p.Status.Phase, p.Status.StartTime = "node-1", "Running", &now
	for _, t := range []corev1.PodConditionType{"Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: t, Status: "True", LastTransitionTime: now})
	}
	return p
}

func TestAScaleAloneLeavesTheSumOfASpecAlone(t *testing.T) {
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: new(int32(2)), Template: corev1.PodTemplateSpec{
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Env: []corev1.EnvVar{{Name: "A", Value: "1"}}}}},
	}}}
	sums := func() (out [2]uint32) {
		js, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for i, convert := range []func() (*object.Object, error){
			func() (*object.Object, error) { return Object(d, optionsFor("apps/Deployment")) },
			func() (*object.Object, error) { return JSON(js, optionsFor("apps/Deployment")) },
		} {
			o, err := convert()
			if err != nil || o.SpecSum == 0 {
				t.Fatalf("no sum (%v)", err)
			}
			out[i] = o.SpecSum
		}
		return out
	}
	before := sums()
	d.Spec.Replicas = new(int32(5))
	if got := sums(); got != before {
		t.Errorf("scaled: %x, was %x", got, before)
	}
	d.Spec.Template.Spec.Containers[0].Env[0].Value = "2" // nothing else of it is kept
	for i, got := range sums() {
		if got == before[i] {
			t.Errorf("decoder %d: the same sum %x for another template", i, got)
		}
	}
}

// BenchmarkPod is the conversion of a Pod beside its decoding into corev1.Pod, of
// which there is none without it.
func BenchmarkPod(b *testing.B) {
	p := bigPod()
	pb, _ := p.Marshal()
	js, _ := json.Marshal(p)
	b.Run("decode protobuf", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var into corev1.Pod
			_ = into.Unmarshal(pb)
		}
	})
	b.Run("convert", func(b *testing.B) {
		b.ReportAllocs()
		var shared Templates
		for b.Loop() {
			_, _ = Object(p, Options{Kind: optionsFor("Pod").Kind, Shared: &shared})
		}
	})
	b.Run("JSON", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = JSON(js, optionsFor("Pod"))
		}
	})
}
