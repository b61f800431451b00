package hub

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

var (
	deployments = resolve.Builtin("apps", "Deployment")
	rsRes       = resolve.Builtin("apps", "ReplicaSet")
	podsRes     = resolve.Builtin("", "Pod")
)

// everything makes a root of whatever comes.
var everything = Selection{AsRoot: func(o *object.Object) (feed.Root, bool) { return feed.Root{ID: o.ID}, true }}

// never is the time of the last answer if there was none.
func never() time.Time { return time.Time{} }

// setRoot makes an object a root, or changes its root's fields.
func setRoot(h *Hub, root feed.Root) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.putRoot(&root)
}

// collect takes what has changed, at once.
func (h *Hub) collect() feed.Batch {
	b, _, _ := h.take()
	return b
}

// TestTheHubAgreesWithANaiveModel lets several sources tell a hub random facts
// in random order and compares what a receiver of all batches has in the end
// with a map that was simply written to.
func TestTheHubAgreesWithANaiveModel(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		now := time.Unix(0, 0)
		h := New(0, "none", func() time.Time { return now })
		var srcs []*Intake
		for i := range 3 {
			s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "ns"}}
			s.state.Key = fmt.Sprint("s", i)
			srcs = append(srcs, s)
			h.AddIntake(s)
		}
		truth := map[object.ID]*object.Object{}
		var ids []object.ID
		for i := range 6 {
			id := deployments.ID("ns", fmt.Sprint("n", i))
			ids = append(ids, id)
			setRoot(h, feed.Root{ID: id})
		}
		seen := map[object.ID]*object.Object{}
		absent := map[object.ID]bool{}
		collect := func() {
			b := h.collect()
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
				if old := seen[o.ID]; old != nil && sources.Older(o.ResourceVersion, old.ResourceVersion) {
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
				src.Upsert(o)
				srcs[rnd.IntN(3)].Upsert(o)
				if old != nil {
					src.Upsert(old)
				}
			case 2:
				if old != nil {
					last := *old
					last.ResourceVersion = fmt.Sprint(rv)
					src.Remove(&last)
					if rnd.IntN(2) == 0 {
						srcs[rnd.IntN(3)].Upsert(old) // late news of a deleted object
					}
					delete(truth, id)
				}
			case 3:
				var list []*object.Object
				for _, o := range truth {
					list = append(list, o)
				}
				src.Replace(list, fmt.Sprint(rv))
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
			s.Replace(list, "100")
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

// Sources report at once, while the receiver takes what there is: as soon as a batch
// says that all is known, it is known to the receiver.
func TestNoBatchIsSyncedBeforeItsSourcesAreDelivered(t *testing.T) {
	for round := range 300 {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		h, kicks := New(0, "none", time.Now), make(chan struct{}, 1)
		h.RequestPlan = func() {
			select {
			case kicks <- struct{}{}:
			default:
			}
		}
		source := func(res kube.Resource) *Intake {
			s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: res, Namespace: "shop"}}
			s.state = feed.SourceState{Key: s.spec.Key(), Phase: feed.Waiting}
			h.AddIntake(s)
			return s
		}
		web, gone := deployments.ID("shop", "web"), deployments.ID("shop", "gone")
		setRoot(h, feed.Root{ID: web})
		setRoot(h, feed.Root{ID: gone})
		live, forbidden := source(deployments), source(podsRes)
		var reports sync.WaitGroup
		reports.Go(func() {
			for h.RequestPlan(); ctx.Err() == nil; {
				select {
				case <-kicks:
					h.Needs()
					h.SetPlanned(true)
				case <-ctx.Done():
				}
			}
		})
		reports.Go(func() {
			live.Replace([]*object.Object{{ID: web, UID: "u", ResourceVersion: "1"}}, "1")
			live.UpdateState(func(st *feed.SourceState) { st.Phase = feed.Live })
		})
		reports.Go(func() { forbidden.UpdateState(func(st *feed.SourceState) { st.Phase = feed.Forbidden }) })
		known, absent, phases := 0, 0, map[string]feed.Phase{}
		for synced := false; !synced; {
			b, err := h.Next(ctx)
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			synced, known, absent = b.Synced, known+len(b.Objects), absent+len(b.Absent)
			for _, st := range b.Sources {
				phases[st.Key] = st.Phase
			}
		}
		if known != 1 || absent != 1 || phases[live.spec.Key()] != feed.Live || phases[forbidden.spec.Key()] != feed.Forbidden {
			t.Fatalf("round %d: synced with %d objects, %d absent, %v", round, known, absent, phases)
		}
		cancel()
		reports.Wait()
	}
}

// A plan has read what is needed, and has not started the sources for it yet.
func TestWantsAreNotAnsweredBeforeThePlanHasStartedItsSources(t *testing.T) {
	h := New(0, "all", func() time.Time { return time.Unix(1e9, 0) })
	source := func(res kube.Resource) *Intake {
		s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: res, Namespace: "shop"}}
		h.AddIntake(s)
		return s
	}
	web := &object.Object{ID: deployments.ID("shop", "web"), UID: "web", ResourceVersion: "1", Workload: &object.Workload{
		HasSelector: true, Selector: object.Selector{Match: []object.Label{{Key: "app", Value: "web"}}},
	}}
	live := func(st *feed.SourceState) { st.Phase = feed.Live }
	setRoot(h, feed.Root{ID: web.ID})
	roots := source(deployments)
	h.Needs()
	h.SetPlanned(true)
	roots.Replace([]*object.Object{web}, "1")
	roots.UpdateState(live)
	if len(h.Needs()) == 0 {
		t.Fatal("nothing is needed")
	}
	h.Want(1, nil)
	if b := h.collect(); b.Synced || b.Answered == 1 {
		t.Errorf("answered without a source for its children: %+v", b)
	}
	children := source(podsRes)
	h.SetPlanned(true)
	if b := h.collect(); b.Synced || b.Answered == 1 {
		t.Errorf("answered before its children's source: %+v", b)
	}
	children.UpdateState(live)
	if b := h.collect(); !b.Synced || b.Answered != 1 {
		t.Errorf("not answered: %+v", b)
	}
}

func TestAClosedSourceStaysClosed(t *testing.T) {
	h := New(0, "none", func() time.Time { return time.Unix(1e9, 0) })
	s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop"}}
	h.AddIntake(s)
	s.Upsert(&object.Object{ID: deployments.ID("shop", "web"), UID: "u", ResourceVersion: "1"})
	s.UpdateState(func(st *feed.SourceState) { st.Phase = feed.Live })
	if b := h.collect(); len(b.Sources) != 1 || b.Sources[0].Phase != feed.Live || b.Sources[0].Objects != 1 {
		t.Errorf("live: %+v", b.Sources)
	}
	h.DropIntake(s)
	s.UpdateState(func(st *feed.SourceState) { st.Phase = feed.Stale }) // it was on its way
	if b := h.collect(); len(b.Sources) != 1 || b.Sources[0].Phase != feed.Closed || b.Sources[0].Objects != 0 {
		t.Errorf("closed: %+v", b.Sources)
	}
}

func TestTheCostOfABatchIsTheChangesInIt(t *testing.T) {
	h := New(0, "all", time.Now)
	s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: podsRes}}
	h.AddIntake(s)
	s.sel = everything
	for i := range 2000 {
		s.Upsert(&object.Object{ID: podsRes.ID("ns", fmt.Sprint(i)), UID: fmt.Sprint(i), ResourceVersion: "1"})
	}
	b := h.collect()
	if len(b.Objects) != 2000 {
		t.Fatalf("%d objects", len(b.Objects))
	}
	s.Upsert(&object.Object{ID: podsRes.ID("ns", "7"), UID: "7", ResourceVersion: "2"})
	visited := len(h.dirty)
	if n := len(h.collect().Objects); n != 1 || visited != 1 {
		t.Errorf("%d objects, %d records visited", n, visited)
	}
}

// A watch that selects by labels says DELETED of what has only lost its label,
// with the version of that very change.
func TestAnObjectThatLeavesASelectionIsNotDeleted(t *testing.T) {
	hubOf := func() (h *Hub, by, named *Intake) {
		h = New(0, "none", func() time.Time { return time.Unix(1e9, 0) })
		by = &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Selector: "team=x", Target: 2}}
		named = &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Name: "web"}}
		h.AddIntake(by)
		h.AddIntake(named)
		setRoot(h, feed.Root{ID: deployments.ID("shop", "web")})
		return h, by, named
	}
	obj := func(version string) *object.Object {
		return &object.Object{ID: deployments.ID("shop", "web"), UID: "u", ResourceVersion: version}
	}
	t.Run("seen by the selection first", func(t *testing.T) {
		h, by, named := hubOf()
		named.Replace(nil, "3")
		by.Upsert(obj("5"))
		by.Remove(obj("7"))
		named.Upsert(obj("5"))
		named.Upsert(obj("7"))
		if b := h.collect(); len(b.Objects) != 1 || b.Objects[0].ResourceVersion != "7" || len(b.Absent)+len(b.Gone) > 0 {
			t.Errorf("it lives: %+v", b)
		}
	})
	t.Run("its own source is late", func(t *testing.T) {
		h, by, named := hubOf()
		by.Upsert(obj("5"))
		h.collect()
		by.Remove(obj("7"))
		if b := h.collect(); len(b.Absent)+len(b.Gone) > 0 {
			t.Errorf("nobody knows that it is gone: %+v", b)
		}
		named.Replace(nil, "9")
		if b := h.collect(); len(b.Absent) != 1 || len(b.Gone) != 1 {
			t.Errorf("now its own source knows: %+v", b)
		}
	})
	t.Run("its own source is closed", func(t *testing.T) {
		h, _, named := hubOf()
		named.Replace([]*object.Object{obj("5")}, "5")
		h.collect()
		h.DropIntake(named)
		if b := h.collect(); len(b.Absent)+len(b.Gone) > 0 {
			t.Errorf("nobody knows that it is gone: %+v", b)
		}
	})
}

// A list older than what its source has delivered before means a restored etcd. A GET
// has no version of a list: that its object's is older than an earlier list's means
// nothing.
func TestAnOlderVersionIsBelievedOfARestoredClusterAlone(t *testing.T) {
	obj := func(version string) *object.Object {
		return &object.Object{ID: deployments.ID("shop", "web"), UID: "u", ResourceVersion: version}
	}
	list := func(version string) []*object.Object { return []*object.Object{obj(version)} }
	for _, c := range []struct {
		name  string
		which plan.Spec
		tell  func(src, other *Intake)
		want  string
	}{
		{"a GET after a list", plan.Spec{Name: "web"}, func(src, other *Intake) {
			src.Replace(list("500"), "1000")
			other.Upsert(obj("1001"))
			src.Replace(list("500"), "500")
		}, "1001"},
		{"a list that another source is ahead of", plan.Spec{}, func(src, other *Intake) {
			src.Replace(list("500"), "1000")
			other.Upsert(obj("1001"))
			src.Replace(list("500"), "1000")
		}, "1001"},
		{"restored, by a streamed list", plan.Spec{}, func(src, _ *Intake) {
			src.Replace(list("1001"), "1001")
			src.Upsert(obj("500"))
			src.Replace(list("500"), "700")
		}, "500"},
		{"restored, by lists", plan.Spec{}, func(src, _ *Intake) {
			src.Replace(list("1001"), "1001")
			src.Replace(list("500"), "700")
		}, "500"},
		{"restored to after the last list", plan.Spec{}, func(src, _ *Intake) {
			src.Replace(list("500"), "600")
			src.Upsert(obj("1001"))
			src.Replace(list("500"), "700")
		}, "500"},
		{"restored to after the last list, and deleted since", plan.Spec{}, func(src, _ *Intake) {
			src.Replace(list("500"), "600")
			src.Remove(obj("1001"))
			src.Replace(list("500"), "700")
		}, "500"},
		{"restored, by a list of its name", plan.Spec{Name: "web"}, func(src, _ *Intake) {
			src.Replace(list("500"), "600")
			src.Upsert(obj("1001"))
			src.Replace(list("500"), "700")
		}, "500"},
		{"restored, by GETs", plan.Spec{Name: "web"}, func(src, _ *Intake) {
			src.Replace(list("1001"), "1001")
			src.Replace(list("500"), "500")
		}, "500"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := New(0, "none", func() time.Time { return time.Unix(1e9, 0) })
			c.which.Resource, c.which.Namespace = deployments, "shop"
			src := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: c.which}
			other := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Selector: "team=x"}}
			h.AddIntake(src)
			h.AddIntake(other)
			setRoot(h, feed.Root{ID: obj("").ID})
			c.tell(src, other)
			if o := h.Get(obj("").ID); o == nil || o.ResourceVersion != c.want {
				t.Errorf("version %v, want %s", o, c.want)
			}
		})
	}
}

func TestALateUpdateDoesNotRestoreADeletedObject(t *testing.T) {
	h := New(0, "none", func() time.Time { return time.Unix(1e9, 0) })
	soon := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop"}}
	late := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Name: "web"}}
	h.AddIntake(soon)
	h.AddIntake(late)
	id := deployments.ID("shop", "web")
	setRoot(h, feed.Root{ID: id})
	soon.Upsert(&object.Object{ID: id, UID: "u", ResourceVersion: "5"})
	h.collect()
	soon.Remove(&object.Object{ID: id, UID: "u", ResourceVersion: "7"})
	h.collect()
	late.Upsert(&object.Object{ID: id, UID: "u", ResourceVersion: "6"})
	if b := h.collect(); len(b.Objects) > 0 || h.Get(id) != nil {
		t.Errorf("it is there again: %v", b.Objects)
	}
	late.Upsert(&object.Object{ID: id, UID: "v", ResourceVersion: "8"})
	if b := h.collect(); len(b.Objects) != 1 {
		t.Errorf("made anew: %v", b.Objects)
	}
}

func TestAnObjectOfTwoSourcesStaysWhenOneIsClosed(t *testing.T) {
	h := New(0, "all", time.Now)
	id := deployments.ID("shop", "web")
	var all []*Intake
	for range 3 {
		s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Selector: "app=web"}}
		h.AddIntake(s)
		s.Upsert(&object.Object{ID: id, UID: "1", ResourceVersion: "1"})
		all = append(all, s)
	}
	for i, s := range all {
		if h.Get(id) == nil {
			t.Fatalf("gone with source %d of 3", i)
		}
		h.DropIntake(s)
	}
	if h.Get(id) != nil {
		t.Error("there though nobody delivers it")
	}
}

// Names are watched while their namespace may not be, and later the namespace
// again. Its list lacks what was deleted meanwhile, whichever source still
// holds it.
func TestAListOfTheNamespaceDeletesObjectsThatANamedSourceStillHolds(t *testing.T) {
	h := New(0, "none", func() time.Time { return time.Unix(1e9, 0) })
	named := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Name: "web"}}
	area := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop"}}
	setRoot(h, feed.Root{ID: deployments.ID("shop", "web")})
	h.AddIntake(named)
	named.Replace([]*object.Object{{ID: deployments.ID("shop", "web"), UID: "u", ResourceVersion: "5"}}, "5")
	h.AddIntake(area)
	h.collect()
	area.Replace(nil, "4") // of before
	area.Replace(nil, "")  // at an unknown time
	if b := h.collect(); len(b.Absent)+len(b.Gone) > 0 {
		t.Errorf("an older list is no proof: %+v", b)
	}
	area.Replace(nil, "9")
	h.DropIntake(named)
	if b := h.collect(); len(b.Absent) != 1 || len(b.Gone) != 1 {
		t.Errorf("it is gone: %+v", b)
	}
}

// A member that leaves its inventory while it is being deleted is watched beside
// the plan that follows the decision; it may have gone before that.
func TestAMemberThatGoesBeforeThePlanKnowsThatItLeavesIsDecidedAgain(t *testing.T) {
	h := New(0, "none", func() time.Time { return time.Unix(1e9, 0) })
	src := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop"}}
	h.AddIntake(src)
	set, member := object.ID{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization", Namespace: "shop", Name: "apps"}, deployments.ID("shop", "two")
	var changed []object.ID
	h.InventoryChanged = func(root object.ID) { changed = append(changed, root) }
	plan := func(neededBy map[object.ID][]object.ID) {
		h.SetRoots(Roots{
			List: []*feed.Root{{ID: set}, {ID: member, In: set}}, ByID: map[object.ID]*feed.Root{set: {}, member: {}}, NeededBy: neededBy,
		}, false)
	}
	plan(nil)
	src.Upsert(&object.Object{ID: member, UID: "u", ResourceVersion: "1", Deleted: time.Unix(1e9, 0)})
	src.Remove(&object.Object{ID: member, UID: "u", ResourceVersion: "2"})
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

func TestACrowdOfParentsIsAwaitedBeforeItsChildrenAreSought(t *testing.T) {
	now := time.Unix(1e9, 0)
	h := New(0, "all", func() time.Time { return now })
	s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop"}, keep: sources.Names{}}
	h.AddIntake(s)
	for i := range manyParents {
		s.keep[fmt.Sprint("shop/web", i)] = true
		setRoot(h, feed.Root{ID: deployments.ID("shop", fmt.Sprint("web", i))})
	}
	tell := func(name string) {
		s.Upsert(&object.Object{ID: deployments.ID("shop", name), UID: name, ResourceVersion: "1", Workload: &object.Workload{
			HasSelector: true, Selector: object.Selector{Match: []object.Label{{Key: "app", Value: name}}},
		}})
	}
	needs := func() ([]edges.Need, bool) {
		out, waiting := h.Needs(), !h.planning
		h.SetPlanned(true)
		return out, waiting
	}
	tell("web0")
	if n, waiting := needs(); len(n) != 0 || !waiting || h.synced {
		t.Errorf("one of %d has come: %d needs, waiting %v, synced %v", manyParents, len(n), waiting, h.synced)
	}
	now = now.Add(parentsPatience)
	if n, waiting := needs(); len(n) != 2 || waiting {
		t.Errorf("the others are long in coming: %d needs, waiting %v", len(n), waiting)
	}
	now = now.Add(-parentsPatience)
	s.UpdateState(func(st *feed.SourceState) { st.Phase = feed.Live })
	if n, waiting := needs(); len(n) != 2 || waiting || !h.synced {
		t.Errorf("its list is complete: %d needs, waiting %v, synced %v", len(n), waiting, h.synced)
	}
}

func TestAReplicaSetWhoseDeploymentIsFollowedChangesNoPlan(t *testing.T) {
	h := New(0, "all", func() time.Time { return time.Unix(1e9, 0) })
	s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop"}}
	r := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: rsRes, Namespace: "shop", Role: plan.Children}}
	h.AddIntake(s)
	h.AddIntake(r)
	sel := &object.Workload{HasSelector: true, Selector: object.Selector{Match: []object.Label{{Key: "app", Value: "web"}}}}
	set := func(name, owner string) *object.Object {
		return &object.Object{ID: rsRes.ID("shop", name), UID: name, ResourceVersion: "1", Workload: sel, Owners: []object.Owner{{
			Group: "apps", Kind: "Deployment", Name: owner, UID: owner, Controller: true,
		}}}
	}
	setRoot(h, feed.Root{ID: deployments.ID("shop", "web")})
	s.Upsert(&object.Object{ID: deployments.ID("shop", "web"), UID: "web", ResourceVersion: "1", Workload: sel})
	h.Needs()
	h.SetPlanned(true)
	kicks := 0
	h.RequestPlan = func() { kicks++ }
	r.Upsert(set("web-1", "web"))
	r.Remove(set("web-1", "web"))
	if kicks != 0 || !h.planned {
		t.Errorf("%d plans were asked for by a ReplicaSet that comes and goes", kicks)
	}
	s.Remove(&object.Object{ID: deployments.ID("shop", "web"), UID: "web", ResourceVersion: "2"})
	if kicks == 0 || h.planned {
		t.Error("none was asked for when the Deployment went")
	}
}

// A Cluster's Machine may come before the control plane that owns it: both are named by an
// inventory. What the Machine owns belongs into the tree all the same.
func TestAMemberThatComesBeforeItsOwnerIsFollowedWithIt(t *testing.T) {
	machines := kube.Resource{Group: "cluster.x-k8s.io", Version: "v1beta1", Plural: "machines", Kind: "Machine", Namespaced: true}
	planes := kube.Resource{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta1", Plural: "planes", Kind: "Plane", Namespaced: true}
	owned := func(res kube.Resource, name string, by ...object.Owner) *object.Object {
		return &object.Object{ID: res.ID("a", name), UID: name, ResourceVersion: "1", Owners: by}
	}
	h := New(0, "auto", func() time.Time { return time.Unix(1e9, 0) })
	source := func(res kube.Resource) *Intake {
		s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: res, Namespace: "a"}}
		h.AddIntake(s)
		return s
	}
	plane := owned(planes, "plane")
	machine := owned(machines, "machine", object.Owner{Group: planes.Group, Kind: "Plane", Name: "plane", UID: "plane", Controller: true})
	setRoot(h, feed.Root{ID: plane.ID})
	setRoot(h, feed.Root{ID: machine.ID})
	of := source(machines)
	of.Upsert(machine)
	if h.offers.Has("machine") || len(h.unfollowed) == 0 {
		t.Fatal("it is followed before its owner")
	}
	source(planes).Upsert(plane)
	h.Want(1, []object.ID{plane.ID})
	if !h.offers.Has("machine") || len(h.unfollowed) != 0 {
		t.Errorf("what it owns is not recognised: %v", h.offers)
	}
	other := owned(machines, "other", object.Owner{Group: planes.Group, Kind: "Plane", Name: "gone", UID: "gone", Controller: true})
	setRoot(h, feed.Root{ID: other.ID})
	of.Upsert(other)
	of.Remove(other)
	if len(h.unfollowed) != 0 {
		t.Errorf("an object that has gone is remembered: %v", h.unfollowed)
	}
	of.Upsert(other)
	adopted := owned(machines, "other", object.Owner{Group: planes.Group, Kind: "Plane", Name: "plane", UID: "plane", Controller: true})
	adopted.ResourceVersion = "2"
	of.Upsert(adopted)
	if len(h.unfollowed) != 0 {
		t.Errorf("an object is remembered by an owner that it no longer has: %v", h.unfollowed)
	}
}

func TestAListDeletesOnlyObjectsThatItsSourceKeeps(t *testing.T) {
	h := New(0, "none", func() time.Time { return time.Unix(1e9, 0) })
	source := func(names ...string) *Intake {
		s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "ns", Names: uint64(len(names))}, keep: sources.Names{}}
		for _, name := range names {
			s.keep["ns/"+name] = true
		}
		h.AddIntake(s)
		return s
	}
	before, after := source("a"), source("a", "b")
	b := &object.Object{ID: deployments.ID("ns", "b"), UID: "b", ResourceVersion: "5"}
	setRoot(h, feed.Root{ID: b.ID})
	before.listed = true
	if _, listed := h.Object(b.ID); listed {
		t.Error("a source that drops it has answered for b")
	}
	before.Replace(nil, "4")
	after.Upsert(b)
	before.Replace(nil, "6")
	if got := h.collect(); len(got.Absent) > 0 || len(got.Gone) > 0 || len(got.Objects) != 1 {
		t.Errorf("a list without b: absent %v, gone %v, objects %v", got.Absent, got.Gone, got.Objects)
	}
	after.Replace(nil, "7")
	if got := h.collect(); len(got.Absent) != 1 {
		t.Errorf("the list of its own source: absent %v", got.Absent)
	}
}

func TestANewRootIsNotAbsentByAListThatMayBeOld(t *testing.T) {
	h := New(0, "none", func() time.Time { return time.Unix(1e9, 0) })
	s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "ns", Target: 1}}
	h.AddIntake(s)
	s.Replace(nil, "5")
	id := deployments.ID("ns", "new")
	for _, c := range []struct {
		phase feed.Phase
		want  int
	}{{feed.Stale, 0}, {feed.Live, 1}} {
		s.UpdateState(func(st *feed.SourceState) { st.Phase = c.phase })
		h.SetRoots(Roots{List: []*feed.Root{{ID: id}}, ByID: map[object.ID]*feed.Root{id: {ID: id}}}, true)
		if got := h.collect(); len(got.Absent) != c.want {
			t.Errorf("%v: absent %v", c.phase, got.Absent)
		}
	}
}

// A selection finds an object, and then it is named, too. Deleted, it is no root of the
// selection any more; the next plan, which names the same, makes it an absent one.
func TestANamedObjectStaysARootWhenItLeavesTheSelection(t *testing.T) {
	h := New(0, "none", func() time.Time { return time.Unix(1e9, 0) })
	s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "ns", Target: 1}, sel: everything}
	h.AddIntake(s)
	s.UpdateState(func(st *feed.SourceState) { st.Phase = feed.Live })
	id := deployments.ID("ns", "web")
	s.Upsert(&object.Object{ID: id, UID: "u", ResourceVersion: "1"})
	roots := Roots{List: []*feed.Root{{ID: id}}, ByID: map[object.ID]*feed.Root{id: {ID: id}}}
	h.SetRoots(roots, true)
	s.Remove(&object.Object{ID: id, UID: "u", ResourceVersion: "2"})
	h.collect()
	roots.Unchanged = true
	h.SetRoots(roots, true)
	if b := h.collect(); len(b.Absent) != 1 || b.Absent[0] != id {
		t.Errorf("absent: %v, want %v", b.Absent, id)
	}
}

func TestTheKeysOfParentsThatHaveGoneAreForgotten(t *testing.T) {
	h := New(0, "all", func() time.Time { return time.Unix(1e9, 0) })
	s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "ns"}, sel: everything}
	h.AddIntake(s)
	parent := func(i int) *object.Object {
		return &object.Object{ID: deployments.ID("ns", fmt.Sprint(i)), UID: fmt.Sprint("uid-", i), ResourceVersion: fmt.Sprint(i + 1)}
	}
	stays := parent(0)
	s.Upsert(stays)
	for i := range 10_000 {
		s.Upsert(parent(i + 1))
		s.Remove(parent(i + 1))
		h.collect()
		h.sweep()
	}
	if n := len(h.offers); n > 2000 || !h.offers.Has(stays.UID) {
		t.Errorf("%d keys of one parent", n)
	}
}

func TestWantedObjectsThatNeverExistedAreForgotten(t *testing.T) {
	h := New(0, "auto", time.Now)
	s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: rsRes, Namespace: "shop"}, sel: everything}
	h.AddIntake(s)
	parent := &object.Object{ID: rsRes.ID("shop", "web-1"), UID: "1", ResourceVersion: "1"}
	s.Upsert(parent)
	wish := []object.ID{parent.ID}
	for i := range 10_000 {
		wish = append(wish, object.ID{Group: "batch", Kind: "Job", Namespace: "shop", Name: fmt.Sprint(i)})
	}
	h.Want(1, wish)
	s.Remove(parent)
	h.Want(2, wish[:1]) // in a moment it is there again
	s.Upsert(&object.Object{ID: parent.ID, UID: "2", ResourceVersion: "2"})
	h.Want(3, nil)
	if n := len(h.wanted); n != 1 || len(h.followed) != 1 {
		t.Errorf("%d are wanted, %d followed", n, len(h.followed))
	}
}

func TestAFirstSyncOfManyIsHandedOverInFewBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(time.Second, "none", time.Now)
		s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: podsRes, Namespace: "shop"}, sel: everything}
		h.AddIntake(s)
		n := 0
		upsert := func(many int) {
			for range many {
				n++
				s.Upsert(&object.Object{ID: podsRes.ID("shop", fmt.Sprint(n)), UID: fmt.Sprint(n), ResourceVersion: "1", Pod: &object.Pod{PodTemplate: &object.PodTemplate{}}})
			}
		}
		next := func() time.Duration {
			began := time.Now()
			if _, err := h.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		upsert(1)
		if d := next(); d != 0 {
			t.Errorf("the first row took %v", d)
		}
		upsert(10)
		if d := next(); d != time.Second {
			t.Errorf("few came after %v", d)
		}
		upsert(manyObjects)
		if d := next(); d != syncFrames*time.Second {
			t.Errorf("many came after %v", d)
		}
		upsert(12 * 1000)
		if d := next(); d != 12*time.Second {
			t.Errorf("very many came after %v", d)
		}
		upsert(50 * 1000)
		if d := next(); d != 30*time.Second {
			t.Errorf("yet more came after %v", d)
		}
		upsert(1)
		time.AfterFunc(1500*time.Millisecond, func() {
			h.Needs()
			h.SetPlanned(true)
			s.UpdateState(func(st *feed.SourceState) { st.Phase = feed.Live })
		})
		if d := next(); d > 3*time.Second {
			t.Errorf("the end of the sync came after %v", d)
		}
	})
}

// A parent whose children have no source yet is news that nothing calls synced.
func TestABatchIsNotSyncedWhileAPlanIsMissing(t *testing.T) {
	h := New(0, "all", time.Now)
	src := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{Resource: deployments, Namespace: "shop", Target: 1}, sel: everything}
	h.AddIntake(src)
	src.Replace(nil, "1")
	src.UpdateState(func(st *feed.SourceState) { st.Phase = feed.Live })
	h.Needs()
	h.SetPlanned(true)
	if b := h.collect(); !b.Synced {
		t.Fatal("an empty selection is not synced")
	}
	src.Upsert(&object.Object{ID: deployments.ID("shop", "web"), UID: "web", ResourceVersion: "2", Workload: &object.Workload{
		HasSelector: true, Selector: object.Selector{Match: []object.Label{{Key: "app", Value: "web"}}},
	}})
	if b := h.collect(); b.Synced {
		t.Error("synced, although no plan knows of the Deployment")
	}
	h.Needs()
	h.SetPlanned(true)
	if b := h.collect(); !b.Synced {
		t.Error("not synced after the plan")
	}
}

// A source may be replaced by one of the same key, as where it polls from then on:
// what is published last is the new one's state.
func TestTheEndOfASourceDoesNotHideItsSuccessor(t *testing.T) {
	h := New(0, "none", time.Now)
	add := func(sp plan.Spec) *Intake {
		s := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: sp, state: feed.SourceState{Key: sp.Key(), Phase: feed.Waiting}}
		h.AddIntake(s)
		return s
	}
	before := add(plan.Spec{Resource: deployments, Namespace: "shop", Target: 1})
	before.UpdateState(func(st *feed.SourceState) { st.Phase = feed.Live })
	add(plan.Spec{Resource: deployments, Namespace: "shop", Target: 1, Poll: true}).UpdateState(func(st *feed.SourceState) { st.Phase = feed.Forbidden })
	h.collect()
	h.DropIntake(before)
	if got := h.collect().Sources; len(got) != 1 || got[0].Phase != feed.Forbidden {
		t.Errorf("published: %+v", got)
	}
}

// A wider source's list may have begun before an object was deleted.
func TestAnOlderListBringsNoDeletedChildBack(t *testing.T) {
	h := New(0, "all", func() time.Time { return time.Unix(1e9, 0) })
	deployment := deployments.ID("shop", "web")
	setRoot(h, feed.Root{ID: deployment})
	add := func(spec plan.Spec) *Intake {
		src := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: spec}
		src.state.Key = spec.Key()
		h.AddIntake(src)
		return src
	}
	add(plan.Spec{Resource: deployments, Namespace: "shop", Name: "web"}).Upsert(&object.Object{ID: deployment, UID: "d", ResourceVersion: "1"})
	narrow := add(plan.Spec{Resource: rsRes, Namespace: "shop", Selector: "app=web", Role: plan.Children})
	wide := add(plan.Spec{Resource: rsRes, Namespace: "shop", Role: plan.Children})
	set := func(version string) *object.Object {
		return &object.Object{
			ID: rsRes.ID("shop", "web-1"), UID: "r", ResourceVersion: version,
			Owners: []object.Owner{{Group: "apps", Kind: "Deployment", Name: "web", UID: "d", Controller: true}},
		}
	}
	narrow.Upsert(set("5"))
	h.collect()
	narrow.Remove(set("7"))
	if gone := h.collect().Gone; len(gone) != 1 {
		t.Fatalf("deleted: %v", gone)
	}
	wide.Upsert(set("5"))
	if back := h.collect().Objects; len(back) != 0 {
		t.Errorf("back from the list of an older moment: %v", back)
	}
	if known, _ := h.Size(); known != 1 {
		t.Errorf("%d objects are remembered, the Deployment is wanted", known)
	}
	wide.Upsert(set("9"))
	if b := h.collect(); len(b.Objects) != 1 {
		t.Error("a newer version is not shown")
	}
}

// A Pod that was taken out of service by its label lives. One that was deleted had a
// deletion time before it was gone; a ReplicaSet that the collector deletes has none.
func TestAPodThatLosesItsLabelIsNotDeleted(t *testing.T) {
	pod := object.ID{Kind: "Pod", Namespace: "shop", Name: "web-1"}
	for _, c := range []struct {
		name    string
		o       *object.Object
		dropped bool
	}{
		{"relabelled", &object.Object{ID: pod, Pod: &object.Pod{Node: "n1"}}, true},
		{"deleted", &object.Object{ID: pod, Pod: &object.Pod{Node: "n1"}, Deleted: time.Unix(1e9, 0)}, false},
		{"deleted before it had a node", &object.Object{ID: pod, Pod: &object.Pod{}}, false},
		{"of a kind that is deleted at once", &object.Object{ID: rsRes.ID("shop", "web")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := New(0, "all", func() time.Time { return time.Unix(1e9, 0) })
			src := &Intake{lastData: never, cancel: func() {}, records: sets.Set[*record]{}, spec: plan.Spec{
				Resource: kube.Resource{Group: c.o.Group, Kind: c.o.Kind}, Namespace: "shop", Selector: "app=web", Role: plan.Children,
			}}
			h.AddIntake(src)
			parent := deployments.ID("shop", "web")
			setRoot(h, feed.Root{ID: parent})
			c.o.UID, c.o.ResourceVersion = "u", "3"
			src.Upsert(c.o)
			h.show(h.records[c.o.ID])
			h.collect()
			last := *c.o
			last.ResourceVersion = "5"
			src.Remove(&last)
			if b := h.collect(); len(b.Gone) != 1 || b.Gone[0].Dropped != c.dropped {
				t.Errorf("%+v, want dropped %v", b.Gone, c.dropped)
			}
		})
	}
}
