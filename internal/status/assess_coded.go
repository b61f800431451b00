package status

import (
	"cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// coded is what a function makes of an object of a kind that the registry's
// language cannot describe. Such a kind still has a row, which names the source
// and holds the clauses that can be written; the function is asked where none of
// them holds, before the conventions.
type coded struct {
	says    string           // what the function looks for, for docs/rules.md and the trace
	paths   []string         // the fields that it reads
	outcome registry.Outcome // OutcomeConventions where it cannot tell
	by      registry.Match   // the condition that decided, if one did
	message string           // for an object that says nothing itself
}

// judgeKind calls the function for a kind; false where there is none. It is a
// switch and not a table of functions, which would send every judgement to the
// heap.
func judgeKind(o *object.Object) (coded, bool) {
	switch o.Group {
	case "promoter.argoproj.io":
		if o.Kind == "PromotionStrategy" {
			return judgePromotion(o), true
		}
	case "machineconfiguration.openshift.io":
		if o.Kind == "KubeletConfig" || o.Kind == "ContainerRuntimeConfig" {
			return judgeHistory(o), true
		}
	case "microgateway.airlock.com":
		return judgeAncestors(o), true
	}
	return coded{}, false
}

func judgePromotion(o *object.Object) coded {
	v := coded{
		says:    "InProgress while an environment has no commit, the environments propose different ones, or one has another commit active than it proposes",
		paths:   []string{"status.environments[].proposed.dry.sha", "status.environments[].active.dry.sha"},
		outcome: registry.OutcomeConventions, by: registry.Match{Index: -1},
	}
	environments, first := o.List("status", "environments"), ""
	for _, env := range environments {
		proposed, _ := object.Text(object.At(env, "proposed", "dry", "sha"))
		active, _ := object.Text(object.At(env, "active", "dry", "sha"))
		first = cmp.Or(first, proposed)
		switch {
		case proposed == "" || active == "":
			v.outcome, v.message = registry.OutcomeProgress, "An environment has no commit proposed or active yet"
			return v
		case proposed != active:
			v.outcome, v.message = registry.OutcomeProgress, "An environment has another commit active than it proposes"
			return v
		case proposed != first:
			v.outcome, v.message = registry.OutcomeProgress, "The environments propose different commits"
			return v
		}
	}
	return v
}

func judgeHistory(o *object.Object) coded {
	v := coded{
		says:    "the conditions are a history: Failed where the last one is a Failure, Current where it is a Success, whatever its status",
		paths:   []string{"status.conditions"},
		outcome: registry.OutcomeConventions,
	}
	i := len(o.Conditions) - 1
	if i < 0 || o.Stale(&o.Conditions[i]) {
		return v
	}
	v.by = registry.Match{Condition: o.Conditions[i], Index: i}
	switch o.Conditions[i].Type {
	case "Failure":
		v.outcome = registry.OutcomeFailed
	case "Success":
		v.outcome = registry.OutcomeCurrent
	}
	return v
}

func judgeAncestors(o *object.Object) coded {
	v := coded{
		says:    "Failed where an ancestor has conditions, but no Accepted among them; else Current",
		paths:   []string{"status.ancestors"},
		outcome: registry.OutcomeCurrent, by: registry.Match{Index: -1},
		message: "No ancestor refuses the object",
	}
	for _, ancestor := range o.List("status", "ancestors") {
		if !object.Empty(object.At(ancestor, "conditions")) && !acceptedOrNot(ancestor) {
			v.outcome, v.message = registry.OutcomeFailed, "An ancestor does not say whether it accepts the object"
		}
	}
	return v
}

// judgeCoded judges the object by the function for its kind, if there is one that
// can tell.
func (c *custom) judgeCoded() (signal, bool) {
	v, ok := judgeKind(c.o)
	if !ok {
		return signal{}, false
	}
	if v.outcome == registry.OutcomeConventions {
		c.w.trace.not(c.row.ID(), v.says)
		return signal{}, false
	}
	sig := c.outcome(v.outcome, &v.by, v.paths)
	if c.w.trace.on() {
		c.w.trace.note(sig.rule, v.says)
	}
	if !c.told(&sig) {
		sig.message = v.message
	}
	return sig, true
}
