package terminal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

func start(t *testing.T, script string) *terminal.Terminal {
	t.Helper()
	term, err := terminal.Start(terminal.Options{Command: "/bin/sh", Args: []string{"-c", script}, Columns: 40, Rows: 5})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(term.Close)
	return term
}

func TestTheScreenFollowsCursorMovements(t *testing.T) {
	term := start(t, `printf 'hallo\033[1;2Hello\033[3;5Hthere'; read x; exit 3`)
	screen, err := term.Wait(5*time.Second, func(s terminal.Screen) bool { return s.Has("there") })
	if err != nil {
		t.Fatalf("%v:\n%s", err, screen)
	}
	if screen.Lines[0] != "hello" || screen.Lines[2] != "    there" {
		t.Errorf("screen:\n%s", screen)
	}
	if err := term.Type("\n"); err != nil {
		t.Fatal(err)
	}
	if code, err := term.Exit(5 * time.Second); code != 3 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	if err := term.LeftClean(); err != nil {
		t.Errorf("a program that changed nothing: %v", err)
	}
}

func TestAQueryGetsItsAnswer(t *testing.T) {
	// Device attributes: the answer ends in "c".
	term := start(t, `stty raw -echo; printf '\033[c'; dd bs=1 count=3 2>/dev/null | od -An -c`)
	if screen, err := term.Wait(5*time.Second, func(s terminal.Screen) bool { return s.Has("033   [   ?") }); err != nil {
		t.Errorf("%v:\n%s", err, screen)
	}
}

func TestTerminalModesThatAProgramLeavesOnAreNamed(t *testing.T) {
	term := start(t, `stty -echo; printf '\033[?1049h\033[?25l'`)
	if _, err := term.Exit(5 * time.Second); err != nil {
		t.Fatal(err)
	}
	err := term.LeftClean()
	for _, want := range []string{"line discipline", "alternate screen", "cursor"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("LeftClean does not name the %s: %v", want, err)
		}
	}
}
