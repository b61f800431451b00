//go:build unix

package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// everythingHostile is what the hostile cluster says in each of its fields.
var everythingHostile = "owned" + strings.Join(viewstest.Hostile, " ") + "\x1b]52;c;aGk=\a\x1b[6n\x1b]8;;http://x\a\x1bP+q\x1b\\\x1b[?1003h\x9b2J\x1b"

// showHostile is the program on a cluster that says it.
func showHostile() int {
	if _, err := Run(context.Background(), hostileModel(time.Now(), everythingHostile), Options{}); err != nil {
		fmt.Println("FAREWELL ERROR", err)
		return 1
	}
	return 0
}

// Each pane, the help, the palette, a filter, the clipboard and a notification:
// session.end holds every byte of it to what the program may say.
func TestTextOfAHostileClusterWritesNoTerminalSequence(t *testing.T) {
	for _, size := range [][2]int{{200, 50}, {80, 24}, {33, 8}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := start(t, "hostile", size[0], size[1])
			s.until("owned")
			const esc = "\x1b[27u" // not an escape, which would be alt with the next key
			for _, keys := range []string{
				"1", "2", "3", "4", "5", "6", "a", "b", "Z", "j", "4", "M", "i", "\t", "w", "\t", "m", "c", "C", esc,
				"?", "owned", esc, esc, "/owned\r", esc, ":context owned", esc, "\x0c",
			} {
				from := len(s.output())
				s.keys(keys)
				for deadline := time.Now().Add(300 * time.Millisecond); len(s.output()) == from && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
				}
			}
			s.keys("q")
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			s.restored()
			if out := s.output(); !strings.Contains(out[strings.LastIndex(out, "\x1b[?1049l"):], "owned") {
				t.Error("the farewell does not name what was followed: it tests nothing")
			}
		})
	}
}
