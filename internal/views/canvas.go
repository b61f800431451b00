package views

import (
	"strings"
)

// Cell is one position of a [Canvas].
type Cell struct {
	Text  string // what is drawn; "" is a blank, or the second half of a wide character
	Width int8   // 1 or 2; 0 for the second half of a wide character
	Token Token
	Back  Back
}

// Canvas is a grid of cells. Whatever is drawn outside of it, or outside of
// the rectangle drawn into, is cut off; whatever a terminal must not be told
// never gets in. The zero value is an empty grid; [Canvas.Reset] gives it a size.
type Canvas struct {
	W, H  int
	cells []Cell
}

// NewCanvas returns a blank canvas of that size.
func NewCanvas(w, h int) *Canvas {
	c := &Canvas{}
	c.Reset(w, h)
	return c
}

// Reset makes the canvas blank and gives it a size. It reuses the memory.
func (c *Canvas) Reset(w, h int) {
	w, h = max(w, 0), max(h, 0)
	c.W, c.H = w, h
	if cap(c.cells) < w*h {
		c.cells = make([]Cell, w*h)
	}
	c.cells = c.cells[:w*h]
	blank := Cell{Width: 1}
	for i := range c.cells {
		c.cells[i] = blank
	}
}

// At is the cell in column x of line y.
func (c *Canvas) At(x, y int) Cell { return c.cells[y*c.W+x] }

// Rect is a part of a canvas: column and line of its corner, and its size.
type Rect struct{ X, Y, W, H int }

func (r Rect) empty() bool { return r.W <= 0 || r.H <= 0 }

// contains reports whether the cell in column x of line y lies in r.
func (r Rect) contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// rows splits the first n lines off.
func (r Rect) rows(n int) (top, rest Rect) {
	n = max(0, min(n, r.H))
	return Rect{r.X, r.Y, r.W, n}, Rect{r.X, r.Y + n, r.W, r.H - n}
}

// inset leaves out columns at both sides.
func (r Rect) inset(left, right int) Rect {
	return Rect{r.X + left, r.Y, max(0, r.W-left-right), r.H}
}

// Put draws s at column x of line y, in at most w cells, and returns the
// column after it. It does not mark that something was cut off; callers who
// care truncate first.
func (c *Canvas) Put(x, y, w int, s string, t Token) int {
	if y < 0 || y >= c.H || w <= 0 {
		return x
	}
	end := min(x+w, c.W)
	row := c.cells[y*c.W : (y+1)*c.W]
	for s != "" {
		text, cw, rest := cluster(s)
		s = rest
		if cw == 0 {
			continue
		}
		if x+cw > end {
			break
		}
		if x >= 0 {
			c.clear(row, x)
			back := row[x].Back
			if text == " " {
				text = ""
			}
			row[x] = Cell{Text: text, Width: int8(cw), Token: t, Back: back}
			if cw == 2 {
				c.clear(row, x+1)
				row[x+1] = Cell{Width: 0, Token: t, Back: back}
			}
		}
		x += cw
	}
	return x
}

// clear makes sure that overwriting the cell in column x leaves no half of a
// wide character behind.
func (c *Canvas) clear(row []Cell, x int) {
	switch {
	case row[x].Width == 2 && x+1 < len(row):
		row[x+1] = Cell{Width: 1, Back: row[x+1].Back}
	case row[x].Width == 0 && x > 0:
		row[x-1] = Cell{Width: 1, Back: row[x-1].Back}
	}
}

// Right draws s so that it ends before column x+w.
func (c *Canvas) Right(x, y, w int, s string, t Token) {
	sw := width(s)
	if sw > w {
		c.Put(x, y, w, s, t)
		return
	}
	c.Put(x+w-sw, y, sw, s, t)
}

// Fill draws the same one-cell character all along.
func (c *Canvas) Fill(x, y, w int, s string, t Token) {
	for i := range w {
		c.Put(x+i, y, 1, s, t)
	}
}

// Tint gives the cells of a rectangle a background.
func (c *Canvas) Tint(r Rect, b Back) {
	for y := max(r.Y, 0); y < min(r.Y+r.H, c.H); y++ {
		for x := max(r.X, 0); x < min(r.X+r.W, c.W); x++ {
			c.cells[y*c.W+x].Back = b
		}
	}
}

// Dim makes everything inside a rectangle recede, for what lies under a window
// that is on top.
func (c *Canvas) Dim(r Rect) {
	for y := max(r.Y, 0); y < min(r.Y+r.H, c.H); y++ {
		for x := max(r.X, 0); x < min(r.X+r.W, c.W); x++ {
			cell := &c.cells[y*c.W+x]
			cell.Token, cell.Back = Faint, NoBack
		}
	}
}

// Blank clears a rectangle.
func (c *Canvas) Blank(r Rect) {
	for y := max(r.Y, 0); y < min(r.Y+r.H, c.H); y++ {
		row := c.cells[y*c.W : (y+1)*c.W]
		for x := max(r.X, 0); x < min(r.X+r.W, c.W); x++ {
			c.clear(row, x)
			row[x] = Cell{Width: 1}
		}
	}
}

// Box draws a frame along the inside of r.
func (c *Canvas) Box(r Rect, g *Glyphs, t Token) {
	if r.W < 2 || r.H < 2 {
		return
	}
	right, bottom := r.X+r.W-1, r.Y+r.H-1
	c.Fill(r.X+1, r.Y, r.W-2, g.Horizontal, t)
	c.Fill(r.X+1, bottom, r.W-2, g.Horizontal, t)
	for y := r.Y + 1; y < bottom; y++ {
		c.Put(r.X, y, 1, g.Vertical, t)
		c.Put(right, y, 1, g.Vertical, t)
	}
	c.Put(r.X, r.Y, 1, g.TopLeft, t)
	c.Put(right, r.Y, 1, g.TopRight, t)
	c.Put(r.X, bottom, 1, g.BottomLeft, t)
	c.Put(right, bottom, 1, g.BottomRight, t)
}

// spell replaces the signs that ASCII does not have, and on an ASCII terminal all
// else that it does not have either: cell by cell, so that nothing moves.
func (c *Canvas) spell(asciiLocale bool) {
	for i := range c.cells {
		cell := &c.cells[i]
		if len(cell.Text) > 1 && cell.Width == 1 {
			cell.Text = spelled.Replace(cell.Text)
		}
		if !asciiLocale || len(cell.Text) <= 1 {
			continue
		}
		if cell.Width == 2 { // its second half stands in the same line
			cell.Width = 1
			second := &c.cells[i+1]
			second.Text, second.Width = "?", 1
		}
		cell.Text = heard(cell.Text)
	}
}

// heard is what an ASCII terminal is told of a character: its base where that is
// ASCII (an e without its accent), else a question mark.
func heard(char string) string {
	if char[0] > ' ' && char[0] <= '~' {
		return char[:1]
	}
	return "?"
}

// Render is the canvas as lines of text and the theme's colours.
func (c *Canvas) Render(th *Theme) string {
	var b strings.Builder
	b.Grow(c.W * c.H * 2)
	for y := range c.H {
		if y > 0 {
			b.WriteByte('\n')
		}
		row := c.cells[y*c.W : (y+1)*c.W]
		for len(row) > 0 && th.clear(row[len(row)-1]) {
			row = row[:len(row)-1]
		}
		open := ""
		for _, cell := range row {
			if cell.Width == 0 {
				continue
			}
			if sgr := th.sgr[cell.Token][cell.Back]; sgr != open {
				if open != "" {
					b.WriteString("\x1b[m")
				}
				b.WriteString(sgr)
				open = sgr
			}
			if cell.Text == "" {
				b.WriteByte(' ')
			}
			b.WriteString(cell.Text)
		}
		if open != "" {
			b.WriteString("\x1b[m")
		}
	}
	return b.String()
}

// clear reports whether a cell looks as if nothing had been drawn there.
func (th *Theme) clear(c Cell) bool {
	return c.Text == "" && c.Width == 1 && c.Back == NoBack && !th.marksBlanks(c.Token)
}

// Plain is the text of the canvas alone, without trailing blanks.
func (c *Canvas) Plain() string {
	var b strings.Builder
	for y := range c.H {
		var line strings.Builder
		for _, cell := range c.cells[y*c.W : (y+1)*c.W] {
			switch {
			case cell.Width == 0:
			case cell.Text == "":
				line.WriteByte(' ')
			default:
				line.WriteString(cell.Text)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
