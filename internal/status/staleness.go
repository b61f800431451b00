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

// generationFields are the field names for the generation that a controller has
// observed.
var generationFields = [...]string{
	"observedGeneration", "lastObservedGeneration", "lastEvaluatedGeneration", "lastReconciledGeneration",
	"reconciledGeneration", "lastHandledGeneration", "lastProcessedGeneration", "processedGeneration",
	"lastSyncedGeneration", "lastAppliedGeneration", "lastGeneration",
}

// unobserved reports a status.observedGeneration that is behind, of any kind.
func (j *judge) unobserved() (Assessment, bool) {
	o := j.o
	const rule, asks, paths = "generation.observed", "its status describes an older generation", "metadata.generation status.observedGeneration"
	observed := cmp.Or(o.Observed, o.ObservedText)
	// A greater observedGeneration is no fault: an object restored from a
	// backup starts again at 1.
	behind := o.Generation.Set && observed.Set && observed.V < o.Generation.V
	if !j.holds(behind && !o.NoStatus(), rule, asks, paths) {
		return Assessment{}, false
	}
	if a, hit := j.noReplicaSet(); hit {
		return a, true
	}
	j.row = registry.For(o.Group, o.Kind)
	if i := j.answered(); i >= 0 {
		j.trace.not(rule, asks+"; but condition "+o.Conditions[i].Type+" is about this one", fields(paths)...)
		return Assessment{}, false
	}
	if a, paused := j.pausedBefore(); paused {
		return a, true
	}
	if observed.V <= 0 { // some controllers start at -1
		return j.progress("GenerationNotObserved", "generation %d is not observed yet", o.Generation.V), true
	}
	return j.progress("GenerationNotObserved", "generation %d is not observed yet, only %d", o.Generation.V, observed.V), true
}

// stale reports a custom object's status about an older generation: by a field with
// another name than status.observedGeneration, or by that of the summary condition.
func (j *judge) stale() (Assessment, bool) {
	o := j.o
	if !o.Generation.Set {
		return Assessment{}, false
	}
	root := j.root()
	behind := root >= 0 && o.Stale(&o.Conditions[root]) && j.answered() < 0
	if !behind && j.answered() < 0 {
		status, _ := o.Tree["status"].(map[string]any)
		for _, field := range generationFields {
			n, ok := object.Integer(status[field])
			if field == "observedGeneration" && o.ObservedText.Set {
				n, ok = o.ObservedText.V, true
			}
			if ok && n < o.Generation.V && !o.NoStatus() {
				if a, paused := j.pausedBefore(); paused {
					return a, true
				}
				return j.by("convention.staleness", "metadata.generation status."+field).
					progress("GenerationNotObserved", "Generation %d is not observed yet, only %d", o.Generation.V, n), true
			}
		}
	}
	if !behind {
		return Assessment{}, false
	}
	if a, paused := j.pausedBefore(); paused {
		return a, true
	}
	cond := &o.Conditions[root]
	return j.by("convention.staleness", "metadata.generation "+conditionPath(root)+".observedGeneration").
		progress("GenerationNotObserved", "Condition %s describes generation %d, not %d", cond.Type, cond.ObservedGeneration.V, o.Generation.V).
		decided(root), true
}

// answered is the index of a condition that sums the object up and is about the
// present generation, or -1. Flux moves status.observedGeneration with success alone
// (kustomize-controller v1.9.6, internal/controller/kustomization_controller.go,
// finalizeStatus), and so do others whose rows say "lags".
func (j *judge) answered() int {
	o := j.o
	root := j.root()
	for _, i := range [...]int{root, j.index("Ready"), j.index(Stalled)} {
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
		case failed && j.lags() && !specIsNewer(j.o):
			return i
		case failed && !o.SpecWritten.IsZero() && cond.LastTransitionTime.After(o.SpecWritten):
			return i
		}
	}
	return j.faultOfThisGeneration(root)
}

// faultOfThisGeneration is the index of a condition beside the summary that is clearly a
// fault of the present generation, or -1: a Crossplane Provider whose new package cannot
// be unpacked keeps the Healthy=True of its older revision.
func (j *judge) faultOfThisGeneration(root int) int {
	for i := range j.o.Conditions {
		if c := &j.o.Conditions[i]; i == root || c.Type == "" || !c.ObservedGeneration.Set || c.ObservedGeneration != j.o.Generation || j.row.Ignores(c.Type) {
			continue
		}
		s := signals{j: j, o: j.o, rootTrue: true, summed: true} // it only asks: no trace
		s.sibling(i, true)
		if s.rank >= rankFault {
			return i
		}
	}
	return -1
}

// pausedBefore judges an object that is paused, and whose present generation nobody has
// observed. Where the pause is a field of the spec, that made the last
// generation; a row that calls a paused object idle says so of the one before.
func (j *judge) pausedBefore() (Assessment, bool) {
	yes, path := pausedBySpec(j.o)
	if yes {
		before := *j.o
		before.Generation.V--
		view := &judge{o: &before, w: j.w, now: j.now, trace: j.trace, sure: Registry, row: j.row}
		behind := before.Observed.Set && before.Observed.V < before.Generation.V
		if a, ok := view.byRowIfAny(); ok && !behind && (a.Paused || a.Rule == rowRule(j.o, registry.OutcomeIdle)) {
			j.sure = Registry
			return a, true
		}
	} else if path = j.row.PausedByMetadata(j.o); path == "" {
		return Assessment{}, false
	}
	a := j.by("generation.paused", "metadata.generation "+path).
		progress("Suspended", "suspended before generation %d was acted on", j.o.Generation.V)
	a.Paused = true
	return a, true
}

// byRowIfAny is byRow for a kind that may have no row.
func (j *judge) byRowIfAny() (Assessment, bool) {
	if j.row == nil {
		return Assessment{}, false
	}
	return j.byRow()
}

// justApplied waits for a controller that writes no generation anywhere, where the spec
// was written after the status: nobody has answered for the change yet.
func (j *judge) justApplied() (Assessment, bool) {
	if !specIsNewer(j.o) || !j.lags() && hasGenerations(j.o) {
		return Assessment{}, false
	}
	until := j.o.SpecWritten.Add(j.w.Ahead + silence)
	if !j.now.Before(until) {
		return Assessment{}, false
	}
	a := j.by("convention.just-applied", "metadata.managedFields").
		progress("JustApplied", "its spec was changed after its status was written").since(j.o.SpecWritten)
	a.Recheck = until
	return a, true
}

// lags reports whether the kind's status.observedGeneration moves with success alone.
func (j *judge) lags() bool { return j.row != nil && j.row.Lags }

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

// pausedBySpec reports whether the spec pauses the object, and by which field.
func pausedBySpec(o *object.Object) (bool, string) {
	for _, field := range [...]string{"paused", "suspend", "suspended", "pause"} {
		if paused, _ := o.Bool("spec", field); paused {
			return true, "spec." + field
		}
	}
	return false, ""
}
