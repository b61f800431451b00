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

// Events are the events of the selected object and its descendants, newest
// first, with equal ones merged; only warnings if the user chose so.
func (m Model) Events() []EventRow {
	if n := m.seenNode(); n != nil {
		return m.eventsBelow(n, m.warnings)
	}
	return nil
}

func (f *facts) eventsBelow(n *world.Node, warnings bool) []EventRow {
	type kind struct {
		about                   object.ID
		typ, reason, text, from string
	}
	at := map[kind]int{}
	var rows []EventRow
	var walk func(n *world.Node)
	walk = func(n *world.Node) {
		for _, e := range f.seen().EventsOf(n) {
			if warnings && e.Type == "Normal" {
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
		for _, k := range n.Kids {
			if len(rows) < 4*eventRows {
				walk(k)
			}
		}
	}
	walk(n)
	slices.SortStableFunc(rows, func(a, b EventRow) int {
		return cmp.Or(b.Last.Compare(a.Last), a.About.Compare(b.About), strings.Compare(a.Reason, b.Reason))
	})
	return rows[:min(len(rows), eventRows)]
}
