package status

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The readers of Deployment, ReplicaSet, ReplicationController, StatefulSet
// and DaemonSet: kstatus's counters, and on top of them pausing, deadlines,
// OnDelete, minReadySeconds, and what the children say.
var (
	workloadSilent = newRule("workload.silent", "its controller has not spoken yet", "status.observedGeneration")

	deploymentDeadline = newRule("apps/Deployment.deadline", "its progress deadline has passed", "status.conditions[Progressing]", "spec.progressDeadlineSeconds")
	replicaFailure     = newRule("apps/ReplicaSet.replicaFailure", "pods cannot be created", "status.conditions[ReplicaFailure]")
	deploymentFailure  = newRule("apps/Deployment.replicaFailure", "pods cannot be created", "status.conditions[ReplicaFailure]")
	deploymentNewest   = newRule("apps/Deployment.newReplicaSet", "the newest ReplicaSet fails")
	deploymentPaused   = newRule("apps/Deployment.paused", "it is paused with something left to do", "spec.paused", "status.updatedReplicas")
	deploymentReplicas = newRule("apps/Deployment.replicas", "replicas are missing", "spec.replicas", "status.replicas")
	deploymentUpdated  = newRule("apps/Deployment.updatedReplicas", "replicas are outdated", "spec.replicas", "status.updatedReplicas")
	deploymentExtra    = newRule("apps/Deployment.oldReplicas", "old replicas are still there", "spec.replicas", "status.replicas")
	deploymentAvail    = newRule("apps/Deployment.availableReplicas", "replicas are not available", "status.updatedReplicas", "status.availableReplicas")
	deploymentReady    = newRule("apps/Deployment.readyReplicas", "replicas are not ready", "spec.replicas", "status.readyReplicas")
	deploymentSettled  = newRule("apps/Deployment.progressing", "the new ReplicaSet is not yet called available", "status.conditions[Progressing]")
	deploymentMinimum  = newRule("apps/Deployment.available", "the minimum is not available", "status.conditions[Available]")
	deploymentDone     = newRule("apps/Deployment.done", "all replicas are updated and available", "spec.replicas", "status.replicas", "status.updatedReplicas", "status.availableReplicas")

	setPods     = newRule("apps/ReplicaSet.pods", "every missing replica fails")
	setRefused  = newRule("apps/ReplicaSet.refused", "a node refuses its pods one after the other")
	setLabelled = newRule("apps/ReplicaSet.replicas", "replicas are missing", "spec.replicas", "status.fullyLabeledReplicas")
	setAvail    = newRule("apps/ReplicaSet.availableReplicas", "replicas are not available", "spec.replicas", "status.availableReplicas")
	setReady    = newRule("apps/ReplicaSet.readyReplicas", "replicas are not ready", "spec.replicas", "status.readyReplicas")
	setExtra    = newRule("apps/ReplicaSet.extraReplicas", "there are too many replicas", "spec.replicas", "status.replicas")
	setDone     = newRule("apps/ReplicaSet.done", "all replicas are available", "spec.replicas", "status.availableReplicas")

	statefulTrap      = newRule("apps/StatefulSet.rollbackTrap", "a broken pod of an old revision blocks the update", "status.updateRevision")
	statefulPods      = newRule("apps/StatefulSet.pods", "every missing replica fails")
	statefulReplicas  = newRule("apps/StatefulSet.replicas", "replicas are missing", "spec.replicas", "status.replicas")
	statefulReady     = newRule("apps/StatefulSet.readyReplicas", "replicas are not ready", "spec.replicas", "status.readyReplicas")
	statefulExtra     = newRule("apps/StatefulSet.extraReplicas", "there are too many replicas", "spec.replicas", "status.replicas")
	statefulAvail     = newRule("apps/StatefulSet.availableReplicas", "replicas have not been ready for minReadySeconds", "spec.minReadySeconds", "status.availableReplicas")
	statefulOnDelete  = newRule("apps/StatefulSet.onDelete", "pods are replaced when somebody deletes them", "spec.updateStrategy.type")
	statefulUpdated   = newRule("apps/StatefulSet.updatedReplicas", "replicas are outdated", "spec.replicas", "spec.updateStrategy.rollingUpdate.partition", "status.updatedReplicas")
	statefulPartition = newRule("apps/StatefulSet.partition", "all replicas above the partition are updated", "spec.updateStrategy.rollingUpdate.partition", "status.updatedReplicas")
	statefulDone      = newRule("apps/StatefulSet.done", "all replicas are updated and ready", "spec.replicas", "status.readyReplicas", "status.updateRevision")

	daemonSilent   = newRule("apps/DaemonSet.desired", "it does not say how many pods it wants", "status.desiredNumberScheduled")
	daemonPods     = newRule("apps/DaemonSet.pods", "every missing pod fails")
	daemonNodes    = newRule("apps/DaemonSet.noNodes", "no node matches", "status.desiredNumberScheduled")
	daemonCurrent  = newRule("apps/DaemonSet.currentNumberScheduled", "nodes lack their pod", "status.desiredNumberScheduled", "status.currentNumberScheduled")
	daemonUpdated  = newRule("apps/DaemonSet.updatedNumberScheduled", "pods are outdated", "status.desiredNumberScheduled", "status.updatedNumberScheduled")
	daemonOnDelete = newRule("apps/DaemonSet.onDelete", "pods are replaced when somebody deletes them", "spec.updateStrategy.type")
	daemonAvail    = newRule("apps/DaemonSet.numberAvailable", "pods are not available", "status.desiredNumberScheduled", "status.numberAvailable")
	daemonReady    = newRule("apps/DaemonSet.numberReady", "pods are not ready", "status.desiredNumberScheduled", "status.numberReady")
	daemonDone     = newRule("apps/DaemonSet.done", "every node has its pod", "status.desiredNumberScheduled", "status.numberAvailable")
)

// unspoken reports whether the controller of a workload has written nothing.
func (j *judge) unspoken() bool {
	o, w := j.o, j.o.Workload
	return !o.Observed.Set && !o.ObservedText.Set && len(o.Conditions) == 0 &&
		!w.StatusReplicas.Set && !w.Desired.Set && !w.Ready.Set && !w.Available.Set
}

func (j *judge) deployment() Assessment {
	o, w := j.o, j.o.Workload
	if j.holds(workloadSilent, j.unspoken()) {
		return j.silent(workloadSilent)
	}
	newest := j.newestReplicaSet()
	progressing := -1
	for i := range o.Conditions {
		if o.Conditions[i].Type == "Progressing" {
			progressing = i
		}
	}
	if j.holds(deploymentDeadline, progressing >= 0 && o.Conditions[progressing].Reason == "ProgressDeadlineExceeded") {
		c := &o.Conditions[progressing]
		a := j.failed(deploymentDeadline, c.Reason, orText(c.Message, "the progress deadline has passed"), newestOf(c)).decided(progressing)
		if newest != nil && newest.Assessment.Status != Current && newest.Assessment.Message != "" {
			a.Child = newest.Object.ID
			a.Message = strings.TrimSuffix(a.Message, ".") + "; " + newest.culprit()
		}
		return a
	}
	a := j.deploymentProgress(newest, progressing)
	if a.Status == Current {
		if w.Paused {
			a.Note = "paused; nothing is left to do"
		}
		return a
	}
	if w.Paused && a.Status == InProgress {
		a.Paused = true
		if a.FaultSince.IsZero() {
			a.Rule, a.Paths = deploymentPaused.id, deploymentPaused.paths
			a.Reason, a.Message = "DeploymentPaused", "paused: "+a.Message
			a.Deadline, a.DeadlineWhat = time.Time{}, ""
		}
	}
	return a
}

// newestOf is when a condition was last touched.
func newestOf(c *object.Condition) time.Time { return newest(c.LastTransitionTime, c.LastUpdateTime) }

func (j *judge) deploymentProgress(newest *Child, progressing int) Assessment {
	o, w := j.o, j.o.Workload
	spec, have := w.Replicas.Or(1), w.StatusReplicas.V
	var r *rule
	var reason, message string
	switch {
	case j.holds(deploymentReplicas, spec > have):
		r, reason, message = deploymentReplicas, "ReplicasMissing", of(have, spec, " replicas exist")
	case j.holds(deploymentUpdated, spec > w.Updated.V):
		r, reason, message = deploymentUpdated, "ReplicasOutdated", of(w.Updated.V, spec, " replicas updated")
	case j.holds(deploymentExtra, have > spec):
		r, reason, message = deploymentExtra, "ReplicasTerminating", count(have-spec, "old replica")+" to go"
	case j.holds(deploymentAvail, w.Updated.V > w.Available.V):
		r, reason, message = deploymentAvail, "ReplicasUnavailable", of(w.Available.V, w.Updated.V, " replicas available")
	case j.holds(deploymentReady, spec > w.Ready.V):
		r, reason, message = deploymentReady, "ReplicasNotReady", of(w.Ready.V, spec, " replicas ready")
	}
	since := time.Time{}
	if progressing >= 0 {
		since = newestOf(&o.Conditions[progressing])
	}
	if r != nil {
		if i := o.ConditionIndex("ReplicaFailure", "True"); j.holds(deploymentFailure, i >= 0) {
			c := &o.Conditions[i]
			return j.fault(deploymentFailure, orText(c.Reason, "ReplicaFailure"), orText(c.Message, "pods cannot be created"), c.LastTransitionTime).decided(i)
		}
		if a, hit := j.inherit(deploymentNewest, newest, message); hit {
			return a
		}
		a := j.progress(r, reason, message, since)
		j.deploymentCountdown(&a, progressing)
		return a
	}
	// The controller counts before it concludes.
	if d := w.ProgressDeadline; j.holds(deploymentSettled, d.Set && d.V < 1<<31-1 && progressing >= 0 &&
		o.Conditions[progressing].Reason != "NewReplicaSetAvailable" && o.Conditions[progressing].Status == "True" && !w.Paused) {
		return j.progress(deploymentSettled, orText(o.Conditions[progressing].Reason, "Progressing"), "all replicas are available; the rollout is about to complete", since).decided(progressing)
	}
	if i := o.ConditionIndex("Available", "False"); j.holds(deploymentMinimum, i >= 0) {
		c := &o.Conditions[i]
		return j.progress(deploymentMinimum, c.Reason, orText(c.Message, "the minimum is not available"), c.LastTransitionTime).decided(i)
	}
	a := j.current(deploymentDone, available(have))
	if a.Since = since; since.IsZero() || o.Transition("Available").After(since) {
		a.Since = o.Transition("Available")
	}
	return a
}

// available is "3 replicas available", or that there are none by wish.
func available(n int64) string {
	if n == 0 {
		return "scaled to 0"
	}
	return count(n, "replica") + " available"
}

// deploymentCountdown adds the moment when the rollout is given up.
func (j *judge) deploymentCountdown(a *Assessment, progressing int) {
	o, w := j.o, j.o.Workload
	d := w.ProgressDeadline
	if !d.Set || d.V >= 1<<31-1 || progressing < 0 || w.Paused {
		return
	}
	c := &o.Conditions[progressing]
	if c.Status != "True" || c.Reason == "NewReplicaSetAvailable" || newestOf(c).IsZero() {
		return
	}
	a.Deadline, a.DeadlineWhat = newestOf(c).Add(time.Duration(d.V)*time.Second), "the progress deadline"
}

// newestReplicaSet is the child that the Deployment is rolling out to, or nil.
func (j *judge) newestReplicaSet() *Child {
	var best *Child
	var revision int64
	for i := range j.w.Children {
		c := &j.w.Children[i]
		if c.Object == nil || c.Object.Workload == nil || c.Object.Kind != "ReplicaSet" {
			continue
		}
		n, _ := strconv.ParseInt(c.Object.Workload.Revision, 10, 64)
		if best == nil || n > revision || n == revision && c.Object.Created.After(best.Object.Created) {
			best, revision = c, n
		}
	}
	return best
}

// inherit takes over the fault of a child: Failed when the child is, else
// InProgress with the child's reason. It does not hit for a child without one.
func (j *judge) inherit(r *rule, c *Child, message string) (Assessment, bool) {
	if !j.holds(r, c != nil && (c.Assessment.Status == Failed || !c.Assessment.FaultSince.IsZero())) {
		return Assessment{}, false
	}
	if c.Assessment.Message != "" {
		message += "; " + c.culprit()
	}
	a := j.is(r, InProgress, c.Assessment.Reason, message, c.Assessment.Since)
	a.Child, a.Recheck, a.FaultSince = c.Object.ID, c.Assessment.Recheck, c.Assessment.FaultSince
	if c.Assessment.Status == Failed {
		a.Status, a.FaultSince = Failed, time.Time{}
	}
	return a, true
}

// culprit names the object whose fault it is, and the fault: the child itself,
// or the one that it has inherited its own message from.
func (c *Child) culprit() string {
	if !c.Assessment.Child.IsZero() {
		if _, rest, ok := strings.Cut(c.Assessment.Message, "; "); ok {
			return rest
		}
	}
	return c.Object.String() + ": " + c.Assessment.Message
}

// failing tells how many of the pods among the children fail, and which one
// speaks for them: the first that is Failed, else the first with a fault.
type failing struct {
	failed, faulty, live int64
	first                *Child
}

// pods counts the children that are pods and not yet over; want, where given,
// chooses among them.
func (j *judge) pods(want func(*object.Object) bool) (f failing) {
	for i := range j.w.Children {
		c := &j.w.Children[i]
		o := c.Object
		if o == nil || o.Pod == nil || !o.Deleted.IsZero() || o.Pod.Phase == "Succeeded" || o.Pod.Phase == "Failed" || want != nil && !want(o) {
			continue
		}
		f.live++
		switch {
		case c.Assessment.Status == Failed:
			if f.failed == 0 {
				f.first = c
			}
			f.failed++
		case !c.Assessment.FaultSince.IsZero():
			if f.first == nil {
				f.first = c
			}
			f.faulty++
		}
	}
	return f
}

// byPods takes over the fault of the pods: Failed once as many fail as are
// missing, until then InProgress with the reason of the first.
func (j *judge) byPods(r *rule, f failing, missing int64, message string) (Assessment, bool) {
	a, hit := j.inherit(r, f.first, message)
	if hit && a.Status == Failed && f.failed < missing {
		a.Status = InProgress
		a.FaultSince = j.w.now
		if p := j.w.Prior; p != nil && !p.FaultSince.IsZero() {
			a.FaultSince = p.FaultSince
		}
	}
	return a, hit
}

// The bounds of a series of refusals: so many pods, the newest so recent, and none
// so long after the one before (a ReplicaSet's own back-off is a second, and at
// most some minutes).
const (
	refusals      = 3
	refusedRecent = 6 * time.Minute
)

// refused is a ReplicaSet whose pods a kubelet refuses one after the other (a
// forbidden sysctl, an affinity that the node no longer meets): each is over at once
// and another one made, hundreds of them, so that no pod ever fails for long and no
// deadline but the Deployment's own ends it. What has been missing since the first
// refusal of the series has been failing since then. A pod that was bound a moment
// ago is no hope yet; one that runs, or starts, is.
func (j *judge) refused(missing int64, message string) (Assessment, bool) {
	var over []*Child
	hope := int64(0)
	for i := range j.w.Children {
		c := &j.w.Children[i]
		o := c.Object
		switch {
		case o == nil || o.Pod == nil || !o.Deleted.IsZero():
		case o.Pod.Phase == "Failed":
			if turnedAway(o.Pod) {
				over = append(over, c)
			}
		case o.Pod.Phase != "Succeeded" && (o.Pod.Phase != "Pending" || j.w.now.Sub(o.Created) > 5*time.Second):
			hope++
		}
	}
	if len(over) < refusals || hope >= missing {
		return Assessment{}, false
	}
	slices.SortFunc(over, func(a, b *Child) int {
		return cmp.Or(b.Object.Created.Compare(a.Object.Created), strings.Compare(a.Object.Name, b.Object.Name))
	})
	if !j.holds(setRefused, j.w.now.Sub(over[0].Object.Created) <= refusedRecent) {
		return Assessment{}, false
	}
	n := 1
	for n < len(over) && over[n-1].Object.Created.Sub(over[n].Object.Created) <= refusedRecent {
		n++
	}
	if n < refusals {
		return Assessment{}, false
	}
	p := over[0].Object.Pod
	a := j.fault(setRefused, p.Reason, message+"; node "+p.Node+" refuses its pods: "+orText(strings.TrimPrefix(p.Message, "Pod was rejected: "), p.Reason), over[n-1].Object.Created)
	a.Child = over[0].Object.ID
	return a, true
}

// turnedAway reports whether a kubelet refused a pod that never ran.
func turnedAway(p *object.Pod) bool {
	switch p.Reason {
	case "", "Evicted", "Terminated", "NodeShutdown", "Shutdown", "NodeLost", "Preempting", "DeadlineExceeded":
		return false
	}
	return !slices.ContainsFunc(p.Containers, func(c object.Container) bool { return c.State.Kind == "running" || c.State.Kind == "terminated" })
}

func (j *judge) replicaSet() Assessment {
	o, w := j.o, j.o.Workload
	if j.holds(workloadSilent, j.unspoken()) {
		return j.silent(workloadSilent)
	}
	spec, have := w.Replicas.Or(1), w.StatusReplicas.V
	if i := o.ConditionIndex("ReplicaFailure", "True"); j.holds(replicaFailure, i >= 0) {
		c := &o.Conditions[i]
		return j.fault(replicaFailure, orText(c.Reason, "ReplicaFailure"), orText(c.Message, "pods cannot be created"), c.LastTransitionTime).decided(i)
	}
	var r *rule
	var reason, message string
	switch {
	case j.holds(setLabelled, spec > w.FullyLabeled.V):
		r, reason, message = setLabelled, "ReplicasMissing", of(w.FullyLabeled.V, spec, " replicas exist")
	case j.holds(setAvail, spec > w.Available.V):
		r, reason, message = setAvail, "ReplicasUnavailable", of(w.Available.V, spec, " replicas available")
	case j.holds(setReady, spec > w.Ready.V):
		r, reason, message = setReady, "ReplicasNotReady", of(w.Ready.V, spec, " replicas ready")
	case j.holds(setExtra, have > spec):
		return j.progress(setExtra, "ReplicasTerminating", count(have-spec, "replica")+" to go", time.Time{})
	default:
		return j.current(setDone, available(have))
	}
	if a, hit := j.refused(spec-w.Available.V, of(w.Available.V, spec, " replicas available")); hit {
		return a
	}
	if a, hit := j.byPods(setPods, j.pods(nil), spec-w.Available.V, of(w.Available.V, spec, " replicas available")); hit {
		return a
	}
	return j.progress(r, reason, message, time.Time{})
}

func (j *judge) statefulSet() Assessment {
	w := j.o.Workload
	if j.holds(workloadSilent, j.unspoken()) {
		return j.silent(workloadSilent)
	}
	spec, have, ready := w.Replicas.Or(1), w.StatusReplicas.V, w.Ready.V
	partition := w.Partition.Or(0)
	sameRevision := w.CurrentRevision == w.UpdateRevision
	onDelete := w.Strategy == "OnDelete"
	var r *rule
	var reason, message string
	switch {
	case j.holds(statefulReplicas, spec > have):
		r, reason, message = statefulReplicas, "ReplicasMissing", of(have, spec, " replicas exist")
	case j.holds(statefulReady, spec > ready):
		r, reason, message = statefulReady, "ReplicasNotReady", of(ready, spec, " replicas ready")
	case j.holds(statefulExtra, have > spec):
		return j.progress(statefulExtra, "ReplicasTerminating", count(have-spec, "replica")+" to go", time.Time{})
	case j.holds(statefulAvail, w.MinReadySeconds.V > 0 && w.Available.Set && spec > w.Available.V):
		r, reason = statefulAvail, "ReplicasUnavailable"
		message = of(w.Available.V, spec, " replicas available (ready for at least ") + strconv.FormatInt(w.MinReadySeconds.V, 10) + "s)"
	case j.holds(statefulOnDelete, onDelete):
		a := j.current(statefulOnDelete, count(ready, "replica")+" ready")
		if old := have - w.Updated.V; !sameRevision && old > 0 {
			a.Note = count(old, "pod") + " of the old revision until somebody deletes them (OnDelete)"
		}
		return a
	case j.holds(statefulUpdated, w.Updated.V < spec-partition && (w.Updated.Set || w.UpdateRevision != "")):
		r, reason, message = statefulUpdated, "ReplicasOutdated", of(w.Updated.V, spec-partition, " replicas updated")
		if partition > 0 {
			message += " above partition " + strconv.FormatInt(partition, 10)
		}
	case j.holds(statefulPartition, partition > 0 && !sameRevision):
		a := j.current(statefulPartition, count(ready, "replica")+" ready")
		a.Note = "updated down to partition " + strconv.FormatInt(partition, 10) + ": " + count(max(have-w.Updated.V, 0), "pod") + " of the old revision kept"
		return a
	default:
		return j.current(statefulDone, available(have))
	}
	if a, hit := j.statefulPods(spec-ready, !sameRevision && !onDelete, message); hit {
		return a
	}
	return j.progress(r, reason, message, time.Time{})
}

// statefulPods takes over the fault of a pod. In order, one broken pod blocks
// all that come after it.
func (j *judge) statefulPods(missing int64, updating bool, message string) (Assessment, bool) {
	w := j.o.Workload
	f := j.pods(nil)
	if w.PodManagement != "Parallel" {
		missing = min(missing, 1)
	}
	if f.first == nil {
		return Assessment{}, false
	}
	revision, _ := f.first.Object.Label("controller-revision-hash")
	trap := updating && w.PodManagement != "Parallel" && revision != "" && w.UpdateRevision != "" && revision != w.UpdateRevision
	if j.holds(statefulTrap, trap) {
		// The controller waits for the broken pod to become ready before it
		// goes on, though a newer revision would repair it (kubernetes#67250).
		a, hit := j.byPods(statefulTrap, f, missing, message)
		if hit {
			a.Reason = "BlockedByOldRevision"
			a.Message = f.first.Object.String() + " is of the old revision " + revision + " and blocks the update until it is deleted: " + f.first.Assessment.Message
		}
		return a, hit
	}
	return j.byPods(statefulPods, f, missing, message)
}

func (j *judge) daemonSet() Assessment {
	w := j.o.Workload
	if j.holds(workloadSilent, j.unspoken()) {
		return j.silent(workloadSilent)
	}
	if j.holds(daemonSilent, !w.Desired.Set) {
		return j.silent(daemonSilent)
	}
	want := w.Desired.V
	onDelete := w.Strategy == "OnDelete"
	var r *rule
	var reason, message string
	switch {
	case j.holds(daemonNodes, want == 0 && w.Misscheduled.V == 0):
		a := j.current(daemonNodes, "no node needs a pod")
		a.Note = "no node matches"
		if len(w.NodeSelector) > 0 {
			var parts []string
			for _, l := range w.NodeSelector {
				parts = append(parts, l.Key+"="+l.Value)
			}
			a.Note = "no node matches " + strings.Join(parts, ",")
		}
		return a
	case j.holds(daemonCurrent, want > w.Current.V):
		r, reason, message = daemonCurrent, "PodsMissing", of(w.Current.V, want, " nodes have their pod")
	case j.holds(daemonUpdated, !onDelete && want > w.Updated.V):
		r, reason, message = daemonUpdated, "PodsOutdated", of(w.Updated.V, want, " pods updated")
	case j.holds(daemonAvail, want > w.Available.V):
		r, reason, message = daemonAvail, "PodsUnavailable", of(w.Available.V, want, " pods available")
	case j.holds(daemonReady, want > w.Ready.V):
		r, reason, message = daemonReady, "PodsNotReady", of(w.Ready.V, want, " pods ready")
	default:
		if j.holds(daemonOnDelete, onDelete) {
			a := j.current(daemonOnDelete, count(want, "pod")+" available")
			if old := want - w.Updated.V; old > 0 {
				a.Note = count(old, "pod") + " of the old revision until somebody deletes them (OnDelete)"
			}
			return a
		}
		a := j.current(daemonDone, count(want, "pod")+" available")
		if n := w.Misscheduled.V; n > 0 {
			a.Note = count(n, "pod") + " on nodes that should have none"
		}
		return a
	}
	if a, hit := j.byPods(daemonPods, j.pods(nil), max(want-w.Available.V, 1), message); hit {
		return a
	}
	return j.progress(r, reason, message, time.Time{})
}
