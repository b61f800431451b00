package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Pods that the API server does not admit. A ReplicaSet reports that in a
// condition; StatefulSets, DaemonSets and Jobs have none, and report it in an
// event, which expires.

// denials looks for Pods whose creation was refused.
func denials(l *look) {
	if !l.o.Deleted.IsZero() {
		return
	}
	if x := l.o.Condition("ReplicaFailure"); x != nil && x.Status == "True" && l.o.Kind != "Deployment" {
		if x.Reason == "FailedDelete" {
			f := l.byCondition("PodsCannotBeCreated", x)
			f.Title = "pods cannot be deleted: " + last(x.Message)
			return
		}
		f := l.denied(x.Message)
		f.proveCondition(l.o.ID, x)
		return
	}
	if l.o.Kind == "Deployment" {
		// The Deployment copies the condition, even from an old ReplicaSet
		// (kubernetes pkg/controller/deployment/util getReplicaFailures,
		// v1.36): it is attributed to the ReplicaSet, and read here only if
		// none is known.
		if x := l.o.Condition("ReplicaFailure"); x != nil && x.Status == "True" && newest(l.s.Children(l.o.ID)) == nil {
			f := l.denied(x.Message)
			f.proveCondition(l.o.ID, x)
		}
		return
	}
	e, ok := l.event(l.o.ID, "FailedCreate")
	if !ok || l.hasAll(e.Last) {
		return
	}
	f := l.denied(e.Message)
	f.Since = l.firstOf("FailedCreate", e)
	f.proveEvent(e)
	if l.o.Kind != "ReplicaSet" && f.Certainty == Proven && !l.older(e.Last, 30*time.Minute) {
		return
	}
	if l.older(e.Last, 20*time.Minute) {
		f.Certainty = Likely
	}
}

// hasAll reports whether a workload has had all its Pods since: a refusal
// before that is history.
func (l *look) hasAll(refused time.Time) bool {
	n := 0
	latest := time.Time{}
	for _, c := range l.s.Children(l.o.ID) {
		if c.Kind == "Pod" && c.Deleted.IsZero() {
			n++
			if c.Created.After(latest) {
				latest = c.Created
			}
		}
	}
	want := 1
	switch {
	case l.o.Workload != nil && l.o.Kind == "DaemonSet":
		want = int(l.o.Workload.Desired.Or(0))
		if int(l.o.Workload.Current.Or(0)) >= want && want > 0 {
			return true
		}
	case l.o.Workload != nil:
		want = int(l.o.Workload.Replicas.Or(1))
		if int(l.o.Workload.StatusReplicas.Or(0)) >= want {
			return true
		}
	case l.o.Job != nil:
		want = int(l.o.Job.Parallelism.Or(1))
		if l.o.Job.Active.Or(0) >= int64(want) || latest.After(refused) {
			return true
		}
	}
	return n >= want
}

// firstOf is the first time of the events with a reason.
func (l *look) firstOf(reason string, e feed.Event) time.Time {
	first := e.First
	for _, x := range l.events(l.o.ID, reason) {
		if !x.First.IsZero() && (first.IsZero() || x.First.Before(first)) {
			first = x.First
		}
	}
	return first
}

// denied classifies a refusal by its message.
func (l *look) denied(msg string) *Finding {
	m := headline(msg)
	m = strings.TrimPrefix(m, "Error creating: ")
	if i := strings.Index(m, " failed error: "); i >= 0 { // StatefulSet
		m = m[i+len(" failed error: "):]
	}
	what := m
	if _, after, ok := strings.Cut(m, " is forbidden: "); ok {
		what = after
	}
	f := l.refusal(m, what)
	f.Changed = l.changed(nil, denialConcerns[f.Code]...)
	return f
}

// denialConcerns are the changes that may be the reason for a refusal.
var denialConcerns = map[string][]string{
	"QuotaExceeded":         {"resources", "replicas"},
	"QuotaNeedsFields":      {"resources"},
	"LimitRangeViolated":    {"resources"},
	"PodSecurityViolated":   {"security", "volumes", "ports"},
	"ServiceAccountMissing": {"account"},
	"PriorityClassMissing":  {"priority"},
	"RuntimeClassMissing":   {"runtime"},
	"WebhookDenied":         {"image", "security", "labels", "resources"},
	"PolicyDenied":          {"image", "security", "labels", "resources"},
}

// refusal classifies a message without its writer's prefix.
func (l *look) refusal(m, what string) *Finding {
	for _, r := range refusals {
		if hasAny(what, r.marks...) {
			if f := r.find(l, what); f != nil {
				f.Detail = cmp.Or(f.Detail, m)
				return f
			}
		}
	}
	f := l.find("PodsCannotBeCreated")
	f.Title = "pods cannot be created: " + last(what)
	f.Key = normal(what)
	f.Detail = m
	return f
}

// refusals classify refused Pods by the message, in an order that respects
// texts that contain others.
var refusals = []struct {
	marks []string
	find  func(l *look, what string) *Finding
}{
	{[]string{"exceeded quota: "}, (*look).quotaExceeded},
	{[]string{"failed quota: "}, (*look).quotaNeedsFields},
	{[]string{" usage per Container is ", " usage per Pod is ", " usage per PersistentVolumeClaim is ", " limit to request ratio per "}, (*look).outsideLimits},
	{[]string{"violates PodSecurity "}, (*look).podSecurity},
	{[]string{"error looking up service account "}, (*look).noServiceAccount},
	{[]string{"no PriorityClass with name "}, (*look).noPriorityClass},
	{[]string{`failed calling webhook "`}, (*look).webhookDown},
	{[]string{" denied the request"}, (*look).webhookDenied},
	{[]string{"ValidatingAdmissionPolicy '"}, (*look).policyDenied},
	{[]string{"because it is being terminated"}, (*look).namespaceEnding},
	{[]string{"RuntimeClass "}, (*look).noRuntimeClass},
}

// quotaNeedsFields finds QuotaNeedsFields.
func (l *look) quotaNeedsFields(what string) *Finding {
	q := between(what, "failed quota: ", ":")
	f := l.find("QuotaNeedsFields")
	f.Subject = Subject{ID: l.id("", "ResourceQuota", q)}
	f.Title = fmt.Sprintf("quota %s requires %s", q, between(what, "must specify ", ""))
	f.Key, f.Shared = l.o.Namespace+" "+q+" "+normal(what), true
	f.Next = []string{l.kubectl("describe", "quota", q)}
	return f
}

// outsideLimits finds LimitRangeViolated.
func (l *look) outsideLimits(what string) *Finding {
	f := l.find("LimitRangeViolated")
	f.Title = "outside the namespace's limits: " + what
	f.Key = normal(what)
	f.Next = []string{l.kubectl("describe", "limitrange")}
	if ranges, _ := l.list("", "LimitRange", l.o.Namespace); len(ranges) == 1 {
		f.Subject = Subject{ID: ranges[0].ID}
	}
	return f
}

// podSecurity finds PodSecurityViolated.
func (l *look) podSecurity(what string) *Finding {
	f := l.find("PodSecurityViolated")
	level := between(what, `violates PodSecurity "`, `"`)
	f.Title = fmt.Sprintf("pod security level %s forbids: %s%s", level, podSecurityRules(what), quotedContainers(what))
	f.Key = level + " " + podSecurityRules(what)
	f.Next = []string{command("", "get", "namespace", l.o.Namespace, "--show-labels")}
	return f
}

// noServiceAccount finds ServiceAccountMissing.
func (l *look) noServiceAccount(what string) *Finding {
	if !strings.Contains(what, "not found") {
		return nil
	}
	sa := between(what, "error looking up service account ", ":")
	sa = sa[strings.LastIndexByte(sa, '/')+1:]
	f := l.find("ServiceAccountMissing")
	f.Title = "ServiceAccount " + sa + " does not exist"
	f.Key, f.Shared = l.o.Namespace+" "+sa, true
	l.missing(f, l.id("", "ServiceAccount", sa), "; the controller is about to try again")
	f.Next = []string{l.kubectl("get", "serviceaccounts")}
	return f
}

// noPriorityClass finds PriorityClassMissing.
func (l *look) noPriorityClass(what string) *Finding {
	return l.noClassOf("PriorityClass", between(what, "no PriorityClass with name ", " was found"), "kubectl get priorityclasses")
}

// noRuntimeClass finds RuntimeClassMissing.
func (l *look) noRuntimeClass(what string) *Finding {
	if !strings.Contains(what, "not found") {
		return nil
	}
	return l.noClassOf("RuntimeClass", between(what, `RuntimeClass "`, `"`), "kubectl get runtimeclasses")
}

func (l *look) noClassOf(kind, name, next string) *Finding {
	f := l.find(kind + "Missing")
	f.Title = kind + " " + name + " does not exist"
	f.Key, f.Shared = name, true
	f.Next = []string{next}
	return f
}

// webhookDenied finds WebhookDenied.
func (l *look) webhookDenied(what string) *Finding {
	w := between(what, `admission webhook "`, `"`)
	if w == "" {
		return nil
	}
	f := l.find("WebhookDenied")
	says := strings.TrimPrefix(between(what, " denied the request", ""), ": ")
	f.Title = fmt.Sprintf("admission webhook %s refuses the pods: %s", w, says)
	f.Key, f.Shared = w+" "+normal(says)+" "+l.o.Namespace, true
	l.webhookOf(f, w)
	f.Next = []string{"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"}
	return f
}

// policyDenied finds PolicyDenied.
func (l *look) policyDenied(what string) *Finding {
	p := between(what, "ValidatingAdmissionPolicy '", "'")
	f := l.find("PolicyDenied")
	says := between(what, "denied request: ", "")
	f.Subject = Subject{ID: cluster("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", p)}
	f.Title = fmt.Sprintf("policy %s refuses the pods: %s", p, says)
	f.Key, f.Shared = p+" "+normal(says)+" "+l.o.Namespace, true
	f.Next = []string{command("", "describe", "validatingadmissionpolicy", p)}
	return f
}

// namespaceEnding finds NamespaceTerminating.
func (l *look) namespaceEnding(string) *Finding {
	ns := cluster("", "Namespace", l.o.Namespace)
	f := l.find("NamespaceTerminating")
	f.Title = "namespace " + ns.Name + " is being deleted: nothing new can be created in it"
	f.Subject, f.Because, f.Symptom = Subject{ID: ns}, []object.ID{ns}, true
	f.Key, f.Shared = ns.Name, true
	f.Next = []string{command("", "describe", "namespace", ns.Name)}
	return f
}

// shortage is a resource of which a quota has too little.
type shortage struct{ resource, asked, used, limit string }

// exceeded parses the refusal by a quota: "exceeded quota: q, requested: pods=1,
// used: pods=2, limited: pods=2".
func exceeded(what string) (quota string, list []shortage) {
	values := func(before, after string) map[string]string {
		m := map[string]string{}
		for part := range strings.SplitSeq(between(what, before, after), ",") {
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
	return between(what, "exceeded quota: ", ","), list
}

// quotaExceeded finds QuotaExceeded.
func (l *look) quotaExceeded(what string) *Finding {
	q, short := exceeded(what)
	f := l.find("QuotaExceeded")
	f.Subject = Subject{ID: l.id("", "ResourceQuota", q)}
	f.Key, f.Shared = l.o.Namespace+" "+q, true
	f.Detail = headline(what)
	f.Title = "quota " + q + " is used up"
	var parts []string
	for _, s := range short {
		parts = append(parts, fmt.Sprintf("%s %s of %s used, %s more needed", s.resource, s.used, s.limit, s.asked))
		f.Key += " " + s.resource
	}
	if len(parts) > 0 {
		f.Title = fmt.Sprintf("quota %s: %s", q, names(parts, 2))
	}
	// The headroom now: there may be room since the refusal.
	if o := l.object(f.Subject.ID); o != nil {
		for _, s := range short {
			hard, used := quantity(o, "hard", s.resource), quantity(o, "used", s.resource)
			if used == "" || hard == "" {
				continue
			}
			f.prove(o.ID, "status.used["+s.resource+"]", used)
			f.prove(o.ID, "status.hard["+s.resource+"]", hard)
			h, ok1 := object.ParseAmount(hard)
			u, ok2 := object.ParseAmount(used)
			n, ok3 := object.ParseAmount(s.asked)
			if ok1 && ok2 && ok3 && len(short) == 1 && u+n <= h {
				f.Class = Retries
				f.Title = fmt.Sprintf("quota %s was used up; there is room for %s now, and the controller tries again", q, s.resource)
			}
		}
	}
	f.Next = []string{l.kubectl("describe", "quota", q)}
	return f
}

func quantity(o *object.Object, field, key string) string {
	if v, ok := o.Get("status", field, key); ok {
		return fmt.Sprint(v)
	}
	return ""
}

// podSecurityRules lists the violated rules, without the remedies.
func podSecurityRules(what string) string {
	rest := what
	if i := strings.Index(rest, `": `); i >= 0 {
		rest = rest[i+3:]
	}
	var rules []string
	depth, start := 0, 0
	for i := 0; i <= len(rest); i++ {
		if i == len(rest) || rest[i] == ',' && depth == 0 {
			r := strings.TrimSpace(rest[start:i])
			if j := strings.Index(r, " ("); j > 0 {
				r = r[:j]
			}
			if r != "" {
				rules = append(rules, r)
			}
			start = i + 1
			continue
		}
		switch rest[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	return names(rules, 5)
}

// quotedContainers names the containers of a pod security violation: "(containers
// "a", "b" must set …)".
func quotedContainers(what string) string {
	var list []string
	for _, part := range strings.Split(what, "container")[1:] {
		part, _, _ = strings.Cut(part, " must ")
		for i, name := range strings.Split(part, `"`) {
			if i%2 == 1 && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " (container " + names(list, 3) + ")"
}

// webhookOf finds the configuration of a webhook, and makes it the subject.
func (l *look) webhookOf(f *Finding, w string) (found fields) {
	for _, kind := range [...]string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		configs, _ := l.list("admissionregistration.k8s.io", kind, "")
		for _, c := range configs {
			for i, m := range each(c.List("webhooks")) {
				if m.str("name") != w {
					continue
				}
				f.Subject = Subject{ID: c.ID}
				if policy := m.str("failurePolicy"); policy != "" {
					f.prove(c.ID, fmt.Sprintf("webhooks[%d].failurePolicy", i), policy)
				}
				found = m
			}
		}
	}
	return found
}

// webhookDown finds WebhookUnreachable: a required webhook does not answer.
func (l *look) webhookDown(what string) *Finding {
	w := between(what, `failed calling webhook "`, `"`)
	f := l.find("WebhookUnreachable")
	why := last(what)
	f.Title = fmt.Sprintf("admission webhook %s does not answer (%s), so nothing is admitted", w, why)
	f.Key, f.Shared = w, true
	f.Detail = what
	f.Next = []string{"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"}
	svc := object.ID{Kind: "Service"}
	if m := l.webhookOf(f, w); m != nil {
		policy, _ := m["failurePolicy"].(string)
		f.Title = fmt.Sprintf("webhook %s (%s) does not answer (%s), and failurePolicy is %s", w, f.Subject.Name, why, policy)
		s := m.sub("clientConfig").sub("service")
		svc.Namespace, _ = s["namespace"].(string)
		svc.Name, _ = s["name"].(string)
	}
	if svc.Name == "" {
		// https://NAME.NAMESPACE.svc:443/…
		host := between(what, `Post "https://`, ".svc")
		svc.Name, svc.Namespace, _ = strings.Cut(host, ".")
	}
	if svc.Name != "" && svc.Namespace != "" {
		f.Next = append(f.Next, command(svc.Namespace, "get", "service,endpointslices"))
		if l.absent(svc) || strings.Contains(what, `service "`+svc.Name+`" not found`) {
			f.proveAbsent(svc)
		} else {
			f.Because = []object.ID{svc}
			l.object(svc)
		}
	}
	return f
}
