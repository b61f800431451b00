package panes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Warnings shows warnings alone, or all events.
const Warnings Action = "warnings"

// Events is the pane with the events of the selected object and its descendants.
type Events struct {
	on       Selection
	warnings bool // show only warnings
}

// EventRow is a line of the pane: equal events of one object merged.
type EventRow struct {
	object.Event
	Times int
}

// EventsView is what the pane shows, newest first.
type EventsView struct {
	Rows         []EventRow
	Refused      []string // the missing permissions that hide others
	WarningsOnly bool
}

// eventRows bounds the pane.
const eventRows = 1000

// Title names the pane.
func (*Events) Title() Title {
	return Title{Name: "Events", Short: "Events", Does: "events", Show: "events", Keys: []string{"3", "E"}}
}

// Keys are the pane's keys.
func (e *Events) Keys() []Key {
	k := Key{Action: Warnings, Does: "warnings only", Keys: []string{"W"}}
	if e.warnings || e.any() {
		k.Label = "warnings only"
	}
	return []Key{k}
}

// any reports whether there are events.
func (e *Events) any() bool {
	n := e.on.Node
	return n != nil && !world.Walk(n, func(n *world.Node) bool { return len(e.on.World.Records.EventsOf(n)) == 0 })
}

// Load takes note of the selection: its events are wanted in any case.
func (e *Events) Load(on Selection) tea.Cmd {
	e.on = on
	return nil
}

// Update shows warnings alone, or all events.
func (e *Events) Update(msg tea.Msg) (string, tea.Cmd) {
	if msg == Warnings {
		e.warnings = !e.warnings
	}
	return "", nil
}

// Content is the events.
func (e *Events) Content(p *Page) Content { return p.Events(e.View()) }

// View merges equal events; it holds only warnings if the user chose so.
func (e *Events) View() EventsView {
	v, n := EventsView{WarningsOnly: e.warnings}, e.on.Node
	if n == nil {
		return v
	}
	v.Refused = e.on.World.Sources.EventRefusals(n)
	type kind struct {
		about                   object.ID
		typ, reason, text, from string
	}
	at := map[kind]int{}
	var rows []EventRow
	world.Walk(n, func(n *world.Node) bool {
		for _, ev := range e.on.World.Records.EventsOf(n) {
			if e.warnings && !ev.Warns() {
				continue
			}
			k := kind{ev.About, ev.Type, ev.Reason, ev.Message, ev.From}
			times := max(ev.Count, 1)
			if i, ok := at[k]; ok {
				r := &rows[i]
				r.Times += times
				if ev.Last.After(r.Last) {
					r.Last = ev.Last
				}
				if !ev.First.IsZero() && ev.First.Before(r.First) {
					r.First = ev.First
				}
				continue
			}
			at[k] = len(rows)
			rows = append(rows, EventRow{Event: ev, Times: times})
		}
		return len(rows) < 4*eventRows
	})
	slices.SortStableFunc(rows, func(a, b EventRow) int {
		return cmp.Or(b.Last.Compare(a.Last), a.About.Compare(b.About), strings.Compare(a.Reason, b.Reason))
	})
	v.Rows = rows[:min(len(rows), eventRows)]
	return v
}

// Events writes events below the selected object's name.
func (t *Page) Events(v EventsView) Content {
	return t.below((*Page).onlyName, func(t *Page) []markup.Line { return t.events(v) })
}

func (t *Page) events(v EventsView) []markup.Line {
	r, ok := t.selected()
	if v.WarningsOnly {
		t.Add(markup.Dim.Of("warnings only (W shows all)"))
	}
	if !ok && len(v.Rows) == 0 {
		return nil
	}
	for _, text := range v.Refused {
		t.Wrapped("", "  ", text, markup.Stuck)
	}
	if len(v.Rows) == 0 && len(v.Refused) == 0 && !t.absent() {
		t.Add(markup.Dim.Of("No events. Clusters forget them after an hour."))
	}
	for _, e := range v.Rows {
		glyph, tok, reason := markup.Dot, markup.Dim, markup.Text
		if e.Warns() {
			glyph, tok, reason = markup.Stalled, markup.Stuck, markup.Strong
		}
		head := markup.Line{tok.Of(glyph + " "), reason.Of(e.Reason)}
		if e.Times > 1 {
			head = append(head, markup.Text.Of(fmt.Sprintf(" %s%d", markup.Times, e.Times)))
		}
		if e.About != r.ID {
			head = append(head, markup.Dim.Of("  "+t.shortID(e.About, max(10, t.W-head.Width()-12))))
		}
		when := markup.Since(e.Last, t.Facts.Now())
		if e.Times > 1 && !e.First.IsZero() && e.Last.Sub(e.First) > time.Minute {
			when += " (for " + markup.Age(e.Last.Sub(e.First)) + ")"
		}
		t.Leads(e.About, "")
		t.Spread(head, markup.Line{markup.Dim.Of(when)})
		t.Wrapped("  ", "  ", markup.OneLine(e.Message), markup.Dim)
	}
	return t.lines
}
