package model

func (m Model) page() int {
	if m.focus == FocusPane {
		return max(m.fit.PaneRows-1, 1)
	}
	return max(m.fit.TreeRows-1, 1)
}

// move moves the selection, or scrolls the focused text.
func (m Model) move(by int) Model {
	switch {
	case m.mode == Helping:
		m.helpTop = max(m.helpTop+by, 0)
	case m.focus == FocusPane && m.pane == PaneYAML && len(m.detail.lines) > 0:
		m = m.moveLine(by)
	case m.focus == FocusPane:
		m = m.scrollPane(by)
	default:
		m.t.choose(clampAdd(max(m.t.selIndex, 0), by, len(m.t.rows)), m.fit.TreeRows)
	}
	return m
}

func clampAdd(a, by, n int) int { return min(max(a+by, 0), max(n-1, 0)) }

func (m Model) scrollPane(by int) Model {
	m.search.Left = m.search.Left || by != 0
	last := max(m.fit.PaneLines-m.fit.PaneRows, 0)
	top := m.scroll[m.pane]
	if m.pane == PaneLogs && m.logs.follow {
		top = last
	}
	top = min(max(top+by, 0), last)
	m.scroll[m.pane] = top
	if m.pane == PaneLogs && by != 0 {
		m.logs.follow = top == last
	}
	return m
}

func (m Model) scrolled(s Scrolled) Model {
	m.t.lastKey = m.w.Now
	if m.mode == Helping {
		m.helpTop = max(m.helpTop+s.Lines, 0)
		return m
	}
	if s.Over == FocusPane {
		m.yamlLoose = true
		return m.scrollPane(s.Lines)
	}
	m.t.choose(clampAdd(max(m.t.selIndex, 0), s.Lines, len(m.t.rows)), m.fit.TreeRows)
	return m
}

func (m Model) rowClicked(k RowKey) Model {
	m.t.lastKey = m.w.Now
	m.following = false
	for i := range m.t.rows {
		if m.t.rows[i].is(k) {
			m.t.choose(i, m.fit.TreeRows)
			m.focus = FocusTree
			break
		}
	}
	return m
}

func (m Model) selectedRow() *rowRef {
	if m.t.selIndex < 0 || m.t.selIndex >= len(m.t.rows) {
		return nil
	}
	return &m.t.rows[m.t.selIndex]
}
