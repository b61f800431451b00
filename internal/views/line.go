package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// span is text with one token.
type span struct {
	text  string
	token Token
}

// line is one line of a pane.
type line []span

func plain(s string) line { return line{{s, Text}} }

func styled(s string, t Token) line { return line{{s, t}} }

func (l line) width() int {
	n := 0
	for _, s := range l {
		n += width(s.text)
	}
	return n
}

func (l line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// line draws l in at most w cells, with an ellipsis at a cut.
func (c *Canvas) line(x, y, w int, l line, g *Glyphs) int {
	end := x + w
	for i, s := range l {
		room := end - x
		if room <= 0 {
			break
		}
		text := s.text
		if w := width(text); w > room || w == room && strings.TrimSpace(l[i+1:].String()) != "" {
			text = truncate(text+" ", room, g.Ellipsis)
		}
		x = c.Put(x, y, room, text, s.token)
	}
	return x
}

// text collects the lines of a pane of a given width.
type text struct {
	*drawing
	w     int
	tight bool // leave out empty lines
	lines []line
}

// text is empty text for the pane.
func (d *drawing) text(w int) *text { return &text{drawing: d, w: w, tight: d.l.pane.H < 9} }

func (t *text) add(spans ...span) { t.lines = append(t.lines, line(spans)) }

func (t *text) gap() {
	if n := len(t.lines); n > 0 && len(t.lines[n-1]) > 0 && !t.tight {
		t.lines = append(t.lines, nil)
	}
}

// heading starts a section.
func (t *text) heading(s string) {
	t.gap()
	t.add(span{s, Heading})
}

// wrapped adds a paragraph, with the indents first and rest.
func (t *text) wrapped(first, rest, s string, tok Token) {
	lead := span{first, tok}
	if strings.TrimSpace(first) == "" {
		lead.token = Text // an indent is not underlined
	}
	t.wrappedSpan(lead, rest, s, tok)
}

func (t *text) wrappedSpan(first span, rest, s string, tok Token) {
	if s == "" {
		return
	}
	w := max(8, t.w-max(width(first.text), width(rest)))
	for i, part := range wrap(strings.ReplaceAll(s, "⏎", "\n"), w) { // keep its own line breaks
		if i == 0 {
			t.add(first, span{part, tok})
			continue
		}
		t.add(span{rest, Text}, span{part, tok})
	}
}

// spread adds a line with a left and a right part; the right one only if both
// fit.
func (t *text) spread(left line, right line) {
	room := t.w - left.width() - right.width()
	if room < 2 || len(right) == 0 {
		t.lines = append(t.lines, left)
		return
	}
	left = append(left, span{strings.Repeat(" ", room), Text})
	t.lines = append(t.lines, append(left, right...))
}

// badge is the verdict as a block.
func badge(word string, tok Token) span { return span{" " + word + " ", tok} }

// statusSpan is a status as glyph and word.
func statusSpan(s status.Status, g *Glyphs) span {
	return span{g.Of(s) + " " + string(s), statusToken(s)}
}

// trimBlank removes blanks at the end of the last span.
func (l line) trimBlank() line {
	if n := len(l); n > 0 {
		l[n-1].text = strings.TrimRight(l[n-1].text, " ")
	}
	return l
}
