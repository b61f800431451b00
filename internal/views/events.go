package views

import (
	"fmt"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// events is the pane with the events of the selected object and its
// descendants.
func (t *text) events(v model.EventsView) []markup.Line {
	r, ok := selected(t.d.s)
	if v.WarningsOnly {
		t.add(markup.Dim.Of("warnings only (W shows all)"))
	}
	if !ok && len(v.Rows) == 0 {
		return nil
	}
	for _, text := range v.Refused {
		t.wrapped("", "  ", text, markup.Stuck)
	}
	if len(v.Rows) == 0 && len(v.Refused) == 0 && !t.absent() {
		t.add(markup.Dim.Of("No events. Clusters forget them after an hour."))
	}
	for _, e := range v.Rows {
		glyph, tok, reason := markup.Dot, markup.Dim, markup.Text
		if e.Type == "Warning" {
			glyph, tok, reason = markup.Stalled, markup.Stuck, markup.Strong
		}
		head := markup.Line{tok.Of(glyph + " "), reason.Of(e.Reason)}
		if e.Times > 1 {
			head = append(head, markup.Text.Of(fmt.Sprintf(" %s%d", markup.Times, e.Times)))
		}
		if e.About != r.ID {
			head = append(head, markup.Dim.Of("  "+t.d.shortID(e.About, max(10, t.w-head.Width()-12))))
		}
		when := markup.Since(e.Last, t.d.s.Facts.Now())
		if e.Times > 1 && !e.First.IsZero() && e.Last.Sub(e.First) > time.Minute {
			when += " (for " + markup.Age(e.Last.Sub(e.First)) + ")"
		}
		t.spread(head, markup.Line{markup.Dim.Of(when)})
		t.wrapped("  ", "  ", markup.OneLine(e.Message), markup.Dim)
	}
	return t.lines
}
