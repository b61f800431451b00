package status

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// horizontalPodAutoscaler follows pkg/controller/podautoscaler/horizontal.go:
// reasons FailedGet… and FailedUpdate… are faults, disabled or limited scaling
// is not.
func horizontalPodAutoscaler(j *judge) Assessment {
	o, paths := j.o, "status.conditions"
	if _, ok := o.Annotation(object.ScalingConditions); ok && o.Version == "v1" {
		paths = "metadata.annotations[" + object.ScalingConditions + "]"
	}
	able, active, limited := j.index("AbleToScale"), j.index("ScalingActive"), j.index("ScalingLimited")
	if len(o.Conditions) == 0 {
		return j.replicasAlone()
	}
	if able >= 0 && strings.HasPrefix(o.Conditions[able].Reason, "Failed") {
		return j.by("able-to-scale", paths).fault("", "").from(o, able)
	}
	if active >= 0 && isFalse(&o.Conditions[active]) {
		if o.Conditions[active].Reason == "ScalingDisabled" {
			return j.by("scaling-disabled", paths).current("").from(o, active).noted("scaling is disabled: the target has 0 replicas")
		}
		return j.by("scaling-active", paths).fault("", "").from(o, active)
	}
	j.by("able-to-scale", paths)
	switch {
	case able < 0:
		return j.progress("AbleToScaleMissing", "Condition AbleToScale is not reported yet")
	case !isTrue(&o.Conditions[able]):
		return j.progress("", "").from(o, able)
	}
	a := j.current("").from(o, able)
	if limited >= 0 && isTrue(&o.Conditions[limited]) && o.Conditions[limited].Reason == "TooManyReplicas" {
		a.Note = "wants more replicas than its maximum allows"
	}
	return a
}

// replicasAlone judges an autoscaler without conditions: autoscaling/v1 has
// none, and not every server writes them into the annotation.
func (j *judge) replicasAlone() Assessment {
	have, want := j.o.Int("status", "currentReplicas").V, j.o.Int("status", "desiredReplicas").V
	_, scaled := j.o.Map("status")["lastScaleTime"]
	if want == 0 && (have > 0 || !j.o.Observed.Set && !scaled) {
		return j.by("conditions", "status.conditions").silent("The autoscaler has not been looked at yet")
	}
	j.by("replicas", "status.currentReplicas status.desiredReplicas")
	if have != want {
		return j.progress("Scaling", of(have, want, " replicas"))
	}
	return j.current(count(want, "replica") + ", as many as it wants")
}
