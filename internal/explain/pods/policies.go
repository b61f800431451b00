package pods

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// policies adds NetworkPolicies as context. That a policy selects a Pod proves
// nothing: which traffic passes is up to the network plugin. So it is never a
// cause. If a container's log says that it could not reach something, the
// policies that select the Pod for Egress are named.
func policies(in *inspect.Inspector, f *inspect.Finding, line string) {
	if !wording.HasAny(strings.ToLower(line), "timeout", "timed out", "no route to host",
		"etimedout", "ehostunreach", "unreachable", "name resolution", "deadline exceeded") {
		return
	}
	list := in.List("networking.k8s.io", "NetworkPolicy", in.Object.Namespace).Items
	for _, p := range list {
		if outgoing(p) && selectsPod(p, in.Object) {
			f.ProveOn(p.ID, "spec.policyTypes[*]", "Egress")
		}
	}
}

func outgoing(p *object.Object) bool {
	for _, t := range p.List("spec", "policyTypes") {
		if t == "Egress" {
			return true
		}
	}
	return false
}

// selectsPod reports whether a NetworkPolicy applies to a Pod. Its empty
// selector selects every Pod of the namespace.
func selectsPod(policy, pod *object.Object) bool {
	sel := edges.SelectorAt(policy, "spec", "podSelector")
	if len(sel.Match)+len(sel.Exprs) == 0 {
		return policy.Map("spec") != nil
	}
	return edges.Selects(sel, pod)
}
