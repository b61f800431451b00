package model

import "github.com/kstatus-tui/kstatus-tui/internal/model/rows"

// panes is the screen's size, the open pane, and what is seen of it.
type panes struct {
	width, height int
	fit           Fit
	focus         Focus
	pane          Pane
	paneSize      PaneSize
	tops          map[place]int // scroll positions
	proofs        bool          // the proofs of causes are unfolded
	search        Search
	wrap          bool
	warnings      bool // show only warnings in the events pane
}

// place is a pane about an object. Each has a scroll position of its own:
// another object's text never shows from its middle.
type place struct {
	pane Pane
	row  rows.Key
}

// mostPlaces bounds the scroll positions that are kept.
const mostPlaces = 500

// sideBySide is the width from which the pane is beside the tree.
const sideBySide = 110

// Size is the size of the screen.
func (p *panes) Size() (w, h int) { return p.width, p.height }

// Focus is the focused part.
func (p *panes) Focus() Focus { return p.focus }

// Pane is the chosen pane.
func (p *panes) Pane() Pane { return p.pane }

// PaneSize is the size of the pane.
func (p *panes) PaneSize() PaneSize { return p.paneSize }

// SearchText is the search in the pane, complete or being typed.
func (p *panes) SearchText() Search { return p.search }

// Proofs reports whether the proofs of causes are unfolded.
func (p *panes) Proofs() bool { return p.proofs }

// paneOpen reports whether the pane is on the screen.
func (p *panes) paneOpen() bool { return p.width >= sideBySide || p.paneSize != PaneNormal }

// shows reports whether a pane is open.
func (p *panes) shows(which Pane) bool { return p.paneOpen() && p.pane == which }

// reads reports whether a pane has the focus.
func (p *panes) reads(which Pane) bool { return p.focus == FocusPane && p.pane == which }

// enter gives the pane the focus, and the whole screen if it does not fit beside
// the tree.
func (p *panes) enter() {
	p.focus = FocusPane
	if p.width < sideBySide {
		p.paneSize = PaneFull
	}
}

func (p *panes) switchFocus() {
	if p.focus != FocusPane {
		p.enter()
		return
	}
	p.focus = FocusTree
	if p.paneSize == PaneFull {
		p.paneSize = PaneNormal
	}
}

func (p *panes) showPane(which Pane) {
	if which >= paneCount {
		return
	}
	p.pane, p.search = which, Search{}
	if p.width > 0 && p.width < sideBySide {
		p.enter()
	}
}

func (p *panes) nextPane(by Pane) { p.showPane((p.pane + by) % paneCount) }

// searches reports whether the focused pane is searched.
func (p *panes) searches() bool { return p.focus == FocusPane && p.search.Text != "" }

func (p *panes) resize(by PaneSize) {
	if p.paneSize = by; by == PaneFull {
		p.focus = FocusPane
	}
}
