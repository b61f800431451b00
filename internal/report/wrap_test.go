package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
)

// Whatever the width, the words and what is in them stay: a hyphen that may not be broken at
// (U+2011), wide letters, and a hyphen that may.
func TestAWrappedLineKeepsItsWords(t *testing.T) {
	for _, line := range []string{
		"the image registry.example.com/team-a/web\u2011worker:1.2 is not there, and no\u2011one pushes it",
		"    detail  \u2011\u2011\u2011 \u2011 a\u2011b\u2011c\u2011d\u2011e\u2011f\u2011g-h-i-j \u2011",
		"容器 web 无法启动：找不到镜像 registry.example.com/团队/web",
		" two  spaces  between  words ",
	} {
		for width := range 90 {
			for _, indent := range []int{4, 12} {
				got := wrappedAt(line, width, indent)
				if was, is := strings.Fields(line), strings.Fields(got); strings.Join(was, " ") != strings.Join(is, " ") {
					t.Errorf("at %d: %q became %q", width, line, got)
				}
			}
		}
	}
}

// canaries are texts with a credential that is known only with the word before it.
var canaries = []string{
	"the server said that the password: hunter2hunter2 is not what it wants, and refused the connection",
	"exit 1: mysql --user root, password = hunter2hunter2 and nothing else was given to it by anybody",
	`cannot read {"apiKey": "hunter2hunter2"} of the response that came from the upstream server today`,
	"the request had Authorization: Bearer hunter2hunter2hunter2 and the server would not take it from us",
	"it ran curl -u admin:hunter2hunter2 https://example.com/a/path/that/is/long and that was refused",
}

// A width is no reason to show a credential, however the line is broken or cut.
func TestNoWidthShowsACredential(t *testing.T) {
	for _, canary := range canaries {
		for before := range 40 {
			text := strings.Repeat("x", before) + " " + canary
			m := looked(t, text, "")
			for width := 10; width <= 80; width++ {
				if before == 0 {
					shown(t, width, Inert(wrapped(text, width)))
					var b bytes.Buffer
					align(&b, [][]string{{"status.message", text}}, width)
					shown(t, width, Inert(b.String()))
				}
				if before > 0 && width != 40 {
					continue
				}
				n := &narrow{width: width}
				_ = Status(n, m.Facts, "table", 2, Table{})
				_ = Status(n, m.Facts, "tree", 2, Table{})
				_ = Why(n, m.Facts, "text")
				_ = lastWords(n, m.Facts, End{Code: 3, Why: text})
				open := func(known.Resource) bool { return true }
				(&blockProgress{w: n, result: n, open: open}).Show(m.Facts)
				shown(t, width, n.String())
			}
		}
	}
}

// shown fails if a part of the credential can be read.
func shown(t *testing.T, width int, out string) {
	t.Helper()
	if strings.Contains(out, "hunt") {
		t.Errorf("at %d:\n%s", width, out)
	}
}
