package inspect

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// ScheduledAt is when a Pod was scheduled, or else created.
func ScheduledAt(pod *object.Object) time.Time {
	if x := pod.ConditionIs("PodScheduled", "True"); x != nil && x.LastTransitionTime.After(pod.Created) {
		return x.LastTransitionTime
	}
	return pod.Created
}

// Leaving are the terminating Pods that have not ended.
func Leaving(list []*object.Object) []*object.Object {
	var out []*object.Object
	for _, p := range list {
		if p.Pod != nil && !p.Deleted.IsZero() && p.Pod.Phase != "Succeeded" && p.Pod.Phase != "Failed" {
			out = append(out, p)
		}
	}
	return out
}

// DeletionRequested is when the deletion of an object was asked for: a Pod's deletion
// timestamp is the end of its grace period.
func DeletionRequested(o *object.Object) time.Time {
	if o.Pod == nil {
		return o.Deleted
	}
	return o.Deleted.Add(-time.Duration(o.Pod.GracePeriod.Or(0)) * time.Second)
}

// Replaced reports whether another Pod takes this one's place before it has
// ended, as a ReplicaSet arranges, unless it is deleted too or its Deployment
// recreates.
func Replaced(in *Inspector) bool {
	w, ok := in.Object.Controller()
	if !ok || w.Kind != "ReplicaSet" {
		return false
	}
	rs := in.Snapshot.Object(in.ID("apps", "ReplicaSet", w.Name))
	if rs == nil || !rs.Deleted.IsZero() {
		return false
	}
	if d, ok := rs.Controller(); ok && d.Kind == "Deployment" {
		o := in.Snapshot.Object(in.ID("apps", "Deployment", d.Name))
		return o != nil && o.Workload != nil && o.Workload.Strategy != "Recreate" && o.Deleted.IsZero()
	}
	return true
}

// BeingSetUp reports whether the kubelet is setting a Pod up: its containers are
// still to be created.
func BeingSetUp(o *object.Object) bool {
	p := o.Pod
	if p == nil || p.Node == "" || !o.Deleted.IsZero() || p.Phase != "Pending" {
		return false
	}
	if x := o.ConditionIs("PodReadyToStartContainers", "True"); x != nil {
		return false
	}
	for i := range p.Containers {
		switch c := &p.Containers[i]; {
		case c.State.Kind == "", c.State.Reason == "ContainerCreating", c.State.Reason == "PodInitializing":
			return true
		}
	}
	return len(p.Containers) == 0
}

// SameIndex reports whether two Pods of a Job have the same completion index.
func SameIndex(a, b *object.Object) bool {
	x, _ := a.Annotation(IndexKey)
	y, _ := b.Annotation(IndexKey)
	return x == y
}

// IndexKey is the annotation with a Pod's completion index.
const IndexKey = "batch.kubernetes.io/job-completion-index"
