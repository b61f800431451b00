package model

import (
	"slices"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/filter"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
)

// Keyboard is what keys mean at present, and the text that is typed.
type Keyboard struct {
	facts  *known.Facts
	intake *Intake
	tree   *Tree
	panes  *Panes
	keys   bindings

	mode         Mode
	input        textinput.Model // the text input of the mode
	filterBefore string          // the filter before it was edited
	commandError string          // why the palette's command is not possible
	chosen       int             // index of the chosen suggestion
	help         []markup.Line   // the help window's lines
	helpTop      int             // the first in sight
	searched     []string        // earlier searches, newest first
	sources      []string        // the palette's proposals
	sought       bool            // they have been requested
	spaces       []string        // the cluster's namespaces, for the palette
	soughtSpaces bool            // they have been requested
	reopening    bool            // another session is beginning
	copying      bool            // the next key is the digit of a command to copy
}

// Mode is the input mode.
func (k *Keyboard) Mode() Mode { return k.mode }

// Input is the text input of a Mode that has one.
func (k *Keyboard) Input() textinput.Model { return k.input }

// page is how far a key pages.
func (k *Keyboard) page() int {
	rows := k.tree.window
	switch {
	case k.mode == Helping:
		rows = k.helpRows()
	case k.panes.focus == FocusPane:
		rows = k.panes.rows
	}
	return max(rows-1, 1)
}

// begin begins an input with the cursor at its end.
func (k *Keyboard) begin(mode Mode, value string) {
	in := textinput.New()
	in.Prompt = ""
	in.SetVirtualCursor(false)        // the terminal's own cursor is used
	in.KeyMap.Paste.SetEnabled(false) // it would run a program; terminals paste by themselves
	in.ShowSuggestions = true
	// Without a suggestion both leave the index at -1, which the next frame reads
	// (bubbles v2.2.1); the palette moves between its own.
	in.KeyMap.NextSuggestion.SetEnabled(false)
	in.KeyMap.PrevSuggestion.SetEnabled(false)
	in.SetValue(value)
	in.Focus()
	k.mode, k.input, k.commandError, k.chosen = mode, in, "", atPresent
	k.helpTop = 0
	k.propose()
}

// command begins a command of the palette.
func (k *Keyboard) command(text string) { k.begin(Commanding, text) }

// propose sets what the text may be completed to: the last term of a filter, an
// earlier search, the chosen command.
func (k *Keyboard) propose() {
	switch k.mode {
	case Filtering:
		k.input.SetSuggestions(filter.Completions(k.facts.World, k.input.Value()))
	case Searching:
		k.input.SetSuggestions(k.searched)
	case Commanding:
		if p := k.Palette(); len(p.Suggestions) > 0 && k.input.Value() != "" {
			k.input.SetSuggestions([]string{p.Suggestions[p.Chosen].Text})
		} else {
			k.input.SetSuggestions(nil)
		}
	}
}

// completion is what the text can be completed to, or "".
func (k *Keyboard) completion() string {
	if s := k.input.CurrentSuggestion(); k.types() && len(s) > len(k.input.Value()) {
		return s
	}
	return ""
}

// keep ends an input whose text holds.
func (k *Keyboard) keep() {
	if text := k.panes.search.Text; k.mode == Searching && text != "" {
		k.searched = slices.Insert(slices.DeleteFunc(k.searched, func(s string) bool { return s == text }), 0, text)
		k.searched = k.searched[:min(len(k.searched), searchesKept)]
	}
	k.mode = Browsing
}

// searchesKept bounds the earlier searches.
const searchesKept = 20

// types reports whether keys are text.
func (k *Keyboard) types() bool {
	return k.mode == Filtering || k.mode == Searching || k.mode == Commanding
}

// startTyping begins a filter, or a search in the focused pane.
func (k *Keyboard) startTyping() {
	if k.panes.focus == FocusPane {
		k.begin(Searching, k.panes.search.Text)
		return
	}
	k.begin(Filtering, k.tree.settings.Filter.Text)
	k.filterBefore = k.tree.settings.Filter.Text
}

func (k *Keyboard) cancelTyping() {
	switch k.mode {
	case Filtering:
		k.tree.setFilter(k.filterBefore)
	case Searching:
		k.panes.search = panes.Search{}
	}
	k.mode = Browsing
}

// Edit is a text input after a key or pasted text. What cannot be seen does not
// get in: it could reorder or hide the line. A key that the library fails on
// (bubbles v2.2.1: alt+d on the last character) does nothing.
func Edit(input textinput.Model, msg tea.Msg) (after textinput.Model) {
	switch m := msg.(type) {
	case tea.PasteMsg:
		m.Content = strings.Map(visible, m.Content)
		msg = m
	case tea.KeyPressMsg:
		m.Text = strings.Map(visible, m.Text)
		msg = m
	}
	after = input
	defer func() {
		if recover() != nil {
			after = input
		}
	}()
	after, _ = input.Update(msg)
	return after
}

// visible is the rune, a space for white space, or -1 for what cannot be seen.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsGraphic(r):
		return r
	}
	return -1
}

// typed passes a key or pasted text to the text input.
func (k *Keyboard) typed(msg Msg) {
	before := k.input.Value()
	k.input = Edit(k.input, msg)
	text := k.input.Value()
	if text == before {
		return
	}
	k.commandError, k.chosen = "", atPresent
	k.helpTop = 0
	switch k.mode {
	case Filtering:
		k.tree.setFilter(text)
	case Searching:
		k.panes.search.Text, k.panes.search.Left = text, false
	}
	k.propose()
}

// beside handles the keys that scroll beside the text input.
func (m *Model) beside(key string) bool {
	by := map[string]int{"up": -1, "down": 1}[key]
	switch {
	case by != 0 && m.Keyboard.mode == Filtering:
		m.scroll(by)
	case by != 0 && m.Keyboard.mode == Commanding:
		if n := len(m.Keyboard.suggestions()); n > 0 {
			m.Keyboard.chosen = (m.Keyboard.Palette().Chosen + by + n) % n
			m.Keyboard.propose()
		}
	default:
		return false
	}
	return true
}
