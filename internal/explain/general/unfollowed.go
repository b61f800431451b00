package general

import (
	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Unfollowed looks at the Pods of a workload that is only looked up, because a message or a spec
// names it: nobody follows its children. What is wrong with those that are not ready is why it is
// not; if nothing is, it says itself how many are.
func Unfollowed(in *inspect.Inspector) {
	o, w := in.Object, in.Object.Workload
	if !inspect.BuiltinGroup(o.Group) {
		ownPods(in)
	}
	if w == nil || !o.Deleted.IsZero() || !w.HasSelector || len(in.Snapshot.Children(o.ID)) > 0 || in.Followed() {
		return
	}
	want, path := w.Replicas.Or(1), "status.readyReplicas"
	if o.Kind == "DaemonSet" {
		want, path = w.Desired.Or(0), "status.numberReady"
	}
	f := mainFinding(in)
	if f == nil && w.Ready.Or(0) >= want {
		return
	}
	var unready []object.ID
	for _, p := range in.List("", "Pod", o.Namespace).Items {
		if p.Pod != nil && p.ConditionIs("Ready", "True") == nil && edges.Selects(w.Selector, p) {
			unready = append(unready, p.ID)
		}
	}
	if f == nil {
		f = in.Find(codes.NotReady, "%d of %d pods of %s %s are ready", w.Ready.Or(0), want, o.Kind, o.Name)
		f.Class, f.Symptom = codes.Retries, true
		f.Since = o.Changed
		if w.Ready.Set {
			f.Prove(path, w.Ready.V)
		} else {
			f.ProveUnset(o.ID, path)
		}
	}
	if f.Symptom {
		for _, id := range unready {
			f.AddBecause(id)
		}
	}
}

// ownPods looks at the Pods that a custom object keeps itself, if it is only looked up, because
// what is followed names it: a catalog of OLM's and the Pod that serves it. What is wrong with
// those that are not ready is why it is not.
func ownPods(in *inspect.Inspector) {
	o := in.Object
	f := mainFinding(in)
	if f == nil || !f.Symptom || !o.Deleted.IsZero() || o.Namespace == "" || in.Followed() {
		return
	}
	for _, p := range in.List("", "Pod", o.Namespace).Items {
		if p.Pod != nil && p.ConditionIs("Ready", "True") == nil && edges.IsChild(o, p) {
			f.AddBecause(p.ID)
		}
	}
}
