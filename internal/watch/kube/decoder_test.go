package kube

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

// runningPod is a Pod as a ReplicaSet, the scheduler and a kubelet leave it.
func runningPod(n int) *corev1.Pod {
	controller := true
	now := metav1.Now()
	sets := func(kind string) *metav1.FieldsV1 {
		var f metav1.FieldsV1
		var text strings.Builder
		text.WriteString(`{"f:` + kind + `":{`)
		for i := range 80 {
			text.WriteString(fmt.Sprintf(`"k:{\"name\":\"field-%d\"}":{".":{},"f:value":{}},`, i))
		}
		f.SetRawBytes([]byte(text.String() + `".":{}}}`))
		return &f
	}
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(8080)}}, PeriodSeconds: 10}
	var env []corev1.EnvVar
	for i := range 12 {
		env = append(env, corev1.EnvVar{Name: fmt.Sprintf("VARIABLE_%d", i), Value: "a value of some length"})
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("web-5d9c7b-%d", n), Namespace: "shop",
			UID: "0b1c2d3e-0000-4000-8000-000000000000", ResourceVersion: fmt.Sprint(1000 + n),
			CreationTimestamp: now, Labels: map[string]string{"app": "web", "pod-template-hash": "5d9c7b"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5d9c7b", UID: "rs", Controller: &controller}},
			ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "kube-controller-manager", Operation: "Update", APIVersion: "v1", Time: &now, FieldsType: "FieldsV1", FieldsV1: sets("spec")},
				{Manager: "kubelet", Operation: "Update", APIVersion: "v1", Time: &now, FieldsType: "FieldsV1", FieldsV1: sets("status"), Subresource: "status"},
			},
		},
		Spec: corev1.PodSpec{
			NodeName: fmt.Sprintf("node-%d", n%50), RestartPolicy: "Always",
			SchedulerName: "default-scheduler", ServiceAccountName: "web",
			Volumes: []corev1.Volume{{Name: fmt.Sprintf("kube-api-access-%d", n), VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}}},
			Containers: []corev1.Container{{
				Name: "app", Image: "registry.example.com/shop/web:1.2.3", Env: env, ReadinessProbe: probe, LivenessProbe: probe,
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": apiresource.MustParse("100m"), "memory": apiresource.MustParse("128Mi")}},
			}},
		},
		Status: corev1.PodStatus{
			Phase: "Running", QOSClass: "Burstable", StartTime: &now, PodIP: "10.0.0.1",
			Conditions: []corev1.PodCondition{
				{Type: "PodReadyToStartContainers", Status: "True", LastTransitionTime: now},
				{Type: "Initialized", Status: "True", LastTransitionTime: now},
				{Type: "Ready", Status: "True", LastTransitionTime: now},
				{Type: "ContainersReady", Status: "True", LastTransitionTime: now},
				{Type: "PodScheduled", Status: "True", LastTransitionTime: now},
			},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "app", Ready: true, Image: "registry.example.com/shop/web:1.2.3", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}}},
		},
	}
}

// envelope is an object as an API server sends it in protobuf.
func envelope(t testing.TB, apiVersion, kind string, obj interface{ Marshal() ([]byte, error) }) []byte {
	t.Helper()
	raw, err := obj.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	data, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: raw}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(protobufPrefix), data...)
}

func TestADecoderOfAStreamIsTheDecoderOfEachObject(t *testing.T) {
	var shared convert.Templates
	d := NewDecoder(pods, convert.Options{Shared: &shared})
	if d.messages == nil {
		t.Fatal("Pods are decoded whole")
	}
	for n := range 5 {
		data := envelope(t, "v1", "Pod", runningPod(n))
		obj, err := Decode(data, pods.ObjectKind())
		if err != nil {
			t.Fatal(err)
		}
		want, err := Convert(obj, pods, convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Object(data)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-whole +in part)\n%s", err, diff)
		}
		if _, ok := d.message(data); !ok {
			t.Error("the Pod was decoded whole")
		}
	}
	if _, err := d.Object(envelope(t, "v1", "Service", &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}})); !IsForeign(err) {
		t.Errorf("a Service instead of a Pod: %v", err)
	}
}

// A list in protobuf is decoded in part like an event, and the same comes of it; one of
// another kind, or cut short, is read and refused by Kubernetes' decoder.
func TestAListInPartIsTheListDecodedWhole(t *testing.T) {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "77", Continue: "more"}}
	for n := range 20 {
		pod := *runningPod(n)
		if n%7 == 3 {
			pod.Spec.NodeName = ""
		}
		list.Items = append(list.Items, pod)
	}
	data := envelope(t, "v1", "PodList", list)
	m, items, ok := NewDecoder(pods, convert.Options{}).list(data)
	if !ok || m.ResourceVersion != "77" || m.Continue != "more" {
		t.Fatalf("decoded in part: %v, %+v", ok, m)
	}
	whole, err := Decode(data, pods.ListKind())
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		want, err := Convert(&whole.(*corev1.PodList).Items[i], pods, convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, items[i]); diff != "" {
			t.Errorf("item %d (-whole +in part)\n%s", i, diff)
		}
	}
	p, err := DecodeList(data, pods, convert.Options{})
	if diff := cmp.Diff(Page{ResourceVersion: "77", Continue: "more", Items: items}, p); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := DecodeList(envelope(t, "v1", "ServiceList", &corev1.ServiceList{}), pods, convert.Options{}); !IsForeign(err) {
		t.Errorf("Services instead of Pods: %v", err)
	}
	if _, err := DecodeList(data[:len(data)-40], pods, convert.Options{}); err == nil {
		t.Error("a list that was cut short was read")
	}
}

// One operation is a Pod of 10,000, from its event to the object: in part as a
// stream does, and whole.
func BenchmarkDecodePod(b *testing.B) {
	data := make([][]byte, 1000)
	for n := range data {
		data[n] = envelope(b, "v1", "Pod", runningPod(n))
	}
	b.Run("in part", func(b *testing.B) {
		d := NewDecoder(pods, convert.Options{Shared: &convert.Templates{}})
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_, _ = d.Object(data[i%len(data)])
		}
	})
	b.Run("whole", func(b *testing.B) {
		d := NewDecoder(pods, convert.Options{Shared: &convert.Templates{}})
		d.messages = nil
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_, _ = d.Object(data[i%len(data)])
		}
	})
	b.Run("a page of 500 in part", func(b *testing.B) {
		list := &corev1.PodList{}
		for n := range 500 {
			list.Items = append(list.Items, *runningPod(n))
		}
		data, opts := envelope(b, "v1", "PodList", list), convert.Options{Shared: &convert.Templates{}}
		b.ReportAllocs()
		for b.Loop() {
			_, _ = DecodeList(data, pods, opts)
		}
	})
	b.Run("client-go", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_, _, _ = codecs.UniversalDeserializer().Decode(data[i%len(data)], nil, nil)
		}
	})
}
