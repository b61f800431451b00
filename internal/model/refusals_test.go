package model

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

const (
	noEvents = `user dev cannot list events in shop (RBAC)`
	noPods   = `user dev cannot list pods in shop (RBAC)`
)

// What may not be read is not shown as absent: the panes say who may not do what.
func TestPanesNameMissingPermissions(t *testing.T) {
	p := screen(t)
	web, _, _, _, _, b := shop()
	b.Objects = slices.DeleteFunc(b.Objects, func(o *object.Object) bool { return o.Kind == "Pod" })
	b.Sources = []feed.SourceState{
		{Key: "d", Group: "apps", Kind: "Deployment", Resource: "deployments", Phase: feed.Live},
		{Key: "p", Kind: "Pod", Resource: "pods", Namespace: "shop", Phase: feed.Forbidden, Verb: "list", Error: noPods, Children: true},
		{Key: "e", Kind: "Event", Resource: "events", Namespace: "shop", Phase: feed.Forbidden, Verb: "list", Error: noEvents, Children: true},
		{Key: "f", Kind: "Event", Resource: "events", Namespace: "other", Phase: feed.Forbidden, Verb: "list", Error: "user dev cannot list events in other (RBAC)", Children: true},
		{Key: "reference w", Group: "lab.io", Kind: "Widget", Resource: "widgets", Namespace: "shop", Phase: feed.NotServed, Children: true},
	}
	p.batch(0, b)
	p.m.Tree.selIndex = slices.IndexFunc(p.m.Tree.list.Refs, func(r rows.Ref) bool { return r.Node != nil && *r.Node.ID == web.ID })
	if got := eventsOf(p.m).Refused; !slices.Equal(got, []string{noEvents}) {
		t.Errorf("the events pane is told %q", got)
	}
	p.m.Panes.pane = PaneLogs
	p.send(tea.WindowSizeMsg{Width: 200, Height: 50})
	if got := p.m.Panes.logs.Pane.Shown().None; got != noPods {
		t.Errorf("the logs pane is told %q", got)
	}
	rows := strings.Join(p.rows(), "\n")
	for _, text := range []string{noPods + " - children hidden", "user dev cannot list events in other and shop (RBAC) - causes from events hidden"} {
		if !strings.Contains(rows, text) {
			t.Errorf("no row says %q:\n%s", text, rows)
		}
	}
	if strings.Contains(rows, "not served") { // an explanation asked whether there are such objects
		t.Errorf("a row says that something is hidden of a kind that the cluster does not serve:\n%s", rows)
	}
	if got := p.m.Facts.Refusals(); len(got) != 3 {
		t.Errorf("refused is %q", got)
	}
}

// An object that may not be seen is not one without pods.
func TestTheLogsPaneReportsAMissingPermissionForTheObject(t *testing.T) {
	p := screen(t)
	web, _, _, _, _, b := shop()
	const text = "user dev cannot get deployments.apps in shop (RBAC)"
	b.Objects = nil
	b.Sources = []feed.SourceState{{Key: "d", Group: "apps", Kind: "Deployment", Resource: "deployments", Namespace: "shop", Phase: feed.Forbidden, Verb: "get", Error: text}}
	p.batch(0, b)
	p.m.Tree.selIndex = slices.IndexFunc(p.m.Tree.list.Refs, func(r rows.Ref) bool { return r.Node != nil && *r.Node.ID == web.ID })
	p.m.Panes.pane = PaneLogs
	p.send(tea.WindowSizeMsg{Width: 200, Height: 50})
	if got := p.m.Panes.logs.Pane.Shown().None; got != text {
		t.Errorf("the logs pane is told %q", got)
	}
}
