package explain

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Controllers that make no Pod before an older one has terminated; the Pod
// tells how long that takes: a Deployment or StatefulSet with the strategy
// Recreate, a Job with podReplacementPolicy Failed (kubernetes
// pkg/controller/deployment, recreate.go, and pkg/controller/job, v1.36; the
// StatefulSet's is alpha in v1.37).

// recreates is for Deployments and StatefulSets.
func (l *look) recreates(w *object.Workload, want int64) {
	if w.Strategy != "Recreate" || w.Updated.Or(0) >= want || w.Terminating.Set && w.Terminating.V == 0 {
		return
	}
	n := newest(l.s.Children(l.o.ID))
	var pods []*object.Object
	for _, c := range l.s.Children(l.o.ID) {
		switch {
		case c.Kind == "ReplicaSet" && c.Workload != nil && (c != n || c.Workload.Replicas.Or(1) == 0):
			pods = append(pods, leaving(l.s.Children(c.ID))...)
		case c.Pod != nil:
			if h, _ := c.Label("controller-revision-hash"); h != w.UpdateRevision {
				pods = append(pods, leaving([]*object.Object{c})...)
			}
		}
	}
	count := max(int(w.Terminating.V), len(pods))
	if count == 0 {
		return
	}
	f := l.find("OldPodsRemain", "waits for %s of the previous revision to terminate before it makes new ones (strategy Recreate)", plural(count, "pod"))
	path := "spec.strategy.type"
	if l.o.Kind == "StatefulSet" {
		path = "spec.updateStrategy.type"
	}
	l.proof(f, path, w.Strategy)
	if w.Terminating.Set {
		l.proof(f, "status.terminatingReplicas", w.Terminating.V)
	}
	l.awaits(f, pods)
}

// replaces is for Jobs.
func (l *look) replaces(j *object.Job) {
	if j.Replacement != "Failed" || j.Terminating.Or(0) == 0 || j.Active.Or(0) >= j.Parallelism.Or(1) {
		return
	}
	f := l.find("OldPodsRemain", "waits for %s to terminate before it makes the next (podReplacementPolicy Failed)", plural(int(j.Terminating.V), "pod"))
	l.proof(f, "spec.podReplacementPolicy", j.Replacement)
	l.proof(f, "status.terminating", j.Terminating.V)
	l.awaits(f, leaving(l.s.Children(l.o.ID)))
}

// leaving are the terminating Pods that have not ended.
func leaving(list []*object.Object) []*object.Object {
	var out []*object.Object
	for _, p := range list {
		if p.Pod != nil && !p.Deleted.IsZero() && p.Pod.Phase != "Succeeded" && p.Pod.Phase != "Failed" {
			out = append(out, p)
		}
	}
	return out
}

// awaits says until when terminating Pods are waited for. A Pod past its grace
// period is the cause itself.
func (l *look) awaits(f *Finding, pods []*object.Object) {
	f.Since = l.o.Changed
	f.Title += podNames(": ", pods)
	for _, p := range pods {
		if len(f.Absorbs) == MaxObjects {
			break
		}
		if t := deleted(p); t.Before(f.Since) {
			f.Since = t
		}
		f.prove(p.ID, "metadata.deletionTimestamp", p.Deleted)
		if l.older(p.Deleted, 5*time.Second) || len(p.Finalizers) > 0 {
			f.blame(p.ID)
			continue
		}
		f.Absorbs = append(f.Absorbs, p.ID)
		if p.Deleted.After(l.now()) && p.Deleted.After(f.Until) {
			f.Until, f.UntilWhat = p.Deleted, "the grace period ends"
		}
	}
	if f.Symptom {
		f.Absorbs, f.Until, f.UntilWhat = nil, time.Time{}, ""
	}
	f.Next = []string{l.kubectl("get", "pods")}
	if len(pods) > 0 {
		f.Next = []string{l.kubectl("describe", "pod", pods[0].Name)}
	}
}
