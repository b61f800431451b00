package docstest

import (
	"strings"
	"testing"
)

func TestProseIsWrappedAndNothingElse(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 30))
	for page, want := range map[string]string{
		long + "\n":                        long[:99] + "\n" + long[100:] + "\n",
		"- " + long + "\n":                 "- " + long[:94] + "\n  " + long[95:] + "\n",
		"1. short\n   " + long + "\n":      "1. short\n   " + long[:94] + "\n   " + long[95:] + "\n",
		"# " + long + "\n":                 "# " + long + "\n",
		"| " + long + " |\n":               "| " + long + " |\n",
		"```sh\n" + long + "\n```\n":       "```sh\n" + long + "\n```\n",
		"    " + long + "\n":               "    " + long + "\n",
		strings.Repeat("ü", 150) + " a\n":  strings.Repeat("ü", 150) + "\na\n",
		"short\n\n" + "also short\n":       "short\n\nalso short\n",
		strings.Repeat("é ", 50) + "end\n": strings.TrimSpace(strings.Repeat("é ", 50)) + "\nend\n",
	} {
		got := Wrap(page)
		if got != want {
			t.Errorf("%q becomes\n%q, not\n%q", page, got, want)
		}
		if again := Wrap(got); again != got {
			t.Errorf("wrapped twice, %q becomes %q", got, again)
		}
	}
}
