package workloads

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Controllers that make no Pod before an older one has terminated; the Pod
// tells how long that takes: a Deployment or StatefulSet with the strategy
// Recreate, a Job with podReplacementPolicy Failed (kubernetes
// pkg/controller/deployment, recreate.go, and pkg/controller/job, v1.36; the
// StatefulSet's is alpha in v1.37).

// recreates is for Deployments and StatefulSets.
func recreates(in *inspect.Inspector, w *object.Workload, want int64) {
	if w.Strategy != "Recreate" || w.Updated.Or(0) >= want || w.Terminating.Set && w.Terminating.V == 0 {
		return
	}
	n := in.NewestReplicaSet(in.Object.ID)
	var pods []*object.Object
	for _, c := range in.Children(in.Object.ID) {
		switch {
		case c.Kind == "ReplicaSet" && c.Workload != nil && (c != n || c.Workload.Replicas.Or(1) == 0):
			pods = append(pods, inspect.Leaving(in.Children(c.ID))...)
		case c.Pod != nil:
			if h, _ := c.Label("controller-revision-hash"); h != w.UpdateRevision {
				pods = append(pods, inspect.Leaving([]*object.Object{c})...)
			}
		}
	}
	count := max(int(w.Terminating.V), len(pods))
	if count == 0 {
		return
	}
	f := in.Find(codes.OldPodsRemain,
		"waits for %s of the previous revision to terminate before it makes new ones (strategy Recreate)",
		wording.Plural(count, "pod"))
	path := "spec.strategy.type"
	if in.Object.Kind == "StatefulSet" {
		path = "spec.updateStrategy.type"
	}
	f.Prove(path, w.Strategy)
	if w.Terminating.Set {
		f.Prove("status.terminatingReplicas", w.Terminating.V)
	}
	awaits(in, f, pods)
}

// replaces is for Jobs.
func replaces(in *inspect.Inspector, j *object.Job) {
	if j.Replacement != "Failed" || j.Terminating.Or(0) == 0 || j.Active.Or(0) >= j.Parallelism.Or(1) {
		return
	}
	f := in.Find(codes.OldPodsRemain,
		"waits for %s to terminate before it makes the next (podReplacementPolicy Failed)",
		wording.Plural(int(j.Terminating.V), "pod"))
	f.Prove("spec.podReplacementPolicy", j.Replacement)
	f.Prove("status.terminating", j.Terminating.V)
	awaits(in, f, inspect.Leaving(in.Children(in.Object.ID)))
}

// awaits says until when terminating Pods are waited for. A Pod past its grace
// period is the cause itself.
func awaits(in *inspect.Inspector, f *inspect.Finding, pods []*object.Object) {
	f.Since = in.Object.Changed
	f.Add("%s", wording.PodNames(": ", pods))
	for _, p := range pods {
		if len(f.Absorbs) == inspect.MaxObjects {
			break
		}
		if t := inspect.DeletionRequested(p); t.Before(f.Since) {
			f.Since = t
		}
		f.ProveOn(p.ID, "metadata.deletionTimestamp", p.Deleted)
		if in.Older(p.Deleted, 5*time.Second) || len(p.Finalizers) > 0 {
			f.Blame(p.ID)
			continue
		}
		f.Absorbs = append(f.Absorbs, p.ID)
		if p.Deleted.After(in.Now()) && p.Deleted.After(f.Until) {
			f.Until, f.UntilWhat = p.Deleted, "the grace period ends"
		}
	}
	if f.Symptom {
		f.Absorbs, f.Until, f.UntilWhat = nil, time.Time{}, ""
	}
	f.Next = []string{in.Kubectl("get", "pods")}
	if len(pods) > 0 {
		f.Next = []string{in.Kubectl("describe", "pod", pods[0].Name)}
	}
}
