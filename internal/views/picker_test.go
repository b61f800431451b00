package views

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func TestThePickerNarrowsDownMovesAndChooses(t *testing.T) {
	p := newPicker("Which?", [][]string{
		{"shop", "flux/ks/apps"},
		{"shop", "helm/web"},
		{"infra", "helm/dns"},
		{"infra", "flux/ks/infra"},
	}, func(dark, few bool) *Theme { th, _ := Themes{Few: few}.New("auto", dark, false); return th })
	p.Update(tea.WindowSizeMsg{Width: 40, Height: 6})
	press := func(keys ...tea.KeyPressMsg) {
		for _, k := range keys {
			p.Update(k)
		}
	}
	typed := func(s string) {
		for _, r := range s {
			press(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	down := tea.KeyPressMsg{Code: tea.KeyDown}
	press(down, down, down, down, down)
	if got := ansi.Strip(p.View().Content); !strings.Contains(got, "> infra  flux/ks/infra") ||
		strings.Contains(got, "flux/ks/apps") || !strings.Contains(got, "4 of 4") {
		t.Errorf("the last line is not chosen, or the list does not scroll:\n%s", got)
	}
	typed("helm in")
	if got := ansi.Strip(p.View().Content); !strings.Contains(got, "> infra  helm/dns") ||
		!strings.Contains(got, "1 of 4") {
		t.Errorf("not narrowed down:\n%s", got)
	}
	dark := p.View().Content
	p.Update(tea.BackgroundColorMsg{Color: color.White})
	if light := p.View().Content; light == dark ||
		ansi.Strip(light) != ansi.Strip(dark) || !strings.Contains(dark, "48;2;38;48;74") {
		t.Errorf("not drawn by the theme:\n%q\n%q", dark, light)
	}
	typed("zzz")
	press(tea.KeyPressMsg{Code: tea.KeyEnter})
	if p.chosen != -1 {
		t.Error("nothing fits, and something was chosen")
	}
	press(tea.KeyPressMsg{Code: tea.KeyBackspace},
		tea.KeyPressMsg{Code: tea.KeyBackspace}, tea.KeyPressMsg{Code: tea.KeyBackspace})
	press(tea.KeyPressMsg{Code: tea.KeyEnter})
	if p.chosen != 2 || p.View().Content != "" {
		t.Errorf("chosen %d, left on the screen: %q", p.chosen, p.View().Content)
	}
}
