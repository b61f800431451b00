package views

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// Wherever the cursor goes in wrapped and folded YAML, its line is in sight, and
// it is the one that is marked.
func TestTheLineOfTheCursorIsInSight(t *testing.T) {
	var yaml strings.Builder
	for i := range 120 {
		switch i % 6 {
		case 0:
			fmt.Fprintf(&yaml, "block%d:\n", i)
		case 3:
			fmt.Fprintf(&yaml, "  - item%d: %s\n", i, strings.Repeat("so long that it is wrapped ", 1+i%7))
		default:
			fmt.Fprintf(&yaml, "  - item%d: x\n", i)
		}
	}
	now := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	th := theme(t, "dark")
	look := Look{Theme: th}
	m, _ := model.New(model.Options{Now: now, Screen: true, Feed: noFeed{}})
	r := rand.New(rand.NewPCG(3, 4))
	send := func(msgs ...model.Msg) {
		for _, msg := range msgs {
			var cmd tea.Cmd
			m, cmd = m.Update(msg)
			for _, answer := range viewstest.Answers(cmd) {
				if d, ok := answer.(panes.DetailLoaded); ok {
					m, _ = m.Update(panes.DetailLoaded{Gen: d.Gen, Detail: feed.Detail{YAML: yaml.String()}})
				}
			}
		}
	}
	send(tea.WindowSizeMsg{Width: 120, Height: 30},
		model.BatchArrived{Batch: viewstest.ShopBatch(now)}, viewstest.Press("5"), viewstest.Press("tab"))
	for step := range 400 {
		switch r.IntN(12) {
		case 0:
			send(tea.WindowSizeMsg{Width: 60 + r.IntN(140), Height: 12 + r.IntN(40)})
			if w, _ := m.Panes.Size(); w < 110 && m.Panes.PaneSize() == layout.Normal {
				send(viewstest.Press("+"), viewstest.Press("+"))
			}
		case 1:
			send(model.Scrolled{Over: model.FocusPane, Lines: r.IntN(40) - 20}) // it is looked at, and then gone on from there
		case 2:
			send(viewstest.Press([]string{"G", "g", "w", "pgdown", "pgup"}[r.IntN(5)]))
		case 3:
			send(viewstest.Press([]string{"left", "right", "space"}[r.IntN(3)]))
		}
		send(viewstest.Press([]string{"down", "down", "up"}[r.IntN(3)]))
		d := m.Panes.Detail()
		if d.Cursor == 0 {
			t.Fatalf("step %d: no cursor", step)
		}
		c := NewCanvas(0, 0, nil)
		Draw(c, of(m), look)
		want, _, _ := strings.Cut(strings.TrimLeft(d.Shown[d.Cursor-1].Text, " -"), ":")
		var marked strings.Builder
		for y := range c.Height() {
			for x := range c.Width() {
				if _, back := c.tokenAt(x, y); back == Selected {
					marked.WriteString(strings.Split(c.Plain(), "\n")[y] + "\n")
					break
				}
			}
		}
		if !strings.Contains(marked.String(), want+":") {
			t.Fatalf("step %d: the cursor is on %q, marked is %q:\n%s", step, want, marked.String(), c.Plain())
		}
	}
}

// kubectl prints the status last: that it is first here is said.
func TestTheYAMLPaneSaysThatTheStatusIsFirst(t *testing.T) {
	for _, w := range []int{60, 80, 120, 200} {
		s := badImage(w, 36)
		s.pane, s.focus, s.size = model.PaneYAML, model.FocusPane, layout.Full
		got := paneOf(t, s)
		if !strings.HasPrefix(got[1], "# the status first") || got[2] != "status:" {
			t.Errorf("%d columns: %q", w, got[:3])
		}
	}
}
