package model

import tea "charm.land/bubbletea/v2"

// open gives the pane the focus, and the whole screen if it does not fit beside
// the tree.
func (m Model) open() Model {
	if r := m.selectedRow(); r != nil && (r.kind == RowMore || r.kind == RowGroup) {
		return m.toggle()
	}
	m.focus = FocusPane
	if m.width < sideBySide {
		m.paneSize = PaneFull
	}
	return m
}

// sideBySide is the width from which the pane is beside the tree.
const sideBySide = 110

func (m Model) switchFocus() Model {
	if m.focus == FocusPane {
		m.focus = FocusTree
		if m.paneSize == PaneFull {
			m.paneSize = PaneNormal
		}
		return m
	}
	return m.open()
}

func (m Model) back() Model {
	switch {
	case m.mode == Helping:
		m.mode = Browsing
	case m.focus == FocusPane && m.search.Text != "":
		m.search = Search{}
	case m.paneSize == PaneFull:
		m.paneSize, m.focus = PaneNormal, FocusTree
	case m.focus == FocusPane:
		m.focus = FocusTree
	case m.t.filter.active() || m.filterText != "":
		m = m.setFilter("")
	case m.frozen != nil:
		m = m.pause()
	}
	return m
}

// opened reports whether q closes something; otherwise it quits.
func (m Model) opened() bool {
	return m.mode == Helping || m.paneSize == PaneFull || m.focus == FocusPane
}

func (m Model) showPane(p Pane) Model {
	if p >= paneCount {
		return m
	}
	m.pane = p
	m.search = Search{}
	if m.width < sideBySide && m.width > 0 {
		m.paneSize, m.focus = PaneFull, FocusPane
	}
	return m
}

// helpTyped handles keys while the help is open: text filters the bindings. The
// key that opened the help closes it, and so does q, as long as no text has
// been typed.
func (m Model) helpTyped(k tea.KeyPressMsg) (Model, bool) {
	typed := m.input.Value() != ""
	switch key := k.String(); {
	case key == "esc" && typed:
		m.input.Reset()
		m.helpTop = 0
		return m, true
	case key == "backspace" || key == "ctrl+w", k.Text != "" && (typed || m.action(k) != Help && m.action(k) != Quit):
		return m.typed(k), true
	}
	return m, false
}

func (m Model) toggleHelp() Model {
	if m.mode == Helping {
		m.mode = Browsing
	} else {
		m.mode, m.helpTop, m.input = Helping, 0, newInput("")
	}
	return m
}
