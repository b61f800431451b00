package tui

import (
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// The sign turns until the first answers are there, and never after.
func TestTheSpinnerTurnsUntilTheFirstAnswersAreThere(t *testing.T) {
	began := time.Date(2026, 7, 1, 14, 0, 0, 0, time.UTC)
	p := newProgram(model.Options{Now: began, Sources: []string{"deploy/web"}, Screen: true}, Options{})
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
		views.Draw(p.canvas, views.Of(p.m), p.look())
		head, _, _ := strings.Cut(ansi.Strip(p.canvas.Render()), " connecting")
		signs[head[strings.LastIndex(head, " ")+1:]] = true
	}
	if len(signs) < 3 {
		t.Errorf("it does not turn: %v", signs)
	}
	p.send(model.BatchArrived{Batch: feed.Batch{Seq: 1, At: began, Synced: true}})
	if p.turn(spinner.TickMsg{ID: p.spinner.ID()}) != nil || p.turning || p.spin() != nil {
		t.Error("it turns on")
	}
}
