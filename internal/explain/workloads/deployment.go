package workloads

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() { inspect.Detect(inspect.Detector{Kinds: []string{"apps/Deployment"}, Find: deployment}) }

// deployment finds why a Deployment does not roll out, as far as the Deployment itself tells: it is
// paused, it is out of time, its ReplicaSet is refused, or old Pods remain.
func deployment(in *inspect.Inspector) {
	w := in.Object.Workload
	if w == nil || !in.Object.Deleted.IsZero() {
		return
	}
	progressing, available := in.Object.Condition("Progressing"), in.Object.Condition("Available")
	want := w.Replicas.Or(1)
	if w.Paused {
		if w.Updated.Or(0) < want || in.Assessment.Paused {
			f := in.Find(codes.Paused, "the rollout is paused (spec.paused)")
			f.Prove("spec.paused", "true")
			if progressing != nil && progressing.Reason == "DeploymentPaused" {
				f.ProveCondition(in.Object.ID, progressing)
				f.Since = progressing.LastUpdateTime
			}
			f.Next = []string{in.Kubectl("rollout", "history", "deployment/"+in.Object.Name)}
			f.Offer(in.Kubectl("rollout", "resume", "deployment/"+in.Object.Name), "the rollout goes on")
		}
		return
	}
	if progressing != nil && progressing.Status == "False" {
		switch progressing.Reason {
		case "ProgressDeadlineExceeded":
			f := in.FindCondition(codes.ProgressDeadlineExceeded, progressing, "no progress for %s",
				wording.Span(time.Duration(w.ProgressDeadline.Or(600))*time.Second))
			f.Symptom, f.Overdue = true, true
			if w.ProgressDeadline.Set {
				f.Prove("spec.progressDeadlineSeconds", w.ProgressDeadline.V)
			}
			f.Next = []string{in.Kubectl("rollout", "history", "deployment/"+in.Object.Name)}
			if n := in.NewestReplicaSet(in.Object.ID); n != nil {
				f.Next = append(f.Next, in.Kubectl("describe", "replicaset", n.Name))
			}
			return
		case "ReplicaSetCreateError":
			f := in.FindCondition(codes.ReplicaSetRejected, progressing,
				"its ReplicaSet is refused: %s", message.Reason(progressing.Message))
			f.Key = wording.Normal(progressing.Message)
			return
		}
	}
	regressed(in, w, progressing, available)
	oldPods(in, w, want)
	recreates(in, w, want)
	minReady(in, in.Object.ID, w, want)
}

// regressed finds Regressed.
func regressed(in *inspect.Inspector, w *object.Workload, progressing, available *object.Condition) {
	want := w.Replicas.Or(1)
	if progressing != nil && progressing.Status == "True" && progressing.Reason == "NewReplicaSetAvailable" &&
		available != nil && available.Status == "False" && w.Updated.Or(0) >= want && !scalesUp(in, w, progressing) {
		f := in.FindCondition(codes.Regressed, available,
			"it was rolled out and became unavailable afterwards (%d of %d available)", w.Available.Or(0), want)
		f.Symptom = true
		f.ProveCondition(in.Object.ID, progressing)
		in.Patience(f, available.LastTransitionTime, 30*time.Second)
	}
}

// scalesUp reports whether a Deployment lacks no more Pods than have been made
// since its rollout was done and have not failed: it is being scaled up, and
// nothing became unavailable.
func scalesUp(in *inspect.Inspector, w *object.Workload, progressing *object.Condition) bool {
	done := progressing.LastUpdateTime
	if done.IsZero() {
		done = progressing.LastTransitionTime
	}
	young := int64(0)
	for _, p := range podsOf(in, in.Object.ID) {
		ready := p.ConditionIs("Ready", "True")
		if p.Created.After(done) &&
			!slices.ContainsFunc(p.Pod.Containers, func(c object.Container) bool { return c.Restarts > 0 }) &&
			(ready == nil || !in.Older(ready.LastTransitionTime, time.Duration(w.MinReadySeconds.Or(0))*time.Second)) {
			young++
		}
	}
	return young > 0 && w.Available.Or(0)+young >= w.Replicas.Or(1)
}

// oldPods finds OldPodsRemain: all new Pods exist, and old ones remain.
func oldPods(in *inspect.Inspector, w *object.Workload, want int64) {
	if w.StatusReplicas.Or(0) <= w.Updated.Or(0) || w.Updated.Or(0) < want {
		return
	}
	old := w.StatusReplicas.Or(0) - w.Updated.Or(0)
	f := in.Find(codes.OldPodsRemain, "waiting for %s of the previous revision to terminate",
		wording.Plural(int(old), "pod"))
	f.Symptom = true
	f.Prove("status.replicas", w.StatusReplicas.Or(0))
	f.Prove("status.updatedReplicas", w.Updated.Or(0))
	n := in.NewestReplicaSet(in.Object.ID)
	for _, rs := range in.Children(in.Object.ID) {
		if rs.Kind != "ReplicaSet" || rs == n {
			continue
		}
		f.Add("%s", wording.PodNames(": ", inspect.Leaving(in.Children(rs.ID))))
		for _, p := range in.Children(rs.ID) {
			if p.Kind == "Pod" && !p.Deleted.IsZero() && in.Older(p.Deleted, 5*time.Second) {
				f.Symptom = false
				f.Class = codes.Action
				f.Say("pod %s of the previous revision is stuck terminating: its grace period is over", p.Name)
				f.Since = p.Deleted
				f.ProveOn(p.ID, "metadata.deletionTimestamp", p.Deleted)
			}
		}
	}
}
