package world

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// No ring of owners is known that reaches the bound. One that does must not keep
// the program busy.
func TestSettlingIsBounded(t *testing.T) {
	w := New(Options{})
	o := &object.Object{ID: object.ID{Kind: "Pod", Namespace: "shop", Name: "web"}, UID: "1"}
	w.Apply(&feed.Batch{Roots: []feed.Root{{ID: o.ID}}, Objects: []*object.Object{o}})
	for range mostTurns {
		w.Tree.turnedIn = append(w.Tree.turnedIn, w.Tree.Nodes[o.ID])
	}
	if !w.Tree.resettle(mostTurns) {
		t.Error("it ended early")
	}
	for range 2*mostTurns + 1 {
		w.Tree.turnedIn = append(w.Tree.turnedIn, w.Tree.Nodes[o.ID])
	}
	if w.Tree.resettle(mostTurns) {
		t.Error("it has no bound")
	}
}
