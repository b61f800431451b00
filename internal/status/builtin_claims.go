package status

import (
	"fmt"
	"strconv"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func readVolume(c *custom) signal {
	text := c.o.Str("status", "message")
	switch phase := c.o.Str("status", "phase"); phase {
	case "Bound":
		return good("phase", "Volume is bound", atPhase...)
	case "Available":
		return good("phase", "Volume is available", atPhase...)
	case "Released":
		s := good("phase", "Volume is released", atPhase...)
		s.note = "its claim is gone; it is not given to another until it is reclaimed"
		return s
	case "Failed":
		if text == "" {
			text = "Reclaiming the volume failed"
		}
		return fails("phase", c.o.Str("status", "reason"), text, atPhaseMessage...)
	case "Pending", "":
		return underway("phase", "Pending", "Volume is pending", atPhase...)
	default:
		return signal{status: Unknown, rule: "phase", message: "status.phase is " + phase, paths: []string{"status.phase"}}
	}
}

func readAttachment(c *custom) signal {
	fault := func(field, reason string) (signal, bool) {
		m := c.o.Map("status", field)
		text, _ := m["message"].(string)
		if text == "" {
			return signal{}, false
		}
		s := fails(field, reason, text, "status."+field+".message")
		at, _ := m["time"].(string)
		s.since, _ = time.Parse(time.RFC3339, at)
		return s, true
	}
	if s, ok := fault("detachError", "DetachFailed"); ok {
		return s
	}
	if v, _ := c.o.Bool("status", "attached"); v {
		return good("attached", "Volume is attached", atAttached...)
	}
	if s, ok := fault("attachError", "AttachFailed"); ok {
		return s
	}
	return underway("attached", "Attaching", "Waiting for the volume to be attached", atAttached...)
}

// readResourceClaim: a claim is allocated when a pod that uses it is scheduled
// (KEP-4381), so that one without a pod waits for nothing, as a
// PersistentVolumeClaim does that waits for its first consumer. Whether it can
// be allocated, the pod's own scheduling tells.
func readResourceClaim(c *custom) signal {
	if c.o.Map("status", "allocation") == nil {
		s := good("unallocated", "Is allocated once a pod that uses it is scheduled", atAllocation...)
		s.reason, s.note = "NotAllocated", "not allocated: waits for its first pod"
		return s
	}
	for i, el := range c.o.List("status", "devices") {
		m, _ := el.(map[string]any)
		list, _ := m["conditions"].([]any)
		for k, el := range list {
			cm, _ := el.(map[string]any)
			if cond := object.ConditionOf(cm); cond.Type == "Ready" && isFalse(&cond) {
				s := fails("devices", cond.Reason, describe(&cond), fmt.Sprintf("status.devices[%d].conditions[%d]", i, k))
				s.since = cond.LastTransitionTime
				return s
			}
		}
	}
	n := len(c.o.List("status", "reservedFor"))
	return good("allocation", "Allocated, reserved for "+strconv.Itoa(n)+" consumer"+plural(n, "s"), atAllocationReservedFor...)
}
