package object

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxText bounds the strings that are kept of a cluster's texts.
const MaxText = 4096

// Clean makes a string from a cluster safe to print: one line of valid UTF-8
// without control characters, terminal escape sequences, bidirectional
// overrides or unassigned characters, at most 4 KiB long. Line breaks become
// "⏎", tabs a space, and invisible characters their code: "<U+3164>". It is
// applied once, while decoding, and is idempotent. A clean string is returned
// unchanged.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	return scrub(s)
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

// escapes matches terminal escape sequences: CSI up to its final byte, OSC and
// the other string sequences up to BEL or ST, otherwise ESC alone.
var escapes = regexp.MustCompile(`\x1b\[[ -?]*[@-~]?|\x1b[\]PX^_](?s:.*?)(?:\x07|\x1b\\)|\x1b`)

// LineBreak replaces line breaks in clean strings.
const LineBreak = '⏎'

func scrub(s string) string {
	s = escapes.ReplaceAllString(strings.TrimSpace(s), "")
	var b strings.Builder
	b.Grow(min(len(s), MaxText))
	var last rune // the last rune written
	var hid rune  // the invisible rune last written as its code
	marks := 0    // combining marks in a row
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		next, _ := utf8.DecodeRuneInString(s[i:])
		if invisible(r) && !joinsEmoji(r, last, next) {
			code := fmt.Sprintf("<U+%04X>", r)
			if b.Len()+len(code) > MaxText-len("…") {
				return trimmed(b.String()) + "…"
			}
			if r != hid { // repeated ones are written once
				b.WriteString(code)
			}
			hid, last, marks = r, '>', 0
			continue
		}
		hid = 0
		r, ok := cleanRune(r, last, next)
		if !ok {
			continue
		}
		if unicode.Is(unicode.M, r) {
			if marks++; marks > 4 { // stacked marks would leave the line
				continue
			}
		} else {
			marks = 0
		}
		if b.Len()+utf8.RuneLen(r) > MaxText-len("…") && i < len(s) {
			return trimmed(b.String()) + "…"
		}
		b.WriteRune(r)
		last = r
	}
	// Dropped runes may have exposed space at the ends.
	return strings.TrimSpace(b.String())
}

// trimmed is s without space at the ends, and without a trailing emoji joiner.
func trimmed(s string) string {
	end := func(r rune) bool { return unicode.IsSpace(r) || r == '\u200d' }
	return strings.TrimLeftFunc(strings.TrimRightFunc(s, end), unicode.IsSpace)
}

// cleanRune returns what to write for r, given the rune written before and the
// next one of the input.
func cleanRune(r, last, next rune) (rune, bool) {
	switch {
	case r == '\n' || r == '\u2028' || r == '\u2029':
		return LineBreak, true
	case r == '\t':
		return ' ', true
	case joinsEmoji(r, last, next):
		return r, true
	case r == utf8.RuneError:
		return utf8.RuneError, true
	}
	// Everything that is not a letter, mark, number, punctuation, symbol or
	// space: controls, surrogates, private use, unassigned.
	return r, unicode.IsGraphic(r)
}

// invisible reports runes that terminals do not show: formats (bidirectional
// controls, zero width, tags), variation selectors, and blank letters and
// signs.
func invisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0, r == 0x1d159,
		r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// joinsEmoji reports whether an invisible rune is needed: it joins two emoji,
// or selects the presentation of the previous one.
func joinsEmoji(r, last, next rune) bool {
	switch r {
	case '\u200d':
		return (isEmoji(last) || last == '\ufe0f') && isEmoji(next) && unicode.IsGraphic(next)
	case '\ufe0e', '\ufe0f':
		return isEmoji(last)
	}
	return false
}

func isEmoji(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x2bff && r != LineBreak ||
		r == 0xa9 || r == 0xae || r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 ||
		r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299
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
