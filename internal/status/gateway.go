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
	answered := j.o.List("status", "parents")
	for _, el := range j.o.List("spec", "parentRefs") {
		name, _ := object.At(el, "name").(string)
		section := object.At(el, "sectionName")
		if name == "" || slices.ContainsFunc(answered, func(p any) bool {
			return acceptedOrNot(p) && object.At(p, "parentRef", "name") == name && (section == nil || object.At(p, "parentRef", "sectionName") == section)
		}) {
			continue
		}
		waits := j.by("parents", "spec.parentRefs status.parents").progress("ParentNotReported", "no controller has answered for the parent "+name+" yet")
		if j.expects(&waits, "its controller is taken for one that never reports") && !waits.Recheck.IsZero() {
			return waits
		}
		return a.noted("no controller has answered for the parent " + name)
	}
	return a
}
