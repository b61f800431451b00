package convert

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestPodsOfOneOwnerShareTheirTemplate(t *testing.T) {
	var shared Templates
	pod := func(owner, name, image string, with *Templates) *object.Object {
		opts := optionsFor("Pod")
		opts.Shared = with
		o, err := JSON(fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": %q, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": %q, "uid": %[2]q, "controller": true}]},
			"spec": {"containers": [{"name": "app", "image": %q, "readinessProbe": {"httpGet": {"path": "/ready", "port": 80}}}], "volumes": [{"name": "c", "configMap": {"name": "web"}}]},
			"status": {"phase": "Running"}}`, name, owner, image), opts)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	first := pod("web-1", "a", "app:1", &shared)
	for _, c := range []struct {
		owner, image string
		want         bool
	}{{"web-1", "app:1", true}, {"web-2", "app:1", false}, {"web-1", "app:2", false}} {
		o := pod(c.owner, "b", c.image, &shared)
		if diff := cmp.Diff(pod(c.owner, "b", c.image, nil), o); diff != "" {
			t.Errorf("%s %s is another one:\n%s", c.owner, c.image, diff)
		}
		if got := o.Pod.PodTemplate == first.Pod.PodTemplate; got != c.want {
			t.Errorf("%s %s: template shared: %v", c.owner, c.image, got)
		}
		if got := o.Pod.Containers[0].ContainerSpec == first.Pod.Containers[0].ContainerSpec; got != c.want {
			t.Errorf("%s %s: container shared: %v", c.owner, c.image, got)
		}
	}
}

func TestTemplatesOfPodsThatAreGoneAreNotKept(t *testing.T) {
	var shared Templates
	for i := range 3 {
		o, err := JSON(fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-%d", "namespace": "shop", "uid": "u%[1]d",
			"ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "rs", "controller": true}]},
			"spec": {"containers": [{"name": "app", "image": "web:1"}]}}`, i), Options{Kind: optionsFor("Pod").Kind, Shared: &shared})
		if err != nil || len(o.Pod.Containers) != 1 {
			t.Fatal(o, err)
		}
	}
	runtime.GC()
	for _, known := range shared.byOwner {
		if known.pod.Value() != nil || known.containers[0].Value() != nil {
			t.Error("a template outlives the Pods that have it")
		}
	}
	if len(shared.byOwner) != 1 {
		t.Errorf("%d owners", len(shared.byOwner))
	}
}
