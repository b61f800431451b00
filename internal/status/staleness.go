package status

import (
	"cmp"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// Staleness: is a status about the present generation? It is asked of what is read,
// not of one number. In this order:
//
//   - A status that holds nothing but an observedGeneration of at most 0, which the
//     API server wrote from the schema's default, is no status.
//   - A declared pause: nobody is to observe anything.
//   - A condition that sums the object up and is about the present generation
//     decides, whatever status.observedGeneration says. So does another that is clearly a
//     fault of the present generation.
//   - status.observedGeneration, or a field of a similar name, that is behind.
//   - The observedGeneration of the condition that sums the object up.
//   - Where nothing carries a generation: a spec that was written after the status.

// The reasons of an object whose status is about an older spec.
const (
	reasonNotObserved = "GenerationNotObserved"
	reasonJustApplied = "JustApplied"
)

// generationFields are the field names for the generation that a controller has
// observed.
var generationFields = [...]string{
	"observedGeneration", "lastObservedGeneration", "lastEvaluatedGeneration", "lastReconciledGeneration",
	"reconciledGeneration", "lastHandledGeneration", "lastProcessedGeneration", "processedGeneration",
	"lastSyncedGeneration", "lastAppliedGeneration", "lastGeneration",
}

// staleness is that question about the object that is judged.
type staleness struct {
	j *judge
	o *object.Object
}

func (j *judge) staleness() staleness { return staleness{j: j, o: j.o} }

// unobserved reports a status.observedGeneration that is behind, of any kind.
func (s staleness) unobserved() (Assessment, bool) {
	o := s.o
	const rule, asks, paths = "generation.observed", "its status describes an older generation", "metadata.generation status.observedGeneration"
	observed := cmp.Or(o.Observed, o.ObservedText)
	// A greater observedGeneration is no fault: an object restored from a
	// backup starts again at 1.
	behind := o.Generation.Set && observed.Set && observed.V < o.Generation.V
	if !s.j.holds(behind && !o.NoStatus(), rule, asks, paths) {
		return Assessment{}, false
	}
	if a, hit := s.j.noReplicaSet(); hit {
		return a, true
	}
	s.j.row = registry.For(o.Group, o.Kind)
	if s.foreign() {
		s.j.trace.not(rule, asks+"; but status.observedGeneration is another object's", fields(paths)...)
		return Assessment{}, false
	}
	if i := s.answered(); i >= 0 {
		s.j.trace.not(rule, asks+"; but condition "+o.Conditions[i].Type+" is about this one", fields(paths)...)
		return Assessment{}, false
	}
	if a, paused := s.pausedBefore(); paused {
		return a, true
	}
	if observed.V <= 0 { // some controllers start at -1
		return s.j.progress(reasonNotObserved, "generation %d is not observed yet", o.Generation.V), true
	}
	return s.j.progress(reasonNotObserved, "generation %d is not observed yet, only %d",
		o.Generation.V, observed.V), true
}

// stale reports a custom object's status about an older generation: by a field with
// another name than status.observedGeneration, or by that of the summary condition.
func (s staleness) stale() (Assessment, bool) {
	o := s.o
	if !o.Generation.Set {
		return Assessment{}, false
	}
	root := s.j.root()
	if s.foreign() || s.answered() >= 0 {
		return Assessment{}, false
	}
	behind := root >= 0 && o.Stale(&o.Conditions[root])
	if !behind {
		status, _ := o.Tree["status"].(map[string]any)
		for _, field := range generationFields {
			n, ok := object.Integer(status[field])
			if field == "observedGeneration" && o.ObservedText.Set {
				n, ok = o.ObservedText.V, true
			}
			if ok && n < o.Generation.V && !o.NoStatus() {
				if a, paused := s.pausedBefore(); paused {
					return a, true
				}
				return s.j.by("convention.staleness", "metadata.generation status."+field).
					progress(reasonNotObserved, "Generation %d is not observed yet, only %d", o.Generation.V, n), true
			}
		}
	}
	if !behind {
		return Assessment{}, false
	}
	if a, paused := s.pausedBefore(); paused {
		return a, true
	}
	cond := &o.Conditions[root]
	return s.j.by("convention.staleness", "metadata.generation "+conditionPath(root)+".observedGeneration").
		progress(reasonNotObserved, "Condition %s describes generation %d, not %d", cond.Type,
			cond.ObservedGeneration.V, o.Generation.V).
		decided(root), true
}

// answered is the index of a condition that sums the object up and is about the
// present generation, or -1. Flux moves status.observedGeneration with success alone
// (kustomize-controller v1.9.6, internal/controller/kustomization_controller.go,
// finalizeStatus), and so do others whose rows say "lags".
func (s staleness) answered() int {
	o, root := s.o, s.j.root()
	for _, i := range [...]int{root, s.j.index("Ready"), s.j.index(Stalled)} {
		if i < 0 {
			continue
		}
		cond := &o.Conditions[i]
		if cond.Type == Stalled && !isTrue(cond) {
			continue
		}
		failed := cond.Type == Stalled || isFalse(cond)
		switch {
		case cond.ObservedGeneration == o.Generation:
			return i
		case cond.ObservedGeneration.Set:
		case o.Generation.V == 1: // there is no older one
			return i
		case failed && s.lags() && !specIsNewer(s.o):
			return i
		case failed && !o.SpecWritten.IsZero() && cond.LastTransitionTime.After(o.SpecWritten):
			return i
		}
	}
	return s.faultOfThisGeneration(root)
}

// faultOfThisGeneration is the index of a condition beside the summary that is clearly a
// fault of the present generation, or -1: a Crossplane Provider whose new package cannot
// be unpacked keeps the Healthy=True of its older revision.
func (s staleness) faultOfThisGeneration(root int) int {
	for i := range s.o.Conditions {
		if c := &s.o.Conditions[i]; i == root || c.Type == "" || !c.ObservedGeneration.Set ||
			c.ObservedGeneration != s.o.Generation || s.j.row.Ignores(c.Type) || s.o.Superseded(i) {
			continue
		}
		signs := signals{j: s.j, o: s.o, rootTrue: true, summed: true} // it only asks: no trace
		signs.sibling(i, true)
		if signs.rank >= rankFault {
			return i
		}
	}
	return -1
}

// pausedBefore judges an object that is paused, and whose present generation nobody has
// observed. Where the pause is a field of the spec, that made the last
// generation; a row that calls a paused object idle says so of the one before.
func (s staleness) pausedBefore() (Assessment, bool) {
	yes, path := pausedBySpec(s.o)
	if yes && s.j.row != nil {
		before := *s.o
		before.Generation.V--
		view := &judge{o: &before, w: s.j.w, now: s.j.now, trace: s.j.trace, sure: Registry, row: s.j.row}
		behind := before.Observed.Set && before.Observed.V < before.Generation.V
		if a, ok := view.byRow(); ok && !behind && (a.Paused || a.Rule == rowRule(s.o, registry.OutcomeIdle)) {
			s.j.sure = Registry
			return a, true
		}
	}
	if !yes {
		if path = s.j.row.PausedByMetadata(s.o); path == "" {
			return Assessment{}, false
		}
	}
	a := s.j.by("generation.paused", "metadata.generation "+path).
		progress("Suspended", "suspended before generation %d was acted on", s.o.Generation.V)
	a.Paused = true
	return a, true
}

// justApplied waits for a controller that writes no generation anywhere, where the spec
// was written after the status: nobody has answered for the change yet.
func (s staleness) justApplied() (Assessment, bool) {
	if !specIsNewer(s.o) || !s.lags() && hasGenerations(s.o) {
		return Assessment{}, false
	}
	until := s.o.SpecWritten.Add(s.j.w.Ahead + silence)
	if !s.j.now.Before(until) {
		return Assessment{}, false
	}
	a := s.j.by("convention.just-applied", "metadata.managedFields").
		progress(reasonJustApplied, "its spec was changed after its status was written").since(s.o.SpecWritten)
	a.Recheck = until
	return a, true
}

// lags reports whether the kind's status.observedGeneration moves with success alone.
func (s staleness) lags() bool { return s.j.row != nil && s.j.row.Lags }

// foreign reports whether the kind's status.observedGeneration is another object's.
func (s staleness) foreign() bool { return s.j.row != nil && s.j.row.Foreign }

// specIsNewer reports whether the spec was written after the status, by
// metadata.managedFields.
func specIsNewer(o *object.Object) bool {
	return !o.SpecWritten.IsZero() && !o.StatusWritten.IsZero() && o.SpecWritten.After(o.StatusWritten)
}

// hasGenerations reports whether a field or a condition of the status carries a
// generation.
func hasGenerations(o *object.Object) bool {
	status, _ := o.Tree["status"].(map[string]any)
	return slices.ContainsFunc(generationFields[:], func(field string) bool { return status[field] != nil }) ||
		slices.ContainsFunc(o.Conditions, func(c object.Condition) bool { return c.ObservedGeneration.Set })
}

// present reports whether a field or a condition of the status is about the present generation.
func (s staleness) present() bool {
	if !s.o.Generation.Set {
		return false
	}
	status, _ := s.o.Tree["status"].(map[string]any)
	is := func(n int64, ok bool) bool { return ok && n == s.o.Generation.V }
	return !s.foreign() && (is(s.o.Observed.V, s.o.Observed.Set) || is(s.o.ObservedText.V, s.o.ObservedText.Set) ||
		slices.ContainsFunc(generationFields[:], func(field string) bool {
			return is(object.Integer(status[field]))
		})) ||
		slices.ContainsFunc(s.o.Conditions, func(c object.Condition) bool {
			return c.ObservedGeneration == s.o.Generation
		})
}

// pausedBySpec reports whether the spec pauses the object, and by which field.
func pausedBySpec(o *object.Object) (bool, string) {
	for _, field := range [...]string{"paused", "suspend", "suspended", "pause"} {
		if paused, _ := o.Bool("spec", field); paused {
			return true, "spec." + field
		}
	}
	return false, ""
}
