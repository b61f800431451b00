package model

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
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
func (k *Keyboard) Keys() []Binding {
	return slices.DeleteFunc(slices.Clone(k.keys), func(b Binding) bool { return !k.intake.offers(&b) })
}

// offers reports whether a binding is of use while a recording is played, or
// none is.
func (f *Intake) offers(b *Binding) bool {
	if f.played == nil {
		return b.Context != InReplay
	}
	return b.Action != Pause
}

// contexts are the contexts in which keys are looked up now, most specific
// first.
func (k *Keyboard) contexts() []Context {
	switch k.mode {
	case Filtering, Searching, Commanding:
		return []Context{InText}
	case Helping:
		return []Context{Global}
	}
	var out []Context
	if k.intake.played != nil {
		out = append(out, InReplay)
	}
	if k.panes.focus == FocusTree { // the pane's keys work in the tree, too, unless the tree uses them
		out = append(out, InTree, Global)
	}
	if k.panes.paneOpen() {
		out = append(out, OwnKeys(k.panes.pane))
	}
	if k.panes.focus == FocusPane {
		out = append(out, InPane, Global)
	}
	return out
}

// action is what a key does now.
func (k *Keyboard) action(pressed fmt.Stringer) Action {
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

func (m *Model) keyPressed(k tea.KeyPressMsg) tea.Cmd {
	if k.Code == tea.KeyEscape && k.Mod == tea.ModAlt {
		k.Mod = 0 // some terminals report two presses of Escape as alt+esc
	}
	m.Tree.lastKey, m.Display.flash = m.Facts.World.Tree.Now, ""
	if k.String() == "ctrl+c" { // whatever is open, or bound
		return quit(m)
	}
	if m.Keyboard.mode == Helping && m.Keyboard.helpTyped(k) {
		return nil
	}
	if m.Keyboard.copying {
		m.Keyboard.copying = false
		if copied, cmd := m.copyStep(k.String()); copied {
			return cmd
		}
	}
	if m.Keyboard.offersCommand(k.String()) {
		m.Tree.pin()
		return nil
	}
	b := m.Keyboard.keys.in(m.Keyboard.contexts(), k)
	if b.Action == "" {
		if m.Keyboard.types() && !m.beside(k.String()) {
			m.Keyboard.typed(k)
		}
		return nil
	}
	if b.Action != Follow {
		m.Tree.following = false
	}
	if b.aboutRow() {
		m.Tree.pin()
	}
	if b.Action == Quit && m.Keyboard.opened() {
		m.Panes.search = panes.Search{}
		return m.back()
	}
	return b.run(m)
}

// aboutRow reports whether keys do something with the selected row, or show more of it. The row
// must stay selected then: the next key is meant for it, too.
func (b *Binding) aboutRow() bool {
	own := slices.ContainsFunc(panes.Titles(), func(t panes.Title) bool { return t.Show == b.Action })
	for i := range panes.Titles() {
		own = own || b.Context == OwnKeys(Pane(i))
	}
	return own || slices.Contains([]Action{
		"copy-step", "copy-name", CopyMenu, "copy-command", "k9s", "view", "mute",
	}, b.Action)
}

// helpTyped handles keys while the help is open: text filters the bindings. The
// key that opened the help closes it, and so does q, as long as no text has
// been typed.
func (k *Keyboard) helpTyped(pressed tea.KeyPressMsg) bool {
	typed := k.input.Value() != ""
	switch key := pressed.String(); {
	case key == "esc" && typed:
		k.begin(Helping, "")
	case !typed && slices.Contains([]string{"j", "k", "g", "G"}, key):
		return false // they scroll, as everywhere
	case key == "tab" || key == "shift+tab": // the pane that they would open is covered
	case key == "backspace" || key == "ctrl+w",
		pressed.Text != "" && (typed || k.action(pressed) != Help && k.action(pressed) != Quit):
		k.typed(pressed)
	default:
		return false
	}
	return true
}

// opened reports whether q closes something; otherwise it quits.
func (k *Keyboard) opened() bool { return k.mode == Helping || k.panes.focus == FocusPane }

// back leaves what was opened last.
func (m *Model) back() tea.Cmd {
	switch {
	case m.Keyboard.mode == Helping:
		m.Keyboard.mode = Browsing
	case m.Panes.searches():
		m.scroll(0) // the cursor stays in sight
		m.Panes.search = panes.Search{}
	case m.Panes.focus == FocusPane:
		m.Panes.switchFocus()
	case m.Tree.settings.Filter.Text != "":
		m.Tree.setFilter("")
	default:
		return m.thaw()
	}
	return nil
}

// openRow leads to what is folded into the selected row, or to its pane.
func openRow(m *Model) {
	if r := m.Tree.selectedRow(); r != nil &&
		(r.Kind == rows.More || r.Kind == rows.Group || r.Kind == rows.Gap && r.Fold != rows.Leaf) {
		m.Tree.toggle()
	} else {
		m.Panes.enter()
	}
}

// accept ends an input.
func accept(m *Model) tea.Cmd {
	if m.Keyboard.mode == Commanding {
		return m.runCommand()
	}
	m.Keyboard.keep()
	return nil
}

// completeText completes an input.
func (k *Keyboard) completeText() {
	if k.mode == Commanding {
		k.complete()
	} else {
		k.typed(tea.KeyPressMsg{Code: tea.KeyTab})
	}
}

func (k *Keyboard) toggleHelp() {
	if k.mode == Helping {
		k.mode = Browsing
	} else {
		k.begin(Helping, "")
	}
}

func quit(m *Model) tea.Cmd {
	m.thaw() // the last words are about the present
	return tea.Quit
}

// nextMatch goes to the next problem, or in a pane with a search to the next
// match.
func (k *Keyboard) nextMatch(by int) (answer string) {
	if k.panes.searches() {
		k.panes.search.Step += by
		k.panes.search.Left = false
		return ""
	}
	answer = k.tree.next(by)
	k.panes.card = k.tree.stopped
	return answer
}

// pause freezes the picture, or thaws it.
func (m *Model) pause() tea.Cmd {
	if !m.Intake.frozen {
		m.Intake.frozen = true
		return nil
	}
	return m.thaw()
}

// thaw takes in the batches that have waited.
func (m *Model) thaw() tea.Cmd {
	var cmds []tea.Cmd
	missed := m.Intake.missed
	m.Intake.frozen, m.Intake.missed = false, nil
	for _, b := range missed {
		cmds = append(cmds, m.takeBatch(b), m.announce())
	}
	if len(missed) >= mostMissed {
		cmds = append(cmds, m.Intake.ask.nextBatch(missed[len(missed)-1].Seq))
	}
	return tea.Batch(cmds...)
}
