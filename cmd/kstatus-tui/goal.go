package main

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
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
	must  bool      // and was required
	since time.Time // when the goal was reached, zero while it is not
}

// watched is what a goal remembers of one root.
type watched struct {
	uid        string
	generation int64          // the generation waited for; it grows when only spec.replicas changes
	revision   string         // of the inventory waited for, if this is its root
	last       *object.Object // as last seen
	failed     bool           // as last judged before its deletion
	gone       bool
	finished   bool // a completed Job that its TTL removes or has removed
}

// observed is the part of a model that a goal reads.
type observed interface {
	Now() time.Time
	Synced() bool
	Whole() bool
	Answered() bool
	Roots() []object.ID
	Resource(object.ID) (known.Resource, bool)
	Verdict() known.Verdict
	Connection() world.Connection
}

// look returns the outcome, or nil and the time to look again.
func (g *goal) look(m observed) (*report.End, time.Time) {
	now, v, link := m.Now(), m.Verdict(), m.Connection().Link
	stale := link == world.LinkReconnecting || link == world.LinkStale
	fresh := m.Synced() && !v.Lost && (g.is(forCurrent) || !stale) // v.Lost does not cover the other goals
	if o := g.remember(m, fresh); o != nil {
		return o, time.Time{}
	}
	if fresh {
		if o := cmp.Or(g.unread(m), g.failed(m)); o != nil {
			return o, time.Time{}
		}
		if g.is(forDeleted) && !g.seen && len(m.Roots()) == 0 && v.Unseen == "" { // the selection was empty from the start
			return g.end(exitError, "nothing was found to wait for"), time.Time{}
		}
	}
	// Stale or partial data is never a success: a Service is judged by its
	// EndpointSlices, which are requested only after the Service has been seen. Nor
	// is a selection of what may not be seen. Of a lost stream v.Lost tells only while
	// v is Current, which it is not once a completed Job has been removed.
	known := (!g.is(forCurrent) || g.played || m.Answered()) && v.Unseen == "" && (v.Status == status.Current || !stale)
	if !fresh || !known || !g.reached(m) {
		g.since = time.Time{}
	} else if g.since.IsZero() {
		g.since = now
	}
	var held time.Time // when it will have held long enough
	if !g.since.IsZero() && m.Whole() {
		held = g.since.Add(g.settle)
	}
	switch reached, _ := g.words(); {
	case !held.IsZero() && !now.Before(held):
		return g.end(exitOK, "%s", reached), time.Time{}
	case !g.deadline.IsZero() && !now.Before(g.deadline):
		return g.timedOut(m), time.Time{}
	}
	return nil, world.Earliest(held, g.deadline)
}

// remember ends the wait if a named object is gone, was recreated or was applied
// again. Of what is not fresh it notes what exists in the generation waited for:
// if that is scaled before the first sync is complete, it is not a new apply.
func (g *goal) remember(m observed, fresh bool) *report.End {
	if g.roots == nil {
		g.roots = map[object.ID]*watched{}
	}
	maps.DeleteFunc(g.roots, func(id object.ID, _ *watched) bool { // a member that is listed again is another one
		r, _ := m.Resource(id)
		return r.Root == nil || r.Root.Kept && !r.Root.Asked()
	})
	for _, id := range m.Roots() {
		r, ok := m.Resource(id)
		if !ok || r.Root == nil {
			continue
		}
		w, o := g.roots[id], r.Object
		if !fresh {
			if n := r.Root.Generation; w == nil && o != nil && n > 0 && o.Generation.Or(0) == n {
				g.roots[id] = &watched{generation: n, last: o, uid: o.UID}
			}
			continue
		}
		if w == nil {
			w = &watched{generation: r.Root.Generation}
			g.roots[id] = w
		}
		// Members of an inventory may come and go, as those of a selection may.
		selected := slices.ContainsFunc(strings.Fields(r.Root.Source), func(word string) bool {
			return word == "-l" || word == "--all" || word == "--field-selector"
		})
		taken := r.Root.Pending == "" || r.Root.Applying // right after an apply the revision is still the last one
		if now := cmp.Or(r.Root.Target, r.Root.Revision); now != "" && taken && r.Root.Asked() && !selected && g.is(forCurrent) {
			switch {
			case w.revision == "":
				w.revision = now
			case w.revision != now && r.Root.Target == "": // what is only attempted may fail
				return g.end(exitMoved, "%s moved on to revision %s (waited for %s)", id, now, w.revision)
			}
		}
		if o == nil && w.last == nil {
			continue
		}
		g.seen, g.must = true, g.must || !r.Root.Optional
		named := !selected && !r.Root.Optional && r.Root.Asked()
		if o == nil && !w.finished && finishedByTTL(w.last, "SuccessCriteriaMet") { // it completed, and may have been removed at once
			job := *w.last
			job.Conditions = append(slices.Clip(job.Conditions), object.Condition{Statement: &object.Statement{Type: "Complete", Status: "True"}})
			w.last, w.finished = &job, true
		}
		switch {
		case o == nil && w.finished && g.done(r):
			w.gone = true
		case o == nil && named && !g.is(forDeleted):
			return g.end(exitMoved, "%s was deleted while it was waited for", id)
		case o == nil:
		case w.uid != "" && o.UID != w.uid && named:
			return g.end(exitMoved, "%s was deleted and created again while it was waited for", id)
		case named && w.generation > 0 && o.Generation.Or(0) > w.generation:
			if !w.scaledOnly(o) {
				return g.end(exitMoved, "%s was changed again (generation %d, waited for %d)", id, o.Generation.V, w.generation)
			}
			w.generation = o.Generation.V
		}
		if o != nil {
			w.last, w.uid, w.gone, w.finished = o, o.UID, false, finishedByTTL(o, "Complete")
			if s := r.Assessment.Status; s != status.Terminating {
				w.failed = s == status.Failed
			}
		}
	}
	return nil
}

// finishedByTTL reports whether a Job has the condition and sets
// spec.ttlSecondsAfterFinished. The controller deletes it in the foreground: it
// is Terminating for a while and may never have been seen as Current.
func finishedByTTL(o *object.Object, condition string) bool {
	return o.Job != nil && o.Job.TTL.Set && o.ConditionIs(condition, "True") != nil
}

// scaledOnly reports whether the spec differs in the number of replicas alone:
// an autoscaler's change, not another apply. It needs the whole spec.
func (w *watched) scaledOnly(o *object.Object) bool {
	return w.last != nil && o.SpecSum != 0 && o.SpecSum == w.last.SpecSum
}

// unread ends a wait for a field of an object whose fields are not read: a
// ConfigMap, or a Secret.
func (g *goal) unread(m observed) *report.End {
	for r := range required(m) {
		for _, a := range g.aims {
			if a.what == forJSONPath && r.Root.Asked() && r.Object != nil && r.Object.MetadataOnly {
				return g.end(exitError, "no fields are read of %s: --for %s cannot be judged", r.ID, a.text)
			}
		}
	}
	return nil
}

// failed ends the wait early, as set by --fail-fast.
func (g *goal) failed(m observed) *report.End {
	if !g.is(forCurrent) || g.failFast == failNever {
		return nil
	}
	for r := range required(m) {
		switch {
		case r.Assessment.Status != status.Failed:
		case g.outdated(m, r): // it has failed with an earlier revision
		case g.failFast == failAny:
			return g.end(exitFailed, "%s has failed", r.ID)
		case r.Assessment.Terminal:
			return g.end(exitFailed, "%s has failed and cannot heal by itself", r.ID)
		}
	}
	return nil
}

// outdated reports whether an inventory's root, or that of a member, has not taken
// up what it was asked to apply.
func (g *goal) outdated(m observed, r known.Resource) bool {
	for range 8 { // inventories may be nested
		if r.Root.Outdated {
			return true
		}
		in, ok := m.Resource(r.Root.In)
		if r.Root.In.IsZero() || !ok || in.Root == nil {
			return false
		}
		r = in
	}
	return false
}

// required yields the roots that must reach the goal.
func required(m observed) iter.Seq[known.Resource] {
	return func(yield func(known.Resource) bool) {
		for _, id := range m.Roots() {
			r, ok := m.Resource(id)
			if ok && r.Root != nil && !r.Root.Optional && !r.Root.Kept && !yield(r) {
				return
			}
		}
	}
}

// reached reports whether everything but optional resources meets the goal. Where
// nothing else was asked for, they must.
func (g *goal) reached(m observed) bool {
	any := false
	for r := range required(m) {
		any = any || r.Root.Asked() || !slices.ContainsFunc(g.aims, aim.ofObject) // members are not asked for a condition
		if !g.done(r) {
			return false
		}
	}
	if any {
		return true
	}
	asked, all := false, true
	for _, id := range m.Roots() {
		if r, ok := m.Resource(id); ok && r.Root != nil && !r.Root.Kept {
			asked, all = asked || r.Root.Asked(), all && g.done(r)
		}
	}
	// A selection is deleted with its last member; otherwise an empty set is
	// never a success.
	return asked && all || g.is(forDeleted) && g.seen && (g.must || !asked)
}

// end is how the wait ends: with a code, and why in one line.
func (g *goal) end(code int, format string, args ...any) *report.End {
	_, tally := g.words()
	e := &report.End{Code: code, Why: fmt.Sprintf(format, args...), Word: tally, Done: g.done, Gone: g.is(forDeleted)}
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

// done reports whether a resource meets the goal. A completed Job that its TTL
// removes is Current for good, with its last conditions and fields; but it does
// not exist.
func (g *goal) done(r known.Resource) bool {
	w := g.roots[r.ID]
	if w != nil && w.finished && !w.failed && !g.is(forDeleted) && (r.Object == nil || r.Assessment.Status == status.Terminating) {
		r.Assessment = status.Assessment{Status: status.Current}
		if !g.is(forExists) {
			r.Object = w.last
		}
	}
	return g.fulfils(r)
}

// timedOut is the outcome when the deadline has passed.
func (g *goal) timedOut(m observed) *report.End {
	v, c := m.Verdict(), m.Connection()
	nothing := len(m.Roots()) == 0 && v.Unseen == ""
	switch {
	case nothing && !m.Synced() && c.Error != "":
		return g.end(exitError, "out of time; the cluster did not answer: %s", c.Trouble())
	case nothing:
		return g.end(exitError, "out of time; nothing was found to wait for")
	case v.Status == status.Failed:
		return g.end(exitFailed, "out of time, with failures")
	case v.Lost && c.Error != "":
		return g.end(exitPending, "out of time; the connection was lost: %s", c.Trouble())
	}
	return g.end(exitPending, "%s", strings.TrimSuffix("out of time; "+v.Unseen, "; "))
}
