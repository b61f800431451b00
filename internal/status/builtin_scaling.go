package status

import (
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// readAutoscaler follows pkg/controller/podautoscaler/horizontal.go: what is
// reported as FailedGet… and FailedUpdate… is a fault, a disabled or limited
// scaling is not.
func readAutoscaler(c *custom) signal {
	conds, paths := c.o.Conditions, atConditions
	if _, ok := c.o.Annotation(object.ScalingConditions); ok && c.o.Version == "v1" {
		paths = atScalingConditions
	}
	var able, active, limited *object.Condition
	for i := range conds {
		switch conds[i].Type {
		case "AbleToScale":
			able = &conds[i]
		case "ScalingActive":
			active = &conds[i]
		case "ScalingLimited":
			limited = &conds[i]
		}
	}
	say := func(s signal, cond *object.Condition) signal {
		s.reason, s.message, s.since, s.paths = cond.Reason, describe(cond), cond.LastTransitionTime, paths
		s.cond = c.index(cond.Type) + 1
		return s
	}
	switch {
	case able != nil && strings.HasPrefix(able.Reason, "Failed"):
		return say(fails("able-to-scale", "", ""), able)
	case active != nil && isFalse(active) && active.Reason == "ScalingDisabled":
		s := say(good("scaling-disabled", ""), active)
		s.note = "scaling is disabled: the target has 0 replicas"
		return s
	case active != nil && isFalse(active):
		return say(fails("scaling-active", "", ""), active)
	case able == nil && len(conds) == 0 && c.o.Int("status", "desiredReplicas").V > 0:
		// autoscaling/v1 has no conditions, and not every server writes the
		// annotation that stands for them.
		have, want := c.o.Int("status", "currentReplicas").V, c.o.Int("status", "desiredReplicas").V
		if have != want {
			return underway("replicas", "Scaling", of(have, want, " replicas"), atScalingReplicas...)
		}
		return good("replicas", count(want, "replica")+", as many as it wants", atScalingReplicas...)
	case able == nil && len(conds) == 0:
		return silent("conditions", "The autoscaler has not been looked at yet", atConditions...)
	case able == nil || !isTrue(able):
		if able == nil {
			return underway("able-to-scale", "AbleToScaleMissing", "Condition AbleToScale is not reported yet", paths...)
		}
		return say(underway("able-to-scale", "", ""), able)
	}
	s := say(good("able-to-scale", ""), able)
	if limited != nil && isTrue(limited) && limited.Reason == "TooManyReplicas" {
		s.note = "wants more replicas than its maximum allows"
	}
	return s
}

// readBudget: a budget whose controller cannot compute it protects nothing.
// That too few pods are healthy is a fact about the pods.
func readBudget(c *custom) signal {
	for i := range c.o.Conditions {
		cond := &c.o.Conditions[i]
		if cond.Type == "DisruptionAllowed" && isFalse(cond) && cond.Reason == "SyncFailed" && !c.o.Stale(cond) {
			return c.by(Failed, i, "sync-failed")
		}
	}
	expected, healthy, desired := c.o.Int("status", "expectedPods"), c.o.Int("status", "currentHealthy"), c.o.Int("status", "desiredHealthy")
	if !expected.Set && !desired.Set && len(c.o.Conditions) == 0 {
		return silent("computed", "The allowed disruptions are not computed yet", atStatus...)
	}
	var buf [128]byte
	text := append(strconv.AppendInt(buf[:0], healthy.V, 10), " of "...)
	text = append(strconv.AppendInt(text, expected.V, 10), " pods healthy, "...)
	text = append(strconv.AppendInt(text, desired.V, 10), " wanted; "...)
	text = append(strconv.AppendInt(text, c.o.Int("status", "disruptionsAllowed").V, 10), " disruptions allowed"...)
	s := good("computed", string(text), atBudget...)
	switch {
	case expected.V == 0 && healthy.V > 0:
		s.message = "It selects " + count(healthy.V, "healthy pod") + " that no controller owns"
		s.note = "protects nothing: how many pods there should be is not known without a controller"
	case expected.Set && expected.V == 0:
		s.note = "its selector matches no pod"
	case healthy.V < desired.V:
		s.note = pair("", healthy.V, " of the ", desired.V, " healthy pods that it wants")
	case c.o.Int("status", "disruptionsAllowed").V == 0 && expected.V > 0:
		s.note = "allows no disruption: it blocks draining nodes"
	}
	return s
}
