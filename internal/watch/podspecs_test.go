package watch

import (
	"math/rand"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
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
		var got [3]*object.Object
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
	read := func(s *podSpecs, p *corev1.Pod) *object.Object {
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
	// Each pod of a DaemonSet names its node, and each of a StatefulSet its host.
	named := pod("web-e", "worker-3", "kube-api-access-eeeee")
	named.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: "In", Values: []string{"worker-3"}}}}},
	}}}
	if e := read(&s, named); e.Pod.PodTemplate != a.Pod.PodTemplate {
		t.Error("a pod that names its node was read once more")
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

// Plain pods are read by a reader of their own. Their metadata and status are
// random here; what is not plain is thrown in now and then.
func TestAPlainPodIsReadAsAnyOther(t *testing.T) {
	plain, left := 0, 0
	for seed := range int64(400) {
		rnd := rand.New(rand.NewSource(seed))
		fill := filler(seed)
		pod := &corev1.Pod{}
		pod.Spec.NodeName = "worker-1"
		for _, name := range []string{"app", "proxy"} {
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: name, Image: name + ":1"})
		}
		always := corev1.ContainerRestartPolicyAlways
		pod.Spec.InitContainers = []corev1.Container{{Name: "setup", Image: "setup:1"}, {Name: "mesh", Image: "mesh:1", RestartPolicy: &always}}
		var specs podSpecs
		if _, err := specs.decode(marshaled(t, pod), podsRes, status.DecodeOptions{}); err != nil || len(specs.of) != 1 {
			t.Fatalf("the spec was not learned: %v", err)
		}
		for range 2 { // the second shares what it has in common with the first
			fill.Fill(&pod.ObjectMeta)
			fill.Fill(&pod.Status)
			odd := func() bool { return rnd.Intn(12) == 0 }
			if !odd() {
				pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds, pod.Finalizers = nil, nil, nil
			}
			if !odd() {
				pod.Status.QOSClass = ""
			}
			if !odd() {
				pod.Status.ObservedGeneration, pod.Generation = 3, 3
			}
			for i, list := range []*[]corev1.ContainerStatus{&pod.Status.ContainerStatuses, &pod.Status.InitContainerStatuses} {
				names := [][]string{{"proxy", "app"}, {"setup", "mesh"}}[i]
				if *list = (*list)[:min(len(*list), 2)]; odd() {
					continue
				}
				for j := range *list {
					(*list)[j].Name = names[j]
				}
			}
			if !odd() {
				pod.Status.EphemeralContainerStatuses = nil
			}
			if pod.Labels != nil && rnd.Intn(2) == 0 {
				pod.Labels["app"] = "web"
				pod.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "today", "batch.kubernetes.io/x": `a "quoted" one`}
				if rnd.Intn(2) == 0 {
					pod.Annotations["batch.kubernetes.io/x"] = "tab\there"
				}
				if !odd() {
					delete(pod.Annotations, "batch.kubernetes.io/x")
				}
			}
			b := marshaled(t, pod)
			want, err := decodeProto(b, podsRes, status.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, known := range specs.of {
				if parts, ok := partsOfPod(b); ok && plainPod(&parts, podsRes, known.spec, &known.common) != nil {
					plain++
				} else {
					left++
				}
			}
			got, err := specs.decode(b, podsRes, status.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: read alone (-) and as a plain pod (+) differ:\n%s", seed, diff)
			}
		}
	}
	if plain < 100 || left < 100 {
		t.Errorf("%d pods were plain and %d were not: the test shows nothing", plain, left)
	}
}

// Bytes that no API server would write are read as they always were.
func FuzzPlainPod(f *testing.F) {
	b, err := bigPod().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	var specs podSpecs
	if _, err := specs.decode(b, podsRes, status.DecodeOptions{}); err != nil {
		f.Fatal(err)
	}
	f.Add(b[:0:0], 0)
	f.Add([]byte{0x0a, 0x00, 0x0a, 0x00}, len(b))
	f.Add([]byte{0x1a, 0x02, 0x0a, 0x00}, len(b))
	f.Fuzz(func(t *testing.T, piece []byte, at int) {
		at = min(max(at, 0), len(b))
		odd := append(append(append([]byte{}, b[:at]...), piece...), b[at:]...)
		want, wantErr := decodeProto(odd, podsRes, status.DecodeOptions{})
		got, err := specs.decode(odd, podsRes, status.DecodeOptions{})
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("error %v, want %v", err, wantErr)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("read alone (-) and as a plain pod (+) differ:\n%s", diff)
		}
	})
}
