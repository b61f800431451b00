package model

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A judgement that looks something up is made again when that comes, and keeps
// it wanted for as long as it rests on it.
func TestAnObjectIsJudgedAgainWhenItsReferenceArrives(t *testing.T) {
	p := newPlay(t, Options{Judge: status.Assess})
	claim := &object.Object{
		ID: id("", "PersistentVolumeClaim", "data"), UID: "data", Created: t0, ResourceVersion: "1",
		Claim: &object.Claim{Phase: "Pending", StorageClass: "local", Requested: "1Gi"},
	}
	class := object.ID{Group: "storage.k8s.io", Kind: "StorageClass", Name: "local"}
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(claim)}, Objects: []*object.Object{claim}, Synced: true})
	if r, _ := p.m.Facts.Resource(claim.ID); r.Assessment.Status != status.InProgress {
		t.Fatalf("without its class: %s", r.Assessment.Status)
	}
	if !wantsRef(p, class) {
		t.Fatalf("the class is not asked for: %v", p.wants.Refs)
	}
	p.batch(2*time.Second, feed.Batch{Answered: p.wants.Gen, Objects: []*object.Object{{
		ID: class, UID: "class", ResourceVersion: "2", Tree: map[string]any{"volumeBindingMode": "WaitForFirstConsumer"},
	}}})
	if r, _ := p.m.Facts.Resource(claim.ID); r.Assessment.Status != status.Current || r.Assessment.Note == "" {
		t.Fatalf("with its class: %s, note %q", r.Assessment.Status, r.Assessment.Note)
	}
	p.send(ClockTicked{at(time.Minute)})
	if !wantsRef(p, class) {
		t.Errorf("the class is let go of though the judgement rests on it: %v", p.wants.Refs)
	}
	bound := again(claim, func(o *object.Object) { o.Claim = &object.Claim{Phase: "Bound", StorageClass: "local", Volume: "pv"} })
	p.batch(2*time.Minute, feed.Batch{Objects: []*object.Object{bound}})
	p.send(ClockTicked{at(3 * time.Minute)})
	if wantsRef(p, class) {
		t.Errorf("the class is still asked for though the claim is bound: %v", p.wants.Refs)
	}
}

func wantsRef(p *play, id object.ID) bool {
	return slices.Contains(p.wants.Refs, id)
}

// An object requested and delivered in one batch counts like a later one:
// --children=all delivers slices together with their Service.
func TestAServiceIsJudgedByEndpointsThatCameBeforeTheyWereRequested(t *testing.T) {
	for _, mode := range []Children{ChildrenAuto, ChildrenAll} {
		p := newPlay(t, Options{Judge: status.Assess, Children: mode})
		svc := &object.Object{
			ID: id("", "Service", "web"), UID: "svc", Created: t0, ResourceVersion: "1",
			Service: &object.Service{ClusterIP: "10.0.0.1", Selector: object.Selector{Match: []object.Label{{Key: "app", Value: "web"}}}},
		}
		slice := &object.Object{
			ID: id("discovery.k8s.io", "EndpointSlice", "web-1"), UID: "slice", Created: t0, ResourceVersion: "2",
			Owners:    owner(svc),
			Endpoints: &object.Endpoints{Service: "web", Endpoints: []object.Endpoint{{Target: id("", "Pod", "web-0")}}},
		}
		p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(svc)}, Objects: []*object.Object{svc, slice}, Synced: true})
		p.batch(2*time.Second, feed.Batch{Answered: p.wants.Gen})
		if r, _ := p.m.Facts.Resource(svc.ID); r.Assessment.Status != status.InProgress {
			t.Errorf("--children=%s: no endpoint is ready, and the Service is %s: %s", mode, r.Assessment.Status, r.Assessment.Message)
		}
	}
}

func TestTheNextStepForAMissingObjectAppliesItsFile(t *testing.T) {
	for _, x := range []struct{ source, namespace, want string }{
		{"-f app.yaml", "shop", "kubectl apply -f app.yaml -n shop"},
		{"-f app.yaml", "elsewhere", "kubectl apply -f app.yaml"}, // the manifest names it
		{"-f my app.yaml", "shop", "kubectl apply -f 'my app.yaml' -n shop"},
		{"-k overlays/prod", "shop", "kubectl apply -k overlays/prod -n shop"},
		{"-f -", "shop", ""},
		{"cm/settings", "shop", ""},
	} {
		p := newPlay(t, Options{Namespace: x.namespace})
		cm := id("", "ConfigMap", "settings")
		p.batch(0, feed.Batch{Roots: []feed.Root{{ID: cm, Source: x.source}}, Absent: []object.ID{cm}, Synced: true})
		causes := p.m.Facts.Causes()
		if len(causes) != 1 || len(causes[0].Changes) == 0 != (x.want == "") || x.want != "" && causes[0].Changes[0].Command != x.want {
			t.Errorf("%s: %+v, want %q", x.source, causes, x.want)
		}
	}
}

// What was never seen is not out of date, and a kind that the cluster does not
// know is not the same as an object that it does not have.
func TestAnUnknownKindIsNamedAsTheReason(t *testing.T) {
	p := newPlay(t, Options{})
	gadget := id("later.example.com", "Gadget", "g")
	p.batch(time.Second, feed.Batch{
		Roots: []feed.Root{{ID: gadget, Source: "-f g.yaml"}}, Absent: []object.ID{gadget}, Synced: true,
		Sources: []feed.SourceState{{Key: "gadgets", Group: gadget.Group, Kind: gadget.Kind, Namespace: gadget.Namespace, Name: gadget.Name, Phase: feed.NotServed}},
	})
	r, _ := p.m.Facts.Resource(gadget)
	if r.Assessment.Status != status.NotFound || r.Assessment.Reason != world.ReasonNotServed {
		t.Errorf("%s %s: %s", r.Assessment.Status, r.Assessment.Reason, r.Assessment.Message)
	}
	if r.Stale {
		t.Error("it counts as out of date")
	}
}

// Absence that may no longer be looked at is not known any more: not that of an
// object, and not that of a kind which is served now.
func TestAnAbsenceThatMayNotBeSeenIsUnknown(t *testing.T) {
	gadget := id("later.example.com", "Gadget", "g")
	source := func(key, name string, phase feed.Phase) feed.SourceState {
		return feed.SourceState{Key: key, Group: gadget.Group, Kind: gadget.Kind, Namespace: gadget.Namespace, Name: name, Phase: phase}
	}
	p := newPlay(t, Options{})
	expect := func(what string, want status.Status, reason string) {
		t.Helper()
		p.send(ClockTicked{p.m.Facts.Now().Add(time.Second)})
		for _, c := range p.m.Facts.CausesOf(gadget) {
			if (c.Code == "NotFound") != (reason == world.ReasonNotFound) {
				t.Errorf("%s: the cause is %s: %s", what, c.Code, c.Title)
			}
		}
		if r, _ := p.m.Facts.Resource(gadget); r.Assessment.Status != want || r.Assessment.Reason != reason {
			t.Errorf("%s: %s %s: %s", what, r.Assessment.Status, r.Assessment.Reason, r.Assessment.Message)
		}
	}
	p.batch(time.Second, feed.Batch{
		Roots: []feed.Root{{ID: gadget, Source: "-f g.yaml"}}, Absent: []object.ID{gadget}, Synced: true,
		Sources: []feed.SourceState{source("kind", "", feed.NotServed)},
	})
	expect("not served", status.NotFound, world.ReasonNotServed)
	p.batch(2*time.Second, feed.Batch{Sources: []feed.SourceState{source("kind", "", feed.Closed), source("one", "g", feed.Forbidden)}})
	expect("served, and forbidden", status.Unknown, world.ReasonForbidden)
	p.batch(3*time.Second, feed.Batch{Sources: []feed.SourceState{source("one", "g", feed.Live)}})
	expect("live", status.NotFound, world.ReasonNotFound)
	p.batch(4*time.Second, feed.Batch{Sources: []feed.SourceState{source("another", "h", feed.Forbidden)}})
	expect("another is forbidden", status.NotFound, world.ReasonNotFound)
	p.batch(5*time.Second, feed.Batch{Sources: []feed.SourceState{source("all", "", feed.Forbidden)}})
	expect("its own source sees it", status.NotFound, world.ReasonNotFound)
	p.batch(6*time.Second, feed.Batch{Sources: []feed.SourceState{source("one", "g", feed.Closed)}})
	expect("nothing sees it", status.Unknown, world.ReasonForbidden)
	o := &object.Object{ID: gadget, UID: "g", ResourceVersion: "1"}
	p.batch(7*time.Second, feed.Batch{Objects: []*object.Object{o}, Sources: []feed.SourceState{source("all", "", feed.Live)}})
	p.batch(8*time.Second, feed.Batch{Gone: []feed.Gone{{ID: gadget, UID: "g"}}})
	expect("deleted", status.NotFound, world.ReasonDeleted)
	p.batch(9*time.Second, feed.Batch{Sources: []feed.SourceState{source("all", "", feed.Forbidden)}})
	expect("deleted, and forbidden", status.Unknown, world.ReasonForbidden) // it may have been made again
	p.batch(10*time.Second, feed.Batch{Sources: []feed.SourceState{source("all", "", feed.Live)}})
	expect("still deleted", status.NotFound, world.ReasonDeleted)
}

// A judgement knows by how much the clock is ahead of the server's; one that is
// behind makes nothing earlier.
func TestAJudgementKnowsThatTheClockIsAhead(t *testing.T) {
	var ahead time.Duration
	p := newPlay(t, Options{Judge: func(_ *object.Object, w status.World, _ time.Time) status.Assessment {
		ahead = w.Ahead
		return status.Assessment{Status: status.Current}
	}})
	web := deployment("web", 0)
	for i, c := range []struct{ skew, want time.Duration }{{0, 0}, {-time.Hour, time.Hour}, {time.Hour, 0}} {
		web = again(web, func(*object.Object) {})
		p.batch(time.Duration(i)*time.Second, feed.Batch{Skew: feed.Duration(c.skew), Roots: []feed.Root{root(web)}, Objects: []*object.Object{web}, Synced: true})
		if ahead != c.want {
			t.Errorf("a server whose clock differs by %s: %s ahead, want %s", c.skew, ahead, c.want)
		}
	}
}

// An object that is followed and does not exist invalidates the explanations that looked it up.
func TestObjectsThatLookUpAnAbsentObjectAreJudgedAgain(t *testing.T) {
	p := newPlay(t, Options{Judge: status.Assess})
	hook := &object.Object{
		ID: id("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "policy"), UID: "p", Created: t0, ResourceVersion: "1",
		Tree: map[string]any{"webhooks": []any{map[string]any{"name": "w", "clientConfig": map[string]any{"service": map[string]any{"namespace": "shop", "name": "policy"}}}}},
	}
	service := id("", "Service", "policy")
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(hook), {ID: service, Optional: true}}, Objects: []*object.Object{hook}})
	p.batch(2*time.Second, feed.Batch{Absent: []object.ID{service}, Synced: true})
	if r, _ := p.m.Facts.Resource(hook.ID); r.Assessment.Reason != "ServiceNotFound" {
		t.Errorf("%s %s: %s", r.Assessment.Status, r.Assessment.Reason, r.Assessment.Message)
	}
}

// The definition of a kind is asked for once an object of it says nothing, once
// for all of them, and tells whether there is anything to wait for.
func TestADefinitionIsRequestedOnlyForAnObjectWithoutStatus(t *testing.T) {
	p := newPlay(t, Options{Judge: status.Assess})
	widget := func(name string, tree map[string]any) *object.Object {
		return &object.Object{ID: id("example.org", "Widget", name), UID: name, Created: t0, ResourceVersion: "1", Tree: tree}
	}
	speaks := widget("speaks", map[string]any{"status": map[string]any{"phase": "Ready"}})
	one, two := widget("one", map[string]any{}), widget("two", map[string]any{})
	source := feed.SourceState{Key: "widgets", Group: "example.org", Kind: "Widget", Resource: "widgets", Phase: feed.Live}
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(speaks)}, Objects: []*object.Object{speaks}, Sources: []feed.SourceState{source}, Synced: true})
	definition := object.ID{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: "widgets.example.org"}
	if wantsRef(p, definition) {
		t.Error("the definition is asked for though no object needs it")
	}
	p.batch(2*time.Second, feed.Batch{Roots: []feed.Root{root(one), root(two)}, Objects: []*object.Object{one, two}})
	if r, _ := p.m.Facts.Resource(one.ID); r.Assessment.Status != status.InProgress {
		t.Errorf("before the definition is known: %s", r.Assessment.Status)
	}
	p.send(ClockTicked{at(3 * time.Second)})
	if len(p.wants.Refs) != 1 || !wantsRef(p, definition) {
		t.Fatalf("asked for: %v, want the definition alone", p.wants.Refs)
	}
	p.batch(4*time.Second, feed.Batch{Answered: p.wants.Gen, Objects: []*object.Object{{
		ID: definition, UID: "crd", ResourceVersion: "2",
		Tree: map[string]any{"spec": map[string]any{"versions": []any{map[string]any{
			"schema": map[string]any{"openAPIV3Schema": map[string]any{}},
		}}}},
	}}})
	for _, o := range []*object.Object{one, two} {
		if r, _ := p.m.Facts.Resource(o.ID); r.Assessment.Status != status.Current || r.Assessment.Confidence != status.Assumed {
			t.Errorf("%s, whose kind carries no status: %s (%s)", o.Name, r.Assessment.Status, r.Assessment.Confidence)
		}
	}
}

// With --all every kind of the namespace is followed, and of a saved cluster all that was saved is
// there: what an operator's resource owns is looked for although the resource is Current, because
// an owned object is shown nowhere else. There a workload that has failed counts against the
// resource's word, and nowhere else: the verdict must not depend on the rows that are open.
func TestChildrenOfACurrentOperatorAreWantedWithAll(t *testing.T) {
	for _, c := range []struct {
		ofAll bool
		mode  feed.Mode
		want  bool
	}{{false, feed.ModeWatch, false}, {true, feed.ModeWatch, true}, {false, feed.ModeSaved, true}} {
		p := newPlay(t, Options{Judge: status.Assess})
		db := &object.Object{
			ID: id("lab.io", "Database", "db"), UID: "db", Created: t0.Add(-time.Hour), ResourceVersion: "1",
			Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "True"}, LastTransitionTime: t0.Add(-time.Hour)}},
			Tree:       map[string]any{"status": map[string]any{}},
		}
		databases := feed.SourceState{Key: "databases", Group: "lab.io", Kind: "Database", Namespace: "shop", Mode: c.mode, Phase: feed.Live, Selects: true, OfAll: c.ofAll}
		p.batch(time.Second, feed.Batch{Sources: []feed.SourceState{databases}, Roots: []feed.Root{root(db)}, Objects: []*object.Object{db}, Synced: true})
		if got := p.statusOf(db); !strings.HasPrefix(got, "Current") {
			t.Fatalf("it is %s", got)
		}
		p.send(ClockTicked{at(2 * time.Second)})
		if got := slices.Contains(p.wants.Children, db.ID); got != c.want {
			t.Errorf("%+v: its children are wanted: %v", c, got)
		}
		set := &object.Object{
			ID: id("apps", "Deployment", "db"), UID: "set", Created: t0.Add(-time.Hour), ResourceVersion: "2",
			Owners:     []object.Owner{{Kind: "Database", Name: "db", UID: "db", Controller: true}},
			Workload:   &object.Workload{},
			Conditions: []object.Condition{{Statement: &object.Statement{Type: "Progressing", Status: "False", Reason: "ProgressDeadlineExceeded"}, LastTransitionTime: t0.Add(-time.Minute)}},
		}
		p.batch(3*time.Second, feed.Batch{Objects: []*object.Object{set}, Synced: true})
		if got := p.statusOf(db); strings.HasPrefix(got, "Failed") != c.want {
			t.Errorf("%+v: its Deployment has failed, and it is %s", c, got)
		}
	}
}
