package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// jesseduffield/lazydocker#835, openai/codex#971: while a program has the mouse, nothing can
// be selected with it.
func TestTheMouseIsLeftToTheTerminal(t *testing.T) {
	for _, none := range []bool{false, true} {
		began := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
		p := newProgram(model.Options{Now: began, Screen: true}, Options{Now: func() time.Time { return began }, NoMouse: none})
		send := func(msgs ...tea.Msg) {
			for _, msg := range msgs {
				p.Update(msg)
			}
		}
		send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor}, tea.WindowSizeMsg{Width: 80, Height: 24})
		for i := range 3 {
			want := tea.MouseModeCellMotion
			if none != (i%2 == 1) {
				want = tea.MouseModeNone
			}
			if got := p.View().MouseMode; got != want {
				t.Errorf("--no-mouse=%v, turned %d times: mode %v, want %v", none, i, got, want)
			}
			send(viewstest.Press(":"), tea.PasteMsg{Content: "mouse"}, viewstest.Press("enter"))
		}
	}
}
