package views

import (
	"fmt"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// events is the pane with the events of the selected object and its
// descendants.
func (t *text) events(v model.EventsView) []line {
	r, ok := selected(t.d.s)
	if v.WarningsOnly {
		t.add(span{"warnings only (W shows all)", Dim})
	}
	if !ok && len(v.Rows) == 0 {
		return nil
	}
	for _, text := range v.Refused {
		t.wrapped("", "  ", text, Stuck)
	}
	if len(v.Rows) == 0 && len(v.Refused) == 0 && !t.absent() {
		t.add(span{"No events. Clusters forget them after an hour.", Dim})
	}
	for _, e := range v.Rows {
		glyph, tok, reason := dot, Dim, Text
		if e.Type == "Warning" {
			glyph, tok, reason = stalled, Stuck, Strong
		}
		head := line{{glyph + " ", tok}, {e.Reason, reason}}
		if e.Times > 1 {
			head = append(head, span{fmt.Sprintf(" %s%d", times, e.Times), Text})
		}
		if e.About != r.ID {
			head = append(head, span{"  " + t.d.shortID(e.About, max(10, t.w-head.width()-12)), Dim})
		}
		when := since(e.Last, t.d.s.Facts.Now())
		if e.Times > 1 && !e.First.IsZero() && e.Last.Sub(e.First) > time.Minute {
			when += " (for " + age(e.Last.Sub(e.First)) + ")"
		}
		t.spread(head, line{{when, Dim}})
		t.wrapped("  ", "  ", OneLine(e.Message), Dim)
	}
	return t.lines
}
