package model

import (
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestACauseStaysForAMomentAfterItHasGone(t *testing.T) {
	web := deployment("web", 0)
	n := &node{id: web.ID, obj: web, assess: status.Assessment{Status: status.InProgress}}
	w := &world{nodes: map[status.ID]*node{web.ID: n}, now: t0}
	cause := func(id string, class explain.Class) Cause {
		return Cause{ID: id, Class: class, Blocks: []status.ID{web.ID}}
	}
	crash, pull := cause("crash", explain.Action), cause("pull", explain.Action)
	wait := cause("wait", explain.Waits)
	x := &explaining{held: map[string]time.Time{}, causes: []Cause{crash, pull, wait}}
	step := func(after time.Duration, fresh []Cause, want ...string) {
		t.Helper()
		w.now = at(after)
		x.causes = x.hold(w, fresh)
		var got []string
		for _, c := range x.causes {
			got = append(got, c.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %s: %v, want %v", after, got, want)
		}
	}
	step(0, []Cause{pull}, "crash", "pull")
	step(time.Second, []Cause{pull, crash}, "pull", "crash")
	step(2*time.Second, []Cause{pull}, "pull", "crash")
	step(3*time.Second, nil, "pull", "crash")
	step(4*time.Second, nil, "pull")
	// What was kept from Current is Current: nothing is left to explain.
	n.assess.Status = status.Current
	step(4500*time.Millisecond, nil)
	if len(x.held) > 0 {
		t.Errorf("still held: %v", x.held)
	}
}
