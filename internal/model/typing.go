package model

import "charm.land/bubbles/v2/textinput"

// keyboard is what keys mean at present, and the text that is typed.
type keyboard struct {
	*tree
	*panes
	keys bindings

	mode         Mode
	input        textinput.Model // the text input of the mode
	filterBefore string          // the filter before it was edited
	commandError string          // why the palette's command is not possible
	chosen       int             // index of the chosen suggestion
	helpTop      int
	sources      []string // the palette's proposals
	sought       bool     // they have been requested
	reopening    bool     // another session is beginning
}

// Mode is the input mode.
func (k *keyboard) Mode() Mode { return k.mode }

// Input is the text input of a Mode that has one.
func (k *keyboard) Input() textinput.Model { return k.input }

// HelpScroll is the first visible line of the help. The view limits it to the
// help's length.
func (k *keyboard) HelpScroll() int { return k.helpTop }

// begin begins an input with the cursor at its end.
func (k *keyboard) begin(mode Mode, value string) {
	in := textinput.New()
	in.Prompt = ""
	in.SetVirtualCursor(false)        // the terminal's own cursor is used
	in.KeyMap.Paste.SetEnabled(false) // it would run a program; terminals paste by themselves
	in.SetValue(value)
	in.Focus()
	k.mode, k.input, k.commandError, k.chosen, k.helpTop = mode, in, "", 0, 0
}

// types reports whether keys are text.
func (k *keyboard) types() bool {
	return k.mode == Filtering || k.mode == Searching || k.mode == Commanding
}

// startTyping begins a filter, or a search in the focused pane.
func (k *keyboard) startTyping() {
	if k.focus == FocusPane {
		k.begin(Searching, k.search.Text)
		return
	}
	k.begin(Filtering, k.filter.text)
	k.filterBefore = k.filter.text
}

func (k *keyboard) cancelTyping() {
	switch k.mode {
	case Filtering:
		k.setFilter(k.filterBefore)
	case Searching:
		k.search = Search{}
	}
	k.mode = Browsing
}

// typed passes a key or pasted text to the text input.
func (k *keyboard) typed(msg Msg) {
	before := k.input.Value()
	k.input, _ = k.input.Update(msg)
	text := k.input.Value()
	if text == before {
		return
	}
	k.commandError, k.chosen, k.helpTop = "", 0, 0
	switch k.mode {
	case Filtering:
		k.setFilter(text)
	case Searching:
		k.search.Text, k.search.Left = text, false
	}
}

// beside handles the keys that scroll beside the text input.
func (m Model) beside(key string) bool {
	by := map[string]int{"up": -1, "down": 1}[key]
	switch {
	case by != 0 && m.mode == Filtering:
		m.scroll(by)
	case by != 0 && m.mode == Commanding:
		if n := len(m.suggestions()); n > 0 {
			m.chosen = (min(m.chosen, n-1) + by + n) % n
		}
	case key == "tab" && m.mode == Commanding:
		m.complete()
	default:
		return false
	}
	return true
}
