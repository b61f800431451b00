package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Autoscalers and PodDisruptionBudgets. A budget that allows no disruption
// blocks no rollout, and is no cause by itself; see evicting.

func autoscaler(l *look) {
	if x := l.o.ConditionIs("AbleToScale", "False"); x != nil {
		l.unscalable(x)
		return
	}
	x := l.o.Condition("ScalingActive")
	if x == nil || x.Status != "False" {
		if y := l.o.ConditionIs("ScalingLimited", "True"); y != nil && y.Reason == "TooManyReplicas" {
			l.limited(y)
		}
		return
	}
	if x.Reason == "ScalingDisabled" {
		l.byCondition("Suspended", x, "scaling is off: %s %s has 0 replicas", l.o.Str("spec", "scaleTargetRef", "kind"), l.o.Str("spec", "scaleTargetRef", "name"))
		return
	}
	code := "ScaleTargetMissing"
	if strings.HasPrefix(x.Reason, "Failed") || x.Reason == "InvalidMetricSourceType" {
		code = "MetricsMissing"
	}
	m := headline(x.Message)
	f := l.byCondition(code, x, "%s: %s", x.Reason, last(m))
	notServed := hasAny(m, "could not find the requested resource", "no matches for", "the server is currently unable to handle")
	switch {
	case notServed:
		l.noMetricsAPI(f, m)
	case strings.Contains(m, "missing request for"):
		f.Title = "no metrics: " + last(m)
	}
	f.Detail = m
	// A new autoscaler has no metrics yet.
	if !notServed && !l.older(l.o.Created, time.Minute) {
		f.Class = Waits
	}
}

// unscalable finds ScaleTargetMissing.
func (l *look) unscalable(x *object.Condition) {
	kind, name := l.o.Str("spec", "scaleTargetRef", "kind"), l.o.Str("spec", "scaleTargetRef", "name")
	f := l.byCondition("ScaleTargetMissing", x, "cannot scale %s %s: %s", kind, name, last(x.Message))
	if strings.Contains(x.Message, "not found") {
		f.Title = kind + " " + name + ", which it is to scale, does not exist"
	} else {
		f.Class = Retries
	}
	f.Key += kind + name
}

// limited finds ScaleLimited.
func (l *look) limited(x *object.Condition) {
	f := l.byCondition("ScaleLimited", x, "wants more replicas than maxReplicas allows")
	f.aside = true
	if most := l.o.Int("spec", "maxReplicas"); most.Set {
		f.Title = fmt.Sprintf("wants more than %d replicas, which is its maxReplicas", most.V)
		l.proof(f, "spec.maxReplicas", most.V)
	}
}

// noMetricsAPI finds MetricsMissing that does not heal by itself: the API is
// not served.
func (l *look) noMetricsAPI(f *Finding, m string) {
	f.Title, f.Class = "Metrics API not available (metrics-server?)", Action
	f.Next = []string{"kubectl get apiservices"}
	for _, api := range [...]string{"custom.metrics.k8s.io", "external.metrics.k8s.io"} {
		if strings.Contains(m, api) {
			f.Title = "metrics API " + api + " not available (is its adapter installed?)"
		}
	}
	if strings.Contains(m, "metrics.k8s.io") && !hasAny(m, "custom.metrics", "external.metrics") {
		id := cluster("apiregistration.k8s.io", "APIService", "v1beta1.metrics.k8s.io")
		f.Because = []object.ID{id}
		if l.object(id) == nil && l.absent(id) {
			f.proveAbsent(id)
		}
	}
}

// contested finds ReplicasContested: an autoscaler sets the replicas, and so
// does the manifest: the next apply resets them. Only kubectl's last-applied
// annotation shows that; with server-side apply the field has an owner.
func contested(l *look) {
	w := l.o.Workload
	if w == nil || w.Scaled == nil || !l.o.Deleted.IsZero() || w.Scaled.Manifest == w.Replicas.Or(1) {
		return
	}
	by := ""
	switch w.Scaled.By {
	case "kube-controller-manager":
		by = "an autoscaler"
		scalers, _ := l.s.List("autoscaling", "HorizontalPodAutoscaler", l.o.Namespace)
		for _, h := range scalers {
			if h.Str("spec", "scaleTargetRef", "kind") == l.o.Kind && h.Str("spec", "scaleTargetRef", "name") == l.o.Name {
				by = "HorizontalPodAutoscaler " + h.Name
			}
		}
	case "keda", "keda-operator":
		by = "KEDA"
	default:
		return // possibly the user's kubectl scale
	}
	f := l.find("ReplicasContested", "%s has set its replicas to %d, and its manifest says %d: the next apply sets them back", by, w.Replicas.Or(1), w.Scaled.Manifest)
	f.aside = true
	l.proof(f, "spec.replicas", w.Replicas.Or(1))
	l.proof(f, "metadata.managedFields["+w.Scaled.By+"].subresource", "scale")
	l.proof(f, "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration].spec.replicas", w.Scaled.Manifest)
	f.Next = []string{l.kubectl("get", "horizontalpodautoscalers")}
}

func disruptionBudget(l *look) {
	if e, ok := l.event(l.o.ID, "MultiplePodDisruptionBudgets", "CalculateExpectedPodCountFailed", "UnmanagedPods"); ok {
		f := l.byEvent("BudgetIneffective", e, "%s", headline(e.Message))
		if e.Reason == "UnmanagedPods" {
			f.Title = "the pods that it selects (" + budgeted(l.o) + ") have no controller, and so it protects none"
		}
		f.Key = e.Reason
		return
	}
	expected := l.o.Int("status", "expectedPods")
	if !expected.Set || expected.V != 0 || !l.older(l.o.Created, time.Minute) {
		return
	}
	f := l.find("BudgetIneffective", "no pod matches its selector %s, and so it protects none", budgeted(l.o))
	f.aside = true
	if l.o.Int("status", "currentHealthy").V > 0 {
		f.Title = "the pods that it selects (" + budgeted(l.o) + ") have no controller, and so it protects none"
	}
	f.Certainty = Possible
	f.Class = Waits
	l.proof(f, "status.expectedPods", "0")
}

// budgeted is the selector of a PodDisruptionBudget.
func budgeted(o *object.Object) string {
	if s := edges.Format(edges.SelectorOf(o)); s != "" {
		return s
	}
	return "of every pod"
}
