package status

// podDisruptionBudget: a budget that its controller cannot compute protects
// nothing. Too few healthy Pods are the Pods' problem.
func podDisruptionBudget(j *judge) Assessment {
	for i := range j.o.Conditions { // some have the type twice
		if c := &j.o.Conditions[i]; c.Type == "DisruptionAllowed" && isFalse(c) && c.Reason == "SyncFailed" && !j.o.Stale(c) {
			return j.judged(Failed, i, "sync-failed")
		}
	}
	number := func(field string) int64 { return j.o.Int("status", field).V }
	expected, healthy, desired, allowed := j.o.Int("status", "expectedPods"), number("currentHealthy"), j.o.Int("status", "desiredHealthy"), number("disruptionsAllowed")
	if !expected.Set && !desired.Set && len(j.o.Conditions) == 0 {
		return j.by("computed", "status").silent("The allowed disruptions are not computed yet")
	}
	a := j.by("computed", "status.currentHealthy status.desiredHealthy status.disruptionsAllowed").
		current("%d of %d pods healthy, %d wanted; %d disruptions allowed", healthy, expected.V, desired.V, allowed)
	switch {
	case expected.V == 0 && healthy > 0:
		a.Message = "It selects " + count(healthy, "healthy pod") + " that no controller owns"
		a.Note = "protects nothing: how many pods there should be is not known without a controller"
	case expected.Set && expected.V == 0:
		a.Note = "its selector matches no pod"
	case healthy < desired.V:
		return a.noted("%d of the %d healthy pods that it wants", healthy, desired.V)
	case allowed == 0 && expected.V > 0:
		a.Note = "allows no disruption: it blocks draining nodes"
	}
	return a
}
