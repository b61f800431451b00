package status

import (
	"fmt"
	"maps"
	"time"
)

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
//     computed, and go when they no longer hold. They are known by their
//     lastUpdateTime, which the conditions of the API conventions do not have;
//     a controller's own Reconciling and Stalled count, as always.
//   - A controller's own condition that already says so is left as it is.
//   - lastUpdateTime stays when nothing changed. So Augment is idempotent.
//
// It returns an error for an object that Compute cannot judge and for
// conditions that are malformed; the object is unchanged then.
func Augment(object map[string]any, now time.Time) (Result, error) {
	st, ok := object["status"].(map[string]any)
	if !ok && object["status"] != nil {
		return Result{}, fmt.Errorf("status is not an object")
	}
	list, ok := st["conditions"].([]any)
	if !ok && st["conditions"] != nil {
		return Result{}, fmt.Errorf("status.conditions is not a list")
	}
	rest, earlier, err := splitAugmented(list)
	if err != nil {
		return Result{}, err
	}
	r, err := computeWithout(object, st, rest, now)
	if err != nil {
		return Result{}, err
	}
	stamp := now.UTC().Format(time.RFC3339)
	for _, c := range r.Conditions {
		rest = amend(rest, earlier[c.Type], c, stamp)
	}
	if st == nil {
		st = map[string]any{}
		object["status"] = st
	}
	if rest == nil {
		rest = []any{}
	}
	st["conditions"] = rest
	return r, nil
}

// splitAugmented tells the conditions of an earlier augmentation, by type, from
// all others.
func splitAugmented(list []any) (rest []any, earlier map[string]map[string]any, err error) {
	earlier = map[string]map[string]any{}
	for i, entry := range list {
		c, ok := entry.(map[string]any)
		if !ok {
			return nil, nil, fmt.Errorf("status.conditions[%d] is not an object", i)
		}
		typ, ok := c["type"].(string)
		if !ok {
			return nil, nil, fmt.Errorf("status.conditions[%d].type is not a string", i)
		}
		if _, stamped := c["lastUpdateTime"]; stamped && (typ == Reconciling || typ == Stalled) {
			earlier[typ] = c
			continue
		}
		rest = append(rest, entry)
	}
	return rest, earlier, nil
}

// computeWithout computes the status of the object with other conditions than
// it has.
func computeWithout(object, st map[string]any, conditions []any, now time.Time) (Result, error) {
	view := make(map[string]any, len(object))
	maps.Copy(view, object)
	if st != nil {
		inner := make(map[string]any, len(st))
		maps.Copy(inner, st)
		if inner["conditions"] = conditions; conditions == nil {
			delete(inner, "conditions")
		}
		view["status"] = inner
	}
	o, err := FromMap(view)
	if err != nil {
		return Result{}, err
	}
	return Compute(o, now)
}

// amend puts the condition c into the list. earlier is what an earlier
// augmentation said of it, or nil.
func amend(list []any, earlier map[string]any, c Condition, stamp string) []any {
	next := map[string]any{
		"type": c.Type, "status": c.Status, "reason": c.Reason, "message": c.Message,
		"lastTransitionTime": stamp, "lastUpdateTime": stamp,
	}
	place := len(list)
	for i, entry := range list {
		own := entry.(map[string]any)
		if own["type"] != c.Type {
			continue
		}
		if own["status"] == c.Status && own["reason"] == c.Reason && own["message"] == c.Message {
			return list
		}
		earlier, place = own, i
		break
	}
	if earlier != nil && earlier["status"] == c.Status {
		if t, ok := earlier["lastTransitionTime"]; ok {
			next["lastTransitionTime"] = t
		}
		if t, ok := earlier["lastUpdateTime"]; ok && earlier["reason"] == c.Reason && earlier["message"] == c.Message {
			next["lastUpdateTime"] = t
		}
	}
	if place == len(list) {
		return append(list, next)
	}
	list[place] = next
	return list
}
