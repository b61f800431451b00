package sources

import (
	"context"
	"slices"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// Turns limits concurrent first syncs (an API server gives each up to ten of a
// user's roughly fifty seats) and orders them: roots before children, and
// visible kinds first in each.
type Turns struct {
	mu      sync.Mutex
	free    int
	waiting []turn // in order of arrival

	visible map[object.ID]bool
	kinds   map[kindIn]bool // the visible ones
}

// turn is closed when it is granted.
type turn struct {
	spec  plan.Spec
	begin chan struct{}
}

// kindIn is a kind in a namespace; zero values match all.
type kindIn struct{ group, kind, namespace string }

// NewTurns allows n at a time.
func NewTurns(n int) *Turns { return &Turns{free: n} }

// Show notes which objects are visible on the screen.
func (t *Turns) Show(ids []object.ID) {
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

// take waits for a turn. The caller gives it back.
func (t *Turns) take(ctx context.Context, s plan.Spec) error {
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
		t.pass() // it was granted at the same moment
	}
	return ctx.Err()
}

func (t *Turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass()
}

// pass grants a free turn to the first in order.
func (t *Turns) pass() {
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

// rank is lower for a sync that comes earlier.
func (t *Turns) rank(s plan.Spec) int {
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
