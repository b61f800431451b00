package workloads

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/admission"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Pods that the API server does not admit. A ReplicaSet reports that in a
// condition; StatefulSets, DaemonSets and Jobs have none, and report it in an
// event, which expires.

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{
		"apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet", "apps/DaemonSet", "batch/Job", "ReplicationController",
	}, Find: denials})
}

// Denials looks for Pods whose creation was refused.
func denials(in *inspect.Inspector) {
	if !in.Object.Deleted.IsZero() {
		return
	}
	if x := in.Object.ConditionIs("ReplicaFailure", "True"); x != nil && in.Object.Kind != "Deployment" {
		if x.Reason == "FailedDelete" {
			in.FindCondition(codes.PodsCannotBeDeleted, x, "pods cannot be deleted: %s", message.Reason(x.Message))
			return
		}
		f := denied(in, x.Message)
		f.ProveCondition(in.Object.ID, x)
		return
	}
	if in.Object.Kind == "Deployment" {
		// The Deployment copies the condition, even from an old ReplicaSet
		// (kubernetes pkg/controller/deployment/util getReplicaFailures,
		// v1.36): it is attributed to the ReplicaSet, and read here only if
		// none is known.
		if x := in.Object.ConditionIs("ReplicaFailure", "True"); x != nil && in.NewestReplicaSet(in.Object.ID) == nil {
			f := denied(in, x.Message)
			f.ProveCondition(in.Object.ID, x)
		}
		return
	}
	events := in.Events(in.Object.ID, "FailedCreate")
	if len(events) == 0 || hasAll(in, events[0].Last) {
		return
	}
	e := events[0]
	f := denied(in, e.Message)
	f.Since = events[len(events)-1].First
	f.ProveEvent(e)
	if in.Object.Kind != "ReplicaSet" && f.Certainty == inspect.Proven && !in.Older(e.Last, 30*time.Minute) {
		return
	}
	if in.Older(e.Last, 20*time.Minute) {
		f.Certainty = inspect.Likely
	}
}

// hasAll reports whether a workload has had all its Pods since: a refusal
// before that is history.
func hasAll(in *inspect.Inspector, refused time.Time) bool {
	n, has, want := int64(0), int64(0), int64(1)
	for _, c := range in.Snapshot.Children(in.Object.ID) {
		if c.Kind == "Pod" && c.Deleted.IsZero() {
			n++
			if in.Object.Job != nil && c.Created.After(refused) {
				return true
			}
		}
	}
	switch w := in.Object.Workload; {
	case w != nil && in.Object.Kind == "DaemonSet":
		has, want = w.Current.Or(0), w.Desired.Or(0)
	case w != nil:
		has, want = w.StatusReplicas.Or(0), w.Replicas.Or(1)
	case in.Object.Job != nil:
		has, want = in.Object.Job.Active.Or(0), in.Object.Job.Parallelism.Or(1)
	}
	return max(n, has) >= want
}

// denied classifies a refusal by its message.
func denied(in *inspect.Inspector, msg string) *inspect.Finding {
	m := strings.TrimPrefix(message.Line(msg), "Error creating: ")
	if _, after, ok := strings.Cut(m, " failed error: "); ok { // StatefulSet
		m = after
	}
	what := m
	if _, after, ok := strings.Cut(m, " is forbidden: "); ok {
		what = after
	}
	for _, r := range refusals {
		if wording.HasAny(what, r.marks...) {
			if f := r.find(in, what); f != nil {
				f.Detail = cmp.Or(f.Detail, m)
				return f
			}
		}
	}
	f := in.Find(codes.PodsCannotBeCreated, "pods cannot be created: %s", message.Short(what, 160))
	f.Key = wording.Normal(what)
	f.Detail = m
	return f
}

// refusals classify refused Pods by the message, in an order that respects
// texts that contain others.
var refusals = []struct {
	marks []string
	find  func(in *inspect.Inspector, what string) *inspect.Finding
}{
	{[]string{"exceeded quota: "}, quotaExceeded},
	{[]string{"failed quota: "}, quotaNeedsFields},
	{[]string{" usage per Container is ", " usage per Pod is ", " usage per PersistentVolumeClaim is ", " limit to request ratio per "}, outsideLimits},
	{[]string{"violates PodSecurity "}, podSecurity},
	{[]string{"error looking up service account "}, noServiceAccount},
	{[]string{"no PriorityClass with name "}, noPriorityClass},
	{[]string{`failed calling webhook "`}, admission.WebhookDown},
	{[]string{" denied the request"}, webhookDenied},
	{[]string{"ValidatingAdmissionPolicy '"}, policyDenied},
	{[]string{"because it is being terminated"}, namespaceEnding},
	{[]string{"RuntimeClass "}, noRuntimeClass},
}

// quotaNeedsFields finds QuotaNeedsFields.
func quotaNeedsFields(in *inspect.Inspector, what string) *inspect.Finding {
	q := wording.Between(what, "failed quota: ", ":")
	f := in.Find(codes.QuotaNeedsFields, "quota %s requires %s", q, wording.Between(what, "must specify ", ""))
	f.About = inspect.Subject{ID: in.ID("", "ResourceQuota", q)}
	f.Key, f.Shared = in.Object.Namespace+" "+q+" "+wording.Normal(what), true
	f.Next = []string{in.Kubectl("describe", "quota", q)}
	return f
}

// outsideLimits finds LimitRangeViolated.
func outsideLimits(in *inspect.Inspector, what string) *inspect.Finding {
	f := in.Find(codes.LimitRangeViolated, "outside the namespace's limits: %s", what)
	f.Key = wording.Normal(what)
	f.Next = []string{in.Kubectl("describe", "limitrange")}
	if ranges := in.List("", "LimitRange", in.Object.Namespace).Items; len(ranges) == 1 {
		f.About = inspect.Subject{ID: ranges[0].ID}
		f.Key, f.Shared = in.Object.Namespace+" "+ranges[0].Name, true
		f.Say("LimitRange %s does not allow it: %s", ranges[0].Name, what)
	}
	return f
}

// podSecurity finds PodSecurityViolated. Of "(containers "a", "b" must set …)"
// the containers are named.
func podSecurity(in *inspect.Inspector, what string) *inspect.Finding {
	level := wording.Between(what, `violates PodSecurity "`, `"`)
	rules := remedy().ReplaceAllString(wording.Between(what, `": `, ""), "($1)")
	f := in.Find(codes.PodSecurityViolated, "pod security level %s forbids: %s", level, strings.ReplaceAll(rules, `"`, ""))
	f.Key = level + " " + rules
	f.Next = []string{wording.Command("", "get", "namespace", in.Object.Namespace, "--show-labels")}
	return f
}

var remedy = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(([^()]*?) must [^()]*\)`) })

// noServiceAccount finds ServiceAccountMissing.
func noServiceAccount(in *inspect.Inspector, what string) *inspect.Finding {
	if !strings.Contains(what, "not found") {
		return nil
	}
	sa := wording.Between(what, "error looking up service account ", ":")
	sa = sa[strings.LastIndexByte(sa, '/')+1:]
	f := in.Find(codes.ServiceAccountMissing, "ServiceAccount %s does not exist", sa)
	f.Key, f.Shared = in.Object.Namespace+" "+sa, true
	in.Missing(f, in.ID("", "ServiceAccount", sa), "; the controller is about to try again")
	f.Next = []string{in.Kubectl("get", "serviceaccounts")}
	return f
}

// noPriorityClass finds PriorityClassMissing.
func noPriorityClass(in *inspect.Inspector, what string) *inspect.Finding {
	return noClassOf(in, codes.PriorityClassMissing, "PriorityClass", wording.Between(what, "no PriorityClass with name ", " was found"), "kubectl get priorityclasses")
}

// noRuntimeClass finds RuntimeClassMissing.
func noRuntimeClass(in *inspect.Inspector, what string) *inspect.Finding {
	if !strings.Contains(what, "not found") {
		return nil
	}
	return noClassOf(in, codes.RuntimeClassMissing, "RuntimeClass", wording.Between(what, `RuntimeClass "`, `"`), "kubectl get runtimeclasses")
}

func noClassOf(in *inspect.Inspector, code *codes.Code, kind, name, next string) *inspect.Finding {
	f := in.Find(code, "%s %s does not exist", kind, name)
	f.Key, f.Shared = name, true
	f.Next = []string{next}
	return f
}

// webhookDenied finds WebhookDenied.
func webhookDenied(in *inspect.Inspector, what string) *inspect.Finding {
	w := wording.Between(what, `admission webhook "`, `"`)
	if w == "" {
		return nil
	}
	says := strings.TrimPrefix(wording.Between(what, " denied the request", ""), ": ")
	f := in.Find(codes.WebhookDenied, "admission webhook %s refuses the pods: %s", w, says)
	f.Key, f.Shared = w+" "+wording.Normal(says)+" "+in.Object.Namespace, true
	admission.WebhookOf(in, f, w)
	f.Next = []string{"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"}
	return f
}

// policyDenied finds PolicyDenied.
func policyDenied(in *inspect.Inspector, what string) *inspect.Finding {
	p, says := wording.Between(what, "ValidatingAdmissionPolicy '", "'"), wording.Between(what, "denied request: ", "")
	f := in.Find(codes.PolicyDenied, "policy %s refuses the pods: %s", p, says)
	f.About = inspect.Subject{ID: inspect.ClusterID("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", p)}
	f.Key, f.Shared = p+" "+wording.Normal(says)+" "+in.Object.Namespace, true
	f.Next = []string{wording.Command("", "describe", "validatingadmissionpolicy", p)}
	return f
}

// namespaceEnding finds NamespaceTerminating.
func namespaceEnding(in *inspect.Inspector, _ string) *inspect.Finding {
	ns := inspect.ClusterID("", "Namespace", in.Object.Namespace)
	f := in.Find(codes.NamespaceTerminating, "namespace %s is being deleted: nothing new can be created in it", ns.Name)
	f.About, f.Because, f.Symptom = inspect.Subject{ID: ns}, []object.ID{ns}, true
	f.Key, f.Shared = ns.Name, true
	f.Next = []string{wording.Command("", "describe", "namespace", ns.Name)}
	return f
}

// shortage is a resource of which a quota has too little.
type shortage struct{ resource, asked, used, limit string }

// exceeded parses the refusal by a quota: "exceeded quota: q, requested: pods=1,
// used: pods=2, limited: pods=2".
func exceeded(what string) (quota string, list []shortage) {
	values := func(before, after string) map[string]string {
		m := map[string]string{}
		for part := range strings.SplitSeq(wording.Between(what, before, after), ",") {
			k, v, _ := strings.Cut(strings.TrimSpace(part), "=")
			m[k] = v
		}
		return m
	}
	asked, used, limit := values("requested: ", ", used"), values("used: ", ", limited"), values("limited: ", "")
	for _, k := range slices.Sorted(maps.Keys(asked)) {
		if used[k] != "" && limit[k] != "" {
			list = append(list, shortage{k, asked[k], used[k], limit[k]})
		}
	}
	return wording.Between(what, "exceeded quota: ", ","), list
}

// quotaExceeded finds QuotaExceeded.
func quotaExceeded(in *inspect.Inspector, what string) *inspect.Finding {
	q, short := exceeded(what)
	f := in.Find(codes.QuotaExceeded, "quota %s is used up", q)
	f.About = inspect.Subject{ID: in.ID("", "ResourceQuota", q)}
	f.Key, f.Shared = in.Object.Namespace+" "+q, true
	f.Detail = message.Line(what)
	var parts []string
	for _, s := range short {
		parts = append(parts, fmt.Sprintf("%s %s of %s used, %s more needed", s.resource, s.used, s.limit, s.asked))
		f.Key += " " + s.resource
	}
	if len(parts) > 0 {
		f.Say("quota %s: %s", q, wording.Names(parts, 2))
	}
	// The headroom now: there may be room since the refusal.
	if o := in.Get(f.About.ID); o != nil {
		for _, s := range short {
			hard, used := quantity(o, "hard", s.resource), quantity(o, "used", s.resource)
			if used == "" || hard == "" {
				continue
			}
			f.ProveOn(o.ID, "status.used["+s.resource+"]", used)
			f.ProveOn(o.ID, "status.hard["+s.resource+"]", hard)
			h, ok1 := object.ParseAmount(hard)
			u, ok2 := object.ParseAmount(used)
			n, ok3 := object.ParseAmount(s.asked)
			if ok1 && ok2 && ok3 && len(short) == 1 && u+n <= h {
				f.Class = codes.Retries
				f.Say("quota %s was used up; there is room for %s now, and the controller tries again", q, s.resource)
			}
		}
	}
	f.Next = []string{in.Kubectl("describe", "quota", q)}
	if in.Absent(f.About.ID) {
		f.Class = codes.Retries
		f.Say("quota %s refused pods and does not exist any more; the controller tries again", q)
		f.ProveAbsent(f.About.ID)
		f.Next = []string{in.Kubectl("get", "resourcequotas")}
	}
	return f
}

func quantity(o *object.Object, field, key string) string {
	if v, ok := o.Get("status", field, key); ok {
		return fmt.Sprint(v)
	}
	return ""
}
