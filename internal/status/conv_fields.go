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

// level is what a map of fields describes. It holds the names of the rules for
// its words, its booleans and its errors.
type level struct{ word, flag, fault string }

var (
	whole   = level{"convention.phase", "convention.boolean", "convention.error"}                      // status itself
	part    = level{"convention.nested-phase", "convention.nested-boolean", "convention.nested-error"} // something below it
	attempt = level{"convention.outcome", "convention.outcome", "convention.outcome"}                  // lastOperation
)

// phaseFields are the usual names of the field with the state of the whole
// object. In these even an unknown word is a statement.
var phaseFields = [...]string{"phase", "state", "health", "status", "currentState", "currentPhase", "currentStatus", "overallStatus", "overallState"}

// stateSuffixes are suffixes of other names of such a field:
// PostgresClusterStatus, deploymentState.
var stateSuffixes = [...]string{"status", "state", "phase", "health", "stage", "lifecycle", "availability", "progress"}

// outcomeSuffixes are the same for what was tried: lastReloadResult.
var outcomeSuffixes = [...]string{"result", "outcome", "verdict", "conclusion"}

// maxWord is the length of a state in a field of another name: a longer text is
// a message or a log.
const maxWord = 64

// flags are booleans about the state of the whole, and the status if one is
// false.
var flags = map[string]Status{
	"ready": InProgress, "readytouse": InProgress, "available": InProgress, "isready": InProgress, "synced": InProgress, "insync": InProgress,
	"healthy": Failed, "valid": Failed, "pass": Failed, "passed": Failed, "success": Failed, "ok": Failed,
}

// statusFields are the field names in status, sorted: the first match decides.
func (j *judge) statusFields() []string {
	if j.names == nil {
		j.names = slices.Sorted(maps.Keys(asMap(j.o.Tree["status"])))
	}
	return j.names
}

// fields reads the fields that controllers use beside or instead of conditions:
// error texts, phases, booleans. A True summary overrides all but the usual
// names of a phase.
func (s *signals) fields(path string, at map[string]any, l level) {
	known, names := s.rank > rankNone, s.j.statusFields()
	if l != whole {
		names = slices.Sorted(maps.Keys(at))
	}
	for _, field := range names {
		usual := slices.Contains(phaseFields[:], field)
		if l == whole && s.rootTrue && !usual {
			continue
		}
		name, v := strings.ToLower(field), at[field]
		value, isBool := truth(v)
		otherwise, isFlag := flags[name]
		code, isCode := v.(int64)
		word, _ := v.(string)
		sense := registry.Other
		if isBool || reasonWord(word) != "" {
			sense = conditionSense(upperFirst(field))
		}
		switch path := path + "." + field; {
		case isBool && value && sense == registry.Activity:
			s.progress(inField(l.flag, path, "true", at))
		case isBool && value && sense == registry.Fault:
			s.fault(inField(l.flag, path, "true", at))
		case holdsError(name) && (field != "lastErrors" || at["lastOperation"] != nil): // otherwise it cannot be attributed
			if text := errorText(v); text != "" && !outlived(v, at["lastOperation"]) {
				s.fault(Assessment{Rule: l.fault, Reason: "Error", Message: text, Paths: []string{path}})
			}
		case isFlag && isBool:
			s.flag(l.flag, path, value, otherwise, at)
		case l == part && isBool && !value && sense == registry.State:
			s.progress(inField(l.flag, path, "false", at))
		case field == "exitCode" && isCode:
			s.flag(l.flag, path, code == 0, Failed, at)
		case !usual && len(word) > maxWord:
		case usual, l != attempt && !past(field) &&
			hasSuffix(name, stateSuffixes[:]), l == attempt && hasSuffix(name, outcomeSuffixes[:]):
			s.state(path, v, at, l, l == whole && usual && !known)
		case l != attempt && !past(field) && (l == part || !hasSuffix(name, outcomeSuffixes[:])) && badAlone(word): // robustness: faulted
			s.fault(inField(l.word, path, word, at))
		case l == whole && sense == registry.State && word != "": // named like a condition: status.compliant is NonCompliant
			s.state(path, v, at, l, false)
		}
	}
}

// badAlone reports whether a text is a single bad word.
func badAlone(word string) bool {
	return words[strings.ToLower(word)] == wordBad || strings.EqualFold(word, "down")
}

func hasSuffix(name string, suffixes []string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// failures: failureReason and failureMessage are terminal by Cluster API's
// contract, whatever the summary.
func (s *signals) failures(status map[string]any) {
	for _, field := range [...]string{"failureMessage", "failureReason"} {
		if text := errorText(status[field]); text != "" {
			reason, _ := status["failureReason"].(string)
			s.fault(Assessment{
				Rule: "convention.failure-message", Reason: reason, Message: text, Terminal: true,
				Paths: []string{"status." + field},
			})
			return
		}
	}
}

// holdsError reports whether a field of that name, in lower case, holds an
// error's text.
func holdsError(name string) bool {
	return strings.HasSuffix(name, "error") || strings.HasPrefix(name, "err") || name == "lasterrors"
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
	if v == nil {
		return ""
	}
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

// soloStates are the numbers in core.solo.io's Status (solo-io/solo-kit,
// api/v1/status.proto), which every kind made with that library has.
var soloStates = map[string]string{"0": "Pending", "1": "Accepted", "2": "Rejected", "3": "Warning"}

// state reads a phase: a word, a union, or a number, which only its controller
// understands, unless it is solo-kit's, which names its reporter.
func (s *signals) state(path string, v any, at map[string]any, l level, lonely bool) {
	text, _ := object.Text(v)
	switch v := v.(type) {
	case map[string]any:
		s.union(path, v)
	case string:
		s.word(path, v, at, l, lonely)
	case int64, float64:
		if name := soloStates[text]; name != "" && path == "status.state" && at["reportedBy"] != nil {
			s.word(path, name, at, l, false)
		} else if lonely {
			s.word(path, text, at, l, true)
		}
	}
}

// stateClass is the class of a state. For kinds that end, "Running" is not the
// goal.
func (s *signals) stateClass(word string) wordClass {
	class := classify(word)
	if class == wordGood && bounded(s.o.Kind) && hasWord(word, midway) &&
		(!s.rootTrue || !strings.EqualFold(word, "ready")) {
		return wordProgress
	}
	return class
}

// word judges a state. An unknown word makes the object Unknown only if there
// is no other signal, and it is the whole's.
func (s *signals) word(path, word string, at map[string]any, l level, lonely bool) {
	class := s.stateClass(word)
	if class == wordGood && ofAStep(path, at) {
		class = wordProgress
	}
	if class == wordProgress && metAnError(word, at) {
		class = wordBad
	}
	lonely = lonely || strings.EqualFold(word, "unknown") && (l == whole || strings.HasSuffix(path, ".health"))
	if word == "" || class == wordNone && !lonely {
		return
	}
	sig := inField(l.word, path, word, at)
	sig.Terminal = class == wordBad && bounded(s.o.Kind) && strings.Count(path, ".") == 1
	switch {
	case class == wordNone && l == whole && (s.rootTrue || s.rank > rankGood):
	case class == wordNone:
		if l == whole {
			sig.Message = path + " is " + strconv.Quote(word) + ", a word that is not known to mean ready or not"
		}
		s.unknown(sig)
	case class == wordGood && s.rank > rankGood: // it does not sum up
	case l == whole:
		if class == wordPaused && s.rootTrue {
			class = wordGood
		}
		s.class(class, sig)
		s.summed = true
	case class != wordPaused:
		s.class(class, sig)
	}
}

// metAnError reports whether what stands beside a word of work under way says that the work has failed so far:
// phase Pending, reason Error, and a message with the error.
func metAnError(word string, at map[string]any) bool {
	reason, _ := at["reason"].(string)
	text, _ := at["message"].(string)
	return failedAttempt(word, reason, text)
}

// ofAStep reports whether a word is about the step in status.stage or
// status.step, and that is not the last: stage deployment, stageStatus success.
func ofAStep(path string, status map[string]any) bool {
	for _, step := range [...]string{"stage", "step"} {
		name, _ := status[step].(string)
		if name != "" && strings.HasPrefix(path, "status."+step) && path != "status."+step {
			return classify(name) != wordGood
		}
	}
	return false
}

// union reads a state in the style of a container's (core/v1, ContainerState):
// an object with one member that is named after the state and explains it, as
// in state.waiting.reason.
func (s *signals) union(path string, m map[string]any) {
	if len(m) != 1 {
		return
	}
	for word, inner := range m {
		at, ok := inner.(map[string]any)
		if !ok {
			return
		}
		reason, _ := at["reason"].(string)
		sig := inField("convention.union", path+"."+word, word, at)
		sig.Reason = reasonWord(reason)
		class := s.stateClass(word)
		switch code, exited := at["exitCode"].(int64); {
		case exited && code == 0 && classify(reason) != wordBad, word == "terminated" && classify(reason) == wordGood:
			class = wordGood
		case exited:
			class, sig.Terminal = wordBad, bounded(s.o.Kind)
		case classify(word) == wordGood:
		case classify(reason) == wordBad:
			class = wordBad
		}
		s.class(class, sig)
	}
}

// inField is the message next to a field, or the field itself.
func inField(rule, path, word string, at map[string]any) Assessment {
	return Assessment{Rule: rule, Reason: reasonWord(word), Message: phaseMessage(path, word, at), Paths: []string{path}}
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

// flag adds a boolean's signal: success, or otherwise the given status.
func (s *signals) flag(rule, path string, value bool, otherwise Status, at map[string]any) {
	sig := inField(rule, path, strconv.FormatBool(value), at)
	sig.Reason = ""
	switch {
	case value:
		s.good(sig)
	case otherwise == Failed:
		s.fault(sig)
	default:
		s.progress(sig)
	}
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
