package layout

// Rect is a part of a canvas: column and line of its corner, and its size.
type Rect struct{ X, Y, W, H int }

// At is a part of w columns and h lines, from column x of line y on.
func At(x, y, w, h int) Rect { return Rect{x, y, w, h} }

// Empty reports whether there is nothing of r.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether the cell in column x of line y is in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Rows splits off the first n lines.
func (r Rect) Rows(n int) (top, rest Rect) {
	n = max(0, min(n, r.H))
	return Rect{r.X, r.Y, r.W, n}, Rect{r.X, r.Y + n, r.W, r.H - n}
}

// Inset removes columns at both sides.
func (r Rect) Inset(left, right int) Rect {
	return Rect{r.X + left, r.Y, max(0, r.W-left-right), r.H}
}
