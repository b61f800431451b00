package status

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// A consequence is no fault of its own: what only waits for another object that is under
// way is InProgress with it, for as long as that may take.

// settlePatience is how long what depends on another object may need after that has
// become Current. An HPA ignores the CPU of a Pod for that long after its start
// (--horizontal-pod-autoscaler-cpu-initialization-period).
const settlePatience = 5 * time.Minute

// consequence is a fault, unless it follows from another object that is not Current, or
// has not been for long: then it is waited for. A Failed one is named, too: it is the
// fault, and counts by itself.
func (j *judge) consequence(fault Assessment, of object.ID) Assessment {
	if j.w.Judged == nil {
		return fault
	}
	other, known := j.w.Judged(of)
	settled := other.Since.Add(settlePatience + j.w.Ahead)
	over := other.Status == Current && (other.Since.IsZero() || !j.now.Before(settled))
	if !j.holds(known && other.Rule != "" && !over, "consequence", "what it waits for is under way", "") {
		return fault
	}
	waits := j.progress(fault.Reason, fault.Message).since(fault.Since).decided(fault.condition - 1)
	waits.Child = of
	if other.Status == Current {
		waits.Recheck = settled
	} else {
		waits.Message += "; " + of.String() + ": " + other.Message
	}
	return waits
}
