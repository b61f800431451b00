package explain

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// policies is G17. That a NetworkPolicy selects a pod proves nothing: what it lets
// through is for the network plugin to say, if there is one that cares. So it is
// never a cause. Where a container's own words tell that something could not be
// reached, the policies that select the pod for its outgoing traffic stand beside them
// as context: what is claimed of them is that they are for Egress.
func (l *look) policies(f *Finding, line string) {
	if !hasAny(strings.ToLower(line), "timeout", "timed out", "no route to host", "etimedout", "ehostunreach", "unreachable", "name resolution", "deadline exceeded") {
		return
	}
	list, _ := l.list("networking.k8s.io", "NetworkPolicy", l.o.Namespace)
	for _, p := range list {
		if outgoing(p) && selectsPod(p, l.o) {
			f.prove(p.ID, "spec.policyTypes[*]", "Egress")
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

// selectsPod reports whether a NetworkPolicy applies to a pod. Unlike others' its
// empty selector takes every pod of the namespace.
func selectsPod(policy, pod *object.Object) bool {
	sel := edges.SelectorAt(policy, "spec", "podSelector")
	if len(sel.Match)+len(sel.Exprs) == 0 {
		return policy.Map("spec") != nil
	}
	return edges.Selects(sel, pod)
}
