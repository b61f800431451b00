package wait

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// watched is what a waiter remembers of one root.
type watched struct {
	uid        string
	generation int64          // the generation waited for; it grows when only spec.replicas changes
	revision   string         // of the inventory waited for, if this is its root
	last       *object.Object // as last seen
	failed     bool           // as last judged before its deletion
	gone       bool
	finished   bool // a completed Job that its TTL removes or has removed
}

// moved applies the rules 1 to 3 to all roots, and remembers them. Of what is not
// fresh it only notes objects in the generation waited for: if such an object is
// scaled before the first answer is complete, that is not another apply.
func (w *Waiter) moved(v View, fresh bool) *Outcome {
	if w.roots == nil {
		w.roots = map[object.ID]*watched{}
	}
	// A member that leaves its inventory and is listed again is another one.
	maps.DeleteFunc(w.roots, func(id object.ID, _ *watched) bool {
		r, _ := v.Resource(id)
		return r.Root == nil || r.Root.Kept && !r.Root.ByUser()
	})
	for _, id := range v.Roots() {
		r, ok := v.Resource(id)
		if !ok || r.Root == nil {
			continue
		}
		seen := w.roots[id]
		if !fresh {
			if n := r.Root.Generation; seen == nil && r.Object != nil && n > 0 && r.Object.Generation.Or(0) == n {
				w.roots[id] = &watched{generation: n, last: r.Object, uid: r.Object.UID}
			}
			continue
		}
		if seen == nil {
			seen = &watched{generation: r.Root.Generation}
			w.roots[id] = seen
		}
		if reason := w.observe(seen, r); reason != "" {
			return &Outcome{Moved, reason}
		}
	}
	return nil
}

// observe applies the rules to one root, whose state is fresh, and remembers it. It
// returns why the wait ends, or "".
func (w *Waiter) observe(seen *watched, r known.Resource) string {
	if w.waitsFor(Current) && !isSelected(r) && r.Root.ByUser() {
		if reason := seen.revisionChanged(r); reason != "" {
			return reason
		}
	}
	if r.Object == nil && seen.last == nil {
		return ""
	}
	w.existed, w.required = true, w.required || !r.Root.Optional
	// The members of a selection and of an inventory may come and go.
	named := !isSelected(r) && !r.Root.Optional && r.Root.ByUser()
	if r.Object == nil {
		seen.presumeCompleted()
		switch {
		case seen.finished && w.Done(r):
			seen.gone = true
		case named && !w.waitsFor(Deleted):
			return fmt.Sprintf("%s was deleted during the wait", r.ID)
		}
		return ""
	}
	if named {
		if reason := cmp.Or(seen.recreated(r), seen.appliedAgain(r)); reason != "" {
			return reason
		}
	}
	seen.remember(r)
	return ""
}

// isSelected reports whether a root is one of those that a TYPE or --all finds.
func isSelected(r known.Resource) bool {
	first, rest, more := strings.Cut(r.Root.Source, " ") // of "kapp app shop" it is no TYPE
	isType := first != "" && !strings.HasPrefix(first, "-") && !strings.Contains(first, "/") &&
		(!more || strings.HasPrefix(rest, "-"))
	return first == "--all" || isType
}

// revisionChanged is rule 1. Right after an apply the revision is still the last one,
// so the revision to wait for is that of the first state that is not pending.
func (seen *watched) revisionChanged(r known.Resource) string {
	now := cmp.Or(r.Root.Target, r.Root.Revision)
	takenUp := r.Root.Pending == "" || r.Root.Applying
	switch {
	case now == "" || !takenUp:
	case seen.revision == "":
		seen.revision = now
	case seen.revision != now && r.Root.Target == "": // a target is only attempted, and may fail
		return fmt.Sprintf("%s moved on to revision %s (waited for %s)", r.ID, now, seen.revision)
	}
	return ""
}

// presumeCompleted turns a Job whose success was decided into a completed one: its
// TTL may remove it before the condition Complete is seen.
func (seen *watched) presumeCompleted() {
	if seen.finished || !finishedByTTL(seen.last, "SuccessCriteriaMet") {
		return
	}
	job := *seen.last
	complete := object.Condition{Statement: &object.Statement{Type: "Complete", Status: "True"}}
	job.Conditions = append(slices.Clip(job.Conditions), complete)
	seen.last, seen.finished = &job, true
}

// finishedByTTL reports whether a Job has the condition and sets
// spec.ttlSecondsAfterFinished. The controller deletes it in the foreground: it is
// Terminating for a while and may never have been seen as Current.
func finishedByTTL(o *object.Object, condition string) bool {
	return o.Job != nil && o.Job.TTL.Set && o.ConditionIs(condition, "True") != nil
}

// recreated is the second half of rule 2.
func (seen *watched) recreated(r known.Resource) string {
	if seen.uid == "" || r.Object.UID == seen.uid {
		return ""
	}
	return fmt.Sprintf("%s was deleted and created again during the wait", r.ID)
}

// appliedAgain is rule 3.
func (seen *watched) appliedAgain(r known.Resource) string {
	generation := r.Object.Generation.Or(0)
	switch {
	case seen.generation == 0 || generation <= seen.generation:
	case seen.scaledOnly(r.Object):
		seen.generation = generation
	default:
		return fmt.Sprintf("%s was changed again (generation %d, waited for %d)", r.ID, generation, seen.generation)
	}
	return ""
}

// scaledOnly reports whether the spec differs in the number of replicas alone: an
// autoscaler's change. It needs the whole spec.
func (seen *watched) scaledOnly(o *object.Object) bool {
	return seen.last != nil && o.SpecSum != 0 && o.SpecSum == seen.last.SpecSum
}

func (seen *watched) remember(r known.Resource) {
	seen.last, seen.uid, seen.gone = r.Object, r.Object.UID, false
	seen.finished = finishedByTTL(r.Object, "Complete")
	if s := r.Assessment.Status; s != status.Terminating {
		seen.failed = s == status.Failed
	}
}
