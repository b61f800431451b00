package views

import (
	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// form is the kind of layout.
type form uint8

const (
	formCounters form = iota // below 20 columns or 4 lines: verdict and counters
	formTiny                 // below 50 columns
	formNarrow               // below 80 columns
	formStacked              // below 110 columns: a strip below the tree
	formSide                 // the pane is beside the tree
)

// layout holds the rectangles of a screen's parts. Empty ones are not drawn.
type layout struct {
	form    form
	bounds  Rect
	header  Rect // title and connection
	verdict Rect
	bar     Rect
	frame   Rect // around tree and pane
	divider int  // the column between tree and pane; 0 means none
	head    Rect // column titles of the tree
	tree    Rect // rows
	rules   []Rect
	tabs    Rect // the panes' names
	pane    Rect // the pane's lines
	strip   Rect // two lines about the selected row, if there is no pane
	state   Rect // filter, position, messages
	scrub   Rect // a recording's time line
	footer  Rect // keys
}

// place is the layout for a size. It does not depend on the data, so that
// changing numbers never move the screen.
func place(w, h int, size model.PaneSize, replay bool) layout {
	l := layout{bounds: Rect{0, 0, w, h}}
	switch {
	case w < 20 || h < 4:
		l.form = formCounters
		return l
	case w < 50:
		l.form = formTiny
	case w < 80:
		l.form = formNarrow
	case w < 110:
		l.form = formStacked
	default:
		l.form = formSide
	}
	rest := l.bounds
	low := h < 20
	bottom := func(n int) Rect {
		n = min(n, rest.H)
		rest.H -= n
		return Rect{rest.X, rest.Y + rest.H, rest.W, n}
	}
	rule := func() {
		var r Rect
		r, rest = rest.rows(1)
		l.rules = append(l.rules, r)
	}
	if l.form == formTiny {
		l.verdict, rest = rest.rows(1)
		if h >= 6 {
			l.footer = bottom(1)
		}
		if replay && h >= 7 {
			l.scrub = bottom(1)
		}
		if size != model.PaneNormal {
			if h >= 6 {
				l.tabs, rest = rest.rows(1)
			}
			l.pane = rest.inset(1, 1)
			return l
		}
		l.tree = rest
		return l
	}

	if low {
		l.verdict, rest = rest.rows(1)
		l.state = bottom(1)
		if replay && h >= 8 {
			l.scrub = bottom(1)
		}
	} else {
		l.header, rest = rest.rows(1)
		l.verdict, rest = rest.rows(1)
		if l.form == formSide {
			l.bar, rest = rest.rows(1)
		}
		l.footer = bottom(1)
		l.state = bottom(1)
		if replay {
			l.scrub = bottom(1)
		}
	}
	if l.form == formSide {
		l.frame = rest
		in := Rect{rest.X + 1, rest.Y + 1, rest.W - 2, max(0, rest.H-2)}
		if size == model.PaneFull {
			l.tabs = Rect{rest.X + 1, rest.Y, rest.W - 2, 1}
			l.pane = in.inset(1, 1)
			return l
		}
		tree := w * 53 / 100
		if size == model.PaneHalf {
			tree = w * 36 / 100
		}
		l.divider = in.X + tree - 1
		left := Rect{in.X, in.Y, tree - 1, in.H}
		l.head, l.tree = left.rows(1)
		l.tabs = Rect{l.divider + 1, rest.Y, rest.X + rest.W - 1 - (l.divider + 1), 1}
		l.pane = Rect{l.divider + 2, in.Y, in.X + in.W - l.divider - 3, in.H}
		return l
	}

	if size == model.PaneFull {
		l.tabs, rest = rest.rows(1)
		l.pane = rest.inset(1, 2) // the second is for the scroll bar
		return l
	}
	if !low {
		rule()
	}
	if size == model.PaneHalf {
		lower := bottom(rest.H * 3 / 5)
		l.tabs, lower = lower.rows(1)
		l.pane = lower.inset(1, 2)
	} else if !low {
		strip := bottom(3)
		var r Rect
		r, l.strip = strip.rows(1)
		l.rules = append(l.rules, r)
	}
	if !low || h >= 10 {
		l.head, rest = rest.rows(1)
	}
	l.tree = rest
	return l
}
