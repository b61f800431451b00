package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The Gateway API's kinds follow GEP-1364 and gateway-api v1.3
// apis/v1/{gatewayclass,gateway,shared}_types.go: Accepted and ResolvedRefs
// are about what was asked for, Programmed about what has been done.

func gatewayClass(j *judge) Assessment {
	j.by("accepted", "status.conditions")
	i := j.fresh("Accepted")
	switch {
	case j.defaulted():
		return j.silent("No controller has taken the class yet")
	case i < 0 && j.index("Accepted") >= 0:
		return j.progress("GenerationNotObserved", "The conditions describe an older generation")
	case i < 0:
		return j.silent("No controller has taken the class yet")
	}
	a := j.judged(gatewayStatus(&j.o.Conditions[i]), i, "accepted")
	if k := j.fresh("SupportedVersion"); a.Status == Current && k >= 0 && isFalse(&j.o.Conditions[k]) {
		a.Note = describe(&j.o.Conditions[k])
	}
	return a
}

// defaulted reports whether the conditions are the schema's defaults
// (kubebuilder:default in gateway_types.go): no controller has written any.
func (j *judge) defaulted() bool {
	return len(j.o.Conditions) > 0 && !slices.ContainsFunc(j.o.Conditions, func(c object.Condition) bool {
		return c.Status != "Unknown" || c.Reason != "Pending" || !c.LastTransitionTime.IsZero()
	})
}

// gateway judges a Gateway or ListenerSet by its own and its listeners'
// conditions.
func gateway(j *judge) Assessment {
	if j.defaulted() {
		return j.by("accepted", "status.conditions").silent("No controller has taken it yet")
	}
	s := signals{trace: j.trace}
	fresh := 0
	for i := range j.o.Conditions {
		if c := &j.o.Conditions[i]; !j.o.Stale(c) {
			fresh++
			s.status(gatewayStatus(c), j.at(i, strings.ToLower(c.Type), describe(c)))
		}
	}
	for i, listener := range j.o.List("status", "listeners") {
		name, _ := object.At(listener, "name").(string)
		n, _ := j.conditionsBelow(&s, "listener", fmt.Sprintf("status.listeners[%d]", i), "Listener "+name, listener)
		fresh += n
	}
	if j.fresh("Programmed") < 0 && j.fresh("Ready") < 0 && fresh > 0 {
		s.progress(j.by("programmed", "status.conditions").progress("ProgrammedMissing", "Condition Programmed is not reported yet, which means Unknown"))
	}
	return j.gatewayVerdict(&s, fresh, len(j.o.Conditions) > 0)
}

// gatewayRoute judges a route by each of its parents.
func gatewayRoute(j *judge) Assessment {
	a := j.answers("parents", "parentRef")
	if a.Status == Current {
		return j.parentsToCome(a)
	}
	return a
}

// gatewayPolicy judges a policy by each of its ancestors.
func gatewayPolicy(j *judge) Assessment { return j.answers("ancestors", "ancestorRef") }

// answers reads the conditions of parents or ancestors. One about an older
// generation is ignored if another is up to date.
func (j *judge) answers(field, ref string) Assessment {
	s := signals{trace: j.trace}
	fresh, reported := 0, false
	for i, el := range j.o.List("status", field) {
		path := fmt.Sprintf("status.%s[%d]", field, i)
		conditions, _ := object.At(el, "conditions").([]any)
		reported = reported || len(conditions) > 0
		if len(conditions) == 0 || field == "ancestors" && notResponsible(conditions) {
			continue
		}
		name, _ := object.At(el, ref, "name").(string)
		n, accepted := j.conditionsBelow(&s, "", path, name, el)
		if fresh += n; !accepted {
			s.progress(j.by("accepted", path+".conditions").progress("AcceptedMissing", name+": condition Accepted is not reported yet, which means Unknown"))
		}
	}
	return j.gatewayVerdict(&s, fresh, reported)
}

// conditionsBelow reads the conditions of an element of a status list, each by
// the given rule or its type, counts those about this generation, and reports
// whether Accepted is among all of them.
func (j *judge) conditionsBelow(s *signals, rule, path, who string, el any) (fresh int, accepted bool) {
	conditions, _ := object.At(el, "conditions").([]any)
	for k, el := range conditions {
		c := object.ConditionOf(asMap(el))
		accepted = accepted || c.Type == "Accepted"
		if c.Type == "" || j.o.Stale(&c) {
			continue
		}
		fresh++
		s.status(gatewayStatus(&c), Assessment{
			Rule: cmp.Or(rule, strings.ToLower(c.Type)), Reason: c.Reason, Message: who + ": " + describe(&c), Since: c.LastTransitionTime,
			Paths: []string{fmt.Sprintf("%s.conditions[%d]", path, k)},
		})
	}
	return fresh, accepted
}

// gatewayStatus is the status of a Gateway API condition; "" is none.
func gatewayStatus(c *object.Condition) Status {
	switch c.Type {
	case "Accepted", "ResolvedRefs", "Scheduled":
		switch {
		case isTrue(c):
			return Current
		case isFalse(c) && !waits(c):
			return Failed
		}
		return InProgress
	case "Programmed", "Ready":
		switch {
		case isTrue(c):
			return Current
		case isFalse(c) && c.Reason == "Invalid":
			return Failed
		}
		return InProgress
	case "Conflicted", "PartiallyInvalid":
		if isTrue(c) {
			return Failed
		}
	}
	return ""
}

// waits reports whether a False condition of the Gateway API only means that no
// controller has processed it yet.
func waits(c *object.Condition) bool {
	switch c.Reason {
	case "Pending", "Waiting", "NotReconciled", "AddressNotAssigned", "NoResources":
		return true
	}
	return false
}

func (j *judge) gatewayVerdict(s *signals, fresh int, reported bool) Assessment {
	best, found := s.worst()
	switch {
	case found:
		return best
	case fresh > 0:
		return j.by("accepted", "status").progress("AcceptedMissing", "Condition Accepted is not reported yet")
	case reported:
		return j.by("staleness", "status").progress("GenerationNotObserved", "The conditions describe an older generation")
	}
	return j.by("accepted", "status").silent("No controller has taken it yet")
}

// notResponsible reports whether an ancestor's controller says that the target
// is not its own. Every implementation in a cluster answers every policy; such
// an answer must not override that of the responsible one.
func notResponsible(conditions []any) bool {
	return slices.ContainsFunc(conditions, func(el any) bool {
		return object.At(el, "type") == "Accepted" && object.At(el, "status") != "True" && object.At(el, "reason") == "TargetNotFound"
	})
}

// parentsToCome looks for a parent of a route without an answer. As with an
// Ingress, its controller may never report: after a while that is only a note.
func (j *judge) parentsToCome(a Assessment) Assessment {
	answered := j.o.List("status", "parents")
	for _, el := range j.o.List("spec", "parentRefs") {
		name, _ := object.At(el, "name").(string)
		section := object.At(el, "sectionName")
		if name == "" || slices.ContainsFunc(answered, func(p any) bool {
			return object.At(p, "parentRef", "name") == name && (section == nil || object.At(p, "parentRef", "sectionName") == section)
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
