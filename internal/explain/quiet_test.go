package explain

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// heldQuiet holds what is quiet against a look at it.
func heldQuiet(t testing.TB, w *world, s Snapshot) {
	t.Helper()
	for id, o := range w.objects {
		l := &look{}
		if w.judged[id].Status == status.Current && Quiet(o) && (at(l, &s, id) != nil || len(l.reads)+len(l.needs) > 0 || !l.recheck.IsZero()) {
			t.Errorf("%s is quiet, and there is something to tell about it", id)
		}
	}
}

func TestAPodIsQuietWhileNoContainerHasATale(t *testing.T) {
	pod := func(change func(*object.Object)) *object.Object {
		o := &object.Object{
			ID:         object.ID{Kind: "Pod", Namespace: "shop", Name: "web-0"},
			Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "True"}}},
			Pod: &object.Pod{Phase: "Running", Containers: []object.Container{
				{ContainerSpec: &object.ContainerSpec{Kind: object.InitContainer}, State: object.ContainerState{Kind: "terminated", Reason: "Completed"}},
				{ContainerSpec: &object.ContainerSpec{}, Ready: true, Started: true, State: object.ContainerState{Kind: "running"}},
			}},
		}
		if change != nil {
			change(o)
		}
		return o
	}
	if !Quiet(pod(nil)) {
		t.Error("a pod that runs and is ready is not quiet")
	}
	for name, change := range map[string]func(*object.Object){
		"it is being deleted":      func(o *object.Object) { o.Deleted = time.Unix(1, 0) },
		"it has failed":            func(o *object.Object) { o.Pod.Phase = "Failed" },
		"it is not ready":          func(o *object.Object) { o.Conditions[0].Status = "False" },
		"its resize is pending":    func(o *object.Object) { o.Conditions[0].Type = "PodResizePending" },
		"a container is not ready": func(o *object.Object) { o.Pod.Containers[1].Ready = false },
		"a container waits":        func(o *object.Object) { o.Pod.Containers[1].State.Kind = "waiting" },
		"a container came back": func(o *object.Object) {
			o.Pod.Containers[1].Prior = &object.ContainerState{Kind: "terminated", ExitCode: 1}
		},
		"an init container failed": func(o *object.Object) { o.Pod.Containers[0].State.ExitCode = 1 },
		"a container ended":        func(o *object.Object) { o.Pod.Containers[0].Kind = object.MainContainer },
	} {
		if Quiet(pod(change)) {
			t.Errorf("%s, and it is quiet", name)
		}
	}
}
