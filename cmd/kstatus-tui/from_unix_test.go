//go:build linux

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Before the first frame of a dashboard, too: while its dump is being read, which never
// ends here.
func TestKeysAndSignalsEndTheReadingOfASavedCluster(t *testing.T) {
	for name, x := range map[string]struct {
		leave func(*screen) error
		code  int
	}{
		"q":        {func(s *screen) error { _, err := s.tty.WriteString("q"); return err }, exitOK},
		"ctrl+c":   {func(s *screen) error { _, err := s.tty.WriteString("\x03"); return err }, exitInterrupted},
		"a signal": {func(s *screen) error { return s.cmd.Process.Signal(syscall.SIGTERM) }, exitInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for a line that is printed after two seconds
			pipe := fifo(t)
			s := startScreen(t, "--from", pipe)
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for its reader
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			before := terminalState(t, s.tty)
			s.wait(t, "(q quits)")
			if err := x.leave(s); err != nil {
				t.Fatal(err)
			}
			if code := s.exit(t); code != x.code {
				t.Errorf("exit code %d, not %d:\n%s", code, x.code, s.output())
			}
			if after := terminalState(t, s.tty); !strings.Contains(before, "-icanon") || !strings.Contains(after, " icanon") {
				t.Errorf("the terminal while it was read, and afterwards:\n%s\n%s", before, after)
			}
		})
	}
}

// terminalState is what stty says of a terminal.
func terminalState(t *testing.T, tty *os.File) string {
	t.Helper()
	cmd := exec.Command("stty", "-a")
	cmd.Stdin = tty
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("stty: %v\n%s", err, out)
	}
	return string(out)
}
