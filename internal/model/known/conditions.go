package known

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Condition is a condition of an object, and what it means.
type Condition struct {
	object.Condition
	Polarity status.Polarity
	KnownBy  status.Confidence // how the polarity is known
	Top      bool              // the summarising one: Ready, Available and the like
	Deciding bool              // it decided the status
	Good     bool              // its status is the good one, or its polarity is unknown
}

// topConditions are the conditions that summarise an object, in order of
// precedence.
var topConditions = []string{
	"Ready", "Available", "Succeeded", "Complete", "Established", "Healthy", "Synced",
	"Programmed", "Accepted", "Bound",
}

// ConditionsOf are an object's conditions, the summarising one first, then
// the deciding one.
func (f *Facts) ConditionsOf(id object.ID) []Condition {
	n := f.World.Tree.Nodes[id]
	if n == nil || n.Object == nil {
		return nil
	}
	top := -1
	for _, t := range topConditions {
		if top = slices.IndexFunc(n.Object.Conditions, func(c object.Condition) bool { return c.Type == t }); top >= 0 {
			break
		}
	}
	var first, next, rest []Condition
	for i, c := range n.Object.Conditions {
		r := Condition{Condition: c, Top: i == top, Deciding: i == n.Assess.Deciding}
		r.Polarity, r.KnownBy = status.PolarityFor(n.Object, f.Options().Rules, c.Type)
		if c.Type == "Progressing" && n.Object.Group == "apps" {
			r.Polarity, r.KnownBy = status.NormalTrue, status.Exact // a Deployment's stays True after success
		}
		good := map[status.Polarity]string{status.NormalTrue: "True", status.AbnormalTrue: "False"}[r.Polarity]
		r.Good = good == "" || c.Status == good
		switch {
		case r.Top:
			first = append(first, r)
		case r.Deciding:
			next = append(next, r)
		default:
			rest = append(rest, r)
		}
	}
	return slices.Concat(first, next, rest)
}
