package model

import "charm.land/bubbles/v2/textinput"

// newInput is a text input with the cursor at its end.
func newInput(value string) textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.SetVirtualCursor(false)        // the terminal's own cursor is used
	in.KeyMap.Paste.SetEnabled(false) // it would run a program; terminals paste by themselves
	in.SetValue(value)
	in.Focus()
	return in
}

// startTyping begins a filter, or a search in the focused pane.
func (m Model) startTyping() Model {
	if m.focus == FocusPane {
		m.mode, m.input = Searching, newInput(m.search.Text)
		return m
	}
	m.mode, m.input = Filtering, newInput(m.filterText)
	m.filterBefore = m.filterText
	return m
}

func (m Model) cancelTyping() Model {
	switch m.mode {
	case Filtering:
		m = m.setFilter(m.filterBefore)
	case Searching:
		m.search = Search{}
	}
	m.mode = Browsing
	return m
}

func (m Model) setFilter(text string) Model {
	m.t.filter, m.filterErr = parseFilter(text)
	m.filterText = text
	if m.t.touched && m.t.home == (RowKey{}) {
		m.t.home = m.t.sel
	}
	m.t.stale = true
	m.t.touched = m.t.touched || text != ""
	return m
}

// typed passes a key or pasted text to the text input.
func (m Model) typed(msg Msg) Model {
	before := m.input.Value()
	m.input, _ = m.input.Update(msg)
	text := m.input.Value()
	if text == before {
		return m
	}
	switch m.mode {
	case Filtering:
		m = m.setFilter(text)
	case Searching:
		m.search.Text, m.search.Left = text, false
	case Commanding:
		m.commandError, m.chosen = "", 0
	case Helping:
		m.helpTop = 0
	}
	return m
}

// beside handles the keys that scroll beside the text input.
func (m Model) beside(key string) (Model, bool) {
	by := map[string]int{"up": -1, "down": 1}[key]
	switch {
	case by != 0 && m.mode == Filtering:
		return m.move(by), true
	case by != 0 && m.mode == Commanding:
		return m.chooseSuggestion(by), true
	case key == "tab" && m.mode == Commanding:
		return m.complete(), true
	}
	return m, false
}
