package status

import (
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Assess judges one object at one moment. The first of these that speaks
// decides:
//
//  1. deletion: Terminating, and what it waits for
//  2. staleness: the object or its status describes an older generation
//  3. the user's own rules
//  4. fields of the wrong shape: Unknown, for a judgement would be a guess
//  5. Stalled and Reconciling, which every kind may carry (assessCustom has
//     rules of its own for them)
//  6. the reader of the kind, for the kinds that have a view
//  7. those of Kubernetes's other kinds, the registry of custom kinds and the
//     conventions, see assessCustom
//
// It has neither clock nor memory: what it needs of the past is in w.Prior,
// and Assessment.Recheck says when it would judge differently without anything
// having happened.
func Assess(o *object.Object, w World, now time.Time) Assessment {
	w.now = now
	return assess(o, &w)
}

// Explain is the deduction behind Assess, rule by rule, in the order in which
// they were tried; the last step that hit decided.
func Explain(o *object.Object, w World, now time.Time) []Step {
	var t trace
	w.now, w.trace = now, &t
	assess(o, &w)
	return t.steps
}

// judge is one assessment under way.
type judge struct {
	o *object.Object
	w *World
}

// rule is what a person reads about a rule: its id, what it looks for, and the
// fields that it reads.
type rule struct {
	id    string
	asks  string
	paths []string
}

func newRule(id, asks string, paths ...string) *rule { return &rule{id, asks, paths} }

var (
	ruleDeletion  = newRule("deletion", "it is being deleted", "metadata.deletionTimestamp", "metadata.finalizers")
	rulePinned    = newRule("generation.applied", "it is older than what was applied", "metadata.generation")
	ruleStale     = newRule("generation.observed", "its status describes an older generation", "metadata.generation", "status.observedGeneration")
	ruleUser      = newRule("user", "a rule of the user speaks about it")
	ruleMalformed = newRule("malformed", "a field has the wrong shape")
	ruleStalled   = newRule("stalled", "its controller has given up", "status.conditions[Stalled]")
	ruleReconcile = newRule("reconciling", "its controller is at work", "status.conditions[Reconciling]")
)

func assess(o *object.Object, w *World) Assessment {
	j := judge{o, w}
	if o.Pod != nil {
		w.crashes = j.crashes()
	}
	a, custom := j.general(o)
	if custom {
		a = assessCustom(o, w)
		if a.Confidence != User {
			a = j.unsettled(a)
		}
	} else if w.trace.on() {
		w.trace.hit(a)
	}
	a.Crashes = w.crashes
	return j.since(a)
}

// general applies every rule up to the readers of built-in kinds; custom says
// that none of them spoke.
func (j *judge) general(o *object.Object) (a Assessment, custom bool) {
	if j.holds(ruleDeletion, !o.Deleted.IsZero()) {
		return j.deletion(), false
	}
	if j.w.Generation > 0 && j.holds(rulePinned, o.Generation.Set && o.Generation.V < j.w.Generation) {
		return j.progress(rulePinned, "GenerationNotApplied", pair("generation ", o.Generation.V, " is seen, ", j.w.Generation, " was applied"), time.Time{}), false
	}
	observed := o.Observed
	if !observed.Set {
		observed = o.ObservedText
	}
	// Greater is no fault: an object restored from a backup starts counting anew.
	if j.holds(ruleStale, o.Generation.Set && observed.Set && observed.V < o.Generation.V) {
		return j.progress(ruleStale, "GenerationNotObserved", notObserved(o.Generation.V, observed.V), time.Time{}), false
	}
	if j.w.User != nil {
		if a, ok := j.w.User.Judge(o, j.w.now); ok {
			if a.Confidence == "" {
				a.Confidence = User
			}
			return a, false
		}
		j.holds(ruleUser, false)
	}
	if f := fatalFlaw(o); j.holds(ruleMalformed, f != nil) {
		a := j.is(ruleMalformed, Unknown, "Malformed", f.Path+" "+f.Problem, time.Time{})
		a.Paths = []string{f.Path}
		return a, false
	}
	return j.builtin()
}

// holds reports whether a rule applies, and tells the trace when it does not.
func (j *judge) holds(r *rule, yes bool) bool {
	if !yes && j.w.trace.on() {
		j.w.trace.not(r.id, r.asks, r.paths...)
	}
	return yes
}

func (j *judge) is(r *rule, s Status, reason, message string, since time.Time) Assessment {
	return Assessment{Status: s, Reason: reason, Message: message, Since: since, Rule: r.id, Paths: r.paths, Deciding: -1, Confidence: Exact}
}

func (j *judge) current(r *rule, message string) Assessment {
	return j.is(r, Current, "", message, time.Time{})
}

func (j *judge) progress(r *rule, reason, message string, since time.Time) Assessment {
	return j.is(r, InProgress, reason, message, since)
}

// failed is a fault that has had its time already, or needs none.
func (j *judge) failed(r *rule, reason, message string, since time.Time) Assessment {
	return j.is(r, Failed, reason, message, since)
}

// terminal is a fault that cannot heal by itself.
func (j *judge) terminal(r *rule, reason, message string, since time.Time) Assessment {
	a := j.is(r, Failed, reason, message, since)
	a.Terminal = true
	return a
}

// fault is one that may heal: InProgress for the grace period, then Failed.
// since is when it began; zero when nothing tells.
func (j *judge) fault(r *rule, reason, message string, since time.Time) Assessment {
	a := j.is(r, Failed, reason, message, since)
	a.Status, a.FaultSince, a.Recheck = graceful(j.o, j.w, j.w.now, since)
	if a.Status == Failed {
		if a.Since = a.FaultSince.Add(healGrace); since.IsZero() && j.w.Offline {
			a.Since = time.Time{}
		}
		a.FaultSince = time.Time{}
	}
	return a
}

// silent is an object whose controller has not spoken at all.
func (j *judge) silent(r *rule) Assessment {
	first := j.w.FirstSeen
	if first.IsZero() || j.w.Offline {
		first = j.w.now
	}
	if until := first.Add(silence); j.w.now.Before(until) {
		a := j.progress(r, "NoStatus", "no status has been reported yet", first)
		if !j.w.Offline {
			a.Recheck = until
		}
		return a
	}
	return j.is(r, Unknown, "NoStatus", "no controller has reported a status", first.Add(silence))
}

// decided names the condition that decided.
func (a Assessment) decided(i int) Assessment {
	a.Deciding = i
	return a
}

// since sees to it that Since tells when the present status began: it stays
// while the status stays, and is not older than the change of status that was
// watched.
func (j *judge) since(a Assessment) Assessment {
	p := j.w.Prior
	switch {
	case p == nil || j.w.Offline:
	case p.Status == a.Status:
		if !p.Since.IsZero() {
			a.Since = p.Since
		}
	case a.Since.IsZero() || a.Since.Before(p.Since):
		a.Since = j.w.now
	}
	if a.Since.After(j.w.now) { // its clock is ahead of ours
		a.Since = j.w.now
	}
	return a
}

// fatalFlaw is the first flaw that makes a judgement a guess, or nil.
func fatalFlaw(o *object.Object) *object.Flaw {
	for i := range o.Flaws {
		f := &o.Flaws[i]
		field := f.Path[strings.LastIndexByte(f.Path, '.')+1:]
		switch {
		case strings.HasPrefix(f.Problem, "is nested"), strings.HasPrefix(f.Problem, "is longer"):
			return f
		case f.Problem == "is empty", field == "observedGeneration",
			strings.HasPrefix(field, "last") && strings.HasSuffix(field, "Time"):
			continue // read leniently
		case f.Path == "metadata", f.Path == "status", f.Path == "spec":
			return f
		case f.Problem == "is null" && strings.HasPrefix(f.Path, "metadata."):
			continue
		case f.Path == "metadata.generation", strings.HasPrefix(f.Path, "status."),
			strings.HasPrefix(f.Path, "spec.") && o.HasView():
			return f
		}
	}
	return nil
}

// deletion says what a deletion waits for.
func (j *judge) deletion() Assessment {
	o := j.o
	a := j.is(ruleDeletion, Terminating, "Deleting", "is being deleted", o.Deleted)
	if p := o.Pod; p != nil && p.GracePeriod.Set {
		// A pod's deletionTimestamp lies in the future by its grace period.
		a.Since = o.Deleted.Add(-time.Duration(p.GracePeriod.V) * time.Second)
		if j.w.now.Before(o.Deleted) {
			a.Deadline, a.DeadlineWhat = o.Deleted, "the deletion grace period"
		} else if len(o.Finalizers) == 0 {
			a.Message = "is being deleted; its grace period is over"
		}
	}
	if o.Kind == "Namespace" && o.Group == "" {
		if c := namespaceBlocker(o); c >= 0 {
			a.Reason, a.Message = o.Conditions[c].Reason, o.Conditions[c].Message
			return a.decided(c)
		}
	}
	switch {
	case len(o.Finalizers) == 0:
		return a
	case len(o.Finalizers) == 1 && o.Finalizers[0] == "foregroundDeletion":
		a.Reason, a.Message = "DependentsRemaining", "waits for its dependents to be deleted"
	case o.Claim != nil && len(o.Finalizers) == 1 && o.Finalizers[0] == "kubernetes.io/pvc-protection":
		a.Reason, a.Message = "InUse", "waits until no pod uses it"
	default:
		a.Reason, a.Message = "FinalizersRemaining", "waits for its finalizers: "+strings.Join(o.Finalizers, ", ")
	}
	return a
}

// namespaceBlocker is the condition that says best why a namespace is not gone,
// or -1.
func namespaceBlocker(o *object.Object) int {
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

// newest is the later of two times.
func newest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// pair joins strings around two numbers with one allocation; with an empty end
// it stops after the second.
func pair(before string, n int64, between string, m int64, end string) string {
	var buf [128]byte
	b := append(buf[:0], before...)
	b = strconv.AppendInt(b, n, 10)
	b = append(b, between...)
	b = strconv.AppendInt(b, m, 10)
	b = append(b, end...)
	return string(b)
}

// notObserved says which generation waits for its controller, and which was
// seen last; some controllers begin with -1.
func notObserved(want, have int64) string {
	if have <= 0 {
		return "generation " + strconv.FormatInt(want, 10) + " is not observed yet"
	}
	return pair("generation ", want, " is not observed yet, only ", have, "")
}

// of is "2 of 3 replicas are ready".
func of(n, total int64, what string) string { return pair("", n, " of ", total, what) }

// count is "3 pods" or "1 pod".
func count(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + one + "s"
}

// builtin applies the reader of a kind that has a view; custom is true for all
// other kinds.
func (j *judge) builtin() (a Assessment, custom bool) {
	o := j.o
	if !o.HasView() {
		return Assessment{}, true // treeKinds has Kubernetes's other kinds
	}
	if i := o.ConditionIndex(Stalled, "True"); j.holds(ruleStalled, i >= 0) {
		c := &o.Conditions[i]
		return j.terminal(ruleStalled, c.Reason, c.Message, c.LastTransitionTime).decided(i), false
	}
	if i := o.ConditionIndex(Reconciling, "True"); j.holds(ruleReconcile, i >= 0) {
		c := &o.Conditions[i]
		return j.progress(ruleReconcile, c.Reason, c.Message, c.LastTransitionTime).decided(i), false
	}
	return j.read(), false
}

// NeedsChildren reports whether an object that looks Current by its own fields
// may turn out not to be, once its children are known: a Service without one
// ready endpoint, a CronJob of which only its last Job can tell, a workload whose
// pods crash and run again. Whoever follows children only where they matter follows
// those of such an object too, lest the verdict depend on who is looking.
func NeedsChildren(o *object.Object) bool {
	switch {
	case o == nil:
	case o.Service != nil:
		s := o.Service
		return s.Type != "ExternalName" && len(s.Selector.Match) > 0 && !s.PublishNotReady
	case o.CronJob != nil:
		return o.CronJob.LastSuccess.IsZero() && !o.CronJob.LastSchedule.IsZero()
	case o.Workload != nil:
		w := o.Workload
		return w.HasSelector && w.StatusReplicas.V+w.Current.V > 0
	default:
		return keepsPods[[2]string{o.Group, o.Kind}]
	}
	return false
}

// keepsPods are the custom kinds that are Current while their pods run, and whose
// pods are found below them (see edges).
var keepsPods = map[[2]string]bool{
	{"argoproj.io", "Rollout"}:                      true,
	{"leaderworkerset.x-k8s.io", "LeaderWorkerSet"}: true,
	{"serving.knative.dev", "Configuration"}:        true,
	{"serving.knative.dev", "Revision"}:             true,
	{"serving.knative.dev", "Service"}:              true,
}

// read calls the reader of the object's kind. It is a switch and not a table,
// which would send every judge to the heap.
func (j *judge) read() Assessment {
	switch o := j.o; {
	case o.Pod != nil:
		return j.pod()
	case o.Workload != nil:
		return j.unsettled(j.workload())
	case o.Job != nil:
		return j.job()
	case o.CronJob != nil:
		return j.cronJob()
	case o.Service != nil:
		return j.service()
	case o.Claim != nil:
		return j.claim()
	}
	return j.exists()
}

func (j *judge) workload() Assessment {
	switch o := j.o; o.Kind {
	case "Deployment":
		return j.deployment()
	case "StatefulSet":
		return j.statefulSet()
	case "DaemonSet":
		return j.daemonSet()
	}
	a := j.replicaSet()
	if rule, ok := strings.CutPrefix(a.Rule, "apps/ReplicaSet."); ok && j.o.Kind != "ReplicaSet" {
		a.Rule = ruleID(j.o.Group, j.o.Kind, rule)
	}
	return a
}

var (
	ruleSlice     = newRule("discovery.k8s.io/EndpointSlice.exists", "it exists; the kind has no further state")
	ruleEndpoints = newRule("Endpoints.exists", "it exists; the kind has no further state")
)

func (j *judge) exists() Assessment {
	r := ruleSlice
	if j.o.Group == "" {
		r = ruleEndpoints
	}
	return j.is(r, Current, "", "exists", j.o.Created)
}
