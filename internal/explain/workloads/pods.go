package workloads

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// minReady finds MinReadyWait: ready, but not for minReadySeconds yet.
func minReady(in *inspect.Inspector, of object.ID, w *object.Workload, want int64) {
	min := w.MinReadySeconds.Or(0)
	if min <= 0 || w.Ready.Or(0) < want || w.Available.Or(0) >= want {
		return
	}
	f := in.Find(codes.MinReadyWait, "ready, and becomes available after %s of being so (minReadySeconds)",
		wording.Span(time.Duration(min)*time.Second))
	f.Prove("spec.minReadySeconds", min)
	ready, available := "status.readyReplicas", "status.availableReplicas"
	if in.Object.Kind == "DaemonSet" {
		ready, available = "status.numberReady", "status.numberAvailable"
	}
	f.Prove(ready, w.Ready.Or(0))
	f.Prove(available, w.Available.Or(0))
	for _, p := range podsOf(in, of) {
		if x := p.ConditionIs("Ready", "True"); x != nil {
			at := x.LastTransitionTime.Add(time.Duration(min) * time.Second)
			if at.After(in.Now()) && at.After(f.Until) {
				f.Until, f.UntilWhat = at, "available"
			}
		}
	}
}

// podsOf lists a workload's Pods, through its newest ReplicaSet if it has some.
func podsOf(in *inspect.Inspector, of object.ID) []*object.Object {
	children := in.Children(of)
	if n := in.NewestReplicaSet(of); n != nil {
		children = in.Children(n.ID)
	}
	out := make([]*object.Object, 0, len(children))
	for _, c := range children {
		if c != nil && c.Kind == "Pod" && c.Pod != nil {
			out = append(out, c)
		}
	}
	return out
}

func init() {
	inspect.Detect(inspect.Detector{
		Kinds: []string{"apps/Deployment", "apps/StatefulSet", "apps/DaemonSet"}, Find: selectsAll,
	})
}

// selectsAll finds SelectorConflict.
func selectsAll(in *inspect.Inspector) {
	if e, ok := in.Event(in.Object.ID, "SelectingAll", "ConflictingController"); ok {
		f := in.FindEvent(codes.SelectorConflict, e, "%s", message.Short(e.Message, 160))
		if e.Reason == "SelectingAll" {
			f.Say("its selector is empty: %s", f.Title())
		}
	}
}

// byHand finds OnDelete. The operator that made a workload may delete its Pods itself, in an order
// that is safe for its data (elastic/cloud-on-k8s, pkg/controller/elasticsearch/driver/upgrade.go,
// v2.8), or leave that to somebody: no command deletes them.
func byHand(in *inspect.Inspector, pods string) *inspect.Finding {
	f := in.Find(codes.OnDelete,
		"the old revision runs until its pods are deleted by hand (updateStrategy OnDelete): %s", pods)
	f.Prove("spec.updateStrategy.type", "OnDelete")
	if owner := controllerOf(in.Object); owner != "" {
		f.Say("the old revision runs until its pods are deleted by %s or by hand (updateStrategy OnDelete): %s", owner, pods)
	}
	return f
}

// controllerOf is the kind and name of the object that made another one, or "".
func controllerOf(o *object.Object) string {
	for _, owner := range o.Owners {
		if owner.Controller {
			return owner.Kind + " " + owner.Name
		}
	}
	return ""
}
