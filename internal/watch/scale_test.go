package watch

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/events"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

func TestACrowdOfParentsIsAwaitedBeforeItsChildrenAreSought(t *testing.T) {
	now := time.Unix(1e9, 0)
	h := newHub(0, "all", func() time.Time { return now })
	e := &Engine{hub: h}
	s := &source{e: e, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: deployments, Namespace: "shop"}, keep: map[string]bool{}}
	h.add(s)
	for i := range manyParents {
		s.keep[fmt.Sprint("shop/web", i)] = true
		h.setRoot(feed.Root{ID: deployments.ID("shop", fmt.Sprint("web", i))})
	}
	tell := func(name string) {
		h.upsert(s, &object.Object{ID: deployments.ID("shop", name), UID: name, ResourceVersion: "1", Workload: &object.Workload{
			HasSelector: true, Selector: object.Selector{Match: []object.Label{{Key: "app", Value: name}}},
		}})
	}
	needs := func() ([]edges.Need, bool) {
		out, waiting := h.needs(nil)
		h.setPlanned(true)
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
	h.setState(s, func(st *feed.SourceState) { st.Phase = feed.Live })
	if n, waiting := needs(); len(n) != 2 || waiting || !h.synced {
		t.Errorf("its list is complete: %d needs, waiting %v, synced %v", len(n), waiting, h.synced)
	}
}

func TestAReplicaSetWhoseDeploymentIsFollowedChangesNoPlan(t *testing.T) {
	h := newHub(0, "all", func() time.Time { return time.Unix(1e9, 0) })
	e := &Engine{hub: h}
	s := &source{e: e, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: deployments, Namespace: "shop"}}
	r := &source{e: e, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: rsRes, Namespace: "shop", Child: true}}
	h.add(s)
	h.add(r)
	sel := &object.Workload{HasSelector: true, Selector: object.Selector{Match: []object.Label{{Key: "app", Value: "web"}}}}
	set := func(name, owner string) *object.Object {
		return &object.Object{ID: rsRes.ID("shop", name), UID: name, ResourceVersion: "1", Workload: sel, Owners: []object.Owner{{
			Group: "apps", Kind: "Deployment", Name: owner, UID: owner, Controller: true,
		}}}
	}
	h.setRoot(feed.Root{ID: deployments.ID("shop", "web")})
	h.upsert(s, &object.Object{ID: deployments.ID("shop", "web"), UID: "web", ResourceVersion: "1", Workload: sel})
	h.needs(nil)
	kicks := 0
	h.kick = func() { kicks++ }
	h.upsert(r, set("web-1", "web"))
	h.remove(r, set("web-1", "web"))
	if kicks != 0 || !h.planned {
		t.Errorf("%d plans were asked for by a ReplicaSet that comes and goes", kicks)
	}
	h.remove(s, &object.Object{ID: deployments.ID("shop", "web"), UID: "web", ResourceVersion: "2"})
	if kicks == 0 || h.planned {
		t.Error("none was asked for when the Deployment went")
	}
}

func TestAFirstSyncOfManyIsHandedOverInFewBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(time.Second, "none", time.Now)
		e := &Engine{hub: h}
		s := &source{e: e, recs: map[*rec]struct{}{}, spec: plan.Spec{Resource: podsRes, Namespace: "shop"}, sel: &rootSelection{target: &target{Target: &inventory.Target{}}}}
		h.add(s)
		n, since := 0, uint64(0)
		upsert := func(many int) {
			for range many {
				n++
				h.upsert(s, &object.Object{ID: podsRes.ID("shop", fmt.Sprint(n)), UID: fmt.Sprint(n), ResourceVersion: "1", Pod: &object.Pod{PodTemplate: &object.PodTemplate{}}})
			}
		}
		next := func() time.Duration {
			began := time.Now()
			b, err := h.next(t.Context(), since)
			if err != nil {
				t.Fatal(err)
			}
			since = b.Seq
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
		upsert(largeSync)
		if d := next(); d != largeSyncFrames*time.Second {
			t.Errorf("many came after %v", d)
		}
		upsert(1)
		time.AfterFunc(1500*time.Millisecond, func() {
			h.needs(nil)
			h.setPlanned(true)
			h.setState(s, func(st *feed.SourceState) { st.Phase = feed.Live })
		})
		if d := next(); d > 3*time.Second {
			t.Errorf("the end of the sync came after %v", d)
		}
	})
}

// eventsAbout lists requests for events about single objects.
func eventsAbout(r testcluster.Request) bool {
	return r.Resource == "events" && r.Verb == "list" && r.Query != "" && r.Query != "limit=500"
}

func TestWhoIsWantedUnderAWatchOfEventsNeedsNoListOfItsOwn(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		event := func(name, about string) {
			c.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":%q,"namespace":"shop"},"involvedObject":{"uid":%q},"reason":"Because","count":1}`, name, about))
		}
		var targets []inventory.Target
		var ids []object.ID
		for i := range 6 {
			name := fmt.Sprint("web", i)
			putApp(c, name)
			targets = append(targets, named("deploy", name))
			ids = append(ids, deployments.ID("shop", name))
		}
		f := start(t, c, Options{}, targets...)
		f.within(time.Second, "synced", func() bool { return f.synced })
		event("before", f.objects[ids[5]].UID)
		f.e.Want(feed.Wants{Gen: 1, Events: ids[:4]})
		f.within(time.Second, "told", func() bool { return f.told == 1 })
		event("during", f.objects[ids[4]].UID)
		f.rest(time.Second)
		f.e.Want(feed.Wants{Gen: 2, Events: ids})
		f.within(time.Second, "both events", func() bool { return f.told == 2 && len(f.events) == 2 })
		if n := count(c, eventsAbout); n != 0 {
			t.Errorf("%d lists about single objects", n)
		}
	})
}

func TestEventsThatMayNotBeListedAreAskedForMoreAndMoreSeldom(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		lift := c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Resource == "events" }, Status: 403, Message: "no"})
		f := start(t, c, Options{}, named("deploy", "web"))
		f.within(time.Second, "synced", func() bool { return f.synced })
		f.e.Want(feed.Wants{Gen: 1, Events: []object.ID{deployments.ID("shop", "web")}})
		f.within(time.Second, "the refusal", func() bool { return f.told == 1 && f.sources["events -n shop"].Phase == feed.Forbidden })
		for _, x := range []struct {
			what        string
			rest        time.Duration
			least, most int
		}{{"first minute", time.Minute, 2, 3}, {"ten minutes after it", 10 * time.Minute, 9, 11}} {
			began := time.Now()
			f.rest(x.rest)
			if n := count(c, func(r testcluster.Request) bool { return r.Resource == "events" && r.At.After(began) }); n < x.least || n > x.most {
				t.Errorf("%d more requests in the %s, want %d to %d", n, x.what, x.least, x.most)
			}
		}
		lift()
		f.within(time.Minute+events.Pace, "the right given back", func() bool { return f.sources["events -n shop"].Phase == feed.Closed })
	})
}

func TestARightToEventsThatComesLateIsSoonUsed(t *testing.T) {
	for _, n := range []int{1, events.Several} {
		t.Run(fmt.Sprint(n, " wanted"), func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				var ids []object.ID
				var targets []inventory.Target
				for i := range n {
					name := fmt.Sprint("web", i)
					putApp(c, name)
					targets = append(targets, named("deploy", name))
					ids = append(ids, deployments.ID("shop", name))
				}
				lift := c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Resource == "events" }, Status: 403, Message: "no"})
				f := start(t, c, Options{}, targets...)
				f.settled()
				f.e.Want(feed.Wants{Gen: 1, Events: ids})
				f.within(2*time.Second, "the refusal", f.phase("events", feed.Forbidden))
				lift()
				f.within(events.Pace+2*time.Second, "the right given", func() bool { return f.source("events").Key == "" })
			})
		})
	}
}

// Rows opened one after the other still get their children by selectors when
// there would be too many streams; other objects of the namespace never arrive,
// and no row disappears meanwhile.
func TestParentsOpenedOneByOneNeverBringTheWholeNamespace(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		const opened, foreign = 14, 50
		var targets []inventory.Target
		for i := range opened {
			name := fmt.Sprintf("web%02d", i)
			putApp(c, name)
			targets = append(targets, inventory.Target{Source: "-f app.yaml", ID: deployments.ID("shop", name), Version: "v1"})
		}
		for i := range foreign {
			putApp(c, fmt.Sprint("other", i))
		}
		f := start(t, c, Options{}, targets...)
		f.settled()
		var children []object.ID
		for i, target := range targets {
			children = append(children, target.ID)
			f.e.Want(feed.Wants{Gen: uint64(i + 1), Children: children})
			f.within(5*time.Second, "the children", func() bool { return len(f.objects) == opened+2*(i+1) })
			f.rest(3 * time.Second)
		}
		if len(f.gone) > 0 {
			t.Errorf("went in between: %v", f.gone)
		}
		if n := count(c, func(r testcluster.Request) bool {
			return r.Resource == "pods" && !strings.Contains(r.Query, "labelSelector")
		}); n > 0 {
			t.Errorf("the whole namespace was asked for %d times", n)
		}
		f.e.hub.mu.Lock()
		hidden, known := len(f.e.hub.hidden), len(f.e.hub.recs)
		f.e.hub.mu.Unlock()
		if hidden > 0 || known != 3*opened {
			t.Errorf("%d are known, %d of them nobody's", known, hidden)
		}
		if n := len(f.states()); n > opened+2*plan.FewSelectors {
			t.Errorf("%d streams: %v", n, f.states())
		}
	})
}
