package explain

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

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
	if x := l.o.ConditionIs("ReplicaFailure", "True"); x != nil && l.o.Kind != "Deployment" {
		if x.Reason == "FailedDelete" {
			l.byCondition("PodsCannotBeCreated", x, "pods cannot be deleted: %s", last(x.Message))
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
		if x := l.o.ConditionIs("ReplicaFailure", "True"); x != nil && newest(l.s.Children(l.o.ID)) == nil {
			f := l.denied(x.Message)
			f.proveCondition(l.o.ID, x)
		}
		return
	}
	events := l.events(l.o.ID, "FailedCreate")
	if len(events) == 0 || l.hasAll(events[0].Last) {
		return
	}
	e := events[0]
	f := l.denied(e.Message)
	f.Since = events[len(events)-1].First
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
	n, has, want := int64(0), int64(0), int64(1)
	for _, c := range l.s.Children(l.o.ID) {
		if c.Kind == "Pod" && c.Deleted.IsZero() {
			n++
			if l.o.Job != nil && c.Created.After(refused) {
				return true
			}
		}
	}
	switch w := l.o.Workload; {
	case w != nil && l.o.Kind == "DaemonSet":
		has, want = w.Current.Or(0), w.Desired.Or(0)
	case w != nil:
		has, want = w.StatusReplicas.Or(0), w.Replicas.Or(1)
	case l.o.Job != nil:
		has, want = l.o.Job.Active.Or(0), l.o.Job.Parallelism.Or(1)
	}
	return max(n, has) >= want
}

// denied classifies a refusal by its message.
func (l *look) denied(msg string) *Finding {
	m := strings.TrimPrefix(headline(msg), "Error creating: ")
	if _, after, ok := strings.Cut(m, " failed error: "); ok { // StatefulSet
		m = after
	}
	what := m
	if _, after, ok := strings.Cut(m, " is forbidden: "); ok {
		what = after
	}
	for _, r := range refusals {
		if hasAny(what, r.marks...) {
			if f := r.find(l, what); f != nil {
				f.Detail = cmp.Or(f.Detail, m)
				return f
			}
		}
	}
	f := l.find("PodsCannotBeCreated", "pods cannot be created: %s", last(what))
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
	f := l.find("QuotaNeedsFields", "quota %s requires %s", q, between(what, "must specify ", ""))
	f.Subject = Subject{ID: l.id("", "ResourceQuota", q)}
	f.Key, f.Shared = l.o.Namespace+" "+q+" "+normal(what), true
	f.Next = []string{l.kubectl("describe", "quota", q)}
	return f
}

// outsideLimits finds LimitRangeViolated.
func (l *look) outsideLimits(what string) *Finding {
	f := l.find("LimitRangeViolated", "outside the namespace's limits: %s", what)
	f.Key = normal(what)
	f.Next = []string{l.kubectl("describe", "limitrange")}
	if ranges, _ := l.list("", "LimitRange", l.o.Namespace); len(ranges) == 1 {
		f.Subject = Subject{ID: ranges[0].ID}
	}
	return f
}

// podSecurity finds PodSecurityViolated. Of "(containers "a", "b" must set …)"
// the containers are named.
func (l *look) podSecurity(what string) *Finding {
	level := between(what, `violates PodSecurity "`, `"`)
	rules := remedy().ReplaceAllString(between(what, `": `, ""), "($1)")
	f := l.find("PodSecurityViolated", "pod security level %s forbids: %s", level, strings.ReplaceAll(rules, `"`, ""))
	f.Key = level + " " + rules
	f.Next = []string{command("", "get", "namespace", l.o.Namespace, "--show-labels")}
	return f
}

var remedy = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(([^()]*?) must [^()]*\)`) })

// noServiceAccount finds ServiceAccountMissing.
func (l *look) noServiceAccount(what string) *Finding {
	if !strings.Contains(what, "not found") {
		return nil
	}
	sa := between(what, "error looking up service account ", ":")
	sa = sa[strings.LastIndexByte(sa, '/')+1:]
	f := l.find("ServiceAccountMissing", "ServiceAccount %s does not exist", sa)
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
	f := l.find(kind+"Missing", "%s %s does not exist", kind, name)
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
	says := strings.TrimPrefix(between(what, " denied the request", ""), ": ")
	f := l.find("WebhookDenied", "admission webhook %s refuses the pods: %s", w, says)
	f.Key, f.Shared = w+" "+normal(says)+" "+l.o.Namespace, true
	l.webhookOf(f, w)
	f.Next = []string{"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"}
	return f
}

// policyDenied finds PolicyDenied.
func (l *look) policyDenied(what string) *Finding {
	p, says := between(what, "ValidatingAdmissionPolicy '", "'"), between(what, "denied request: ", "")
	f := l.find("PolicyDenied", "policy %s refuses the pods: %s", p, says)
	f.Subject = Subject{ID: cluster("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", p)}
	f.Key, f.Shared = p+" "+normal(says)+" "+l.o.Namespace, true
	f.Next = []string{command("", "describe", "validatingadmissionpolicy", p)}
	return f
}

// namespaceEnding finds NamespaceTerminating.
func (l *look) namespaceEnding(string) *Finding {
	ns := cluster("", "Namespace", l.o.Namespace)
	f := l.find("NamespaceTerminating", "namespace %s is being deleted: nothing new can be created in it", ns.Name)
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
	f := l.find("QuotaExceeded", "quota %s is used up", q)
	f.Subject = Subject{ID: l.id("", "ResourceQuota", q)}
	f.Key, f.Shared = l.o.Namespace+" "+q, true
	f.Detail = headline(what)
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
	why := last(what)
	f := l.find("WebhookUnreachable", "admission webhook %s does not answer (%s), so nothing is admitted", w, why)
	f.Key, f.Shared = w, true
	f.Detail = what
	f.Next = []string{"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"}
	svc := object.ID{Kind: "Service"}
	if m := l.webhookOf(f, w); m != nil {
		f.Title = fmt.Sprintf("webhook %s (%s) does not answer (%s), and failurePolicy is %s", w, f.Subject.Name, why, m.str("failurePolicy"))
		s := m.sub("clientConfig").sub("service")
		svc.Namespace, svc.Name = s.str("namespace"), s.str("name")
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
