package tui

import (
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

var (
	endSignals  = []os.Signal{os.Interrupt}
	stopSignals []os.Signal
)

// stopJob does nothing: Windows has no job control.
type stopJob struct{}

func (stopJob) Run() error          { return nil }
func (stopJob) SetStdin(io.Reader)  {}
func (stopJob) SetStdout(io.Writer) {}
func (stopJob) SetStderr(io.Writer) {}

// terminal is the console. Other writers are not kept out, and the console
// restores itself when its process dies.
type terminal struct{ screen, input *os.File }

func takeTerminal(opts Options) (*terminal, error) {
	t := &terminal{screen: opts.Output, input: opts.Input}
	if t.input == nil {
		t.input = os.Stdin
		if !term.IsTerminal(os.Stdin.Fd()) { // standard input was a manifest
			in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
			if err != nil {
				return nil, fmt.Errorf("no console to read keys from: %w", err)
			}
			t.input = in
		}
	}
	_, _ = t.screen.WriteString(keepTitle)
	return t, nil
}

func (t *terminal) read(func(string)) {}

func (t *terminal) abandon() {}

func (t *terminal) restore() { _, _ = t.screen.WriteString(stopTheme + restoreTitle) }
