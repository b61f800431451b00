package views

import (
	"fmt"
	"time"
)

// events is the pane with the events of the selected object and its
// descendants.
func (t *text) events() []line {
	if r, ok := t.selected(); ok {
		what := line{{"", Text}}
		if t.s.WarningsOnly() {
			what = line{{"warnings only (W shows all)", Dim}}
		}
		t.spread(t.crumbs(r.ID, t.w), what)
		t.gap()
	}
	rows := t.s.Events()
	if key, _ := t.s.Selected(); key.ID.IsZero() && len(rows) == 0 {
		t.add(span{"Nothing is selected.", Dim})
		return t.lines
	}
	refused := t.s.EventRefusals()
	for _, r := range refused {
		t.wrapped("", "  ", r, Stuck)
	}
	if len(rows) == 0 {
		if len(refused) == 0 && !t.absent() {
			t.add(span{"No events. Clusters forget them after an hour.", Dim})
		}
		return t.lines
	}
	key, _ := t.s.Selected()
	for _, e := range rows {
		glyph, tok := t.g.Dot, Dim
		reason := Text
		if e.Type == "Warning" {
			glyph, tok, reason = t.g.Stalled, Stuck, Strong
		}
		head := line{{glyph + " ", tok}, {e.Reason, reason}}
		if e.Times > 1 {
			head = append(head, span{fmt.Sprintf(" %s%d", t.g.Times, e.Times), Text})
		}
		if e.About != key.ID {
			head = append(head, span{"  " + t.shortID(e.About, max(10, t.w-head.width()-12)), Dim})
		}
		when := since(e.Last, t.s.Now())
		if e.Times > 1 && !e.First.IsZero() && e.Last.Sub(e.First) > time.Minute {
			when += " (for " + age(e.Last.Sub(e.First)) + ")"
		}
		t.spread(head, line{{when, Dim}})
		t.wrapped("  ", "  ", OneLine(e.Message), Dim)
	}
	return t.lines
}
