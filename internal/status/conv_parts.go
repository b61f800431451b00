package status

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// maxNested bounds the elements that are read of a list.
const maxNested = 2048

// parts are the objects in a list or map, with their paths.
func parts(path string, v any) iter.Seq2[string, map[string]any] {
	return func(yield func(string, map[string]any) bool) {
		switch v := v.(type) {
		case []any:
			for i, el := range v[:min(len(v), maxNested)] {
				if m, ok := el.(map[string]any); ok && !yield(path+"["+strconv.Itoa(i)+"]", m) {
					return
				}
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if m, ok := v[name].(map[string]any); ok && !yield(path+"."+name, m) {
					return
				}
			}
		}
	}
}

// past reports whether a field is about the past.
func past(field string) bool { return hasWord(field, pastWords) }

// nested are the status fields whose elements have conditions and that the
// whole object depends on: Gateway API's parents, ancestors and listeners,
// OpenShift's ingress.
var nested = map[string]bool{"parents": true, "ancestors": true, "listeners": true, "ingress": true, "parentStatuses": true, "controllers": true}

// nestedSignals reads conditions one level below status.
func (j *judge) nestedSignals(s *signals) {
	status := asMap(j.o.Tree["status"])
	for _, field := range j.statusFields() {
		path := "status." + field
		switch v := status[field].(type) {
		case map[string]any:
			if !s.rootTrue {
				j.nestedConditions(s, path, v)
			}
		case []any:
			if s.rootTrue && !nested[field] {
				continue
			}
			accepts := (field == "parents" || field == "ancestors") && slices.ContainsFunc(v, acceptedOrNot)
			for path, el := range parts(path, v) {
				if accepts && !acceptedOrNot(el) {
					s.progress(Assessment{Rule: "convention.nested", Reason: "AcceptedMissing", Message: "Condition Accepted is not reported yet, which means Unknown", Paths: []string{path + ".conditions"}})
				}
				j.nestedConditions(s, path, el)
			}
		}
	}
}

// acceptedOrNot reports whether an element of a list has an Accepted condition
// (GEP-713: each ancestor of a policy, each parent of a route).
func acceptedOrNot(el any) bool {
	list, _ := object.At(el, "conditions").([]any)
	return slices.ContainsFunc(list, func(el any) bool { return object.At(el, "type") == "Accepted" })
}

func (j *judge) nestedConditions(s *signals, path string, m map[string]any) {
	list, _ := m["conditions"].([]any)
	for p, el := range parts(path+".conditions", list) {
		cond := object.ConditionOf(el)
		if cond.Type == "" || j.o.Stale(&cond) {
			continue
		}
		sense, _ := j.sense(cond.Type)
		sig := Assessment{
			Rule: "convention.nested", Reason: cond.Reason, Message: describe(&cond),
			Since: cond.LastTransitionTime, Paths: []string{p + ".status", p + ".reason"},
		}
		switch class := classify(cond.Reason); {
		case isTrue(&cond) && sense == registry.Fault:
			s.fault(sig)
		case isTrue(&cond) && sense == registry.Activity && !rolledOut(&cond):
			s.progress(sig)
		case sense != registry.State:
		case isTrue(&cond) && !s.rootTrue:
			s.good(sig)
		case isFalse(&cond) && class != wordProgress && class != wordPending:
			s.fault(sig)
		case isFalse(&cond), cond.Status == "Unknown":
			s.progress(sig)
		}
	}
}

// nestedWords reads states one level below, if there is no other signal:
// status.applicationState.state, status.statuses.*.state,
// status.members[].health. If all signals are good ones of parts, a bad state
// one level below still counts: conditions about completed steps do not cover
// it. Below a summary only parts count that the controller itself calls
// failing, as a condition that is False for a bad reason does; the health of a
// member that the summary covers, and what has ended (backups, jobs), does not.
// History never counts.
func (j *judge) nestedWords(s *signals) {
	if s.rank > rankGood || s.soft != nil {
		return
	}
	s.badOnly = s.rank > rankNone
	status := asMap(j.o.Tree["status"])
	for _, field := range j.statusFields() {
		path := "status." + field
		switch at, isMap := status[field].(map[string]any); {
		case past(field), s.summed && bounded(strings.TrimSuffix(upperFirst(field), "s")):
		case !s.summed && isMap && j.wordsOf(s, path, at):
		default:
			for path, el := range parts(path, status[field]) {
				if s.summed {
					s.failing(path, el)
				} else {
					j.wordsOf(s, path, el)
				}
			}
		}
	}
}

// failing adds the phase of a failing part.
func (s *signals) failing(path string, at map[string]any) {
	for _, f := range [...]string{"phase", "status"} {
		if word, _ := at[f].(string); at["type"] == nil && classify(word) == wordBad {
			s.fault(said("convention.part", path+"."+f, word, at))
			return
		}
	}
}

// wordsOf reads a part's own states.
func (j *judge) wordsOf(s *signals, path string, at map[string]any) (found bool) {
	for _, field := range [...]string{"ready", "healthy", "available", "synced", "inSync", "passed", "success"} {
		if value, ok := truth(at[field]); ok {
			found = s.flag("convention.nested-boolean", path+"."+field, value, cmp.Or(flags[field], InProgress), at) || found
		}
	}
	for _, field := range [...]string{"state", "phase", "health", "status"} {
		word, _ := at[field].(string)
		if field == "health" && strings.EqualFold(word, "unknown") {
			s.unknown(said("convention.nested-phase", path+"."+field, word, at))
			found = true
		}
		found = j.union(s, path+"."+field, at[field]) || j.word(s, "convention.nested-phase", path+"."+field, word, at) || found
	}
	return found
}

// word adds the signal of a part's state, or of an attempt's result.
func (j *judge) word(s *signals, rule, path, word string, at map[string]any) bool {
	class := j.stateClass(word)
	if class == wordNone || class == wordPaused || class == wordGood && s.badOnly {
		return false
	}
	sig := said(rule, path, word, at)
	sig.Terminal = class == wordBad && bounded(j.o.Kind) && strings.Count(path, ".") == 1
	return s.class(class, sig)
}

// union reads a state in the style of a container's (core/v1, ContainerState):
// an object with one member that is named after the state and explains it, as
// in state.waiting.reason. It reports whether there is one.
func (j *judge) union(s *signals, path string, v any) bool {
	m := asMap(v)
	if len(m) != 1 {
		return false
	}
	for word, inner := range m {
		at, ok := inner.(map[string]any)
		if !ok {
			return false
		}
		reason, _ := at["reason"].(string)
		sig := said("convention.union", path+"."+word, word, at)
		sig.Reason = reasonWord(reason)
		class := j.stateClass(word)
		switch code, exited := at["exitCode"].(int64); {
		case exited && code == 0, word == "terminated" && classify(reason) == wordGood:
			class = wordGood
		case exited:
			class, sig.Terminal = wordBad, bounded(j.o.Kind)
		case classify(word) == wordGood:
		case classify(reason) == wordBad:
			class = wordBad
		}
		return (class != wordGood || s.rank <= rankGood && !s.badOnly) && s.class(class, sig)
	}
	return false
}
