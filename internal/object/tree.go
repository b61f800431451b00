package object

import (
	"strconv"
	"time"
)

// At follows a path of keys; nil if it does not exist.
func At(v any, path ...string) any {
	for _, field := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
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
func Empty(v any) bool { return emptyTo(v, 6) }

func emptyTo(v any, depth int) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case int64:
		return v == 0
	case float64:
		return v == 0
	case bool:
		return false
	case []any:
		return len(v) == 0
	case map[string]any:
		if depth == 0 {
			return false
		}
		for _, sub := range v {
			if !emptyTo(sub, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

// ConditionOf converts a condition in a Tree, such as one below
// status.parents[].
func ConditionOf(m map[string]any) Condition {
	str := func(k string) string { s, _ := m[k].(string); return s }
	c := Condition{Statement: &Statement{Type: str("type"), Status: str("status"), Reason: str("reason"), Message: str("message"), Severity: str("severity")}}
	if n, ok := m["observedGeneration"].(int64); ok {
		c.ObservedGeneration = IntOf(n)
	}
	if t, _ := time.Parse(time.RFC3339, str("lastTransitionTime")); t.Unix() != 0 { // 1970 is a schema's default
		c.LastTransitionTime = t
	}
	return c
}

// Stale reports whether a condition is about an older generation.
func (o *Object) Stale(c *Condition) bool {
	return o.Generation.Set && c.ObservedGeneration.Set && c.ObservedGeneration.V < o.Generation.V && c.ObservedGeneration.V > 0
}
