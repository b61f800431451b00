package model

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// footer lists the actions of the footer, the most helpful first. Help and Quit
// are always shown.
var footer = []Action{
	Accept, Complete, Cancel,
	PlayPause, NextMark,
	Proof, Previous, NextCont, AllPods, Warnings, FoldBlock, MarkMoment, WholeSet,
	ShowWhy, ShowLogs, ShowEvents, Toggle, Open, NextProblem, Filter, CopyMenu, JumpOwner,
	Follow, Pause, Commands, Help, Quit,
}

// Footer returns the keys that help with what is selected, in the order of their
// use, each with a few words.
func (m Model) Footer() []Binding {
	if m.mode == Commanding {
		return nil // the palette shows its own keys
	}
	// The actions that do the second of the two things that their words name.
	turned := map[Action]bool{
		Toggle:      m.selectedFold() == rows.Closed,
		Pause:       m.frozen,
		NextProblem: m.searches(),
		AllPods:     m.logs.Merged,
		Previous:    m.logs.Shown().Key.Previous,
		Quit:        m.opened(),
		Proof:       m.proofs,
	}
	var out []Binding
	for _, a := range footer {
		b, bound := m.Bound(a)
		if !bound || m.mode == Helping && (a != Quit || m.input.Value() != "") || !m.helps(a) {
			continue
		}
		words, _, _ := strings.Cut(b.Help().Desc, " (")
		words, other, _ := strings.Cut(words, ", or ")
		if turned[a] {
			words = other
		}
		words, _, _ = strings.Cut(words, ",")
		b.SetHelp(b.Help().Key, words)
		out = append(out, b)
	}
	return out
}

// Bound returns the binding that an action has now, with the first of its keys
// that does nothing else here; false if there is none.
func (k *keyboard) Bound(a Action) (Binding, bool) {
	contexts := k.contexts()
	for _, b := range k.keys {
		if b.Action != a || !k.offers(&b) || !slices.Contains(contexts, b.Context) {
			continue
		}
		for _, name := range b.Keys() {
			if k.keys.in(contexts, keyName(name)).Action == a {
				b.SetHelp(name, b.Help().Desc)
				return b, true
			}
		}
	}
	return Binding{}, false
}

// keyName is a key's name where a key is asked for.
type keyName string

func (k keyName) String() string { return string(k) }

// helps reports whether an action of the footer is of use for what is selected.
func (m Model) helps(a Action) bool {
	n := m.selectedNode()
	switch a {
	case Proof:
		return stuck(n)
	case Previous, NextCont, AllPods:
		return m.logs.Open()
	case Warnings:
		return m.warnings || n != nil && !world.Walk(n, func(n *world.Node) bool { return len(m.World.EventsOf(n)) == 0 })
	case Complete:
		return m.completion() != ""
	case Toggle:
		return m.selectedFold() != rows.Leaf
	case Open:
		return n != nil
	case NextProblem:
		c := m.Counts()
		return c.Total() > c[status.Current] || m.search.Text != ""
	case ShowWhy:
		return stuck(n) && !m.shows(PaneWhy)
	case ShowLogs:
		return n != nil && !m.shows(PaneLogs) && hasPods(n)
	case ShowEvents:
		return stuck(n) && !m.shows(PaneEvents) && !hasPods(n)
	case CopyMenu:
		return stuck(n)
	case JumpOwner:
		return n != nil && n.Root == nil && n.Parent != nil
	case Follow:
		return m.Verdict().Status != status.Current
	}
	return true
}

// stuck reports whether there is an object that is not Current.
func stuck(n *world.Node) bool { return n != nil && n.Assess.Status != status.Current }

// hasPods reports whether n is a Pod or has Pods below it.
func hasPods(n *world.Node) bool {
	return !world.Walk(n, func(n *world.Node) bool { return n.Object == nil || n.Object.Pod == nil })
}
