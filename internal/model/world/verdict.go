package world

import (
	"maps"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// conclude counts what is followed, and what is below it, and finds the verdict.
func (w *World) conclude() {
	if w.Tree.rootsChanged {
		spaces := map[string]bool{}
		for _, n := range w.Tree.Roots {
			spaces[n.ID.Namespace] = true
		}
		delete(spaces, "")
		w.Tree.rootsChanged, w.Tree.Spaces = false, slices.Sorted(maps.Keys(spaces))
	}
	t := tallies{}
	for _, n := range w.Tree.Roots {
		if n.IsTop() {
			t.Generated.Add(&n.Sub)
		}
		r := n.Rank()
		t.Generated[r]--
		if n.kept {
			continue
		}
		if !n.optional {
			t.required[r]++
			t.Looping = t.Looping || n.looping
		}
		switch {
		case w.Awaits(n):
			t.Counts[RankOf(status.Unknown)]++
			t.Withheld = t.Withheld || !n.optional
			continue
		case Assumed(n.Assess):
			t.Assumed++
		}
		t.Counts[r]++
		if r != CurrentRank {
			t.Expected = t.Expected || !n.Assess.Terminal && !n.Assess.Paused
			if n.Moved.After(t.Moved) {
				t.Moved = n.Moved
			}
		}
	}
	w.tallies = t
	if v := w.aggregate(); v != w.Verdict {
		if w.Verdict == status.Current && w.Sources.Synced {
			w.Began = w.Tree.Now
		}
		w.Verdict, w.VerdictSince = v, w.Tree.Now
	}
	w.Moving = w.Moving || w.Sources.Synced && w.Verdict != status.Current
}

// aggregate is the verdict over what is required, or over what is optional if
// nothing is and all of it exists. What may not be seen counts as Unknown.
func (w *World) aggregate() status.Status {
	v := w.required.Verdict()
	if all := w.Counts.Verdict(); w.required.Total() == 0 && all == status.Current {
		v = all
	}
	if v != status.Failed && w.Sources.Unseen() != "" {
		v = status.Unknown
	}
	return v
}

// Gone reports whether all followed objects existed and have been deleted.
func (w *World) Gone() bool {
	if !w.Sources.Synced || w.Tree.unfollowedExists || !w.Tree.rooted || w.Sources.Unseen() != "" {
		return false
	}
	return !slices.ContainsFunc(w.Tree.Roots, func(n *Node) bool {
		return n.gone.IsZero() || n.Assess.Status != status.NotFound
	})
}

// Remains are the UIDs of the Pods that were below a root when it was deleted: the
// garbage collector deletes them afterwards, and they take their time to end.
type Remains map[object.ID]string

// of adds the Pods below a root that has been deleted.
func (r Remains) of(root *Node) {
	Walk(root, func(n *Node) bool {
		if n.Object != nil && n.Object.Pod != nil && n.Root == nil {
			r[*n.ID] = n.Object.UID
		}
		return true
	})
}

// Among counts those that are still there.
func (r Remains) Among(nodes map[object.ID]*Node) (pods int) {
	for id, uid := range r {
		if n := nodes[id]; n != nil && n.Object != nil && n.Object.UID == uid && !n.InTree {
			pods++
		}
	}
	return pods
}

// Took is how long a root took to become Current since the beginning of the
// change, 0 if it is not, or was within a second.
func (w *World) Took(root *Node) time.Duration {
	took := root.untilCurrent - max(w.Began.Sub(w.Tree.began), 0)
	if root.Assess.Status != status.Current || took <= time.Second {
		return 0
	}
	return took
}

// Slowest is the first of the roots that took longest to become Current, with
// 0 if none took any time.
func (w *World) Slowest() (id object.ID, took time.Duration) {
	for _, r := range w.Tree.Roots {
		if d := w.Took(r); d > took {
			id, took = *r.ID, d
		}
	}
	return id, took
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

// WorstOpen are the first of the nodes that are not Current, worst first.
func (t *Tree) WorstOpen(most int) []*Node {
	var by [CurrentRank][]*Node
	for _, top := range t.Roots {
		if !top.IsTop() || top.Sub.Problems() == 0 {
			continue
		}
		Walk(top, func(n *Node) bool {
			if r := n.Rank(); r != CurrentRank && (n.Root == nil || !n.Root.Kept) {
				by[r] = append(by[r], n)
			}
			return true
		})
	}
	all := slices.Concat(by[:]...)
	return all[:min(most, len(all))]
}
