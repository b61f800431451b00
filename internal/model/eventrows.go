package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// eventRows bounds the events pane.
const eventRows = 1000

// Events are the events of the selected object and its descendants, with equal
// ones merged; only warnings if the user chose so.
func (p *Panes) Events() EventsView {
	v, n := EventsView{WarningsOnly: p.warnings}, p.tree.selectedNode()
	if n == nil {
		return v
	}
	v.Refused = p.facts.World.EventRefusals(n)
	type kind struct {
		about                   object.ID
		typ, reason, text, from string
	}
	at := map[kind]int{}
	var rows []EventRow
	world.Walk(n, func(n *world.Node) bool {
		for _, e := range p.facts.World.EventsOf(n) {
			if p.warnings && e.Type == "Normal" {
				continue
			}
			k := kind{e.About, e.Type, e.Reason, e.Message, e.From}
			times := max(e.Count, 1)
			if i, ok := at[k]; ok {
				r := &rows[i]
				r.Times += times
				if e.Last.After(r.Last) {
					r.Last = e.Last
				}
				if !e.First.IsZero() && e.First.Before(r.First) {
					r.First = e.First
				}
				continue
			}
			at[k] = len(rows)
			rows = append(rows, EventRow{Event: e, Times: times})
		}
		return len(rows) < 4*eventRows
	})
	slices.SortStableFunc(rows, func(a, b EventRow) int {
		return cmp.Or(b.Last.Compare(a.Last), a.About.Compare(b.About), strings.Compare(a.Reason, b.Reason))
	})
	v.Rows = rows[:min(len(rows), eventRows)]
	return v
}
