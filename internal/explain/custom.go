package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Custom resources. Nearly all report problems in a condition; projects differ
// in which condition comes first, which of its reasons are ordinary, and what
// the next link of the chain is. That is data (ecosystems); the rest is one
// detector.

// secretMakers are the kinds that create Secrets, and the field that names the
// Secret.
var secretMakers = []struct {
	group, kind string
	path        []string
	ownName     bool // the object's own name, if the field is not set
}{
	{"external-secrets.io", "ExternalSecret", []string{"spec", "target", "name"}, true},
	{"cert-manager.io", "Certificate", []string{"spec", "secretName"}, false},
	{"bitnami.com", "SealedSecret", []string{"spec", "template", "metadata", "name"}, true},
	{"secrets.hashicorp.com", "VaultStaticSecret", []string{"spec", "destination", "name"}, false},
	{"secrets.hashicorp.com", "VaultDynamicSecret", []string{"spec", "destination", "name"}, false},
}

// ecosystem says how the kinds of a project's groups report problems.
type ecosystem struct {
	groups []string // a group, or ".suffix" for all groups with that suffix
	kinds  []string // none means every kind of the groups
	code   string
	// first lists conditions whose False precedes the others', the closest to
	// the cause first.
	first []string
	// waits and retries are reasons that are normal, or that the controller
	// retries by itself; all others need action.
	waits, retries []string
	// unfinished lists conditions that the controller sets to False during every
	// rollout. They are never the cause.
	unfinished []string
}

var ecosystems = []ecosystem{
	{
		groups: []string{"source.toolkit.fluxcd.io"}, code: "SourceNotReady", first: []string{"FetchFailed", "Ready"},
		waits: []string{"Progressing", "NewGeneration"}, retries: []string{"GitOperationFailed", "OCIPullFailed", "ProgressingWithRetry"},
	},
	{
		groups: []string{"kustomize.toolkit.fluxcd.io"}, code: "KustomizationFailed", first: []string{"Ready", "Healthy"},
		waits: []string{"Progressing", "Reconciling"}, retries: []string{"ProgressingWithRetry", "ArtifactFailed", "DependencyNotReady", "HealthCheckCanceled"},
	},
	{
		groups: []string{"helm.toolkit.fluxcd.io"}, code: "HelmReleaseFailed", first: []string{"Released", "TestSuccess", "Ready"},
		waits: []string{"Progressing"}, retries: []string{"ProgressingWithRetry", "DependencyNotReady", "SourceNotReady", "ArtifactFailed"},
	},
	{groups: []string{"cert-manager.io"}, kinds: []string{"Issuer", "ClusterIssuer"}, code: "IssuerNotReady", first: []string{"Ready"}},
	{
		groups: []string{"cert-manager.io", "acme.cert-manager.io"}, code: "CertificateNotReady", first: []string{"InvalidRequest", "Denied", "Ready"},
		waits: []string{"Pending", "Issuing", "Renewing", "DoesNotExist", "Requested"},
	},
	{
		groups: []string{"pkg.crossplane.io"}, code: "PackageUnhealthy", first: []string{"DependencyResolutionFailed", "RevisionHealthy", "RuntimeHealthy", "Installed", "Healthy"},
		waits: []string{"UnpackingPackage"},
	},
	{
		groups: []string{".crossplane.io", ".upbound.io"}, code: "CrossplaneNotReady", first: []string{"Synced", "LastAsyncOperation", "Responsive", "Ready"},
		waits: []string{"Creating", "Deleting"}, retries: []string{"Unavailable", "WatchCircuitOpen"},
	},
	{
		groups: []string{".cluster.x-k8s.io", "cluster.x-k8s.io"}, code: "ClusterAPINotReady",
		first: []string{"InfrastructureReady", "BootstrapConfigReady", "BootstrapReady", "ControlPlaneAvailable", "ControlPlaneReady", "NodeHealthy", "Available", "Ready"},
		waits: []string{"WaitingForInfrastructure", "WaitingForBootstrapData", "WaitingForNodeRef", "WaitingForControlPlane", "Provisioning", "DrainingNode", "WaitingForPreDrainHook", "WaitingForVolumeDetach", "ScalingUp", "RollingOut"},
	},
	{
		groups: []string{".knative.dev"}, code: "KnativeNotReady", first: []string{"ContainerHealthy", "ResourcesAvailable", "ConfigurationsReady", "RoutesReady", "Ready"},
		waits: []string{"Deploying", "Uninitialized", "Unknown"},
	},
	{groups: []string{"tekton.dev"}, code: "RunFailed", first: []string{"Succeeded"}, waits: []string{"Running", "Started", "Pending", "ResolvingTaskRef", "ResolvingPipelineRef"}},
	{
		groups: []string{"karpenter.sh", ".karpenter.sh", ".karpenter.k8s.aws", "karpenter.k8s.aws"}, code: "NodeClaimNotReady",
		first: []string{"Launched", "Registered", "Initialized", "NodeClassReady", "ValidationSucceeded", "Ready"},
		waits: []string{"NodeNotFound", "NodeNotReady", "StartupTaintsExist", "ResourceNotRegistered", "AwaitingReconciliation"}, retries: []string{"LaunchFailed", "InsufficientCapacityError"},
	},
	{groups: []string{"kro.run", ".kro.run"}, code: "KroNotReady", first: []string{"GraphAccepted", "KindReady", "ControllerReady", "GraphResolved", "InstanceManaged", "ResourcesReady", "Ready"}},
	{groups: []string{"external-secrets.io"}, kinds: []string{"SecretStore", "ClusterSecretStore"}, code: "SecretStoreNotReady", first: []string{"Ready"}},
	{groups: []string{"external-secrets.io"}, code: "ExternalSecretFailed", first: []string{"Ready"}},
	{
		groups: []string{"argoproj.io"}, kinds: []string{"Rollout"}, code: "RolloutDegraded", first: []string{"InvalidSpec", "Progressing", "Available"},
		waits: []string{"ReplicaSetUpdated", "NewReplicaSetCreated", "RolloutPaused"},
		// argo-rollouts utils/conditions/conditions.go, v1.10.1
		unfinished: []string{"Healthy", "Completed"},
	},
}

// own groups belong to Kubernetes itself; their kinds have detectors of their
// own, or none.
func ownGroup(g string) bool {
	switch g {
	case "", "apps", "batch", "autoscaling", "policy", "extensions", "gateway.networking.k8s.io":
		return true
	}
	return strings.HasSuffix(g, ".k8s.io") && !strings.Contains(g, ".x-k8s.io") && strings.Count(g, ".") == 2
}

func ecosystemOf(id object.ID) *ecosystem {
	for i := range ecosystems {
		e := &ecosystems[i]
		for _, g := range e.groups {
			if (g == id.Group || g[0] == '.' && strings.HasSuffix(id.Group, g)) && (len(e.kinds) == 0 || slices.Contains(e.kinds, id.Kind)) {
				return e
			}
		}
	}
	return nil
}

// neutral are conditions about what goes on, not about health: a False
// Completed says only that the work is not over.
var neutral = []string{"Progressing", "Reconciling", "Paused", "Suspended", "Active", "Upgradeable", "Complete", "Completed", "Finished"}

// bad reports whether a condition reports a problem. One whose type does not
// tell is good when True.
func bad(c *object.Condition) bool {
	if status.PolarityOf(c.Type) == status.AbnormalTrue && !slices.Contains(neutral, c.Type) {
		return c.Status == "True"
	}
	return c.Status == "False"
}

// telling reports whether a condition reports a problem by a type that is known
// to be about health.
func telling(c *object.Condition) bool {
	return bad(c) && !slices.Contains(neutral, c.Type) && status.PolarityOf(c.Type) != status.UnknownPolarity &&
		c.Severity != "Info" && c.Severity != "Warning"
}

func custom(l *look) {
	o := l.o
	if ownGroup(o.Group) || !o.Deleted.IsZero() || o.Tree == nil || l.has("EvictionBlocked") {
		return
	}
	if o.Group == "argoproj.io" && o.Kind == "Application" {
		l.application()
		return
	}
	if l.suspended() {
		return
	}
	e := ecosystemOf(o.ID)
	if o.Group == "acme.cert-manager.io" && len(o.Conditions) == 0 {
		l.acme()
		return
	}
	x := l.top(e)
	if x == nil {
		l.unreported()
		return
	}
	x = l.deepest(x)
	if x.ObservedGeneration.Set && x.ObservedGeneration.V < o.Generation.Or(0) {
		return // it is about an older generation; see observed
	}
	code := "ConditionFalse"
	if x.Type == "Stalled" {
		code = "Stalled"
	} else if e != nil {
		code = e.code
	}
	f := l.byCondition(code, x, "%s", cmp.Or(x.Reason, x.Type+" is "+x.Status))
	f.Symptom = code != "Stalled"
	m := headline(deepestLine(x.Message))
	f.Detail = headline(x.Message)
	if m != "" {
		f.Title += ": " + tail(m)
	}
	f.Key = x.Type + " " + x.Reason + " " + normal(m)
	if e != nil {
		l.afterwards(f, x)
	}
	l.part(f, m)
	l.customClass(f, e, x.Reason)
	l.rests(f, x.Reason, m)
	l.nextTry(f)
}

// afterwards adds what the controller did about a failure: that it gave up, and
// that it rolled back, or removed what had been installed.
func (l *look) afterwards(f *Finding, failed *object.Condition) {
	for _, typ := range [...]string{"Stalled", "Remediated"} {
		x := l.o.ConditionIs(typ, "True")
		if x == nil || x.Type == failed.Type || x.Message == "" || x.Reason == failed.Reason {
			continue
		}
		f.Title += "; " + x.Reason
		f.proveCondition(l.o.ID, x)
		f.Detail += "⏎" + headline(x.Message)
	}
}

// customClass decides whether a custom resource's problem passes by itself.
func (l *look) customClass(f *Finding, e *ecosystem, reason string) {
	switch {
	case e != nil && slices.Contains(e.waits, reason):
		f.Class = Waits
	case e != nil && slices.Contains(e.retries, reason):
		f.Class = Retries
	}
	if l.a.Terminal {
		f.Class = Terminal
	}
	if l.a.Rule != "" && l.a.Status == status.InProgress && l.a.FaultSince.IsZero() {
		f.Class = Waits
	}
	if l.o.Group == "tekton.dev" && f.Class == Action {
		f.Class = Terminal
	}
}

// rests adds what a custom resource depends on: what it refers to, and what its
// message names.
func (l *look) rests(f *Finding, reason, m string) {
	for _, r := range edges.References(l.o) {
		if r.To.Kind == "Secret" || pastSource(reason) && r.To.Group == "source.toolkit.fluxcd.io" {
			continue
		}
		// A store that may not be read is only to blame if the controller
		// mentions it: otherwise the controller has reached the store, and
		// reports its answer.
		if strings.HasSuffix(r.Role, "ecretStoreRef") && !strings.Contains(m, r.To.Name) && l.s.Hidden(r.To.Group, r.To.Kind, r.To.Namespace) != "" {
			continue
		}
		f.Because = append(f.Because, r.To)
		if l.object(r.To) == nil && l.absent(r.To) {
			f.proveAbsent(r.To)
			f.Title = r.To.String() + " does not exist (" + f.Title + ")"
			f.Class = Action
		}
	}
	f.Because = append(f.Because, l.named(m)...)
	if strings.HasSuffix(l.o.Group, ".knative.dev") {
		for _, kind := range [...]string{"Configuration", "Revision"} {
			if name := between(m, kind+` "`, `"`); name != "" {
				f.Because = append(f.Because, l.id("serving.knative.dev", kind, name))
			}
		}
	}
}

// acme reads Orders and Challenges, which report a state and a reason
// (cert-manager pkg/apis/acme/v1, v1.18).
func (l *look) acme() {
	o := l.o
	state, reason := o.Str("status", "state"), o.Str("status", "reason")
	if state == "valid" || state == "ready" || state == "" && reason == "" {
		return
	}
	f := l.find("CertificateNotReady", "%s is %s", strings.ToLower(o.Kind), cmp.Or(state, "not processed yet"))
	f.Symptom = true
	if reason != "" {
		f.Title += ": " + tail(headline(reason))
		l.proof(f, "status.reason", reason)
	}
	f.Detail = headline(reason)
	f.Key = state + normal(reason)
	l.proof(f, "status.state", state)
	switch {
	case state == "invalid" || state == "errored" || state == "expired":
	case reason != "":
		f.Class = Retries // the requesting object retries
	default:
		f.Class = Waits
	}
	for _, r := range edges.References(o) {
		f.Because = append(f.Because, r.To)
	}
}

// pastSource reports whether a reason of Flux's is about a step after fetching
// the source: then the source is not to blame.
func pastSource(reason string) bool {
	switch reason {
	case "HealthCheckFailed", "HealthCheckCanceled", "PruneFailed", "InstallFailed", "UpgradeFailed", "TestFailed", "RollbackFailed", "UninstallFailed":
		return true
	}
	return false
}

// top is the most informative condition: the ecosystem's first, then the usual
// summaries, then any bad one.
func (l *look) top(e *ecosystem) *object.Condition {
	o := l.o
	if x := o.ConditionIs("Stalled", "True"); x != nil {
		return l.attempted(x, e)
	}
	var order, unfinished []string
	if e != nil {
		order, unfinished = e.first, e.unfinished
	}
	for _, list := range [2][]string{order, {"Ready", "Available", "Succeeded", "Healthy", "Synced", "Established", "Reconciled", "Programmed", "Accepted", "Degraded"}} {
		for _, typ := range list {
			if slices.Contains(unfinished, typ) {
				continue
			}
			if x := o.Condition(typ); x != nil && bad(x) && x.Severity != "Info" && x.Severity != "Warning" {
				return x
			}
		}
	}
	// A summary that is True overrides the other conditions.
	for _, typ := range [...]string{"Ready", "Available", "Succeeded"} {
		if x := o.ConditionIs(typ, "True"); x != nil {
			return nil
		}
	}
	progress := l.a.Status == status.InProgress && l.a.FaultSince.IsZero()
	for i := range o.Conditions {
		if x := &o.Conditions[i]; telling(x) && !progress && !slices.Contains(unfinished, x.Type) {
			return x
		}
	}
	// in progress, as it says itself
	for _, typ := range [...]string{"Reconciling", "Ready", "Succeeded", "Progressing"} {
		if x := o.ConditionIs(typ, "Unknown"); x != nil && x.Message != "" {
			f := l.byCondition("Reconciling", x, "%s", strings.TrimPrefix(x.Reason+": "+headline(x.Message), ": "))
			f.Symptom = true
			for _, r := range edges.References(o) {
				f.Because = append(f.Because, r.To)
			}
			return nil
		}
	}
	return nil
}

// attempted is the condition with the failure that a controller has given up on,
// where Stalled only counts the attempts: "Failed to upgrade after 2 attempt(s)".
func (l *look) attempted(stalled *object.Condition, e *ecosystem) *object.Condition {
	if e == nil {
		return stalled
	}
	for _, typ := range e.first {
		x := l.o.ConditionIs(typ, "False")
		if x != nil && x.Message != "" && x.Reason != stalled.Reason && x.ObservedGeneration == stalled.ObservedGeneration {
			return x
		}
	}
	return stalled
}

// unreported finds NoController: the status has never been written.
func (l *look) unreported() {
	o := l.o
	if len(l.found) > 0 || len(o.Conditions) > 0 || o.Observed.Set || len(o.Map("status")) > 0 {
		return
	}
	if l.a.Status != status.Unknown && l.a.Status != status.InProgress {
		return
	}
	if !l.older(o.Created, 30*time.Second) {
		return
	}
	f := l.find("NoController", "no controller has touched it yet: it has no status (is the controller for %s running?)", o.Group)
	f.Certainty = Likely
	f.Key, f.Shared = o.GroupKind(), true
	f.proveUnset(o.ID, "status")
	for _, w := range o.Writers {
		if w.Status {
			l.proof(f, "metadata.managedFields["+w.Manager+"].time", w.At)
			f.Certainty = Possible
		}
	}
}

// suspended finds Suspended.
func (l *look) suspended() bool {
	path, value := "", "true"
	for _, key := range [...]string{"suspend", "suspended", "paused", "pause"} {
		if b, _ := l.o.Bool("spec", key); b {
			path = "spec." + key
		}
	}
	for _, key := range [...]string{"cluster.x-k8s.io/paused", "crossplane.io/paused"} {
		if v, ok := l.o.Annotation(key); ok && v != "false" {
			path, value = "metadata.annotations["+key+"]", v
		}
	}
	if path != "" {
		l.proof(l.find("Suspended", "suspended (%s)", path), path, value)
	}
	return path != ""
}

// tail shortens a wrapped error to its most informative part, and keeps short
// ones.
func tail(m string) string {
	if len(m) <= 160 {
		return m
	}
	if t := last(m); len(t) >= 24 {
		return t
	}
	return clip(m, 200)
}

// builtinGroups are the groups of kinds that messages name without one.
var builtinGroups = map[string]string{
	"Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "ReplicaSet": "apps", "Job": "batch", "CronJob": "batch",
	"Pod": "", "Service": "", "PersistentVolumeClaim": "", "Namespace": "", "Secret": "", "ConfigMap": "", "Ingress": "networking.k8s.io",
	"HelmRelease": "helm.toolkit.fluxcd.io", "Kustomization": "kustomize.toolkit.fluxcd.io",
	"Certificate": "cert-manager.io", "ExternalSecret": "external-secrets.io",
}

// named parses the objects in a health check's message: "timeout waiting for:
// [Deployment/apps/web status: 'InProgress']".
func (l *look) named(m string) []object.ID {
	var out []object.ID
	for word := range strings.FieldsFuncSeq(m, func(r rune) bool { return strings.ContainsRune(" []',;()\"", r) }) {
		parts := strings.Split(strings.Trim(word, ".:"), "/")
		if g, ok := builtinGroups[parts[0]]; ok && (len(parts) == 2 || len(parts) == 3) {
			id := l.id(g, parts[0], parts[len(parts)-1])
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
func (l *look) nextTry(f *Finding) {
	if l.o.Group != "cert-manager.io" || l.o.Kind != "Certificate" {
		return
	}
	t, err := time.Parse(time.RFC3339, l.o.Str("status", "lastFailureTime"))
	if err != nil {
		return
	}
	n := l.o.Int("status", "failedIssuanceAttempts").Or(1)
	wait := time.Hour << min(max(n-1, 0), 5)
	if at := t.Add(wait); at.After(l.now()) {
		f.Until, f.UntilWhat = at, "next attempt"
	}
	l.proof(f, "status.lastFailureTime", t)
}

// application finds ApplicationSyncFailed and ApplicationUnhealthy: Argo CD
// reports health, the operation and every resource, but not in conditions.
func (l *look) application() {
	o := l.o
	phase, msg := o.Str("status", "operationState", "phase"), o.Str("status", "operationState", "message")
	health := o.Str("status", "health", "status")
	var f *Finding
	switch {
	case phase == "Failed" || phase == "Error":
		f = l.find("ApplicationSyncFailed", "sync %s: %s", strings.ToLower(phase), tail(headline(msg)))
		f.Key = phase + normal(msg)
		l.proof(f, "status.operationState.phase", phase)
		l.proof(f, "status.operationState.message", msg)
		f.Since, _ = time.Parse(time.RFC3339, o.Str("status", "operationState", "finishedAt"))
	case health != "" && health != "Healthy":
		f = l.find("ApplicationUnhealthy", "health is %s", health)
		if m := headline(o.Str("status", "health", "message")); m != "" {
			f.Title += ": " + m
		}
		f.Key = health
		l.proof(f, "status.health.status", health)
		switch health {
		case "Progressing", "Suspended":
			f.Class = Waits
		case "Missing", "Unknown":
			f.Class = Retries
		}
	}
	for i := range o.Conditions {
		x := &o.Conditions[i]
		if strings.HasSuffix(x.Type, "Error") && (f == nil || f.Code != "ApplicationSyncFailed") {
			if f == nil {
				f = l.find("ApplicationSyncFailed", "")
			}
			f.Title = x.Type + ": " + tail(headline(x.Message))
			f.Key = x.Type + normal(x.Message)
			f.Since = x.LastTransitionTime
			l.proof(f, "status.conditions["+x.Type+"].message", x.Message)
		}
	}
	if f == nil {
		return
	}
	f.Symptom = f.Code == "ApplicationUnhealthy"
	l.unhealthyParts(f)
}

// unhealthyParts names an application's unhealthy resources.
func (l *look) unhealthyParts(f *Finding) {
	o := l.o
	for _, m := range each(o.List("status", "resources")) {
		st := m.sub("health").str("status")
		id := object.ID{Group: m.str("group"), Kind: m.str("kind"), Namespace: m.str("namespace"), Name: m.str("name")}
		if st != "" && st != "Healthy" && len(f.Because) < MaxObjects {
			f.Because = append(f.Because, id)
			l.object(id)
			if len(f.Because) == 1 && f.Code == "ApplicationUnhealthy" {
				f.Title += " (" + id.String() + ": " + strings.TrimSpace(st+" "+headline(m.sub("health").str("message"))) + ")"
				f.prove(o.ID, "status.resources["+id.String()+"].health.status", st)
			}
		}
	}
}

// rolloutPaused finds RolloutPaused: a canary step is no problem. A Rollout that
// was paused by hand is at no step; custom reports it.
func rolloutPaused(l *look) {
	o := l.o
	if byHand, _ := o.Bool("spec", "paused"); byHand {
		return
	}
	steps := o.List("status", "pauseConditions")
	if len(steps) == 0 && o.Str("status", "phase") != "Paused" {
		return
	}
	reason := ""
	for _, m := range each(steps[:min(len(steps), 1)]) {
		reason = m.str("reason")
	}
	f := l.find("RolloutPaused", "paused at a step of its strategy")
	if at := o.Int("status", "currentStepIndex"); at.Set {
		f.Title = fmt.Sprintf("paused at step %d of its strategy", at.V+1)
		l.proof(f, "status.currentStepIndex", at.V)
	}
	if reason != "" {
		f.Title += " (" + reason + ")"
		l.proof(f, "status.pauseConditions[0].reason", reason)
	} else {
		l.proof(f, "status.phase", o.Str("status", "phase"))
	}
	f.offer(l.kubectl("argo", "rollouts", "promote", o.Name), "the rollout goes on to its next step")
}
