package custom

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// progressTypes are types of conditions about what goes on, not about health: a False
// Completed says only that the work is not over.
var progressTypes = []string{
	"Progressing", "Reconciling", "Paused", "Suspended", "Active", "Upgradeable",
	"Complete", "Completed", "Finished",
}

// Bad reports whether a condition reports a problem. If its type says nothing about that, True is
// taken for good.
func Bad(c *object.Condition) bool {
	if status.PolarityByName(c.Type) == status.AbnormalTrue && !slices.Contains(progressTypes, c.Type) {
		return c.Status == "True"
	}
	return c.Status == "False"
}

// reportsFault reports whether a condition certainly reports a problem: its type is known to be
// about health.
func reportsFault(c *object.Condition) bool {
	return Bad(c) && !slices.Contains(progressTypes, c.Type) &&
		status.PolarityByName(c.Type) != status.UnknownPolarity &&
		c.Severity != "Info" && c.Severity != "Warning"
}

func init() { inspect.Detect(inspect.Detector{Find: custom}) }

// custom finds what keeps a custom resource from being Current, by the most informative of its
// conditions: ConditionFalse, Stalled, or the code of the project that the kind belongs to.
func custom(in *inspect.Inspector) {
	o := in.Object
	if inspect.BuiltinGroup(o.Group) || !o.Deleted.IsZero() || o.Tree == nil {
		return
	}
	if o.Group == "argoproj.io" && o.Kind == "Application" {
		application(in)
		return
	}
	if suspended(in) {
		return
	}
	e := ecosystemOf(o.ID)
	if o.Group == "acme.cert-manager.io" && len(o.Conditions) == 0 {
		acme(in)
		return
	}
	x := top(in, e)
	if x == nil {
		unreported(in)
		return
	}
	judged := x
	x = deepest(in, x)
	if x.ObservedGeneration.Set && x.ObservedGeneration.V < o.Generation.Or(0) {
		return // it is about an older generation; see observed
	}
	code := codes.ConditionFalse
	if x.Type == "Stalled" {
		code = codes.Stalled
	} else if e != nil {
		code = e.code
	}
	f := in.FindCondition(code, x, "%s", cmp.Or(x.Reason, x.Type+" is "+x.Status))
	m := message.Line(deepestLine(x.Message))
	if x != judged && slices.Contains(progressTypes, x.Type) { // it says why, and not that it fails
		f.ProveCondition(o.ID, judged)
	}
	f.Symptom = code != codes.Stalled || message.RanOutOfTime(m)
	f.Overdue = message.RanOutOfTime(m) || x.Reason == "ProgressDeadlineExceeded"
	f.Detail = message.Line(x.Message)
	if m != "" {
		f.Why("%s", Tail(in, m, 160))
	}
	f.Key = x.Type + " " + x.Reason + " " + wording.Normal(m)
	if e == nil {
		decidedByField(in, f)
	}
	if e != nil {
		afterwards(in, f, x)
	}
	Part(in, f, m)
	customClass(in, f, e, x.Reason)
	rests(in, f, x.Reason, m)
	nextTry(in, f)
}

// decidedByField gives a finding the words of a field by which the object is judged, where they say
// why and no condition decides: status and why say the same. A CloudNativePG cluster whose disk is
// full has that in its phase, beside the condition that archiving fails.
func decidedByField(in *inspect.Inspector, f *inspect.Finding) {
	a := in.Assessment
	faulty := a.Status == status.Failed || !a.FaultSince.IsZero()
	byField := a.Deciding < 0 && a.Child.IsZero() && len(a.Paths) > 0
	if !faulty || !byField || message.Weight(a.Message) < message.SaysWhy || strings.Contains(f.Title(), a.Message) {
		return
	}
	f.Detail = message.Fold(a.Message) + "⏎" + f.Title()
	f.Say("%s", message.Short(a.Message, 160))
	f.Key += " " + wording.Normal(a.Message)
	for _, path := range a.Paths {
		if value := in.Object.Str(strings.Split(path, ".")...); value != "" {
			f.Prove(path, value)
		}
	}
}

// afterwards adds what the controller did about a failure: that it gave up, and
// that it rolled back, or removed what had been installed.
func afterwards(in *inspect.Inspector, f *inspect.Finding, failed *object.Condition) {
	for _, typ := range [...]string{"Stalled", "Remediated"} {
		x := in.Object.ConditionIs(typ, "True")
		if x == nil || x.Type == failed.Type || x.Message == "" || x.Reason == failed.Reason {
			continue
		}
		f.Also("%s", x.Reason)
		f.ProveCondition(in.Object.ID, x)
		f.Detail += "⏎" + message.Line(x.Message)
	}
}

// customClass decides whether a custom resource's problem passes by itself.
func customClass(in *inspect.Inspector, f *inspect.Finding, e *ecosystem, reason string) {
	faulty := in.Assessment.Status == status.Failed || !in.Assessment.FaultSince.IsZero()
	switch {
	case e == nil:
	case slices.Contains(e.waits, reason) && !faulty:
		f.Class = codes.Waits
	case slices.Contains(e.waits, reason), slices.Contains(e.retries, reason):
		f.Class = codes.Retries // a reason that is usually normal may carry an error, too: UnpackingPackage
	}
	if f.Class == codes.Action && message.FailureOf(f.Detail) == message.RateLimited {
		f.Class = codes.Retries // a limit passes by itself
	}
	if in.Assessment.Terminal {
		f.Class = codes.Terminal
	}
	if in.Assessment.Rule != "" && in.Assessment.Status == status.InProgress && in.Assessment.FaultSince.IsZero() {
		f.Class = codes.Waits
	}
	if in.Object.Group == "tekton.dev" && f.Class == codes.Action {
		f.Class = codes.Terminal
	}
}

// rests adds what a custom resource depends on: what it refers to, and what its
// message names.
func rests(in *inspect.Inspector, f *inspect.Finding, reason, m string) {
	for _, r := range edges.References(in.Object) {
		if r.To.Kind == "Secret" || pastSource(reason) && r.To.Group == "source.toolkit.fluxcd.io" {
			continue
		}
		// A store that may not be read is only to blame if the controller
		// mentions it: otherwise the controller has reached the store, and
		// reports its answer.
		if strings.HasSuffix(r.Role, "ecretStoreRef") && !strings.Contains(m, r.To.Name) &&
			in.Snapshot.Hidden(r.To.Group, r.To.Kind, r.To.Namespace) != "" {
			continue
		}
		o := in.Get(r.To)
		if o != nil {
			f.AddBecause(o.ID)
			continue
		}
		if r.Optional || edges.Composes(r.Role) {
			continue
		}
		f.AddBecause(r.To)
		if in.Absent(r.To) {
			f.ProveAbsent(r.To)
			f.Say("%s does not exist (%s)", r.To, f.Title())
			inspect.OtherScope(in, f, r.To)
			f.Class = codes.Action
		}
	}
	withoutPod(in, f)
	f.Because = append(f.Because, named(in, m)...)
	if strings.HasSuffix(in.Object.Group, ".knative.dev") {
		for _, kind := range [...]string{"Configuration", "Revision"} {
			if name := message.Between(m, kind+` "`, `"`); name != "" {
				f.Because = append(f.Because, in.ID("serving.knative.dev", kind, name))
			}
		}
	}
}

// servingPods are the fields of a status that name the Pod without which nothing is served
// (cloudnative-pg v1.27, api/v1 ClusterStatus).
var servingPods = map[string]string{"postgresql.cnpg.io/Cluster": "currentPrimary"}

// withoutPod adds that the Pod does not exist that a status names as the one that serves. While it
// is replaced there is none for some seconds.
func withoutPod(in *inspect.Inspector, f *inspect.Finding) {
	key := servingPods[in.Object.GroupKind()]
	name := in.Object.Str("status", key)
	if key == "" || name == "" || !in.Older(f.Since, 2*time.Minute) {
		return
	}
	id := in.ID("", "Pod", name)
	if in.Get(id) == nil && in.Absent(id) {
		f.Also("Pod %s does not exist, which status.%s names", name, key)
		f.Prove("status."+key, name)
		f.ProveAbsent(id)
		f.Class = codes.Action
	}
}

// acme reads Orders and Challenges, which report a state and a reason
// (cert-manager pkg/apis/acme/v1, v1.18).
func acme(in *inspect.Inspector) {
	o := in.Object
	state, reason := o.Str("status", "state"), o.Str("status", "reason")
	if state == "valid" || state == "ready" || state == "" && reason == "" {
		return
	}
	f := in.Find(codes.CertificateNotReady, "%s is %s", strings.ToLower(o.Kind), cmp.Or(state, "not processed yet"))
	f.Symptom = true
	if reason != "" {
		f.Why("%s", Tail(in, reason, 160))
		f.Prove("status.reason", reason)
	}
	f.Detail = message.Line(reason)
	f.Key = state + wording.Normal(reason)
	f.Prove("status.state", state)
	switch {
	case state == "invalid" || state == "errored" || state == "expired":
	case reason != "":
		f.Class, f.Since = codes.Retries, o.Created // the requesting object retries
	default:
		f.Class = codes.Waits
	}
	for _, r := range edges.References(o) {
		f.Because = append(f.Because, r.To)
	}
}

// endedWithMore reports whether another condition than Stalled says that the object has come to its
// end, and no less about why: Complete=True with an error as its reason.
func endedWithMore(in *inspect.Inspector, stalled *object.Condition) bool {
	i := in.Assessment.Deciding
	if !in.Assessment.Terminal || i < 0 || i >= len(in.Object.Conditions) {
		return false
	}
	end := &in.Object.Conditions[i]
	return end.Type != "Stalled" && end.Status == "True" &&
		message.Weight(end.Message) >= message.Weight(stalled.Message)
}

// pastSource reports whether a reason of Flux's is about a step after fetching
// the source: then the source is not to blame.
func pastSource(reason string) bool {
	switch reason {
	case "HealthCheckFailed", "HealthCheckCanceled", "PruneFailed", "InstallFailed", "UpgradeFailed",
		"TestFailed", "RollbackFailed", "UninstallFailed":
		return true
	}
	return false
}

// top is the most informative condition: the ecosystem's first, then the usual
// summaries, then any bad one.
func top(in *inspect.Inspector, e *ecosystem) *object.Condition {
	o := in.Object
	// The condition by which the object is judged comes first: status and why name
	// the same one. What its controller has given up says why, where a summary does not.
	if x := o.ConditionIs("Stalled", "True"); x != nil && (e != nil || !endedWithMore(in, x)) {
		return attempted(in, x, e)
	}
	if i := in.Assessment.Deciding; e == nil && i >= 0 && i < len(o.Conditions) &&
		(Bad(&o.Conditions[i]) || in.Assessment.Status == status.Failed || !in.Assessment.FaultSince.IsZero()) {
		return &o.Conditions[i]
	}
	var order, unfinished []string
	if e != nil {
		order, unfinished = e.first, e.unfinished
	}
	for _, list := range [2][]string{
		order,
		{
			"Ready", "Available", "Succeeded", "Healthy", "Synced", "Established", "Reconciled",
			"Programmed", "Accepted", "Degraded",
		},
	} {
		for _, typ := range list {
			if slices.Contains(unfinished, typ) {
				continue
			}
			if x := o.Condition(typ); x != nil && Bad(x) && x.Severity != "Info" && x.Severity != "Warning" {
				return decides(in, x)
			}
		}
	}
	// A summary that is True overrides the other conditions.
	for _, typ := range [...]string{"Ready", "Available", "Succeeded"} {
		if x := o.ConditionIs(typ, "True"); x != nil {
			return nil
		}
	}
	progress := in.Assessment.Status == status.InProgress && in.Assessment.FaultSince.IsZero()
	for i := range o.Conditions {
		x := &o.Conditions[i]
		if o.Superseded(i) {
			continue
		}
		if in.Assessment.Deciding < 0 && x.Reason == "" && x.Message == "" {
			continue // another field has decided, and this one says no more: PodRunning of a Workflow that has ended
		}
		if reportsFault(x) && !progress && !slices.Contains(unfinished, x.Type) {
			return x
		}
	}
	// in progress, as it says itself
	types := []string{"Reconciling", "Ready", "Succeeded", "Progressing"}
	if i := in.Assessment.Deciding; i >= 0 && i < len(o.Conditions) {
		types = append([]string{o.Conditions[i].Type}, types...)
	}
	for _, typ := range types {
		// Cluster API's Info is what a phase waits for (v1beta1, condition_types.go).
		if x := o.ConditionIs(typ, "False"); x != nil && x.Severity == "Info" &&
			x.Reason != "" && e != nil && in.Older(x.LastTransitionTime, phaseTime) {
			awaits(in, e, x)
			return nil
		}
		if x := o.ConditionIs(typ, "Unknown"); x != nil && x.Message != "" {
			x = behind(o, x, func(c *object.Condition) bool { return c.Status == "Unknown" })
			f := in.FindCondition(codes.Reconciling, x, "%s",
				strings.TrimPrefix(x.Reason+": "+message.Short(x.Message, 160), ": "))
			if x.Type != typ { // of several, which one
				f.Say("%s: %s", x.Type, f.Title())
			}
			f.Symptom = true
			if e != nil && slices.Contains(e.retries, x.Reason) || !in.Assessment.FaultSince.IsZero() {
				f.Class = codes.Retries
			}
			for _, r := range edges.References(o) {
				f.Because = append(f.Because, r.To)
			}
			return nil
		}
	}
	return nil
}

// phaseTime is how long a phase may last before it is worth a word.
const phaseTime = 5 * time.Minute

// awaits finds what a condition of severity Info waits for. What waits for a machine's
// bootstrap data waits for its sibling, which makes them.
func awaits(in *inspect.Inspector, e *ecosystem, x *object.Condition) {
	f := in.FindCondition(e.code, x, "%s", strings.TrimSuffix(x.Reason+": "+message.Short(x.Message, 160), ": "))
	f.Class, f.Symptom = codes.Waits, true
	from := in.Object
	if by, ok := in.Object.Controller(); ok && x.Reason == "WaitingForBootstrapData" {
		from = cmp.Or(in.Snapshot.Object(
			object.ID{Group: by.Group, Kind: by.Kind, Namespace: in.Object.Namespace, Name: by.Name}), from)
	}
	for _, r := range edges.References(from) {
		if r.To != in.Object.ID {
			f.AddBecause(r.To)
		}
	}
}

// decides is the condition by which the object was judged, where that says more than
// another one: cert-manager's Issuing has the order's error, its Ready that the Secret is
// not there yet.
func decides(in *inspect.Inspector, x *object.Condition) *object.Condition {
	if i := in.Assessment.Deciding; i >= 0 && i < len(in.Object.Conditions) {
		d := &in.Object.Conditions[i]
		if in.Assessment.Status == status.Failed && message.Weight(d.Message) > message.Weight(x.Message) {
			return d
		}
	}
	return x
}

// attempted is the condition with the failure that a controller has given up on,
// where Stalled only counts the attempts: "Failed to upgrade after 2 attempt(s)".
func attempted(in *inspect.Inspector, stalled *object.Condition, e *ecosystem) *object.Condition {
	if e == nil {
		return stalled
	}
	for _, typ := range e.first {
		x := in.Object.ConditionIs(typ, "False")
		if x != nil && x.Message != "" && x.Reason != stalled.Reason &&
			x.ObservedGeneration == stalled.ObservedGeneration {
			return x
		}
	}
	return stalled
}

// unreported finds NoController: the status has never been written.
func unreported(in *inspect.Inspector) {
	o := in.Object
	if !o.NoStatus() {
		return
	}
	if in.Assessment.Status != status.Unknown && in.Assessment.Status != status.InProgress {
		return
	}
	// whoever reports events has touched it
	if !in.Older(o.Created, 30*time.Second) || len(in.Snapshot.Events(o.ID)) > 0 {
		return
	}
	f := in.Find(codes.NoController,
		"no controller has touched it yet: it has no status (is the controller for %s running?)", o.Group)
	f.Certainty = inspect.Likely
	f.Key, f.Shared = o.GroupKind(), true
	if o.Observed.Set {
		f.Prove("status.observedGeneration", o.Observed.V) // the default of the schema, and all that there is
	} else {
		f.ProveUnset(o.ID, "status")
	}
	for _, w := range o.Writers {
		if w.Status {
			f.Prove("metadata.managedFields["+w.Manager+"].time", w.At)
			f.Certainty = inspect.Possible
		}
	}
}

// suspended finds Suspended.
func suspended(in *inspect.Inspector) bool {
	path, value := "", "true"
	for _, key := range [...]string{"suspend", "suspended", "paused", "pause"} {
		if b, _ := in.Object.Bool("spec", key); b {
			path = "spec." + key
		}
	}
	for _, key := range [...]string{"cluster.x-k8s.io/paused", "crossplane.io/paused"} {
		if v, ok := in.Object.Annotation(key); ok && v != "false" {
			path, value = "metadata.annotations["+key+"]", v
		}
	}
	if path != "" {
		in.Find(codes.Suspended, "suspended (%s)", path).Prove(path, value)
	}
	return path != ""
}

// Tail shortens a wrapped error to its most informative part, and keeps short
// ones. Of many objects that are applied it names the one that is refused.
func Tail(in *inspect.Inspector, m string, most int) string {
	short := message.Short(m, most)
	if object := message.Invalid(m); object != "" && object != in.Object.Kind+" "+in.Object.Name &&
		!strings.Contains(short, object) && !strings.Contains(short, `" is invalid`) {
		return object + ": " + short
	}
	return short
}

// named parses the objects in a health check's message: "timeout waiting for:
// [Deployment/apps/web status: 'InProgress']".
func named(in *inspect.Inspector, m string) []object.ID {
	var out []object.ID
	for word := range strings.FieldsFuncSeq(m, func(r rune) bool { return strings.ContainsRune(" []',;()\"", r) }) {
		parts := strings.Split(strings.Trim(word, ".:"), "/")
		if g, ok := inspect.BuiltinGroups[parts[0]]; ok && (len(parts) == 2 || len(parts) == 3) {
			id := in.ID(g, parts[0], parts[len(parts)-1])
			if len(parts) == 3 {
				id.Namespace = parts[1]
			}
			out = append(out, id)
		}
		if len(out) == 10 {
			break
		}
	}
	return out
}

// nextTry is cert-manager's back-off: an hour, doubled after each failure, at
// most 32 (cert-manager pkg/controller/certificates/trigger, v1.18).
func nextTry(in *inspect.Inspector, f *inspect.Finding) {
	if in.Object.Group != "cert-manager.io" || in.Object.Kind != "Certificate" {
		return
	}
	t, err := time.Parse(time.RFC3339, in.Object.Str("status", "lastFailureTime"))
	if err != nil {
		return
	}
	n := in.Object.Int("status", "failedIssuanceAttempts").Or(1)
	wait := time.Hour << min(max(n-1, 0), 5)
	if at := t.Add(wait); at.After(in.Now()) {
		f.Until, f.UntilWhat = at, "next attempt"
	}
	f.Prove("status.lastFailureTime", t)
}
