package model

import "github.com/charmbracelet/x/ansi"

// scroll moves the selection, or scrolls the focused text.
func (m Model) scroll(by int) {
	switch {
	case m.mode == Helping:
		m.help.SetYOffset(m.help.YOffset() + by)
	case m.reads(PaneYAML) && !m.yaml.lines.Empty():
		m.moveLine(by)
	case m.focus == FocusPane:
		m.scrollPane(by)
	default:
		m.move(by)
	}
}

func pages(m Model, by int)     { m.scroll(by * m.page()) }
func halfPages(m Model, by int) { m.scroll(by * max(m.page()/2, 1)) }

// moveLine moves the cursor in the YAML. If the window was scrolled away from
// it, it starts from the visible part.
func (m Model) moveLine(by int) {
	shown, at := m.yaml.lines.Shown(m.search.Text != "")
	if m.yaml.Loose || m.search.Text != "" && !m.search.Left {
		at = m.fit.PaneFirst
	}
	m.yaml.lines.MoveTo(shown, at+by)
	m.yaml.Loose, m.search.Left = false, true
}

// turnBlock folds or unfolds the block at the cursor.
func (m Model) turnBlock() {
	if m.yaml.Loose && !m.yaml.lines.Empty() {
		m.moveLine(0)
	}
	m.yaml.lines.TurnHere()
}

func (m Model) scrollPane(by int) {
	m.search.Left = m.search.Left || by != 0
	last := max(m.fit.PaneLines-m.fit.PaneRows, 0)
	top := min(max(m.Scroll().Top+by, 0), last)
	m.setTop(top)
	if m.pane == PaneLogs && by != 0 {
		m.logs.Follow = top == last
	}
}

// Scroll is the scroll position of the chosen pane. A followed log is at its
// end.
func (m Model) Scroll() Scroll {
	s := Scroll{Top: m.tops[m.place()], Wrap: m.wrap}
	if m.pane == PaneLogs && m.logs.Follow {
		s.Top = max(m.fit.PaneLines-m.fit.PaneRows, 0)
	}
	if m.pane == PaneLogs && !m.wrap {
		s.Left = m.logs.Left
	}
	return s
}

// startSearch begins a search from the lines in sight.
func (m Model) startSearch() {
	from := m.Scroll().Top
	m.startTyping()
	m.search.From, m.search.Step = from, 0
}

// place is the open pane about the selected row.
func (m Model) place() place { return place{m.pane, m.sel} }

func (m Model) setTop(top int) {
	if len(m.tops) >= mostPlaces {
		clear(m.tops)
	}
	m.tops[m.place()] = top
}

// aside scrolls the lines of a log, if they are not wrapped.
func aside(m Model, by int) (said string) {
	if m.wrap {
		return "long lines are wrapped (w)"
	}
	return m.logs.Aside(by, ansi.StringWidth)
}

// along moves through the timeline.
func along(m Model, by int) (said string) {
	m.setTop(0)
	return m.timeline.Move(m.World, m.selectedNode(), by)
}

// wheel scrolls what is under the mouse.
func (m Model) wheel(s Scrolled) {
	m.lastKey = m.World.Now
	switch {
	case m.mode == Helping:
		m.help.SetYOffset(m.help.YOffset() + s.Lines)
	case s.Over == FocusPane:
		m.yaml.Loose = true
		m.scrollPane(s.Lines)
	default:
		m.move(s.Lines)
	}
}
