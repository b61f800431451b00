package model

// scroll moves the selection, or scrolls the focused text.
func (m *Model) scroll(by int) {
	switch {
	case m.Keyboard.mode == Helping:
		m.Keyboard.scrollHelp(by)
	case m.Panes.reads(PaneYAML) && !m.Panes.yaml.Empty():
		m.moveLine(by)
	case m.Panes.focus == FocusPane:
		m.Panes.scrollPane(by)
	default:
		m.Tree.move(by)
	}
}

func pages(m *Model, by int)     { m.scroll(by * m.Keyboard.page()) }
func halfPages(m *Model, by int) { m.scroll(by * max(m.Keyboard.page()/2, 1)) }

// moveLine moves the cursor in the YAML. If the window was scrolled away from it, it
// starts from the visible part.
func (m *Model) moveLine(by int) {
	m.Panes.yaml.Move(by, m.Panes.search.Text != "" && !m.Panes.search.Left)
	m.Panes.search.Left = true
}

// startSearch begins a search from the lines in sight.
func (m *Model) startSearch() {
	from := m.Panes.Scroll().Top
	m.Keyboard.startTyping()
	m.Panes.search.From, m.Panes.search.Step = from, 0
}

// wheel scrolls what is under the mouse.
func (m *Model) wheel(s Scrolled) {
	m.Tree.lastKey = m.Facts.World.Now
	switch {
	case m.Keyboard.mode == Helping:
		m.Keyboard.scrollHelp(s.Lines)
	case s.Over == FocusPane:
		m.Panes.yaml.Loosen()
		m.Panes.scrollPane(s.Lines)
	default:
		m.Tree.move(s.Lines)
	}
}
