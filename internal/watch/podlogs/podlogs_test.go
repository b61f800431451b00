package podlogs

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
)

// Whatever a container writes, a line of it is bounded and says nothing to a terminal.
func FuzzLine(f *testing.F) {
	f.Add("2026-01-02T03:04:05.000000001Z starting\n2026-01-02T03:04:06Z \x1b[2Jcleared\n")
	f.Add("failed to try resolving symlinks\n\n\r\n")
	f.Add("2026-01-02T03:04:05Z " + strings.Repeat("x", maxLine+10))
	f.Fuzz(func(t *testing.T, text string) {
		br := bufio.NewReader(strings.NewReader(text))
		for {
			raw, err := readLine(br)
			if len(raw) > maxLine {
				t.Fatalf("a line of %d bytes", len(raw))
			}
			if line, _ := parseLine(raw, time.Time{}); escapes.Check([]byte(line.Text)) != nil {
				t.Fatalf("%q of a log", line.Text)
			}
			if err != nil {
				return
			}
		}
	})
}
