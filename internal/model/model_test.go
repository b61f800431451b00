package model

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestARootIsUnknownUntilTheFirstAnswerThenNotFoundThenPresent(t *testing.T) {
	p := newPlay(t, Options{})
	d := deployment("web", 2)
	p.batch(0, feed.Batch{Roots: []feed.Root{root(d)}})
	r, _ := p.m.Facts.Resource(d.ID)
	if r.Assessment.Status != status.Unknown || r.Assessment.Reason != world.ReasonWaiting {
		t.Errorf("before the first answer: %v", r.Assessment)
	}
	p.batch(time.Second, feed.Batch{Absent: []object.ID{d.ID}, Synced: true})
	if v := p.m.Facts.Verdict().Status; v != status.InProgress {
		t.Errorf("verdict over something absent is %s, want InProgress", v)
	}
	if c := p.m.Facts.Counts(); c[status.NotFound] != 1 || c.Total() != 1 {
		t.Errorf("counts: %v", c)
	}
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{d}})
	if v := p.m.Facts.Verdict().Status; v != status.Current {
		t.Errorf("verdict is %s, want Current", v)
	}
	p.batch(3*time.Second, feed.Batch{Gone: []feed.Gone{{ID: d.ID, UID: d.UID}}})
	r, _ = p.m.Facts.Resource(d.ID)
	if r.Assessment.Status != status.NotFound || r.Assessment.Reason != world.ReasonDeleted || !r.Assessment.Since.Equal(at(3*time.Second)) {
		t.Errorf("after the deletion: %+v", r.Assessment)
	}
	var path []status.Status
	for _, h := range historyOf(p.m, d.ID) {
		path = append(path, h.To)
	}
	want := []status.Status{status.Unknown, status.NotFound, status.Current, status.NotFound}
	if diff := cmp.Diff(want, path); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestAnEmptySetIsNeverSuccess(t *testing.T) {
	p := newPlay(t, Options{})
	p.batch(0, feed.Batch{Synced: true})
	if v := p.m.Facts.Verdict(); v.Status == status.Current || !v.Empty {
		t.Errorf("verdict over nothing: %+v", v)
	}
}

func TestTheVerdictLeavesOptionalOnesOut(t *testing.T) {
	p := newPlay(t, Options{})
	a, b := deployment("web", 2), deployment("extra", 0)
	opt := root(b)
	opt.Optional = true
	p.batch(0, feed.Batch{Roots: []feed.Root{root(a), opt}, Objects: []*object.Object{a, b}, Synced: true})
	if v := p.m.Facts.Verdict().Status; v != status.Current {
		t.Errorf("verdict is %s, want Current", v)
	}
	if c := p.m.Facts.Counts(); c[status.Current] != 1 || c.Total() != 2 {
		t.Errorf("counts: %v", c)
	}
}

// Objects that are assumed to be Current are counted, and no longer once they
// report it; generated objects do not count.
func TestRootsThatAreAssumedCurrentAreCounted(t *testing.T) {
	widget := func(name, st string) *object.Object {
		o, err := convert.JSON([]byte(`{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"`+name+`","namespace":"shop","uid":"`+name+`"},"status":`+st+`}`), convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	p := newPlay(t, Options{Judge: status.Assess})
	a, b := widget("a", `{"uri":"http://a"}`), widget("b", `{"uri":"http://b"}`)
	p.batch(0, feed.Batch{Roots: []feed.Root{root(a), root(b)}, Objects: []*object.Object{a, b}, Synced: true})
	if n, v := p.m.Facts.Assumed(), p.m.Facts.Verdict().Status; n != 2 || v != status.Current {
		t.Errorf("%d are assumed, and the verdict is %s", n, v)
	}
	p.batch(time.Second, feed.Batch{Objects: []*object.Object{widget("b", `{"phase":"Running"}`)}})
	if n := p.m.Facts.Assumed(); n != 1 {
		t.Errorf("%d are assumed after one of two said more", n)
	}
	p.batch(2*time.Second, feed.Batch{Gone: []feed.Gone{{ID: a.ID, UID: "a"}}})
	if n := p.m.Facts.Assumed(); n != 0 {
		t.Errorf("%d are assumed after the other one went", n)
	}
}

// shop is a Deployment whose two pods cannot pull their image, and one that is
// well.
func shop() (web, webRS, p1, p2, api *object.Object, b feed.Batch) {
	web, api = deployment("web", 0), deployment("api", 2)
	webRS = replicaSet(web, "7c88b", 0)
	apiRS := replicaSet(api, "5f6d7", 2)
	p1, p2 = pod(webRS, "2xk", "ImagePullBackOff"), pod(webRS, "9qd", "ImagePullBackOff")
	a1, a2 := pod(apiRS, "aaa", ""), pod(apiRS, "bbb", "")
	b = feed.Batch{
		Roots: []feed.Root{root(api), root(web)},
		// Children before parents, on purpose: batches have no order.
		Objects: []*object.Object{a1, p1, a2, p2, apiRS, webRS, api, web},
		Synced:  true,
	}
	return
}

func TestProblemsComeFirstAndCarryTheirReasonUp(t *testing.T) {
	p := screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	got := p.rows()
	want := []string{
		">- Deployment/web Failed » ImagePullBackOff ×2",
		"   - ReplicaSet/web-7c88b Failed » ImagePullBackOff ×2",
		"     Pod/web-7c88b-2xk Failed",
		"     Pod/web-7c88b-9qd Failed",
		" + Deployment/api Current",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if g := p.m.Facts.GeneratedCounts(); g[status.Current] != 3 || g.Total() != 6 {
		t.Errorf("generated: %v", g)
	}
}

func TestRowsStayUnderTheUsersHand(t *testing.T) {
	p := screen(t)
	web, rs, p1, p2, _, b := shop()
	p.batch(0, b)
	p.keys("down", "down")
	heal := []*object.Object{
		again(web, func(o *object.Object) { o.Workload.Ready, o.Workload.Available = object.IntOf(2), object.IntOf(2) }),
		again(rs, func(o *object.Object) { o.Workload.Ready, o.Workload.Available = object.IntOf(2), object.IntOf(2) }),
	}
	for _, x := range []*object.Object{p1, p2} {
		heal = append(heal, again(x, func(o *object.Object) {
			o.Pod.Phase = "Running"
			o.Pod.Containers[0].State = object.ContainerState{Kind: "running"}
			o.Pod.Containers[0].Ready = true
			o.Conditions[1].Status = "True"
		}))
	}
	p.batch(time.Second, feed.Batch{Objects: heal})
	want := []string{
		" - Deployment/web Current",
		"   - ReplicaSet/web-7c88b Current",
		">    Pod/web-7c88b-2xk Current",
		"     Pod/web-7c88b-9qd Current",
		" + Deployment/api Current",
	}
	if diff := cmp.Diff(want, p.rows()); diff != "" {
		t.Errorf("within two seconds of a key (-want +got):\n%s", diff)
	}
	p.send(ClockTicked{at(3 * time.Second)})
	want = []string{
		" + Deployment/api Current",
		" - Deployment/web Current",
		"   - ReplicaSet/web-7c88b Current",
		">    Pod/web-7c88b-2xk Current",
		"     Pod/web-7c88b-9qd Current",
	}
	if diff := cmp.Diff(want, p.rows()); diff != "" {
		t.Errorf("later (-want +got):\n%s", diff)
	}
}

func TestChildrenOfObjectsThatAreNotCurrentAreWanted(t *testing.T) {
	p := newPlay(t, Options{})
	p.late = true
	web, _, _, _, api, b := shop()
	b.Objects = []*object.Object{web, api}
	p.batch(0, b)
	// Its own fields do not tell whether the pods of what looks Current crash.
	if diff := cmp.Diff([]object.ID{api.ID, web.ID}, slices.SortedFunc(slices.Values(p.wants.Children), object.ID.Compare)); diff != "" {
		t.Errorf("wanted children (-want +got):\n%s", diff)
	}
	if p.m.Intake.Quiesced() {
		t.Error("quiesced before the feed has answered")
	}
	p.batch(time.Second, feed.Batch{Synced: true, Answered: p.wants.Gen})
	if p.m.Intake.Quiesced() {
		t.Error("quiesced before the events have come")
	}
	p.batch(time.Second, feed.Batch{Synced: true, Answered: p.wants.Gen, EventsAnswered: p.wants.Gen})
	if !p.m.Intake.Quiesced() {
		t.Error("not quiesced though the feed has answered")
	}
}

// A parent that is created anew before its children were delivered has its old name
// among those that were asked for, and an answer to come that is not about it.
func TestTheChildrenOfARecreatedParentAreRequestedAgain(t *testing.T) {
	p := newPlay(t, Options{})
	p.late = true
	web := deployment("web", 2)
	p.batch(0, feed.Batch{Roots: []feed.Root{root(web)}, Objects: []*object.Object{web}})
	asked := p.wants.Gen
	again := deployment("web", 2)
	again.UID = "again"
	p.batch(time.Second, feed.Batch{Gone: []feed.Gone{{ID: web.ID, UID: web.UID}}, Objects: []*object.Object{again}})
	if p.wants.Gen == asked || len(p.wants.Children) != 1 {
		t.Errorf("asked for %d and then %d: %v", asked, p.wants.Gen, p.wants.Children)
	}
	p.batch(time.Second, feed.Batch{Synced: true, Answered: p.wants.Gen, EventsAnswered: p.wants.Gen})
	if v := p.m.Facts.Verdict(); v.Status != status.Current {
		t.Errorf("all is answered: %+v", v)
	}
}

func TestRootsKeepTheOrderOfTheCommandLine(t *testing.T) {
	p := newPlay(t, Options{})
	a, b, c := deployment("a", 2), deployment("b", 2), deployment("c", 2)
	p.batch(0, feed.Batch{Roots: []feed.Root{{ID: c.ID, Order: 2}, {ID: a.ID, Order: 3}}})
	p.batch(0, feed.Batch{Roots: []feed.Root{{ID: b.ID, Order: 2}, {ID: a.ID, Order: 1}}})
	if diff := cmp.Diff([]object.ID{a.ID, b.ID, c.ID}, p.m.Facts.Roots()); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
}

func TestRightsTakenAwayMakeTheVerdictOneOfThePast(t *testing.T) {
	p := screen(t)
	web := deployment("web", 2)
	source := feed.SourceState{
		Key: "deployments", Group: "apps", Kind: "Deployment", Resource: "deployments", Namespace: "shop",
		Mode: feed.ModeWatch, Phase: feed.Live, Objects: 1, LastData: at(0),
	}
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(web)}, Objects: []*object.Object{web}, Sources: []feed.SourceState{source}, Synced: true})
	if v := p.m.Facts.Verdict(); v.Lost || v.Status != status.Current {
		t.Fatalf("before: %+v", v)
	}
	source.Phase, source.Error, source.Since = feed.Forbidden, "forbidden", at(2*time.Second)
	p.batch(2*time.Second, feed.Batch{Sources: []feed.SourceState{source}, Synced: true})
	if v := p.m.Facts.Verdict(); !v.Lost || v.Status != status.Current {
		t.Errorf("refused: want the last known verdict, marked as lost: %+v", v)
	}
	if c := p.m.Facts.Connection(); c.Link != world.LinkStale || c.Error != "forbidden" || !c.LastData.Equal(at(0)) {
		t.Errorf("refused: want a stale connection that says since when and why: %+v", c)
	}
	source.Phase, source.Error = feed.Live, ""
	p.batch(3*time.Second, feed.Batch{Sources: []feed.SourceState{source}, Synced: true})
	if v := p.m.Facts.Verdict(); v.Lost {
		t.Errorf("given back: %+v", v)
	}
}

func TestACurrentVerdictFromStaleSourcesIsMarked(t *testing.T) {
	p := screen(t)
	web, db := deployment("web", 2), deployment("db", 2)
	source := func(namespace string, phase feed.Phase) feed.SourceState {
		return feed.SourceState{
			Key: namespace, Group: "apps", Kind: "Deployment", Resource: "deployments", Namespace: namespace,
			Mode: feed.ModeWatch, Phase: phase, Objects: 1, LastData: at(0),
		}
	}
	p.batch(time.Second, feed.Batch{
		Roots: []feed.Root{root(web), root(db)}, Objects: []*object.Object{web, db}, Synced: true,
		Sources: []feed.SourceState{source("shop", feed.Live), source("other", feed.Live)},
	})
	if v := p.m.Facts.Verdict(); v.Lost || v.Status != status.Current {
		t.Fatalf("before: %+v", v)
	}
	p.batch(2*time.Second, feed.Batch{Sources: []feed.SourceState{source("shop", feed.Stale)}, Synced: true})
	if v, c := p.m.Facts.Verdict(), p.m.Facts.Connection(); !v.Lost || c.Link != world.LinkReconnecting {
		t.Errorf("one of two streams lost: want a marked verdict and a link that reconnects: %+v, %+v", v, c)
	}
	p.batch(3*time.Second, feed.Batch{Sources: []feed.SourceState{source("shop", feed.Live)}, Synced: true})
	if v := p.m.Facts.Verdict(); v.Lost {
		t.Errorf("healed: %+v", v)
	}
	// What a selection that has found nothing would find now, nobody knows.
	empty := source("third", feed.Stale)
	empty.Objects = 0
	p.batch(3*time.Second, feed.Batch{Sources: []feed.SourceState{empty}})
	if v := p.m.Facts.Verdict(); !v.Lost {
		t.Errorf("an empty selection lost: %+v", v)
	}
	empty.Phase = feed.Closed
	p.batch(3*time.Second, feed.Batch{Sources: []feed.SourceState{empty}})
	// Of children, those count that a green may rest on: a Service's endpoints, a
	// workload's pods.
	for kind, lost := range map[string]bool{"PersistentVolumeClaim": false, "EndpointSlice": true, "Pod": true, "ReplicaSet": true} {
		s := source("shop", feed.Stale)
		s.Key, s.Kind, s.Children = kind, kind, true
		p.batch(4*time.Second, feed.Batch{Sources: []feed.SourceState{s}, Synced: true})
		if v := p.m.Facts.Verdict(); v.Lost != lost {
			t.Errorf("the stream of %ss lost: %+v", kind, v)
		}
		s.Phase = feed.Live
		p.batch(5*time.Second, feed.Batch{Sources: []feed.SourceState{s}, Synced: true})
	}
}

func TestAnObjectThatWasCurrentAtFirstHasNoDuration(t *testing.T) {
	p := screen(t)
	d := deployment("web", 2)
	d.UID = "uid-web"
	p.batch(400*time.Millisecond, feed.Batch{Objects: []*object.Object{d}, Roots: []feed.Root{root(d)}, Synced: true})
	if done, took := p.m.Facts.Done(); !done || took != 0 {
		t.Fatalf("found Current: done %t, took %v", done, took)
	}
	moving := again(d, func(o *object.Object) {
		o.Conditions = []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "False"}}}
	})
	moving.Deleted = at(5 * time.Second)
	p.batch(5*time.Second, feed.Batch{Objects: []*object.Object{moving}})
	if done, _ := p.m.Facts.Done(); done {
		t.Fatal("done while it goes")
	}
	p.batch(9*time.Second, feed.Batch{Objects: []*object.Object{again(d, func(*object.Object) {})}})
	if done, took := p.m.Facts.Done(); !done || took != 4*time.Second {
		t.Errorf("done %t, took %v; want 4s", done, took)
	}
}

func TestASetThatIsStillBeingListedIsNotDone(t *testing.T) {
	p := screen(t)
	d := deployment("web", 2)
	p.batch(100*time.Millisecond, feed.Batch{Objects: []*object.Object{d}, Roots: []feed.Root{root(d)}})
	if done, _ := p.m.Facts.Done(); done || p.m.Facts.Verdict().Status == status.Current {
		t.Fatalf("done %t, %+v, while other kinds have not answered", done, p.m.Facts.Verdict())
	}
	p.batch(200*time.Millisecond, feed.Batch{Synced: true})
	if done, _ := p.m.Facts.Done(); !done || p.m.Facts.Verdict().Status != status.Current {
		t.Errorf("done %t, %+v, when all has answered", done, p.m.Facts.Verdict())
	}
}
