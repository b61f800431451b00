package wait

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Result is how a wait ended.
type Result int

// The results. The caller turns them into exit codes.
const (
	Reached Result = iota // all conditions hold
	Error                 // nothing was found, or the question has no answer
	Failed                // something failed
	Pending               // out of time, and nothing failed
	Moved                 // what was asked for was deleted, recreated or applied again
)

// Outcome is the end of a wait.
type Outcome struct {
	Result Result
	Reason string // in a few words
}

// View is the part of a model that a Waiter reads. *known.Facts has most of it.
type View interface {
	Now() time.Time
	Synced() bool   // all sources answered at least once
	Whole() bool    // and nothing new is being looked into
	Answered() bool // and everything needed to judge arrived
	Quiesced() bool // and so did all that an explanation needs
	Roots() []object.ID
	Resource(object.ID) (known.Resource, bool)
	CausesOf(object.ID) []explain.Cause
	Verdict() known.Verdict
	Connection() world.Connection
}

// Waiter is the state of one wait. Set its exported fields before the first
// Observe.
type Waiter struct {
	Conditions []Condition   // the values of --for: all must hold
	FailFast   FailFast      // what ends the wait early; "" is Terminal
	Settle     time.Duration // how long the conditions must hold
	StallAfter time.Duration // how long everything must be blocked under FailFast Action
	Strict     bool          // the confidence "assumed" does not count as Current
	Played     bool          // a recording: nothing beyond it can be asked for
	Saved      bool          // a saved cluster: all of it is there, however long reading it takes
	Deadline   time.Time     // zero for no limit

	roots    map[object.ID]*watched
	existed  bool      // at least one object existed
	required bool      // and was not optional
	since    time.Time // when the conditions were met, zero while they are not
	blocked  time.Time // since when everything that is not done is blocked, zero while it is not
	goal     bool      // the goal was reached, and stays so: only causes are awaited
	stopping time.Time // until when to read on before the end, zero while nothing ends the wait
}

// ReadsOn is how long a wait reads on before it ends without being Current, until
// children, events and the ends of logs are there.
const ReadsOn = 5 * time.Second

// readsSaved is that for a saved cluster: only this machine can be slow there.
const readsSaved = time.Minute

// Observe returns the outcome, or nil and the time to look again.
func (w *Waiter) Observe(v View) (*Outcome, time.Time) {
	if w.goal {
		return w.reachedGoal(v)
	}
	verdict, link := v.Verdict(), v.Connection().Link
	stale := link == world.LinkReconnecting || link == world.LinkStale
	// Verdict.Lost speaks of being Current. The other conditions need a live connection.
	fresh := v.Synced() && !verdict.Lost && (w.waitsFor(Current) || !stale)
	if moved := w.moved(v, fresh); moved != nil {
		return moved, time.Time{}
	}
	var readOn time.Time
	if fresh {
		if unanswerable := w.unanswerable(v); unanswerable != nil {
			return unanswerable, time.Time{}
		}
		failed := w.failed(v)
		if readOn = w.readsOn(v, failed != nil); failed != nil && readOn.IsZero() {
			return failed, time.Time{}
		}
		if w.waitsFor(Deleted) && !w.existed && len(v.Roots()) == 0 && verdict.Unseen == "" {
			return &Outcome{Error, "nothing was found to wait for"}, time.Time{}
		}
	}
	held := w.held(v, fresh && w.complete(v, verdict, stale))
	switch {
	case !held.IsZero() && !v.Now().Before(held):
		w.goal = true
		return w.reachedGoal(v)
	case !w.Deadline.IsZero() && !v.Now().Before(w.Deadline):
		return w.timedOut(v), time.Time{}
	}
	return nil, world.Earliest(world.Earliest(held, w.Deadline), world.Earliest(readOn, w.unblocks()))
}

// complete reports whether all that a success rests on is known. A Service is
// judged by its EndpointSlices, which are requested only after it has been seen. A
// selection is not complete while some of its objects may not be listed.
// Verdict.Lost covers a lost stream only while the verdict is Current. It is not
// Current once a completed Job has been removed, so the connection decides then.
func (w *Waiter) complete(v View, verdict known.Verdict, stale bool) bool {
	judged := !w.waitsFor(Current) || w.Played || v.Answered()
	return judged && verdict.Unseen == "" && (verdict.Status == status.Current || !stale)
}

// held returns when the conditions will have held for long enough; zero if they do
// not hold, or while something new is looked into.
func (w *Waiter) held(v View, complete bool) time.Time {
	if !complete || !w.reached(v) {
		w.since = time.Time{}
		return time.Time{}
	}
	if w.since.IsZero() {
		w.since = v.Now()
	}
	if !v.Whole() {
		return time.Time{}
	}
	return w.since.Add(w.Settle)
}

// reachedGoal ends a wait whose conditions have held. While something is not Current
// (it only had to exist, say), it reads on for the causes that are printed; so it does while
// an object may be Current only because what its judgement looks up has not arrived.
func (w *Waiter) reachedGoal(v View) (*Outcome, time.Time) {
	explained := w.Played || v.Answered()
	for _, id := range v.Roots() {
		r, ok := v.Resource(id)
		explained = explained && (!ok || r.Object == nil || r.Assessment.Status == status.Current)
	}
	readOn := w.readsOn(v, !explained)
	timeIsUp := !w.Deadline.IsZero() && !v.Now().Before(w.Deadline)
	if readOn.IsZero() || timeIsUp {
		return w.success(), time.Time{}
	}
	return nil, world.Earliest(readOn, w.Deadline)
}

func (w *Waiter) success() *Outcome {
	reached, _ := w.Words()
	return &Outcome{Reached, reached}
}

// readsOn returns until when to read on before the wait ends; zero if nothing ends it,
// or if it ends now. A recording is not read on: the outcome would depend on how fast
// it is read.
func (w *Waiter) readsOn(v View, ends bool) time.Time {
	if !ends {
		w.stopping = time.Time{}
		return time.Time{}
	}
	if w.stopping.IsZero() {
		w.stopping = v.Now().Add(ReadsOn)
		if w.Saved {
			w.stopping = v.Now().Add(readsSaved)
		}
	}
	if w.Played || v.Quiesced() || !v.Now().Before(w.stopping) {
		return time.Time{}
	}
	return w.stopping
}

// unanswerable ends a wait for something that no change of the object can bring about: a
// condition or a field of an object of which only the metadata is read (a ConfigMap or a
// Secret), or a path that is no single value.
func (w *Waiter) unanswerable(v View) *Outcome {
	for r := range mandatory(v) {
		for _, c := range w.Conditions {
			why := ""
			switch {
			case !c.OfObject() || !r.Root.ByUser() || r.Object == nil:
				continue
			case r.Object.MetadataOnly:
				why = "only the metadata of this type is read"
			case c.Kind == JSONPath:
				why = c.path.unusable(r.Object)
			}
			if why != "" {
				return &Outcome{Error, fmt.Sprintf("stopped; --for %s cannot be answered for %s: %s", c.Text, r.ID, why)}
			}
		}
	}
	return nil
}

// mandatory yields the roots that must meet the conditions.
func mandatory(v View) iter.Seq[known.Resource] {
	return func(yield func(known.Resource) bool) {
		for _, id := range v.Roots() {
			r, ok := v.Resource(id)
			if ok && r.Root != nil && !r.Root.Optional && !r.Root.Kept && !yield(r) {
				return
			}
		}
	}
}

// reached reports whether all mandatory resources meet the conditions. If there are
// only optional ones, all of those must.
func (w *Waiter) reached(v View) bool {
	counted := false
	for r := range mandatory(v) {
		// Members of an inventory need not have a condition or a field.
		counted = counted || r.Root.ByUser() || !slices.ContainsFunc(w.Conditions, Condition.OfObject)
		if !w.Done(r) {
			return false
		}
	}
	if counted {
		return true
	}
	named, all := false, true
	for _, id := range v.Roots() {
		if r, ok := v.Resource(id); ok && r.Root != nil && !r.Root.Kept {
			named, all = named || r.Root.ByUser(), all && w.Done(r)
		}
	}
	// A selection is deleted with its last member. Otherwise an empty set is never a
	// success.
	return named && all || w.waitsFor(Deleted) && w.existed && (w.required || !named)
}

// Done reports whether a resource meets the conditions. A completed Job that its TTL
// removes stays Current, with its last conditions and fields. It does not exist.
func (w *Waiter) Done(r known.Resource) bool {
	seen := w.roots[r.ID]
	if seen != nil && seen.finished && !seen.failed && !w.waitsFor(Deleted) &&
		(r.Object == nil || r.Assessment.Status == status.Terminating) {
		r.Assessment = status.Assessment{Status: status.Current}
		if !w.waitsFor(Exists) {
			r.Object = seen.last
		}
	}
	return w.meets(r)
}

// meets reports whether a resource meets all conditions as it is now. Conditions and
// fields are only required of the resources that were named, not of the members of
// an inventory.
func (w *Waiter) meets(r known.Resource) bool {
	if o := r.Object; o != nil && o.Generation.Set && o.Generation.V < r.Root.Generation {
		return false // as it was before the apply
	}
	for _, c := range w.Conditions {
		if (!c.OfObject() || r.Root.ByUser()) && !c.met(r) {
			return false
		}
	}
	return !w.Strict || !w.waitsFor(Current) || r.Assessment.Confidence != status.Assumed
}

// RemovedByTTL counts the Jobs that completed and were removed by their TTL.
func (w *Waiter) RemovedByTTL() (n int) {
	if !w.waitsFor(Current) {
		return 0
	}
	for _, seen := range w.roots {
		if seen.finished && seen.gone {
			n++
		}
	}
	return n
}

// Ended is the outcome when nothing more can be observed: a recording's end.
func (w *Waiter) Ended(v View) *Outcome {
	if w.goal {
		return w.success()
	}
	if failed := w.failed(v); !w.stopping.IsZero() && failed != nil {
		return failed
	}
	outcome := w.timedOut(v)
	outcome.Reason = "the recording has ended"
	return outcome
}

// timedOut is the outcome when the deadline passes.
func (w *Waiter) timedOut(v View) *Outcome {
	if failed := w.failed(v); !w.stopping.IsZero() && failed != nil {
		return failed
	}
	verdict, connection := v.Verdict(), v.Connection()
	nothing := len(v.Roots()) == 0 && verdict.Unseen == ""
	switch {
	case nothing && !v.Synced() && connection.Error != "":
		return &Outcome{Error, "out of time; the cluster did not answer: " + connection.Problem()}
	case nothing:
		return &Outcome{Error, "out of time; nothing was found to wait for"}
	case verdict.Status == status.Failed:
		return &Outcome{Failed, strings.TrimSuffix("out of time, with failures; "+w.unmet(v), "; ")}
	case verdict.Lost && connection.Error != "":
		return &Outcome{Pending, "out of time; the connection was lost: " + connection.Problem()}
	}
	return &Outcome{Pending, strings.TrimSuffix("out of time; "+cmp.Or(verdict.Unseen, w.unmet(v)), "; ")}
}

// unmet says of the first object that does not meet a condition about its conditions or fields
// what it has instead.
func (w *Waiter) unmet(v View) string {
	for r := range mandatory(v) {
		if !r.Root.ByUser() || r.Object == nil {
			continue
		}
		for _, c := range w.Conditions {
			if c.OfObject() && !c.met(r) {
				return c.unmet(r.ID, r.Object)
			}
		}
	}
	return ""
}

// Words are how a success reads, and the word that follows a number of objects ("3
// of 4 gone"; "" for being Current).
func (w *Waiter) Words() (reached, tally string) {
	if len(w.Conditions) == 1 && w.Conditions[0].reached != "" {
		return w.Conditions[0].reached, w.Conditions[0].tally
	}
	var texts []string
	for _, c := range w.Conditions {
		texts = append(texts, c.Text)
	}
	typed := strings.Join(texts, " and ")
	return "all resources meet " + typed, typed
}

// ForDeletion reports whether deletion is waited for.
func (w *Waiter) ForDeletion() bool { return w.waitsFor(Deleted) }

func (w *Waiter) waitsFor(kind Kind) bool {
	return slices.ContainsFunc(w.Conditions, func(c Condition) bool { return c.Kind == kind })
}
