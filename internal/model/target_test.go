package model

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Nothing of the pane could be entered: the way from a cause to its object was a search
// in the tree.
func TestEnterInThePaneGoesToTheObjectOfItsLine(t *testing.T) {
	dep, rs, pod, _, _, b := shop()
	causes := []explain.Cause{{
		ID: "1", Title: "app exits 1", Class: explain.Action, Subject: explain.Subject{ID: pod.ID, Container: "app"},
		Objects: []object.ID{pod.ID}, Blocks: []object.ID{rs.ID, dep.ID},
	}}
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return causes }})
	p.send(rowsOn(120, 20))
	p.batch(0, b)
	p.keys("g")
	at := func() object.ID { k, _ := p.m.Tree.Selected(); return k.ID }
	if at() != dep.ID {
		t.Fatalf("%v is selected, not %v", at(), dep.ID)
	}
	p.keys("tab", "enter")
	if at() != pod.ID || p.m.Panes.Focus() != FocusPane || p.m.Panes.Pane() != PaneWhy {
		t.Fatalf("the cause leads to %v", at())
	}
	p.keys("enter")
	if p.m.Panes.Pane() != PaneLogs || at() != pod.ID {
		t.Fatalf("the container leads to pane %d of %v", p.m.Panes.Pane(), at())
	}
}

func TestEnterOnAnEventGoesToItsObject(t *testing.T) {
	dep, _, pod, _, _, b := shop()
	p := screen(t)
	b.Events = []object.Event{{
		UID: "e", About: pod.ID, AboutUID: pod.UID, Type: "Warning", Reason: "BackOff",
		Message: "no", Last: at(-time.Second), First: at(-time.Minute),
	}}
	p.batch(0, b)
	p.keys("g", "3", "tab", "enter")
	if k, _ := p.m.Tree.Selected(); k.ID != pod.ID {
		t.Errorf("the event below %v leads to %v", dep.ID, k.ID)
	}
}

func TestTheCursorOfThePaneGoesFromTargetToTarget(t *testing.T) {
	d := deployment("web", 0)
	var causes []explain.Cause
	for _, name := range []string{"a", "b", "c"} {
		causes = append(causes, explain.Cause{ID: name, Title: "no " + name, Class: explain.Action, Subject: explain.Subject{ID: id("", "Secret", name)}, Objects: []object.ID{d.ID}, Blocks: []object.ID{d.ID}})
	}
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return causes }})
	p.send(rowsOn(120, 20))
	p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}})
	p.keys("g", "tab", "down")
	c, _ := p.m.Panes.Content()
	if line := c.Line(c.Cursor[0]).String(); !strings.HasPrefix(line, "2 no b") {
		t.Errorf("the second cause is chosen: %q", line)
	}
	p.keys("enter")
	if got := p.m.Display.Flash(); !strings.Contains(got, "Secret/b is not followed here") {
		t.Errorf("a Secret that nobody follows: %q", got)
	}
}
