package explain

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// evicting finds EvictionBlocked: a node is being drained, and a
// PodDisruptionBudget allows no eviction. Such a budget blocks nothing else, so
// it is only reported if the draining controller says so: Cluster API in a
// condition of the Machine, Karpenter in an event about the NodeClaim or Node.
// kubectl drain leaves no record.
func evicting(l *look) {
	if l.o.Deleted.IsZero() && l.o.GroupKind() != "cluster.x-k8s.io/Machine" {
		return
	}
	for i := range l.o.Conditions {
		x := &l.o.Conditions[i]
		// The eviction API's message (kubernetes pkg/registry/core/pod/storage,
		// v1.36), as Cluster API quotes it (internal/controllers/machine/drain,
		// v1.11).
		name := between(x.Message, "The disruption budget ", " needs ")
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
		f := l.blocked(object.ID{Group: "policy", Kind: "PodDisruptionBudget", Namespace: namespace, Name: name}, "pod "+pods[len(pods)-1])
		f.proveCondition(l.o.ID, x)
		return
	}
	// Karpenter's message (pkg/controllers/disruption/events and
	// node/termination/terminator/events, v1.8).
	if e, ok := l.event(l.o.ID, "FailedDraining", "DisruptionBlocked"); ok {
		where := between(e.Message, "PodDisruptionBudget=[", "]")
		if where == "" {
			where = between(e.Message, `PDB "`, `"`)
		}
		namespace, name, ok := strings.Cut(where, "/")
		if !ok {
			return
		}
		f := l.blocked(object.ID{Group: "policy", Kind: "PodDisruptionBudget", Namespace: namespace, Name: name}, "any pod")
		f.proveEvent(e)
	}
}

// drained is the node that is being drained.
func (l *look) drained() string {
	name := cmp.Or(l.o.Str("status", "nodeRef", "name"), l.o.Str("status", "nodeName"))
	if l.o.Kind == "Node" {
		name = l.o.Name
	}
	if name == "" {
		return "the node of " + l.o.ID.String()
	}
	return "node " + name
}

func (l *look) blocked(id object.ID, pod string) *Finding {
	f := l.find("EvictionBlocked", "PodDisruptionBudget %s/%s does not let %s be evicted, so %s cannot be drained", id.Namespace, id.Name, pod, l.drained())
	f.Subject = Subject{ID: id}
	f.Key, f.Shared = id.Namespace+"/"+id.Name, true // it blocks every node's drain
	f.Next = []string{command(id.Namespace, "describe", "poddisruptionbudget", id.Name)}
	b := l.object(id)
	if b == nil {
		l.lacks(f, "disruption budgets in "+id.Namespace, id)
		f.Certainty = Likely
		return f
	}
	allowed, healthy := b.Int("status", "disruptionsAllowed"), b.Int("status", "currentHealthy").V
	desired, expected := b.Int("status", "desiredHealthy").V, b.Int("status", "expectedPods").V
	f.prove(id, "status.disruptionsAllowed", allowed.V)
	f.prove(id, "status.currentHealthy", healthy)
	f.prove(id, "status.desiredHealthy", desired)
	switch {
	case allowed.V > 0:
		f.Class = Waits
		f.Title = "PodDisruptionBudget " + id.Namespace + "/" + id.Name + " has held the eviction of pods up, and allows it again"
	case desired >= expected && expected > 0:
		f.Title += fmt.Sprintf(": it wants all of its %s healthy, always", plural(int(expected), "pod"))
	case healthy < desired:
		f.Class = Retries
		f.Title += fmt.Sprintf(": %s, and it wants %d", plural(int(healthy), "healthy pod"), desired)
	default:
		f.Class = Retries
		f.Title += fmt.Sprintf(": it wants %d of its %s healthy, and no more are", desired, plural(int(expected), "pod"))
	}
	return f
}
