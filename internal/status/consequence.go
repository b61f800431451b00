package status

import (
	"cmp"
	"slices"
	"strings"
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

// awaiting is a fault, unless the object says that it waits, and something that it made
// or applied is under way while nothing of it has failed: a parent is no further than
// its parts, however long their start takes. Where no part is known, the phase tells
// whether it is under way.
func (x completion) awaiting(fault Assessment) Assessment {
	if fault.Confidence == User || !strings.Contains(fault.Message, "aiting for") {
		return fault
	}
	message := strings.ToLower(fault.Message)
	for _, over := range [...]string{"timeout", "timed out", "timed out while", "failed", "error"} {
		if strings.Contains(message, over+" waiting for") {
			return fault
		}
	}
	var under *Child
	for _, list := range [2]Children{x.j.w.Members, x.j.w.Children} {
		for i := range list {
			switch c := &list[i]; c.Assessment.Status {
			case Failed:
				return fault
			case InProgress:
				under = cmp.Or(under, c)
			}
		}
	}
	unknown := len(x.j.w.Members)+len(x.j.w.Children) == 0 && !x.j.w.ChildrenKnown
	if !x.j.holds(under != nil ||
		unknown && phaseIsProgress(x.o), "awaiting", "it waits for a part of it that is under way", "") {
		return fault
	}
	waits := fault
	waits.Status, waits.heals = InProgress, false
	if under == nil {
		return waits
	}
	waits.Child = under.Object.ID
	waits.Message = under.Object.ID.String() + ": " + under.Assessment.Message + "; " + fault.Message
	return waits
}

// phaseIsProgress reports whether the status names a phase that is under way.
func phaseIsProgress(o *object.Object) bool {
	status := asMap(o.Tree["status"])
	return slices.ContainsFunc([]string{"phase", "state"}, func(field string) bool {
		word, _ := status[field].(string)
		return classify(word) == wordProgress
	})
}
