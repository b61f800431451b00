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

// styled is a line of one token; of an empty string it is empty.
func styled(s string, t Token) line {
	if s == "" {
		return nil
	}
	return line{{s, t}}
}

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

// join puts a separator between the lines that are not empty.
func join(sep string, parts ...line) (l line) {
	for _, p := range parts {
		if len(l) > 0 && len(p) > 0 {
			l = append(l, span{sep, Faint})
		}
		l = append(l, p...)
	}
	return l
}

// line draws l in at most w cells, with an ellipsis at a cut.
func (c *Canvas) line(x, y, w int, l line) int {
	end := x + w
	for i, s := range l {
		room := end - x
		if room <= 0 {
			break
		}
		if w := width(s.text); w > room || w == room && strings.TrimSpace(l[i+1:].String()) != "" {
			x = c.Put(x, y, room-1, s.text, s.token)
			return c.Put(x, y, end-x, ellipsis, s.token)
		}
		x = c.Put(x, y, room, s.text, s.token)
	}
	return x
}

// sides draws a line with a left and a right part; the left one is cut.
func (c *Canvas) sides(r Rect, left, right line) {
	w := min(right.width(), r.W)
	c.line(r.X+r.W-w, r.Y, w, right)
	if w > 0 {
		w += 2
	}
	c.line(r.X, r.Y, r.W-w, left)
}

// text collects the lines of a pane of a given width.
type text struct {
	d     *drawing
	w     int
	tight bool // leave out empty lines
	lines []line
}

// text is empty text for the pane.
func (d *drawing) text(w int) *text { return &text{d: d, w: w, tight: d.l.pane.H < 9} }

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
	lead := line{{first, tok}}
	if strings.TrimSpace(first) == "" {
		lead[0].token = Text // an indent is not underlined
	}
	t.hanging(lead, rest, s, tok)
}

// hanging adds a paragraph behind its first words.
func (t *text) hanging(first line, rest, s string, tok Token) {
	if s == "" {
		return
	}
	w := max(8, t.w-max(first.width(), width(rest)))
	for _, part := range wrap(strings.ReplaceAll(s, "⏎", "\n"), w) { // keep its own line breaks
		t.add(append(first, span{part, tok})...)
		first = line{{rest, Text}}
	}
}

// spread adds a line with a left part, and a right one if both fit.
func (t *text) spread(left line, right line) {
	room := t.w - left.width() - right.width()
	if room < 2 || len(right) == 0 {
		t.add(left...)
		return
	}
	left = append(left, span{strings.Repeat(" ", room), Text})
	t.add(append(left, right...)...)
}

// badge is the verdict as a block.
func badge(word string, tok Token) span { return span{" " + word + " ", tok} }

// statusSpan is a status as glyph and word.
func statusSpan(s status.Status) span {
	look := lookOf(s)
	return span{look.glyph + " " + string(look.status), look.token}
}
