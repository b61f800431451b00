package main

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// A help text is no wider than its terminal, but for commands to copy.
func TestHelpFitsTheTerminal(t *testing.T) {
	root := newRootCommand("kstatus-tui", genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard})
	for _, cmd := range append(root.Commands(), root) {
		for _, width := range []int{70, 80, 100} {
			long := cmd.Long
			if long == "" {
				long = cmd.Short
			}
			got := fit(long, width)
			for line := range strings.SplitSeq(got, "\n") {
				if utf8.RuneCountInString(line) > width {
					t.Errorf("%s, %d columns: %q", cmd.Name(), width, line)
				}
			}
			if a, b := strings.Fields(got), strings.Fields(long); strings.Join(a, " ") != strings.Join(b, " ") {
				t.Errorf("%s: other words: %q", cmd.Name(), got)
			}
			if width == 100 && got != strings.TrimSpace(long) && got != long {
				t.Errorf("%s is wrapped although it fits", cmd.Name())
			}
		}
	}
	const text = "a b c d e\n\n  deploy/web  of two or three words\n    x y z long"
	const want = "a b c d e\n\n  deploy/web  of two or three\n              words\n    x y z long"
	if got := fit(text, 30); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The whole help of each command is no wider than COLUMNS, and never wider than can be read.
// Commands to copy are not broken: they fit 80 columns.
func TestTheWholeHelpFits(t *testing.T) {
	root := newRootCommand("kstatus-tui", genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard})
	pages := [][]string{{"--help"}, {"options"}, {"completion", "kubectl", "--help"}}
	for _, name := range commandNames(root) {
		pages = append(pages, []string{name, "--help"})
	}
	for columns, widest := range map[int]int{40: 60, 60: 60, 80: 80, 120: 100, 200: 100} {
		t.Setenv("COLUMNS", strconv.Itoa(columns))
		for _, args := range pages {
			var out bytes.Buffer
			run(append([]string{"kstatus-tui"}, args...), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: io.Discard})
			if strings.Count(out.String(), "\n") < 7 {
				t.Fatalf("%q: %s", args, &out)
			}
			for line := range strings.Lines(out.String()) {
				width := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
				toCopy := strings.HasPrefix(line, "  kstatus-tui ") || strings.HasPrefix(line, "  kubectl ")
				if width > widest && !(toCopy && width <= 80) {
					t.Errorf("%d columns, %q: %d: %s", columns, args, width, line)
				}
			}
		}
	}
}
