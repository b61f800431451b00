package model

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
)

// Bound returns the table of keys with the user's bindings. A key that the user
// binds is removed from the default actions that it would conflict with.
func Bound(user map[Action][]string) []Binding {
	keys := slices.Clone(Bindings)
	for i := range keys {
		b := &keys[i]
		switch k, ok := user[b.Action]; {
		case ok:
			b.bind(k)
		case b.Context != InText:
			b.bind(slices.DeleteFunc(slices.Clone(b.Keys()), func(key string) bool {
				return slices.ContainsFunc(Bindings, func(x Binding) bool {
					return (x.Context == Global || x.Context == b.Context) && slices.Contains(user[x.Action], key)
				})
			}))
		}
	}
	return keys
}

// Clash finds two actions that the user has bound to the same key in the same
// context; key is "" if there are none.
func Clash(user map[Action][]string) (a, b Action, key string) {
	for i, x := range Bindings {
		for _, y := range Bindings[:i] {
			for _, k := range user[x.Action] {
				if x.Context == y.Context && x.Action != y.Action && slices.Contains(user[y.Action], k) {
					return y.Action, x.Action, k
				}
			}
		}
	}
	return "", "", ""
}

// Keys is the table of keys as they are bound. Those of a replay are only
// included while one is played; it is paused instead of frozen.
func (k *keyboard) Keys() []Binding {
	return slices.DeleteFunc(slices.Clone(k.keys), func(b Binding) bool { return !k.offers(&b) })
}

// offers reports whether a binding is of use while a recording is played, or
// none is.
func (f *facts) offers(b *Binding) bool {
	if f.played == nil {
		return b.Context != InReplay
	}
	return b.Action != Pause
}

// contexts are the contexts in which keys are looked up now, most specific
// first.
func (k *keyboard) contexts() []Context {
	switch k.mode {
	case Filtering, Searching, Commanding:
		return []Context{InText}
	case Helping:
		return []Context{Global}
	}
	var out []Context
	if k.played != nil {
		out = append(out, InReplay)
	}
	if k.focus == FocusTree { // the pane's keys work in the tree, too, unless the tree uses them
		out = append(out, InTree, Global)
	}
	if k.paneOpen() {
		out = append(out, Panes[k.pane].Keys)
	}
	if k.focus == FocusPane {
		out = append(out, InPane, Global)
	}
	return out
}

// action is what a key does now.
func (k *keyboard) action(pressed fmt.Stringer) Action {
	return k.keys.in(k.contexts(), pressed).Action
}

// bindings is a table of keys.
type bindings []Binding

// in is the binding of a key in the first context where it does something.
func (all bindings) in(contexts []Context, k fmt.Stringer) Binding {
	for _, c := range contexts {
		for i := range all {
			if b := &all[i]; b.Context == c && key.Matches(k, b.Binding) {
				return *b
			}
		}
	}
	return Binding{}
}

func (m Model) keyPressed(k tea.KeyPressMsg) tea.Cmd {
	if k.Code == tea.KeyEscape && k.Mod == tea.ModAlt {
		k.Mod = 0 // some terminals report two presses of Escape as alt+esc
	}
	m.lastKey, m.flash = m.World.Now, ""
	if k.String() == "ctrl+c" { // whatever is open, or bound
		return quit(m)
	}
	if m.mode == Helping && m.helpTyped(k) {
		return nil
	}
	if m.copying {
		m.copying = false
		if copied, cmd := m.copyStep(k.String()); copied {
			return cmd
		}
	}
	b := m.keys.in(m.contexts(), k)
	if b.Action == "" {
		if m.types() && !m.beside(k.String()) {
			m.typed(k)
		}
		return nil
	}
	if b.Action != Follow {
		m.following = false
	}
	if b.Action == Quit && m.opened() {
		m.search = Search{}
		return m.back()
	}
	return b.run(m)
}

// helpTyped handles keys while the help is open: text filters the bindings. The
// key that opened the help closes it, and so does q, as long as no text has
// been typed.
func (k *keyboard) helpTyped(pressed tea.KeyPressMsg) bool {
	typed := k.input.Value() != ""
	switch key := pressed.String(); {
	case key == "esc" && typed:
		k.begin(Helping, "")
	case key == "tab" || key == "shift+tab": // the pane that they would open is covered
	case key == "backspace" || key == "ctrl+w", pressed.Text != "" && (typed || k.action(pressed) != Help && k.action(pressed) != Quit):
		k.typed(pressed)
	default:
		return false
	}
	return true
}

// opened reports whether q closes something; otherwise it quits.
func (k *keyboard) opened() bool { return k.mode == Helping || k.focus == FocusPane }

// back leaves what was opened last.
func (m Model) back() tea.Cmd {
	switch {
	case m.mode == Helping:
		m.mode = Browsing
	case m.searches():
		m.scroll(0) // the cursor stays in sight
		m.search = Search{}
	case m.focus == FocusPane:
		m.switchFocus()
	case m.settings.Filter.Text != "":
		m.setFilter("")
	default:
		return m.thaw()
	}
	return nil
}

// openRow leads to what is folded into the selected row, or to its pane.
func openRow(m Model) {
	if r := m.selectedRow(); r != nil && (r.Kind == rows.More || r.Kind == rows.Group || r.Kind == rows.Gap && r.Fold != rows.Leaf) {
		m.toggle()
	} else {
		m.enter()
	}
}

// accept ends an input.
func accept(m Model) tea.Cmd {
	if m.mode == Commanding {
		return m.runCommand()
	}
	m.keep()
	return nil
}

// completeText completes an input.
func (k *keyboard) completeText() {
	if k.mode == Commanding {
		k.complete()
	} else {
		k.typed(tea.KeyPressMsg{Code: tea.KeyTab})
	}
}

func (k *keyboard) toggleHelp() {
	if k.mode == Helping {
		k.mode = Browsing
	} else {
		k.begin(Helping, "")
	}
}

func quit(m Model) tea.Cmd {
	m.thaw() // the last words are about the present
	return tea.Quit
}

// nextMatch goes to the next problem, or in a pane with a search to the next
// match.
func (k *keyboard) nextMatch(by int) (said string) {
	if k.searches() {
		k.search.Step += by
		k.search.Left = false
		return ""
	}
	return k.next(by)
}

// pause freezes the picture, or thaws it.
func (m Model) pause() tea.Cmd {
	if !m.frozen {
		m.frozen = true
		return nil
	}
	return m.thaw()
}

// thaw takes in the batches that have waited.
func (m Model) thaw() tea.Cmd {
	var cmds []tea.Cmd
	missed := m.missed
	m.frozen, m.missed = false, nil
	for _, b := range missed {
		cmds = append(cmds, m.takeBatch(b), m.conclude())
	}
	if len(missed) >= mostMissed {
		cmds = append(cmds, m.ask.nextBatch(missed[len(missed)-1].Seq))
	}
	return tea.Batch(cmds...)
}
