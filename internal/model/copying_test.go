package model

import (
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// copier is a model with a selected Deployment and two commands for it.
func copier(t *testing.T, steps ...explain.Step) *play {
	dep := deployment("web", 0)
	cause := explain.Cause{ID: "1", Title: "no", Class: explain.Action, Subject: explain.Subject{ID: dep.ID}, Objects: []object.ID{dep.ID}, Blocks: []object.ID{dep.ID}}
	for _, s := range steps {
		cause.Next = append(cause.Next, s.Command)
		if s.Mutates {
			cause.Changes = append(cause.Changes, s)
		}
	}
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return []explain.Cause{cause} }})
	p.send(rowsOn(120, 20))
	p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(dep)}, Objects: []*object.Object{dep}})
	return p
}

func TestADigitCopiesItsCommand(t *testing.T) {
	p := copier(t, explain.Step{Command: "kubectl describe deploy/web"},
		explain.Step{Command: "kubectl rollout restart deploy/web", Mutates: true, Does: "restarts it"})
	p.keys("up")
	for keys, want := range map[string]string{"y1": "kubectl describe deploy/web", "y2": "kubectl rollout restart deploy/web"} {
		p.keys(keys[:1], keys[1:])
		if got := p.clipboard(); got != want || !strings.Contains(p.m.Display.Flash(), want) {
			t.Errorf("%s copies %q and says %q", keys, got, p.m.Display.Flash())
		}
		if changes := strings.Contains(p.m.Display.Flash(), "changes the cluster"); changes != (keys == "y2") {
			t.Errorf("%s: %q", keys, p.m.Display.Flash())
		}
	}
	p.keys("y", "9")
	if !strings.Contains(p.m.Display.Flash(), "no command 9") {
		t.Errorf("y9: %q", p.m.Display.Flash())
	}
	if p.keys("y", "2"); p.m.Panes.Pane() != PaneWhy {
		t.Errorf("a digit after y opens pane %d", p.m.Panes.Pane())
	}
	p.keys("y")
	if p.keys("3"); p.m.Panes.Pane() != PaneWhy { // y3: there is none, and no pane opens by mistake
		t.Errorf("y3 opens pane %d", p.m.Panes.Pane())
	}
	if p.keys("y", "y"); p.m.Panes.Pane() != PaneYAML {
		t.Errorf("yy shows pane %d, not the YAML", p.m.Panes.Pane())
	}
}

// A pane in which the commands are not shown names them.
func TestACommandIsCopiedFromEveryPane(t *testing.T) {
	for _, pane := range []string{"2", "3", "4", "5", "6"} {
		p := copier(t, explain.Step{Command: "kubectl describe deploy/web"})
		p.keys("up", pane, "y")
		if got := p.m.Display.Flash(); !strings.Contains(got, "y1 kubectl describe deploy/web") ||
			!strings.Contains(got, "yy") {
			t.Errorf("pane %s: %q", pane, got)
		}
		p.keys("1")
		if got := p.clipboard(); got != "kubectl describe deploy/web" || p.m.Panes.Pane() == PaneWhy {
			t.Errorf("pane %s: copied %q, pane %d", pane, got, p.m.Panes.Pane())
		}
	}
}

func TestWithoutACommandTheKeyShowsTheYAML(t *testing.T) {
	p := copier(t)
	if p.keys("y"); p.m.Panes.Pane() != PaneYAML {
		t.Errorf("y shows pane %d", p.m.Panes.Pane())
	}
}

func TestAScrollPositionBelongsToAPaneAndAnObject(t *testing.T) {
	p := newPlay(t, Options{Screen: true})
	p.send(rowsOn(120, 20))
	_, b := bazaar()
	p.batch(0, b)
	p.m.Panes.all[PaneWhy] = &longPane{lines: make([]markup.Line, 60)}
	p.keys("tab", "pgdown")
	was := p.m.Panes.Scroll().Top
	p.keys("tab", "down")
	if got := p.m.Panes.Scroll().Top; was == 0 || got != 0 {
		t.Errorf("scrolled to %d, the next object's text is at %d", was, got)
	}
	if p.keys("up"); p.m.Panes.Scroll().Top != was {
		t.Errorf("back at the first it is at %d, was at %d", p.m.Panes.Scroll().Top, was)
	}
	for i := range 3 * mostPlaces {
		p.m.Tree.sel = rows.Key{Gap: string(rune(i))}
		p.m.Panes.setTop(1)
	}
	if len(p.m.Panes.tops) > mostPlaces {
		t.Errorf("%d positions are kept", len(p.m.Panes.tops))
	}
}
