package views

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// The sign turns until the first answers are there, and never after.
func TestTheSpinnerTurnsUntilTheFirstAnswersAreThere(t *testing.T) {
	m, _ := model.New(model.Options{Now: sceneStart, Sources: []string{"deploy/web"}, Screen: true})
	p := &program{m: m, th: theme(t, "dark"), canvas: NewCanvas(0, 0, nil), following: t.Context()}
	if p.spin() == nil || p.spin() != nil {
		t.Fatal("it is not begun once")
	}
	p.send(tea.WindowSizeMsg{Width: 120, Height: 36})
	signs := map[string]bool{}
	for range 10 {
		cmd := p.turn(spinner.TickMsg{ID: p.spinner.ID()})
		if cmd == nil {
			t.Fatal("it stands while nothing has answered")
		}
		Draw(p.canvas, p.m, p.look())
		head, _, _ := strings.Cut(p.canvas.Plain(), " connecting")
		signs[head[strings.LastIndex(head, " ")+1:]] = true
	}
	if len(signs) < 3 {
		t.Errorf("it does not turn: %v", signs)
	}
	p.send(model.BatchArrived{Batch: feed.Batch{Seq: 1, At: sceneStart, Synced: true}})
	if p.turn(spinner.TickMsg{ID: p.spinner.ID()}) != nil || p.turning || p.spin() != nil {
		t.Error("it turns on")
	}
}
