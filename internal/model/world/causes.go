package world

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Causes holds the causes.
type Causes struct {
	Found explain.Explanation // the last explanation
	shown
	Needs   []explain.Need
	resting []object.ID // objects that the causes depend on
	needsAt time.Time

	ran     bool      // there has been an explanation, or one is running
	at      time.Time // when it began
	running uint64    // the awaited answer; 0 if none
	asked   uint64    // number of requested explanations
	took    time.Duration
}

// explainEvery is the least time between two explanations: faster changes
// cannot be read. A slow one is repeated less often, see every.
const explainEvery = 100 * time.Millisecond

// InlineMost is how many nodes are explained at once: more take longer than a
// frame, and are explained in the background, on a copy of the world.
const InlineMost = 500

// NewCauses are the causes of an empty world.
func NewCauses() *Causes { return &Causes{shown: newShown()} }

// every is the least time until the next explanation: during the first sync
// each is soon out of date, and costs the CPU that reading needs.
func (x *Causes) every() time.Duration {
	if !x.settled {
		return max(explainEvery, 40*x.took)
	}
	return max(explainEvery, 10*x.took)
}

// Pending reports whether another explanation is needed.
func (x *Causes) Pending(w *World) bool {
	if !x.ran {
		return len(w.Roots) > 0
	}
	due := x.Found.Due
	return w.Unexplained || x.overdue(w) || !due.IsZero() && !due.After(w.Now)
}

// Busy reports whether an explanation is running.
func (x *Causes) Busy() bool { return x.running != 0 }

// Due reports whether the causes are to be found again now: when something has
// changed, but not for every batch. Before the first sync is complete a screen
// shows them as they are found; a one-shot command waits for the sync.
func (x *Causes) Due(w *World, ticked bool) bool {
	switch {
	case x.Busy() || !x.Pending(w):
		return false
	case !w.opt.Screen && !x.settled:
		return w.Synced
	}
	return !x.ran || ticked && x.took == 0 || w.Now.Sub(x.at) >= x.every()
}

// Next is when time alone makes the next explanation due; zero is never.
func (x *Causes) Next(w *World) (at time.Time) {
	if x.Busy() {
		return at
	}
	if x.ran && w.Unexplained {
		at = x.at.Add(x.every())
	}
	if due := x.Found.Due; !due.IsZero() && (at.IsZero() || due.Before(at)) {
		at = due
	}
	return at
}

// Settle notes whether everything that was wanted at first has arrived.
func (x *Causes) Settle(w *World) {
	x.settled = x.settled || w.Synced && len(w.awaited) == 0
}

// Explanation explains the present state.
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

// Explain finds and shows the causes of this moment.
func (x *Causes) Explain(w *World) {
	x.begin(w)
	x.take(w, w.Explanation())
}

// Ask begins an explanation elsewhere, of the copy that it returns. Answer takes
// in what was found, with the number; one that is no longer awaited is dropped.
func (x *Causes) Ask(w *World) (still *World, number uint64) {
	x.begin(w)
	x.asked++
	x.running = x.asked
	return w.Explainable(), x.asked
}

// Answer takes in the answer to Ask.
func (x *Causes) Answer(w *World, number uint64, found explain.Explanation, took time.Duration) bool {
	if x.running != number {
		return false
	}
	x.running, x.took = 0, took
	x.take(w, found)
	return true
}

// begin notes that all changes so far are being explained.
func (x *Causes) begin(w *World) {
	x.at, x.ran, x.running = w.Now, true, 0
	w.Unexplained = false
}

// take shows the causes found.
func (x *Causes) take(w *World, found explain.Explanation) {
	x.Found = found
	if !slices.Equal(found.Resting, x.resting) {
		x.resting = found.Resting
		w.wantsChanged = true
	}
	x.show(w, found.Causes)
	if x.settled && w.Now.Sub(x.needsAt) < time.Second {
		return
	}
	x.needsAt = w.Now
	if !slices.Equal(found.Needs, x.Needs) {
		x.Needs = found.Needs
		w.wantsChanged = true
	}
}

// Refs are the unfollowed objects that an explanation asked for: those it
// lacks, and those that a cause depends on, so that the cause heals when they
// change.
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

// follows reports whether an object, or every object of a kind, is delivered by
// a source other than a reference.
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

// Shows reports whether a cause is about an object: the object or a descendant
// shows it or is blocked by it.
func (t *tree) Shows(n *Node, c *explain.Cause) bool {
	if c.Subject.ID == *n.ID || slices.Contains(c.Blocks, *n.ID) || slices.Contains(c.Chain, *n.ID) {
		return true
	}
	if len(n.Kids) == 0 { // nothing stands below it
		return slices.Contains(c.Objects, *n.ID)
	}
	for _, id := range c.Objects {
		if k := t.Nodes[id]; k != nil && k.Below(n) {
			return true
		}
	}
	return false
}

// HealedOf are the causes that blocked an object until a moment ago.
func (x *Causes) HealedOf(w *World, n *Node) (out []explain.Cause) {
	for i := range x.Healed {
		if w.Shows(n, &x.Healed[i]) {
			out = append(out, x.Healed[i])
		}
	}
	return out
}
