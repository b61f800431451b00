package model

// scroll moves the selection, or scrolls the focused text.
func (m Model) scroll(by int) {
	switch {
	case m.mode == Helping:
		m.help.SetYOffset(m.help.YOffset() + by)
	case m.reads(PaneYAML) && len(m.yaml.lines) > 0:
		m.moveLine(by)
	case m.focus == FocusPane:
		m.scrollPane(by)
	default:
		m.move(by)
	}
}

// moveLine moves the cursor in the YAML. If the window was scrolled away from
// it, it starts from the visible part.
func (m Model) moveLine(by int) {
	shown := m.Detail().Shown
	at := lineAt(shown, m.yaml.line)
	if m.yaml.loose || m.search.Text != "" && !m.search.Left {
		at = m.fit.PaneFirst
	}
	m.yaml.moveLine(shown, at, by)
	m.search.Left = true
}

func (m Model) scrollPane(by int) {
	m.search.Left = m.search.Left || by != 0
	last := max(m.fit.PaneLines-m.fit.PaneRows, 0)
	top := min(max(m.Scroll().Top+by, 0), last)
	m.tops[m.pane] = top
	if m.pane == PaneLogs && by != 0 {
		m.logs.follow = top == last
	}
}

// Scroll is the scroll position of the chosen pane. A followed log is at its
// end.
func (m Model) Scroll() Scroll {
	s := Scroll{Top: m.tops[m.pane], Wrap: m.wrap}
	if m.pane == PaneLogs && m.logs.follow {
		s.Top = max(m.fit.PaneLines-m.fit.PaneRows, 0)
	}
	if m.pane == PaneLogs && !m.wrap {
		s.Left = m.logs.left
	}
	return s
}

// wheel scrolls what is under the mouse.
func (m Model) wheel(s Scrolled) {
	m.lastKey = m.w.Now
	switch {
	case m.mode == Helping:
		m.help.SetYOffset(m.help.YOffset() + s.Lines)
	case s.Over == FocusPane:
		m.yaml.loose = true
		m.scrollPane(s.Lines)
	default:
		m.move(s.Lines)
	}
}
