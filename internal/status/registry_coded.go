package status

import (
	"cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// coded judges a kind that the registry's language cannot describe. The kind
// still has a row, which names the source and holds the clauses that can be
// written; the function is called if none of them holds, before the
// conventions.
type coded struct {
	says  string // what the function reads, for docs/rules.md and the trace
	paths []string
	// judge returns OutcomeConventions if it cannot decide, the deciding
	// condition, if any, and a message for an object without one.
	judge func(*object.Object) (registry.Outcome, registry.Match, string)
}

// codedKinds are the kinds with a function; "*" is every kind of a group.
var codedKinds = map[groupKind]*coded{
	{"promoter.argoproj.io", "PromotionStrategy"}:                   &promotions,
	{"machineconfiguration.openshift.io", "KubeletConfig"}:          &histories,
	{"machineconfiguration.openshift.io", "ContainerRuntimeConfig"}: &histories,
	{"microgateway.airlock.com", "*"}:                               &ancestors,
}

func codedFor(group, kind string) *coded {
	return cmp.Or(codedKinds[groupKind{group, kind}], codedKinds[groupKind{group, "*"}])
}

var promotions = coded{
	says:  "InProgress while an environment has no commit, the environments propose different ones, or one has another commit active than it proposes",
	paths: []string{"status.environments[].proposed.dry.sha", "status.environments[].active.dry.sha"},
	judge: func(o *object.Object) (registry.Outcome, registry.Match, string) {
		none := registry.Match{Index: -1}
		first := ""
		for _, env := range o.List("status", "environments") {
			proposed, _ := object.Text(object.At(env, "proposed", "dry", "sha"))
			active, _ := object.Text(object.At(env, "active", "dry", "sha"))
			first = cmp.Or(first, proposed)
			switch {
			case proposed == "" || active == "":
				return registry.OutcomeProgress, none, "An environment has no commit proposed or active yet"
			case proposed != active:
				return registry.OutcomeProgress, none, "An environment has another commit active than it proposes"
			case proposed != first:
				return registry.OutcomeProgress, none, "The environments propose different commits"
			}
		}
		return registry.OutcomeConventions, none, ""
	},
}

var histories = coded{
	says:  "the conditions are a history: Failed where the last one is a Failure, Current where it is a Success, whatever its status",
	paths: []string{"status.conditions"},
	judge: func(o *object.Object) (registry.Outcome, registry.Match, string) {
		i := len(o.Conditions) - 1
		if i < 0 || o.Stale(&o.Conditions[i]) {
			return registry.OutcomeConventions, registry.Match{}, ""
		}
		m := registry.Match{Condition: o.Conditions[i], Index: i}
		switch o.Conditions[i].Type {
		case "Failure":
			return registry.OutcomeFailed, m, ""
		case "Success":
			return registry.OutcomeCurrent, m, ""
		}
		return registry.OutcomeConventions, m, ""
	},
}

var ancestors = coded{
	says:  "Failed where an ancestor has conditions, but no Accepted among them; else Current",
	paths: []string{"status.ancestors"},
	judge: func(o *object.Object) (registry.Outcome, registry.Match, string) {
		none := registry.Match{Index: -1}
		for _, ancestor := range o.List("status", "ancestors") {
			if !object.Empty(object.At(ancestor, "conditions")) && !acceptedOrNot(ancestor) {
				return registry.OutcomeFailed, none, "An ancestor does not say whether it accepts the object"
			}
		}
		return registry.OutcomeCurrent, none, "No ancestor refuses the object"
	},
}

// byCode judges the object by its kind's function; false if there is none, or
// it cannot decide.
func (j *judge) byCode() (Assessment, bool) {
	c := codedFor(j.o.Group, j.o.Kind)
	if c == nil {
		return Assessment{}, false
	}
	outcome, match, message := c.judge(j.o)
	if outcome == registry.OutcomeConventions {
		j.trace.not(j.row.ID(), c.says)
		return Assessment{}, false
	}
	j.trace.note(j.rowRule(outcome), c.says)
	return j.outcome(outcome, &match, c.paths, message), true
}
