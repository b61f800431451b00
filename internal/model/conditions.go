package model

import (
	"cmp"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// topConditions are the conditions that summarise an object, in order of
// precedence.
var topConditions = []string{"Ready", "Available", "Succeeded", "Complete", "Established", "Healthy", "Synced", "Programmed", "Accepted", "Bound"}

// polarity is the polarity of a condition type on an object's kind.
func (f *facts) polarity(o *object.Object, typ string) (p status.Polarity, by status.Confidence) {
	if typ == "Progressing" && o.Group == "apps" {
		return status.NormalTrue, status.Exact // a Deployment's Progressing stays True after success
	}
	return status.PolarityFor(o, f.opt.Rules, typ)
}

// ConditionsOf are an object's conditions, the summarising one first.
func (f *facts) ConditionsOf(id object.ID) []ConditionRow {
	n := f.seen().Nodes[id]
	if n == nil || n.Object == nil {
		return nil
	}
	top := -1
	for _, t := range topConditions {
		if top = slices.IndexFunc(n.Object.Conditions, func(c object.Condition) bool { return c.Type == t }); top >= 0 {
			break
		}
	}
	rows := make([]ConditionRow, 0, len(n.Object.Conditions))
	for i, c := range n.Object.Conditions {
		r := ConditionRow{Condition: c, Top: i == top, Deciding: i == n.Assess.Deciding}
		r.Polarity, r.KnownBy = f.polarity(n.Object, c.Type)
		switch r.Polarity {
		case status.NormalTrue:
			r.Good = c.Status == "True"
		case status.AbnormalTrue:
			r.Good = c.Status == "False"
		default:
			r.Good = true
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b ConditionRow) int {
		return cmp.Or(-cmpBool(a.Top, b.Top), -cmpBool(a.Deciding, b.Deciding))
	})
	return rows
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
