package model

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// hints is the footer as text.
func (p *play) hints() string {
	var out []string
	for _, b := range p.m.Keyboard.Footer() {
		out = append(out, b.Help().Key+" "+b.Help().Desc)
	}
	return strings.Join(out, ", ")
}

func TestTheFooterShowsTheKeysForTheLineInThePane(t *testing.T) {
	p := screen(t)
	_, _, pod, _, _, b := shop()
	p.batch(0, b)
	p.send(ClockTicked{at(3 * time.Second)})
	p.send(tea.WindowSizeMsg{Width: 100, Height: 30}) // the pane is closed
	look := func(what string, has, lacks []string) {
		t.Helper()
		got := p.hints()
		for _, w := range has {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in %q", what, w, got)
			}
		}
		for _, w := range lacks {
			if strings.Contains(got, w) {
				t.Errorf("%s: %q in %q", what, w, got)
			}
		}
	}
	p.keys("g")
	look("a Deployment that is stuck", []string{"1 why", "4 logs", "space fold", "n next problem", "C copy", "f follow", "? help", "q quit"}, []string{"unfold", "J owner", "3 events"})
	p.keys("space")
	look("folded", []string{"space unfold"}, nil)
	p.keys("space")
	for range p.m.Tree.RowCount() {
		if p.m.Tree.selectedFold() != rows.Leaf {
			p.keys("down")
		}
	}
	look("a leaf", []string{"J owner"}, []string{"fold"})
	p.keys("g", "1")
	look("its why is read", []string{"4 logs", "q close"}, []string{"1 why", "q quit"})
	p.keys("4")
	look("its log is read, and it has never restarted", []string{"1 why"}, []string{"4 logs", "previous instance"})
	p.batch(time.Second, feed.Batch{Objects: []*object.Object{
		again(pod, func(o *object.Object) { o.Pod.Containers[0].Restarts = 1 }),
	}, Synced: true})
	look("it has restarted", []string{"p previous instance", "1 why"}, []string{"4 logs"})
	// A newcomer steps from problem to problem. What the pane can do comes next.
	if !strings.HasPrefix(p.hints(), "n next problem, p previous instance, ") {
		t.Errorf("the most helpful keys are not first: %s", p.hints())
	}
	p.keys("?")
	if got := p.hints(); got != "q close" {
		t.Errorf("with the help open: %s", got)
	}
	p.keys("w") // all other keys are text to search for
	if got := p.hints(); got != "" {
		t.Errorf("with a text in the help: %s", got)
	}
}

func TestTheFooterOfAHealthySetOffersNoProblem(t *testing.T) {
	p := screen(t)
	calm := &object.Object{ID: object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "settings"}, UID: "1", Created: t0}
	p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{{ID: calm.ID}}, Objects: []*object.Object{calm}})
	for pane, words := range map[string][]string{
		"1": {"why", "logs", "problem", "follow", "copy"},
		"3": {"warnings"}, "4": {"previous", "container", "all pods"}, // it has no events and no logs
	} {
		p.keys(pane)
		for _, w := range words {
			if got := p.hints(); strings.Contains(got, w) {
				t.Errorf("pane %s: %q in %q", pane, w, got)
			}
		}
	}
}

func TestEveryKeyInTheFooterRunsTheActionBesideIt(t *testing.T) {
	p := screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	for _, keys := range []string{"1", "3", "4", "5", "6"} {
		for _, focus := range []string{"esc", "tab"} {
			p.keys("g", keys, focus)
			for _, b := range p.m.Keyboard.Footer() {
				if does := p.m.Keyboard.action(keyName(b.Help().Key)); does != b.Action {
					t.Errorf("pane %s, after %s: %s is to %s, but does %s", keys, focus, b.Help().Key, b.Help().Desc, does)
				}
			}
		}
	}
}

// A key that turns something says what it does now.
func TestTheFooterNamesTheNextEffectOfAToggle(t *testing.T) {
	p, _, pod, _ := calmShop(t)
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{
		again(pod, func(o *object.Object) { o.Pod.Containers[0].Restarts = 1 }),
	}, Synced: true})
	says := func(keys string, words ...string) {
		t.Helper()
		p.keys(strings.Fields(keys)...)
		hints := strings.Split(p.hints(), ", ")
		for _, w := range words {
			if !slices.Contains(hints, w) {
				t.Errorf("after %s: no %q in %q", keys, w, hints)
			}
		}
	}
	says("tab", "M one that fails", "p previous instance", ". freeze", "q close")
	says("M", "M all pods together")
	says("p", "p present instance")
	says("p", "p previous instance")
	says(".", ". thaw")
	says(".", ". freeze")
	says("/ w e b enter", "n next match")
	says("esc tab", "q quit")

	// The log of one container of one Pod is neither merged nor left for another.
	p.keys("esc", "esc", "Z", "G", "4")
	if k, _ := p.m.Tree.Selected(); k.ID.Kind != "Pod" {
		t.Fatalf("%v is selected", k)
	}
	for h := range strings.SplitSeq(p.hints(), ", ") {
		if strings.HasPrefix(h, "M ") || strings.HasPrefix(h, "v ") {
			t.Errorf("the log of one container: %q in %q", h, p.hints())
		}
	}

	p = screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	says("g 1 tab", "n next problem")
	says("/ w e b enter", "n next match")
	says("tab", "n next problem") // the search is the pane's
}
