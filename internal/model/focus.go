package model

import (
	"unicode/utf8"
)

// open gives the pane the focus, and the screen where it has no room beside
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

// sideBySide is the width from which the pane stands beside the tree.
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
	case m.focus == FocusPane && m.search.Value != "":
		m.search = Search{}
	case m.paneSize == PaneFull:
		m.paneSize, m.focus = PaneNormal, FocusTree
	case m.focus == FocusPane:
		m.focus = FocusTree
	case m.t.filter.active() || m.filterText.Value != "":
		m = m.setFilter("")
	case m.frozen != nil:
		m = m.pause()
	}
	return m
}

// opened reports whether something is open that q closes: from the tree it quits.
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

// helpTyped takes in what is typed while the help is open: it is looked for
// among the keys. The key that opened the help closes it, and so does q, as long
// as nothing has been typed.
func (m Model) helpTyped(k KeyPressed) (Model, bool) {
	switch {
	case k.Key == "esc" && m.helpText != "":
		m.helpText = ""
	case k.Key == "backspace" && m.helpText != "":
		_, n := utf8.DecodeLastRuneInString(m.helpText)
		m.helpText = m.helpText[:len(m.helpText)-n]
	case k.Text != "" && !(m.helpText == "" && (m.action(k.Key) == Help || m.action(k.Key) == Quit)):
		m.helpText += k.Text
	default:
		return m, false
	}
	m.helpTop = 0
	return m, true
}

func (m Model) toggleHelp() Model {
	if m.mode == Helping {
		m.mode = Browsing
	} else {
		m.mode, m.helpTop, m.helpText = Helping, 0, ""
	}
	return m
}
