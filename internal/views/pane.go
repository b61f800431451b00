package views

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
)

// tab is a pane's name and its position.
type tab struct {
	pane model.Pane
	x, w int
	text string
}

// tabsIn arranges the panes' names in r: spaced if they fit, else close together, else short
// ones, else as many short ones as fit, and the open one's.
func (d *drawing) tabsIn(r layout.Rect) []tab { return tabsOf(panes.Titles(), d.s.Panes.Pane(), r) }

func tabsOf(titles []panes.Title, open model.Pane, r layout.Rect) (tabs []tab) {
	for step := range 3 + len(titles) {
		x, apart := r.X, 2
		if step > 0 {
			apart = 0
		}
		tabs = nil
		for i, pane := range titles {
			name := pane.Name
			if step >= 2 {
				name = pane.Short
			}
			text := strconv.Itoa(i + 1)
			if i < len(titles)-max(step-2, 0) || model.Pane(i) == open && r.W >= 32 {
				text += " " + name
			}
			t := tab{model.Pane(i), x, markup.Width(text) + apart, text}
			tabs = append(tabs, t)
			x += t.w + 1
		}
		if x-1 <= r.X+r.W {
			break
		}
	}
	return tabs
}

// tabs draws the panes' names into the upper edge of the pane.
func (d *drawing) tabs(r layout.Rect) {
	var l markup.Line
	for _, t := range d.tabsIn(r) {
		tok := markup.Dim
		if t.pane == d.s.Panes.Pane() {
			tok = markup.Strong
			if d.s.Panes.Focus() == model.FocusPane || d.s.Panes.PaneSize() == layout.Full {
				tok = markup.Accent
			}
		}
		if len(l) > 0 {
			l = append(l, markup.Faint.Of(markup.Side))
		}
		gap := markup.Text.Of(strings.Repeat(" ", (t.w-markup.Width(t.text))/2)) // not underlined
		l = append(l, gap, tok.Of(t.text), gap)
	}
	d.c.line(r.X, r.Y, r.W, l)
}

// pane draws the open pane.
func (d *drawing) pane(r layout.Rect) {
	content, top := d.s.Panes.Content()
	for i, l := range content.Head {
		d.c.line(r.X, r.Y+i, r.W, l)
	}
	_, r = r.Rows(len(content.Head))
	needle := strings.ToLower(d.s.Panes.SearchText().Text)
	for i := range min(r.H, content.N-top) {
		if at := top + i; at >= content.Cursor[0] && at < content.Cursor[1] {
			defer d.c.Highlight(layout.At(r.X, r.Y+i, r.W, 1), Selected)
			if at == content.Cursor[0] && r.X > 0 {
				d.c.Put(r.X-1, r.Y+i, 1, markup.Pointer, markup.Accent)
			}
		}
		l := content.Line(top + i)
		if needle != "" {
			l = withMatch(l, r.W, needle)
		}
		d.c.line(r.X, r.Y+i, r.W, l)
		if needle != "" {
			d.markMatches(r.X, r.Y+i, r.W, l.String(), needle)
		}
	}
	edge := r.X + r.W + 1
	if d.l.Form != layout.Side {
		edge = d.l.Bounds.W - 1
	}
	d.scrollBar(r, edge, top, content.N)
}

// withMatch is a line in w cells whose first match of a search is in sight: if it is further
// right, the text before it is left out, and the beginning of the line, a time or a name, is
// kept as long as there is room for both.
func withMatch(l markup.Line, w int, needle string) markup.Line {
	if l.Width() <= w {
		return l
	}
	x := 0
	for i, span := range l {
		lower := strings.ToLower(span.Text)
		at := strings.Index(lower, needle)
		if at < 0 || len(lower) != len(span.Text) {
			x += markup.Width(span.Text)
			continue
		}
		before := markup.Width(span.Text[:at])
		if x+before+markup.Width(needle) < w {
			return l
		}
		if x > w/2 {
			l, i, x = l[i:], 0, 0
		}
		from := max(before-(w-x)/3, 0)
		span.Text = markup.Ellipsis + ansi.TruncateLeft(span.Text, from+1, "")
		return slices.Concat(l[:i], markup.Line{span}, l[i+1:])
	}
	return l
}

// markMatches highlights a search's matches in a line.
func (d *drawing) markMatches(x, y, w int, text, needle string) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return // lower case changes the length: leave it
	}
	for from := 0; ; {
		i := strings.Index(lower[from:], needle)
		if i < 0 {
			return
		}
		i += from
		at := markup.Width(text[:i])
		d.c.Put(x+at, y, w-at, text[i:i+len(needle)], markup.Match)
		from = i + len(needle)
	}
}

// scrollBar draws the scroll bar of n lines in r, from line top on, at column x.
func (d *drawing) scrollBar(r layout.Rect, x, top, n int) {
	if n <= r.H || r.H < 3 {
		return
	}
	size := max(1, r.H*r.H/n)
	at := top * (r.H - size) / (n - r.H)
	for i := range size {
		d.c.Put(x, r.Y+at+i, 1, markup.Thumb, markup.Dim)
	}
}
