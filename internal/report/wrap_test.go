package report

import (
	"strings"
	"testing"
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
