package model

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// A Deployment was deleted and recreated, and the garbage collector is late: a
// Pod of the old one still serves, below an owner that is not in the tree. It
// had no row; a program that started later showed it below its slice.
func TestAPodThatServesIsShownWhenNothingLeadsToItsOwner(t *testing.T) {
	web := deployment("web", 2)
	rs := replicaSet(web, "h1", 2)
	serving := pod(rs, "a", "")
	svc := &object.Object{ID: id("", "Service", "web"), UID: "uid-svc", Created: t0, Service: &object.Service{}}
	slice := &object.Object{
		ID: id("discovery.k8s.io", "EndpointSlice", "web-x"), UID: "uid-slice", Created: t0, Owners: owner(svc),
		Endpoints: &object.Endpoints{Service: "web", Endpoints: []object.Endpoint{{Target: serving.ID, TargetUID: serving.UID, Ready: true}}},
	}
	p := newPlay(t, Options{Children: ChildrenAll})
	p.batch(0, feed.Batch{Roots: []feed.Root{root(web), root(svc)}, Objects: []*object.Object{web, rs, serving, svc, slice}, Synced: true})
	stands := func(when string, want object.ID) {
		t.Helper()
		check(t, p.m)
		for _, under := range []object.ID{rs.ID, slice.ID} {
			if got := slices.Contains(p.children(under), serving.Name); got != (under == want) {
				t.Errorf("%s: under %s: %v", when, under, got)
			}
		}
	}
	stands("at first", rs.ID)
	anew := again(web, func(o *object.Object) { o.UID = "uid-deploy-web-2" })
	p.batch(time.Second, feed.Batch{Gone: []feed.Gone{{ID: web.ID, UID: web.UID}}, Objects: []*object.Object{anew}})
	stands("while its owner is nobody's", slice.ID)
	adopted := again(rs, func(o *object.Object) { o.Owners = owner(anew) })
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{adopted}})
	stands("when the new Deployment has adopted its owner", rs.ID)
}

// An event about a recreated Pod may come before the Pod itself.
func TestAnEventThatComesBeforeItsPodIsKept(t *testing.T) {
	for _, gone := range []bool{true, false} {
		web := deployment("web", 1)
		rs := replicaSet(web, "h1", 1)
		old := pod(rs, "a", "")
		anew := again(old, func(o *object.Object) { o.UID = "uid-2" })
		p := newPlay(t, Options{Children: ChildrenAll})
		p.batch(0, feed.Batch{Roots: []feed.Root{root(web)}, Objects: []*object.Object{web, rs, old}, Synced: true})
		p.batch(time.Second, feed.Batch{Events: []object.Event{{UID: "1", About: old.ID, AboutUID: "uid-2", Reason: "Failed"}, {UID: "2", About: old.ID, AboutUID: old.UID}}})
		if gone {
			p.batch(2*time.Second, feed.Batch{Gone: []feed.Gone{{ID: old.ID, UID: old.UID}}})
		}
		p.batch(3*time.Second, feed.Batch{Objects: []*object.Object{anew}})
		if events := p.m.Facts.World.Records.EventsOf(p.m.Facts.World.Tree.Nodes[old.ID]); len(events) != 1 || events[0].UID != "1" {
			t.Errorf("its deletion was told: %v; events %v", gone, events)
		}
	}
}

// A reference is known but has no row, because its deletion is not reported. A
// source that follows it makes it one.
func TestAReferencedObjectHasNoRowUntilItIsFollowed(t *testing.T) {
	p := screen(t)
	db := &object.Object{
		ID: id("apps", "StatefulSet", "db"), UID: "db", ResourceVersion: "1", Created: t0,
		Workload: &object.Workload{Replicas: object.IntOf(0)},
	}
	revision := &object.Object{
		ID: id("apps", "ControllerRevision", "db-1"), UID: "r1", ResourceVersion: "1", Created: t0, MetadataOnly: true, LookedUp: true,
		Owners: []object.Owner{{Group: "apps", Kind: "StatefulSet", Name: "db", UID: "db", Controller: true}},
	}
	p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(db)}, Objects: []*object.Object{db, revision}})
	p.keys("Z")
	if text := strings.Join(p.rows(), "\n"); strings.Contains(text, "ControllerRevision") || p.m.Facts.GeneratedCounts().Total() != 0 {
		t.Errorf("it is a row, or counts:\n%s", text)
	}
	if p.m.Facts.World.Tree.Lookup(revision.ID) != revision {
		t.Error("it is not known")
	}
	followed := *revision
	followed.LookedUp = false
	p.batch(time.Second, feed.Batch{Objects: []*object.Object{&followed}})
	if text := strings.Join(p.rows(), "\n"); !strings.Contains(text, "ControllerRevision/db-1") {
		t.Errorf("it is followed, and no row:\n%s", text)
	}
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{revision}})
	if text := strings.Join(p.rows(), "\n"); strings.Contains(text, "ControllerRevision") {
		t.Errorf("it is not followed any more, and a row:\n%s", text)
	}
}

// Whoever may write objects decides what owns what, rings included. Each of them
// kept the program busy for ever: a child was the parent of what it was in the
// tree for. Whatever comes first, everything below the root has a place.
func TestARingOfOwnersSettles(t *testing.T) {
	svc := &object.Object{ID: id("", "Service", "web"), UID: "svc", Created: t0, Service: &object.Service{}}
	serving := &object.Object{ID: id("", "Pod", "web-x"), UID: "pod", Created: t0, Pod: &object.Pod{Phase: "Running"}}
	slice := &object.Object{
		ID: id("discovery.k8s.io", "EndpointSlice", "web-1"), UID: "slice", Created: t0, Owners: owner(serving),
		Endpoints: &object.Endpoints{Service: "web", Endpoints: []object.Endpoint{{Target: serving.ID, TargetUID: serving.UID, Ready: true}}},
	}
	sliceOfNoController := again(slice, func(o *object.Object) { o.Owners[0].Controller = false })
	web := deployment("web", 1)
	a, b := replicaSet(web, "a", 1), replicaSet(web, "b", 1)
	a.Owners = append(owner(b), object.Owner{Group: "apps", Kind: "Deployment", Name: web.Name, UID: web.UID})
	b.Owners = owner(a)
	set, inner := deployment("set", 1), deployment("inner", 1)

	for name, c := range map[string]struct {
		roots   []feed.Root
		objects []*object.Object
	}{
		"a slice that its Pod controls":       {[]feed.Root{root(svc)}, []*object.Object{svc, serving, slice}},
		"a slice that its Pod owns":           {[]feed.Root{root(svc)}, []*object.Object{svc, serving, sliceOfNoController}},
		"ReplicaSets that control each other": {[]feed.Root{root(web)}, []*object.Object{web, a, b}},
		"inventories that list each other":    {[]feed.Root{{ID: set.ID, In: inner.ID}, {ID: inner.ID, In: set.ID}}, []*object.Object{set, inner}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
				p := newPlay(t, Options{Children: ChildrenAll})
				p.batch(0, feed.Batch{Roots: c.roots})
				for i, at := range order {
					if at < len(c.objects) {
						p.batch(time.Duration(i)*time.Second, feed.Batch{Objects: []*object.Object{c.objects[at]}, Synced: i == 2})
					}
				}
				checkCounts(t, p.m.Facts.World)
				checkRows(t, p.m)
				for _, o := range c.objects {
					if n := p.m.Facts.World.Tree.Nodes[o.ID]; !n.InTree {
						t.Errorf("%v: %v is not in the tree", order, o.ID)
					}
				}
			}
		})
	}
}
