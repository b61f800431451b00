package explain

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
)

// outdated reports whether the object belongs to an old revision, or is a Job's
// Pod that another has replaced: its problems block nothing.
func outdated(in *inspect.Inspector) bool {
	o := in.Object
	owner, ok := o.Controller()
	if !ok {
		return false
	}
	switch {
	case o.Kind == "ReplicaSet" && owner.Kind == "Deployment":
		n := in.NewestReplicaSet(in.ID("apps", "Deployment", owner.Name))
		return n != nil && n.UID != o.UID && n.Name != o.Name
	case o.Kind == "Pod" && owner.Kind == "ReplicaSet":
		rs := in.Get(in.ID("apps", "ReplicaSet", owner.Name))
		if rs == nil {
			return false
		}
		if dep, ok := rs.Controller(); ok && dep.Kind == "Deployment" {
			n := in.NewestReplicaSet(in.ID("apps", "Deployment", dep.Name))
			if n != nil && n.Name != rs.Name {
				return true
			}
		}
		// An ended Pod is history once its ReplicaSet has all its Pods.
		if w := rs.Workload; w != nil && o.Pod != nil && (o.Pod.Phase == "Failed" || o.Pod.Phase == "Succeeded") {
			return w.Ready.Or(0) >= w.Replicas.Or(1)
		}
	case o.Kind == "Pod" && owner.Kind == "Job":
		for _, c := range in.Children(in.ID("batch", "Job", owner.Name)) {
			if c.Kind == "Pod" && c.UID != o.UID && c.Created.After(o.Created) && inspect.SameIndex(c, o) {
				return true
			}
		}
	}
	return false
}
