package status

import (
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// resourceClaim: a claim is allocated when a pod that uses it is scheduled
// (KEP-4381), so that one without a pod waits for nothing, as a
// PersistentVolumeClaim does that waits for its first consumer. Whether it can
// be allocated, the pod's own scheduling tells.
func resourceClaim(j *judge) Assessment {
	if j.o.Map("status", "allocation") == nil {
		return j.by("unallocated", "status.allocation").
			is(Current, "NotAllocated", "Is allocated once a pod that uses it is scheduled").noted("not allocated: waits for its first pod")
	}
	for i, device := range j.o.List("status", "devices") {
		conditions, _ := object.At(device, "conditions").([]any)
		for k, el := range conditions {
			if c := object.ConditionOf(asMap(el)); c.Type == "Ready" && isFalse(&c) {
				return j.by("devices", fmt.Sprintf("status.devices[%d].conditions[%d]", i, k)).fault(c.Reason, describe(&c)).since(c.LastTransitionTime)
			}
		}
	}
	return j.by("allocation", "status.allocation status.reservedFor").
		current("Allocated, reserved for " + count(len(j.o.List("status", "reservedFor")), "consumer"))
}
