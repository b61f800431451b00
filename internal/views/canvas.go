package views

import (
	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// Canvas is Lip Gloss's grid of cells, drawn on in the styles of a theme.
// Everything outside of it, or of the given columns, is clipped; control
// characters never enter it.
type Canvas struct {
	*lipgloss.Canvas
	th    *Theme
	tints []tint
}

// tint is a rectangle with a background.
type tint struct {
	Rect
	back Back
}

// NewCanvas returns a blank canvas of that size.
func NewCanvas(w, h int, th *Theme) *Canvas {
	return &Canvas{Canvas: lipgloss.NewCanvas(max(w, 0), max(h, 0)), th: th}
}

// Reset clears the canvas and sets its size and theme.
func (c *Canvas) Reset(w, h int, th *Theme) {
	c.Resize(max(w, 0), max(h, 0))
	c.Clear()
	c.th, c.tints = th, c.tints[:0]
}

// Rect is a part of a canvas: column and line of its corner, and its size.
type Rect struct{ X, Y, W, H int }

func (r Rect) empty() bool { return r.W <= 0 || r.H <= 0 }

// contains reports whether the cell in column x of line y is in r.
func (r Rect) contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// rows splits off the first n lines.
func (r Rect) rows(n int) (top, rest Rect) {
	n = max(0, min(n, r.H))
	return Rect{r.X, r.Y, r.W, n}, Rect{r.X, r.Y + n, r.W, r.H - n}
}

// inset removes columns at both sides.
func (r Rect) inset(left, right int) Rect {
	return Rect{r.X + left, r.Y, max(0, r.W-left-right), r.H}
}

// Put draws s at column x of line y, in at most w cells, and returns the column
// after it. It does not mark a cut; callers that want an ellipsis truncate
// first.
func (c *Canvas) Put(x, y, w int, s string, t Token) int {
	end := min(x+w, c.Width())
	for s != "" && y >= 0 && y < c.Height() {
		text, cw, rest := cluster(s)
		s = rest
		if cw == 0 {
			continue
		}
		if x+cw > end {
			break
		}
		if x >= 0 {
			c.SetCell(x, y, &uv.Cell{Content: text, Width: cw, Style: c.th.cells[t][c.back(x, y)]})
		}
		x += cw
	}
	return x
}

// styled draws text that Lip Gloss has styled.
func (c *Canvas) styled(r Rect, s string) {
	uv.NewStyledString(s).Draw(c, uv.Rect(r.X, r.Y, r.W, r.H))
}

// back is the background of a cell.
func (c *Canvas) back(x, y int) Back {
	for i := len(c.tints) - 1; i >= 0; i-- {
		if c.tints[i].contains(x, y) {
			return c.tints[i].back
		}
	}
	return NoBack
}

// Right draws s right-aligned before column x+w.
func (c *Canvas) Right(x, y, w int, s string, t Token) {
	sw := width(s)
	if sw > w {
		c.Put(x, y, w, s, t)
		return
	}
	c.Put(x+w-sw, y, sw, s, t)
}

// Fill repeats a one-cell character.
func (c *Canvas) Fill(x, y, w int, s string, t Token) {
	for i := range w {
		c.Put(x+i, y, 1, s, t)
	}
}

// Blank clears a rectangle and sets its background.
func (c *Canvas) Blank(r Rect, b Back) {
	c.tints = append(c.tints, tint{r, b})
	blank := uv.EmptyCell
	blank.Style = c.th.cells[Text][b]
	for y := r.Y; y < r.Y+r.H; y++ {
		for x := r.X; x < r.X+r.W; x++ {
			c.SetCell(x, y, &blank)
		}
	}
}

// Dim draws everything faint, below a window.
func (c *Canvas) Dim() {
	c.tints = c.tints[:0]
	c.each(func(cell *uv.Cell) { cell.Style = c.th.cells[Faint][NoBack] })
}

// each calls f for all cells except the second halves of wide characters.
func (c *Canvas) each(f func(*uv.Cell)) {
	for y := range c.Height() {
		for x := range c.Width() {
			if cell := c.CellAt(x, y); cell.Width > 0 {
				f(cell)
			}
		}
	}
}

// Box draws a frame inside the edge of r.
func (c *Canvas) Box(r Rect, g *Glyphs, t Token) {
	if r.W < 2 || r.H < 2 {
		return
	}
	f := &g.Frame
	side := func(s string) uv.Side { return uv.Side{Content: s} }
	border := uv.Border{
		Top: side(f.Top), Bottom: side(f.Bottom), Left: side(f.Left), Right: side(f.Right),
		TopLeft: side(f.TopLeft), TopRight: side(f.TopRight), BottomLeft: side(f.BottomLeft), BottomRight: side(f.BottomRight),
	}.Style(c.th.cells[t][NoBack])
	border.Draw(c, uv.Rect(r.X, r.Y, r.W, r.H))
}

// spell replaces signs by ASCII ones and, on an ASCII terminal, all other
// characters as well: cell by cell, so that nothing moves.
func (c *Canvas) spell(asciiLocale bool) {
	c.each(func(cell *uv.Cell) {
		if len(cell.Content) > 1 && cell.Width == 1 {
			cell.Content = spelled.Replace(cell.Content)
		}
	})
	if !asciiLocale {
		return
	}
	for y := range c.Height() {
		for x := range c.Width() {
			cell := c.CellAt(x, y)
			if len(cell.Content) <= 1 {
				continue
			}
			style, wide := cell.Style, cell.Width == 2
			c.SetCell(x, y, &uv.Cell{Content: heard(cell.Content), Width: 1, Style: style})
			if wide { // its second half is on the same line
				c.SetCell(x+1, y, &uv.Cell{Content: "?", Width: 1, Style: style})
			}
		}
	}
}

// heard is the ASCII replacement of a character: its base letter (an e without
// its accent), otherwise a question mark.
func heard(char string) string {
	if char[0] > ' ' && char[0] <= '~' {
		return char[:1]
	}
	return "?"
}
