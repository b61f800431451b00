package model

import "github.com/charmbracelet/x/ansi"

// scroll moves the selection, or scrolls the focused text.
func (m *Model) scroll(by int) {
	switch {
	case m.Keyboard.mode == Helping:
		m.Keyboard.help.SetYOffset(m.Keyboard.help.YOffset() + by)
	case m.Panes.reads(PaneYAML) && !m.Panes.yaml.lines.Empty():
		m.moveLine(by)
	case m.Panes.focus == FocusPane:
		m.Panes.scrollPane(by)
	default:
		m.Tree.move(by)
	}
}

func pages(m *Model, by int)     { m.scroll(by * m.Keyboard.page()) }
func halfPages(m *Model, by int) { m.scroll(by * max(m.Keyboard.page()/2, 1)) }

// moveLine moves the cursor in the YAML. If the window was scrolled away from
// it, it starts from the visible part.
func (m *Model) moveLine(by int) {
	shown, at := m.Panes.yaml.lines.Shown(m.Panes.search.Text != "")
	if m.Panes.yaml.DetailView.Loose || m.Panes.search.Text != "" && !m.Panes.search.Left {
		at = m.Panes.fit.PaneFirst
	}
	m.Panes.yaml.lines.MoveTo(shown, at+by)
	m.Panes.yaml.DetailView.Loose, m.Panes.search.Left = false, true
}

// turnBlock folds or unfolds the block at the cursor.
func (m *Model) turnBlock() {
	if m.Panes.yaml.DetailView.Loose && !m.Panes.yaml.lines.Empty() {
		m.moveLine(0)
	}
	m.Panes.yaml.lines.TurnHere()
}

// startSearch begins a search from the lines in sight.
func (m *Model) startSearch() {
	from := m.Panes.Scroll().Top
	m.Keyboard.startTyping()
	m.Panes.search.From, m.Panes.search.Step = from, 0
}

// aside scrolls the lines of a log, if they are not wrapped.
func aside(m *Model, by int) (said string) {
	if m.Panes.wrap {
		return "long lines are wrapped (w)"
	}
	return m.Panes.logs.Aside(by, ansi.StringWidth)
}

// along moves through the timeline.
func along(m *Model, by int) (said string) {
	m.Panes.setTop(0)
	return m.Panes.timeline.Move(m.Facts.World, m.Tree.selectedNode(), by)
}

// wheel scrolls what is under the mouse.
func (m *Model) wheel(s Scrolled) {
	m.Tree.lastKey = m.Facts.World.Now
	switch {
	case m.Keyboard.mode == Helping:
		m.Keyboard.help.SetYOffset(m.Keyboard.help.YOffset() + s.Lines)
	case s.Over == FocusPane:
		m.Panes.yaml.DetailView.Loose = true
		m.Panes.scrollPane(s.Lines)
	default:
		m.Tree.move(s.Lines)
	}
}
