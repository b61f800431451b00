package panes

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
)

func TestLinesHaveTheColourOfTheirLevel(t *testing.T) {
	for text, want := range map[string]markup.Token{
		`{"ts":"2026-01-02","level":"error","msg":"cannot reach db"}`:           markup.Bad,
		`{"severity": "WARNING", "message": "slow"}`:                            markup.Stuck,
		`time="2026-01-02" level=debug msg="probe"`:                             markup.Dim,
		`ts=1 level=info msg="no error here, level was raised"`:                 markup.Text,
		`E0102 15:04:05.123456       1 leaderelection.go:330] error retrieving`: markup.Bad,
		`W0102 15:04:05.123456       1 warnings.go:70] deprecated`:              markup.Stuck,
		`I0102 15:04:05.123456       1 main.go:1] ERROR is a word`:              markup.Text,
		`2026-01-02 15:04:05,123 ERROR [main] o.s.boot - failed`:                markup.Bad,
		`2026-01-02 15:04:05 [warn] 7#7: using the default`:                     markup.Stuck,
		`[error] 31#31: *1 connect() failed`:                                    markup.Bad,
		`panic: runtime error: index out of range`:                              markup.Bad,
		`Error: PORT not set`:                                                   markup.Bad,
		`INFO 0 errors, 0 warnings found in config`:                             markup.Text,
		`0 ERRORS`:               markup.Text,
		`an error in a sentence`: markup.Text,
		``:                       markup.Text,
	} {
		if got := levelToken(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
