package main

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// fakeModel is what a goal sees, set by hand.
type fakeModel struct {
	now       time.Time
	syncing   bool
	asking    bool // something that is needed to judge has not been answered
	growing   bool // something new is being looked into
	lost      bool
	linkError string
	link      world.Link
	resources []known.Resource
}

func (w *fakeModel) Now() time.Time { return w.now }
func (w *fakeModel) Synced() bool   { return !w.syncing }
func (w *fakeModel) Whole() bool    { return !w.syncing && !w.growing }
func (w *fakeModel) Answered() bool { return !w.syncing && !w.asking }
func (w *fakeModel) Connection() world.Connection {
	return world.Connection{Error: w.linkError, Link: w.link}
}

func (w *fakeModel) Verdict() known.Verdict {
	v := known.Verdict{Lost: w.lost}
	for r := range required(w) {
		if r.Assessment.Status == status.Failed {
			v.Status = status.Failed
		}
	}
	return v
}

func (w *fakeModel) Roots() (out []object.ID) {
	for _, r := range w.resources {
		out = append(out, r.ID)
	}
	return out
}

func (w *fakeModel) Resource(id object.ID) (known.Resource, bool) {
	for _, r := range w.resources {
		if r.ID == id {
			return r, true
		}
	}
	return known.Resource{}, false
}

var begin = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func newFakeModel(resources ...known.Resource) *fakeModel {
	return &fakeModel{now: begin, resources: resources}
}

// root is a named Deployment in a state, with a UID; no UID means that it is
// not there.
func root(name string, s status.Status, uid string) known.Resource {
	id := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: name}
	r := known.Resource{ID: id, Root: &feed.Root{ID: id, Source: "deploy/" + name}, Assessment: status.Assessment{Status: s}}
	if uid != "" {
		r.Object = &object.Object{ID: id, UID: uid, Generation: object.IntOf(1), Workload: &object.Workload{Replicas: object.IntOf(1)}}
	}
	return r
}

func with(r known.Resource, change func(*known.Resource)) known.Resource {
	if r.Object != nil {
		o := *r.Object
		if o.Workload != nil {
			w := *o.Workload
			o.Workload = &w
		}
		r.Object = &o
	}
	root := *r.Root
	r.Root = &root
	change(&r)
	return r
}

func newGoal(what string) *goal {
	a, err := parseAim(what)
	if err != nil {
		panic(err)
	}
	return &goal{aims: []aim{a}, failFast: failTerminal, deadline: begin.Add(time.Minute)}
}

// expect looks once, and wants this exit code; -1 is going on.
func expect(t *testing.T, g *goal, w *fakeModel, want int) {
	t.Helper()
	got := -1
	why := "going on"
	if o, _ := g.look(w); o != nil {
		got, why = o.Code, o.Why
	}
	if got != want {
		t.Errorf("ended with %d (%s), want %d", got, why, want)
	}
}

func TestTheGoalIsReachedWhenEverythingIs(t *testing.T) {
	here, absent := root("a", status.InProgress, "1"), root("a", status.NotFound, "")
	for _, test := range []struct {
		what string
		w    *fakeModel
		want int
	}{
		{forCurrent, newFakeModel(root("a", status.Current, "1"), root("b", status.Current, "2")), exitOK},
		{forCurrent, newFakeModel(root("b", status.Current, "1"), here), -1},
		{forCurrent, newFakeModel(absent), -1},
		{forCurrent, newFakeModel(), -1},
		{forExists, newFakeModel(here), exitOK},
		{forExists, newFakeModel(absent), -1},
		{forKnown, newFakeModel(absent), exitOK},
		{forKnown, newFakeModel(root("a", status.Unknown, "1")), -1},
		{forDeleted, newFakeModel(absent), exitOK},
		{forDeleted, newFakeModel(root("a", status.Terminating, "1")), -1},
		{forDeleted, newFakeModel(), exitError},
	} {
		expect(t, newGoal(test.what), test.w, test.want)
	}
}

func TestAStrictWaitDoesNotTakeWhatIsAssumed(t *testing.T) {
	guess := with(root("a", status.Current, "1"), func(r *known.Resource) { r.Assessment.Confidence = status.Assumed })
	sure := root("b", status.Current, "2")
	expect(t, newGoal(forCurrent), newFakeModel(guess, sure), exitOK)
	g := newGoal(forCurrent)
	g.strict = true
	expect(t, g, newFakeModel(sure), exitOK)
	g = newGoal(forCurrent)
	g.strict = true
	expect(t, g, newFakeModel(guess, sure), -1)
	late := newFakeModel(guess, sure)
	late.now = begin.Add(time.Minute)
	expect(t, g, late, exitPending)
	if e := g.end(exitOK, ""); !e.Open(guess) || e.Open(sure) {
		t.Error("what is assumed is not listed as what is waited for")
	}
}

func TestASelectionThatEmptiesIsDeletedAndNeverCurrent(t *testing.T) {
	pod := with(root("a", status.Current, "1"), func(r *known.Resource) { r.Root.Source = "pods -l app=x" })
	other := with(root("b", status.InProgress, "2"), func(r *known.Resource) { r.Root.Source = "pods -l app=x" })
	g := newGoal(forDeleted)
	expect(t, g, newFakeModel(pod), -1)
	expect(t, g, newFakeModel(), exitOK)

	g = newGoal(forCurrent)
	expect(t, g, newFakeModel(pod, other), -1)
	expect(t, g, newFakeModel(), -1) // members come and go
	w := newFakeModel()
	w.now = begin.Add(time.Hour)
	expect(t, g, w, exitError)
}

func TestFailFastChoosesWhatStopsTheWait(t *testing.T) {
	healing := root("a", status.Failed, "1")
	dead := with(healing, func(r *known.Resource) { r.Assessment.Terminal = true })
	optional := with(dead, func(r *known.Resource) { r.Root.Optional = true })
	for _, test := range []struct {
		failFast string
		r        known.Resource
		want     int
	}{
		{failTerminal, healing, -1},
		{failTerminal, dead, exitFailed},
		{failAny, healing, exitFailed},
		{failNever, dead, -1},
		{failAny, optional, -1},
	} {
		g := newGoal(forCurrent)
		g.failFast = test.failFast
		expect(t, g, newFakeModel(test.r), test.want)
	}
}

func TestATimeoutSaysWhatWasSeenLast(t *testing.T) {
	late := func(w *fakeModel) *fakeModel {
		w.now = begin.Add(time.Minute)
		return w
	}
	expect(t, newGoal(forCurrent), late(newFakeModel(root("a", status.InProgress, "1"))), exitPending)
	expect(t, newGoal(forCurrent), late(newFakeModel(root("a", status.NotFound, ""))), exitPending)
	expect(t, newGoal(forCurrent), late(newFakeModel(root("a", status.Failed, "1"))), exitFailed)
	expect(t, newGoal(forDeleted), late(newFakeModel(root("a", status.Failed, "1"))), exitFailed)
	expect(t, newGoal(forCurrent), late(newFakeModel(root("a", status.Current, "1"))), exitOK)
	unreachable := late(newFakeModel())
	unreachable.syncing, unreachable.linkError = true, "refused"
	expect(t, newGoal(forCurrent), unreachable, exitError)

	forever := newGoal(forCurrent)
	forever.deadline = time.Time{}
	w := newFakeModel(root("a", status.InProgress, "1"))
	w.now = begin.Add(1000 * time.Hour)
	expect(t, forever, w, -1)
}

func TestWhatIsDeletedOrRecreatedIsNotWhatWasAskedFor(t *testing.T) {
	g := newGoal(forCurrent)
	expect(t, g, newFakeModel(root("a", status.InProgress, "1")), -1)
	expect(t, g, newFakeModel(root("a", status.NotFound, "")), exitMoved)

	g = newGoal(forCurrent)
	expect(t, g, newFakeModel(root("a", status.InProgress, "1")), -1)
	expect(t, g, newFakeModel(root("a", status.Current, "2")), exitMoved)

	g = newGoal(forCurrent)
	optional := func(s status.Status, uid string) known.Resource {
		return with(root("a", s, uid), func(r *known.Resource) { r.Root.Optional = true })
	}
	expect(t, g, newFakeModel(optional(status.Failed, "1"), root("b", status.InProgress, "2")), -1)
	expect(t, g, newFakeModel(optional(status.NotFound, ""), root("b", status.InProgress, "2")), -1)
}

// jobWithTTL is a Current Job with a condition that its TTL will remove.
func jobWithTTL(condition string) known.Resource {
	return with(root("a", status.Current, "1"), func(r *known.Resource) {
		r.Object.Workload, r.Object.Job = nil, &object.Job{TTL: object.IntOf(5)}
		r.Object.Conditions = []object.Condition{{Statement: &object.Statement{Type: condition, Status: "True"}}}
	})
}

func TestAJobThatItsTTLRemovedWasFinished(t *testing.T) {
	job := jobWithTTL("Complete")
	// Not every state is observed: this one is terminating when it is first
	// seen.
	going := with(job, func(r *known.Resource) { r.Assessment.Status = status.Terminating })
	unfinished := with(going, func(r *known.Resource) { r.Object.Conditions = nil })
	expect(t, newGoal(forCurrent), newFakeModel(going), exitOK)
	expect(t, newGoal(forDeleted), newFakeModel(going), -1)
	expect(t, newGoal(forCurrent), newFakeModel(unfinished), -1)
	g := newGoal(forCurrent)
	g.settle = 10 * time.Second
	w := newFakeModel(job)
	expect(t, g, w, -1)
	w.now, w.resources = begin.Add(9*time.Second), []known.Resource{root("a", status.NotFound, "")}
	expect(t, g, w, -1)
	w.now = begin.Add(10 * time.Second)
	expect(t, g, w, exitOK)
}

func TestAJobWhoseCompletionIsNeverSeenHasSucceeded(t *testing.T) {
	decided := with(jobWithTTL("SuccessCriteriaMet"), func(r *known.Resource) { r.Assessment.Status = status.InProgress })
	for what, want := range map[string]int{forCurrent: exitOK, "condition=complete": exitOK, "condition=Failed": exitMoved, forExists: exitMoved} {
		g := newGoal(what)
		g.settle = time.Second
		w := newFakeModel(decided)
		expect(t, g, w, -1)
		w.resources = []known.Resource{root("a", status.NotFound, "")}
		if want == exitOK {
			expect(t, g, w, -1)
			w.now = begin.Add(time.Second)
		}
		expect(t, g, w, want)
	}
}

// What a Job has not become is not so because it completed and will be removed.
func TestAJobWithATTLIsJudgedAsItIs(t *testing.T) {
	job := jobWithTTL("Complete")
	for _, what := range []string{"condition=Failed", "jsonpath={.status.failed}"} {
		g := newGoal(what)
		expect(t, g, newFakeModel(job), -1)
		expect(t, g, newFakeModel(with(job, func(r *known.Resource) { r.Assessment.Status = status.Terminating })), -1)
		expect(t, g, newFakeModel(root("a", status.NotFound, "")), exitMoved)
	}
	g := newGoal(forCurrent)
	expect(t, g, newFakeModel(with(job, func(r *known.Resource) { r.Assessment.Status = status.Failed })), -1) // by the user's rule
	expect(t, g, newFakeModel(with(job, func(r *known.Resource) { r.Assessment.Status = status.Terminating })), -1)
	expect(t, g, newFakeModel(root("a", status.NotFound, "")), exitMoved)
}

// A read from before the apply meets no goal.
func TestNoGoalIsMetByAnOlderGenerationThanWasApplied(t *testing.T) {
	older := with(root("a", status.InProgress, "1"), func(r *known.Resource) {
		r.Root.Generation = 3
		r.Object.Generation, r.Object.Observed = object.IntOf(2), object.IntOf(2)
		r.Object.Conditions = []object.Condition{{Statement: &object.Statement{Type: "Available", Status: "True"}}}
	})
	applied := with(older, func(r *known.Resource) { r.Object.Generation, r.Object.Observed = object.IntOf(3), object.IntOf(3) })
	for _, what := range []string{"condition=Available", forExists, forKnown} {
		expect(t, newGoal(what), newFakeModel(older), -1)
		expect(t, newGoal(what), newFakeModel(applied), exitOK)
	}
}

// An inventory that may fail is not asked for its condition, nor are its members:
// then nobody is.
func TestAConditionThatNobodyIsAskedForIsNotMet(t *testing.T) {
	apps := root("apps", status.InProgress, "1")
	web := with(root("web", status.InProgress, "2"), func(r *known.Resource) { r.Root.In = apps.ID })
	optional := with(apps, func(r *known.Resource) { r.Root.Optional = true })
	expect(t, newGoal("condition=Ready"), newFakeModel(optional, web), -1)
	current := with(web, func(r *known.Resource) { r.Assessment.Status = status.Current })
	expect(t, newGoal(forCurrent), newFakeModel(optional, current), exitOK)
	ready := with(apps, func(r *known.Resource) {
		r.Object.Conditions = []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "True"}}}
	})
	expect(t, newGoal("condition=Ready"), newFakeModel(ready, web), exitOK)
}

// A member that is listed again is another one: it has not finished before.
func TestAMemberThatIsListedAgainIsWaitedFor(t *testing.T) {
	member := func(r known.Resource) known.Resource {
		return with(r, func(r *known.Resource) { r.Root.In = object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "inv"} })
	}
	kept := func(r known.Resource) known.Resource {
		return with(r, func(r *known.Resource) { r.Root.Kept = true })
	}
	web, other := member(root("web", status.Current, "9")), member(root("other", status.InProgress, "8"))
	gone := member(root("a", status.NotFound, ""))
	for _, left := range []*fakeModel{newFakeModel(web, other), newFakeModel(web, other, kept(gone))} {
		g := newGoal(forCurrent)
		expect(t, g, newFakeModel(web, other, member(jobWithTTL("Complete"))), -1)
		expect(t, g, newFakeModel(web, other, gone), -1)
		expect(t, g, left, -1)
		expect(t, g, newFakeModel(web, gone), -1)
		if e := g.end(exitOK, ""); e.Note != "" {
			t.Error(e.Note)
		}
	}
}

func TestAnotherApplyEndsAPinnedWaitAndAnAutoscalerDoesNot(t *testing.T) {
	at := func(generation int64, sum uint32) known.Resource {
		return with(root("a", status.InProgress, "1"), func(r *known.Resource) {
			r.Root.Generation = 3
			r.Object.Generation, r.Object.SpecSum = object.IntOf(generation), sum
		})
	}
	g := newGoal(forCurrent)
	expect(t, g, newFakeModel(at(3, 7)), -1)
	expect(t, g, newFakeModel(at(4, 7)), -1)
	expect(t, g, newFakeModel(at(6, 7)), -1)
	expect(t, g, newFakeModel(at(7, 8)), exitMoved)

	g = newGoal(forCurrent)
	expect(t, g, newFakeModel(at(3, 0)), -1) // it has no replicas
	expect(t, g, newFakeModel(at(4, 0)), exitMoved)
}

func TestTheGoalMustHoldAsLongAsSettleSays(t *testing.T) {
	g := newGoal(forCurrent)
	g.settle = 10 * time.Second
	w := newFakeModel(root("a", status.Current, "1"))
	o, wake := g.look(w)
	if o != nil || !wake.Equal(begin.Add(10*time.Second)) {
		t.Fatalf("looked once: %v, look again at %v", o, wake)
	}
	w.now, w.resources = begin.Add(5*time.Second), []known.Resource{root("a", status.InProgress, "1")}
	expect(t, g, w, -1)
	w.now, w.resources = begin.Add(6*time.Second), []known.Resource{root("a", status.Current, "1")}
	expect(t, g, w, -1)
	w.now = begin.Add(15 * time.Second)
	expect(t, g, w, -1)
	w.now = begin.Add(16 * time.Second)
	expect(t, g, w, exitOK)
}

func TestStaleDataIsNeverASuccess(t *testing.T) {
	g := newGoal(forCurrent)
	w := newFakeModel(root("a", status.Current, "1"))
	w.lost = true
	expect(t, g, w, -1)
	w.now, w.linkError = begin.Add(time.Minute), "reset"
	expect(t, g, w, exitPending)

	// A lost stream leaves absent and existing objects stale.
	for what, s := range map[string]status.Status{forDeleted: status.NotFound, forExists: status.InProgress, forKnown: status.InProgress} {
		r := root("a", s, "1")
		if what == forDeleted {
			r = root("a", s, "")
		}
		g, w := newGoal(what), newFakeModel(r)
		w.link = world.LinkReconnecting
		expect(t, g, w, -1)
		w.link = world.LinkLive
		expect(t, g, w, exitOK)
	}
}

func TestHalfAnAnswerIsNoSuccess(t *testing.T) {
	w := newFakeModel(root("web", status.Current, "1"))
	w.asking = true // the endpoints of a Service, say
	g := newGoal(forCurrent)
	expect(t, g, w, -1)
	w.asking = false
	expect(t, g, w, exitOK)

	// A recording has no more answers than it holds.
	w.asking = true
	g = newGoal(forCurrent)
	g.played = true
	expect(t, g, w, exitOK)

	// What exists needs no judgement.
	expect(t, newGoal(forExists), w, exitOK)

	// While something new is being looked into nothing is reached, but what was
	// reached goes on to be.
	w.asking, w.growing = false, true
	g = newGoal(forCurrent)
	g.settle = 10 * time.Second
	expect(t, g, w, -1)
	w.now = w.now.Add(11 * time.Second)
	expect(t, g, w, -1)
	if _, wake := g.look(w); !wake.After(w.now) {
		t.Errorf("it is to look again at once, at %s", wake)
	}
	w.growing = false
	expect(t, g, w, exitOK)
}

func TestAnInventoryThatMovesOnEndsTheWaitForIt(t *testing.T) {
	at := func(revision string, s status.Status) known.Resource {
		return with(root("apps", s, "1"), func(r *known.Resource) { r.Root.Revision, r.Root.Source = revision, "flux/ks/apps" })
	}
	member := func(s status.Status, uid string) known.Resource {
		return with(root("web", s, uid), func(r *known.Resource) { r.Root.In = object.ID{Kind: "Kustomization", Name: "apps"} })
	}
	g := newGoal(forCurrent)
	expect(t, g, newFakeModel(at("a", status.Current), member(status.InProgress, "1")), -1)
	expect(t, g, newFakeModel(at("a", status.Current), member(status.InProgress, "2")), -1) // members come and go
	expect(t, g, newFakeModel(at("a", status.Current), member(status.NotFound, "")), -1)
	expect(t, g, newFakeModel(at("b", status.Current), member(status.Current, "2")), exitMoved)

	g = newGoal(forCurrent)
	kept := with(member(status.Failed, "1"), func(r *known.Resource) { r.Root.Kept, r.Assessment.Terminal = true, true })
	expect(t, g, newFakeModel(at("a", status.Current), kept), exitOK)

	g = newGoal(forDeleted) // a revision more or less does not matter then
	expect(t, g, newFakeModel(at("a", status.Current)), -1)
	expect(t, g, newFakeModel(at("b", status.Current)), -1)
}

// What failed with the revision before the one that was asked for ends no wait, and
// what is only attempted is not what the inventory moved on to.
func TestAFailureOfAnEarlierRevisionEndsNoWait(t *testing.T) {
	apps := func(s status.Status, change func(*known.Resource)) known.Resource {
		return with(root("apps", s, "1"), func(r *known.Resource) {
			r.Assessment.Terminal = s == status.Failed
			r.Root.Revision, r.Root.Source = "a", "flux/ks/apps"
			change(r)
		})
	}
	stale := func(r *known.Resource) { r.Root.Outdated, r.Root.Pending = true, "its source was asked" }
	attempt := func(r *known.Resource) {
		r.Root.Target, r.Root.Applying, r.Root.Pending = "b", true, "b is being applied"
	}
	member := with(root("web", status.Failed, "2"), func(r *known.Resource) {
		r.Assessment.Terminal, r.Root.In = true, apps(status.Current, stale).ID
	})
	g := newGoal(forCurrent)
	g.failFast = failTerminal
	expect(t, g, newFakeModel(apps(status.Failed, stale)), -1)
	expect(t, g, newFakeModel(apps(status.InProgress, stale), member), -1)
	expect(t, g, newFakeModel(apps(status.InProgress, attempt)), -1)
	expect(t, g, newFakeModel(apps(status.InProgress, attempt), member), exitFailed)

	g = newGoal(forCurrent)
	expect(t, g, newFakeModel(apps(status.InProgress, func(*known.Resource) {})), -1) // a is waited for
	expect(t, g, newFakeModel(apps(status.InProgress, attempt)), -1)                  // b may fail
	expect(t, g, newFakeModel(apps(status.InProgress, func(r *known.Resource) { r.Root.Revision = "b" })), exitMoved)
}

func TestOptionalNamesThatNameNothingAreTold(t *testing.T) {
	web := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	named := []string{"deploy/web", "deploy/wbe"}
	if o := (followOptions{optional: named}); !o.isOptional(web) {
		t.Error("deploy/web is not optional")
	}
	var told strings.Builder
	tellUnmet([]object.ID{web}, named, &told)
	if want := "kstatus-tui: --optional deploy/wbe: nothing of that name was asked for\n"; told.String() != want {
		t.Errorf("told %q, want %q", told.String(), want)
	}
}

func TestAScaleBeforeTheFirstSyncIsOverIsNoOtherApply(t *testing.T) {
	at := func(generation int64, sum uint32, syncing bool) *fakeModel {
		w := newFakeModel(with(root("a", status.InProgress, "1"), func(r *known.Resource) {
			r.Root.Generation = 1
			r.Object.Generation, r.Object.SpecSum = object.IntOf(generation), sum
		}))
		w.syncing = syncing
		return w
	}
	g := newGoal(forCurrent)
	expect(t, g, at(1, 77, true), -1)
	expect(t, g, at(2, 77, true), -1)
	expect(t, g, at(2, 77, false), -1)
	expect(t, g, at(3, 78, false), exitMoved)

	g = newGoal(forCurrent)
	expect(t, g, at(1, 77, true), -1)
	expect(t, g, at(2, 78, true), -1)
	expect(t, g, at(2, 78, false), exitMoved)

	// An object never seen in the awaited generation cannot be compared.
	g = newGoal(forCurrent)
	expect(t, g, at(2, 77, true), -1)
	expect(t, g, at(2, 77, false), exitMoved)
}
