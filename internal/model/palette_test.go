package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (p *play) suggests() []string {
	var out []string
	for _, s := range p.m.Palette().Suggestions {
		out = append(out, s.Text)
	}
	return out
}

func (p *play) typesIn(text string) {
	for _, r := range text {
		p.send(KeyPressed{Key: string(r), Text: string(r)})
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
	if diff := cmp.Diff([]string{"group none", "group namespace", "group kind", "group status", "group cause"}, p.suggests()); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	p.keys("down", "down", "enter")
	if g := p.m.Grouping(); g != GroupKind || p.m.Mode() != Browsing {
		t.Errorf("grouped by %s, mode %d", g, p.m.Mode())
	}
	p.keys(":")
	p.typesIn("namespace to")
	p.keys("enter")
	if f := p.m.FilterText().Value; f != "ns=tools" {
		t.Errorf("filter %q", f)
	}
}

func TestThePaletteDoesWhatAnyKeyDoes(t *testing.T) {
	p := screen(t)
	p.keys(":")
	p.typesIn("tim")
	if s := p.m.Palette().Suggestions; len(s) == 0 || s[0].Text != "timeline" || s[0].Key != "6" {
		t.Fatalf("suggested: %+v", s)
	}
	p.keys("enter")
	if p.m.Pane() != PaneTimeline {
		t.Errorf("pane %d", p.m.Pane())
	}
	p.keys(":")
	p.typesIn("theme")
	p.keys("enter")
	if v := p.m.Palette(); v.Value != "theme " || p.m.Mode() != Commanding {
		t.Errorf("enter on a verb asks for its argument: %+v", v)
	}
	p.keys("esc")
	if p.m.Mode() != Browsing {
		t.Error("esc does not close it")
	}
}

func TestThePaletteSaysWhatItCannotDo(t *testing.T) {
	p := screen(t)
	p.keys(":")
	p.typesIn("sort sideways")
	p.keys("enter")
	if v := p.m.Palette(); v.Error != "there is no sort sideways" || p.m.Mode() != Commanding {
		t.Errorf("%+v", v)
	}
	p.keys("ctrl+u")
	p.typesIn("frobnicate")
	p.keys("enter")
	if v := p.m.Palette(); v.Error != "no such command" {
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
		if b.Context == InText || b.Context == InHelp || b.Action == Commands {
			continue
		}
		if n := seen[string(b.Action)] + seen[string(b.Action)+" "]; n != 1 {
			t.Errorf("%s is there %d times", b.Action, n)
		}
	}
}
