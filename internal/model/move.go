package model

import tea "charm.land/bubbletea/v2"

// scroll moves the selection, or scrolls the focused text.
func (m *Model) scroll(by int) {
	switch {
	case m.Keyboard.mode == Helping:
		m.Keyboard.scrollHelp(by)
	case m.Panes.reads(PaneYAML) && !m.Panes.yaml.Empty():
		m.moveLine(by)
	case m.Panes.focus == FocusPane && m.Panes.nextTarget(by):
	case m.Panes.focus == FocusPane:
		m.Panes.scrollPane(by)
	default:
		m.Tree.move(by)
	}
}

// enterTarget goes to what the chosen line of the pane names: a container's log, an
// object's causes, or the row of the object that the pane is about.
func (m *Model) enterTarget() tea.Cmd {
	p := m.Panes
	if p.target < 0 || p.target >= len(p.content.Targets) {
		return m.Display.answer("no line here leads further")
	}
	to := p.content.Targets[p.target]
	n := m.Facts.World.Tree.Nodes[to.ID]
	switch {
	case n == nil || !n.InTree:
		return m.Display.answer(to.ID.String() + " is not followed here")
	case n == m.Tree.selectedNode() && to.Container != "":
		p.showPane(PaneLogs)
		read := m.Panes.load(asking{m.Intake, m.Display}) // knows the containers
		p.logs.Pane.ShowContainer(to.Container)
		return read
	case n == m.Tree.selectedNode():
		p.switchFocus()
	default:
		m.Tree.reveal(n)
		p.target = 0
		if p.pane != PaneWhy {
			p.showPane(PaneWhy)
		}
	}
	return nil
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
	from := m.Panes.content.Entry(m.Panes.Scroll().Top)
	m.Keyboard.startTyping()
	m.Panes.search.From, m.Panes.search.Step = from, 0
}

// wheel scrolls what is under the mouse.
func (m *Model) wheel(s Scrolled) {
	m.Tree.lastKey = m.Facts.World.Tree.Now
	switch {
	case m.Keyboard.mode == Helping:
		m.Keyboard.scrollHelp(s.Lines)
	case s.Over == FocusPane:
		m.Panes.yaml.ScrollAway()
		m.Panes.scrollPane(s.Lines)
	default:
		m.Tree.move(s.Lines)
	}
}
