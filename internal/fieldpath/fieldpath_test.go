package fieldpath

import (
	"strings"
	"testing"
)

func TestAPathOfTooManyStepsIsRefused(t *testing.T) {
	for path, want := range map[string]string{
		".status.phase":         "",
		"{.a[*].b['x','y'].c}":  "",
		"{..name}":              "",
		"{.a..b..c}":            "",
		"{..a..b..c}":           `it has more than 2 ".."`,
		"{.a[?(@..b..c==1)]..}": `it has more than 2 ".."`,
		"{" + strings.Repeat("['a','a','a','a','a']", 3) + "}": "its unions have more than 100 combinations",
	} {
		got := ""
		if _, err := Parse(path); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
