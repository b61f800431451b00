//go:build unix

package tui

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
)

// An unguarded goroutine panics in the middle of its work.
type (
	dyingScreen struct{}
	oneFrame    struct{}
	dyingFile   struct{ *bytes.Reader }
)

func (dyingScreen) Write([]byte) (int, error) { panic("nobody can write") }

func (oneFrame) Init() tea.Cmd                         { return nil }
func (m oneFrame) Update(tea.Msg) (tea.Model, tea.Cmd) { return m, nil }
func (oneFrame) View() tea.View                        { return tea.NewView("a frame") }

// ReadAt fails only for the reader ahead of a jump.
func (f dyingFile) ReadAt(p []byte, at int64) (int, error) {
	if bytes.Contains(debug.Stack(), []byte("recording.(*run).read")) {
		panic("nobody can read")
	}
	return f.Reader.ReadAt(p, at)
}

// renderBadly is the part of the program that draws, with a terminal that it
// cannot write to.
func renderBadly() int {
	guard, err := takeTerminal(Options{}.withDefaults())
	if err != nil {
		return 1
	}
	if _, err := io.WriteString(guard.screen, ansi.SetModeAltScreenSaveCursor); err != nil {
		return 1
	}
	_, _ = tea.NewProgram(oneFrame{}, tea.WithInput(guard.input), tea.WithOutput(dyingScreen{})).Run()
	return 0
}

// jumpBadly plays a recording that cannot be read ahead.
func jumpBadly() int {
	data, err := os.ReadFile("../../cmd/kstatus-tui/demo.rec.gz")
	if err != nil {
		return 1
	}
	source, err := recording.NewPlayer(dyingFile{bytes.NewReader(data)})
	if err != nil {
		return 1
	}
	source.Hold = true // its time is the user's
	of := model.Options{Feed: source, Now: source.Start(), Title: "demo", Recording: "demo", Screen: true}
	if _, err := Run(context.Background(), of, Options{Now: source.Now}); err != nil {
		return 70
	}
	return 0
}

func TestAPanicRestoresTheTerminalThenPrintsItsTrace(t *testing.T) {
	for how, want := range map[string]string{
		"panic-in-command": "the command has no idea", "panic-in-goroutine": "nobody watches me", "panic-in-update": "the judge has no idea",
		"panic-in-renderer": "nobody can write", "panic-in-reader": "nobody can read",
	} {
		t.Run(how, func(t *testing.T) {
			s := start(t, how, 80, 24)
			if how == "panic-in-reader" {
				s.until(". pause")
				s.keys("$")
			}
			code := s.end()
			if code == 0 {
				t.Error("exit code 0")
			}
			s.restored()
			out := s.output()
			i := strings.LastIndex(out, "\x1b[?1049l")
			if i < 0 {
				t.Fatalf("the alternate screen is still on: %q", out[max(0, len(out)-400):])
			}
			if after := out[i:]; !strings.Contains(after, want) || !strings.Contains(after, "_test.go") {
				t.Errorf("no trace after the screen: %q", after)
			}
		})
	}
}
