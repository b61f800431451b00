package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The values of --fail-fast.
const (
	failTerminal = "terminal"
	failAny      = "any"
	failNever    = "never"
)

var failFastChoices = []cobra.Completion{failTerminal + "\tstop on what cannot heal", failAny + "\tstop on any failure", failNever}

// goal decides when a wait is over. It only reads the model; its caller asks
// after every change and at the times that it returns.
type goal struct {
	aims     []aim         // the values of --for: all must hold
	failFast string        // one of the values of --fail-fast
	settle   time.Duration // how long the goal must hold
	strict   bool          // --strict: the confidence assumed does not count as Current
	played   bool          // a recording: nothing beyond it can be asked for
	deadline time.Time     // zero for no limit

	roots map[object.ID]*watched
	seen  bool      // at least one object existed
	since time.Time // when the goal was reached, zero while it is not
}

// watched is what a goal remembers of one root.
type watched struct {
	uid        string
	generation int64          // the generation waited for; it grows when only spec.replicas changes
	revision   string         // of the inventory, if this is its root
	last       *object.Object // as last seen
	gone       bool
	finished   bool // a completed Job that its TTL removes or has removed
}

// outcome is how a wait ended.
type outcome struct {
	code int
	why  string // one line
}

// observed is the part of a model that a goal reads.
type observed interface {
	Now() time.Time
	Synced() bool
	Answered() bool
	Roots() []object.ID
	Resource(object.ID) (model.Resource, bool)
	Verdict() model.Verdict
	Connection() world.Connection
}

// look returns the outcome, or nil and the time to look again.
func (g *goal) look(m observed) (*outcome, time.Time) {
	now := m.Now()
	late := !g.deadline.IsZero() && !now.Before(g.deadline)
	fresh := m.Synced() && !m.Verdict().Lost
	if link := m.Connection().Link; !g.is(forCurrent) && (link == world.LinkReconnecting || link == world.LinkStale) {
		fresh = false // the verdict's freshness does not cover these goals
	}
	if fresh {
		if o := g.remember(m); o != nil {
			return o, time.Time{}
		}
		if o := g.failed(m); o != nil {
			return o, time.Time{}
		}
		if o := g.nothing(m); o != nil {
			return o, time.Time{}
		}
	} else {
		g.glimpse(m)
	}
	// Stale or partial data is never a success: a Service is judged by its
	// EndpointSlices, which are requested only after the Service has been seen.
	known := !g.is(forCurrent) || g.played || m.Answered()
	if !fresh || !known || !g.reached(m) {
		g.since = time.Time{}
	} else if g.since.IsZero() {
		g.since = now
	}
	if !g.since.IsZero() && !now.Before(g.since.Add(g.settle)) {
		reached, _ := g.words()
		return &outcome{exitOK, reached}, time.Time{}
	}
	if late {
		return g.timedOut(m), time.Time{}
	}
	wake := g.deadline
	if held := g.since.Add(g.settle); !g.since.IsZero() && (wake.IsZero() || held.Before(wake)) {
		wake = held
	}
	return nil, wake
}

// glimpse notes the roots that exist in the generation waited for before the
// first sync is complete: scaling in that time is not a new apply.
func (g *goal) glimpse(m observed) {
	for _, id := range m.Roots() {
		r, ok := m.Resource(id)
		if !ok || r.Root == nil || r.Object == nil || g.roots[id] != nil {
			continue
		}
		if n := r.Root.Generation; n > 0 && r.Object.Generation.Or(0) == n {
			if g.roots == nil {
				g.roots = map[object.ID]*watched{}
			}
			g.roots[id] = &watched{generation: n, last: r.Object, uid: r.Object.UID}
		}
	}
}

// remember compares the objects with those seen before. It ends the wait if a
// named object is gone, was recreated or was applied again.
func (g *goal) remember(m observed) *outcome {
	if g.roots == nil {
		g.roots = map[object.ID]*watched{}
	}
	for _, id := range m.Roots() {
		r, ok := m.Resource(id)
		if !ok || r.Root == nil {
			continue
		}
		w := g.roots[id]
		if w == nil {
			w = &watched{generation: r.Root.Generation}
			g.roots[id] = w
		}
		if now := r.Root.Revision; now != "" && r.Root.Asked() && g.is(forCurrent) {
			if w.revision != "" && w.revision != now {
				return &outcome{exitMoved, fmt.Sprintf("%s moved on to revision %s (waited for %s)", id, now, w.revision)}
			}
			w.revision = now
		}
		o := r.Object
		if o == nil && w.last == nil {
			continue
		}
		g.seen = true
		// Members of an inventory may come and go.
		named := !isSelection(r.Root.Source) && !r.Root.Optional && r.Root.Asked()
		switch {
		case o == nil && (w.finished || finishedByTTL(w.last, "SuccessCriteriaMet")):
			// The Job completed, and may have been removed at once.
			w.gone, w.finished = true, true
		case o == nil && named && !g.is(forDeleted):
			return &outcome{exitMoved, fmt.Sprintf("%s was deleted while it was waited for", id)}
		case o == nil:
		case w.uid != "" && o.UID != w.uid && named:
			return &outcome{exitMoved, fmt.Sprintf("%s was deleted and created again while it was waited for", id)}
		case named && w.generation > 0 && o.Generation.Or(0) > w.generation:
			if !w.scaledOnly(o) {
				return &outcome{exitMoved, fmt.Sprintf("%s was changed again (generation %d, waited for %d)", id, o.Generation.V, w.generation)}
			}
			w.generation = o.Generation.V
		}
		if o != nil {
			w.last, w.uid, w.gone, w.finished = o, o.UID, false, finishedByTTL(o, "Complete")
		}
	}
	return nil
}

// finishedByTTL reports whether a Job has the condition and sets
// spec.ttlSecondsAfterFinished. The controller deletes it in the foreground: it
// is Terminating for a while and may never have been seen as Current.
func finishedByTTL(o *object.Object, condition string) bool {
	return o.Job != nil && o.Job.TTL.Set &&
		slices.ContainsFunc(o.Conditions, func(c object.Condition) bool { return c.Type == condition && c.Status == "True" })
}

// scaledOnly reports whether the spec differs in the number of replicas alone:
// an autoscaler's change, not another apply. It needs the whole spec.
func (w *watched) scaledOnly(o *object.Object) bool {
	return w.last != nil && o.SpecSum != 0 && o.SpecSum == w.last.SpecSum
}

// failed ends the wait early, as set by --fail-fast.
func (g *goal) failed(m observed) *outcome {
	if !g.is(forCurrent) || g.failFast == failNever {
		return nil
	}
	for _, id := range m.Roots() {
		r, ok := m.Resource(id)
		if !ok || r.Root == nil || r.Root.Optional || r.Root.Kept || r.Assessment.Status != status.Failed {
			continue
		}
		if g.failFast == failAny {
			return &outcome{exitFailed, fmt.Sprintf("%s has failed", id)}
		}
		if r.Assessment.Terminal {
			return &outcome{exitFailed, fmt.Sprintf("%s has failed and cannot heal by itself", id)}
		}
	}
	return nil
}

// nothing ends a wait for the deletion of a selection that was empty from the
// start.
func (g *goal) nothing(m observed) *outcome {
	if g.is(forDeleted) && !g.seen && len(m.Roots()) == 0 {
		return &outcome{exitError, "nothing was found to wait for"}
	}
	return nil
}

// reached reports whether everything but optional resources meets the goal.
func (g *goal) reached(m observed) bool {
	any := false
	for _, id := range m.Roots() {
		r, ok := m.Resource(id)
		if !ok || r.Root == nil || r.Root.Optional || r.Root.Kept {
			continue
		}
		any = true
		if !g.done(r) {
			return false
		}
	}
	// A selection is deleted with its last member; otherwise an empty set is
	// never a success.
	return any || g.is(forDeleted) && g.seen
}

// end converts an outcome for printing.
func (g *goal) end(o outcome) report.End {
	_, tally := g.words()
	e := report.End{Code: o.code, Why: o.why, Word: tally, Done: g.done, Gone: g.is(forDeleted)}
	removed := 0
	for _, w := range g.roots {
		if w.finished && w.gone {
			removed++
		}
	}
	if removed > 0 && g.is(forCurrent) {
		e.Note = fmt.Sprintf("%d completed and removed by their TTL", removed)
	}
	return e
}

// done reports whether a resource meets the goal, or met it before it was
// removed.
func (g *goal) done(r model.Resource) bool {
	w := g.roots[r.ID]
	return w != nil && w.finished && !g.is(forDeleted) || g.fulfils(r)
}

// timedOut is the outcome when the deadline has passed.
func (g *goal) timedOut(m observed) *outcome {
	if len(m.Roots()) == 0 {
		if c := m.Connection(); !m.Synced() && c.Error != "" {
			return &outcome{exitError, "out of time; the cluster did not answer: " + c.Trouble()}
		}
		return &outcome{exitError, "out of time; nothing was found to wait for"}
	}
	if g.is(forCurrent) {
		for _, id := range m.Roots() {
			r, ok := m.Resource(id)
			if ok && r.Root != nil && !r.Root.Optional && !r.Root.Kept && r.Assessment.Status == status.Failed {
				return &outcome{exitFailed, "out of time, with failures"}
			}
		}
	}
	if c := m.Connection(); m.Verdict().Lost && c.Error != "" {
		return &outcome{exitPending, "out of time; the connection was lost: " + c.Trouble()}
	}
	return &outcome{exitPending, "out of time"}
}

// isSelection tells selections (TYPE -l, TYPE --field-selector, TYPE --all,
// --all) from names: the members of a selection may come and go.
func isSelection(source string) bool {
	for word := range strings.FieldsSeq(source) {
		if word == "-l" || word == "--all" || word == "--field-selector" {
			return true
		}
	}
	return false
}
