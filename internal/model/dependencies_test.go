package model

import (
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// A cause that depends on an unfollowed object heals when that changes: the
// object is requested again while the cause lasts.
func TestACauseHealsWhenAnUnfollowedObjectChanges(t *testing.T) {
	web := &object.Object{
		ID: object.ID{Group: "networking.k8s.io", Kind: "Ingress", Namespace: "shop", Name: "web"}, UID: "ing", Created: t0,
		Tree: map[string]any{"spec": map[string]any{"ingressClassName": "nope"}},
	}
	class := object.ID{Group: "networking.k8s.io", Kind: "IngressClass", Name: "nope"}
	p := newPlay(t, Options{})
	p.batch(2*time.Second, feed.Batch{Synced: true, Roots: []feed.Root{root(web)}, Objects: []*object.Object{web}})
	wanted := func() bool { return slices.Contains(p.wants.Refs, class) }
	found := func() bool {
		return slices.ContainsFunc(p.m.Facts.Causes(), func(c explain.Cause) bool { return c.Code == "IngressClassMissing" })
	}
	tick := func(after time.Duration) { p.send(ClockTicked{Now: at(after)}) }
	tick(3 * time.Second)
	if !wanted() || found() {
		t.Fatalf("the class is wanted: %v; said to be missing: %v", wanted(), found())
	}
	p.batch(4*time.Second, feed.Batch{Synced: true, Absent: []object.ID{class}})
	tick(5 * time.Second)
	if !found() || !wanted() {
		t.Fatalf("once it is known to be absent: cause %v, still wanted %v", found(), wanted())
	}
	p.batch(6*time.Second, feed.Batch{Synced: true, Objects: []*object.Object{{ID: class, UID: "c", Created: t0, Tree: map[string]any{}}}})
	tick(7 * time.Second)
	if found() {
		t.Error("the class exists now, and is still said to be missing")
	}
}
