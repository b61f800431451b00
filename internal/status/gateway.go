package status

import (
	"maps"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// gatewayRoute judges a route of the Gateway API by the parents that it names, and by
// every condition of each. What stands in its status about another parent is of no
// consequence: controllers leave it there. As with an Ingress, the controller of a parent
// without an answer may never report: after a while that is only a note.
func gatewayRoute(j *judge) Assessment {
	whole := j.o
	j.o = ofNamedParents(whole)
	defer func() { j.o = whole }()
	a := rowOfKind(j)
	if a.Status != Current {
		return a
	}
	if other, found := j.parentConditions(); found {
		return other
	}
	for _, ref := range j.o.List("spec", "parentRefs") {
		name, _ := object.At(ref, "name").(string)
		answered, fresh := answers(j.o, ref)
		if name == "" || fresh {
			continue
		}
		waits := j.by("parents", "spec.parentRefs status.parents").progress("ParentNotReported",
			"no controller has answered for the parent "+name+" yet")
		if answered || j.expects(&waits, "it becomes Current even without an answer") && !waits.Recheck.IsZero() {
			return waits
		}
		return j.lapsed(waits, a.noted("no controller has answered for the parent "+name))
	}
	return a
}

// ofNamedParents is a route without what its status says of parents that its spec does
// not name.
func ofNamedParents(route *object.Object) *object.Object {
	refs, parents := route.List("spec", "parentRefs"), route.List("status", "parents")
	named := func(parent any) bool {
		return slices.ContainsFunc(refs, func(ref any) bool { return isParent(route, ref, parent) })
	}
	if len(refs) == 0 || !slices.ContainsFunc(parents, func(p any) bool { return !named(p) }) {
		return route
	}
	status := maps.Clone(asMap(route.Tree["status"]))
	status["parents"] = slices.DeleteFunc(slices.Clone(parents), func(p any) bool { return !named(p) })
	out := *route
	out.Tree = maps.Clone(route.Tree)
	out.Tree["status"] = status
	return &out
}

// isParent reports whether an entry of a route's status is about a parent that the spec
// names (RouteParentStatus in apis/v1/shared_types.go, gateway-api v1.3: a namespace that
// is left out is the route's own, a kind is Gateway).
func isParent(route *object.Object, ref, entry any) bool {
	defaults := map[string]any{"namespace": route.Namespace, "group": "gateway.networking.k8s.io", "kind": "Gateway"}
	for _, field := range [...]string{"group", "kind", "namespace", "name", "sectionName", "port"} {
		want, have := object.At(ref, field), object.At(entry, "parentRef", field)
		if usual, ok := defaults[field]; ok {
			want, have = orElse(want, usual), orElse(have, usual)
		}
		a, _ := object.Text(want)
		b, _ := object.Text(have)
		if want != nil && a != b {
			return false
		}
	}
	return true
}

func orElse(v, otherwise any) any {
	if v == nil {
		return otherwise
	}
	return v
}

// answers looks for the answer of one of a route's parents, and whether one is about
// this generation.
func answers(route *object.Object, ref any) (answered, fresh bool) {
	for _, p := range route.List("status", "parents") {
		if c := accepted(p); c != nil && isParent(route, ref, p) {
			answered, fresh = true, fresh || !route.Stale(c)
		}
	}
	return answered, fresh
}

// parentConditions judges the conditions of a route's parents that the Gateway API does
// not define, by their names: implementations add some (Kong's Programmed, GKE's
// Reconciled).
func (j *judge) parentConditions() (a Assessment, found bool) {
	s := newSignals(j)
	s.summed = true
	for _, p := range j.o.List("status", "parents") {
		conditions, _ := object.At(p, "conditions").([]any)
		for _, entry := range conditions {
			m, _ := entry.(map[string]any)
			switch m["type"] {
			case "Accepted", "ResolvedRefs", "PartiallyInvalid":
				continue
			}
			c := object.ConditionOf(m)
			if j.o.Stale(&c) {
				continue
			}
			sig := j.by("parentCondition", "status.parents[].conditions").is("", c.Reason,
				describe(&c)).since(c.LastTransitionTime)
			sense, word := j.sense(c.Type), classify(c.Reason)
			switch {
			case sense == registry.State && isTrue(&c), sense == registry.Fault && isFalse(&c):
			case sense == registry.State && isFalse(&c) && word != wordProgress &&
				word != wordPending, sense == registry.Fault && isTrue(&c):
				s.fault(sig)
			case sense == registry.State:
				s.progress(sig)
			}
		}
	}
	return s.worst()
}
