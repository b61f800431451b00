package status

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Converter converts an Unstructured object with its texts unchanged
// (internal/convert, Verbatim).
type Converter func(obj map[string]any) (*object.Object, error)

// Augment computes the status of an object, as decoded from JSON, and amends
// its standard conditions (Reconciling, Stalled) in status.conditions, in
// place, as kstatus's function of this name does: an appended condition gets
// both times, a changed one a new lastUpdateTime, and a new lastTransitionTime
// when its status flips. There is always a list of conditions afterwards.
//
// It differs from kstatus in three ways, because kstatus never clears what it
// has written and then, trusting these very conditions, echoes itself for ever:
//
//   - Conditions of an earlier augmentation do not count when the status is
//     computed, and go when they no longer hold. Only those count as such that
//     nobody but Compute can have written, see augmented; all others are a
//     controller's own, and as with kstatus they count and stay.
//   - A controller's own condition that already says so is left as it is.
//   - lastUpdateTime stays when nothing changed. So Augment is idempotent.
//
// It returns an error for an object that Compute cannot judge and for
// conditions that are malformed; the object is unchanged then.
func Augment(obj map[string]any, convert Converter, now time.Time) (Result, error) {
	st, ok := obj["status"].(map[string]any)
	if !ok && obj["status"] != nil {
		return Result{}, fmt.Errorf("status is not an object")
	}
	list, ok := st["conditions"].([]any)
	if !ok && st["conditions"] != nil {
		return Result{}, fmt.Errorf("status.conditions is not a list")
	}
	if err := checkConditions(list); err != nil {
		return Result{}, err
	}
	earlier := func(c any) bool { return augmented(obj, c.(map[string]any)) }
	r, err := computeWithout(obj, st, slices.DeleteFunc(slices.Clone(list), earlier), convert, now)
	if err != nil {
		return Result{}, err
	}
	rest := slices.DeleteFunc(slices.Clone(list), func(c any) bool {
		holds := slices.ContainsFunc(r.Conditions,
			func(now object.Condition) bool { return c.(map[string]any)["type"] == now.Type })
		return !holds && earlier(c)
	})
	stamp := now.UTC().Format(time.RFC3339)
	for _, c := range r.Conditions {
		rest = amend(rest, c, stamp)
	}
	if st == nil {
		st = map[string]any{}
		obj["status"] = st
	}
	if rest == nil {
		rest = []any{}
	}
	st["conditions"] = rest
	return r, nil
}

// checkConditions refuses what kstatus's Augment refuses.
func checkConditions(list []any) error {
	for i, entry := range list {
		c, ok := entry.(map[string]any)
		if !ok {
			return fmt.Errorf("status.conditions[%d] is not an object", i)
		}
		if _, ok := c["type"].(string); !ok {
			return fmt.Errorf("status.conditions[%d].type is not a string", i)
		}
	}
	return nil
}

// computeReasons are the reasons that Compute writes, and the one that it
// copies from a Deployment's condition Progressing.
var computeReasons = strings.Fields(`LatestGenerationNotObserved NoIPAssigned NotBound PodNotObserved PodPending
	PodNotScheduled PodUnschedulable PodRunningNotReady ContainerCrashLooping ReplicaFailure LessReplicas LessUpdated
	LessAvailable LessLabelled LessReady LessCurrent ExtraPods ReplicaSetNotAvailable DeploymentNotAvailable
	ProgressDeadlineExceeded PartitionRollout RevisionMismatch NoGeneration NoObservedGeneration NoDesiredNumber
	JobFailed JobNotStarted Installing`)

// augmented reports whether a condition can only be from an earlier
// augmentation: it has a lastUpdateTime, which conditions by the API
// conventions do not have, and a reason of Compute's; and it is on a built-in
// kind with rules in Compute (whose controllers write neither Reconciling nor
// Stalled) or mentions the generation in Compute's words. A copy of a custom
// kind's Ready cannot be told from its controller's own condition, so it stays,
// as with kstatus.
func augmented(obj, c map[string]any) bool {
	typ, reason := c["type"], c["reason"]
	if _, stamped := c["lastUpdateTime"]; !stamped || typ != Reconciling && typ != Stalled {
		return false
	}
	if text, _ := reason.(string); !slices.Contains(computeReasons, text) {
		return false
	}
	if reason == "LatestGenerationNotObserved" {
		message, _ := c["message"].(string)
		return strings.Contains(message, ", but latest observed generation is ")
	}
	apiVersion, _ := obj["apiVersion"].(string)
	kind, _ := obj["kind"].(string)
	group := apiVersion[:max(strings.IndexByte(apiVersion, '/'), 0)]
	return legacyRules[groupKind{group, kind}] != nil
}

// computeWithout computes the status of the object with the given conditions
// instead of its own.
func computeWithout(obj, st map[string]any, conditions []any, convert Converter, now time.Time) (Result, error) {
	view := maps.Clone(obj)
	if st != nil {
		inner := maps.Clone(st)
		if inner["conditions"] = conditions; conditions == nil {
			delete(inner, "conditions")
		}
		view["status"] = inner
	}
	o, err := convert(view)
	if err != nil {
		return Result{}, err
	}
	return Compute(o, now)
}

// amend puts condition c into the list, replacing one of its type.
func amend(list []any, c object.Condition, stamp string) []any {
	at := slices.IndexFunc(list, func(entry any) bool { return entry.(map[string]any)["type"] == c.Type })
	next := map[string]any{"lastTransitionTime": stamp}
	if at >= 0 {
		was := list[at].(map[string]any)
		if was["status"] == c.Status && was["reason"] == c.Reason && was["message"] == c.Message {
			return list
		}
		next = maps.Clone(was)
		if was["status"] != c.Status {
			next["lastTransitionTime"] = stamp
		}
	}
	next["type"], next["status"], next["reason"], next["message"] = c.Type, c.Status, c.Reason, c.Message
	next["lastUpdateTime"] = stamp
	if at < 0 {
		return append(list, next)
	}
	list[at] = next
	return list
}
