package world

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Causes keeps the causes.
type Causes struct {
	Found explain.Explanation // the last
	shown
	Needs   []explain.Need
	resting []object.ID // what the causes rest on
	needsAt time.Time

	Ran     bool      // there has been an explanation, or it is under way
	At      time.Time // when that was begun
	Running uint64    // the answer that is waited for; 0 when none is
	Asked   uint64    // how many have been asked for
	Took    time.Duration
}

// explainEvery is the least time between two explanations: causes need not be
// quicker than the eye. One that takes long is made again later, see Every.
const explainEvery = 100 * time.Millisecond

// InlineMost is how many nodes are explained at once: more take longer than a
// frame may wait, and are explained off the loop, on a copy of the world.
const InlineMost = 500

// NewCauses are those of a world of which nothing is known yet.
func NewCauses() *Causes { return &Causes{shown: newShown()} }

// Every is the least time from one explanation to the next: while the first answers
// still come in, each is soon out of date, and is made at the expense of reading them.
func (x *Causes) Every() time.Duration {
	if !x.Settled {
		return max(explainEvery, 40*x.Took)
	}
	return max(explainEvery, 10*x.Took)
}

// Pending reports whether something calls for another explanation.
func (x *Causes) Pending(w *World) bool {
	if !x.Ran {
		return len(w.Roots) > 0
	}
	due := x.Found.Due
	return w.Unexplained || x.overdue(w) || !due.IsZero() && !due.After(w.Now)
}

// Busy reports whether an explanation is under way.
func (x *Causes) Busy() bool { return x.Running != 0 }

// Explanation is what the world amounts to now.
func (w *World) Explanation() explain.Explanation {
	if w.opt.Explain != nil {
		return explain.Explanation{Causes: w.opt.Explain()}
	}
	roots := make([]object.ID, len(w.Roots))
	for i, n := range w.Roots {
		roots[i] = *n.ID
	}
	return explain.Explain(w.Snapshot(), roots)
}

// Begin notes that all that has changed is being explained.
func (x *Causes) Begin(w *World) {
	x.At, x.Ran, x.Running = w.Now, true, 0
	w.Unexplained = false
}

// Take shows what has been found.
func (x *Causes) Take(w *World, found explain.Explanation) {
	x.Found = found
	if !slices.Equal(found.Resting, x.resting) {
		x.resting = found.Resting
		w.WantsChanged = true
	}
	x.show(w, found.Causes)
	if x.Settled && w.Now.Sub(x.needsAt) < time.Second {
		return
	}
	x.needsAt = w.Now
	if !slices.Equal(found.Needs, x.Needs) {
		x.Needs = found.Needs
		w.WantsChanged = true
	}
}

// Refs are the objects that an explanation asked for and nobody follows: what it
// lacks, and what a cause rests on, so that it heals when that changes.
func (x *Causes) Refs(w *World, limit int) []object.ID {
	var ids []object.ID
	for _, id := range x.resting {
		if !w.follows(id) {
			ids = append(ids, id)
		}
	}
	for _, n := range x.Needs {
		if !n.Events && !n.Template && n.Log == "" && len(ids) < limit && (len(ids) == 0 || ids[len(ids)-1] != n.ID) {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// follows reports whether an object, or all of a kind, comes by a source that is
// not a reference's.
func (w *World) follows(id object.ID) bool {
	if n := w.Nodes[id]; n != nil && n.InTree {
		return true
	}
	for key, s := range w.Sources {
		if s.Group == id.Group && s.Kind == id.Kind && s.Phase == feed.Live && s.Selector == "" && s.Name == "" &&
			(s.Namespace == "" || s.Namespace == id.Namespace) && !strings.HasPrefix(key, "reference ") {
			return true
		}
	}
	return false
}

// Shows reports whether a cause is about an object: it shows it, or is kept from
// Current by it, as it is or in what stands below it.
func (w *World) Shows(n *Node, c *explain.Cause) bool {
	if c.Subject.ID == *n.ID || slices.Contains(c.Blocks, *n.ID) || slices.Contains(c.Chain, *n.ID) {
		return true
	}
	if len(n.Kids) == 0 { // nothing stands below it
		return slices.Contains(c.Objects, *n.ID)
	}
	for _, id := range c.Objects {
		if k := w.Nodes[id]; k != nil && k.Below(n) {
			return true
		}
	}
	return false
}

// HealedOf are the causes that kept an object from Current until a moment ago.
func (x *Causes) HealedOf(w *World, n *Node) (out []explain.Cause) {
	for i := range x.Healed {
		if w.Shows(n, &x.Healed[i]) {
			out = append(out, x.Healed[i])
		}
	}
	return out
}
