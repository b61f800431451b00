package model

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// widgets are objects of a custom kind, and the Pod of its controller beside them.
func widgets(condition object.Statement, names ...string) (b feed.Batch) {
	b.Synced = true
	b.Absent = []object.ID{{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: "widgets.lab.io"}}
	for _, name := range names {
		w := &object.Object{
			ID: object.ID{Group: "lab.io", Kind: "Widget", Namespace: "shop", Name: name}, Version: "v1", UID: "uid-" + name,
			Created: t0.Add(-time.Hour), Tree: map[string]any{"status": map[string]any{}},
			Conditions: []object.Condition{{Statement: &condition, LastTransitionTime: t0.Add(-time.Hour)}},
		}
		b.Roots, b.Objects = append(b.Roots, root(w)), append(b.Objects, w)
	}
	b.Objects = append(b.Objects, &object.Object{
		ID: id("", "Pod", "lab-operator-1"), Version: "v1", UID: "uid-operator", Created: t0.Add(-time.Hour), LookedUp: true,
		Pod: &object.Pod{PodTemplate: &object.PodTemplate{}, Phase: "Running", Containers: []object.Container{{
			ContainerSpec: &object.ContainerSpec{Name: "manager", Image: "lab/operator:1"}, Ready: true, Restarts: 1,
			State: object.ContainerState{Kind: "running", Started: t0.Add(-time.Hour)},
			Prior: &object.ContainerState{Kind: "terminated", Finished: t0.Add(-time.Hour)},
		}}},
		Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "True"}}},
	})
	return b
}

// The log of a controller is read for objects of which nothing says why they are not Current: the
// present one, once for all of them.
func TestTheLogOfAControllerIsReadOnceForAllItsObjects(t *testing.T) {
	says := func(name, why string) string {
		return `{"level":"error","msg":"Reconciler error","controllerKind":"Widget","namespace":"shop","name":"` + name + `","error":"` + why + `"}`
	}
	for _, x := range []struct {
		what      string
		condition object.Statement
		read      int
		title     string
	}{
		{"without a reason", object.Statement{Type: "Ready", Status: "False", Reason: "Failed"}, 1, "its controller logs: quota exceeded"},
		{"with a reason", object.Statement{Type: "Ready", Status: "False", Reason: "Failed", Message: "cannot find bucket b: access denied"}, 0, "access denied"},
		{"Current", object.Statement{Type: "Ready", Status: "True"}, 0, ""},
	} {
		t.Run(x.what, func(t *testing.T) {
			p := newPlay(t, Options{Screen: true, Judge: status.Assess})
			p.send(rowsOn(120, 20))
			r := &reader{feedStub: feedStub{p: p}, logs: map[string][]string{
				"lab-operator-1": {says("a", "quota exceeded"), says("b", "quota exceeded"), says("c", "no such host")},
			}}
			cmds := p.take(widgets(x.condition, "a", "b"))
			p.read(r, cmds)
			for range 40 { // the objects are given half a minute
				var more tea.Cmd
				p.m, more = p.m.Update(ClockTicked{p.m.Facts.Now().Add(time.Second)})
				p.read(r, more)
			}
			if len(r.asked) != x.read || len(r.asked) > 0 && r.asked[0] != "lab-operator-1" {
				t.Errorf("read: %v", r.asked)
			}
			causes := p.m.Facts.Causes()
			if x.title == "" && len(causes) > 0 || x.title != "" && len(causes) == 0 {
				t.Fatalf("causes %+v", causes)
			}
			for _, c := range causes {
				if !strings.Contains(c.Title, x.title) {
					t.Errorf("title %q", c.Title)
				}
			}
		})
	}
}
