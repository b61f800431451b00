package model

import (
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func (p *play) statusOf(o *object.Object) string {
	r, _ := p.m.Facts.Resource(o.ID)
	return string(r.Assessment.Status) + " " + r.Assessment.Reason
}

// An Ingress whose controller never reports an address is Current after five minutes,
// but not before its events have been read: they are asked for, and go on being read.
func TestAnIngressIsNotCurrentBeforeItsEventsAreKnown(t *testing.T) {
	p := newPlay(t, Options{Judge: status.Assess})
	web := &object.Object{ID: id("networking.k8s.io", "Ingress", "web"), UID: "i", Created: t0.Add(-time.Hour), ResourceVersion: "1", Tree: map[string]any{}}
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(web)}, Objects: []*object.Object{web}, Synced: true})
	if got := p.statusOf(web); got != "InProgress NoAddress" {
		t.Errorf("before its events have been read it is %s", got)
	}
	p.send(ClockTicked{at(2 * time.Second)})
	if !slices.Contains(p.wants.Events, web.ID) {
		t.Fatalf("its events are not asked for: %v", p.wants.Events)
	}
	p.batch(3*time.Second, feed.Batch{Synced: true, Answered: p.wants.Gen, EventsAnswered: p.wants.Gen})
	if got := p.statusOf(web); got != "Current " {
		t.Errorf("without an event it is %s", got)
	}
	p.send(ClockTicked{at(4 * time.Second)})
	if !slices.Contains(p.wants.Events, web.ID) {
		t.Errorf("its events are asked for no longer: %v", p.wants.Events)
	}
	failed := object.Event{UID: "e", About: web.ID, AboutUID: "i", Type: "Warning", Reason: "FailedDeployModel", Message: "no", Count: 4, First: t0.Add(-time.Hour), Last: at(5 * time.Second)}
	p.batch(5*time.Second, feed.Batch{Synced: true, Events: []object.Event{failed}})
	if got := p.statusOf(web); got != "Failed FailedDeployModel" {
		t.Errorf("while its Warning events repeat it is %s", got)
	}
}

// The refusal of a StatefulSet's Pods stands in an event alone, and counts after its
// grace.
func TestAnEventThatArrivesIsJudged(t *testing.T) {
	p := newPlay(t, Options{Judge: status.Assess})
	db := &object.Object{ID: id("apps", "StatefulSet", "db"), UID: "s", Created: t0, ResourceVersion: "1", Observed: object.IntOf(1), Workload: &object.Workload{
		Replicas: object.IntOf(1), StatusReplicas: object.IntOf(0),
	}}
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(db)}, Objects: []*object.Object{db}, Synced: true})
	if got := p.statusOf(db); got != "InProgress ReplicasMissing" {
		t.Errorf("at first it is %s", got)
	}
	refused := object.Event{UID: "e", About: db.ID, AboutUID: "s", Type: "Warning", Reason: "FailedCreate", Message: "exceeded quota", Count: 9, First: at(time.Second), Last: at(5 * time.Second)}
	p.batch(5*time.Second, feed.Batch{Synced: true, Events: []object.Event{refused}})
	if got := p.statusOf(db); got != "InProgress FailedCreate" {
		t.Errorf("with the event it is %s", got)
	}
	p.send(ClockTicked{at(31 * time.Second)})
	if got := p.statusOf(db); got != "Failed FailedCreate" {
		t.Errorf("after the grace it is %s", got)
	}
}

// What is judged by another object is judged again when that changes.
func TestAnHPAIsJudgedWithItsTarget(t *testing.T) {
	p := newPlay(t, Options{Judge: status.Assess})
	web := deployment("web", 0)
	web.Workload = &object.Workload{Replicas: object.IntOf(1), StatusReplicas: object.IntOf(1), Updated: object.IntOf(1)}
	hpa := &object.Object{
		ID: id("autoscaling", "HorizontalPodAutoscaler", "web"), UID: "h", Created: t0, ResourceVersion: "1",
		Tree: map[string]any{"spec": map[string]any{"scaleTargetRef": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}},
		Conditions: []object.Condition{
			{Statement: &object.Statement{Type: "AbleToScale", Status: "True"}},
			{Statement: &object.Statement{Type: "ScalingActive", Status: "False", Reason: "FailedGetResourceMetric", Message: "no metrics"}, LastTransitionTime: t0},
		},
	}
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(hpa), root(web)}, Objects: []*object.Object{hpa, web}, Synced: true})
	p.send(ClockTicked{at(time.Minute)})
	if got := p.statusOf(hpa); got != "InProgress FailedGetResourceMetric" {
		t.Errorf("while its target starts it is %s", got)
	}
	up := again(web, func(o *object.Object) {
		o.Conditions = nil
		o.Workload = &object.Workload{Replicas: object.IntOf(1), StatusReplicas: object.IntOf(1), Updated: object.IntOf(1), Ready: object.IntOf(1), Available: object.IntOf(1)}
	})
	p.batch(2*time.Minute, feed.Batch{Synced: true, Objects: []*object.Object{up}})
	if got := p.statusOf(hpa); got != "InProgress FailedGetResourceMetric" {
		t.Errorf("just after its target has become available it is %s", got)
	}
	p.send(ClockTicked{at(8 * time.Minute)})
	if got := p.statusOf(hpa); got != "Failed FailedGetResourceMetric" {
		t.Errorf("long after its target has become available it is %s", got)
	}
}
