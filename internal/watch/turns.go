package watch

import (
	"context"
	"slices"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// turns lets a few first syncs go on at a time (an API server gives each up to
// ten of a user's some fifty seats), and decides who is next: what was asked
// for before what was generated from it, and in either what is on the screen.
type turns struct {
	mu      sync.Mutex
	free    int
	waiting []turn // in the order of coming

	visible map[object.ID]bool
	kinds   map[kindIn]bool // of what is visible
}

// turn is closed when its time has come.
type turn struct {
	spec  plan.Spec
	begin chan struct{}
}

// kindIn is a kind in a namespace; the zero kind stands for all of them.
type kindIn struct{ group, kind, namespace string }

func newTurns(n int) *turns { return &turns{free: n} }

// show tells what is on the screen.
func (t *turns) show(ids []object.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.visible, t.kinds = map[object.ID]bool{}, map[kindIn]bool{}
	for _, id := range ids {
		t.visible[id] = true
		for _, ns := range []string{id.Namespace, ""} {
			t.kinds[kindIn{id.Group, id.Kind, ns}] = true
			t.kinds[kindIn{namespace: ns}] = true
		}
	}
}

// take waits for a turn. Whoever got one gives it back.
func (t *turns) take(ctx context.Context, s plan.Spec) error {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	mine := turn{s, make(chan struct{})}
	t.waiting = append(t.waiting, mine)
	t.mu.Unlock()
	select {
	case <-mine.begin:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.IndexFunc(t.waiting, func(w turn) bool { return w.begin == mine.begin }); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	} else {
		t.pass() // it came at the same moment
	}
	return ctx.Err()
}

func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass()
}

// pass hands a turn to whoever comes first now.
func (t *turns) pass() {
	if len(t.waiting) == 0 {
		t.free++
		return
	}
	best := 0
	for i := range t.waiting {
		if t.rank(t.waiting[i].spec) < t.rank(t.waiting[best].spec) {
			best = i
		}
	}
	close(t.waiting[best].begin)
	t.waiting = slices.Delete(t.waiting, best, best+1)
}

// rank is small for what comes first.
func (t *turns) rank(s plan.Spec) int {
	rank, seen := 0, false
	switch {
	case s.Child:
		rank, seen = 2, t.kinds[kindIn{namespace: s.Namespace}]
	case s.Name != "":
		seen = t.visible[s.Resource.ID(s.Namespace, s.Name)]
	default:
		seen = t.kinds[kindIn{s.Resource.Group, s.Resource.Kind, s.Namespace}]
	}
	if !seen {
		rank++
	}
	return rank
}
