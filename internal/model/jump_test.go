package model

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// left is the last program that the screen was left for.
func left(p *play) (out *Leave) {
	for _, msg := range p.told {
		if l, ok := msg.(Leave); ok {
			out = &l
		}
	}
	p.told = nil
	return out
}

func TestKeysLeadToOtherProgramsAtTheSelectedObject(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Context: "prod", Commands: []UserCommand{
		{Name: "history", Key: "ctrl+t", Kinds: []string{"deployment"}, Run: []string{"kubectl", "--context", "{context}", "rollout", "history", "{kind}/{name}", "-n", "{namespace}"}},
		{Name: "words", Key: "ctrl+y", Run: []string{"echo", "two words", "$(whoami)"}},
		{Name: "only-pods", Key: "ctrl+x", Kinds: []string{"Pod"}, Run: []string{"true"}},
	}})
	p.send(rowsOn(120, 20))
	d := deployment("web", 2)
	p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}})
	p.told = nil

	p.keys("o")
	if l := left(p); l == nil || strings.Join(l.Run, " ") != "k9s --context prod --namespace shop --command deployment /web" {
		t.Errorf("k9s: %+v", l)
	}
	p.keys("e")
	if l := left(p); l == nil || l.Name != "deployment-web.yaml" || l.Text != "kind: Deployment\n" || len(l.Run) > 0 {
		t.Errorf("its YAML: %+v", l)
	}
	// A command of the user's is shown before it runs.
	p.keys("ctrl+t")
	const whole = "kubectl --context prod rollout history Deployment/web -n shop"
	shown := p.m.Keyboard.Palette().Suggestions
	if l := left(p); l != nil || len(shown) != 1 || shown[0].Hint != whole || !shown[0].Whole {
		t.Fatalf("ran %+v before it was shown: %+v", l, shown)
	}
	p.keys("esc")
	if l := left(p); l != nil {
		t.Errorf("cancelled, it ran: %+v", l)
	}
	p.keys("ctrl+t", "enter")
	if l := left(p); l == nil || strings.Join(l.Run, " ") != whole || !slices.Contains(l.Run, "Deployment/web") {
		t.Errorf("the user's command: %+v", l)
	}
	p.keys("ctrl+y") // no shell is in between: an argument is seen to be one
	if shown := p.m.Keyboard.Palette().Suggestions; len(shown) != 1 || shown[0].Hint != "echo 'two words' '$(whoami)'" {
		t.Errorf("shown as %+v", shown)
	}
	p.keys("esc", "ctrl+x")
	if l := left(p); l != nil || p.m.Keyboard.Mode() != Browsing {
		t.Errorf("a command for other kinds: %+v", l)
	}
	p.send(Returned{errors.New("k9s is not on the PATH")})
	if n := p.m.Facts.Notices(); len(n) == 0 || !strings.Contains(n[len(n)-1].Text, "not on the PATH") {
		t.Errorf("notices: %v", n)
	}
}
