//go:build unix

package tui

import (
	"errors"
	"os"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Whoever opens a file after Run has the number that the terminal had.
func TestARestoredTerminalClosesNobodyElsesFile(t *testing.T) {
	tty, screen, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	defer screen.Close()
	guard, err := takeTerminal(Options{Input: os.Stdin, Output: screen}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	no := guard.in
	if no < 0 {
		t.Fatal("descriptor 0 is not redirected: it tests nothing")
	}
	guard.restore()
	guard.restore()
	if err := unix.Dup2(int(screen.Fd()), no); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(no)
	if err := guard.input.Close(); !errors.Is(err, os.ErrClosed) { // as its finalizer would
		t.Errorf("the input is open still: %v", err)
	}
	if _, err := unix.FcntlInt(uintptr(no), unix.F_GETFD, 0); err != nil {
		t.Errorf("a file with that number has been closed: %v", err)
	}
}
