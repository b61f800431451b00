package watch

import (
	"math/rand"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func marshaled(t *testing.T, pod *corev1.Pod) []byte {
	t.Helper()
	b, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A remembered spec must never stand for one that says something else: pods
// with random contents, each followed by one that differs in its status and
// metadata, and mostly in one field of its spec or of a container.
func TestARememberedSpecIsThatOfThePod(t *testing.T) {
	shared, differed := 0, 0
	for seed := range int64(200) {
		rnd := rand.New(rand.NewSource(seed))
		fill := filler(seed)
		first := &corev1.Pod{}
		fill.Fill(first)
		if rnd.Intn(4) > 0 {
			first.Spec.NodeName = "worker-1"
		}
		if rnd.Intn(4) > 0 {
			for i := range first.Spec.Volumes {
				first.Spec.Volumes[i].Ephemeral = nil
			}
		}
		second := first.DeepCopy()
		fill.Fill(&second.Status)
		fill.Fill(&second.ObjectMeta)
		same := rnd.Intn(3) == 0
		if !same {
			part := reflect.ValueOf(&second.Spec).Elem()
			if n := len(second.Spec.Containers); n > 0 && rnd.Intn(2) == 0 {
				part = reflect.ValueOf(&second.Spec.Containers[rnd.Intn(n)]).Elem()
			}
			fill.Fill(part.Field(rnd.Intn(part.NumField())).Addr().Interface())
		}
		var specs podSpecs
		var got [3]*status.Object
		for i, pod := range []*corev1.Pod{first, second, first} {
			b := marshaled(t, pod)
			want, err := decodeProto(b, podsRes, status.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got[i], err = specs.decode(b, podsRes, status.DecodeOptions{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got[i]); diff != "" {
				t.Fatalf("seed %d, pod %d: read alone (-) and after another (+) differ:\n%s", seed, i, diff)
			}
			if i == 2 { // nor did the others write to what is shared
				if diff := cmp.Diff(want, got[0]); diff != "" {
					t.Fatalf("seed %d: the first pod was changed:\n%s", seed, diff)
				}
			}
		}
		switch len(specs.of) {
		case 1:
			shared++
		case 2:
			differed++
		}
	}
	if shared < 20 || differed < 20 {
		t.Errorf("%d pairs shared a spec and %d did not: the test shows nothing", shared, differed)
	}
}

// What the API server and the admission write into each pod anew must not make
// every pod's spec one of its own.
func TestPodsOfOneTemplateShareTheirSpec(t *testing.T) {
	pod := func(name, node, token string) *corev1.Pod {
		p := &corev1.Pod{}
		p.Name = name
		p.Spec = corev1.PodSpec{
			NodeName: node, Hostname: name,
			Volumes: []corev1.Volume{{Name: token, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}}},
			Containers: []corev1.Container{{
				Name: "app", Image: "app:1", VolumeMounts: []corev1.VolumeMount{{Name: token, MountPath: "/var/run/secrets"}},
				Env: []corev1.EnvVar{{Name: "MODE", Value: "production"}},
			}},
		}
		return p
	}
	read := func(s *podSpecs, p *corev1.Pod) *status.Object {
		o, err := s.decode(marshaled(t, p), podsRes, status.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	var s podSpecs
	a := read(&s, pod("web-a", "worker-1", "kube-api-access-aaaaa"))
	b := read(&s, pod("web-b", "worker-2", "kube-api-access-bbbbb"))
	if a.Pod.PodTemplate != b.Pod.PodTemplate || a.Pod.Containers[0].ContainerSpec != b.Pod.Containers[0].ContainerSpec {
		t.Error("two pods of one template were read twice")
	}
	if b.Pod.Node != "worker-2" {
		t.Errorf("the second pod is on %q, want worker-2", b.Pod.Node)
	}
	// Where it may go is said only of a pod that waits for a node.
	if c := read(&s, pod("web-c", "", "kube-api-access-ccccc")); c.Pod.Placement == nil || c.Pod.PodTemplate == a.Pod.PodTemplate {
		t.Error("a pod without a node was read as one that has a node")
	}
	other := pod("web-d", "worker-1", "kube-api-access-ddddd")
	other.Spec.Containers[0].Image = "app:2"
	if d := read(&s, other); d.Pod.Containers[0].Image != "app:2" {
		t.Errorf("the image is %q, want app:2", d.Pod.Containers[0].Image)
	}
}
