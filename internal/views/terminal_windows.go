package views

import (
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

var (
	endSignals  = []os.Signal{os.Interrupt}
	stopSignals []os.Signal
)

// terminal is the console. Others are not kept from writing to it here, and a
// console whose process dies takes care of itself.
type terminal struct {
	screen, input *os.File
	cooked        *term.State // how input was; nil while it is so
	mode          uint32      // how output was
}

func takeTerminal(opts Options) (*terminal, error) {
	t := &terminal{screen: opts.Output, input: opts.Input}
	if t.input == nil {
		t.input = os.Stdin
		if !term.IsTerminal(os.Stdin.Fd()) {
			in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
			if err != nil {
				return nil, fmt.Errorf("no console to read keys from: %w", err)
			}
			t.input = in
		}
	}
	return t, nil
}

// raw lets every key come as it is pressed, and makes the console read escape
// sequences.
func (t *terminal) raw() error {
	state, err := term.MakeRaw(t.input.Fd())
	if err != nil {
		return fmt.Errorf("read keys: %w", err)
	}
	t.cooked = state
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(t.input.Fd()), &mode); err == nil {
		_ = windows.SetConsoleMode(windows.Handle(t.input.Fd()), mode|windows.ENABLE_VIRTUAL_TERMINAL_INPUT)
	}
	if err := windows.GetConsoleMode(windows.Handle(t.screen.Fd()), &t.mode); err != nil {
		return fmt.Errorf("the console's mode: %w", err)
	}
	return windows.SetConsoleMode(windows.Handle(t.screen.Fd()),
		t.mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING|windows.DISABLE_NEWLINE_AUTO_RETURN)
}

// sizes has nothing to tell: the console sends its size with the keys.
func (t *terminal) sizes(<-chan struct{}, func()) {}

func (t *terminal) canSuspend() bool { return false }

func (t *terminal) suspend() {}

func (t *terminal) read(func(string)) {}

func (t *terminal) abandon() {}

func (t *terminal) restore() {
	if t.cooked != nil {
		_ = term.Restore(t.input.Fd(), t.cooked)
		_ = windows.SetConsoleMode(windows.Handle(t.screen.Fd()), t.mode)
		t.cooked = nil
	}
}
