package status

import (
	"cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// coded judges a kind that the registry's language cannot describe; false if it
// cannot decide. The kind still has a row, which names the source and holds the
// clauses that can be written; the function is called if none of them holds,
// before the conventions.
type coded struct {
	says  string // what the function reads, for docs/rules.md and the trace
	judge func(*judge) (Assessment, bool)
}

// codedKinds are the kinds with a function.
var codedKinds = map[groupKind]coded{
	{"promoter.argoproj.io", "PromotionStrategy"}:                   {promotions, (*judge).promotions},
	{"machineconfiguration.openshift.io", "KubeletConfig"}:          {histories, (*judge).history},
	{"machineconfiguration.openshift.io", "ContainerRuntimeConfig"}: {histories, (*judge).history},
}

const (
	promotions = "InProgress while an environment has no commit, the environments propose different ones, or one has another commit active than it proposes"
	histories  = "the conditions are a history: Failed where the last one is a Failure, Current where it is a Success, whatever its status"
)

func (j *judge) promotions() (Assessment, bool) {
	first := ""
	for _, env := range j.o.List("status", "environments") {
		proposed, _ := object.Text(object.At(env, "proposed", "dry", "sha"))
		active, _ := object.Text(object.At(env, "active", "dry", "sha"))
		first = cmp.Or(first, proposed)
		if proposed == "" || proposed != active || proposed != first {
			return j.by(rowRule(j.o, registry.OutcomeProgress), "status.environments[].proposed.dry.sha status.environments[].active.dry.sha").
				progress("", "Its environments do not all have the same commit proposed and active"), true
		}
	}
	return Assessment{}, false
}

func (j *judge) history() (Assessment, bool) {
	i := len(j.o.Conditions) - 1
	if i < 0 || j.o.Stale(&j.o.Conditions[i]) {
		return Assessment{}, false
	}
	outcome, known := map[string]registry.Outcome{"Failure": registry.OutcomeFailed, "Success": registry.OutcomeCurrent}[j.o.Conditions[i].Type]
	return j.outcome(outcome, &registry.Match{Condition: j.o.Conditions[i], Index: i}, []string{"status.conditions"}, ""), known
}
