package workloads

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/admission"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Pods that the API server does not admit. A ReplicaSet reports that in a
// condition; StatefulSets, DaemonSets and Jobs have none, and report it in an
// event, which expires.

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{
		"apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet", "apps/DaemonSet",
		"batch/Job", "ReplicationController",
	}, Find: denials})
}

// denials looks for Pods whose creation was refused.
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
	if !kinds.Awaits(in.Object) {
		return
	}
	if len(in.Snapshot.Parents(in.Object.ID)) == 0 { // it may only be looked up, as a driver's DaemonSet
		in.Need(inspect.Need{ID: in.Object.ID, Events: true})
	}
	events := in.Obstacles("FailedCreate")
	if len(events) == 0 {
		return
	}
	e := events[0]
	f := denied(in, e.Message)
	f.Since = in.Began(in.Object.ID, e)
	f.ProveEvent(e)
	if in.Object.Kind != "ReplicaSet" && f.Certainty == inspect.Proven && !in.Older(e.Last, 30*time.Minute) {
		return
	}
	if in.Older(e.Last, 20*time.Minute) {
		f.Certainty = inspect.Likely
	}
}

// denied is the finding for a refusal.
func denied(in *inspect.Inspector, msg string) *inspect.Finding {
	d := message.Refused(msg)
	find := refusals[d.Refusal]
	if find == nil {
		find = otherRefusal
	}
	f := find(in, d)
	f.Detail = cmp.Or(f.Detail,
		strings.TrimPrefix(strings.TrimPrefix(message.Line(msg), "Error creating: "), "Error creating job: "))
	return f
}

// made is what the inspected object creates.
func made(in *inspect.Inspector) string {
	if in.Object.Kind == "CronJob" {
		return "jobs"
	}
	return "pods"
}

var refusals = map[message.Refusal]func(*inspect.Inspector, message.Denial) *inspect.Finding{
	message.QuotaUsedUp:      quotaExceeded,
	message.QuotaNeedsFields: quotaNeedsFields,
	message.OutsideLimits:    outsideLimits,
	message.PodSecurity:      podSecurity,
	message.NamesMissing:     namesMissing,
	message.WebhookFails: func(in *inspect.Inspector, d message.Denial) *inspect.Finding {
		return admission.WebhookDown(in, d.Text)
	},
	message.WebhookDenies:   webhookDenied,
	message.PolicyDenies:    policyDenied,
	message.NamespaceEnding: namespaceEnding,
	message.NoConstraint:    noConstraint,
}

// otherRefusal finds PodsCannotBeCreated.
func otherRefusal(in *inspect.Inspector, d message.Denial) *inspect.Finding {
	f := in.Find(codes.PodsCannotBeCreated, "%s cannot be created: %s", made(in), message.Short(d.Text, 160))
	f.Key = wording.Normal(d.Text)
	return f
}

// noConstraint finds PodsCannotBeCreated: OpenShift admits a Pod by the constraints that its
// service account may use.
func noConstraint(in *inspect.Inspector, d message.Denial) *inspect.Finding {
	f := in.Find(codes.PodsCannotBeCreated, "no security context constraint allows the %s: %s",
		made(in), message.Short(d.Text, 160))
	f.Key = wording.Normal(d.Text)
	f.Next = []string{"kubectl get securitycontextconstraints.security.openshift.io"}
	return f
}

// quotaNeedsFields finds QuotaNeedsFields.
func quotaNeedsFields(in *inspect.Inspector, d message.Denial) *inspect.Finding {
	f := in.Find(codes.QuotaNeedsFields, "quota %s requires %s", d.Name, d.Says)
	f.About = inspect.Subject{ID: in.ID("", "ResourceQuota", d.Name)}
	f.Key, f.Shared = in.Object.Namespace+" "+d.Name+" "+wording.Normal(d.Text), true
	f.Next = []string{in.Kubectl("describe", "quota", d.Name)}
	return f
}

// outsideLimits finds LimitRangeViolated.
func outsideLimits(in *inspect.Inspector, d message.Denial) *inspect.Finding {
	f := in.Find(codes.LimitRangeViolated, "outside the namespace's limits: %s", d.Text)
	f.Key = wording.Normal(d.Text)
	f.Next = []string{in.Kubectl("describe", "limitrange")}
	if ranges := in.List("", "LimitRange", in.Object.Namespace).Items; len(ranges) == 1 {
		f.About = inspect.Subject{ID: ranges[0].ID}
		f.Key, f.Shared = in.Object.Namespace+" "+ranges[0].Name, true
		f.Say("LimitRange %s does not allow it: %s", ranges[0].Name, d.Text)
	}
	return f
}

// podSecurity finds PodSecurityViolated. Of "(containers "a", "b" must set …)"
// the containers are named.
func podSecurity(in *inspect.Inspector, d message.Denial) *inspect.Finding {
	rules := remedy().ReplaceAllString(d.Says, "($1)")
	f := in.Find(codes.PodSecurityViolated, "pod security level %s forbids: %s", d.Name,
		strings.ReplaceAll(rules, `"`, ""))
	f.Key = d.Name + " " + rules
	f.Next = []string{wording.Command("", "get", "namespace", in.Object.Namespace, "--show-labels")}
	return f
}

var remedy = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(([^()]*?) must [^()]*\)`) })

// namesMissing finds the cause of the kind of which an object does not exist, such as
// ServiceAccountMissing.
func namesMissing(in *inspect.Inspector, d message.Denial) *inspect.Finding {
	code := codes.Lacking(d.Kind)
	if code == nil {
		return otherRefusal(in, d)
	}
	return in.FindMissing(code, d.Name, "; the controller is about to try again")
}

// webhookDenied finds WebhookDenied.
func webhookDenied(in *inspect.Inspector, d message.Denial) *inspect.Finding {
	f := in.Find(codes.WebhookDenied, "admission webhook %s refuses the %s: %s", d.Name, made(in), d.Says)
	f.Key, f.Shared = d.Name+" "+wording.Normal(d.Says)+" "+in.Object.Namespace, true
	admission.WebhookOf(in, f, d.Name)
	f.Next = []string{"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"}
	return f
}

// policyDenied finds PolicyDenied.
func policyDenied(in *inspect.Inspector, d message.Denial) *inspect.Finding {
	f := in.Find(codes.PolicyDenied, "policy %s refuses the %s: %s", d.Name, made(in), d.Says)
	f.About = inspect.Subject{
		ID: inspect.ClusterID("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", d.Name),
	}
	f.Key, f.Shared = d.Name+" "+wording.Normal(d.Says)+" "+in.Object.Namespace, true
	f.Next = []string{wording.Command("", "describe", "validatingadmissionpolicy", d.Name)}
	return f
}

// namespaceEnding finds NamespaceTerminating.
func namespaceEnding(in *inspect.Inspector, _ message.Denial) *inspect.Finding {
	ns := inspect.ClusterID("", "Namespace", in.Object.Namespace)
	f := in.Find(codes.NamespaceTerminating, "namespace %s is being deleted: nothing new can be created in it", ns.Name)
	f.About, f.Because, f.Symptom = inspect.Subject{ID: ns}, []object.ID{ns}, true
	f.Key, f.Shared = ns.Name, true
	f.Next = []string{wording.Command("", "describe", "namespace", ns.Name)}
	return f
}

// quotaExceeded finds QuotaExceeded.
func quotaExceeded(in *inspect.Inspector, d message.Denial) *inspect.Finding {
	q, short := d.Name, d.Short
	f := in.Find(codes.QuotaExceeded, "quota %s is used up", q)
	f.About = inspect.Subject{ID: in.ID("", "ResourceQuota", q)}
	f.Key, f.Shared = in.Object.Namespace+" "+q, true
	f.Detail = d.Text
	var parts []string
	for _, s := range short {
		parts = append(parts, fmt.Sprintf("%s %s of %s used, %s more needed", s.Resource, s.Used, s.Limit, s.Asked))
		f.Key += " " + s.Resource
	}
	if len(parts) > 0 {
		f.Say("quota %s: %s", q, wording.Names(parts, 2))
	}
	// The headroom now: there may be room since the refusal.
	if o := in.Get(f.About.ID); o != nil {
		for _, s := range short {
			hard, used := quantity(o, "hard", s.Resource), quantity(o, "used", s.Resource)
			if used == "" || hard == "" {
				continue
			}
			f.ProveOn(o.ID, "status.used["+s.Resource+"]", used)
			f.ProveOn(o.ID, "status.hard["+s.Resource+"]", hard)
			h, ok1 := object.ParseAmount(hard)
			u, ok2 := object.ParseAmount(used)
			n, ok3 := object.ParseAmount(s.Asked)
			if ok1 && ok2 && ok3 && len(short) == 1 && u+n <= h {
				f.Class = codes.Retries
				f.Say("quota %s was used up; there is room for %s now, and the controller tries again", q, s.Resource)
			}
		}
	}
	f.Next = []string{in.Kubectl("describe", "quota", q)}
	if in.Absent(f.About.ID) {
		f.Class = codes.Retries
		f.Say("quota %s refused %s and does not exist any more; the controller tries again", q, made(in))
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
