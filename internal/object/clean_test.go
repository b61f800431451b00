package object

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestCleanLeavesNothingThatMovesACursor(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain text", "plain text"},
		{"two\nlines", "two⏎lines"},
		{"windows\r\nlines\r\n", "windows⏎lines"},
		{"a\ttab", "a tab"},
		{"\x1b[31mred\x1b[0m", "red"},
		{"\x1b]0;title\x07text", "text"},
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"\x1b]never ended", "]never ended"},
		{"bell\a null\x00 del\x7f", "bell null del"},
		{"c1 \u009b31m", "c1 31m"},
		{"bad \xff utf8", "bad \ufffd utf8"},
		{"bidi \u202egnp.exe\u2069", "bidi <U+202E>gnp.exe<U+2069>"},
		{"zero\u200bwidth\ufeff", "zero<U+200B>width<U+FEFF>"},
		{"tags \U000e0041", "tags <U+E0041>"},
		{"woman\u200dtechnician", "woman<U+200D>technician"},
		{"👩\u200d💻", "👩💻"},
		{"heart ❤\ufe0f, a\ufe0f", "heart ❤, a<U+FE0F>"},
		{"\u3164\u115f\u1160\uffa0\u2800\u034f", "<U+3164><U+115F><U+1160><U+FFA0><U+2800><U+034F>"},
		{"storm ❤" + strings.Repeat("\ufe0f", 500) + "x\U000e0100\U000e01ef", "storm ❤x<U+E0100><U+E01EF>"},
		{"unassigned \u0378", "unassigned"},
		{"naïve 日本語 ✓", "naïve 日本語 ✓"},
		{strings.Repeat("x", 5000), strings.Repeat("x", 4093) + "…"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("Clean(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[1mb\u200d👩\u200d💻\n")
	f.Add(strings.Repeat("é", 3000))
	f.Add(" \x1b[ \u202e\ufe0f")
	f.Add("⑩\u200d\U0001f2fb") // joined to an unassigned rune
	f.Add("❤\ufe0f\ufe0f\u3164\u2800\U000e0100\u034f")
	f.Fuzz(func(t *testing.T, in string) {
		out := Clean(in)
		if !utf8.ValidString(out) {
			t.Fatalf("not UTF-8: %q", out)
		}
		if len(out) > MaxText {
			t.Fatalf("%d bytes", len(out))
		}
		for _, r := range out {
			if unicode.IsControl(r) || invisible(r) {
				t.Fatalf("%q holds %U", out, r)
			}
		}
		if again := Clean(out); again != out {
			t.Fatalf("not idempotent:\n%q\n%q", out, again)
		}
	})
}
