package views

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// mayBeSilent are the keys that may do nothing without a word: nobody expects more at an end, or
// of the pane that is open, and some act outside of the screen.
var mayBeSilent = []model.Action{
	"up", "down", "page-up", "page-down", "half-up", "half-down", "top", "bottom", "collapse", "expand",
	"why", "conditions", "events", "logs", "yaml", "timeline",
	"back", "quit", "suspend", "redraw", "copy-step", "report",
}

// Whoever presses a key that changes nothing takes that for a fault, unless a word says why.
func TestAKeyWithoutEffectSaysWhy(t *testing.T) {
	now := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	look := Look{Theme: theme(t, "dark")}
	for _, at := range []struct {
		w, h int
		row  string
	}{{80, 24, "g"}, {80, 24, "G"}, {120, 36, "g"}, {120, 36, "G"}} {
		for _, b := range model.Bindings {
			if b.Context == model.InText || b.Context == model.InReplay || slices.Contains(mayBeSilent, b.Action) || len(b.Keys()) == 0 {
				continue
			}
			m, _ := model.New(model.Options{Now: now, Screen: true})
			send := func(msg model.Msg) (cmd tea.Cmd) { m, cmd = m.Update(msg); return cmd }
			send(tea.WindowSizeMsg{Width: at.w, Height: at.h})
			send(model.BatchArrived{Batch: viewstest.ShopBatch(now)})
			send(viewstest.Press(at.row))
			for i, p := range panes.New() {
				if b.Context == model.OwnKeys(model.Pane(i)) {
					send(viewstest.Press(p.Title().Keys[0]))
				}
			}
			if b.Context != model.InTree && b.Context != model.Global && m.Panes.Focus() != model.FocusPane {
				send(viewstest.Press("tab"))
			}
			drawn := func() string {
				c := NewCanvas(0, 0, nil)
				Draw(c, of(m), look)
				return c.Render()
			}
			before, key := drawn(), b.Keys()[0]
			for i := range 3 {
				cmd := send(viewstest.Press(key))
				after := drawn()
				if after == before && m.Display.Flash() == "" && cmd == nil {
					t.Errorf("%v: %q (%s) pressed %d times does nothing, and says nothing", at, key, b.Action, i+1)
					break
				}
				before = after
			}
		}
	}
}
