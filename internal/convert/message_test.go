package convert

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func (m *Messages) another() message {
	return reflect.New(reflect.TypeOf(m.decoded).Elem()).Interface().(message)
}

// messageKinds are the kinds whose messages are read in part.
func messageKinds() map[string]*Messages {
	all := map[string]*Messages{"Secret": NewMessages(schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: "PartialObjectMetadata"})}
	for _, groupKind := range append([]string{"Event", "Node"}, typedKinds...) {
		all[groupKind] = NewMessages(optionsFor(groupKind).Kind)
	}
	return all
}

// diffMessage compares an object of a message that is read in part with that of
// the whole message.
func diffMessage(t *testing.T, messages *Messages, groupKind string, data []byte, shared *Templates) {
	t.Helper()
	opts := optionsFor(groupKind)
	opts.Shared = shared
	got, ok := messages.Object(data, opts)
	if !ok {
		return // the caller decodes it whole
	}
	whole := messages.another()
	if err := whole.Unmarshal(data); err != nil {
		return // what was dropped is malformed
	}
	want, err := Object(whole, optionsFor(groupKind))
	if err != nil {
		managed := whole.(metav1.ObjectMetaAccessor).GetObjectMeta().GetManagedFields()
		noJSON := func(f metav1.ManagedFieldsEntry) bool {
			return f.FieldsV1 != nil && !json.Valid(f.FieldsV1.GetRawBytes())
		}
		if slices.ContainsFunc(managed, noJSON) {
			return // in part, nobody reads it
		}
		t.Fatal(err)
	}
	if again, err := whole.Marshal(); err != nil || !bytes.Equal(again, data) {
		want.SpecSum, got.SpecSum = 0, 0 // another encoding of the same spec
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s decoded whole (-) and in part (+) differ:\n%s", groupKind, diff)
	}
}

// It fails if the conversion reads a field that message.txt leaves out.
func TestAMessageReadInPartIsConvertedLikeTheWholeOne(t *testing.T) {
	for groupKind, messages := range messageKinds() {
		if messages == nil {
			t.Errorf("messages of %s are decoded whole", groupKind)
			continue
		}
		t.Run(groupKind, func(t *testing.T) {
			var shared Templates
			inPart := 0
			for seed := range int64(60) {
				obj := messages.another()
				filler(seed).Fill(obj)
				if seed%2 == 0 { // half of them are not being deleted
					obj.(metav1.ObjectMetaAccessor).GetObjectMeta().SetDeletionTimestamp(nil)
				}
				if pod, ok := obj.(*corev1.Pod); ok && seed%4 == 0 {
					pod.Spec.NodeName = "node-1"
					for i := range pod.Spec.Volumes {
						pod.Spec.Volumes[i].Ephemeral = nil
					}
				}
				data, err := obj.Marshal()
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := messages.Object(data, optionsFor(groupKind)); ok {
					inPart++
				}
				for range 2 { // the second one may share what the first one has
					diffMessage(t, messages, groupKind, data, &shared)
				}
			}
			if inPart < 10 {
				t.Errorf("%d of 60 messages are read in part", inPart)
			}
		})
	}
}

// A stream's memory is used again for each object.
func TestAnObjectRefersToNothingOfItsMessage(t *testing.T) {
	for groupKind, messages := range messageKinds() {
		var all, copies []*object.Object
		for seed := range int64(60) {
			obj := messages.another()
			filler(seed).Fill(obj)
			obj.(metav1.ObjectMetaAccessor).GetObjectMeta().SetDeletionTimestamp(nil)
			data, err := obj.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			if o, ok := messages.Object(data, optionsFor(groupKind)); ok {
				whole := messages.another()
				if err := whole.Unmarshal(data); err != nil {
					t.Fatal(err)
				}
				again, err := Object(whole, optionsFor(groupKind))
				if err != nil {
					t.Fatal(err)
				}
				all, copies = append(all, o), append(copies, again)
			}
		}
		if diff := cmp.Diff(copies, all); diff != "" || len(all) == 0 {
			t.Errorf("%s: %d objects have changed since they were read (-was +is):\n%s", groupKind, len(all), diff)
		}
	}
}

func FuzzMessages(f *testing.F) {
	kinds := messageKinds()
	names := append(append([]string{"Secret", "Event"}, typedKinds...), "Node")
	for i, groupKind := range names {
		for seed := range int64(3) {
			obj := kinds[groupKind].another()
			filler(seed).Fill(obj)
			b, _ := obj.Marshal()
			f.Add(uint8(i), b)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		groupKind := names[int(which)%len(names)]
		var shared Templates
		for range 2 {
			diffMessage(t, kinds[groupKind], groupKind, b, &shared)
		}
	})
}

func TestPodsOfOneOwnerShareATemplateOverTheirMessages(t *testing.T) {
	messages := NewMessages(optionsFor("Pod").Kind)
	var shared Templates
	pod := func(name, node, image string) *corev1.Pod {
		controller := true
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web", UID: "rs", Controller: &controller}}},
			Spec: corev1.PodSpec{
				NodeName: node, Hostname: name,
				Volumes:    []corev1.Volume{{Name: "kube-api-access-" + name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}}},
				Containers: []corev1.Container{{Name: "app", Image: image, Ports: []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}}},
			},
			Status: corev1.PodStatus{Phase: "Running"},
		}
	}
	convert := func(p *corev1.Pod) (template, container any, hostPorts int) {
		data, err := p.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		opts := optionsFor("Pod")
		opts.Shared = &shared
		o, ok := messages.Object(data, opts)
		if !ok {
			t.Fatalf("%s is decoded whole", p.Name)
		}
		return o.Pod.PodTemplate, o.Pod.Containers[0].ContainerSpec, len(o.Pod.HostPorts)
	}
	template, container, _ := convert(pod("a", "node-1", "app:1"))
	again, sameContainer, ports := convert(pod("b", "node-2", "app:1"))
	if again != template || sameContainer != container || ports != 1 {
		t.Errorf("Pods of one template on two nodes share it: %v, %v, %d host ports", again == template, sameContainer == container, ports)
	}
	if other, _, _ := convert(pod("c", "node-1", "app:2")); other == template {
		t.Error("a Pod with another image has the first one's template")
	}
}

func TestPodsThatNeedAllFieldsAreDecodedWhole(t *testing.T) {
	messages := NewMessages(optionsFor("Pod").Kind)
	now := metav1.Now()
	for name, pod := range map[string]*corev1.Pod{
		"without a node": {},
		"being deleted": {
			ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now, Finalizers: []string{"example.com/hold"}}, Spec: corev1.PodSpec{NodeName: "node-1"},
		},
		"with a claim of its own": {Spec: corev1.PodSpec{NodeName: "node-1", Volumes: []corev1.Volume{
			{Name: "scratch", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}},
		}}},
	} {
		data, err := pod.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := messages.Object(data, optionsFor("Pod")); ok {
			t.Errorf("a Pod %s is read in part", name)
		}
	}
}

func TestMalformedMessagesAreRefusedWithoutAPanic(t *testing.T) {
	messages := NewMessages(optionsFor("Pod").Kind)
	data, _ := (&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.PodSpec{NodeName: "node-1"}}).Marshal()
	for cut := 1; cut < len(data); cut++ {
		_, _ = messages.Object(data[:cut], optionsFor("Pod")) // whatever it says, it does not panic
	}
	if _, ok := messages.Object([]byte(strings.Repeat("\xff", 20)), optionsFor("Pod")); ok {
		t.Error("a malformed message is read")
	}
}

// A Node has no view: what is kept of it is kept of its JSON, too.
func TestANodesMessageIsKeptLikeItsJSONAndWithoutItsImages(t *testing.T) {
	messages := NewMessages(optionsFor("Node").Kind)
	inPart := 0
	for seed := range int64(30) {
		node := &corev1.Node{}
		filler(seed).Fill(node)
		node.DeletionTimestamp = nil
		for range 50 {
			node.Status.Images = append(node.Status.Images, corev1.ContainerImage{Names: []string{strings.Repeat("registry.example.com/app", 20)}, SizeBytes: 7})
		}
		data, err := node.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		got, ok := messages.Object(data, optionsFor("Node"))
		if !ok {
			continue
		}
		inPart++
		if len(messages.kept) > len(data)/2 {
			t.Errorf("%d of %d bytes are decoded", len(messages.kept), len(data))
		}
		js, err := json.Marshal(node)
		if err != nil {
			t.Fatal(err)
		}
		want, err := JSON(js, optionsFor("Node"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("a Node from JSON (-) and from its message (+) differ:\n%s", diff)
		}
	}
	if inPart < 20 {
		t.Errorf("%d of 30 messages are read in part", inPart)
	}
}
