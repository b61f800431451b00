package wait

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// fakeView is what a waiter sees, set by hand.
type fakeView struct {
	now       time.Time
	syncing   bool
	asking    bool // something that is needed to judge has not been answered
	growing   bool // something new is being looked into
	lost      bool
	linkError string
	link      world.Link
	reading   bool                       // children, events or logs are not there yet
	causes    map[string][]explain.Cause // by the name of what they block
	resources []known.Resource
}

func (w *fakeView) Now() time.Time                        { return w.now }
func (w *fakeView) Synced() bool                          { return !w.syncing }
func (w *fakeView) Whole() bool                           { return !w.syncing && !w.growing }
func (w *fakeView) Answered() bool                        { return !w.syncing && !w.asking }
func (w *fakeView) Quiesced() bool                        { return !w.reading }
func (w *fakeView) CausesOf(id object.ID) []explain.Cause { return w.causes[id.Name] }
func (w *fakeView) Connection() world.Connection {
	return world.Connection{Error: w.linkError, Link: w.link}
}

func (w *fakeView) Verdict() known.Verdict {
	v := known.Verdict{Lost: w.lost}
	for r := range mandatory(w) {
		if r.Assessment.Status == status.Failed {
			v.Status = status.Failed
		}
	}
	return v
}

func (w *fakeView) Roots() (out []object.ID) {
	for _, r := range w.resources {
		out = append(out, r.ID)
	}
	return out
}

func (w *fakeView) Resource(id object.ID) (known.Resource, bool) {
	for _, r := range w.resources {
		if r.ID == id {
			return r, true
		}
	}
	return known.Resource{}, false
}

var begin = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func newView(resources ...known.Resource) *fakeView {
	return &fakeView{now: begin, resources: resources}
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

func newWaiter(what string) *Waiter {
	c, err := ParseCondition(what)
	if err != nil {
		panic(err)
	}
	return &Waiter{Conditions: []Condition{c}, FailFast: Terminal, Deadline: begin.Add(time.Minute)}
}

// goesOn is the result of a wait that does not end.
const goesOn Result = -1

// expect observes once, and wants this result.
func expect(t *testing.T, w *Waiter, v *fakeView, want Result) {
	t.Helper()
	got, reason := goesOn, "it goes on"
	if o, _ := w.Observe(v); o != nil {
		got, reason = o.Result, o.Reason
	}
	if got != want {
		t.Errorf("the wait ended with %d (%s), want %d", got, reason, want)
	}
}

func TestReachedWhenAllMeetTheCondition(t *testing.T) {
	here, absent := root("a", status.InProgress, "1"), root("a", status.NotFound, "")
	for _, test := range []struct {
		what string
		w    *fakeView
		want Result
	}{
		{"current", newView(root("a", status.Current, "1"), root("b", status.Current, "2")), Reached},
		{"current", newView(root("b", status.Current, "1"), here), goesOn},
		{"current", newView(absent), goesOn},
		{"current", newView(), goesOn},
		{"exists", newView(here), Reached},
		{"exists", newView(absent), goesOn},
		{"known", newView(absent), Reached},
		{"known", newView(root("a", status.Unknown, "1")), goesOn},
		{"deleted", newView(absent), Reached},
		{"deleted", newView(root("a", status.Terminating, "1")), goesOn},
		{"deleted", newView(), Error},
	} {
		expect(t, newWaiter(test.what), test.w, test.want)
	}
}

func TestStrictDoesNotCountAssumedCurrent(t *testing.T) {
	guess := with(root("a", status.Current, "1"), func(r *known.Resource) { r.Assessment.Confidence = status.Assumed })
	sure := root("b", status.Current, "2")
	expect(t, newWaiter("current"), newView(guess, sure), Reached)
	g := newWaiter("current")
	g.Strict = true
	expect(t, g, newView(sure), Reached)
	g = newWaiter("current")
	g.Strict = true
	expect(t, g, newView(guess, sure), goesOn)
	late := newView(guess, sure)
	late.now = begin.Add(time.Minute)
	expect(t, g, late, Pending)
	if g.Done(guess) || !g.Done(sure) {
		t.Error("an assumed Current counts as done")
	}
}

func TestEmptySelectionIsDeletedAndNeverCurrent(t *testing.T) {
	pod := with(root("a", status.Current, "1"), func(r *known.Resource) { r.Root.Source = "pods -l app=x" })
	other := with(root("b", status.InProgress, "2"), func(r *known.Resource) { r.Root.Source = "pods -l app=x" })
	g := newWaiter("deleted")
	expect(t, g, newView(pod), goesOn)
	expect(t, g, newView(), Reached)

	g = newWaiter("current")
	expect(t, g, newView(pod, other), goesOn)
	expect(t, g, newView(), goesOn) // members come and go
	w := newView()
	w.now = begin.Add(time.Hour)
	expect(t, g, w, Error)
}

// What a TYPE, a selector or --all finds comes and goes; what was named is waited for.
func TestOnlyNamedObjectsMustNotBeDeleted(t *testing.T) {
	for source, want := range map[string]Result{
		"pods": goesOn, "pods --all": goesOn, "pods -A": goesOn, "pods -l app=x": goesOn, "--all": goesOn, "--all -n shop": goesOn,
		"deploy/a": Moved, "-f app.yaml": Moved, "-k overlays/prod": Moved, "kapp app a": Moved, "applyset a": Moved,
	} {
		sourced := func(r known.Resource) known.Resource {
			return with(r, func(r *known.Resource) { r.Root.Source = source })
		}
		view := newView(sourced(root("a", status.InProgress, "1")), sourced(root("b", status.InProgress, "2")))
		w := newWaiter("current")
		expect(t, w, view, goesOn)
		view.resources[0] = sourced(root("a", status.NotFound, ""))
		expect(t, w, view, want)
	}
}

func TestTheResultAtATimeoutIsTheLastState(t *testing.T) {
	late := func(w *fakeView) *fakeView {
		w.now = begin.Add(time.Minute)
		return w
	}
	expect(t, newWaiter("current"), late(newView(root("a", status.InProgress, "1"))), Pending)
	expect(t, newWaiter("current"), late(newView(root("a", status.NotFound, ""))), Pending)
	expect(t, newWaiter("current"), late(newView(root("a", status.Failed, "1"))), Failed)
	expect(t, newWaiter("deleted"), late(newView(root("a", status.Failed, "1"))), Failed)
	expect(t, newWaiter("current"), late(newView(root("a", status.Current, "1"))), Reached)
	unreachable := late(newView())
	unreachable.syncing, unreachable.linkError = true, "refused"
	expect(t, newWaiter("current"), unreachable, Error)

	forever := newWaiter("current")
	forever.Deadline = time.Time{}
	w := newView(root("a", status.InProgress, "1"))
	w.now = begin.Add(1000 * time.Hour)
	expect(t, forever, w, goesOn)
}

func TestDeletedOrRecreatedObjectEndsTheWait(t *testing.T) {
	g := newWaiter("current")
	expect(t, g, newView(root("a", status.InProgress, "1")), goesOn)
	expect(t, g, newView(root("a", status.NotFound, "")), Moved)

	g = newWaiter("current")
	expect(t, g, newView(root("a", status.InProgress, "1")), goesOn)
	expect(t, g, newView(root("a", status.Current, "2")), Moved)

	g = newWaiter("current")
	optional := func(s status.Status, uid string) known.Resource {
		return with(root("a", s, uid), func(r *known.Resource) { r.Root.Optional = true })
	}
	expect(t, g, newView(optional(status.Failed, "1"), root("b", status.InProgress, "2")), goesOn)
	expect(t, g, newView(optional(status.NotFound, ""), root("b", status.InProgress, "2")), goesOn)
}

// jobWithTTL is a Current Job with a condition that its TTL will remove.
func jobWithTTL(condition string) known.Resource {
	return with(root("a", status.Current, "1"), func(r *known.Resource) {
		r.Object.Workload, r.Object.Job = nil, &object.Job{TTL: object.IntOf(5)}
		r.Object.Conditions = []object.Condition{{Statement: &object.Statement{Type: condition, Status: "True"}}}
	})
}

func TestJobRemovedByItsTTLCompleted(t *testing.T) {
	job := jobWithTTL("Complete")
	// Not every state is observed: this one is terminating when it is first
	// seen.
	going := with(job, func(r *known.Resource) { r.Assessment.Status = status.Terminating })
	unfinished := with(going, func(r *known.Resource) { r.Object.Conditions = nil })
	expect(t, newWaiter("current"), newView(going), Reached)
	expect(t, newWaiter("deleted"), newView(going), goesOn)
	expect(t, newWaiter("current"), newView(unfinished), goesOn)
	g := newWaiter("current")
	g.Settle = 10 * time.Second
	w := newView(job)
	expect(t, g, w, goesOn)
	w.now, w.resources = begin.Add(9*time.Second), []known.Resource{root("a", status.NotFound, "")}
	expect(t, g, w, goesOn)
	w.now = begin.Add(10 * time.Second)
	expect(t, g, w, Reached)
}

func TestJobRemovedBeforeCompleteWasSeenSucceeded(t *testing.T) {
	decided := with(jobWithTTL("SuccessCriteriaMet"), func(r *known.Resource) { r.Assessment.Status = status.InProgress })
	for what, want := range map[string]Result{"current": Reached, "condition=complete": Reached, "condition=Failed": Moved, "exists": Moved} {
		g := newWaiter(what)
		g.Settle = time.Second
		w := newView(decided)
		expect(t, g, w, goesOn)
		w.resources = []known.Resource{root("a", status.NotFound, "")}
		if want == Reached {
			expect(t, g, w, goesOn)
			w.now = begin.Add(time.Second)
		}
		expect(t, g, w, want)
	}
}

// What a Job has not become is not so because it completed and will be removed.
func TestJobWithTTLMeetsOnlyItsOwnConditions(t *testing.T) {
	job := jobWithTTL("Complete")
	for _, what := range []string{"condition=Failed", "jsonpath={.status.failed}"} {
		g := newWaiter(what)
		expect(t, g, newView(job), goesOn)
		expect(t, g, newView(with(job, func(r *known.Resource) { r.Assessment.Status = status.Terminating })), goesOn)
		expect(t, g, newView(root("a", status.NotFound, "")), Moved)
	}
	g := newWaiter("current")
	expect(t, g, newView(with(job, func(r *known.Resource) { r.Assessment.Status = status.Failed })), goesOn) // by the user's rule
	expect(t, g, newView(with(job, func(r *known.Resource) { r.Assessment.Status = status.Terminating })), goesOn)
	expect(t, g, newView(root("a", status.NotFound, "")), Moved)
}

// A read from before the apply meets no goal.
func TestOlderGenerationMeetsNoCondition(t *testing.T) {
	older := with(root("a", status.InProgress, "1"), func(r *known.Resource) {
		r.Root.Generation = 3
		r.Object.Generation, r.Object.Observed = object.IntOf(2), object.IntOf(2)
		r.Object.Conditions = []object.Condition{{Statement: &object.Statement{Type: "Available", Status: "True"}}}
	})
	applied := with(older, func(r *known.Resource) { r.Object.Generation, r.Object.Observed = object.IntOf(3), object.IntOf(3) })
	for _, what := range []string{"condition=Available", "exists", "known"} {
		expect(t, newWaiter(what), newView(older), goesOn)
		expect(t, newWaiter(what), newView(applied), Reached)
	}
}

// What no change of the object can bring about ends the wait at once.
func TestAQuestionWithoutAnAnswerEndsTheWait(t *testing.T) {
	web := func(change func(*object.Object)) known.Resource {
		return with(root("web", status.Current, "1"), func(r *known.Resource) {
			r.Object.Tree = map[string]any{"status": map[string]any{"a": "1", "b": "1"}}
			change(r.Object)
		})
	}
	whole, metadata := web(func(*object.Object) {}), web(func(o *object.Object) { o.MetadataOnly = true })
	for _, c := range []struct {
		what string
		r    known.Resource
		want Result
	}{
		{"jsonpath={.data}", metadata, Error},
		{"condition=Ready", metadata, Error},
		{"exists", metadata, Reached},
		{"jsonpath={.data}", with(metadata, func(r *known.Resource) { r.Root.Optional = true }), goesOn},
		{"jsonpath={.status.*}=1", whole, Error},
		{"jsonpath={.status.*}", whole, Error},
		{"jsonpath={.status}=1", whole, Error},
		{"jsonpath={.status}", whole, Reached},
		{"jsonpath={.status.a}=2", whole, goesOn},
		{"jsonpath={.status.c}=2", whole, goesOn},
	} {
		expect(t, newWaiter(c.what), newView(c.r), c.want)
	}
}

// The end of the time says what there is instead of what was waited for.
func TestTheEndOfTheTimeSaysWhatThereIsInstead(t *testing.T) {
	web := with(root("web", status.Current, "1"), func(r *known.Resource) {
		r.Object.Generation = object.IntOf(2)
		r.Object.Tree = map[string]any{"status": map[string]any{
			"phase": "Pending", "empty": "", "long": strings.Repeat("x", 100), "list": []any{"a"},
		}}
		r.Object.Conditions = []object.Condition{
			{Statement: &object.Statement{Type: "Ready", Status: "False", Reason: "Starting"}},
			{Statement: &object.Statement{Type: "Old", Status: "True", ObservedGeneration: object.IntOf(1)}},
		}
	})
	for what, want := range map[string]string{
		"condition=Ready":                    "Deployment/web has condition Ready False (Starting)",
		"condition=Old":                      "Deployment/web has condition Old True of generation 1, and is at generation 2",
		"condition=Redy":                     "Deployment/web has no condition Redy; it has Ready, Old",
		"jsonpath={.status.phase}=Running":   "Deployment/web has {.status.phase} Pending",
		"jsonpath={.status.empty}=Running":   `Deployment/web has {.status.empty} ""`,
		"jsonpath={.status.long}=Running":    "Deployment/web has {.status.long} " + strings.Repeat("x", 60) + "…",
		"jsonpath={.status.phse}":            "Deployment/web has no {.status.phse}",
		"jsonpath={.metadata.labels['a.b']}": `Deployment/web has no {.metadata.labels['a.b']}; a dot within a key is written \.`,
	} {
		v := newView(web)
		v.now = begin.Add(time.Hour)
		o, _ := newWaiter(what).Observe(v)
		if o == nil || o.Result != Pending || o.Reason != "out of time; "+want {
			t.Errorf("--for %s: %+v, want %q", what, o, want)
		}
	}
}

// The reason of a wait stands in the log of a pipeline.
func TestWhatIsMissingShowsNoSecret(t *testing.T) {
	web := with(root("web", status.InProgress, "1"), func(r *known.Resource) {
		r.Object.Tree = map[string]any{
			"spec": map[string]any{
				"password": "hunter2", "passwords": []any{"hunter2"}, "replicas": int64(2),
				"config": "DB_PASSWORD=hunter2",
				"env": []any{
					map[string]any{"name": "DB_PASSWORD", "value": "hunter2"},
					map[string]any{"name": "DSN", "value": "hunter2"},
					map[string]any{"name": "REF", "valueFrom": map[string]any{
						"secretKeyRef": map[string]any{"name": "db", "key": "dsn"},
					}},
				},
				"extraEnv": map[string]any{"DSN": "hunter2", "PIN": int64(2)},
			},
		}
	})
	for path, want := range map[string]string{
		"{.spec.password}":                                "***",
		"{.spec.passwords[0]}":                            "***",
		"{.spec.config}":                                  "DB_PASSWORD=***",
		"{.spec.env[0].value}":                            "***",
		"{.spec.env[0].name}":                             "DB_PASSWORD",
		"{.spec.env[1].value}":                            "***",
		"{.spec.env[?(@.name=='DSN')].value}":             "***",
		"{.spec.env[?(@.value=='hunter2')].value}":        "", // several
		"{.spec.env[?(@.name=='REF')]..name}":             "", // several
		"{.spec.env[2].valueFrom.secretKeyRef.key}":       "dsn",
		"{.spec.extraEnv.DSN}":                            "***",
		"{.spec.extraEnv.PIN}":                            "***",
		"{.spec.replicas}":                                "2",
		"{.spec[?(@.password=='hunter2')].password}":      "",
		"{.spec.passwords[?(@=='hunter2')]}":              "***",
		"{.spec.env[?(@.value=='hunter2')][0].valueFrom}": "",
	} {
		c, err := ParseCondition("jsonpath=" + path + "=x")
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got := c.unmet(web.ID, web.Object)
		if strings.Contains(strings.ReplaceAll(got, path, ""), "hunter2") ||
			want != "" && got != "Deployment/web has "+path+" "+want {
			t.Errorf("%s: %q, want %s", path, got, want)
		}
	}
}

// An inventory that may fail is not asked for its condition, nor are its members:
// then nobody is.
func TestConditionOfMembersAloneIsNotMet(t *testing.T) {
	apps := root("apps", status.InProgress, "1")
	web := with(root("web", status.InProgress, "2"), func(r *known.Resource) { r.Root.In = apps.ID })
	optional := with(apps, func(r *known.Resource) { r.Root.Optional = true })
	expect(t, newWaiter("condition=Ready"), newView(optional, web), goesOn)
	current := with(web, func(r *known.Resource) { r.Assessment.Status = status.Current })
	expect(t, newWaiter("current"), newView(optional, current), Reached)
	ready := with(apps, func(r *known.Resource) {
		r.Object.Conditions = []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "True"}}}
	})
	expect(t, newWaiter("condition=Ready"), newView(ready, web), Reached)
}

// A member that is listed again is another one: it has not finished before.
func TestMemberListedAgainIsANewOne(t *testing.T) {
	member := func(r known.Resource) known.Resource {
		return with(r, func(r *known.Resource) { r.Root.In = object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "inv"} })
	}
	kept := func(r known.Resource) known.Resource {
		return with(r, func(r *known.Resource) { r.Root.Kept = true })
	}
	web, other := member(root("web", status.Current, "9")), member(root("other", status.InProgress, "8"))
	gone := member(root("a", status.NotFound, ""))
	for _, left := range []*fakeView{newView(web, other), newView(web, other, kept(gone))} {
		g := newWaiter("current")
		expect(t, g, newView(web, other, member(jobWithTTL("Complete"))), goesOn)
		expect(t, g, newView(web, other, gone), goesOn)
		expect(t, g, left, goesOn)
		expect(t, g, newView(web, gone), goesOn)
		if n := g.RemovedByTTL(); n != 0 {
			t.Errorf("%d Jobs removed by their TTL", n)
		}
	}
}

func TestAnotherApplyEndsTheWaitAndScalingDoesNot(t *testing.T) {
	at := func(generation int64, sum uint32) known.Resource {
		return with(root("a", status.InProgress, "1"), func(r *known.Resource) {
			r.Root.Generation = 3
			r.Object.Generation, r.Object.SpecSum = object.IntOf(generation), sum
		})
	}
	g := newWaiter("current")
	expect(t, g, newView(at(3, 7)), goesOn)
	expect(t, g, newView(at(4, 7)), goesOn)
	expect(t, g, newView(at(6, 7)), goesOn)
	expect(t, g, newView(at(7, 8)), Moved)

	g = newWaiter("current")
	expect(t, g, newView(at(3, 0)), goesOn) // it has no replicas
	expect(t, g, newView(at(4, 0)), Moved)
}

func TestConditionMustHoldForSettle(t *testing.T) {
	g := newWaiter("current")
	g.Settle = 10 * time.Second
	w := newView(root("a", status.Current, "1"))
	o, wake := g.Observe(w)
	if o != nil || !wake.Equal(begin.Add(10*time.Second)) {
		t.Fatalf("looked once: %v, look again at %v", o, wake)
	}
	w.now, w.resources = begin.Add(5*time.Second), []known.Resource{root("a", status.InProgress, "1")}
	expect(t, g, w, goesOn)
	w.now, w.resources = begin.Add(6*time.Second), []known.Resource{root("a", status.Current, "1")}
	expect(t, g, w, goesOn)
	w.now = begin.Add(15 * time.Second)
	expect(t, g, w, goesOn)
	w.now = begin.Add(16 * time.Second)
	expect(t, g, w, Reached)
}

func TestStaleDataIsNeverASuccess(t *testing.T) {
	g := newWaiter("current")
	w := newView(root("a", status.Current, "1"))
	w.lost = true
	expect(t, g, w, goesOn)
	w.now, w.linkError = begin.Add(time.Minute), "reset"
	expect(t, g, w, Pending)

	// A lost stream leaves absent and existing objects stale.
	for what, s := range map[string]status.Status{"deleted": status.NotFound, "exists": status.InProgress, "known": status.InProgress} {
		r := root("a", s, "1")
		if what == "deleted" {
			r = root("a", s, "")
		}
		g, w := newWaiter(what), newView(r)
		w.link = world.LinkReconnecting
		expect(t, g, w, goesOn)
		w.link = world.LinkLive
		expect(t, g, w, Reached)
	}
}

func TestIncompleteAnswerIsNoSuccess(t *testing.T) {
	w := newView(root("web", status.Current, "1"))
	w.asking = true // the endpoints of a Service, say
	g := newWaiter("current")
	expect(t, g, w, goesOn)
	w.asking = false
	expect(t, g, w, Reached)

	// A recording has no more answers than it holds.
	w.asking = true
	g = newWaiter("current")
	g.Played = true
	expect(t, g, w, Reached)

	// What exists needs no judgement.
	expect(t, newWaiter("exists"), w, Reached)

	// While something new is being looked into nothing is reached, but what was
	// reached goes on to be.
	w.asking, w.growing = false, true
	g = newWaiter("current")
	g.Settle = 10 * time.Second
	expect(t, g, w, goesOn)
	w.now = w.now.Add(11 * time.Second)
	expect(t, g, w, goesOn)
	if _, wake := g.Observe(w); !wake.After(w.now) {
		t.Errorf("it is to look again at once, at %s", wake)
	}
	w.growing = false
	expect(t, g, w, Reached)
}

func TestNewInventoryRevisionEndsTheWait(t *testing.T) {
	at := func(revision string, s status.Status) known.Resource {
		return with(root("apps", s, "1"), func(r *known.Resource) { r.Root.Revision, r.Root.Source = revision, "flux/ks/apps" })
	}
	member := func(s status.Status, uid string) known.Resource {
		return with(root("web", s, uid), func(r *known.Resource) { r.Root.In = object.ID{Kind: "Kustomization", Name: "apps"} })
	}
	g := newWaiter("current")
	expect(t, g, newView(at("a", status.Current), member(status.InProgress, "1")), goesOn)
	expect(t, g, newView(at("a", status.Current), member(status.InProgress, "2")), goesOn) // members come and go
	expect(t, g, newView(at("a", status.Current), member(status.NotFound, "")), goesOn)
	expect(t, g, newView(at("b", status.Current), member(status.Current, "2")), Moved)

	g = newWaiter("current")
	kept := with(member(status.Failed, "1"), func(r *known.Resource) { r.Root.Kept, r.Assessment.Terminal = true, true })
	expect(t, g, newView(at("a", status.Current), kept), Reached)

	g = newWaiter("deleted") // a revision more or less does not matter then
	expect(t, g, newView(at("a", status.Current)), goesOn)
	expect(t, g, newView(at("b", status.Current)), goesOn)
}

// What failed with the revision before the one that was asked for ends no wait, and
// what is only attempted is not what the inventory moved on to.
func TestFailureOfEarlierRevisionDoesNotEndTheWait(t *testing.T) {
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
	g := newWaiter("current")
	g.FailFast = Terminal
	expect(t, g, newView(apps(status.Failed, stale)), goesOn)
	expect(t, g, newView(apps(status.InProgress, stale), member), goesOn)
	expect(t, g, newView(apps(status.InProgress, attempt)), goesOn)
	expect(t, g, newView(apps(status.InProgress, attempt), member), Failed)

	g = newWaiter("current")
	expect(t, g, newView(apps(status.InProgress, func(*known.Resource) {})), goesOn) // a is waited for
	expect(t, g, newView(apps(status.InProgress, attempt)), goesOn)                  // b may fail
	expect(t, g, newView(apps(status.InProgress, func(r *known.Resource) { r.Root.Revision = "b" })), Moved)
}

func TestScalingDuringTheFirstSyncIsNotAnotherApply(t *testing.T) {
	at := func(generation int64, sum uint32, syncing bool) *fakeView {
		w := newView(with(root("a", status.InProgress, "1"), func(r *known.Resource) {
			r.Root.Generation = 1
			r.Object.Generation, r.Object.SpecSum = object.IntOf(generation), sum
		}))
		w.syncing = syncing
		return w
	}
	g := newWaiter("current")
	expect(t, g, at(1, 77, true), goesOn)
	expect(t, g, at(2, 77, true), goesOn)
	expect(t, g, at(2, 77, false), goesOn)
	expect(t, g, at(3, 78, false), Moved)

	g = newWaiter("current")
	expect(t, g, at(1, 77, true), goesOn)
	expect(t, g, at(2, 78, true), goesOn)
	expect(t, g, at(2, 78, false), Moved)

	// An object never seen in the awaited generation cannot be compared.
	g = newWaiter("current")
	expect(t, g, at(2, 77, true), goesOn)
	expect(t, g, at(2, 77, false), Moved)
}

// The rules of --fail-fast, one row on each side of every rule.
func TestFailFast(t *testing.T) {
	failed := func(change func(*known.Resource)) known.Resource { return with(root("a", status.Failed, "1"), change) }
	terminal := failed(func(r *known.Resource) { r.Assessment.Terminal = true })
	overdue := failed(func(r *known.Resource) { r.Assessment.Overdue = true })
	healing := failed(func(*known.Resource) {})
	progress := root("b", status.InProgress, "2")
	cause := func(class codes.Class, certainty inspect.Certainty) []explain.Cause {
		return []explain.Cause{{Class: class, Certainty: certainty}}
	}
	act := cause(codes.Action, inspect.Proven)
	for name, test := range map[string]struct {
		failFast FailFast
		causes   map[string][]explain.Cause
		at       time.Duration
		of       []known.Resource
		want     Result
	}{
		"terminal ends at a terminal failure":            {failFast: Terminal, of: []known.Resource{terminal}, want: Failed},
		"terminal ends at a passed deadline":             {failFast: Terminal, of: []known.Resource{overdue}, want: Failed},
		"terminal waits for what may heal":               {failFast: Terminal, of: []known.Resource{healing}, want: goesOn},
		"terminal does not count blocked time":           {failFast: Terminal, causes: map[string][]explain.Cause{"a": act}, at: time.Hour, of: []known.Resource{healing}, want: goesOn},
		"never waits for all":                            {failFast: Never, of: []known.Resource{terminal, overdue}, want: goesOn},
		"any ends at any failure":                        {failFast: Any, of: []known.Resource{healing}, want: Failed},
		"any waits for progress":                         {failFast: Any, causes: map[string][]explain.Cause{"b": act}, at: time.Hour, of: []known.Resource{progress}, want: goesOn},
		"action ends at a terminal failure":              {failFast: Action, of: []known.Resource{terminal}, want: Failed},
		"action waits for --stall-after":                 {failFast: Action, causes: map[string][]explain.Cause{"a": act}, at: 59 * time.Second, of: []known.Resource{healing}, want: goesOn},
		"action ends after --stall-after":                {failFast: Action, causes: map[string][]explain.Cause{"a": act}, at: time.Minute, of: []known.Resource{healing}, want: Failed},
		"action ends without a failure as out of time":   {failFast: Action, causes: map[string][]explain.Cause{"b": act}, at: time.Minute, of: []known.Resource{progress}, want: Pending},
		"action waits while another one makes progress":  {failFast: Action, causes: map[string][]explain.Cause{"a": act}, at: time.Hour, of: []known.Resource{healing, progress}, want: goesOn},
		"action does not count what is Current":          {failFast: Action, causes: map[string][]explain.Cause{"a": act}, at: time.Hour, of: []known.Resource{healing, root("c", status.Current, "3")}, want: Failed},
		"action needs a proof":                           {failFast: Action, causes: map[string][]explain.Cause{"a": cause(codes.Action, inspect.Likely)}, at: time.Hour, of: []known.Resource{healing}, want: goesOn},
		"action waits for what passes by itself":         {failFast: Action, causes: map[string][]explain.Cause{"a": cause(codes.Retries, inspect.Proven)}, at: time.Hour, of: []known.Resource{healing}, want: goesOn},
		"action waits for a cause that has been removed": {failFast: Action, causes: map[string][]explain.Cause{"a": {{Class: codes.Action, Certainty: inspect.Proven, Healed: begin}}}, at: time.Hour, of: []known.Resource{healing}, want: goesOn},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWaiter("current")
			w.FailFast, w.StallAfter, w.Deadline = test.failFast, time.Minute, time.Time{}
			v := newView(test.of...)
			v.causes = test.causes
			outcome, wake := w.Observe(v)
			if outcome == nil && test.at > 0 {
				if test.want != goesOn && !wake.Equal(begin.Add(time.Minute)) {
					t.Errorf("it looks again at %s", wake)
				}
				v.now = begin.Add(test.at)
				outcome, _ = w.Observe(v)
			}
			got := goesOn
			if outcome != nil {
				got = outcome.Result
			}
			if got != test.want {
				t.Errorf("got %+v, want %d", outcome, test.want)
			}
		})
	}
}

// The time that everything is blocked begins anew when something moves.
func TestActionNeedsAnUnbrokenBlock(t *testing.T) {
	w := newWaiter("current")
	w.FailFast, w.StallAfter, w.Deadline = Action, time.Minute, time.Time{}
	v := newView(root("a", status.Failed, "1"))
	blocked := map[string][]explain.Cause{"a": {{Class: codes.Action, Certainty: inspect.Proven}}}
	for _, step := range []struct {
		at     time.Duration
		causes map[string][]explain.Cause
		want   Result
	}{
		{0, blocked, goesOn},
		{50 * time.Second, nil, goesOn},
		{55 * time.Second, blocked, goesOn},
		{114 * time.Second, blocked, goesOn},
		{115 * time.Second, blocked, Failed},
	} {
		v.now, v.causes = begin.Add(step.at), step.causes
		expect(t, w, v, step.want)
	}
}

// Before it stops early the wait reads on until an explanation has all it needs, for
// five seconds at most, and it goes on if the failure is over by then.
func TestAWaitReadsOnBeforeItStopsEarly(t *testing.T) {
	dead := with(root("a", status.Failed, "1"), func(r *known.Resource) { r.Assessment.Terminal = true })
	start := func() (*Waiter, *fakeView) {
		w, v := newWaiter("current"), newView(dead)
		v.reading = true
		if o, wake := w.Observe(v); o != nil || !wake.Equal(begin.Add(ReadsOn)) {
			t.Errorf("ended with %+v, looks again at %s", o, wake)
		}
		return w, v
	}
	w, v := start()
	v.now, v.reading = begin.Add(time.Second), false
	expect(t, w, v, Failed)

	w, v = newWaiter("current"), newView(dead)
	w.Played, v.reading = true, true
	expect(t, w, v, Failed)

	w, v = start()
	v.now = begin.Add(ReadsOn)
	expect(t, w, v, Failed)

	w, v = newWaiter("current"), newView(dead) // all of a saved cluster is there
	w.Saved, w.Deadline, v.reading = true, begin.Add(time.Hour), true
	expect(t, w, v, goesOn)
	v.now = begin.Add(ReadsOn)
	expect(t, w, v, goesOn)
	v.now = begin.Add(readsSaved)
	expect(t, w, v, Failed)

	w, v = start()
	v.now, v.resources = begin.Add(time.Second), []known.Resource{root("a", status.InProgress, "1")}
	expect(t, w, v, goesOn)
	v.now, v.resources = begin.Add(4*time.Second), []known.Resource{dead}
	expect(t, w, v, goesOn)
	v.now = begin.Add(6 * time.Second)
	expect(t, w, v, goesOn) // five seconds from the second failure
	v.now = begin.Add(9 * time.Second)
	expect(t, w, v, Failed)

	w, v = start()
	w.Deadline = begin.Add(2 * time.Second)
	v.now = w.Deadline
	expect(t, w, v, Failed) // its reason is the failure
	w, v = start()
	if o := w.Ended(v); o.Result != Failed || !strings.Contains(o.Reason, "cannot recover") {
		t.Errorf("at the end of a recording: %+v", o)
	}
}

// A goal other than being Current leaves something whose causes are printed.
func TestReadsOnForCausesWhenItsGoalIsReached(t *testing.T) {
	pending := root("a", status.InProgress, "1")
	start := func() (*Waiter, *fakeView) {
		w, v := newWaiter("exists"), newView(pending)
		v.reading = true
		if o, wake := w.Observe(v); o != nil || !wake.Equal(begin.Add(ReadsOn)) {
			t.Errorf("ended with %+v, looks again at %s", o, wake)
		}
		return w, v
	}
	w, v := start()
	v.now, v.reading = begin.Add(time.Second), false
	expect(t, w, v, Reached)

	w, v = start()
	v.now = begin.Add(ReadsOn)
	expect(t, w, v, Reached)

	w, v = start()
	w.Deadline = begin.Add(2 * time.Second)
	v.now = w.Deadline
	expect(t, w, v, Reached)

	w, v = start() // the object existed, and that was all that was waited for
	v.now, v.reading, v.resources = begin.Add(time.Second), false, []known.Resource{root("a", status.NotFound, "")}
	expect(t, w, v, Reached)

	w, v = start()
	if o := w.Ended(v); o.Result != Reached {
		t.Errorf("at the end of a recording: %+v", o)
	}

	w, v = newWaiter("exists"), newView(pending)
	w.Played, v.reading = true, true
	expect(t, w, v, Reached)

	w, v = newWaiter("exists"), newView(root("a", status.Current, "1"))
	v.reading = true
	expect(t, w, v, Reached) // there is nothing to explain
}

// What the quotes and equals signs of a jsonpath mean: kubernetes/kubectl#1259 and #1448,
// kubernetes/kubernetes#141084 (filters compare), kubernetes/kubectl#1646 (a program that
// starts kubectl without a shell, or cmd.exe, leaves quotes).
func TestAPathIsDividedAtTheEqualsSignOutsideOfItsFilters(t *testing.T) {
	r := root("a", status.InProgress, "1")
	r.Object.Tree = map[string]any{"status": map[string]any{"phase": "Running", "conditions": []any{
		map[string]any{"type": "Ready", "status": "True", "observedGeneration": int64(2)},
		map[string]any{"type": "Other", "status": "False", "observedGeneration": int64(1)},
	}}}
	for text, want := range map[string]bool{
		`{.status.phase}=Running`:                                       true,
		`{.status.phase}="Running"`:                                     true,
		`'{.status.phase}'=Running`:                                     true,
		`'{.status.phase}'='Running'`:                                   true,
		`'{.status.phase}'`:                                             true,
		`"{.status.nothing}"`:                                           false,
		`{.status.phase}=Pending`:                                       false,
		`.status.phase=Running`:                                         true,
		`{.status.conditions[?(@.type=="Ready")].status}=True`:          true,
		`{.status.conditions[?(@.type=="Ready")].status}`:               true,
		`'{.status.conditions[?(@.type=="Ready")].status}'=True`:        true,
		`.status.conditions[?(@.type=="Ready")].status=True`:            true,
		`{.status.conditions[?(@.type!="Ready")].status}=False`:         true,
		`{.status.conditions[?(@.observedGeneration>=2)].status}=True`:  true,
		`{.status.conditions[?(@.observedGeneration<=1)].status}=True`:  false,
		`.status.conditions[?(@.observedGeneration<=1)].status="False"`: true,
	} {
		c, err := ParseCondition("jsonpath=" + text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := c.met(r); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{ // kubernetes/kubectl#1881
		`{.status.phase}!=Pending`:   "not with !=",
		`'{.status.phase}'!=Pending`: "not with !=",
		`.status.phase!=Pending`:     "not with !=",
		`{.status.phase}==Running`:   "one equals sign",
		`{.status.phase}=`:           "one equals sign",
	} {
		if _, err := ParseCondition("jsonpath=" + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
