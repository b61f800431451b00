//go:build unix

package tui

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// The terminal's background decides which theme "auto" is, and goes on to: when
// the terminal says that it has changed (mode 2031), or answers what it is (OSC
// 11), the next picture has the other colours.
func TestTheThemeFollowsTheTerminalsBackgroundLive(t *testing.T) {
	s := startWith(t, "auto", 120, 36, true) // the terminal does not answer the queries at its start
	s.until("deploy/web")
	const dark, light = "247;118;142", "169;0;47" // of what is Failed
	for _, report := range []struct{ name, says, want string }{
		{"its scheme is light", "\x1b[?997;2n", light},
		{"its scheme is dark", "\x1b[?997;1n", dark},
		{"its background is white", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", light},
		{"its background is black", "\x1b]11;rgb:0000/0000/0000\a", dark},
	} {
		from := len(s.output())
		s.keys(report.says)
		for deadline := time.Now().Add(20 * time.Second); !strings.Contains(s.output()[from:], report.want); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: not drawn anew: %q", report.name, s.output()[from:])
			}
		}
	}
	s.until("deploy/web")
	s.keys("q")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.restored()
}

// A click goes all the way from the terminal's bytes to the block that it folds.
func TestAClickOnALineOfYAMLFoldsItsBlock(t *testing.T) {
	s := start(t, "normal", 120, 36)
	s.until("deploy/web")
	s.keys("5")
	s.until("strategy: RollingUpdate")
	click := func(what string) {
		t.Helper()
		for y, line := range strings.Split(s.screen(), "\n") {
			if x := strings.Index(line, what); x >= 0 {
				x = len([]rune(line[:x]))
				s.keys("\x1b[<0;" + strconv.Itoa(x+1) + ";" + strconv.Itoa(y+1) + "M\x1b[<0;" + strconv.Itoa(x+1) + ";" + strconv.Itoa(y+1) + "m")
				return
			}
		}
		t.Fatalf("%q is not on the screen:\n%s", what, s.screen())
	}
	click("spec:")
	s.until("spec:  ▸ 2 lines")
	if screen := s.screen(); strings.Contains(screen, "strategy: RollingUpdate") {
		t.Errorf("the block is open still:\n%s", screen)
	}
	click("spec:")
	s.until("strategy: RollingUpdate")
	s.keys("q")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
