package sources

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// Turns limits concurrent first syncs (an API server gives each up to ten of a
// user's roughly fifty seats) and orders them: roots before children before
// references, and visible kinds first in each.
type Turns struct {
	mu      sync.Mutex
	most    int
	held    sets.Set[*Source]
	waiting []turn // in order of arrival

	visible map[object.ID]bool
	kinds   map[kindIn]bool // the visible ones
}

// turn is closed when it is granted.
type turn struct {
	of    *Source
	begin chan struct{}
}

// kindIn is a kind in a namespace; zero values match all.
type kindIn struct{ group, kind, namespace string }

// NewTurns allows n at a time.
func NewTurns(n int) *Turns { return &Turns{most: n, held: sets.Set[*Source]{}} }

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

// take waits for a source's turn, unless it has it.
func (t *Turns) take(ctx context.Context, s *Source) error {
	t.mu.Lock()
	if t.held.Has(s) {
		t.mu.Unlock()
		return nil
	}
	mine := turn{s, make(chan struct{})}
	t.waiting = append(t.waiting, mine)
	t.pass()
	t.mu.Unlock()
	select {
	case <-mine.begin:
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // also of a goroutine that the Reflector has left behind
		t.mu.Lock()
		t.waiting = slices.DeleteFunc(t.waiting, func(w turn) bool { return w == mine })
		t.mu.Unlock()
		t.give(s)
	}
	return ctx.Err()
}

// give ends a source's turn, if it has it.
func (t *Turns) give(s *Source) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held.Delete(s)
	t.pass()
}

// pass grants free turns, in order.
func (t *Turns) pass() {
	for len(t.held) < t.most && len(t.waiting) > 0 {
		best := 0
		for i := range t.waiting {
			if t.rank(t.waiting[i].of.spec) < t.rank(t.waiting[best].of.spec) {
				best = i
			}
		}
		t.held.Insert(t.waiting[best].of)
		close(t.waiting[best].begin)
		t.waiting = slices.Delete(t.waiting, best, best+1)
	}
}

// rank is lower for a sync that comes earlier.
func (t *Turns) rank(s plan.Spec) int {
	rank, seen := 0, false
	switch {
	case s.Ref, s.Events:
		return 4
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
