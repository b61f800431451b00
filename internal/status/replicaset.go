package status

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// replicaSet judges a ReplicationController too.
func replicaSet(j *judge) Assessment {
	o, w := j.o, j.o.Workload
	spec, have := w.Replicas.Or(1), w.StatusReplicas.V
	if i := o.ConditionIndex("ReplicaFailure", "True"); j.replicaFailure(i) {
		return j.fault("ReplicaFailure", "pods cannot be created").from(o, i)
	}
	var a Assessment
	switch {
	case j.holds(spec > w.FullyLabeled.V, "replicas", "replicas are missing",
		"spec.replicas status.fullyLabeledReplicas"):
		a = j.progress("ReplicasMissing", of(w.FullyLabeled.V, spec, " replicas exist"))
	case j.holds(spec > w.Available.V, "availableReplicas", "replicas are not available",
		"spec.replicas status.availableReplicas"):
		a = j.progress("ReplicasUnavailable", of(w.Available.V, spec, " replicas available"))
	case j.holds(spec > w.Ready.V, "readyReplicas", "replicas are not ready", "spec.replicas status.readyReplicas"):
		a = j.progress("ReplicasNotReady", of(w.Ready.V, spec, " replicas ready"))
	case j.holds(have > spec, "extraReplicas", "there are too many replicas", "spec.replicas status.replicas"):
		return j.progress("ReplicasTerminating", count(have-spec, "replica")+" to go")
	default:
		return j.by("done", "spec.replicas status.availableReplicas").current(available(have))
	}
	missing, message := spec-w.Available.V, of(w.Available.V, spec, " replicas available")
	if b, hit := j.refused(missing, message); hit {
		return b
	}
	return j.byPods(a, "every missing replica fails", j.w.Children.failingPods(), missing, message)
}

// A series of refusals is at least this many Pods within this time (a ReplicaSet's
// back-off is a second to some minutes).
const (
	refusals      = 3
	refusedRecent = 6 * time.Minute
)

// refused recognises a ReplicaSet whose Pods a kubelet refuses one after the
// other (a forbidden sysctl, an affinity that the node no longer meets): each
// fails at once and is replaced, so that no Pod fails for long and only the
// Deployment's deadline ends it. The missing replicas have been failing since
// the first refusal of the series. A Pod that has just been bound does not end
// the series; one that runs or starts does.
func (j *judge) refused(missing int64, message string) (Assessment, bool) {
	var first, last *Child
	refusedPods, startingOrRunning := 0, int64(0)
	for i := range j.w.Children {
		c := &j.w.Children[i]
		o := c.Object
		switch {
		case o == nil || o.Pod == nil || !o.Deleted.IsZero() || o.Pod.Phase == "Succeeded":
		case o.Pod.Phase != "Failed":
			if o.Pod.Phase != "Pending" || j.now.Sub(o.Created) > 5*time.Second {
				startingOrRunning++
			}
		case turnedAway(o.Pod) && j.now.Sub(o.Created) <= refusedRecent:
			refusedPods++
			if first == nil || o.Created.Before(first.Object.Created) {
				first = c
			}
			if last == nil || o.Created.After(last.Object.Created) {
				last = c
			}
		}
	}
	if !j.holds(refusedPods >= refusals && startingOrRunning < missing, "refused",
		"a node refuses its pods one after the other", "") {
		return Assessment{}, false
	}
	p := last.Object.Pod
	why := cmp.Or(strings.TrimPrefix(p.Message, "Pod was rejected: "), p.Reason)
	a := j.fault(p.Reason, message+"; node "+p.Node+" refuses its pods: "+why).since(first.Object.Created)
	a.Child = last.Object.ID
	return a, true
}

// turnedAway reports whether a kubelet refused a Pod that never ran.
func turnedAway(p *object.Pod) bool {
	switch p.Reason {
	case "", "Evicted", "Terminated", "NodeShutdown", "Shutdown", "NodeLost", "Preempting", "DeadlineExceeded":
		return false
	}
	return !slices.ContainsFunc(p.Containers,
		func(c object.Container) bool { return c.State.Kind == "running" || c.State.Kind == "terminated" })
}
