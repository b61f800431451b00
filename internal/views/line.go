package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
)

// line draws l in at most w cells, with an ellipsis at a cut.
func (c *Canvas) line(x, y, w int, l markup.Line) int {
	end := x + w
	for i, s := range l {
		room := end - x
		if room <= 0 {
			break
		}
		if w := markup.Width(s.Text); w > room || w == room && strings.TrimSpace(l[i+1:].String()) != "" {
			x = c.Put(x, y, room-1, s.Text, s.Token)
			return c.Put(x, y, end-x, markup.Ellipsis, s.Token)
		}
		x = c.Put(x, y, room, s.Text, s.Token)
	}
	return x
}

// sides draws a line with a left and a right part; the left one is cut.
func (c *Canvas) sides(r Rect, left, right markup.Line) {
	w := min(right.Width(), r.W)
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
	lines []markup.Line
}

// text is empty text for the pane.
func (d *drawing) text(w int) *text { return &text{d: d, w: w, tight: d.l.pane.H < 9} }

func (t *text) add(spans ...markup.Span) { t.lines = append(t.lines, markup.Line(spans)) }

func (t *text) gap() {
	if n := len(t.lines); n > 0 && len(t.lines[n-1]) > 0 && !t.tight {
		t.lines = append(t.lines, nil)
	}
}

// heading starts a section.
func (t *text) heading(s string) {
	t.gap()
	t.add(markup.Heading.Of(s))
}

// wrapped adds a paragraph, with the indents first and rest.
func (t *text) wrapped(first, rest, s string, tok markup.Token) {
	lead := markup.Line{tok.Of(first)}
	if strings.TrimSpace(first) == "" {
		lead[0].Token = markup.Text // an indent is not underlined
	}
	t.hanging(lead, rest, s, tok)
}

// hanging adds a paragraph behind its first words.
func (t *text) hanging(first markup.Line, rest, s string, tok markup.Token) {
	if s == "" {
		return
	}
	w := max(8, t.w-max(first.Width(), markup.Width(rest)))
	for _, part := range markup.Wrap(strings.ReplaceAll(s, "⏎", "\n"), w) { // keep its own line breaks
		t.add(append(first, tok.Of(part))...)
		first = markup.Line{markup.Text.Of(rest)}
	}
}

// spread adds a line with a left part, and a right one if both fit.
func (t *text) spread(left markup.Line, right markup.Line) {
	room := t.w - left.Width() - right.Width()
	if room < 2 || len(right) == 0 {
		t.add(left...)
		return
	}
	left = append(left, markup.Text.Of(strings.Repeat(" ", room)))
	t.add(append(left, right...)...)
}
