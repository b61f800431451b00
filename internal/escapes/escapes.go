// Package escapes is the closed list of control sequences that the program may
// write to a terminal, and [Check], which verifies a stream of bytes against
// it. It is for tests: whatever a cluster, a recording or a proxy sends, the
// terminal receives only text and the sequences of this list. A new sequence
// needs an entry; an unused one is removed.
package escapes

import (
	"fmt"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// Sequence is one allowed control sequence.
type Sequence struct {
	Pattern string // of the whole sequence, as a regular expression
	Why     string
}

const (
	byteValue = `(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
	// bold, faint, italic, underline, reverse, strike-through, and off again;
	// the sixteen colours, the 256 and true colour, for text and background.
	rendition = `(?:[0123479]|2[23479]|[34][0-79]|9[0-7]|10[0-7]|[34]8;5;` +
		byteValue + `|[34]8;2;` + byteValue + `;` + byteValue + `;` + byteValue + `)`
	cell    = `[1-9][0-9]{0,3}`
	percent = `(?:100|[1-9]?[0-9])`
	bel, st = `\x07`, `\x1b\\`
)

// Allowed is the list.
var Allowed = []Sequence{
	{`\x1b\[0?m`, "the default colours and attributes"},
	{`\x1b\[` + rendition + `(?:;` + rendition + `)*m`, "colours and attributes of a theme"},

	{`\x1b\[(?:` + cell + `)?(?:;` + cell + `)?H`, "the cursor goes to a cell"},
	{`\x1b\[(?:` + cell + ")?[A-DGIZd`]", "the cursor goes along a line or a column"},
	{`\x08`, "the cursor goes back by one"},
	{`\x1b\[\?5W`, "a tab every eight columns"},
	{`\x1b\[1?K`, "the rest of a line is cleared, or its beginning"},
	{`\x1b\[2?J`, "the screen is cleared, or the rest of it"},
	{`\x1b\[(?:` + cell + `)?[Xb@P]`, "cells are cleared, repeated, inserted, deleted"},
	{`\x1b\[(?:` + cell + `)?[LMST]|\x1bM`, "lines are inserted, deleted, scrolled"},
	{`\x1b\[` + cell + `;` + cell + `r`, "only these lines scroll"},
	{`\x1b\[4[hl]`, "insert mode on, off: text moves the rest of its line"},
	{`\x1b\[\?7[hl]`, "wrapping at the end of a line on, off"},
	{`\r\x1b\[` + cell + `A\x1b\[J`, "wait draws its block of lines anew"},

	{`\x1b\[\?1049[hl]`, "the alternate screen"},
	{`\x1b\[\?25[hl]`, "the cursor is shown or hidden"},
	{`\x1b\[\?2026[hl]`, "a frame is shown as a whole (synchronized output)"},
	{`\x1b\[\?2027[hl]`, "widths are those of grapheme clusters"},
	{`\x1b\[\?2004[hl]`, "bracketed paste"},
	{`\x1b\[\?1004[hl]`, "focus reports"},
	{`\x1b\[\?1002[hl]`, "mouse clicks and drags"},
	{`\x1b\[\?1006[hl]`, "mouse coordinates in decimal"},
	{`\x1b\[\?2031[hl]`, "reports of a changed colour scheme"},
	{`\x1b\[\?100[03]l`, "other mouse modes off"},
	{`\x1b\[>4(?:;2)?m`, "modified keys as xterm tells them: on, off"},
	{`\x1b\[>1u`, "keys as kitty tells them, on"},
	{`\x1b\[<1?u`, "and off"},
	{`\x1b\[[056] q`, "the shape of the cursor: the user's own, a bar that blinks, a bar"},

	{`\x1b\[c`, "what the terminal is: the answer ends what it had to say"},
	{`\x1b\[\?202[67]\$p`, "whether it knows frames, and what is drawn as one"},
	{`\x1b\[\?u`, "whether it tells keys as kitty does"},
	{`\x1b\[\?996n`, "whether its colours are dark"},
	{`\x1b\]11;\?` + bel, "which background it has"},

	{`\x1b\[2[23];2t`, "its title is kept, and put back"},
	{`\x1b\]2;[ -~]*` + bel, "the window's title"},
	{`\x1b\]9;4;(?:0|[124];` + percent + `)(?:` + bel + `|` + st + `)`, "the terminal's own progress bar"},
	{`\x1b\]52;c;[A-Za-z0-9+/]*={0,2}` + bel, "something goes to the clipboard: on a key alone"},
	{
		bel + `\x1b\]777;notify;[ -:<-~]*;[ -~]*` + st + `\x1b\]9;[0-9]*[ -/:<-~][ -~]*` + st,
		"a notification, by a bell and two sequences: on the user's wish alone; the second does not begin as the other commands of its number do: 4;",
	},
}

var allowed = func() []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(Allowed))
	for i, s := range Allowed {
		out[i] = regexp.MustCompile(`\A(?:` + s.Pattern + `)`)
	}
	return out
}()

// Error is the first byte of a stream that is not allowed.
type Error struct {
	Offset  int
	What    string
	Context string // the bytes around it, quoted
}

func (e *Error) Error() string {
	return fmt.Sprintf("byte %d: %s: %s", e.Offset, e.What, e.Context)
}

// Check returns an *Error for the first byte of a stream that is neither text
// nor part of an allowed sequence. Text is valid UTF-8 without control
// characters, except line breaks and tabs, and without characters that reorder
// or hide other text.
func Check(out []byte) error {
	for i := 0; i < len(out); {
		c := out[i]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		if n := sequence(out[i:]); n > 0 {
			i += n
			continue
		}
		if c == '\r' {
			i++
			continue
		}
		r, n := utf8.DecodeRune(out[i:])
		if what := forbidden(r, n); what != "" {
			return &Error{i, what, fmt.Sprintf("%q", out[max(i-40, 0):min(i+40, len(out))])}
		}
		i += n
	}
	return nil
}

// sequence is the length of the allowed sequence that b begins with, or 0.
func sequence(b []byte) int {
	if b[0] >= utf8.RuneSelf {
		return 0
	}
	for _, re := range allowed {
		if at := re.FindIndex(b); at != nil {
			return at[1]
		}
	}
	return 0
}

func forbidden(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size <= 1:
		return "no UTF-8"
	case r == 0x1b:
		return "a sequence that is not on the list"
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return fmt.Sprintf("the control character %U", r)
	case r == '\u2028' || r == '\u2029':
		return fmt.Sprintf("the line break %U", r)
	case unicode.Is(unicode.Cf, r) && r != '\u200d': // zero-width joiner: combines two emoji into one
		return fmt.Sprintf("the invisible character %U", r)
	}
	return ""
}
