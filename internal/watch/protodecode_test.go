package watch

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

type protoObject interface {
	Marshal() ([]byte, error)
	Unmarshal(b []byte) error
}

// typedObjects makes an empty object of every kind that has a schema.
var typedObjects = map[string]func() protoObject{
	"pods": func() protoObject { return &corev1.Pod{} }, "services": func() protoObject { return &corev1.Service{} },
	//lint:ignore SA1019 older clusters have nothing else
	"endpoints":              func() protoObject { return &corev1.Endpoints{} },
	"persistentvolumeclaims": func() protoObject { return &corev1.PersistentVolumeClaim{} },
	"replicationcontrollers": func() protoObject { return &corev1.ReplicationController{} },
	"deployments":            func() protoObject { return &appsv1.Deployment{} },
	"replicasets":            func() protoObject { return &appsv1.ReplicaSet{} },
	"statefulsets":           func() protoObject { return &appsv1.StatefulSet{} },
	"daemonsets":             func() protoObject { return &appsv1.DaemonSet{} },
	"jobs":                   func() protoObject { return &batchv1.Job{} },
	"cronjobs":               func() protoObject { return &batchv1.CronJob{} },
	"endpointslices":         func() protoObject { return &discoveryv1.EndpointSlice{} },
}

func TestEveryKindWithATypedViewHasAProtobufSchema(t *testing.T) {
	for name, res := range builtinByName {
		if res.Enc != encProto || name != res.Plural {
			continue
		}
		if _, err := decodeProto(nil, res, status.DecodeOptions{}); err != nil || typedObjects[res.Plural] == nil {
			t.Errorf("%s has no schema or no differential test (%v)", res, err)
		}
	}
}

// filler fills typed objects with random contents that a JSON server could
// send: FieldsV1 is JSON, quantities are quantities.
func filler(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).MaxDepth(14).Funcs(
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

func diffDecoders(t *testing.T, plural string, obj protoObject) {
	t.Helper()
	res := builtinByName[plural]
	js, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	pb, err := obj.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	want, err := decodeJSON(js, res, status.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeProto(pb, res, status.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want.Deleted.IsZero() {
		// Which finalizers somebody wrote is asked of what is being deleted; from
		// protobuf it is read only then.
		for i := range want.Writers {
			want.Writers[i].Finalizers = nil
		}
	}
	want.SpecSum, got.SpecSum = 0, 0 // of what was sent, in its own encoding
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s from JSON (-) and from protobuf (+) differ:\n%s\nJSON: %s", plural, diff, js)
	}
}

func TestProtobufAndJSONDecodeToTheSameObject(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 10
	}
	for plural, make := range typedObjects {
		t.Run(plural, func(t *testing.T) {
			diffDecoders(t, plural, make())
			for seed := range rounds {
				obj := make()
				filler(int64(seed)).Fill(obj)
				diffDecoders(t, plural, obj)
				if t.Failed() {
					t.Logf("seed %d", seed)
					return
				}
			}
		})
	}
}

func TestMetadataAloneFromProtobuf(t *testing.T) {
	res := builtinByName["secrets"]
	for seed := range int64(30) {
		m := &metav1.PartialObjectMetadata{}
		filler(seed).Fill(m)
		m.TypeMeta = metav1.TypeMeta{}
		js, _ := json.Marshal(m)
		pb, _ := m.Marshal()
		want, err := decodeJSON(js, res, status.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeProto(pb, res, status.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" || !got.MetadataOnly {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// FuzzDecodeProto looks for bytes that make the decoder fall over, and for objects
// of the generated types that it reads otherwise than their JSON.
func FuzzDecodeProto(f *testing.F) {
	for plural, make := range typedObjects {
		for seed := range int64(3) {
			obj := make()
			filler(seed).Fill(obj)
			b, _ := obj.Marshal()
			f.Add(plural, b)
		}
	}
	f.Fuzz(func(t *testing.T, plural string, b []byte) {
		res, ok := builtinByName[plural]
		if !ok || res.Enc != encProto {
			return
		}
		got, err := decodeProto(b, res, status.DecodeOptions{})
		if again, errAgain := decodeProto(b, res, status.DecodeOptions{}); (err == nil) != (errAgain == nil) || cmp.Diff(got, again) != "" {
			t.Fatalf("read twice (%v, %v): %s", err, errAgain, cmp.Diff(got, again))
		}
		obj := typedObjects[res.Plural]()
		if obj.Unmarshal(b) != nil {
			return
		}
		if _, err := json.Marshal(obj); err == nil {
			diffDecoders(t, res.Plural, obj)
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
		pb, err := d.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		js, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		res := builtinByName["deployments"]
		for i, decode := range []func() (*object.Object, error){
			func() (*object.Object, error) { return decodeProto(pb, res, status.DecodeOptions{}) },
			func() (*object.Object, error) { return decodeJSON(js, res, status.DecodeOptions{}) },
		} {
			o, err := decode()
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

func BenchmarkDecodePod(b *testing.B) {
	p := bigPod()
	pb, _ := p.Marshal()
	js, _ := json.Marshal(p)
	res := builtinByName["pods"]
	b.Run("protobuf", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(pb)))
		for b.Loop() {
			_, _ = decodeProto(pb, res, status.DecodeOptions{})
		}
	})
	b.Run("protobuf, its spec known", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(pb)))
		var specs podSpecs
		for b.Loop() {
			_, _ = specs.decode(pb, res, status.DecodeOptions{})
		}
	})
	b.Run("json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(js)))
		for b.Loop() {
			_, _ = decodeJSON(js, res, status.DecodeOptions{})
		}
	})
}

// Every kind by both encodings, with all its fields in use.
func BenchmarkDecode(b *testing.B) {
	for plural, make := range typedObjects {
		obj := make()
		filler(1).NilChance(0).Fill(obj)
		pb, _ := obj.Marshal()
		js, _ := json.Marshal(obj)
		res := builtinByName[plural]
		b.Run(plural+"/protobuf", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = decodeProto(pb, res, status.DecodeOptions{})
			}
		})
		b.Run(plural+"/json", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = decodeJSON(js, res, status.DecodeOptions{})
			}
		})
	}
}
