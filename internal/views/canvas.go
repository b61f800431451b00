package views

import (
	"bytes"

	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/ultraviolet/screen"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Canvas is Bubble Tea's grid of cells, drawn on in the styles of a theme.
// Everything outside of it, or of the given columns, is clipped; control
// characters never enter it.
type Canvas struct {
	*uv.Buffer
	th      *Theme
	text    []byte                 // as last rendered,
	shown   string                 // the same
	changes map[[2]uv.Style]string // see change
}

// NewCanvas returns a blank canvas of that size.
func NewCanvas(w, h int, th *Theme) *Canvas {
	return &Canvas{Buffer: uv.NewBuffer(max(w, 0), max(h, 0)), th: th, changes: map[[2]uv.Style]string{}}
}

// WidthMethod is how wide clusters are; see [cluster].
func (c *Canvas) WidthMethod() uv.WidthMethod { return ansi.GraphemeWidth }

// Render is the canvas as styled text, without spaces at the ends of lines. The
// library's, Lines.Render, would be most of a key's garbage.
func (c *Canvas) Render() string {
	text := c.text[:0]
	for y, line := range c.Lines {
		if y > 0 {
			text = append(text, '\n')
		}
		var pen uv.Style
		for x := range line {
			cell := &line[x]
			if cell.Style != pen && cell.Width > 0 {
				text = append(text, c.change(pen, cell.Style)...)
				pen = cell.Style
			}
			text = append(text, cell.Content...)
		}
		text = bytes.TrimRight(append(text, c.change(pen, uv.Style{})...), " ")
	}
	c.text = text
	if string(text) != c.shown {
		c.shown = string(text)
	}
	return c.shown
}

// change is what changes the style of the text to come.
func (c *Canvas) change(from, to uv.Style) string {
	change, ok := c.changes[[2]uv.Style{from, to}]
	if !ok {
		change = to.Diff(&from)
		c.changes[[2]uv.Style{from, to}] = change
	}
	return change
}

// Reset clears the canvas and sets its size and theme.
func (c *Canvas) Reset(w, h int, th *Theme) {
	c.Resize(max(w, 0), max(h, 0))
	c.Clear()
	c.th = th
}

func area(r layout.Rect) uv.Rectangle { return uv.Rect(r.X, r.Y, r.W, r.H) }

// Put draws s at column x of line y, in at most w cells, and returns the column
// after it. It does not mark a cut; callers that want an ellipsis truncate
// first.
func (c *Canvas) Put(x, y, w int, s string, t markup.Token) int {
	end, cell := min(x+w, c.Width()), uv.Cell{Style: c.th.cells[t]}
	for s != "" && y >= 0 && y < c.Height() {
		cell.Content, cell.Width, s = markup.Cluster(s)
		if cell.Width == 0 {
			continue
		}
		if x+cell.Width > end {
			break
		}
		if x >= 0 {
			c.SetCell(x, y, &cell)
		}
		x += cell.Width
	}
	return x
}

// styled draws text that Lip Gloss has styled.
func (c *Canvas) styled(r layout.Rect, s string) {
	uv.NewStyledString(s).Draw(c, area(r))
}

// Right draws s right-aligned before column x.
func (c *Canvas) Right(x, y int, s string, t markup.Token) {
	c.Put(x-markup.Width(s), y, markup.Width(s), s, t)
}

// each changes the cells of a rectangle.
func (c *Canvas) each(r layout.Rect, change func(cell *uv.Cell)) {
	for y := max(r.Y, 0); y < min(r.Y+r.H, c.Height()); y++ {
		for x := max(r.X, 0); x < min(r.X+r.W, c.Width()); x++ {
			change(c.CellAt(x, y))
		}
	}
}

func (c *Canvas) whole() layout.Rect { return layout.At(0, 0, c.Width(), c.Height()) }

// Highlight gives what is drawn in a rectangle another background.
func (c *Canvas) Highlight(r layout.Rect, b Back) {
	c.each(r, func(cell *uv.Cell) { cell.Style = c.th.on(cell.Style, b) })
}

func (c *Canvas) clear(r layout.Rect) { screen.ClearArea(c, area(r)) }

// Box draws a frame inside the edge of r.
func (c *Canvas) Box(r layout.Rect, t markup.Token) {
	b := lipgloss.RoundedBorder()
	edge := func(y int, left, between, right string) {
		c.Put(r.X, y, r.W, left, t)
		c.rule(layout.At(r.X+1, y, r.W-2, 1), between, t)
		c.Put(r.X+r.W-1, y, min(r.W, 1), right, t)
	}
	edge(r.Y, b.TopLeft, b.Top, b.TopRight)
	for y := r.Y + 1; y < r.Y+r.H-1; y++ {
		c.Put(r.X, y, 1, b.Left, t)
		c.Put(r.X+r.W-1, y, 1, b.Right, t)
	}
	edge(r.Y+r.H-1, b.BottomLeft, b.Bottom, b.BottomRight)
}

// rule fills the line of a rectangle with a sign of one cell.
func (c *Canvas) rule(r layout.Rect, sign string, t markup.Token) {
	for x := range r.W {
		c.Put(r.X+x, r.Y, 1, sign, t)
	}
}

// spell replaces signs by ASCII ones and, on an ASCII terminal, all other
// characters by their base letter or a question mark: cell by cell, so that
// nothing moves.
func (c *Canvas) spell() {
	if !c.th.ASCII {
		return
	}
	c.each(c.whole(), func(cell *uv.Cell) {
		cell.Content = markup.Spelled.Replace(cell.Content)
		if c.th.ASCIILocale { // also the second half of a wide character
			cell.Content, cell.Width = (object.ASCII(cell.Content) + "?")[:1], 1
		}
	})
}
