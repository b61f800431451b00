package status

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// deployment reads kstatus's counters, and also pausing, the deadline, and the
// newest ReplicaSet.
func deployment(j *judge) Assessment {
	w, i, newest := j.o.Workload, j.index("Progressing"), j.w.Children.newestReplicaSet()
	if j.holds(j.overdue(i, newest), "deadline", "its progress deadline has passed",
		"status.conditions[Progressing] spec.progressDeadlineSeconds") {
		a := j.is(Failed, "", "the progress deadline has passed").from(j.o, i).since(touched(&j.o.Conditions[i]))
		if newest != nil && newest.Assessment.Status != Current && newest.Assessment.Message != "" {
			a.Child = newest.Object.ID
			a.Message = strings.TrimSuffix(a.Message, ".") + "; " + newest.culprit()
		}
		return a
	}
	a := j.rollout(newest, i)
	switch {
	case !w.Paused:
	case a.Status == Current:
		a.Note = "paused; nothing is left to do"
	case a.heals || a.Status == InProgress && !a.FaultSince.IsZero():
		a.Paused = true
	case a.Status == InProgress:
		a = j.by("paused", "spec.paused status.updatedReplicas").progress("DeploymentPaused", "paused: "+a.Message).
			since(a.Since).decided(a.condition - 1)
		a.Paused = true
	}
	return a
}

// overdue reports whether condition i, Progressing, says that the progress deadline has
// passed, and of the present rollout. The controller keeps the reason until it counts
// progress (DeploymentTimedOut in pkg/controller/deployment/util/deployment_util.go and
// progress.go, v1.33): beside the next ReplicaSet the condition still names the one that
// timed out, as after an undo. Nor is a Deployment late that is scaled to zero, or that
// its user has paused since (checkPausedConditions in sync.go).
func (j *judge) overdue(i int, newest *Child) bool {
	w := j.o.Workload
	if i < 0 || j.o.Conditions[i].Reason != "ProgressDeadlineExceeded" ||
		w.Paused || w.Replicas.Or(1) == 0 && w.StatusReplicas.V == 0 {
		return false
	}
	named, quoted := strings.CutPrefix(j.o.Conditions[i].Message, `ReplicaSet "`)
	named, _, closed := strings.Cut(named, `"`)
	return !quoted || !closed || newest == nil || named == newest.Object.Name
}

// touched is when a condition was last written.
func touched(c *object.Condition) time.Time { return newest(c.LastTransitionTime, c.LastUpdateTime) }

// rollout compares the replica counts. progressing is the index of that
// condition, or -1.
func (j *judge) rollout(latest *Child, progressing int) Assessment {
	o, w := j.o, j.o.Workload
	spec, have := w.Replicas.Or(1), w.StatusReplicas.V
	since, reason, advances := time.Time{}, "", false // the condition says that the rollout progresses
	if progressing >= 0 {
		c := &o.Conditions[progressing]
		since, reason = touched(c), c.Reason
		advances = c.Status == "True" && reason != "NewReplicaSetAvailable" &&
			w.ProgressDeadline.Or(math.MaxInt32) < math.MaxInt32 && !w.Paused
	}
	var a Assessment
	switch {
	case j.holds(spec > have, "replicas", "replicas are missing", "spec.replicas status.replicas"):
		a = j.progress("ReplicasMissing", of(have, spec, " replicas exist"))
	case j.holds(spec > w.Updated.V, "updatedReplicas", "replicas are outdated",
		"spec.replicas status.updatedReplicas"):
		a = j.progress("ReplicasOutdated", of(w.Updated.V, spec, " replicas updated"))
	case j.holds(have > spec, "oldReplicas", "old replicas are still there", "spec.replicas status.replicas"):
		a = j.progress("ReplicasTerminating", count(have-spec, "old replica")+" to go")
	case j.holds(w.Updated.V > w.Available.V, "availableReplicas", "replicas are not available",
		"status.updatedReplicas status.availableReplicas"):
		a = j.progress("ReplicasUnavailable", of(w.Available.V, w.Updated.V, " replicas available"))
	case j.holds(spec > w.Ready.V, "readyReplicas", "replicas are not ready", "spec.replicas status.readyReplicas"):
		a = j.progress("ReplicasNotReady", of(w.Ready.V, spec, " replicas ready"))
	default:
		// The controller updates the counts before the condition.
		if j.holds(advances, "progressing", "the new ReplicaSet is not yet called available",
			"status.conditions[Progressing]") {
			return j.progress(cmp.Or(reason, "Progressing"),
				"all replicas are available; the rollout is about to complete").since(since).decided(progressing)
		}
		i := o.ConditionIndex("Available", "False")
		if j.holds(i >= 0, "available", "the minimum is not available", "status.conditions[Available]") {
			return j.progress("", "the minimum is not available").from(o, i)
		}
		since = newest(since, o.Transition("Available"))
		return j.by("done", "spec.replicas status.replicas status.updatedReplicas status.availableReplicas").current(
			available(have)).since(since)
	}
	if i := o.ConditionIndex("ReplicaFailure", "True"); j.replicaFailure(i) {
		return j.fault("ReplicaFailure", "pods cannot be created").from(o, i)
	}
	if b, hit := j.noReplicaSet(); hit && w.Updated.V == 0 {
		return b
	}
	if b, hit := j.inherit("newReplicaSet", "the newest ReplicaSet fails", latest, a.Message); hit {
		return b
	}
	if advances && !since.IsZero() {
		a.Deadline, a.DeadlineWhat = since.Add(time.Duration(w.ProgressDeadline.V)*time.Second), "the progress deadline"
	}
	if !advances && o.ConditionIndex("Available", "False") >= 0 {
		since = newest(since, o.Transition("Available")) // lost after the rollout
	}
	return a.since(since)
}

// noReplicaSet is the fault of a Deployment whose ReplicaSet is refused. The
// controller has seen the generation then, and writes this condition alone, once
// (getNewReplicaSet in pkg/controller/deployment/sync.go, v1.33): a later write
// to the Deployment may have cured it.
func (j *judge) noReplicaSet() (Assessment, bool) {
	i := j.o.ConditionIndex("Progressing", "False")
	if j.o.Workload == nil || i < 0 || j.o.Conditions[i].Reason != "ReplicaSetCreateError" {
		return Assessment{}, false
	}
	j.by("apps/Deployment.replicaSet", "status.conditions[Progressing]")
	return j.fault("", "its ReplicaSet cannot be created").from(j.o, i).since(
		newest(touched(&j.o.Conditions[i]), j.o.Written)), true
}
