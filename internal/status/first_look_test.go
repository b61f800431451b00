package status

import (
	"testing"
	"time"
)

// What arrives late in a first look changes a judgement, not the object: such a status has
// its own date or none, and does not begin at the moment of the look.
func TestAFirstLookDatesNothingByItself(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	undated := decode(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","uid":"u","creationTimestamp":"2026-01-02T11:00:00Z"},"spec":{"clusterIP":"10.0.0.1","selector":{"app":"web"}}}`)
	looping := decode(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"app"}]},"status":{"phase":"Running",
		"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-01-02T11:59:58Z"}],
		"containerStatuses":[{"name":"app","restartCount":28,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"startedAt":"2026-01-02T11:59:57Z","finishedAt":"2026-01-02T11:59:58Z"}}}]}}`)
	slice := decode(t, `{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"web-1"},"endpoints":[{"addresses":["10.0.0.2"],"conditions":{"ready":false},"targetRef":{"kind":"Pod","name":"web","uid":"p"}}]}`)
	current := Assess(undated, World{}, now)
	if current.Status != Current || current.Since.IsZero() {
		t.Fatalf("without its endpoints it is %+v", current)
	}
	in := World{ChildrenKnown: true, Prior: &current}
	in.Children = append(in.Children, Child{Object: slice})
	if a := Assess(undated, in, now); a.Status != InProgress || !a.Since.Equal(now) {
		t.Errorf("a change that was observed: %s since %s, want InProgress since now", a.Status, a.Since)
	}
	// Judged again at that moment, for another child, it keeps its date.
	changed := Assess(undated, in, now)
	in.Prior = &changed
	if a := Assess(undated, in, now); a.Status != InProgress || !a.Since.Equal(now) {
		t.Errorf("judged again: %s since %s, want InProgress since now", a.Status, a.Since)
	}
	in.Prior, in.FirstLook = &current, true
	if a := Assess(undated, in, now); a.Status != InProgress || !a.Since.IsZero() {
		t.Errorf("in a first look: %s since %s, want InProgress without a date", a.Status, a.Since)
	}

	// Three crashes are a fault that has lasted, nobody knows how long.
	failed := Assess(looping, World{FirstLook: true}, now)
	if failed.Status != Failed || !failed.Since.IsZero() {
		t.Errorf("a crash loop in a first look: %s since %s, want Failed without a date", failed.Status, failed.Since)
	}
	if a := Assess(looping, World{Prior: &failed}, now.Add(time.Minute)); a.Status != Failed || !a.Since.IsZero() {
		t.Errorf("a minute later: %s since %s, want Failed without a date", a.Status, a.Since)
	}
}
