package status

import (
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// resourceClaim: a claim is allocated when a Pod that uses it is scheduled
// (KEP-4381), so one without a Pod waits for nothing, like a
// PersistentVolumeClaim that waits for its first consumer. The Pod's scheduling
// tells whether it can be allocated.
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
