package status

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// Assess judges one object at one moment. The first of these that speaks
// decides:
//
//  1. deletion: Terminating, and what it waits for
//  2. staleness: the object or its status describes an older generation
//  3. the user's own rules
//  4. fields of the wrong shape: Unknown, for a judgement would be a guess
//  5. the rule of the kind, for Kubernetes's own kinds and the Gateway API's (rules)
//  6. for custom kinds: the conditions that the user says count, the registry's
//     row for the kind or its group, the conventions
//
// What 5 and 6 call Current is not while Stalled or Reconciling is True, while another
// condition is clearly a fault, or while a Pod below it keeps crashing. What 5 calls
// InProgress is a fault while its events say that it cannot get what it waits for.
//
// It has neither clock nor memory: what it needs of the past is in w.Prior,
// and Assessment.Recheck says when it would judge differently without anything
// having happened.
func Assess(o *object.Object, w World, now time.Time) Assessment {
	j := judges.Get().(*judge)
	j.o, j.w, j.now = o, w, now
	a := j.assess()
	*j = judge{} // it must keep no object
	judges.Put(j)
	return a
}

// judges are used again: one is nine tenths of what an assessment allocates, and a large first sync
// makes tens of thousands of them.
var judges = sync.Pool{New: func() any { return new(judge) }}

// Explain returns the deduction behind Assess: the rules in the order in which
// they were tried; the last hit decided.
func Explain(o *object.Object, w World, now time.Time) []Step {
	var t trace
	(&judge{o: o, w: w, now: now, trace: &t}).assess()
	return t.steps
}

// judge is one assessment in progress.
type judge struct {
	o     *object.Object
	w     World
	now   time.Time
	trace *trace // nil unless the deduction is wanted

	rule, paths string     // the current rule, and the fields that it reads; see by
	builtin     bool       // it is a rule of the kind
	sure        Confidence // confidence of a deciding rule

	crashes  []Crash // of a Pod's containers
	row      *registry.Row
	match    registry.Match                    // what the row's clause has found
	polarity func(typ string) (Polarity, bool) // the user's declarations
	names    []string                          // the field names in status, sorted; see statusFields
}

func (j *judge) assess() Assessment {
	if j.o.Pod != nil {
		j.crashes = j.recentCrashes()
	}
	a, decided := j.general()
	if decided {
		j.unreached(a.Rule)
	} else {
		a = j.byKind()
	}
	return j.completion().finish(a)
}

// general applies the rules that precede those of the kind.
func (j *judge) general() (a Assessment, decided bool) {
	o := j.o
	if j.holds(!o.Deleted.IsZero(), "deletion", "it is being deleted",
		"metadata.deletionTimestamp metadata.finalizers") {
		return j.deletion(), true
	}
	if j.w.Generation > 0 && j.holds(o.Generation.Set && o.Generation.V < j.w.Generation,
		"generation.applied", "it is older than what was applied", "metadata.generation") {
		return j.progress("GenerationNotApplied", "generation %d is seen, %d was applied",
			o.Generation.V, j.w.Generation), true
	}
	if a, stale := j.staleness().unobserved(); stale {
		return a, true
	}
	f := fatalFlaw(o)
	if j.w.User != nil && (f == nil || !o.MetadataOnly) {
		if a, ok := j.w.User.Judge(o, j.now); ok {
			a.Confidence, a.condition = cmp.Or(a.Confidence, User), a.Deciding+1
			return a, true
		}
		j.holds(false, "user", "a rule of the user speaks about it", "")
	}
	if j.holds(f != nil, "malformed", "a field has the wrong shape", "") {
		a := j.unknown("Malformed", f.Path+" "+f.Problem)
		a.Paths = []string{f.Path}
		return a, true
	}
	return Assessment{}, false
}

// fatalFlaw is the first flaw that rules out a judgement, or nil.
func fatalFlaw(o *object.Object) *object.Flaw {
	for i := range o.Flaws {
		f := &o.Flaws[i]
		if f.Path == "status.conditions" && f.Problem == "is an object, not a list" && len(o.Conditions) > 0 {
			continue // it holds conditions by their types
		}
		switch top, _, _ := strings.Cut(f.Path, "."); top {
		case "object", "metadata", "status":
			// see stale
			if f.Path != "status.observedGeneration" &&
				(top != "metadata" || !strings.HasPrefix(f.Problem, "is null")) {
				return f
			}
		}
	}
	return nil
}

// deletion says what a deletion waits for.
func (j *judge) deletion() Assessment {
	o := j.o
	a := j.is(Terminating, "Deleting", "is being deleted").since(o.Deleted)
	if p := o.Pod; p != nil && p.GracePeriod.Set {
		// A Pod's deletionTimestamp is the end of its grace period.
		a.Since = o.Deleted.Add(-time.Duration(p.GracePeriod.V) * time.Second)
		if j.now.Before(o.Deleted) {
			a.Deadline, a.DeadlineWhat = o.Deleted, "the end of the deletion grace period"
			a.Recheck = o.Deleted
		} else if len(o.Finalizers) == 0 {
			a.Message = "is being deleted; its grace period is over"
		}
	}
	if i := namespaceBlocker(o); i >= 0 {
		a.Reason, a.Message = o.Conditions[i].Reason, o.Conditions[i].Message
		return a.decided(i)
	}
	switch {
	case len(o.Finalizers) == 0:
	case len(o.Finalizers) == 1 && o.Finalizers[0] == "foregroundDeletion":
		a.Reason, a.Message = "DependentsRemaining", "waits for its dependents to be deleted"
	case o.Claim != nil && len(o.Finalizers) == 1 && o.Finalizers[0] == "kubernetes.io/pvc-protection":
		a.Reason, a.Message = "InUse", "waits until no pod uses it"
	default:
		a.Reason, a.Message = "FinalizersRemaining", "waits for its finalizers: "+strings.Join(o.Finalizers, ", ")
	}
	return a
}

// namespaceBlocker is the most informative condition of a namespace that cannot
// be deleted, or -1.
func namespaceBlocker(o *object.Object) int {
	if o.GroupKind() != "Namespace" {
		return -1
	}
	for _, typ := range [...]string{
		"NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure",
		"NamespaceDeletionContentFailure", "NamespaceFinalizersRemaining", "NamespaceContentRemaining",
	} {
		if i := o.ConditionIndex(typ, "True"); i >= 0 {
			return i
		}
	}
	return -1
}

// byKind applies the rule of a built-in kind or those for custom kinds, then
// the rules for every kind.
func (j *judge) byKind() Assessment {
	var a Assessment
	if rule := rules[groupKind{j.o.Group, j.o.Kind}]; rule != nil {
		j.sure, j.builtin = Exact, true
		a = rule(j)
		a.Rule, j.builtin = j.id(a.Rule), false
	} else if a = j.custom(); a.Confidence == User {
		return a
	}
	a = j.standard(a)
	if j.sure != Exact { // an exact rule has asked for the children itself
		a = j.byParts(j.byNewest(a))
	}
	switch {
	case a.Status == InProgress:
		return j.obstructed(a)
	case a.Status != Current:
		return a
	case j.sure == Exact:
		a = j.contradicted(a)
	}
	if a.Status == Current {
		a = byNamedParts(j, a)
	}
	if a.Status == Current && keepsPods(j.o) {
		a = j.unsettled(a)
	}
	return a
}

// custom judges an object whose kind has no rule of its own.
func (j *judge) custom() Assessment {
	o := j.o
	j.sure, j.row = Convention, registry.For(o.Group, o.Kind)
	declared, _ := j.w.User.(UserConditions)
	if declared != nil {
		j.polarity = func(typ string) (Polarity, bool) { return declared.Polarity(o, typ) }
	}
	if a, ok := j.staleness().stale(); ok {
		return a
	}
	j.trace.not("convention.staleness", "a condition, or a text in its status, describes an older generation")
	if a, ok := j.staleness().justApplied(); ok {
		return a
	}
	if declared != nil {
		if ready := declared.Ready(o); len(ready) > 0 {
			return j.declared(ready)
		}
	}
	if j.row != nil {
		j.sure = Registry
		if a, ok := j.byRow(); ok {
			return j.bySource(a)
		}
		j.trace.not(j.row.ID(), "a clause of the registry's row decides")
	} else {
		j.trace.not("registry", "the registry has a row for the kind or its group")
	}
	return j.conventions(everything)
}

// unreached notes which rule of the kind was not asked, because another decided before it.
func (j *judge) unreached(decided string) {
	if j.trace == nil {
		return
	}
	id := "conventions"
	if row := registry.For(j.o.Group, j.o.Kind); rules[groupKind{j.o.Group, j.o.Kind}] != nil {
		id = j.o.GroupKind()
	} else if row != nil {
		id = row.ID()
	}
	j.trace.note(id, "not reached: "+decided)
}

// standard applies kstatus's standard conditions, which every kind may have,
// before the rules of the kind, as checkGenericProperties does (kstatus's
// generic.go): Stalled=True is Failed at once, Reconciling=True is InProgress,
// whatever the reason. A fault that the rule finds keeps its grace period while
// the controller retries: otherwise kstatus's endless InProgress would hide it.
// A registry row that names Stalled itself may give it a grace period or put a
// pause before it, as Flux's do, but not make it Current.
func (j *judge) standard(a Assessment) Assessment {
	stalled, reconciling, sure := "convention.stalled", "convention.reconciling", Convention
	if j.sure == Exact {
		stalled, reconciling, sure = "stalled", "reconciling", Exact
	}
	if i := j.standing(Stalled, registry.Fault); j.holds(i >= 0, stalled, "its controller has given up",
		"status.conditions[Stalled]") &&
		(a.Status != Failed || a.heals) && (a.Status == Current || !j.row.Names(Stalled)) {
		j.sure = sure
		return j.terminal("", "").from(j.o, i)
	}
	if i := j.standing(Reconciling, registry.Activity); j.holds(i >= 0, reconciling, "its controller is at work",
		"status.conditions[Reconciling]") &&
		a.Status != Failed && a.Status != InProgress {
		j.sure = sure
		a = j.progress("", "").from(j.o, i)
		a.retries = strings.Contains(a.Reason, "WithRetry")
	}
	return a
}

// standing is the index of a True condition that is about this generation and
// has not been declared to mean something else, or -1.
func (j *judge) standing(typ string, usual registry.Sense) int {
	i := j.index(typ)
	if i < 0 || j.o.Stale(&j.o.Conditions[i]) || !isTrue(&j.o.Conditions[i]) || j.row.Ignores(typ) ||
		j.sense(typ) != usual {
		return -1
	}
	return i
}

// NeedsChildren reports whether an object that looks Current by its own fields
// may not be, once its children are known: a Service without ready endpoints, a
// CronJob that only its last Job tells about, a workload with crashing Pods.
// Children of such an object are always followed: the verdict must not depend
// on which rows are open.
func NeedsChildren(o *object.Object) bool {
	switch {
	case o == nil, o.Pod != nil:
		return false
	case o.Service != nil:
		s := o.Service
		return s.Type != "ExternalName" && len(s.Selector.Match) > 0 && !s.PublishNotReady
	case o.CronJob != nil:
		return runsUnproven(o.CronJob)
	}
	return keepsPods(o) || keepsParts(o)
}

// keepsPods reports whether an object is only Current while its Pods run.
func keepsPods(o *object.Object) bool {
	if w := o.Workload; w != nil {
		return w.HasSelector && w.StatusReplicas.V+w.Current.V > 0
	}
	return slices.Contains(podKeepers, groupKind{o.Group, o.Kind})
}

// podKeepers are the custom kinds that are Current while their Pods run and
// whose Pods are found (see edges).
var podKeepers = []groupKind{
	{"argoproj.io", "Rollout"},
	{"leaderworkerset.x-k8s.io", "LeaderWorkerSet"},
	{"ray.io", "RayCluster"},
	{"serving.knative.dev", "Configuration"},
	{"serving.knative.dev", "Revision"},
	{"serving.knative.dev", "Service"},
}

// keepsParts reports whether an object still reports that it is ready while its parts are not, or
// never reports anything.
func keepsParts(o *object.Object) bool {
	return slices.Contains(partKeepers, groupKind{o.Group, o.Kind})
}

// partKeepers are the custom kinds that do, and whose parts are found (see edges): their
// controllers never take the word back (dragonflydb/dragonfly-operator#589,
// zalando/postgres-operator#2338, wildfly/wildfly-operator#109,
// OT-CONTAINER-KIT/redis-operator#1359, Altinity/clickhouse-operator#1994), or only mean by it that they have applied
// everything (kroxylicious/kroxylicious#4906), or their objects have no status
// (spotahome/redis-operator#667, fluent-operator's), or none that says what became of them
// (projectsveltos/addon-controller#1663).
var partKeepers = []groupKind{
	{"acid.zalan.do", "postgresql"},
	{"clickhouse-keeper.altinity.com", "ClickHouseKeeperInstallation"},
	{"clickhouse.altinity.com", "ClickHouseInstallation"},
	{"config.projectsveltos.io", "ClusterProfile"},
	{"databases.spotahome.com", "RedisFailover"},
	{"dragonflydb.io", "Dragonfly"},
	{"fluentbit.fluent.io", "FluentBit"},
	{"fluentd.fluent.io", "Fluentd"},
	{"kroxylicious.io", "KafkaProxy"},
	{"redis.redis.opstreelabs.in", "RedisCluster"},
	{"wildfly.org", "WildFlyServer"},
}
