package object

import (
	"strconv"
	"time"
)

// At follows a path of keys; nil if it does not exist.
func At(v any, path ...string) any {
	for _, field := range path {
		m, _ := v.(map[string]any)
		v = m[field]
	}
	return v
}

// Integer converts an integer of a Tree, also one written as a string.
func Integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case float64:
		if v == float64(int64(v)) {
			return int64(v), true
		}
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		return n, err == nil
	}
	return 0, false
}

// Text formats a string, boolean or number of a Tree; false for other types.
func Text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}

// Empty reports whether a value of a Tree has no content: null, "", 0, an empty
// list, and maps of nothing else.
func Empty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, sub := range v {
			if !Empty(sub) {
				return false
			}
		}
		return true
	}
	return v == nil || v == "" || v == int64(0) || v == float64(0)
}

// ConditionOf converts a condition in a Tree, such as one below
// status.parents[].
func ConditionOf(m map[string]any) Condition {
	str := func(k string) string { s, _ := m[k].(string); return s }
	date := func(k string) time.Time {
		if s := str(k); s != "" {
			// 1970 is a schema's default (Gateway API)
			if t, err := time.Parse(time.RFC3339, s); err == nil && t.Unix() != 0 {
				return t.UTC()
			}
		}
		return time.Time{}
	}
	c := Condition{Statement: &Statement{
		Type: str("type"), Status: str("status"), Reason: str("reason"), Message: str("message"),
		Severity: str("severity"), LastUpdateTime: date("lastUpdateTime"),
	}, LastTransitionTime: date("lastTransitionTime")}
	if n, ok := Integer(m["observedGeneration"]); ok {
		c.ObservedGeneration = IntOf(n)
	}
	return c
}

// dateFields are the fields that date the state beside them: when it was entered, when it
// was seen, or when what it is the outcome of came to its end.
var dateFields = [...]string{
	"lastTransitionTime", "lastFailureTime", "time", "timestamp",
	"finishedAt", "finishTime", "finishedTime", "finishTimestamp", "completedAt", "completionTime", "completedTime",
	"completionTimestamp", "endedAt", "endTime",
}

// DateAmong is the newest date among fields that says when the others got their values;
// zero if there is none. A start is no such date.
func DateAmong(fields any) (at time.Time) {
	m, _ := fields.(map[string]any)
	for _, name := range dateFields {
		text, _ := m[name].(string)
		if t, err := time.Parse(time.RFC3339, text); err == nil && t.After(at) {
			at = t
		}
	}
	return at
}

// NoStatus reports whether nobody has reported a status: there is none, or it only holds
// an observedGeneration of at most 0, which the API server writes from a schema's
// default.
func (o *Object) NoStatus() bool {
	if len(o.Conditions) > 0 || o.HasView() || o.Observed.V > 0 || o.ObservedText.V > 0 {
		return false
	}
	status, isMap := o.Tree["status"].(map[string]any)
	if !isMap {
		return Empty(o.Tree["status"])
	}
	for field, v := range status {
		if n, ok := Integer(v); !Empty(v) && (field != "observedGeneration" || !ok || n > 0) {
			return false
		}
	}
	return true
}

// Superseded reports whether another condition of the same type replaces condition i: one
// with a later date, or with the same date and further down. By the API conventions a type
// occurs once, but some controllers append to a history (kedacore/http-add-on#1390).
func (o *Object) Superseded(i int) bool {
	c := &o.Conditions[i]
	for k := range o.Conditions {
		other := &o.Conditions[k]
		if k == i || other.Type != c.Type {
			continue
		}
		later := other.LastTransitionTime.Compare(c.LastTransitionTime)
		if later > 0 || later == 0 && k > i {
			return true
		}
	}
	return false
}

// Stale reports whether a condition is about an older generation.
func (o *Object) Stale(c *Condition) bool {
	return o.Generation.Set && c.ObservedGeneration.Set && c.ObservedGeneration.V < o.Generation.V &&
		c.ObservedGeneration.V > 0
}
