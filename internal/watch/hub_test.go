package watch

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// TestTheHubAgreesWithANaiveModel lets several sources tell a hub random facts
// in random order and compares what a receiver of all batches has in the end
// with a map that was simply written to.
func TestTheHubAgreesWithANaiveModel(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		now := time.Unix(0, 0)
		h := newHub(0, "none", func() time.Time { return now })
		e := &Engine{hub: h}
		var srcs []*source
		for i := range 3 {
			s := &source{e: e, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: deployments, Namespace: "ns"}}
			s.state.Key = fmt.Sprint("s", i)
			srcs = append(srcs, s)
			h.add(s)
		}
		truth := map[object.ID]*object.Object{}
		var ids []object.ID
		for i := range 6 {
			id := deployments.ID("ns", fmt.Sprint("n", i))
			ids = append(ids, id)
			h.setRoot(feed.Root{ID: id})
		}
		seen := map[object.ID]*object.Object{}
		absent := map[object.ID]bool{}
		var since uint64
		collect := func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.seq.now() <= since {
				return
			}
			b := h.collect(since)
			since = b.Seq
			for _, g := range b.Gone {
				if o := seen[g.ID]; o == nil || o.UID != g.UID {
					t.Fatalf("seed %d: %v is gone without having been there", seed, g)
				}
				delete(seen, g.ID)
			}
			for _, id := range b.Absent {
				absent[id] = true
			}
			for _, o := range b.Objects {
				if old := seen[o.ID]; old != nil && older(o.ResourceVersion, old.ResourceVersion) {
					t.Fatalf("seed %d: %v went back", seed, o.ID)
				}
				seen[o.ID] = o
				delete(absent, o.ID)
			}
		}
		for rv := 1; rv < 80; rv++ {
			id := ids[rnd.IntN(len(ids))]
			src := srcs[rnd.IntN(len(srcs))]
			old := truth[id]
			switch rnd.IntN(4) {
			case 0, 1:
				o := &object.Object{ID: id, UID: fmt.Sprint("u", rv), ResourceVersion: fmt.Sprint(rv)}
				if old != nil {
					o.UID = old.UID
				}
				truth[id] = o
				// Two sources tell it, one of them twice and late.
				h.upsert(src, o)
				h.upsert(srcs[rnd.IntN(3)], o)
				if old != nil {
					h.upsert(src, old)
				}
			case 2:
				if old != nil {
					last := *old
					last.ResourceVersion = fmt.Sprint(rv)
					h.remove(src, &last)
					if rnd.IntN(2) == 0 {
						h.upsert(srcs[rnd.IntN(3)], old) // late news of a deleted object
					}
					delete(truth, id)
				}
			case 3:
				var list []*object.Object
				for _, o := range truth {
					list = append(list, o)
				}
				h.replace(src, list, fmt.Sprint(rv))
			}
			if rnd.IntN(3) == 0 {
				collect()
			}
		}
		var list []*object.Object
		for _, o := range truth {
			list = append(list, o)
		}
		for _, s := range srcs {
			h.replace(s, list, "100")
		}
		collect()
		if diff := cmp.Diff(truth, seen); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		for _, id := range ids {
			if absent[id] == (truth[id] != nil) {
				t.Fatalf("seed %d: %v: absent %v, there %v", seed, id, absent[id], truth[id] != nil)
			}
		}
	}
}

func TestTheCostOfABatchIsTheChangesInIt(t *testing.T) {
	h := newHub(0, "all", time.Now)
	s := &source{e: &Engine{hub: h}, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: podsRes}}
	h.add(s)
	s.sel = &rootSelection{target: &target{Target: &inventory.Target{}}}
	for i := range 2000 {
		h.upsert(s, &object.Object{ID: podsRes.ID("ns", fmt.Sprint(i)), UID: fmt.Sprint(i), ResourceVersion: "1"})
	}
	b := h.collect(0)
	if len(b.Objects) != 2000 {
		t.Fatalf("%d objects", len(b.Objects))
	}
	h.upsert(s, &object.Object{ID: podsRes.ID("ns", "7"), UID: "7", ResourceVersion: "2"})
	visited := 0
	for r := h.last; r != nil && r.seq > b.Seq; r = r.prev {
		visited++
	}
	if n := len(h.collect(b.Seq).Objects); n != 1 || visited != 1 {
		t.Errorf("%d objects, %d records visited", n, visited)
	}
}

// A watch that selects by labels says DELETED of what has only lost its label,
// with the version of that very change.
func TestWhatLeavesASelectionIsNotGone(t *testing.T) {
	hubOf := func() (h *hub, by, named *source) {
		h = newHub(0, "none", func() time.Time { return time.Unix(1e9, 0) })
		e := &Engine{hub: h}
		by = &source{e: e, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Selector: "team=x", Target: 2}}
		named = &source{e: e, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Name: "web"}}
		h.add(by)
		h.add(named)
		h.setRoot(feed.Root{ID: deployments.ID("shop", "web")})
		return h, by, named
	}
	obj := func(version string) *object.Object {
		return &object.Object{ID: deployments.ID("shop", "web"), UID: "u", ResourceVersion: version}
	}
	t.Run("seen by the selection first", func(t *testing.T) {
		h, by, named := hubOf()
		h.replace(named, nil, "3")
		h.upsert(by, obj("5"))
		h.remove(by, obj("7"))
		h.upsert(named, obj("5"))
		h.upsert(named, obj("7"))
		if b := h.collect(0); len(b.Objects) != 1 || b.Objects[0].ResourceVersion != "7" || len(b.Absent)+len(b.Gone) > 0 {
			t.Errorf("it lives: %+v", b)
		}
	})
	t.Run("its own source is late", func(t *testing.T) {
		h, by, named := hubOf()
		h.upsert(by, obj("5"))
		seq := h.collect(0).Seq
		h.remove(by, obj("7"))
		if b := h.collect(seq); len(b.Absent)+len(b.Gone) > 0 {
			t.Errorf("nobody knows that it is gone: %+v", b)
		}
		h.replace(named, nil, "9")
		if b := h.collect(seq); len(b.Absent) != 1 || len(b.Gone) != 1 {
			t.Errorf("now its own source knows: %+v", b)
		}
	})
	t.Run("its own source is closed", func(t *testing.T) {
		h, _, named := hubOf()
		h.replace(named, []*object.Object{obj("5")}, "5")
		seq := h.collect(0).Seq
		h.drop(named)
		if b := h.collect(seq); len(b.Absent)+len(b.Gone) > 0 {
			t.Errorf("nobody knows that it is gone: %+v", b)
		}
	})
}

func TestWhatAnotherSourceDeliversAsWellStaysWhenOneIsClosed(t *testing.T) {
	h := newHub(0, "all", time.Now)
	id := deployments.ID("shop", "web")
	var all []*source
	for range 3 {
		s := &source{e: &Engine{hub: h}, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Selector: "app=web"}}
		h.add(s)
		h.upsert(s, &object.Object{ID: id, UID: "1", ResourceVersion: "1"})
		all = append(all, s)
	}
	for i, s := range all {
		if h.object(id) == nil {
			t.Fatalf("gone with source %d of 3", i)
		}
		h.drop(s)
	}
	if h.object(id) != nil {
		t.Error("there though nobody delivers it")
	}
}

// Names are watched while their namespace may not be, and later the namespace
// again. Its list lacks what was deleted meanwhile, whichever source still
// holds it.
func TestAListOfTheNamespaceEndsWhatANameStillHolds(t *testing.T) {
	h := newHub(0, "none", func() time.Time { return time.Unix(1e9, 0) })
	e := &Engine{hub: h}
	named := &source{e: e, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Name: "web"}}
	area := &source{e: e, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: deployments, Namespace: "shop"}}
	h.setRoot(feed.Root{ID: deployments.ID("shop", "web")})
	h.add(named)
	h.replace(named, []*object.Object{{ID: deployments.ID("shop", "web"), UID: "u", ResourceVersion: "5"}}, "5")
	h.add(area)
	seq := h.collect(0).Seq
	h.replace(area, nil, "4") // of before
	h.replace(area, nil, "")  // at an unknown time
	if b := h.collect(seq); len(b.Absent)+len(b.Gone) > 0 {
		t.Errorf("an older list is no proof: %+v", b)
	}
	h.replace(area, nil, "9")
	h.drop(named)
	if b := h.collect(seq); len(b.Absent) != 1 || len(b.Gone) != 1 {
		t.Errorf("it is gone: %+v", b)
	}
}

// A member that leaves its inventory while it is being deleted is watched aside from
// the plan that follows the decision; it may have gone before that.
func TestAMemberThatGoesBeforeThePlanKnowsThatItLeavesIsDecidedAgain(t *testing.T) {
	h := newHub(0, "none", func() time.Time { return time.Unix(1e9, 0) })
	e := &Engine{hub: h}
	src := &source{e: e, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: deployments, Namespace: "shop"}}
	h.add(src)
	set, member := object.ID{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization", Namespace: "shop", Name: "apps"}, deployments.ID("shop", "two")
	var changed []object.ID
	h.sets.changed = func(root object.ID) { changed = append(changed, root) }
	plan := func(asides map[object.ID][]object.ID) {
		h.setRoots(rootPlan{
			list: []feed.Root{{ID: set}, {ID: member, In: set}}, at: map[object.ID]int{set: 0, member: 1}, asides: asides,
		}, nil)
	}
	plan(nil)
	h.upsert(src, &object.Object{ID: member, UID: "u", ResourceVersion: "1", Deleted: time.Unix(1e9, 0)})
	h.remove(src, &object.Object{ID: member, UID: "u", ResourceVersion: "2"})
	changed = nil
	leaves := map[object.ID][]object.ID{member: {set}}
	plan(leaves)
	if len(changed) != 1 || changed[0] != set {
		t.Fatalf("to be decided again: %v, want %v", changed, set)
	}
	if plan(leaves); len(changed) > 1 {
		t.Error("decided again though nothing is new")
	}
}
