package status

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// ingressPatience is how long an Ingress may be without an address before we
// take its controller for one that never reports any.
const ingressPatience = 5 * time.Minute

func readIngress(c *custom) signal {
	addresses := 0
	for _, el := range c.o.List("status", "loadBalancer", "ingress") {
		if m, ok := el.(map[string]any); ok && (m["ip"] != nil || m["hostname"] != nil) {
			addresses++
		}
	}
	if addresses > 0 {
		return good("address", strconv.Itoa(addresses)+" address"+plural(addresses, "es")+" assigned", atAddresses...)
	}
	if !c.w.Offline && !c.o.Created.IsZero() && c.w.now.Sub(c.o.Created) >= ingressPatience {
		s := good("no-address", "No address is reported", atAddresses...)
		s.note = "no address after " + ingressPatience.String() + ": its controller may be one that never reports any, or none serves its class"
		return s
	}
	s := underway("address", "NoAddress", "Waiting for an address", atAddresses...)
	if !c.w.Offline && !c.o.Created.IsZero() {
		s.recheck, s.what = c.o.Created.Add(ingressPatience), "its controller is taken for one that never reports an address"
	}
	return s
}

// The Gateway API's kinds follow GEP-1364 and gateway-api v1.3
// apis/v1/{gatewayclass,gateway,shared}_types.go: Accepted and ResolvedRefs
// are about what was asked for, Programmed about what has been done.

func readGatewayClass(c *custom) signal {
	i := c.fresh("Accepted")
	switch {
	case c.defaulted():
		return silent("accepted", "No controller has taken the class yet", atConditions...)
	case i < 0 && c.index("Accepted") >= 0:
		return underway("accepted", "GenerationNotObserved", "The conditions describe an older generation", atConditions...)
	case i < 0:
		return silent("accepted", "No controller has taken the class yet", atConditions...)
	case isTrue(&c.o.Conditions[i]):
		s := c.by(Current, i, "accepted")
		if k := c.fresh("SupportedVersion"); k >= 0 && isFalse(&c.o.Conditions[k]) {
			s.note = describe(&c.o.Conditions[k])
		}
		return s
	case isFalse(&c.o.Conditions[i]) && !waits(&c.o.Conditions[i]):
		return c.by(Failed, i, "accepted")
	default:
		return c.by(InProgress, i, "accepted")
	}
}

// defaulted reports whether the conditions are those that the schema puts there
// (kubebuilder:default in gateway_types.go): nobody has spoken.
func (c *custom) defaulted() bool {
	for i := range c.o.Conditions {
		if cond := &c.o.Conditions[i]; cond.Status != "Unknown" || cond.Reason != "Pending" || !cond.LastTransitionTime.IsZero() {
			return false
		}
	}
	return len(c.o.Conditions) > 0
}

// waits reports whether a Gateway API condition that is False only means that
// nobody has come to it yet.
func waits(cond *object.Condition) bool {
	switch cond.Reason {
	case "Pending", "Waiting", "NotReconciled", "AddressNotAssigned", "NoResources":
		return true
	}
	return false
}

func readGateway(c *custom) signal {
	if c.defaulted() {
		return silent("accepted", "No controller has taken it yet", atConditions...)
	}
	var s signals
	s.t = c.w.trace
	judged := 0
	for i := range c.o.Conditions {
		cond := &c.o.Conditions[i]
		if c.o.Stale(cond) {
			continue
		}
		judged++
		if rank := gatewayRank(cond); s.wants(rank) {
			s.ranked(rank, c.at(i, gatewayRule(cond.Type), describe(cond)))
		}
	}
	for i, el := range c.o.List("status", "listeners") {
		m, _ := el.(map[string]any)
		list, _ := m["conditions"].([]any)
		for k, el := range list {
			cm, _ := el.(map[string]any)
			cond := object.ConditionOf(cm)
			if cond.Type == "" || c.o.Stale(&cond) {
				continue
			}
			judged++
			if rank := gatewayRank(&cond); s.wants(rank) {
				name, _ := m["name"].(string)
				sig := below("listeners", i, k, &cond, "Listener "+name)
				sig.rule = "listener"
				s.ranked(rank, sig)
			}
		}
	}
	if c.fresh("Programmed") < 0 && c.fresh("Ready") < 0 && judged > 0 {
		s.progress(underway("programmed", "ProgrammedMissing", "Condition Programmed is not reported yet, which means Unknown", atConditions...))
	}
	return gatewayVerdict(c, &s, judged, len(c.o.Conditions) > 0)
}

// gatewayRule is the rule for a condition, its type in lower case.
func gatewayRule(typ string) string {
	switch typ {
	case "Accepted":
		return "accepted"
	case "Programmed":
		return "programmed"
	case "ResolvedRefs":
		return "resolvedrefs"
	}
	return strings.ToLower(typ)
}

// gatewayRank is what a condition of the Gateway API's kinds amounts to.
func gatewayRank(cond *object.Condition) uint8 {
	switch cond.Type {
	case "Accepted", "ResolvedRefs", "Scheduled":
		switch {
		case isTrue(cond):
			return rankGood
		case isFalse(cond) && !waits(cond):
			return rankFault
		}
		return rankProgress
	case "Programmed", "Ready":
		switch {
		case isTrue(cond):
			return rankGood
		case isFalse(cond) && cond.Reason == "Invalid":
			return rankFault
		}
		return rankProgress
	case "Conflicted", "PartiallyInvalid":
		if isTrue(cond) {
			return rankFault
		}
	}
	return rankNone
}

// below makes a signal of condition k of element i of a list in the status.
func below(list string, i, k int, cond *object.Condition, who string) signal {
	return signal{
		rule: gatewayRule(cond.Type), reason: cond.Reason, message: who + ": " + describe(cond), since: cond.LastTransitionTime,
		paths: []string{"status." + list + "[" + strconv.Itoa(i) + "].conditions[" + strconv.Itoa(k) + "]"},
	}
}

func gatewayVerdict(c *custom, s *signals, judged int, reported bool) signal {
	best, found := s.worst()
	switch {
	case found:
		return best
	case judged > 0:
		return underway("accepted", "AcceptedMissing", "Condition Accepted is not reported yet", atStatus...)
	case reported:
		return underway("staleness", "GenerationNotObserved", "The conditions describe an older generation", atStatus...)
	}
	return silent("accepted", "No controller has taken it yet", atStatus...)
}

// notResponsible reports whether an ancestor's controller says that the target
// is none of its own. Every implementation in a cluster answers every policy;
// such an answer must not outweigh that of the one that is meant.
func notResponsible(conditions []any) bool {
	return slices.ContainsFunc(conditions, func(el any) bool {
		m, _ := el.(map[string]any)
		return m["type"] == "Accepted" && m["status"] != "True" && m["reason"] == "TargetNotFound"
	})
}

// readParents judges a route by each of its parents, or a policy by its
// ancestors. A parent whose controller has not come to this generation is
// passed over while another has.
func readParents(c *custom, field, ref string) signal {
	var s signals
	s.t = c.w.trace
	judged, reported := 0, false
	for i, el := range c.o.List("status", field) {
		m, _ := el.(map[string]any)
		list, _ := m["conditions"].([]any)
		if field == "ancestors" && notResponsible(list) {
			reported = true
			continue
		}
		accepted := false
		for k, el := range list {
			cm, _ := el.(map[string]any)
			cond := object.ConditionOf(cm)
			if cond.Type == "" {
				continue
			}
			reported = true
			if c.o.Stale(&cond) {
				accepted = accepted || cond.Type == "Accepted" // of an older generation
				continue
			}
			judged++
			accepted = accepted || cond.Type == "Accepted"
			if rank := gatewayRank(&cond); s.wants(rank) {
				name, _ := object.At(m, ref, "name").(string)
				s.ranked(rank, below(field, i, k, &cond, name))
			}
		}
		if !accepted && len(list) > 0 {
			name, _ := object.At(m, ref, "name").(string)
			s.progress(underway("accepted", "AcceptedMissing", name+": condition Accepted is not reported yet, which means Unknown", "status."+field+"["+strconv.Itoa(i)+"].conditions"))
		}
	}
	verdict := gatewayVerdict(c, &s, judged, reported)
	if verdict.status == Current && field == "parents" {
		c.parentsToCome(&verdict)
	}
	return verdict
}

// parentsToCome looks for a parent of a route that nobody has answered for. As
// with an Ingress, its controller may be one that never reports: after a while
// that is but a note.
func (c *custom) parentsToCome(s *signal) {
	answered := c.o.List("status", "parents")
	for _, el := range c.o.List("spec", "parentRefs") {
		name, _ := object.At(el, "name").(string)
		section := object.At(el, "sectionName")
		if name == "" || slices.ContainsFunc(answered, func(p any) bool {
			return object.At(p, "parentRef", "name") == name && (section == nil || object.At(p, "parentRef", "sectionName") == section)
		}) {
			continue
		}
		if until := c.o.Created.Add(ingressPatience); c.w.Offline || c.o.Created.IsZero() || !c.w.now.Before(until) {
			s.note = "no controller has answered for the parent " + name
		} else {
			*s = underway("parents", "ParentNotReported", "no controller has answered for the parent "+name+" yet", atParents...)
			s.recheck, s.what = until, "its controller is taken for one that never reports"
		}
		return
	}
}
