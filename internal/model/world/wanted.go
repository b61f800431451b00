package world

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// wellFor is how long a parent must have been Current before its children are
// asked for no longer (the engine follows them on).
const wellFor = 30 * time.Second

// unsent marks a node whose children are wanted, but have not been asked for.
const unsent = 1<<64 - 1

// MayWant has the parents looked for again if n may be a new one.
func (t *Tree) MayWant(n *Node) {
	t.Growing = t.Growing || n.parent && n.asker().wanted == 0
}

// WantChildren finds the parents whose children are to be followed: all, or
// those that judgements need and those that are open. It reports whether there
// are new ones, which Sent will say when they have been asked for.
func (w *World) WantChildren(all bool, open func(*Node) bool) (parents []*Node, grown bool) {
	if w.opt.NoChildren || !w.Tree.knownBy.wants() {
		return nil, false
	}
	w.Tree.Growing = false
	for _, r := range w.Tree.Roots {
		if !r.IsTop() {
			continue
		}
		Walk(r, func(n *Node) bool {
			switch {
			case n.wanted == 0 && !n.parent, n.Object == nil:
			case (!all || edges.Searches(n.Object)) && n.well(w.Tree.Now) && !open(n) &&
				!(w.Sources.Searched && edges.LooksBelow(n.Object)):
				n.wanted = 0
			case n.wanted == 0 && n.asker().wanted == 0:
				n.wanted, grown = unsent, true
				fallthrough
			case n.wanted != 0:
				parents = append(parents, n)
			}
			return true
		})
	}
	return parents, grown
}

// well reports whether n can be judged without its children, which are not
// followed, or have been well for a while.
func (n *Node) well(now time.Time) bool {
	return n.Assess.Status == status.Current && !n.needsKids &&
		(n.wanted == 0 || now.Sub(n.Current) >= wellFor && n.Sub.Problems() == 0)
}

// Sent notes that the children of the parents have been asked for by the Wants
// of that generation.
func (w *World) Sent(parents []*Node, gen uint64) {
	for _, n := range parents {
		if n.wanted == unsent {
			n.wanted, w.Tree.newestWants = gen, gen
		}
	}
}
