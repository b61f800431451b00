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

// emptyStatus reports whether the controller has written nothing yet.
func (j *judge) emptyStatus() bool {
	return len(j.o.Conditions) == 0 && object.Empty(j.o.Tree["status"])
}

// statusFields are the field names in status, sorted: the first match decides.
func (j *judge) statusFields() []string {
	if j.fields == nil {
		j.fields = slices.Sorted(maps.Keys(asMap(j.o.Tree["status"])))
	}
	return j.fields
}

// fieldSignals reads the status fields that controllers use beside or instead
// of conditions: error texts, phases, booleans, counters.
func (j *judge) fieldSignals(s *signals) {
	status := asMap(j.o.Tree["status"])
	if len(status) == 0 {
		return
	}
	j.errorFields(s, status)
	j.wordFields(s, status)
	j.boolFields(s, status)
	j.counters(s, status)
	j.revisions(s, "status", status, 0)
}

// said is the message next to a field, or the field itself.
func said(rule, path, word string, at map[string]any) Assessment {
	return Assessment{Rule: rule, Reason: reasonWord(word), Message: phaseMessage(path, word, at), Paths: []string{path}}
}

// errorFields: failureReason and failureMessage are terminal by Cluster API's
// contract. Other error texts may be left over, so a True summary or a good
// phase overrides them.
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
	for _, field := range j.statusFields() {
		switch name := strings.ToLower(field); {
		case field == "lastErrors" && status["lastOperation"] != nil: // otherwise the error cannot be attributed
		case strings.HasSuffix(name, "error"), name == "errormessage", name == "errmsg", name == "errormsg", name == "errordescription", name == "errorreason":
		default:
			continue
		}
		if text := errorText(status[field]); text != "" && !outlived(status[field], status["lastOperation"]) {
			s.fault(Assessment{Rule: "convention.error", Reason: "Error", Message: text, Paths: []string{"status." + field}})
			return
		}
	}
}

// outlived reports whether an operation that claims success ended after the
// error: then the error is left over. Without both dates the error counts,
// because controllers remove it after the next success (gardener,
// pkg/apis/core/v1beta1, Shoot's lastOperation and lastErrors).
func outlived(failure, operation any) bool {
	if list, ok := failure.([]any); ok {
		return !slices.ContainsFunc(list, func(el any) bool { return !outlived(el, operation) })
	}
	state, _ := object.At(operation, "state").(string)
	ended, _ := object.At(operation, "lastUpdateTime").(string)
	failed, _ := object.At(failure, "lastUpdateTime").(string)
	observed, _ := object.At(failure, "observedAt").(string) // etcd-druid
	end, err := time.Parse(time.RFC3339, ended)
	fail, err2 := time.Parse(time.RFC3339, cmp.Or(failed, observed))
	return classify(state) == wordGood && err == nil && err2 == nil && end.After(fail)
}

// errorText is the text of an error field: a string, an object's message, or
// that of a list's first element.
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
		return "" // a word that means none
	}
	return text
}

// phaseFields are the usual names of the field with the state of the whole
// object. In these even an unknown word is a statement.
var phaseFields = [...]string{"phase", "state", "health", "status", "currentState", "currentPhase", "currentStatus", "overallStatus", "overallState"}

// stateSuffixes are suffixes of other names of such a field:
// PostgresClusterStatus, deploymentState.
var stateSuffixes = [...]string{"status", "state", "phase", "health", "stage", "lifecycle", "availability"}

// soloStates are the numbers in core.solo.io's Status (solo-io/solo-kit,
// api/v1/status.proto), which every kind made with that library has.
var soloStates = map[string]string{"0": "Pending", "1": "Accepted", "2": "Rejected", "3": "Warning"}

func (j *judge) wordFields(s *signals, status map[string]any) {
	told := s.rank > rankNone
	for _, field := range phaseFields {
		switch word := status[field].(type) {
		case string:
			j.wordSignal(s, "status."+field, word, !told, status)
		case int64, float64:
			// A numeric state is specific to its controller, unless it is
			// solo-kit's, which names its reporter.
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
	for _, field := range j.statusFields() {
		lower := strings.ToLower(field)
		stateful := slices.ContainsFunc(stateSuffixes[:], func(suffix string) bool { return strings.HasSuffix(lower, suffix) })
		if stateful && j.union(s, "status."+field, status[field]) {
			continue
		}
		word, _ := status[field].(string)
		if len(word) > 64 || slices.Contains(phaseFields[:], field) {
			continue
		}
		// Named like a condition: status.compliant is NonCompliant.
		if sense, _ := conditionSense(upperFirst(field)); stateful || sense == registry.State && reasonWord(word) != "" {
			j.wordSignal(s, "status."+field, word, false, status)
		}
	}
}

// stateClass is the class of a state. For kinds that end, "Running" is not the
// goal.
func (j *judge) stateClass(word string) wordClass {
	class := classify(word)
	if class == wordGood && bounded(j.o.Kind) && hasWord(word, midway) {
		return wordProgress
	}
	return class
}

// wordSignal judges a state. An unknown word makes the object Unknown only if
// there is no other signal.
func (j *judge) wordSignal(s *signals, path, word string, lonely bool, status map[string]any) {
	class := j.stateClass(word)
	if class == wordGood && ofAStep(path, status) {
		class = wordProgress
	}
	lonely = lonely || strings.EqualFold(word, "unknown")
	if word == "" || class == wordGood && s.rank > rankGood || class == wordNone && !lonely {
		return
	}
	if class == wordPaused && s.rootTrue {
		class = wordGood
	}
	sig := said("convention.phase", path, word, status)
	sig.Terminal = class == wordBad && bounded(j.o.Kind)
	if s.class(class, sig) {
		s.summed = true
	} else if !s.rootTrue && s.rank <= rankGood {
		sig.Message = path + " is " + strconv.Quote(word) + ", a word that is not known to mean ready or not"
		s.unknown(sig)
	}
}

// ofAStep reports whether a word is about the step in status.stage or
// status.step, and that is not the last: stage deployment, stageStatus success.
func ofAStep(path string, status map[string]any) bool {
	for _, step := range [...]string{"stage", "step"} {
		if name, _ := status[step].(string); name != "" && strings.HasPrefix(path, "status."+step) && path != "status."+step {
			return classify(name) != wordGood
		}
	}
	return false
}

// reasonWord uses a phase of one word as the reason.
func reasonWord(word string) string {
	if strings.ContainsAny(word, " \t\n,.:;") || len(word) > 40 {
		return ""
	}
	return word
}

// phaseMessage is the controller's explanation of the phase, or the phase.
func phaseMessage(path, word string, status map[string]any) string {
	return cmp.Or(phaseText(status, word), path+" is "+word)
}

// phaseText is the first explaining field that says more than the phase itself.
func phaseText(status map[string]any, word string) string {
	for _, field := range [...]string{"message", "statusMessage", "phaseMessage", "reason", "description", "errorMessage", "error", "phaseReason"} {
		if text := errorText(status[field]); text != "" && text != word {
			return text
		}
	}
	return ""
}

// flags are booleans about the state of the whole, and the status if one is
// false.
var flags = map[string]Status{"ready": InProgress, "readytouse": InProgress, "available": InProgress, "isready": InProgress, "healthy": Failed, "valid": Failed, "passed": Failed, "success": Failed}

// boolFields reads ready, healthy and the like, and booleans named after
// faults.
func (j *judge) boolFields(s *signals, status map[string]any) {
	if s.rootTrue {
		return
	}
	for _, field := range j.statusFields() {
		value, ok := truth(status[field])
		if !ok {
			continue
		}
		if otherwise, known := flags[strings.ToLower(field)]; known {
			s.flag("convention.boolean", "status."+field, value, otherwise, status)
		} else if sense, _ := conditionSense(upperFirst(field)); sense == registry.Fault && value {
			s.fault(said("convention.boolean", "status."+field, "true", status))
		}
	}
}

// flag adds a boolean's signal: success, unless good signals no longer count,
// or otherwise the given status. It reports whether that counts.
func (s *signals) flag(rule, path string, value bool, otherwise Status, at map[string]any) bool {
	if value && s.badOnly {
		return false
	}
	sig := said(rule, path, strconv.FormatBool(value), at)
	sig.Reason = ""
	if value {
		s.good(sig)
	} else {
		s.status(otherwise, sig)
	}
	return true
}

// truth parses a boolean, also one written as a word.
func truth(v any) (value, ok bool) {
	if text, isText := v.(string); isText {
		switch strings.ToLower(text) {
		case "true", "yes":
			return true, true
		case "false", "no":
			return false, true
		}
	}
	value, ok = v.(bool)
	return value, ok
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
