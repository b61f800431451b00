package model

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// footer lists the actions of the footer, the most helpful first. Help and Quit
// are always shown.
var footer = []Action{
	Accept, Cancel,
	PlayPause, NextMark,
	Previous, NextCont, AllPods, Warnings, FoldBlock, MarkMoment, WholeSet,
	ShowWhy, ShowLogs, ShowEvents, Toggle, Open, NextProblem, Filter, CopyMenu, JumpOwner,
	Follow, Pause, Commands, Help, Quit,
}

// Footer returns the keys that help with what is selected, in the order of their
// use, each with a few words.
func (m Model) Footer() []Binding {
	if m.mode == Commanding {
		return nil // the palette shows its own keys
	}
	var out []Binding
	for _, a := range footer {
		b, bound := m.bound(a)
		if !bound || !m.helps(a) {
			continue
		}
		words, _, _ := strings.Cut(b.Help().Desc, " (")
		words, _, _ = strings.Cut(words, ",")
		switch {
		case a == Toggle && m.selectedFold() == Closed:
			words = "unfold"
		case a == CopyMenu:
			words = "copy"
		case a == JumpOwner:
			words = "owner"
		case a == Quit && m.opened():
			words = "close"
		}
		b.SetHelp(b.Help().Key, words)
		out = append(out, b)
	}
	return out
}

// bound returns the binding that an action has now, if it has one.
func (m Model) bound(a Action) (Binding, bool) {
	for _, c := range m.contexts() {
		for _, b := range m.keys {
			if b.Action == a && b.Context == c && b.Enabled() && m.offers(&b) {
				return b, true
			}
		}
	}
	return Binding{}, false
}

// helps reports whether an action of the footer is of use for what is selected.
func (m Model) helps(a Action) bool {
	n := m.seenNode()
	switch a {
	case Toggle:
		return m.selectedFold() != Leaf
	case Open:
		return n != nil
	case NextProblem:
		c := m.Counts()
		return c.Total() > c[status.Current] || m.search.Text != ""
	case ShowWhy:
		return m.stuck(n) && !m.shows(PaneWhy)
	case ShowLogs:
		return n != nil && !m.shows(PaneLogs) && hasPods(n)
	case ShowEvents:
		return m.stuck(n) && !m.shows(PaneEvents) && !hasPods(n)
	case CopyMenu:
		return m.stuck(n)
	case JumpOwner:
		return n != nil && n.Root == nil && n.Parent != nil
	case Follow:
		return m.Verdict().Status != status.Current
	}
	return true
}

// stuck reports whether there is an object that is not Current.
func (m Model) stuck(n *world.Node) bool { return n != nil && n.Assess.Status != status.Current }

// shows reports whether a pane is open.
func (m Model) shows(p Pane) bool { return m.paneOpen() && m.pane == p }

// hasPods reports whether n is a Pod or has Pods below it.
func hasPods(n *world.Node) bool {
	return !world.Walk(n, func(n *world.Node) bool { return n.Object == nil || n.Object.Pod == nil })
}

// selectedFold says whether the selected row is folded.
func (m Model) selectedFold() Fold {
	if r := m.selectedRow(); r != nil {
		return r.fold
	}
	return Leaf
}
