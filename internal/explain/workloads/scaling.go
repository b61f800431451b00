package workloads

import (
	"cmp"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Autoscalers and PodDisruptionBudgets. A budget that allows no disruption
// blocks no rollout, and is no cause by itself; see evicting.

func init() {
	inspect.Detect(inspect.Detector{
		Kinds:       []string{"autoscaling/HorizontalPodAutoscaler"},
		AlsoCurrent: true, Find: autoscaler,
	})
}

// autoscaler finds why a HorizontalPodAutoscaler does not scale: its target, its metrics, or a
// limit.
func autoscaler(in *inspect.Inspector) {
	if x := in.Object.ConditionIs("AbleToScale", "False"); x != nil {
		unscalable(in, x)
		return
	}
	x := in.Object.Condition("ScalingActive")
	if x == nil || x.Status != "False" {
		if y := in.Object.ConditionIs("ScalingLimited", "True"); y != nil && y.Reason == "TooManyReplicas" {
			limited(in, y)
		}
		return
	}
	if x.Reason == "ScalingDisabled" {
		in.FindCondition(codes.Suspended, x, "scaling is off: %s %s has 0 replicas",
			in.Object.Str("spec", "scaleTargetRef", "kind"), in.Object.Str("spec", "scaleTargetRef", "name"))
		return
	}
	code := codes.ScaleTargetMissing
	if strings.HasPrefix(x.Reason, "Failed") || x.Reason == "InvalidMetricSourceType" {
		code = codes.MetricsMissing
	}
	m := message.Line(x.Message)
	f := in.FindCondition(code, x, "%s: %s", x.Reason, message.Reason(m))
	kind, api := message.NoMetrics(m)
	switch kind {
	case message.MetricsAPIDown:
		noMetricsAPI(in, f, api)
	case message.RequestMissing:
		f.Say("no metrics: %s", message.Reason(m))
		unrequested(in, f, m)
	}
	f.Detail = m
	// A new autoscaler has no metrics yet.
	if kind != message.MetricsAPIDown && !in.Older(in.Object.Created, time.Minute) {
		f.Class = codes.Waits
	}
}

// unrequested says which Pod requests nothing of what is measured. The autoscaler counts all Pods
// that the selector of its target matches, whoever owns them, also those that are complete
// (kubernetes v1.36, pkg/controller/podautoscaler/replica_calculator.go). Before v1.26 the message
// does not name it (calculatePodRequests).
func unrequested(in *inspect.Inspector, f *inspect.Finding, text string) {
	_, res, _ := strings.Cut(text, "missing request for ")
	res, _, _ = strings.Cut(res, " ")
	ref := in.Object.Map("spec", "scaleTargetRef")
	kind, _ := ref["kind"].(string)
	name, _ := ref["name"].(string)
	version, _ := ref["apiVersion"].(string)
	group, _, _ := strings.Cut(version, "/")
	target := in.Get(in.ID(cmp.Or(group, inspect.BuiltinGroups[kind]), kind, name))
	if target == nil || target.Workload == nil || res != "cpu" && res != "memory" {
		return
	}
	said := false
	for _, p := range in.List("", "Pod", in.Object.Namespace).Items {
		c := unrequesting(p, res)
		if c == "" || !edges.Selects(target.Workload.Selector, p) ||
			strings.Contains(text, " of Pod ") && !strings.HasSuffix(text, " of Pod "+p.Name) {
			continue
		}
		by, ok := p.Controller()
		foreign := ok && by.UID != target.UID && (by.Kind != "ReplicaSet" || !strings.HasPrefix(by.Name, name+"-"))
		if !said || foreign {
			f.Say("no metrics: container %s of pod %s requests no %s", c, p.Name, res)
			f.ProveUnset(p.ID, "spec.containers["+c+"].resources.requests."+res)
			said = true
		}
		if foreign {
			f.Say("no metrics: pod %s of %s %s counts, too, because the selector of %s %s matches it, and its container %s requests no %s",
				p.Name, by.Kind, by.Name, kind, name, c, res)
			return
		}
	}
}

// unrequesting is a container of a Pod that requests nothing of cpu or memory, or "".
func unrequesting(p *object.Object, res string) string {
	if p.Pod == nil {
		return ""
	}
	for i := range p.Pod.Containers {
		c := &p.Pod.Containers[i]
		if c.Kind == object.InitContainer || c.Kind == object.EphemeralContainer {
			continue
		}
		if res == "cpu" && c.CPURequest == "" || res == "memory" && c.MemoryRequest == "" {
			return c.Name
		}
	}
	return ""
}

// unscalable finds ScaleTargetMissing.
func unscalable(in *inspect.Inspector, x *object.Condition) {
	kind, name := in.Object.Str("spec", "scaleTargetRef", "kind"), in.Object.Str("spec", "scaleTargetRef", "name")
	f := in.FindCondition(codes.ScaleTargetMissing, x, "cannot scale %s %s: %s", kind, name, message.Reason(x.Message))
	if why, _ := message.NoMetrics(x.Message); why == message.TargetMissing {
		f.Say("%s %s, which it is to scale, does not exist", kind, name)
	} else {
		f.Class = codes.Retries
	}
	f.Key += kind + name
}

// limited finds ScaleLimited.
func limited(in *inspect.Inspector, x *object.Condition) {
	f := in.FindCondition(codes.ScaleLimited, x, "wants more replicas than maxReplicas allows")
	f.Remark = true
	if most := in.Object.Int("spec", "maxReplicas"); most.Set {
		f.Say("wants more than %d replicas, which is its maxReplicas", most.V)
		f.Prove("spec.maxReplicas", most.V)
	}
}

// noMetricsAPI finds MetricsMissing that does not heal by itself: the API is
// not served.
func noMetricsAPI(in *inspect.Inspector, f *inspect.Finding, api string) {
	f.Class = codes.Action
	f.Say("Metrics API not available (metrics-server?)")
	f.Next = []string{"kubectl get apiservices"}
	if api == "" {
		return
	}
	if api != "metrics.k8s.io" {
		f.Say("metrics API %s not available (is its adapter installed?)", api)
	}
	id := inspect.ClusterID("apiregistration.k8s.io", "APIService", "v1beta1."+api)
	f.Blame(id)
	if in.Get(id) == nil && in.Absent(id) {
		f.ProveAbsent(id)
	}
}

func init() {
	inspect.Detect(inspect.Detector{
		Kinds:       []string{"apps/Deployment", "apps/StatefulSet"},
		AlsoCurrent: true, Find: contested,
	})
}

// contested finds ReplicasContested: an autoscaler sets the replicas, and so
// does the manifest: the next apply resets them. Only kubectl's last-applied
// annotation shows that; with server-side apply the field has an owner.
func contested(in *inspect.Inspector) {
	w := in.Object.Workload
	if w == nil || w.Scaled == nil || !in.Object.Deleted.IsZero() || w.Scaled.Manifest == w.Replicas.Or(1) {
		return
	}
	by := ""
	switch w.Scaled.By {
	case "kube-controller-manager":
		by = "an autoscaler"
		scalers := in.List("autoscaling", "HorizontalPodAutoscaler", in.Object.Namespace).Items
		for _, h := range scalers {
			if h.Str("spec", "scaleTargetRef", "kind") == in.Object.Kind &&
				h.Str("spec", "scaleTargetRef", "name") == in.Object.Name {
				by = "HorizontalPodAutoscaler " + h.Name
			}
		}
	case "keda", "keda-operator":
		by = "KEDA"
	default:
		return // possibly the user's kubectl scale
	}
	f := in.Find(codes.ReplicasContested,
		"%s has set its replicas to %d, and its manifest says %d: the next apply sets them back", by,
		w.Replicas.Or(1), w.Scaled.Manifest)
	f.Remark = true
	f.Prove("spec.replicas", w.Replicas.Or(1))
	f.Prove("metadata.managedFields["+w.Scaled.By+"].subresource", "scale")
	f.Prove("metadata.annotations[kubectl.kubernetes.io/last-applied-configuration].spec.replicas", w.Scaled.Manifest)
	f.Next = []string{in.Kubectl("get", "horizontalpodautoscalers")}
}

func init() {
	inspect.Detect(inspect.Detector{
		Kinds:       []string{"policy/PodDisruptionBudget"},
		AlsoCurrent: true, Find: disruptionBudget,
	})
}

// disruptionBudget finds PodDisruptionBudgets that do not work as meant.
func disruptionBudget(in *inspect.Inspector) {
	// it has counted since
	if e, ok := in.Event(in.Object.ID, "MultiplePodDisruptionBudgets", "CalculateExpectedPodCountFailed",
		"UnmanagedPods"); ok && in.Object.ConditionIs("DisruptionAllowed", "True") == nil {
		f := in.FindEvent(codes.BudgetIneffective, e, "%s", message.Short(e.Message, 160))
		if e.Reason == "CalculateExpectedPodCountFailed" {
			f.Say("it allows no eviction: %s", message.Short(e.Message, 160))
			f.Class = codes.Action
			if message.NoScale(e.Message) {
				f.Detail = "maxUnavailable and percentages need the owner's scale subresource; minAvailable as a number does not."
			}
		}
		if e.Reason == "UnmanagedPods" {
			f.Say("the pods that it selects (%s) have no controller, and so it protects none", budgeted(in.Object))
		}
		f.Key = e.Reason
		return
	}
	expected := in.Object.Int("status", "expectedPods")
	if x := in.Object.ConditionIs("DisruptionAllowed", "False"); x != nil && x.Reason == "SyncFailed" {
		return // its Pods could not be counted
	}
	if !expected.Set || expected.V != 0 || !in.Older(in.Object.Created, time.Minute) {
		return
	}
	f := in.Find(codes.BudgetIneffective,
		"no pod matches its selector %s, and so it protects none", budgeted(in.Object))
	f.Remark = true
	if in.Object.Int("status", "currentHealthy").V > 0 {
		f.Say("the pods that it selects (%s) have no controller, and so it protects none", budgeted(in.Object))
	}
	f.Certainty = inspect.Possible
	f.Class = codes.Waits
	f.Prove("status.expectedPods", "0")
}

// budgeted is the selector of a PodDisruptionBudget.
func budgeted(o *object.Object) string {
	if s := edges.Format(edges.SelectorOf(o)); s != "" {
		return s
	}
	return "of every pod"
}
