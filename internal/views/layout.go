package views

import (
	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// form is the kind of layout.
type form uint8

const (
	formTiny    form = iota // below 50 columns
	formStacked             // below 110 columns: a strip below the tree
	formSide                // the pane is beside the tree
)

// layout holds the rectangles of a screen's parts. Empty ones are not drawn.
type layout struct {
	form    form
	bounds  Rect
	header  Rect // title and connection
	verdict Rect
	bar     Rect
	frame   Rect   // around tree and pane
	divider int    // the column between tree and pane; 0 means none
	head    Rect   // column titles of the tree
	tree    Rect   // rows
	rules   []Rect // lines between the parts
	tabs    Rect   // the panes' names
	pane    Rect   // the pane's lines
	strip   Rect   // lines about the selected row, if there is no pane
	state   Rect   // filter, position, messages
	scrub   Rect   // a recording's time line
	footer  Rect   // keys
}

// place is the layout for a size. It does not depend on the data, so that
// changing numbers never move the screen.
func place(w, h int, size model.PaneSize, replay, typing bool) layout {
	l := layout{bounds: Rect{0, 0, w, h}}
	switch {
	case w < 50:
		l.form = formTiny
	case w < 110:
		l.form = formStacked
	default:
		l.form = formSide
	}
	rest, low := l.bounds, h < 20
	top := func(when bool) (r Rect) { // a line
		if when {
			r, rest = rest.rows(1)
		}
		return r
	}
	bottom := func(n int) (r Rect) {
		rest, r = rest.rows(rest.H - min(n, rest.H))
		return r
	}
	tiny, side := l.form == formTiny, l.form == formSide
	l.header, l.verdict, l.bar = top(!low && !tiny), top(true), top(!low && side)
	if !low || tiny && (h >= 6 || typing) {
		l.footer = bottom(1)
	}
	if !tiny {
		l.state = bottom(1)
	}
	if replay && h >= 8 {
		l.scrub = bottom(1)
	}
	switch {
	case side:
		l.side(rest, size)
	case size == model.PaneFull, tiny && size == model.PaneHalf:
		l.tabs = top(true)
		l.pane = rest.inset(1, 2) // the second is for the scroll bar
	case tiny:
		l.tree = rest
	default:
		if !low {
			l.rules = append(l.rules, top(true))
		}
		if size == model.PaneHalf {
			var lower Rect
			l.tabs, lower = bottom(rest.H * 3 / 5).rows(1)
			l.pane = lower.inset(1, 2)
		} else if !low {
			var rule Rect
			rule, l.strip = bottom(2 + min(2, h/12)).rows(1)
			l.rules = append(l.rules, rule)
		}
		l.head = top(!low || h >= 10)
		l.tree = rest
	}
	if !side {
		l.rules = append(l.rules, l.tabs)
	}
	return l
}

const (
	treeWidth = 77 // all columns can be read
	leastTree = 52 // name, readiness, sign and reason
	leastPane = 44
)

// side puts the tree and the pane beside each other, in a frame.
func (l *layout) side(r Rect, size model.PaneSize) {
	l.frame = r
	in := Rect{r.X + 1, r.Y + 1, r.W - 2, max(0, r.H-2)}
	// The reasons can be read before the pane gets more than it needs.
	tree := max(l.bounds.W*53/100, min(treeWidth, l.bounds.W-5-leastPane))
	switch size {
	case model.PaneFull:
		l.tabs = Rect{in.X, r.Y, in.W, 1}
		l.pane = in.inset(1, 1)
		return
	case model.PaneHalf:
		tree = max(l.bounds.W*36/100, leastTree)
	}
	l.divider = in.X + tree - 1
	l.head, l.tree = Rect{in.X, in.Y, tree - 1, in.H}.rows(1)
	l.tabs = Rect{l.divider + 1, r.Y, in.X + in.W - l.divider - 1, 1}
	l.pane = Rect{l.divider + 2, in.Y, in.X + in.W - l.divider - 3, in.H}
}
