package model

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// startTyping begins a filter, or a search in the pane that has the focus.
func (m Model) startTyping() Model {
	if m.focus == FocusPane {
		m.mode = Searching
		m.search.Cursor = utf8.RuneCountInString(m.search.Value)
		return m
	}
	m.mode = Filtering
	m.filterBefore = m.filterText.Value
	m.filterText.Cursor = utf8.RuneCountInString(m.filterText.Value)
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
	f, err := parseFilter(text)
	m.filterText.Value, m.filterText.Error = text, ""
	m.filterText.Cursor = min(m.filterText.Cursor, utf8.RuneCountInString(text))
	if err != nil {
		m.filterText.Error = err.Error()
	}
	if m.t.touched && m.t.home == (RowKey{}) {
		m.t.home = m.t.sel
	}
	m.t.filter = f
	m.t.stale = true
	m.t.touched = m.t.touched || text != ""
	return m
}

// typed puts text in at the cursor of what is being typed.
func (m Model) typed(text string) Model {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	switch m.mode {
	case Filtering:
		v, c := m.filterText.with(text)
		m.filterText.Cursor = c
		m = m.setFilter(v)
		m.filterText.Cursor = c
	case Searching:
		m.search.Value, m.search.Cursor = m.search.with(text)
		m.search.Left = false
	case Commanding:
		m.command.Value, m.command.Cursor = m.command.with(text)
		m.command.Error, m.chosen = "", 0
	}
	return m
}

func (t Text) with(text string) (string, int) {
	r := []rune(t.Value)
	c := min(max(t.Cursor, 0), len(r))
	in := []rune(text)
	return string(slices.Concat(r[:c], in, r[c:])), c + len(in)
}

// edited takes in a key that is not bound while text is typed.
func (m Model) edited(k KeyPressed) Model {
	t := &m.filterText
	switch m.mode {
	case Searching:
		t = &m.search.Text
	case Commanding:
		t = &m.command
	}
	r := []rune(t.Value)
	c := min(max(t.Cursor, 0), len(r))
	switch k.Key {
	case "left":
		t.Cursor = max(c-1, 0)
		return m
	case "right":
		t.Cursor = min(c+1, len(r))
		return m
	case "home", "ctrl+a":
		t.Cursor = 0
		return m
	case "end", "ctrl+e":
		t.Cursor = len(r)
		return m
	case "up", "down":
		by := 1
		if k.Key == "up" {
			by = -1
		}
		switch m.mode {
		case Filtering:
			return m.move(by)
		case Commanding:
			return m.chooseSuggestion(by)
		}
		return m
	case "tab":
		if m.mode == Commanding {
			return m.complete()
		}
		return m
	case "backspace", "ctrl+h":
		if c == 0 {
			return m
		}
		r = slices.Delete(r, c-1, c)
		c--
	case "delete":
		if c == len(r) {
			return m
		}
		r = slices.Delete(r, c, c+1)
	case "ctrl+u":
		r, c = r[c:], 0
	case "ctrl+w":
		i := c
		for i > 0 && r[i-1] == ' ' {
			i--
		}
		for i > 0 && r[i-1] != ' ' {
			i--
		}
		r = slices.Delete(r, i, c)
		c = i
	default:
		text := k.Text
		if text == "" && utf8.RuneCountInString(k.Key) == 1 {
			text = k.Key
		}
		if text == "" && k.Key == "space" {
			text = " "
		}
		return m.typed(text)
	}
	value := string(r)
	switch m.mode {
	case Filtering:
		m = m.setFilter(value)
		m.filterText.Cursor = c
		return m
	case Commanding:
		m.command = Text{Value: value, Cursor: c}
		m.chosen = 0
		return m
	}
	m.search.Value, m.search.Cursor, m.search.Left = value, c, false
	return m
}
