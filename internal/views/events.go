package views

import (
	"fmt"
	"time"
)

// events is the pane with the events of the selected object and its
// descendants.
func (d *drawing) events(w int) []line {
	t := d.text(w)
	if r, ok := d.selected(); ok {
		what := line{{"", Text}}
		if d.s.WarningsOnly() {
			what = line{{"warnings only (W shows all)", Dim}}
		}
		t.spread(d.crumbs(r.ID, w), what)
		t.gap()
	}
	rows := d.s.Events()
	if key, _ := d.s.Selected(); key.ID.IsZero() && len(rows) == 0 {
		t.add(span{"Nothing is selected.", Dim})
		return t.lines
	}
	refused := d.s.EventRefusals()
	for _, r := range refused {
		t.wrapped("", "  ", r, Stuck)
	}
	if len(rows) == 0 {
		if len(refused) == 0 && !d.absent(t) {
			t.add(span{"No events. Clusters forget them after an hour.", Dim})
		}
		return t.lines
	}
	key, _ := d.s.Selected()
	for _, e := range rows {
		glyph, tok := d.g.Dot, Dim
		reason := Text
		if e.Type == "Warning" {
			glyph, tok, reason = d.g.Stalled, Stuck, Strong
		}
		head := line{{glyph + " ", tok}, {e.Reason, reason}}
		if e.Times > 1 {
			head = append(head, span{fmt.Sprintf(" %s%d", d.g.Times, e.Times), Text})
		}
		if e.About != key.ID {
			head = append(head, span{"  " + d.shortID(e.About, max(10, w-head.width()-12)), Dim})
		}
		when := since(e.Last, d.s.Now())
		if e.Times > 1 && !e.First.IsZero() && e.Last.Sub(e.First) > time.Minute {
			when += " (for " + age(e.Last.Sub(e.First)) + ")"
		}
		t.spread(head, line{{when, Dim}})
		t.wrapped("  ", "  ", OneLine(e.Message), Dim)
	}
	return t.lines
}
