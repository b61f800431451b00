package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
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
func (c *Canvas) sides(r layout.Rect, left, right markup.Line) {
	w := min(right.Width(), r.W)
	c.line(r.X+r.W-w, r.Y, w, right)
	if w > 0 {
		w += 2
	}
	c.line(r.X, r.Y, r.W-w, left)
}
