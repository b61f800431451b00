package model

import (
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

// contexts are the contexts in which keys are looked up now, most specific
// first.
func (m Model) contexts() []Context {
	switch m.mode {
	case Filtering, Searching, Commanding:
		return []Context{InText}
	case Helping:
		return []Context{InHelp, Global}
	}
	if m.play.played != nil {
		return append([]Context{InReplay}, m.browsing()...)
	}
	return m.browsing()
}

// browsing are the contexts of the focused part.
func (m Model) browsing() []Context {
	if m.focus == FocusTree {
		// The pane's keys work in the tree, too, unless the tree uses them.
		return append([]Context{InTree, Global}, m.paneContext()...)
	}
	return append(m.paneContext(), InPane, Global)
}

// paneContext is the context of the open pane.
func (m Model) paneContext() []Context {
	if !m.paneOpen() {
		return nil
	}
	switch m.pane {
	case PaneLogs:
		return []Context{InLogs}
	case PaneEvents:
		return []Context{InEvents}
	case PaneTimeline:
		return []Context{InTimeline}
	case PaneYAML:
		return []Context{InYAML}
	}
	return nil
}

func (m Model) action(k tea.KeyPressMsg) Action {
	for _, c := range m.contexts() {
		for i := range m.keys {
			if b := &m.keys[i]; b.Context == c && key.Matches(k, b.Binding) {
				return b.Action
			}
		}
	}
	return ""
}

func (m Model) keyPressed(k tea.KeyPressMsg) (Model, tea.Cmd) {
	if k.Code == tea.KeyEscape && k.Mod == tea.ModAlt {
		k.Mod = 0 // some terminals report two presses of Escape as alt+esc
	}
	m.t.lastKey = m.w.Now
	m.flash = ""
	if m.mode == Helping {
		if next, ok := m.helpTyped(k); ok {
			return next, nil
		}
	}
	a := m.action(k)
	if a == "" {
		if m.mode == Filtering || m.mode == Searching || m.mode == Commanding {
			if next, ok := m.beside(k.String()); ok {
				return next.seek()
			}
			return m.typed(k).seek()
		}
		return m, nil
	}
	if m.following && a != Follow {
		m.following = false
	}
	if a == Quit && k.String() != "ctrl+c" && m.opened() {
		m.search = Search{}
		return m.back(), nil
	}
	return m.act(a)
}

// act carries out an action.
func (m Model) act(a Action) (Model, tea.Cmd) {
	switch a {
	case MoveUp:
		m = m.move(-1)
	case MoveDown:
		m = m.move(1)
	case PageUp:
		m = m.move(-m.page())
	case PageDown:
		m = m.move(m.page())
	case HalfUp:
		m = m.move(-max(m.page()/2, 1))
	case HalfDown:
		m = m.move(max(m.page()/2, 1))
	case GoTop:
		m = m.move(-1 << 30)
	case GoBottom:
		m = m.move(1 << 30)
	case Collapse:
		m = m.collapse()
	case Expand:
		m = m.expand()
	case Toggle:
		m = m.toggle()
	case Open:
		m = m.open()
	case Back:
		m = m.back()
	case NextProblem:
		m = m.next(1)
	case PrevProblem:
		m = m.next(-1)
	case ShowWhy:
		m = m.showPane(PaneWhy)
	case ShowConds:
		m = m.showPane(PaneConditions)
	case ShowEvents:
		m = m.showPane(PaneEvents)
	case ShowLogs:
		m = m.showPane(PaneLogs)
	case ShowYAML:
		m = m.showPane(PaneYAML)
	case ShowTimeline:
		m = m.showPane(PaneTimeline)
	case NextPane:
		m = m.showPane((m.pane + 1) % paneCount)
	case PrevPane:
		m = m.showPane((m.pane + paneCount - 1) % paneCount)
	case NextFocus, PrevFocus:
		m = m.switchFocus()
	case Filter:
		m = m.startTyping()
	case Accept:
		if m.mode == Commanding {
			m, cmds := m.runCommand()
			m, more := m.seek()
			return m, tea.Batch(cmds, more)
		}
		m.mode = Browsing
	case Commands:
		m = m.openPalette("")
	case Cancel:
		m = m.cancelTyping()
	case FoldCurrent:
		m = m.foldAll(foldCurrent)
	case UnfoldAll:
		m = m.foldAll(foldNothing)
	case Scope:
		m = m.nextScope()
	case Follow:
		m.following = !m.following
		m.t.touched = m.t.touched || m.following
	case Pause:
		m = m.pause()
	case CopyName:
		return m.copyName()
	case CopyMenu:
		m = m.openPalette("copy ")
	case CopyNext:
		return m.copyNext()
	case Report:
		return m.saveReport("md")
	case Notify:
		m.notifying = !m.notifying
		if m.notifying {
			m = m.say("will notify you when it is done or failed")
		} else {
			m = m.say("will not notify you")
		}
	case JumpOwner:
		m = m.toParent()
	case Bigger:
		m.paneSize = min(m.paneSize+1, PaneFull)
		if m.paneSize == PaneFull {
			m.focus = FocusPane
		}
	case Smaller:
		m.paneSize = max(m.paneSize, 1) - 1
	case Wrap:
		m.wrap = !m.wrap
	case Earlier:
		m = m.along(-1)
	case Later:
		m = m.along(1)
	case MarkMoment:
		m = m.markMoment()
	case LanesOrList:
		m.timelineForm = (m.timelineForm + 1) % timelineForms
	case WholeSet:
		m.wholeTimeline, m.moment = !m.wholeTimeline, 0
	case FoldLess:
		m = m.foldLevel(-1)
	case FoldMore:
		m = m.foldLevel(1)
	case FoldBlock:
		m = m.turnHere()
	case Warnings:
		m.warnings = !m.warnings
	case Leftward:
		m = m.aside(-1)
	case Rightward:
		m = m.aside(1)
	case Previous:
		m = m.togglePrevious()
	case NextCont:
		m = m.nextContainer()
	case AllPods:
		m = m.toggleMerged()
	case Stamps:
		m.stamps = (m.stamps + 1) % stampWays
	case Save:
		return m.saveLogs()
	case Suspend:
		return m, tea.Suspend
	case Redraw:
		return m, tea.ClearScreen
	case Help:
		m = m.toggleHelp()
	case Quit:
		return m, tea.Quit
	case Group:
		m = m.groupBy(after(Groupings, m.t.group))
	case Sort:
		m = m.sortBy(after(Sortings, m.t.sort), m.t.reversed)
	case Reverse:
		m = m.sortBy(m.t.sort, !m.t.reversed)
	case PlayPause, Slower, Faster, PrevChange, NextChange, PrevMark, NextMark, Rewind, Forward, ToStart, ToEnd, FirstFailure, CauseStart:
		return m.control(a)
	}
	return m, nil
}

// pause freezes the picture, or resumes it.
func (m Model) pause() Model {
	if m.frozen != nil {
		m.frozen = nil
		m.t.stale = true
		return m
	}
	m.t.arrangeRows(m.w, false)
	told, toldOf := m.Told()
	p := &picture{told: told, toldOf: toldOf, verdict: m.Verdict(), counts: m.Counts(), assumed: m.Assumed(), generated: m.GeneratedCounts(), connection: m.Connection(), causes: m.Causes(), more: m.MoreCauses(), world: m.w.Still()}
	p.rows = slices.Clone(m.t.rows)
	m.frozen = p
	return m
}
