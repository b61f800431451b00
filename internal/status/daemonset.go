package status

func daemonSet(j *judge) Assessment {
	w := j.o.Workload
	if j.holds(!w.Desired.Set, "desired", "it does not say how many pods it wants", "status.desiredNumberScheduled") {
		return j.silent("")
	}
	want, onDelete := w.Desired.V, w.Strategy == "OnDelete"
	leaving := j.w.Children.newest(func(c *Child) bool {
		return c.Object.Pod != nil && !c.Object.Deleted.IsZero()
	}) != nil
	var a Assessment
	switch {
	case j.holds(want == 0 && w.Misscheduled.V == 0, "noNodes", "no node is eligible", "status.desiredNumberScheduled"):
		a = j.current("no node needs a pod").noted("no eligible node") // for its labels, or its taints
		if p := w.Placement; p != nil && len(p.NodeSelector) > 0 {
			a.Note += " with " + nodeSelector(p.NodeSelector)
		}
		return a
	case j.holds(want > w.Current.V, "currentNumberScheduled", "nodes lack their pod",
		"status.desiredNumberScheduled status.currentNumberScheduled"):
		a = j.progress("PodsMissing", of(w.Current.V, want, " nodes have their pod"))
	case j.holds(!onDelete && want > w.Updated.V, "updatedNumberScheduled", "pods are outdated",
		"status.desiredNumberScheduled status.updatedNumberScheduled"):
		a = j.progress("PodsOutdated", of(w.Updated.V, want, " pods updated"))
	case j.holds(want > w.Available.V, "numberAvailable", "pods are not available",
		"status.desiredNumberScheduled status.numberAvailable"):
		a = j.progress("PodsUnavailable", of(w.Available.V, want, " pods available"))
	case j.holds(want > w.Ready.V, "numberReady", "pods are not ready",
		"status.desiredNumberScheduled status.numberReady"):
		a = j.progress("PodsNotReady", of(w.Ready.V, want, " pods ready"))
	case j.holds(leaving && w.Misscheduled.V == 0, "leaving", "a pod is being deleted", "status.numberMisscheduled"):
		return j.progress("PodsTerminating", "a pod is being deleted")
	case j.holds(onDelete, "onDelete", "pods are replaced when somebody deletes them", "spec.updateStrategy.type"):
		a = j.current(count(want, "pod") + " available")
		if old := want - w.Updated.V; old > 0 {
			a.Note = count(old, "pod") + " of the old revision until somebody deletes them (OnDelete)"
		}
		return a
	default:
		a = j.by("done", "status.desiredNumberScheduled status.numberAvailable").current(
			count(want, "pod") + " available")
		if n := w.Misscheduled.V; n > 0 {
			a.Note = count(n, "pod") + " on nodes that should have none"
		}
		return a
	}
	return j.byPods(a, "every missing pod fails", j.w.Children.failingPods(), max(want-w.Available.V, 1), a.Message)
}
