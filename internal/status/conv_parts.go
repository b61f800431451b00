package status

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// Bounds of what is read below the status.
const (
	maxNested = 2048 // elements of a list
	maxBelow  = 3    // objects within objects
)

// below calls visit for the objects within an object and in its lists, in
// order, with the field that holds each, and for those within them unless it
// returns false.
func below(path string, at map[string]any, depth int, visit func(path, field string, el map[string]any) bool) {
	if depth == 0 {
		return
	}
	one := func(path, field string, v any) {
		if m, ok := v.(map[string]any); ok && visit(path, field, m) {
			below(path, m, depth-1, visit)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(at)) {
		switch v := at[field].(type) {
		case map[string]any:
			one(path+"."+field, field, v)
		case []any:
			for i, el := range v[:min(len(v), maxNested)] {
				one(path+"."+field+"["+strconv.Itoa(i)+"]", field, el)
			}
		}
	}
}

// past reports whether a field is about the past.
func past(field string) bool { return hasWord(field, pastWords) }

// nested are the status fields whose elements have conditions and that the
// whole object depends on, even if its summary is True: Gateway API's parents,
// ancestors and listeners, OpenShift's ingress.
var nested = map[string]bool{"parents": true, "ancestors": true, "listeners": true, "ingress": true, "parentStatuses": true, "controllers": true}

// nestedConditions reads conditions below status.
func (s *signals) nestedConditions(status map[string]any) {
	for _, field := range [...]string{"parents", "ancestors"} {
		list, _ := status[field].([]any)
		for i, el := range list {
			if accepted(el) == nil && slices.ContainsFunc(list, func(el any) bool { return accepted(el) != nil }) {
				s.progress(Assessment{
					Rule: "convention.nested", Reason: "AcceptedMissing",
					Message: "Condition Accepted is not reported yet, which means Unknown",
					Paths:   []string{"status." + field + "[" + strconv.Itoa(i) + "].conditions"},
				})
			}
		}
	}
	var stale *Assessment                // of the first condition that describes an older generation
	present := s.j.staleness().present() // something else describes the present one
	below("status", status, maxBelow, func(path, field string, el map[string]any) bool {
		if s.rootTrue && !nested[field] || field == "conditions" || past(field) {
			return false
		}
		list, _ := el["conditions"].([]any)
		for i, el := range list[:min(len(list), maxNested)] {
			m, ok := el.(map[string]any)
			if !ok {
				continue
			}
			at := path + ".conditions[" + strconv.Itoa(i) + "]"
			if cond := object.ConditionOf(m); !s.o.Stale(&cond) {
				present = present || cond.Type != ""
				s.nestedCondition(at, m)
			} else if stale == nil && cond.Type != "" {
				stale = &Assessment{
					Rule: "convention.nested", Reason: reasonNotObserved, Paths: []string{"metadata.generation", at + ".observedGeneration"},
					Message: fmt.Sprintf("Condition %s describes generation %d, not %d", cond.Type, cond.ObservedGeneration.V, s.o.Generation.V),
				}
			}
		}
		return true
	})
	// One of several may be of a controller that is gone, or of an object with a generation of its
	// own. Where all are older, and nothing else is about the present spec, nobody has looked at it yet.
	if stale != nil && !present && !s.rootTrue {
		s.progress(*stale)
	}
}

// accepted is the condition Accepted of an element of a list (GEP-713: each
// ancestor of a policy, each parent of a route), or nil.
func accepted(el any) *object.Condition {
	list, _ := object.At(el, "conditions").([]any)
	for _, el := range list {
		if m := asMap(el); m["type"] == "Accepted" {
			return new(object.ConditionOf(m))
		}
	}
	return nil
}

func (s *signals) nestedCondition(path string, el map[string]any) {
	cond := object.ConditionOf(el)
	if cond.Type == "" {
		return
	}
	sense := s.j.sense(cond.Type)
	sig := Assessment{
		Rule: "convention.nested", Reason: cond.Reason, Message: describe(&cond),
		Since: cond.LastTransitionTime, Paths: []string{path + ".status", path + ".reason"},
	}
	no := isFalse(&cond) || sense == registry.State && saysNo(&cond)
	switch class := classify(cond.Reason); {
	case !isTrue(&cond) && !no && cond.Status != "Unknown" && sense != registry.Fault && sense != registry.Soft:
		// Its status is a word: NetworkConnectionStatus, Error.
		switch word, doubtful := statusWord(&cond, sense); {
		case word > wordGood || word == wordGood && !s.rootTrue:
			s.class(word, sig)
		case doubtful && !s.rootTrue:
			s.unknown(sig)
		}
	case isTrue(&cond) && sense == registry.Fault:
		s.fault(sig)
	case isTrue(&cond) && sense == registry.Activity && !rolledOut(&cond):
		s.progress(sig)
	case sense != registry.State:
	case isTrue(&cond) && !s.rootTrue:
		s.good(sig)
	case no && class != wordProgress && class != wordPending && (cond.Reason != "" || cond.Message != ""):
		s.fault(sig)
	case no, cond.Status == "Unknown":
		s.progress(sig)
	}
}

// parts reads the fields of what the object is made of:
// status.applicationState.state, status.members[].health. If there are only
// good signals so far, a bad state below still counts: conditions about
// completed steps do not cover it. Below a summary only parts count that the
// controller itself calls failing, as a condition that is False for a bad
// reason does; the health of a member that the summary covers, and what has
// ended (backups, jobs), does not. A word sums up less than a condition: the
// state of a single part beside it counts (operationalStatus and
// provisioning.state). History never counts.
func (s *signals) parts(status map[string]any) {
	if s.rank > rankGood || s.soft != nil {
		return
	}
	parts, rooted := newSignals(s.j), s.j.root() >= 0
	below("status", status, maxBelow, func(path, field string, el map[string]any) bool {
		switch {
		case field == "conditions", past(field), s.summed && bounded(strings.TrimSuffix(upperFirst(field), "s")):
			return false
		case s.summed && (rooted || path != "status."+field):
			parts.failing(path, el)
		default:
			parts.fields(path, el, part)
		}
		return true
	})
	s.take(&parts)
}

// failingParts reads the parts of an object that a word sums up: its state is Accepted, and that of one of
// its subresourceStatuses Rejected.
func (s *signals) failingParts(status map[string]any) {
	if s.rank > rankGood {
		return
	}
	below("status", status, maxBelow, func(path, field string, el map[string]any) bool {
		if field == "conditions" || past(field) || bounded(strings.TrimSuffix(upperFirst(field), "s")) {
			return false
		}
		s.failing(path, el)
		return true
	})
}

// failing adds the phase of a failing part.
func (s *signals) failing(path string, at map[string]any) {
	for _, f := range [...]string{"phase", "state", "status", "verdict", "result"} {
		if word, _ := at[f].(string); at["type"] == nil && classify(word) == wordBad {
			s.fault(inField("convention.part", path+"."+f, word, at))
			return
		}
	}
}
