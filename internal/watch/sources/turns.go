package sources

import (
	"cmp"
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
	held    sets.Set[*Stream]
	waiting []turn // in order of arrival
	visible []object.ID
}

// turn is closed when it is granted.
type turn struct {
	of    *Stream
	begin chan struct{}
}

// NewTurns allows n at a time.
func NewTurns(n int) *Turns { return &Turns{most: n, held: sets.Set[*Stream]{}} }

// Show notes which objects are visible on the screen.
func (t *Turns) Show(ids []object.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.visible = ids
}

// take waits for a source's turn, unless it has it.
func (t *Turns) take(ctx context.Context, s *Stream) error {
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
func (t *Turns) give(s *Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held.Delete(s)
	t.pass()
}

// pass grants free turns, in order.
func (t *Turns) pass() {
	for len(t.held) < t.most && len(t.waiting) > 0 {
		next := slices.MinFunc(t.waiting, func(a, b turn) int { return cmp.Compare(t.rank(a.of), t.rank(b.of)) })
		t.held.Insert(next.of)
		close(next.begin)
		t.waiting = slices.DeleteFunc(t.waiting, func(w turn) bool { return w == next })
	}
}

// rank is lower for a sync that comes earlier.
func (t *Turns) rank(of *Stream) int {
	if of.use != ToFollow {
		return 4
	}
	rank, s := 1, of.spec
	children := s.Role == plan.Children || s.Role == plan.Search
	if children {
		rank = 3
	}
	s.Selector, s.Fields = "", ""
	if slices.ContainsFunc(t.visible, func(id object.ID) bool {
		return s.Covers(id) || children && (s.Namespace == "" || s.Namespace == id.Namespace)
	}) {
		rank--
	}
	return rank
}
