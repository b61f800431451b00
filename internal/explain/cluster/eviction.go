package cluster

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() {
	inspect.Detect(inspect.Detector{
		Kinds: []string{"Node", "cluster.x-k8s.io/Machine", "karpenter.sh/NodeClaim"}, Find: evicting,
	})
}

// evicting finds EvictionBlocked: a node is being drained, and a
// PodDisruptionBudget allows no eviction. Such a budget blocks nothing else, so
// it is only reported if the draining controller says so: Cluster API in a
// condition of the Machine, Karpenter in an event about the NodeClaim or Node.
// kubectl drain leaves no record; see undrained.
func evicting(in *inspect.Inspector) {
	if in.Object.Deleted.IsZero() && in.Object.GroupKind() != "cluster.x-k8s.io/Machine" {
		return
	}
	for i := range in.Object.Conditions {
		x := &in.Object.Conditions[i]
		// The eviction API's message (kubernetes pkg/registry/core/pod/storage,
		// v1.36), as Cluster API quotes it (internal/controllers/machine/drain,
		// v1.11).
		name := message.Between(x.Message, "The disruption budget ", " needs ")
		if name == "" {
			continue
		}
		// "Pod shop/web-0: cannot evict …", "Pods shop/web-0, shop/web-1: …"
		before, _, _ := strings.Cut(x.Message, ": cannot evict pod")
		pods := strings.Fields(before)
		if len(pods) == 0 {
			continue
		}
		namespace, _, ok := strings.Cut(pods[len(pods)-1], "/")
		if !ok {
			continue
		}
		f := blocked(in, object.ID{Group: "policy", Kind: "PodDisruptionBudget", Namespace: namespace, Name: name},
			"pod "+pods[len(pods)-1])
		f.ProveCondition(in.Object.ID, x)
		return
	}
	// Karpenter's message (pkg/controllers/disruption/events and
	// node/termination/terminator/events, v1.8).
	if e, ok := in.Event(in.Object.ID, "FailedDraining", "DisruptionBlocked"); ok {
		where := message.Between(e.Message, "PodDisruptionBudget=[", "]")
		if where == "" {
			where = message.Between(e.Message, `PDB "`, `"`)
		}
		id := object.ID{Group: "policy", Kind: "PodDisruptionBudget"}
		if id.Namespace, id.Name, ok = strings.Cut(where, "/"); ok {
			blocked(in, id, "any pod").ProveEvent(e)
		} else {
			unnamed(in, e)
		}
	}
}

// unnamed finds EvictionBlocked where Karpenter says that a node cannot be drained, and not by
// which budget: "evicting pod prod/web-x violates a PDB", "1 pods are waiting to be evicted". The
// budgets of the Pods that are left on the node tell.
func unnamed(in *inspect.Inspector, e object.Event) {
	node := drainedNode(in.Object)
	if node == "" {
		return
	}
	held := holding(in, node)
	if len(held) == 0 {
		return
	}
	i := slices.IndexFunc(held, func(h hold) bool {
		return strings.Contains(e.Message, h.pod.Namespace+"/"+h.pod.Name)
	})
	h := held[max(i, 0)]
	f := blocked(in, h.budget.ID, "pod "+h.pod.Namespace+"/"+h.pod.Name)
	f.ProveOn(h.pod.ID, "spec.nodeName", node)
	f.ProveEvent(e)
}

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"Node"}, AlsoCurrent: true, Find: undrained})
}

// undrained finds EvictionBlocked on a cordoned Node that something else drains, and reports in
// Warnings that it cannot: AKS ("Drain", one for each Pod, without its namespace), OpenShift
// ("FailedToDrain"). Without one, nothing tells whether the node is drained: then a budget that
// would stop that is a remark.
func undrained(in *inspect.Inspector) {
	if cordoned, _ := in.Object.Bool("spec", "unschedulable"); !cordoned || !in.Object.Deleted.IsZero() {
		return
	}
	in.Need(inspect.Need{ID: in.Object.ID, Events: true}) // nobody else asks for those of a Node that is Current
	var warnings []object.Event
	for _, e := range in.Snapshot.Events(in.Object.ID) {
		if e.Warns() && strings.Contains(e.Reason, "Drain") && in.Now().Sub(e.Last) <= 10*time.Minute {
			warnings = append(warnings, e)
		}
	}
	var held []hold
	if len(warnings) > 0 || in.Older(cordonedAt(in.Object), time.Minute) {
		held = holding(in, in.Object.Name)
	}
	switch {
	case len(held) > 0:
		h := held[0]
		for _, x := range held { // rather one that a Warning names
			if slices.ContainsFunc(warnings, func(e object.Event) bool {
				return strings.Contains(e.Message, x.pod.Name)
			}) {
				h = x
				break
			}
		}
		f := blocked(in, h.budget.ID, "pod "+h.pod.Namespace+"/"+h.pod.Name)
		f.ProveOn(h.pod.ID, "spec.nodeName", in.Object.Name)
		f.Prove("spec.unschedulable", "true")
		for _, e := range warnings {
			f.ProveEvent(e)
		}
		if len(warnings) == 0 {
			f.Say("node %s is cordoned; PodDisruptionBudget %s/%s does not let pod %s/%s be evicted, if it is to be drained",
				in.Object.Name, h.budget.Namespace, h.budget.Name, h.pod.Namespace, h.pod.Name)
			f.Class, f.Certainty, f.Remark = codes.Waits, inspect.Possible, true
			f.Since = cordonedAt(in.Object)
		}
	case len(warnings) > 0:
		e := warnings[0]
		f := in.FindEvent(codes.EvictionBlocked, e, "node %s cannot be drained: %s", in.Object.Name,
			message.Short(e.Message, 160))
		f.Key, f.Since = in.Object.Name, e.First
		f.Next = []string{"kubectl get poddisruptionbudgets -A"}
		for _, e := range warnings[1:] {
			f.ProveEvent(e)
		}
		if len(warnings) > 1 {
			f.Note("and %s", wording.Plural(len(warnings)-1, "more Warning"))
		}
	}
}

// cordonedAt is when a node was cordoned; zero if nothing tells.
func cordonedAt(node *object.Object) time.Time {
	for _, t := range fields.Each(node.List("spec", "taints")) {
		if t.Str("key") == "node.kubernetes.io/unschedulable" {
			at, _ := time.Parse(time.RFC3339, t.Str("timeAdded"))
			return at
		}
	}
	return time.Time{}
}

// hold is a Pod that a budget keeps on the inspected node.
type hold struct{ pod, budget *object.Object }

// mostHolds bounds the namespaces whose budgets are asked for.
const mostHolds = 5

// holding are the Pods on a node that a drain would evict, and a budget does not let go. A drain
// leaves those of DaemonSets and of the kubelet itself.
func holding(in *inspect.Inspector, node string) (out []hold) {
	in.AskForPodsOn(node)
	var namespaces []string
	for _, p := range in.Nodes().Pods(node) {
		by, _ := p.Controller()
		_, mirror := p.Annotation("kubernetes.io/config.mirror")
		if by.Kind == "DaemonSet" || mirror || !p.Deleted.IsZero() {
			continue
		}
		if !slices.Contains(namespaces, p.Namespace) {
			if len(namespaces) == mostHolds {
				continue
			}
			namespaces = append(namespaces, p.Namespace)
		}
		for _, b := range in.List("policy", "PodDisruptionBudget", p.Namespace).Items {
			allowed := b.Int("status", "disruptionsAllowed")
			selector := edges.SelectorOf(b)
			ill := p.ConditionIs("Ready", "True") == nil && b.Str("spec", "unhealthyPodEvictionPolicy") == "AlwaysAllow"
			if allowed.Set && allowed.V == 0 && !ill && len(selector.Match)+len(selector.Exprs) > 0 &&
				edges.Selects(selector, p) {
				out = append(out, hold{p, b})
			}
		}
	}
	return out
}

// drainedNode is the name of the node that is being drained, if it is known.
func drainedNode(o *object.Object) string {
	if o.Kind == "Node" {
		return o.Name
	}
	return cmp.Or(o.Str("status", "nodeRef", "name"), o.Str("status", "nodeName"))
}

// drained is the node that is being drained.
func drained(in *inspect.Inspector) string {
	name := drainedNode(in.Object)
	if name == "" {
		return "the node of " + in.Object.ID.String()
	}
	return "node " + name
}

func blocked(in *inspect.Inspector, id object.ID, pod string) *inspect.Finding {
	f := in.Find(codes.EvictionBlocked, "PodDisruptionBudget %s/%s does not let %s be evicted, so %s cannot be drained",
		id.Namespace, id.Name, pod, drained(in))
	f.About = inspect.Subject{ID: id}
	f.Key, f.Shared = id.Namespace+"/"+id.Name, true // it blocks every node's drain
	f.Next = []string{wording.Command(id.Namespace, "describe", "poddisruptionbudget", id.Name)}
	b := in.Get(id)
	if b == nil {
		in.CouldNotRead(f, "disruption budgets in "+id.Namespace, id)
		f.Certainty = inspect.Likely
		return f
	}
	allowed, healthy := b.Int("status", "disruptionsAllowed"), b.Int("status", "currentHealthy").V
	desired, expected := b.Int("status", "desiredHealthy").V, b.Int("status", "expectedPods").V
	f.ProveOn(id, "status.disruptionsAllowed", allowed.V)
	f.ProveOn(id, "status.currentHealthy", healthy)
	f.ProveOn(id, "status.desiredHealthy", desired)
	switch {
	case allowed.V > 0:
		f.Class = codes.Waits
		f.Say("PodDisruptionBudget %s/%s has held the eviction of pods up, and allows it again", id.Namespace, id.Name)
	case desired >= expected && expected == 1:
		f.Why("it wants its only pod healthy, always")
	case desired >= expected && expected > 0:
		f.Why("it wants all of its %s healthy, always", wording.Plural(int(expected), "pod"))
	case healthy < desired:
		f.Class = codes.Retries
		f.Why("%s, and it wants %d", wording.Plural(int(healthy), "healthy pod"), desired)
	default:
		f.Class = codes.Retries
		f.Why("it wants %d of its %s healthy, and no more are", desired, wording.Plural(int(expected), "pod"))
	}
	return f
}
