package pods

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// policies adds NetworkPolicies as context. That a policy selects a Pod proves
// nothing: which traffic passes is up to the network plugin. So it is never a
// cause. If a container's log says that it could not reach something, the
// policies that select the Pod for Egress are named; and if it could not resolve a name,
// and none of them has a rule for DNS, the title says so.
func policies(in *inspect.Inspector, f *inspect.Finding, line string) {
	if !wording.HasAny(strings.ToLower(line), "timeout", "timed out", "no route to host",
		"etimedout", "ehostunreach", "unreachable", "name resolution", "deadline exceeded", "eai_again") {
		return
	}
	var names []string
	resolves := false
	list := in.List("networking.k8s.io", "NetworkPolicy", in.Object.Namespace)
	for _, p := range list.Items {
		if outgoing(p) && selectsPod(p, in.Object) {
			f.ProveOn(p.ID, "spec.policyTypes[*]", "Egress")
			names = append(names, p.Name)
			resolves = resolves || permitsDNS(p)
		}
	}
	low := strings.ToLower(line)
	unresolved := wording.HasAny(low, "name resolution", "eai_again") ||
		strings.Contains(low, "lookup ") && wording.HasAny(low, ":53", "i/o timeout")
	if len(names) > 0 && !resolves && unresolved && list.Complete {
		f.Also("no egress rule of NetworkPolicy %s permits DNS (port 53)", wording.Names(names, 4))
		f.Next = append(f.Next, in.Kubectl("describe", "networkpolicies"))
	}
}

// permitsDNS reports whether a rule of a NetworkPolicy lets Pods reach a DNS server: one for
// port 53 or for all ports, unless it leads to Pods of the same namespace alone. Others only
// serve DNS in kube-system.
func permitsDNS(policy *object.Object) bool {
	for _, rule := range fields.Each(policy.List("spec", "egress")) {
		port := len(rule.List("ports")) == 0
		for _, m := range fields.Each(rule.List("ports")) {
			from, number := object.Integer(m["port"])
			end, _ := object.Integer(m["endPort"])
			port = port || m["port"] == nil || !number || from == 53 || from < 53 && end >= 53
		}
		peer := len(rule.List("to")) == 0 || policy.Namespace == "kube-system"
		for _, m := range fields.Each(rule.List("to")) {
			peer = peer || m["namespaceSelector"] != nil || m["ipBlock"] != nil
		}
		if port && peer {
			return true
		}
	}
	return false
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
