package status

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// emptyStatus reports whether the controller has said nothing yet.
func (j *judge) emptyStatus() bool {
	return len(j.o.Conditions) == 0 && object.Empty(j.o.Tree["status"])
}

// fieldSignals reads the fields of status that controllers use beside
// conditions, or instead of them: error texts, words for the phase, booleans,
// counters.
func (j *judge) fieldSignals(s *signals) {
	status, _ := j.o.Tree["status"].(map[string]any)
	if len(status) == 0 {
		return
	}
	j.errorFields(s, status)
	j.wordFields(s, status)
	j.boolFields(s, status)
	j.counters(s, status)
	j.revisions(s, "status", status, 0)
}

// errorFields: failureReason and failureMessage are terminal by Cluster API's
// contract; other error texts may be left over from before, so that a root
// that is True, or a good phase, outweighs them.
func (j *judge) errorFields(s *signals, status map[string]any) {
	for _, field := range [...]string{"failureMessage", "failureReason"} {
		if text := errorText(status[field]); text != "" {
			reason, _ := status["failureReason"].(string)
			s.fault(Assessment{Rule: "convention.failure-message", Reason: reason, Message: text, Terminal: true, Paths: []string{"status." + field}})
			return
		}
	}
	if s.rootTrue {
		return
	}
	for _, field := range [...]string{"error", "errorMessage", "errMsg", "errorMsg", "errorDescription", "reconcileError", "lastError", "lastErrors", "errorReason"} {
		if field == "lastErrors" && status["lastOperation"] == nil {
			continue // whose last errors, nobody says
		}
		if text := errorText(status[field]); text != "" && !outlived(status[field], status["lastOperation"]) {
			s.fault(Assessment{Rule: "convention.error", Reason: "Error", Message: text, Paths: []string{"status." + field}})
			return
		}
	}
}

// outlived reports whether an operation that calls itself succeeded ended after
// the error did: then it is left over. Without both dates the error counts, as
// who keeps one takes it away with the next success (gardener,
// pkg/apis/core/v1beta1, Shoot's lastOperation and lastErrors).
func outlived(failure, operation any) bool {
	if list, ok := failure.([]any); ok {
		for _, el := range list {
			if !outlived(el, operation) {
				return false
			}
		}
		return true
	}
	state, _ := object.At(operation, "state").(string)
	ended, _ := object.At(operation, "lastUpdateTime").(string)
	failed, _ := object.At(failure, "lastUpdateTime").(string)
	observed, _ := object.At(failure, "observedAt").(string) // etcd-druid
	end, err := time.Parse(time.RFC3339, ended)
	fail, err2 := time.Parse(time.RFC3339, cmp.Or(failed, observed))
	return classify(state) == wordGood && err == nil && err2 == nil && end.After(fail)
}

// errorText is the text of an error field: a string, the message of an object,
// or that of the first in a list.
func errorText(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	text, _ := v.(string)
	for _, field := range [...]string{"description", "message"} {
		if t, ok := object.At(v, field).(string); ok && t != "" {
			text = t
		}
	}
	text = strings.TrimSpace(text)
	switch strings.ToLower(text) {
	case "none", "null", "nil", "<nil>", "noerror", "no error", "no errors", "n/a", "ok":
		return "" // a word for nothing
	}
	return text
}

// phaseFields are the names that controllers give to the word for the state of
// the whole object. For these even a word that we do not know is a statement.
var phaseFields = [...]string{"phase", "state", "health", "status", "currentState", "currentPhase", "currentStatus", "overallStatus", "overallState"}

// soloStates are the numbers of core.solo.io's Status (solo-io/solo-kit,
// api/v1/status.proto), which every kind made with that library carries.
var soloStates = map[string]string{"0": "Pending", "1": "Accepted", "2": "Rejected", "3": "Warning"}

func (j *judge) wordFields(s *signals, status map[string]any) {
	told := s.rank > rankNone
	for _, field := range phaseFields {
		switch word := status[field].(type) {
		case string:
			if word != "" {
				j.wordSignal(s, "status."+field, word, !told, status)
			}
		case int64, float64:
			// A number for a state means something to its controller alone, unless
			// it is solo-kit's, which names who reported it.
			text, _ := object.Text(word)
			if name := soloStates[text]; name != "" && field == "state" && status["reportedBy"] != nil {
				j.wordSignal(s, "status."+field, name, false, status)
			} else if !told {
				j.wordSignal(s, "status."+field, text, true, status)
			}
		}
	}
	if s.rootTrue {
		return
	}
	// Names like PostgresClusterStatus and deploymentState.
	for _, field := range j.statusFields() {
		stateful := hasSuffixFold(field, "status") || hasSuffixFold(field, "state") || hasSuffixFold(field, "phase")
		if stateful && j.union(s, "status."+field, status[field]) {
			continue
		}
		word, ok := status[field].(string)
		if !ok || word == "" || len(word) > 64 || slices.Contains(phaseFields[:], field) {
			continue
		}
		if stateful || hasSuffixFold(field, "health") {
			j.wordSignal(s, "status."+field, word, false, status)
		} else if sense, _ := conditionSense(upperFirst(field)); sense == registry.State && reasonWord(word) != "" {
			// Named like a condition: status.compliant is NonCompliant.
			j.wordSignal(s, "status."+field, word, false, status)
		}
	}
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// wordSignal judges one word for a state. Only where nothing else has spoken
// does a word that we do not know make the object Unknown.
func (j *judge) wordSignal(s *signals, path, word string, lonely bool, status map[string]any) {
	sig := Assessment{Rule: "convention.phase", Reason: reasonWord(word), Message: phaseMessage(path, word, status), Paths: []string{path}}
	class := classify(word)
	if class == wordGood && (bounded(j.o.Kind) && under(word) || ofAStep(path, status)) {
		class = wordProgress
	}
	if class == wordGood && s.rank > rankGood {
		return
	}
	if class == wordPaused && s.rootTrue {
		class = wordGood
	}
	if class == wordNone {
		if strings.EqualFold(word, "unknown") || lonely {
			if !s.rootTrue && s.rank <= rankGood {
				sig.Message = path + " is " + strconv.Quote(word) + ", a word that is not known to mean ready or not"
				s.unknown(sig)
			}
		}
		return
	}
	if class == wordBad && bounded(j.o.Kind) {
		sig.Terminal = true
	}
	s.summed = true
	s.class(class, sig)
}

// ofAStep reports whether a word is about the step that status.stage or
// status.step names, and that step is not the last: stage deployment, stageStatus
// success.
func ofAStep(path string, status map[string]any) bool {
	for _, step := range [...]string{"stage", "step"} {
		if name, _ := status[step].(string); name != "" && strings.HasPrefix(path, "status."+step) && path != "status."+step {
			return classify(name) != wordGood
		}
	}
	return false
}

// under reports whether a good word is one of the middle for what comes to an
// end.
func under(word string) bool {
	t := tokens{s: word}
	for {
		w, ok := t.next()
		if !ok {
			return false
		}
		switch string(w) {
		case "running", "active", "created", "accepted", "scheduled", "deployed", "ready", "submitted", "serving", "live",
			"initialized", "initialised":
			return true
		}
	}
}

// reasonWord makes a reason of a phase where it is one word.
func reasonWord(word string) string {
	if strings.ContainsAny(word, " \t\n,.:;") || len(word) > 40 {
		return ""
	}
	return word
}

// phaseMessage is what the controller says about the phase, or the phase.
func phaseMessage(path, word string, status map[string]any) string {
	return cmp.Or(phaseText(status, word), path+" is "+word)
}

// phaseText is the first of the fields in which controllers explain the phase
// that holds anything but the phase itself.
func phaseText(status map[string]any, word string) string {
	for _, field := range [...]string{"message", "statusMessage", "phaseMessage", "reason", "description", "errorMessage", "error", "phaseReason"} {
		if text := errorText(status[field]); text != "" && text != word {
			return text
		}
	}
	return ""
}

// boolFields: ready, healthy and their like.
func (j *judge) boolFields(s *signals, status map[string]any) {
	if s.rootTrue {
		return
	}
	for _, field := range j.statusFields() {
		var value bool
		switch v := status[field].(type) {
		case bool:
			value = v
		case string:
			if v != "True" && v != "False" {
				continue
			}
			value = v == "True"
		default:
			continue
		}
		sig := Assessment{Rule: "convention.boolean", Paths: []string{"status." + field}, Message: "status." + field + " is " + strconv.FormatBool(value)}
		switch strings.ToLower(field) {
		case "ready", "readytouse", "available", "isready":
			if value {
				s.good(sig)
			} else {
				s.progress(sig)
			}
		case "healthy", "valid":
			if value {
				s.good(sig)
			} else {
				s.fault(sig)
			}
		default:
			if sense, _ := conditionSense(upperFirst(field)); sense == registry.Fault && value {
				s.fault(sig)
			}
		}
	}
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// statusFields are the names in status, sorted: what is found first decides.
func (j *judge) statusFields() []string {
	if j.fields == nil {
		status, _ := j.o.Tree["status"].(map[string]any)
		j.fields = slices.Sorted(maps.Keys(status))
	}
	return j.fields
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// nested are the fields of status whose elements have conditions of their own
// and on which the object depends as a whole: Gateway API's parents, ancestors
// and listeners, OpenShift's ingress.
var nested = map[string]bool{"parents": true, "ancestors": true, "listeners": true, "ingress": true, "parentStatuses": true, "controllers": true}

// maxNested bounds how many nested conditions are read.
const maxNested = 2048

// nestedSignals reads conditions that stand one or two levels below status.
func (j *judge) nestedSignals(s *signals) {
	status, _ := j.o.Tree["status"].(map[string]any)
	if len(status) == 0 {
		return
	}
	budget := maxNested
	for _, field := range j.statusFields() {
		if field == "conditions" {
			continue
		}
		switch v := status[field].(type) {
		case map[string]any:
			if !s.rootTrue {
				j.nestedConditions(s, "status."+field, v, &budget)
			}
		case []any:
			if s.rootTrue && !nested[field] || len(v) == 0 {
				continue
			}
			accepts := (field == "parents" || field == "ancestors") && slices.ContainsFunc(v, acceptedOrNot)
			for i, el := range v {
				path := "status." + field + "[" + strconv.Itoa(i) + "]"
				if accepts && !acceptedOrNot(el) {
					s.progress(Assessment{Rule: "convention.nested", Reason: "AcceptedMissing", Message: "Condition Accepted is not reported yet, which means Unknown", Paths: []string{path + ".conditions"}})
				}
				if m, ok := el.(map[string]any); ok {
					j.nestedConditions(s, path, m, &budget)
				}
			}
		}
	}
}

// acceptedOrNot reports whether an element of a list says if it is accepted
// (GEP-713: each ancestor of a policy, each parent of a route).
func acceptedOrNot(el any) bool {
	list, _ := object.At(el, "conditions").([]any)
	return slices.ContainsFunc(list, func(el any) bool { return object.At(el, "type") == "Accepted" })
}

func (j *judge) nestedConditions(s *signals, path string, m map[string]any, budget *int) {
	list, ok := m["conditions"].([]any)
	if !ok {
		return
	}
	for i, el := range list {
		cm, ok := el.(map[string]any)
		if *budget--; !ok || *budget < 0 {
			return
		}
		cond := object.ConditionOf(cm)
		if cond.Type == "" || j.o.Stale(&cond) {
			continue
		}
		sense, _ := j.sense(cond.Type)
		p := path + ".conditions[" + strconv.Itoa(i) + "]"
		sig := Assessment{
			Rule: "convention.nested", Reason: cond.Reason, Message: describe(&cond),
			Since: cond.LastTransitionTime, Paths: []string{p + ".status", p + ".reason"},
		}
		switch {
		case isTrue(&cond) && sense == registry.Fault:
			s.fault(sig)
		case isTrue(&cond) && sense == registry.Activity && !rolledOut(&cond):
			s.progress(sig)
		case isTrue(&cond) && sense == registry.State:
			if !s.rootTrue {
				s.good(sig)
			}
		case isFalse(&cond) && sense == registry.State:
			switch classify(cond.Reason) {
			case wordProgress, wordPending:
				s.progress(sig)
			default:
				s.fault(sig)
			}
		case cond.Status == "Unknown" && sense == registry.State:
			s.progress(sig)
		}
	}
}

// nestedWords reads the words for a state one level below, where nothing else
// has spoken: status.applicationState.state, status.statuses.*.state,
// status.members[].health. Where only parts have spoken, and well, a word one
// level below may still be bad: conditions that say what has been done do not
// vouch for it. What is history does not count.
func (j *judge) nestedWords(s *signals) {
	if s.rank > rankGood || s.soft != nil {
		return
	}
	s.badOnly = s.rank > rankNone
	if s.summed {
		j.failingParts(s)
		return
	}
	status, _ := j.o.Tree["status"].(map[string]any)
	budget := maxNested
	for _, field := range j.statusFields() {
		if past(field) {
			continue
		}
		path := "status." + field
		switch v := status[field].(type) {
		case map[string]any:
			if !j.wordsOf(s, path, v, &budget) {
				for _, k := range slices.Sorted(maps.Keys(v)) {
					if m, ok := v[k].(map[string]any); ok {
						j.wordsOf(s, path+"."+k, m, &budget)
					}
				}
			}
		case []any:
			for i, el := range v {
				if m, ok := el.(map[string]any); ok {
					j.wordsOf(s, path+"["+strconv.Itoa(i)+"]", m, &budget)
				}
			}
		}
	}
}

// failingParts reads the phases of what status lists, beside a condition or a word
// that sums up and is good: a part that the controller itself calls failing counts,
// as with a condition that is False for a bad reason. The health of a member the
// summary knows of; what has come to an end (backups, jobs) does not count.
func (j *judge) failingParts(s *signals) {
	status, _ := j.o.Tree["status"].(map[string]any)
	for _, field := range j.statusFields() {
		if past(field) || bounded(strings.TrimSuffix(upperFirst(field), "s")) {
			continue
		}
		part := func(path string, v any) {
			m, _ := v.(map[string]any)
			for _, f := range [...]string{"phase", "status"} {
				if word, _ := m[f].(string); m["type"] == nil && classify(word) == wordBad {
					s.fault(Assessment{
						Rule: "convention.part", Reason: reasonWord(word), Message: phaseMessage(path+"."+f, word, m), Paths: []string{path + "." + f},
					})
					return
				}
			}
		}
		switch v := status[field].(type) {
		case []any:
			for i, el := range v[:min(len(v), maxNested)] {
				part("status."+field+"["+strconv.Itoa(i)+"]", el)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				part("status."+field+"."+name, v[name])
			}
		}
	}
}

// past reports whether a field is about what was.
func past(field string) bool {
	t := tokens{s: field}
	for {
		w, ok := t.next()
		if !ok {
			return false
		}
		switch string(w) {
		case "history", "previous", "last", "old", "past", "events":
			return true
		}
	}
}

func (j *judge) wordsOf(s *signals, path string, m map[string]any, budget *int) bool {
	if *budget--; *budget < 0 {
		return false
	}
	found := false
	for _, field := range [...]string{"ready", "healthy", "available", "synced", "inSync"} {
		value, ok := m[field].(bool)
		if !ok || value && s.badOnly {
			continue
		}
		sig := Assessment{Rule: "convention.nested-boolean", Message: phaseMessage(path+"."+field, strconv.FormatBool(value), m), Paths: []string{path + "." + field}}
		found = true
		switch {
		case value:
			s.good(sig)
		case field == "healthy":
			s.fault(sig)
		default:
			s.progress(sig)
		}
	}
	for _, field := range [...]string{"state", "phase", "health", "status"} {
		if j.union(s, path+"."+field, m[field]) {
			found = true
			continue
		}
		word, ok := m[field].(string)
		if !ok || word == "" {
			continue
		}
		if field == "health" && strings.EqualFold(word, "unknown") {
			s.unknown(Assessment{Rule: "convention.nested-phase", Message: phaseMessage(path+"."+field, word, m), Paths: []string{path + "." + field}})
			found = true
			continue
		}
		class := classify(word)
		if class == wordGood && bounded(j.o.Kind) && under(word) {
			class = wordProgress
		}
		if class == wordPaused || class == wordGood && s.badOnly {
			continue
		}
		found = s.class(class, Assessment{
			Rule: "convention.nested-phase", Reason: reasonWord(word), Paths: []string{path + "." + field},
			Message: phaseMessage(path+"."+field, word, m),
		}) || found
	}
	return found
}
