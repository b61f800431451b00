package model

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Bound returns the table of keys with the user's bindings. A key that the user
// binds is removed from the default actions that it would conflict with.
func Bound(user map[Action][]string) []Binding {
	keys := slices.Clone(Bindings)
	for i := range keys {
		b := &keys[i]
		if k, ok := user[b.Action]; ok {
			b.bind(k)
			continue
		}
		if b.Context == InText || b.Context == InHelp {
			continue
		}
		b.bind(slices.DeleteFunc(slices.Clone(b.Keys()), func(key string) bool {
			return slices.ContainsFunc(Bindings, func(x Binding) bool {
				return (x.Context == Global || x.Context == b.Context) && slices.Contains(user[x.Action], key)
			})
		}))
	}
	return keys
}

// Clash finds two actions that the user has bound to the same key in the same
// context; key is "" if there are none.
func Clash(user map[Action][]string) (a, b Action, key string) {
	for i, x := range Bindings {
		for _, y := range Bindings[i+1:] {
			if x.Action == y.Action || x.Context != y.Context {
				continue
			}
			for _, k := range user[x.Action] {
				if slices.Contains(user[y.Action], k) {
					return x.Action, y.Action, k
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

// paneContexts are the contexts of the panes that have one.
var paneContexts = map[Pane]Context{PaneLogs: InLogs, PaneEvents: InEvents, PaneTimeline: InTimeline, PaneYAML: InYAML}

// contexts are the contexts in which keys are looked up now, most specific
// first.
func (k *keyboard) contexts() []Context {
	switch k.mode {
	case Filtering, Searching, Commanding:
		return []Context{InText}
	case Helping:
		return []Context{InHelp, Global}
	}
	var out []Context
	if k.played != nil {
		out = append(out, InReplay)
	}
	if k.focus == FocusTree { // the pane's keys work in the tree, too, unless the tree uses them
		out = append(out, InTree, Global)
	}
	if c, ok := paneContexts[k.pane]; ok && k.paneOpen() {
		out = append(out, c)
	}
	if k.focus == FocusPane {
		out = append(out, InPane, Global)
	}
	return out
}

// action is what a key does now.
func (k *keyboard) action(pressed fmt.Stringer) Action { return k.keys.in(k.contexts(), pressed) }

// bindings is a table of keys.
type bindings []Binding

// in is what a key does in the first of the contexts where it does something.
func (all bindings) in(contexts []Context, k fmt.Stringer) Action {
	for _, c := range contexts {
		for i := range all {
			if b := &all[i]; b.Context == c && key.Matches(k, b.Binding) {
				return b.Action
			}
		}
	}
	return ""
}

func (m Model) keyPressed(k tea.KeyPressMsg) tea.Cmd {
	if k.Code == tea.KeyEscape && k.Mod == tea.ModAlt {
		k.Mod = 0 // some terminals report two presses of Escape as alt+esc
	}
	m.lastKey, m.flash = m.w.Now, ""
	if m.mode == Helping && m.helpTyped(k) {
		return nil
	}
	a := m.action(k)
	switch {
	case a == "" && m.types():
		if !m.beside(k.String()) {
			m.typed(k)
		}
		return m.seek()
	case a == "":
		return nil
	}
	if a != Follow {
		m.following = false
	}
	if a == Quit && k.String() != "ctrl+c" && m.opened() {
		m.search = Search{}
		m.back()
		return nil
	}
	return m.act(a)
}

// helpTyped handles keys while the help is open: text filters the bindings. The
// key that opened the help closes it, and so does q, as long as no text has
// been typed.
func (k *keyboard) helpTyped(pressed tea.KeyPressMsg) bool {
	typed := k.input.Value() != ""
	switch key := pressed.String(); {
	case key == "esc" && typed:
		k.begin(Helping, "")
	case key == "backspace" || key == "ctrl+w", pressed.Text != "" && (typed || k.action(pressed) != Help && k.action(pressed) != Quit):
		k.typed(pressed)
	default:
		return false
	}
	return true
}

// opened reports whether q closes something; otherwise it quits.
func (k *keyboard) opened() bool {
	return k.mode == Helping || k.paneSize == PaneFull || k.focus == FocusPane
}

// back leaves what was opened last.
func (m Model) back() {
	switch {
	case m.mode == Helping:
		m.mode = Browsing
	case m.panes.back():
	case m.filter.text != "":
		m.setFilter("")
	case m.frozen != nil:
		m.pause()
	}
}

// act carries out an action.
func (m Model) act(a Action) (cmd tea.Cmd) {
	said := ""
	switch a {
	case MoveUp:
		m.scroll(-1)
	case MoveDown:
		m.scroll(1)
	case PageUp:
		m.scroll(-m.page())
	case PageDown:
		m.scroll(m.page())
	case HalfUp:
		m.scroll(-max(m.page()/2, 1))
	case HalfDown:
		m.scroll(max(m.page()/2, 1))
	case GoTop:
		m.scroll(-1 << 30)
	case GoBottom:
		m.scroll(1 << 30)
	case Collapse:
		said = m.collapse()
	case Expand:
		said = m.expand()
	case Toggle:
		said = m.toggle()
	case Open:
		if r := m.selectedRow(); r != nil && (r.kind == RowMore || r.kind == RowGroup) {
			said = m.toggle()
		} else {
			m.enter()
		}
	case Back:
		m.back()
	case NextProblem:
		said = m.nextMatch(1)
	case PrevProblem:
		said = m.nextMatch(-1)
	case ShowWhy:
		m.showPane(PaneWhy)
	case ShowConds:
		m.showPane(PaneConditions)
	case ShowEvents:
		m.showPane(PaneEvents)
	case ShowLogs:
		m.showPane(PaneLogs)
	case ShowYAML:
		m.showPane(PaneYAML)
	case ShowTimeline:
		m.showPane(PaneTimeline)
	case NextPane:
		m.showPane((m.pane + 1) % paneCount)
	case PrevPane:
		m.showPane((m.pane + paneCount - 1) % paneCount)
	case NextFocus, PrevFocus:
		m.switchFocus()
	case Filter:
		m.startTyping()
	case Accept:
		if m.mode == Commanding {
			return tea.Batch(m.runCommand(), m.seek())
		}
		m.keep()
	case Complete:
		if m.mode == Commanding {
			m.complete()
		} else {
			m.typed(tea.KeyPressMsg{Code: tea.KeyTab})
		}
		return m.seek()
	case Commands:
		m.begin(Commanding, "")
	case Cancel:
		m.cancelTyping()
	case FoldCurrent:
		said = m.foldAll(foldCurrent)
	case UnfoldAll:
		said = m.foldAll(foldNothing)
	case Scope:
		said = m.nextScope()
	case Follow:
		m.following = !m.following
		m.touched = m.touched || m.following
	case Pause:
		m.pause()
	case CopyName:
		return m.copied("name")
	case CopyMenu:
		m.begin(Commanding, "copy ")
	case CopyNext:
		return m.copied("command")
	case Report:
		return m.saveReport("md")
	case Notify:
		m.notifying = !m.notifying
		if said = "will not notify you"; m.notifying {
			said = "will notify you when it is done or failed"
		}
	case JumpOwner:
		m.toParent()
	case Bigger:
		m.resize(min(m.paneSize+1, PaneFull))
	case Smaller:
		m.resize(max(m.paneSize, 1) - 1)
	case Wrap:
		m.wrap = !m.wrap
	case Earlier:
		said, m.tops[PaneTimeline] = m.along(-1), 0
	case Later:
		said, m.tops[PaneTimeline] = m.along(1), 0
	case MarkMoment:
		said = m.markMoment()
	case LanesOrList:
		m.form = (m.form + 1) % timelineForms
	case WholeSet:
		m.whole, m.moment = !m.whole, 0
	case FoldLess:
		said = m.yaml.foldLevel(-1)
	case FoldMore:
		said = m.yaml.foldLevel(1)
	case FoldBlock:
		if len(m.yaml.lines) > 0 {
			if m.yaml.loose {
				m.moveLine(0)
			}
			m.yaml.turnHere(m.Detail().Shown)
		}
	case Warnings:
		m.warnings = !m.warnings
	case Leftward:
		said = m.logs.aside(-1, m.wrap)
	case Rightward:
		said = m.logs.aside(1, m.wrap)
	case Previous:
		m.logs.togglePrevious()
	case NextCont:
		m.logs.nextContainer()
	case AllPods:
		said = m.logs.toggleMerged()
	case Stamps:
		m.logs.stamps = (m.logs.stamps + 1) % stampWays
	case Save:
		return m.saveLogs()
	case Suspend:
		return tea.Suspend
	case Redraw:
		return tea.ClearScreen
	case Help:
		if m.mode == Helping {
			m.mode = Browsing
		} else {
			m.begin(Helping, "")
		}
	case Quit:
		return tea.Quit
	case Group:
		said = m.groupBy(after(Groupings, m.group))
	case Sort:
		said = m.sortBy(after(Sortings, m.sort), m.reversed)
	case Reverse:
		said = m.sortBy(m.sort, !m.reversed)
	case PlayPause, Slower, Faster, PrevChange, NextChange, PrevMark, NextMark, Rewind, Forward, ToStart, ToEnd, FirstFailure, CauseStart:
		said, cmd = m.control(a)
	}
	m.say(said)
	return cmd
}

// nextMatch goes to the next problem, or in a pane with a search to the next
// match.
func (k *keyboard) nextMatch(by int) (said string) {
	if k.focus == FocusPane && k.search.Text != "" {
		k.search.Step += by
		k.search.Left = false
		return ""
	}
	return k.next(by)
}

// pause freezes the picture, or resumes it.
func (t *tree) pause() {
	if t.frozen != nil {
		t.frozen = nil
		t.stale = true
		return
	}
	t.arrangeRows(false)
	told, toldOf := t.Told()
	t.frozen = &picture{
		told: told, toldOf: toldOf, verdict: t.Verdict(), counts: t.Counts(), assumed: t.Assumed(), generated: t.GeneratedCounts(),
		connection: t.Connection(), causes: t.Causes(), more: t.MoreCauses(), world: t.w.Still(), rows: slices.Clone(t.rows),
	}
}
