package model

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// judge is the one place where an object's status is decided.
//
// For now it reads little more than conditions; it gives way to status.Assess.
func judge(o *status.Object, w status.World, now time.Time) status.Assessment {
	a := status.Assessment{Status: status.Current, Deciding: -1, Confidence: status.Assumed, Rule: "interim"}
	if !o.Deleted.IsZero() {
		a.Status, a.Reason, a.Message = status.Terminating, "Deleting", "waiting for finalizers or for the node"
		return a
	}
	if o.Observed.Set && o.Generation.Set && o.Observed.V != o.Generation.V {
		a.Status, a.Reason = status.InProgress, "ObservedGenerationBehind"
		return a
	}
	if p := o.Pod; p != nil {
		for i := range p.Containers {
			c := &p.Containers[i]
			switch c.State.Reason {
			case "ImagePullBackOff", "ErrImagePull", "CrashLoopBackOff", "CreateContainerConfigError":
				a.Status, a.Reason, a.Message = status.Failed, c.State.Reason, c.State.Message
				return a
			}
		}
		if r := o.Condition("Ready"); p.Phase != "Succeeded" && (r == nil || r.Status != "True") {
			a.Status, a.Reason = status.InProgress, "ContainersNotReady"
		}
		return a
	}
	if wl := o.Workload; wl != nil {
		if want := wl.Replicas.Or(1); wl.Available.Or(0) < want || wl.Ready.Or(0) < want {
			a.Status, a.Reason = status.InProgress, "ReplicasNotReady"
			for _, c := range w.Children {
				if c.Assessment.Status == status.Failed {
					a.Status, a.Child = status.Failed, c.Object.ID
				}
			}
		}
		return a
	}
	for i, c := range o.Conditions {
		if c.Type == "Ready" && c.Status != "True" {
			a.Status, a.Reason, a.Message, a.Deciding = status.InProgress, c.Reason, c.Message, i
		}
	}
	return a
}
