package views

import (
	"strconv"
	"unicode/utf8"
)

// Delta appends to out what makes a terminal that shows old show c, with the
// theme's colours and with nothing that could be taken for another command than
// moving the cursor, colouring text and clearing the rest of a line. An old of
// nil, or of another size, means that anything may stand there: every line is
// written. The pen must be the default one when it begins, and is when it ends;
// the cursor may stand anywhere.
func (c *Canvas) Delta(out []byte, old *Canvas, th *Theme) []byte {
	if old != nil && (old.W != c.W || old.H != c.H) {
		old = nil
	}
	for y := range c.H {
		var was []Cell
		if old != nil {
			was = old.cells[y*c.W : (y+1)*c.W]
		}
		out = th.repaint(out, y, was, c.cells[y*c.W:(y+1)*c.W])
	}
	return out
}

// bridge is how many unchanged cells are written again rather than stepped
// over: moving the cursor takes about as many bytes.
const bridge = 4

// repaint writes the cells of line y that differ from was, all of them where
// that is nil.
func (th *Theme) repaint(out []byte, y int, was, row []Cell) []byte {
	end := len(row) // everything from here on is blank
	for end > 0 && th.clear(row[end-1]) {
		end--
	}
	at := -1 // the column that the cursor stands in, where that is known
	open := ""
	pen := func(sgr string) {
		if sgr == open {
			return
		}
		if open != "" {
			out = append(out, "\x1b[m"...)
		}
		out = append(out, sgr...)
		open = sgr
	}
	move := func(x int) {
		if at == x {
			return
		}
		out = append(out, "\x1b["...)
		out = strconv.AppendInt(out, int64(y)+1, 10)
		out = append(out, ';')
		out = strconv.AppendInt(out, int64(x)+1, 10)
		out = append(out, 'H')
		at = x
	}
	put := func(cell Cell) {
		pen(th.sgr[cell.Token][cell.Back])
		if cell.Text == "" {
			out = append(out, ' ')
			at++
			return
		}
		out = append(out, cell.Text...)
		at += int(cell.Width)
		if cell.Width > 1 || utf8.RuneCountInString(cell.Text) > 1 {
			at = -1 // terminals may disagree about its width: say where to go on
		}
	}
	for x := 0; x < end; x++ {
		if was != nil && th.alike(was[x], row[x]) {
			continue
		}
		if row[x].Width == 0 && x > 0 {
			x-- // the first half of a wide character takes both
		}
		if gap := x - at; at >= 0 && gap > 0 && gap <= bridge && narrow(row[at:x]) {
			for _, cell := range row[at:x] {
				put(cell)
			}
		}
		move(x)
		put(row[x])
		if row[x].Width > 1 {
			x++
		}
	}
	tail := was == nil
	for x := end; x < len(row) && !tail; x++ {
		tail = !th.alike(was[x], row[x])
	}
	// A cursor behind the last column would take that one's cell along.
	if tail && end < len(row) {
		pen("")
		move(end)
		return append(out, "\x1b[K"...)
	}
	pen("")
	return out
}

func narrow(cells []Cell) bool {
	for _, c := range cells {
		if c.Width != 1 || len(c.Text) > 1 {
			return false
		}
	}
	return true
}

// clear reports whether a cell looks as if nothing had been drawn there.
func (th *Theme) clear(c Cell) bool {
	return c.Text == "" && c.Width == 1 && c.Back == NoBack && !th.marksBlanks(c.Token)
}

// alike reports whether two cells look the same.
func (th *Theme) alike(a, b Cell) bool { return a == b || th.clear(a) && th.clear(b) }
