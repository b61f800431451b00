package markup

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Span is text with one token.
type Span struct {
	Text  string
	Token Token
}

// Of is text with a token.
func (t Token) Of(text string) Span { return Span{Text: text, Token: t} }

// Line is one line of a pane.
type Line []Span

// Plain is a line of normal text.
func Plain(s string) Line { return Line{Text.Of(s)} }

// Styled is a line of one token; of an empty string it is empty.
func Styled(s string, t Token) Line {
	if s == "" {
		return nil
	}
	return Line{t.Of(s)}
}

func (l Line) Width() int {
	n := 0
	for _, s := range l {
		n += Width(s.Text)
	}
	return n
}

func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Join puts a separator between the lines that are not empty.
func Join(sep string, parts ...Line) (l Line) {
	for _, p := range parts {
		if len(l) > 0 && len(p) > 0 {
			l = append(l, Faint.Of(sep))
		}
		l = append(l, p...)
	}
	return l
}

// Fitting joins as many whole parts as fit into w cells.
func Fitting(w int, sep string, parts ...Line) (l Line) {
	for _, p := range parts {
		if more := Join(sep, l, p); more.Width() <= w {
			l = more
		}
	}
	return l
}

// Badge is the verdict as a block.
func Badge(word string, tok Token) Span { return tok.Of(" " + word + " ") }

// StatusSpan is a status as glyph and word.
func StatusSpan(s status.Status) Span {
	look := LookOf(s)
	return look.Token.Of(look.Glyph + " " + string(look.Status))
}
