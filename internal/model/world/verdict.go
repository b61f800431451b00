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
func (w *World) Movement() (moved time.Time, waiting bool) {
	if w.movedAt != w.Epoch {
		w.movedAt = w.Epoch
		if !w.movedKnown {
			w.moved, w.movedKnown = time.Time{}, true
			for _, n := range w.openRoots {
				if n.Moved().After(w.moved) {
					w.moved = n.Moved()
				}
			}
		}
		// Usually the first one is.
		w.expected = slices.ContainsFunc(w.openRoots, func(n *Node) bool { return !n.Assess.Terminal && !n.Assess.Paused })
	}
	return w.moved, w.expected
}

// hasMoved updates the time of Movement, if it is known.
func (w *World) hasMoved(n *Node) {
	if n.openAt > 0 && n.Moved().After(w.moved) {
		w.moved = n.Moved()
	}
}

// Spaces are the followed objects' namespaces, sorted. The caller must not
// modify the list.
func (w *World) Spaces() []string {
	if w.nsRoots != len(w.Roots) || w.nsSeq != w.rootSeq {
		set := map[string]bool{}
		for _, n := range w.Roots {
			if n.ID.Namespace != "" {
				set[n.ID.Namespace] = true
			}
		}
		w.nsRoots, w.nsSeq, w.namespaces = len(w.Roots), w.rootSeq, slices.Sorted(maps.Keys(set))
	}
	return w.namespaces
}

// Slow is an object and how long it took to become Current.
type Slow struct {
	ID   object.ID
	Took time.Duration
}

// Slowest are up to n roots that took longest to become Current, slowest first.
func (w *World) Slowest(n int) []Slow {
	if n <= 0 {
		return nil
	}
	if w.slow == nil || w.slowOf < n {
		w.slow, w.slowOf = w.findSlowest(n), n
	}
	return slices.Clone(w.slow[:min(n, len(w.slow))])
}

// findSlowest computes Slowest; never nil.
func (w *World) findSlowest(n int) []Slow {
	out := make([]Slow, 0, min(n, len(w.Roots))+1)
	before := max(w.Began.Sub(w.opt.Now), 0) // the beginning of the change
	for _, r := range w.Roots {
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
func (w *World) WorstOpen(most int) []*Node {
	if len(w.open) > most && w.Now.Sub(w.worstAt) < worstFor {
		w.worst = slices.DeleteFunc(w.worst, func(n *Node) bool {
			_, open := w.open[n]
			return !open
		})
		return slices.Clone(w.worst)
	}
	byWorst := func(a, b *Node) int {
		if c := a.Rank() - b.Rank(); c != 0 {
			return c
		}
		return ByID(a, b)
	}
	var list []*Node
	for n := range w.open {
		if len(list) == most {
			if byWorst(n, list[most-1]) >= 0 {
				continue
			}
			list = list[:most-1]
		}
		i, _ := slices.BinarySearchFunc(list, n, byWorst)
		list = slices.Insert(list, i, n)
	}
	w.worst, w.worstAt = append(w.worst[:0], list...), w.Now
	return list
}

// worstFor is how long the worst of many stay the same.
const worstFor = 2 * time.Second
