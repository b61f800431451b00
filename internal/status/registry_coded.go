package status

import (
	"cmp"
	"strconv"
	"strings"
	"time"

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
	{"promoter.argoproj.io", "PromotionStrategy"}:                   {promotions, promotionStrategy},
	{"external-secrets.io", "ExternalSecret"}:                       {synced, externalSecret},
	{"external-secrets.io", "PushSecret"}:                           {synced, externalSecret},
	{"machineconfiguration.openshift.io", "KubeletConfig"}:          {histories, history},
	{"machineconfiguration.openshift.io", "ContainerRuntimeConfig"}: {histories, history},
}

const (
	promotions = "InProgress while an environment has no commit, the environments propose different ones, or one has another commit active than it proposes"
	synced     = "InProgress while Ready is True of an older generation than metadata.generation, by status.syncedResourceVersion, and the refresh policy lets it be synced again"
	histories  = "the conditions are a history: Failed where the last one is a Failure, Current where it is a Success, whatever its status"
)

func promotionStrategy(j *judge) (Assessment, bool) {
	first := ""
	for _, env := range j.o.List("status", "environments") {
		proposed, _ := object.Text(object.At(env, "proposed", "dry", "sha"))
		active, _ := object.Text(object.At(env, "active", "dry", "sha"))
		first = cmp.Or(first, proposed)
		if proposed == "" || proposed != active || proposed != first {
			return j.by(rowRule(j.o, registry.OutcomeProgress),
				"status.environments[].proposed.dry.sha status.environments[].active.dry.sha").
				progress("", "Its environments do not all have the same commit proposed and active"), true
		}
	}
	return Assessment{}, false
}

// externalSecret reads the generation that status.syncedResourceVersion begins with, the only one
// that External Secrets writes, and with success alone (external-secrets/external-secrets#4685;
// v0.16.2, pkg/controllers/externalsecret: markAsDone, shouldRefresh, shouldReconcile).
func externalSecret(j *judge) (Assessment, bool) {
	o := j.o
	version, _ := object.Text(object.At(o.Tree, "status", "syncedResourceVersion"))
	text, _, _ := strings.Cut(version, "-")
	generation, err := strconv.ParseInt(text, 10, 64)
	if i := j.root(); err != nil || !o.Generation.Set || generation >= o.Generation.V || i < 0 ||
		!isTrue(&o.Conditions[i]) {
		return Assessment{}, false
	}
	policy, _ := object.Text(object.At(o.Tree, "spec", "refreshPolicy"))
	every, _ := object.Text(object.At(o.Tree, "spec", "refreshInterval"))
	interval, err := time.ParseDuration(every)
	immutable, _ := o.Bool("spec", "target", "immutable")
	once := policy == "CreatedOnce" || policy != "OnChange" && err == nil && interval <= 0
	if o.Kind == "ExternalSecret" && (once || immutable) { // it stays as it was first synced
		return Assessment{}, false
	}
	return j.by(rowRule(j.o, registry.OutcomeProgress), "metadata.generation status.syncedResourceVersion").
		progress(reasonNotObserved, "generation %d is not synced yet, only %d", o.Generation.V, generation), true
}

func history(j *judge) (Assessment, bool) {
	i := len(j.o.Conditions) - 1
	if i < 0 || j.o.Stale(&j.o.Conditions[i]) {
		return Assessment{}, false
	}
	outcome, known := map[string]registry.Outcome{
		"Failure": registry.OutcomeFailed,
		"Success": registry.OutcomeCurrent,
	}[j.o.Conditions[i].Type]
	return j.outcome(outcome, &registry.Match{Condition: j.o.Conditions[i], Index: i},
		[]string{"status.conditions"}, ""), known
}
