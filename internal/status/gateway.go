package status

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// gatewayRoute judges a route of the Gateway API by each of its parents. As with
// an Ingress, the controller of one without an answer may never report: after a
// while that is only a note.
func gatewayRoute(j *judge) Assessment {
	a := rowOfKind(j)
	if a.Status != Current {
		return a
	}
	for _, ref := range j.o.List("spec", "parentRefs") {
		name, _ := object.At(ref, "name").(string)
		answered, fresh := j.answers(ref)
		if name == "" || fresh {
			continue
		}
		waits := j.by("parents", "spec.parentRefs status.parents").progress("ParentNotReported", "no controller has answered for the parent "+name+" yet")
		if answered || j.expects(&waits, "its controller is taken for one that never reports") && !waits.Recheck.IsZero() {
			return waits
		}
		return a.noted("no controller has answered for the parent " + name)
	}
	return a
}

// answers looks for the answer of one of a route's parents, and whether one is
// about this generation (RouteParentStatus in apis/v1/shared_types.go, gateway-api
// v1.3: a namespace that is left out is the route's own).
func (j *judge) answers(ref any) (answered, fresh bool) {
	for _, p := range j.o.List("status", "parents") {
		other := slices.ContainsFunc([]string{"name", "namespace", "sectionName", "port"}, func(field string) bool {
			want, have := object.At(ref, field), object.At(p, "parentRef", field)
			if field == "namespace" && have == nil {
				have = j.o.Namespace
			}
			return want != nil && want != have
		})
		if c := accepted(p); c != nil && !other {
			answered, fresh = true, fresh || !j.o.Stale(c)
		}
	}
	return answered, fresh
}
