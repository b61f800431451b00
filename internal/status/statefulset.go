package status

import (
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func statefulSet(j *judge) Assessment {
	w := j.o.Workload
	spec, have, ready := w.Replicas.Or(1), w.StatusReplicas.V, w.Ready.V
	partition, leaving := w.Partition.Or(0), j.w.Children.leaving(j.o)
	sameRevision, onDelete := w.CurrentRevision == w.UpdateRevision, w.Strategy == "OnDelete"
	// A controller that leaves updatedReplicas out while there is one revision counts them in
	// currentReplicas (kubernetes/kubernetes#68573).
	updatedKnown := w.Updated.Set || w.UpdateRevision != "" && (!sameRevision || w.Current.V < spec)
	var a Assessment
	switch {
	case j.holds(spec > have, "replicas", "replicas are missing", "spec.replicas status.replicas"):
		a = j.progress("ReplicasMissing", of(have, spec, " replicas exist"))
	case j.holds(spec > ready, "readyReplicas", "replicas are not ready", "spec.replicas status.readyReplicas"):
		a = j.progress("ReplicasNotReady", of(ready, spec, " replicas ready"))
	case j.holds(have > spec, "extraReplicas", "there are too many replicas", "spec.replicas status.replicas"):
		return j.progress("ReplicasTerminating", count(have-spec, "replica")+" to go")
	case j.holds(w.MinReadySeconds.V > 0 && w.Available.Set && spec > w.Available.V, "availableReplicas",
		"replicas have not been ready for minReadySeconds", "spec.minReadySeconds status.availableReplicas"):
		a = j.progress("ReplicasUnavailable", "%d of %d replicas available (ready for at least %ds)",
			w.Available.V, spec, w.MinReadySeconds.V)
	case j.holds(!onDelete && w.Updated.V < spec-partition && updatedKnown,
		"updatedReplicas", "replicas are outdated",
		"spec.replicas spec.updateStrategy.rollingUpdate.partition status.updatedReplicas"):
		a = j.progress("ReplicasOutdated", of(w.Updated.V, spec-partition, " replicas updated"))
		if partition > 0 {
			a.Message += fmt.Sprintf(" above partition %d", partition)
		}
	case j.holds(leaving != nil, "leaving", "its controller replaces a pod", ""):
		return j.progress("ReplicasTerminating", leaving.Object.String()+" is to be replaced")
	case j.holds(onDelete, "onDelete", "pods are replaced when somebody deletes them", "spec.updateStrategy.type"):
		a = j.current(count(ready, "replica") + " ready")
		if old := have - w.Updated.V; !sameRevision && old > 0 {
			a.Note = count(old, "pod") + " of the old revision until somebody deletes them (OnDelete)"
		}
		return a
	case j.holds(partition > 0 && !sameRevision, "partition", "all replicas above the partition are updated",
		"spec.updateStrategy.rollingUpdate.partition status.updatedReplicas"):
		return j.current(count(ready, "replica")+" ready").
			noted("updated down to partition %d: %s of the old revision kept", partition,
				count(max(have-w.Updated.V, 0), "pod"))
	default:
		return j.by("done", "spec.replicas status.readyReplicas status.updateRevision").current(available(have))
	}
	missing := spec - ready
	if w.PodManagement != "Parallel" { // one broken Pod blocks all that follow
		missing = min(missing, 1)
	}
	return j.byPods(a, "every missing replica fails", j.w.Children.failingPods(), missing, a.Message)
}

// leaving is a Pod of a StatefulSet that the counters hold for a good one and the
// controller for one to be replaced, or nil: one that is being deleted, beyond the
// ordinals, or above the partition and of another revision, as after a canary was given
// up (computeReplicaStatus and updateStatefulSet in
// pkg/controller/statefulset/stateful_set_control.go, v1.36).
func (list Children) leaving(set *object.Object) *Child {
	w, wanted := set.Workload, kinds.OrdinalsOf(set.Workload)
	return list.newest(func(c *Child) bool {
		n, ok := kinds.Ordinal(c.Object.Name, set.Name)
		revision, _ := c.Object.Label("controller-revision-hash")
		outdated := w.Strategy != "OnDelete" && w.UpdateRevision != "" &&
			revision != w.UpdateRevision && n >= wanted.First+w.Partition.V
		return c.Object.Pod != nil && (!c.Object.Deleted.IsZero() || ok && (!wanted.Has(n) || outdated))
	})
}
