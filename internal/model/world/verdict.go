package world

import (
	"maps"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Gone reports whether all followed objects existed and have been deleted.
func (w *World) Gone() bool {
	if !w.Synced || w.left || w.rootSeq == 0 {
		return false
	}
	return !slices.ContainsFunc(w.Roots, func(n *Node) bool { return n.gone.IsZero() || n.Assess.Status != status.NotFound })
}

// Movement is when a followed object that is not Current last changed, and
// whether one of them is still expected to.
func (t *tree) Movement() (moved time.Time, waiting bool) {
	if t.movedAt != t.Epoch {
		t.movedAt = t.Epoch
		if !t.movedKnown {
			t.moved, t.movedKnown = time.Time{}, true
			for _, n := range t.openRoots {
				if n.Moved().After(t.moved) {
					t.moved = n.Moved()
				}
			}
		}
		// Usually the first one is.
		t.expected = slices.ContainsFunc(t.openRoots, func(n *Node) bool { return !n.Assess.Terminal && !n.Assess.Paused })
	}
	return t.moved, t.expected
}

// hasMoved updates the time of Movement, if it is known.
func (t *tree) hasMoved(n *Node) {
	if n.openAt > 0 && n.Moved().After(t.moved) {
		t.moved = n.Moved()
	}
}

// Spaces are the followed objects' namespaces, sorted. The caller must not
// modify the list.
func (t *tree) Spaces() []string {
	if t.nsRoots != len(t.Roots) || t.nsSeq != t.rootSeq {
		set := map[string]bool{}
		for _, n := range t.Roots {
			if n.ID.Namespace != "" {
				set[n.ID.Namespace] = true
			}
		}
		t.nsRoots, t.nsSeq, t.namespaces = len(t.Roots), t.rootSeq, slices.Sorted(maps.Keys(set))
	}
	return t.namespaces
}

// Slow is an object and how long it took to become Current.
type Slow struct {
	ID   object.ID
	Took time.Duration
}

// Slowest are up to n roots that took longest to become Current, slowest first.
func (t *tree) Slowest(n int) []Slow {
	if n <= 0 {
		return nil
	}
	if t.slow == nil || t.slowOf < n {
		t.slow, t.slowOf = t.findSlowest(n), n
	}
	return slices.Clone(t.slow[:min(n, len(t.slow))])
}

// findSlowest computes Slowest; never nil.
func (t *tree) findSlowest(n int) []Slow {
	out := make([]Slow, 0, min(n, len(t.Roots))+1)
	before := max(t.Began.Sub(t.began), 0) // the beginning of the change
	for _, r := range t.Roots {
		took := r.took - before
		if r.Assess.Status != status.Current || took <= time.Second || len(out) == n && took <= out[n-1].Took {
			continue
		}
		i := slices.IndexFunc(out, func(s Slow) bool { return s.Took < took })
		if i < 0 {
			i = len(out)
		}
		out = slices.Insert(out, i, Slow{*r.ID, took})
		out = out[:min(n, len(out))]
	}
	return out
}

// Counts are numbers of objects by status.
type Counts map[status.Status]int

// Total is the sum.
func (c Counts) Total() int {
	n := 0
	for _, v := range c {
		n += v
	}
	return n
}

// WorstOpen are the first of the nodes that are not Current, worst first. If
// there are more, the same ones stay while they are open, or for worstFor:
// finding the worst takes a pass over all.
func (t *tree) WorstOpen(most int) []*Node {
	if len(t.open) > most && t.Now.Sub(t.worstAt) < worstFor {
		t.worst = slices.DeleteFunc(t.worst, func(n *Node) bool {
			_, open := t.open[n]
			return !open
		})
		return slices.Clone(t.worst)
	}
	byWorst := func(a, b *Node) int {
		if c := a.Rank() - b.Rank(); c != 0 {
			return c
		}
		return ByID(a, b)
	}
	var list []*Node
	for n := range t.open {
		if len(list) == most {
			if byWorst(n, list[most-1]) >= 0 {
				continue
			}
			list = list[:most-1]
		}
		i, _ := slices.BinarySearchFunc(list, n, byWorst)
		list = slices.Insert(list, i, n)
	}
	t.worst, t.worstAt = append(t.worst[:0], list...), t.Now
	return list
}

// worstFor is how long the worst of many stay the same.
const worstFor = 2 * time.Second
