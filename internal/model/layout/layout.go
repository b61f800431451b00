// Package layout computes where the parts of a screen are: once for each frame, from its
// size and from what the user chose. It knows neither what is in a part nor how it is
// drawn. So changing rows never move a part or a column, with two exceptions: the first
// restart of a Pod adds the column of restarts, which then stays; and the column of
// namespaces fits the longest of them.
package layout

import "slices"

// Form is the kind of layout.
type Form uint8

// The forms.
const (
	Tiny    Form = iota // below 50 columns
	Stacked             // below 110 columns: a strip below the tree
	Side                // the pane is beside the tree
)

// Layout holds the rectangles of a screen's parts. Empty ones are not drawn.
type Layout struct {
	Form    Form
	Bounds  Rect
	Header  Rect // title and connection
	Verdict Rect
	Bar     Rect
	Frame   Rect   // around tree and pane
	Divider int    // the column between tree and pane; 0 means none
	Head    Rect   // column titles of the tree
	Tree    Rect   // rows
	Rules   []Rect // lines between the parts
	Tabs    Rect   // the panes' names
	Pane    Rect   // the pane's lines
	Strip   Rect   // lines about the selected row, if there is no pane
	State   Rect   // filter, position, messages
	Scrub   Rect   // a recording's time line
	Footer  Rect   // keys
	Help    Rect   // the help window, above the others

	Columns    []Column // of the tree
	ShortKinds bool     // kinds are spelled as kubectl's short names
}

// Size is the size of the pane.
type Size uint8

// The sizes. A normal pane is beside the tree if there is room, otherwise a strip of
// a few lines below it.
const (
	Normal Size = iota
	Half
	Full
)

// SideBySide is the width from which the pane is beside the tree.
const SideBySide = 110

// WindowWidth is the width of a window, on small screens all of it.
const WindowWidth = 66

// twoWindows is the width from which the help has two columns.
const twoWindows = 120

// Screen is what a layout depends on.
type Screen struct {
	W, H    int
	Pane    Size
	Replay  bool     // a recording is played: it has a time line
	Typing  bool     // a filter or a search is being typed
	Columns []string // the tree's columns; nil means DefaultColumns
	// LongestSpace is the length of the longest namespace, if there are several: they have a
	// column. Otherwise it is 0.
	LongestSpace int
	// Restarted: a Pod has restarted. Until then the column of restarts would be empty, and the
	// reason has its room, unless the user has chosen the columns.
	Restarted bool
}

// Place is the layout of a screen.
func Place(s Screen) Layout {
	w, h, size := s.W, s.H, s.Pane
	l := Layout{Bounds: Rect{0, 0, w, h}}
	switch {
	case w < 50:
		l.Form = Tiny
	case w < SideBySide:
		l.Form = Stacked
	default:
		l.Form = Side
	}
	rest, low := l.Bounds, h < 20
	top := func(when bool) (r Rect) { // a line
		if when {
			r, rest = rest.Rows(1)
		}
		return r
	}
	bottom := func(n int) (r Rect) {
		rest, r = rest.Rows(rest.H - min(n, rest.H))
		return r
	}
	tiny, side := l.Form == Tiny, l.Form == Side
	l.Header, l.Verdict, l.Bar = top(!low && !tiny), top(true), top(!low && side)
	if !low || tiny && (h >= 6 || s.Typing) {
		l.Footer = bottom(1)
	}
	if !tiny {
		l.State = bottom(1)
	}
	if s.Replay && h >= 8 {
		l.Scrub = bottom(1)
	}
	switch {
	case side:
		l.side(rest, size, treeWidth+extraWidth(s.chosen()))
	case size == Full, tiny && size == Half:
		l.Tabs = top(true)
		l.Pane = rest.Inset(1, 2) // the second is for the scroll bar
	case tiny:
		l.Tree = rest
	default:
		if !low {
			l.Rules = append(l.Rules, top(true))
		}
		if size == Half {
			var lower Rect
			l.Tabs, lower = bottom(rest.H * 3 / 5).Rows(1)
			l.Pane = lower.Inset(1, 2)
		} else if !low {
			var rule Rect
			rule, l.Strip = bottom(1 + min(max(h/6, 3), 6)).Rows(1)
			l.Rules = append(l.Rules, rule)
		}
		l.Head = top(!low || h >= 10)
		l.Tree = rest
	}
	if !side {
		l.Rules = append(l.Rules, l.Tabs)
	}
	l.columns(s)
	ww, wh := min(w, WindowWidth), min(h, max(h-4, 8))
	if w >= twoWindows {
		ww = 2*WindowWidth - 18 // the keys stand in two columns
	}
	l.Help = Rect{(w - ww) / 2, (h - wh) / 2, ww, wh}
	return l
}

// chosen are the names of the tree's columns.
func (s Screen) chosen() []string {
	chosen := s.Columns
	if chosen == nil {
		chosen = DefaultColumns
	}
	if s.LongestSpace > 0 && !slices.Contains(chosen, "namespace") {
		chosen = append(slices.Clone(chosen), "namespace")
	}
	return chosen
}

// columns lays the tree's columns out.
func (l *Layout) columns(s Screen) {
	chosen := s.chosen()
	if l.Form == Tiny {
		l.Columns, l.ShortKinds = TinyColumns(l.Tree.W, chosen), true
		return
	}
	w := l.Tree.W
	if l.Form == Stacked {
		w-- // for the scroll bar, which is on the divider if there is one
	}
	l.Columns = FitColumns(w, chosen, s.LongestSpace)
	if l.Form == Side && s.Pane == Normal {
		timeBeside(l.Columns)
	}
	if s.Columns == nil && !s.Restarted {
		leaveToReason(l.Columns, "restarts")
	}
	l.ShortKinds = !l.Tree.Empty() && shortKinds(l.Columns)
}

const (
	treeWidth = 78 // all default columns can be read
	leastTree = 62 // name, readiness, sign and reason
	leastPane = 41
	fairPane  = 56 // a sentence or a command is seldom broken
	mostPane  = 80 // what a pane says is read in lines that are no longer
)

// side puts the tree and the pane beside each other, in a frame. All columns of the tree
// can be read in ideal cells.
func (l *Layout) side(r Rect, size Size, ideal int) {
	l.Frame = r
	in := Rect{r.X + 1, r.Y + 1, r.W - 2, max(0, r.H-2)}
	// The reasons can be read before the pane gets more than it needs. Columns beyond the
	// default ones have their room when the pane has it, too.
	room := l.Bounds.W - 5
	tree := max(l.Bounds.W*53/100, min(treeWidth, room-leastPane), min(ideal, room-fairPane), room-mostPane)
	switch size {
	case Full:
		l.Tabs = Rect{in.X, r.Y, in.W, 1}
		l.Pane = in.Inset(1, 1)
		return
	case Half:
		tree = max(l.Bounds.W*36/100, leastTree)
	}
	l.Divider = in.X + tree - 1
	l.Head, l.Tree = Rect{in.X, in.Y, tree - 1, in.H}.Rows(1)
	l.Tabs = Rect{l.Divider + 1, r.Y, in.X + in.W - l.Divider - 1, 1}
	l.Pane = Rect{l.Divider + 2, in.Y, in.X + in.W - l.Divider - 3, in.H}
}
