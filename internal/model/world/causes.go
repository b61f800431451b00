package world

import (
	"log/slog"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Causes holds the causes.
type Causes struct {
	Found explain.Explanation // the last explanation
	shown

	at      time.Time // when the last explanation began
	running uint64    // the awaited answer, by the world's Epoch; 0 if none
	took    time.Duration
}

// explainEvery is the least time between two explanations: faster changes
// cannot be read. A slow one is repeated less often, see every.
const explainEvery = 100 * time.Millisecond

// InlineMost is how many nodes are explained at once, whatever their status.
const InlineMost = 500

// Slow reports whether the world is to be explained in the background, on a copy:
// to make one takes as long as to explain what is nearly all Current.
func (w *World) Slow() bool {
	n := len(w.Tree.Nodes)
	return n > InlineMost && 40*(w.Counts.Problems()+w.Generated.Problems()) > n
}

// NewCauses are the causes of an empty world.
func NewCauses() *Causes { return &Causes{shown: newShown()} }

// every is the least time until the next explanation, ten times what one takes:
// at least a microsecond a node. During the first sync each is soon out of date,
// and costs the CPU that reading needs.
func (x *Causes) every(w *World) time.Duration {
	took := max(x.took, time.Duration(len(w.Tree.Nodes))*time.Microsecond)
	if !x.settled {
		took *= 4
	}
	if w.Tree.knownBy.repeats() {
		return 10 * took // a moment looks the same on every way to it: each change counts
	}
	return max(explainEvery, 10*took)
}

// Pending reports whether another explanation is needed.
func (x *Causes) Pending(w *World) bool {
	at := Earliest(x.Found.Due, x.turns())
	return w.Tree.Unexplained || !at.IsZero() && !at.After(w.Tree.Now)
}

// Busy reports whether an explanation is running.
func (x *Causes) Busy() bool { return x.running != 0 }

// Next is when the causes are to be found again: when something has changed,
// but not for every batch; zero is never. Before the first sync is complete a
// screen shows them as they are found; a one-shot command waits for the sync,
// and then for nothing.
func (x *Causes) Next(w *World) time.Time {
	at, soonest := Earliest(x.Found.Due, x.turns()), x.at.Add(x.every(w))
	switch first := !w.opt.Screen && !x.settled; {
	case x.Busy(), first && !w.Sources.Synced:
		return time.Time{}
	case first, w.opt.Still: // changes are few, and no time passes
		soonest = w.Tree.Now
	}
	if w.Tree.Unexplained || !at.IsZero() && at.Before(soonest) {
		return soonest
	}
	return at
}

// NextAfter is Next, and not sooner than a while after the last time.
func (x *Causes) NextAfter(w *World, while time.Duration) time.Time {
	at := x.Next(w)
	if soonest := x.at.Add(while); !at.IsZero() && at.Before(soonest) {
		return soonest
	}
	return at
}

// Due reports whether they are to be found again now: if that is done at once,
// with every tick that needs it.
func (x *Causes) Due(w *World, ticked bool) bool {
	at := x.Next(w)
	return !at.IsZero() && (!at.After(w.Tree.Now) || ticked && x.took == 0 && x.Pending(w))
}

// Settle notes whether everything that was wanted at first has arrived.
func (x *Causes) Settle(w *World) {
	x.settled = x.settled || w.Sources.Synced && !w.Awaiting()
}

// Explanation explains the present state.
func (w *World) Explanation() explain.Explanation {
	if w.opt.Explain != nil {
		return explain.Explanation{Causes: w.opt.Explain()}
	}
	return explain.Explain(w.Snapshot(), IDs(w.Tree.Roots))
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
	x.running = w.Tree.Epoch
	return w.Explainable(), w.Tree.Epoch
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
	x.at, x.running = w.Tree.Now, 0
	w.Tree.Unexplained = false
}

// take shows the causes found.
func (x *Causes) take(w *World, found explain.Explanation) {
	if !slices.Equal(found.DependsOn, x.Found.DependsOn) || !slices.Equal(found.Needs, x.Found.Needs) {
		w.Tree.wantsChanged = true
	}
	if len(found.Faults) > len(x.Found.Faults) { // not again with every explanation
		for _, f := range found.Faults {
			slog.Error("internal error", "detector", f.Detector, "object", f.Object.String(),
				"value", f.Value, "stack", f.Stack)
		}
	}
	x.Found = found
	x.show(w, found.Causes)
}

// Refs are the unfollowed objects that an explanation asked for: those it
// lacks, and those that a cause depends on, so that the cause heals when they
// change.
func (x *Causes) Refs(w *World, limit int) []object.ID {
	var ids []object.ID
	for _, id := range x.Found.DependsOn {
		if !w.follows(id) {
			ids = append(ids, id)
		}
	}
	for _, n := range x.Found.Needs {
		if !n.Events && !n.Template && n.Log == "" && len(ids) < limit && (len(ids) == 0 || ids[len(ids)-1] != n.ID) {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// follows reports whether an object, or every object of a kind, is delivered by
// a source other than a reference. A source that hands on a part of what it reads does
// not deliver all: what it leaves out would be wanted, and not, in turns.
func (w *World) follows(id object.ID) bool {
	n := w.Tree.Nodes[id]
	return n != nil && n.InTree ||
		w.Sources.delivers(edges.Need{Group: id.Group, Kind: id.Kind, Namespace: id.Namespace})
}
