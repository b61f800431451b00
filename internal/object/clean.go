package object

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/kstatus-tui/kstatus-tui/internal/mask"
)

// MaxText bounds the strings that are kept of a cluster's texts.
const MaxText = 4096

// escapes matches terminal escape sequences: CSI up to its final byte, OSC and
// the other string sequences up to BEL or ST, otherwise ESC alone.
var escapes = regexp.MustCompile(`\x1b\[[ -?]*[@-~]?|\x1b[\]PX^_](?s:.*?)(?:\x07|\x1b\\)|\x1b`)

// LineBreak replaces line breaks in clean strings.
const LineBreak = '⏎'

// Clean makes a string from a cluster safe to print: one line of valid UTF-8
// without control characters, terminal escape sequences, bidirectional
// overrides or unassigned characters, at most 4 KiB long. Line breaks become
// "⏎", tabs a space, and invisible characters their code: "<U+3164>". Credentials
// in it are masked. It is applied once, while decoding, and is idempotent. A clean
// string is returned unchanged.
func Clean(s string) string {
	return mask.Credentials(Printable(s))
}

// Printable is Clean without masking, for what the user asks to see with its secrets.
func Printable(s string) string {
	if isPlain(s) {
		return s
	}
	s = escapes.ReplaceAllString(strings.TrimSpace(s), "")
	var b strings.Builder
	var last rune // the last rune written
	marks := 0    // combining marks in a row
	for _, r := range s {
		if b.Len() > MaxText {
			break
		}
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		switch {
		case r == '\n' || r == '\u2028' || r == '\u2029':
			r = LineBreak
		case r == '\t':
			r = ' '
		case (r == '\u200d' || r == '\ufe0e' || r == '\ufe0f') && unicode.Is(unicode.So, last):
			continue // between or after emoji
		case invisible(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
			last = r
			continue
		case marks > 4, !unicode.IsGraphic(r):
			// Stacked marks would leave the line. Not graphic are controls,
			// surrogates, private use, unassigned.
			continue
		}
		b.WriteRune(r)
		last = r
	}
	s = strings.TrimSpace(b.String()) // dropped runes may have exposed space at the ends
	if len(s) > MaxText {
		s = strings.TrimSpace(strings.ToValidUTF8(s[:MaxText-len("…")], "")) + "…"
	}
	return s
}

// isPlain reports whether s is printable ASCII of bounded length, as nearly
// every string is.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return len(s) <= MaxText
}

// invisible reports runes that terminals do not show: formats (bidirectional
// controls, zero width, tags), variation selectors, and blank letters and
// signs.
func invisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4,
		r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0, r == 0x1d159,
		r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// ASCII replaces every character that is not printable ASCII by "?".
func ASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}
