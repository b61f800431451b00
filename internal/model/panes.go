package model

import (
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
)

// Panes are the panes about the selected row: which is open, how large, and what is
// seen of it.
type Panes struct {
	facts *known.Facts
	tree  *Tree

	logs     *logs.Pane
	yaml     *yamlPane
	timeline *timeline.Timeline // of the selected row

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
func (p *Panes) Size() (w, h int) { return p.width, p.height }

// Focus is the focused part.
func (p *Panes) Focus() Focus { return p.focus }

// Pane is the chosen pane.
func (p *Panes) Pane() Pane { return p.pane }

// PaneSize is the size of the pane.
func (p *Panes) PaneSize() PaneSize { return p.paneSize }

// SearchText is the search in the pane, complete or being typed.
func (p *Panes) SearchText() Search { return p.search }

// Proofs reports whether the proofs of causes are unfolded.
func (p *Panes) Proofs() bool { return p.proofs }

// paneOpen reports whether the pane is on the screen.
func (p *Panes) paneOpen() bool { return p.width >= sideBySide || p.paneSize != PaneNormal }

// shows reports whether a pane is open.
func (p *Panes) shows(which Pane) bool { return p.paneOpen() && p.pane == which }

// reads reports whether a pane has the focus.
func (p *Panes) reads(which Pane) bool { return p.focus == FocusPane && p.pane == which }

// enter gives the pane the focus, and the whole screen if it does not fit beside
// the tree.
func (p *Panes) enter() {
	p.focus = FocusPane
	if p.width < sideBySide {
		p.paneSize = PaneFull
	}
}

func (p *Panes) switchFocus() {
	if p.focus != FocusPane {
		p.enter()
		return
	}
	p.focus = FocusTree
	if p.paneSize == PaneFull {
		p.paneSize = PaneNormal
	}
}

func (p *Panes) showPane(which Pane) {
	if which >= paneCount {
		return
	}
	p.pane, p.search = which, Search{}
	if p.width > 0 && p.width < sideBySide {
		p.enter()
	}
}

func (p *Panes) nextPane(by Pane) { p.showPane((p.pane + by) % paneCount) }

// searches reports whether the focused pane is searched.
func (p *Panes) searches() bool { return p.focus == FocusPane && p.search.Text != "" }

func (p *Panes) resize(by PaneSize) {
	if p.paneSize = by; by == PaneFull {
		p.focus = FocusPane
	}
}

// Detail is the state of the YAML pane.
func (p *Panes) Detail() DetailView { return p.yaml.view(p.search.Text != "", p.reads(PaneYAML)) }

// Timeline is the history of the selected object and its descendants.
func (p *Panes) Timeline() timeline.View {
	return p.timeline.Of(p.facts.World, p.tree.selectedNode(), p.facts.Options().Now)
}

// Logs is the state of the logs pane.
func (p *Panes) Logs() logs.View { return p.logs.Shown() }

func (p *Panes) scrollPane(by int) {
	p.search.Left = p.search.Left || by != 0
	last := max(p.fit.PaneLines-p.fit.PaneRows, 0)
	top := min(max(p.Scroll().Top+by, 0), last)
	p.setTop(top)
	if p.pane == PaneLogs && by != 0 {
		p.logs.Follow = top == last
	}
}

// Scroll is the scroll position of the chosen pane. A followed log is at its
// end.
func (p *Panes) Scroll() Scroll {
	s := Scroll{Top: p.tops[p.place()], Wrap: p.wrap}
	if p.pane == PaneLogs && p.logs.Follow {
		s.Top = max(p.fit.PaneLines-p.fit.PaneRows, 0)
	}
	if p.pane == PaneLogs && !p.wrap {
		s.Left = p.logs.Left
	}
	return s
}

// place is the open pane about the selected row.
func (p *Panes) place() place { return place{p.pane, p.tree.sel} }

func (p *Panes) setTop(top int) {
	if len(p.tops) >= mostPlaces {
		clear(p.tops)
	}
	p.tops[p.place()] = top
}
