package status

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

func node(j *judge) Assessment {
	conditions, ready := j.o.Conditions, j.index("Ready")
	if ready < 0 {
		return j.by("ready", "status.conditions").silent("The kubelet has not reported yet")
	}
	if !isTrue(&conditions[ready]) {
		return j.judged(Failed, ready, "ready")
	}
	for i := range conditions {
		switch c := &conditions[i]; {
		case !isTrue(c):
		case c.Type == "NetworkUnavailable":
			return j.judged(Failed, i, "network")
		case strings.HasSuffix(c.Type, "Pressure"):
			return j.judged(Failed, i, "pressure")
		}
	}
	a := j.judged(Current, ready, "ready")
	if cordoned, _ := j.o.Bool("spec", "unschedulable"); cordoned {
		return a.noted("cordoned: nothing new is scheduled here")
	}
	for i := range conditions {
		// node-problem-detector's conditions
		if sense, _ := conditionSense(conditions[i].Type); isTrue(&conditions[i]) && sense == registry.Fault {
			return a.noted(conditions[i].Type + ": " + describe(&conditions[i]))
		}
	}
	return a
}
