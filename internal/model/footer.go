package model

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The actions of the footer, the most helpful first: those of the open pane come
// between. A narrow screen has room for the first four or five. Help and Quit are always shown.
var (
	footerFirst = []Action{Accept, Complete, Cancel, NextProblem, EnterTarget}
	footerLast  = []Action{
		ShowWhy, ShowLogs, ShowEvents, PlayPause, NextMark, Toggle, Open, Filter, CopyMenu, JumpOwner,
		Follow, Pause, Commands, Help, Quit,
	}
)

// Footer returns the keys that help with what is selected, in the order of their
// use, each with a few words.
func (k *Keyboard) Footer() (out []Binding) {
	if k.mode == Commanding {
		return nil // the palette shows its own keys
	}
	out = make([]Binding, 0, len(footerFirst)+len(footerLast)) // it is made for each frame
	add := func(a Action, label string) {
		b, bound := k.Bound(a)
		if !bound || k.mode == Helping && (a != Quit || k.input.Value() != "") {
			return
		}
		switch {
		case label == "" && k.turned(a):
			label = b.Turned
		case label == "":
			label = b.Label
		}
		b.SetHelp(b.Help().Key, label)
		out = append(out, b)
	}
	for _, a := range footerFirst {
		if k.helps(a) {
			add(a, "")
		}
	}
	for _, own := range k.panes.all[k.panes.pane].Keys() {
		if own.Label != "" {
			add(own.Action, own.Label)
		}
	}
	for _, a := range footerLast {
		if k.helps(a) {
			add(a, "")
		}
	}
	return out
}

// turned reports whether an action does the opposite of its label.
func (k *Keyboard) turned(a Action) bool {
	switch a {
	case Toggle:
		return k.tree.selectedFold() == rows.Closed
	case Pause:
		return k.intake.frozen
	case NextProblem:
		return k.panes.searches()
	case PlayPause:
		return k.intake.played != nil && k.intake.played.Paused
	case Quit:
		return k.opened()
	}
	return false
}

// Bound returns the binding that an action has now, with the first of its keys
// that does nothing else here; false if there is none.
func (k *Keyboard) Bound(a Action) (Binding, bool) {
	contexts := k.contexts()
	for _, b := range k.keys {
		if b.Action != a || !k.intake.offers(&b) || !slices.Contains(contexts, b.Context) {
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
func (k *Keyboard) helps(a Action) bool {
	n := k.tree.selectedNode()
	switch a {
	case EnterTarget:
		return k.panes.target >= 0
	case Complete:
		return k.completion() != ""
	case Toggle:
		return k.tree.selectedFold() != rows.Leaf
	case Open:
		return n != nil
	case NextProblem:
		return k.panes.search.Text != "" || len(k.tree.list.Problems(k.facts.Found, &k.tree.settings)) > 0
	case ShowWhy:
		return stuck(n) && !k.panes.shows(PaneWhy)
	case ShowLogs:
		return n != nil && !k.panes.shows(PaneLogs) && hasPods(n)
	case ShowEvents:
		return stuck(n) && !k.panes.shows(PaneEvents) && !hasPods(n)
	case CopyMenu:
		return stuck(n)
	case JumpOwner:
		return n != nil && n.Root == nil && n.Parent != nil
	case Follow:
		return k.facts.Verdict().Status != status.Current
	}
	return true
}

// stuck reports whether there is an object that is not Current.
func stuck(n *world.Node) bool { return n != nil && n.Assess.Status != status.Current }

// hasPods reports whether n is a Pod or has Pods below it.
func hasPods(n *world.Node) bool {
	return !world.Walk(n, func(n *world.Node) bool { return n.Object == nil || n.Object.Pod == nil })
}
