package edges

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Format writes a selector as a labelSelector query, with its requirements in
// canonical order: equal selectors give equal strings. The empty selector gives
// "", which a server takes for everything: callers must handle it.
func Format(s object.Selector) string {
	parts := make([]string, 0, len(s.Match)+len(s.Exprs))
	for _, l := range s.Match {
		parts = append(parts, l.Key+"="+l.Value)
	}
	for _, r := range s.Exprs {
		switch r.Operator {
		case "In", "NotIn":
			v := slices.Clone(r.Values)
			slices.Sort(v)
			op := " in ("
			if r.Operator == "NotIn" {
				op = " notin ("
			}
			parts = append(parts, r.Key+op+strings.Join(v, ",")+")")
		case "Exists":
			parts = append(parts, r.Key)
		case "DoesNotExist":
			parts = append(parts, "!"+r.Key)
		default: // a node affinity's Gt and Lt
			parts = append(parts, r.Key+" "+r.Operator+" "+strings.Join(r.Values, ","))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// Covers reports whether a stream's selector, as [Format] or the planner writes it, selects
// everything that another one does. The planner merges selectors that differ in the value of one
// label: "app in (api,web)".
func Covers(stream string, sel object.Selector) bool {
	key, values, _ := strings.Cut(stream, " in (")
	values, alone := strings.CutSuffix(values, ")")
	return stream == Format(sel) ||
		alone && !strings.Contains(values, ")") && slices.ContainsFunc(sel.Match, func(l object.Label) bool {
			return l.Key == key && slices.Contains(strings.Split(values, ","), l.Value)
		})
}

// Selects reports whether the selector matches the labels of o. The empty
// selector matches nothing.
func Selects(s object.Selector, o *object.Object) bool {
	if len(s.Match) == 0 && len(s.Exprs) == 0 {
		return false
	}
	for _, l := range s.Match {
		if v, ok := o.Label(l.Key); !ok || v != l.Value {
			return false
		}
	}
	for _, r := range s.Exprs {
		v, ok := o.Label(r.Key)
		switch r.Operator {
		case "In":
			if !ok || !slices.Contains(r.Values, v) {
				return false
			}
		case "NotIn":
			if ok && slices.Contains(r.Values, v) {
				return false
			}
		case "Exists":
			if !ok {
				return false
			}
		case "DoesNotExist":
			if ok {
				return false
			}
		case "Gt", "Lt": // of node affinity
			if !ok || len(r.Values) != 1 || !compares(v, r.Operator, r.Values[0]) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func compares(v, operator, bound string) bool {
	a, err1 := strconv.ParseInt(v, 10, 64)
	b, err2 := strconv.ParseInt(bound, 10, 64)
	return err1 == nil && err2 == nil && (operator == "Gt" && a > b || operator == "Lt" && a < b)
}
