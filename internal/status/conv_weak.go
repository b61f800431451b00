package status

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// weakSignals reads what a controller says in ways that no convention settles,
// for an object that says nothing better. A hint of trouble or of work counts
// where nothing has summed the object up; a hint of success where nothing at all
// has spoken. In order:
//
//   - an outcome as a boolean: pass, success (also beside a word that only says
//     that it is over)
//   - an outcome as a word: result, outcome, verdict; an exit code
//   - what came of the last attempt: status.lastSync.success
//   - lists of errors, of what is unready or pending, and counts of it
//   - how far it is: progress, percentComplete; a start without an end
//   - counts of what is expected, where nothing is said to be there
//   - booleans that are named like conditions: synced, created
//   - a version or a state that differs from the one that was asked for
//   - a reason, or a message
func (j *judge) weakSignals(s *signals) {
	status, _ := j.o.Tree["status"].(map[string]any)
	if len(status) == 0 || s.rank > rankGood || s.rootTrue || s.soft != nil {
		return
	}
	j.outcomeFields(s, status, "status")
	if s.summed || s.rank > rankGood {
		return
	}
	s.badOnly = s.rank > rankNone
	j.outcomeWords(s, status)
	j.collections(s, status)
	j.course(s, status)
	j.expectations(s, status)
	if s.rank > rankNone {
		return
	}
	j.namedLikeConditions(s, status)
	if s.rank > rankGood {
		return
	}
	j.askedFor(s, status)
	if s.rank > rankNone {
		return
	}
	for _, field := range [...]string{"reason", "message", "statusMessage", "statusReason"} {
		text, _ := status[field].(string)
		class := classifyText(text)
		if field == "reason" || field == "statusReason" {
			class = classify(text)
		}
		if class == wordBad || class == wordProgress || class == wordPending {
			s.class(class, Assessment{Rule: "convention.message", Reason: reasonWord(text), Message: phaseMessage("status."+field, text, status), Paths: []string{"status." + field}})
			return
		}
	}
}

// truth reads a boolean, also one written as a word.
func truth(v any) (value, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		switch strings.ToLower(v) {
		case "true", "yes":
			return true, true
		case "false", "no":
			return false, true
		}
	}
	return false, false
}

// outcomeFields: pass and success are about what is over.
func (j *judge) outcomeFields(s *signals, at map[string]any, path string) {
	for _, field := range [...]string{"pass", "passed", "success", "successful", "succeeded", "ok"} {
		value, ok := truth(at[field])
		if !ok {
			continue
		}
		sig := Assessment{
			Rule: "convention.outcome", Message: phaseMessage(path+"."+field, strconv.FormatBool(value), at),
			Paths: []string{path + "." + field},
		}
		switch {
		case !value:
			s.fault(sig)
		case s.rank == rankNone:
			s.good(sig)
		}
	}
}

// outcomeWords: what came of it, and what came of the last attempt.
func (j *judge) outcomeWords(s *signals, status map[string]any) {
	word := func(at map[string]any, path, field string) {
		text, _ := at[field].(string)
		class := classify(text)
		if text == "" || class == wordPaused || class == wordGood && s.badOnly {
			return
		}
		s.class(class, Assessment{
			Rule: "convention.outcome", Reason: reasonWord(text), Message: phaseMessage(path+"."+field, text, at),
			Paths: []string{path + "." + field}, Terminal: class == wordBad && bounded(j.o.Kind) && path == "status",
		})
	}
	for _, field := range [...]string{"result", "outcome", "verdict", "conclusion"} {
		word(status, "status", field)
	}
	if code, ok := status["exitCode"].(int64); ok && code != 0 {
		s.fault(Assessment{
			Rule: "convention.outcome", Reason: "ExitCode", Message: "status.exitCode is " + strconv.FormatInt(code, 10),
			Paths: []string{"status.exitCode"}, Terminal: bounded(j.o.Kind),
		})
	}
	for _, field := range j.statusFields() {
		at, ok := status[field].(map[string]any)
		if !ok || !latest(field) {
			continue
		}
		path := "status." + field
		j.outcomeFields(s, at, path)
		for _, f := range [...]string{"state", "status", "phase", "result"} {
			word(at, path, f)
		}
		if text := errorText(at["error"]); text != "" {
			s.fault(Assessment{Rule: "convention.outcome", Reason: "Error", Message: text, Paths: []string{path + ".error"}})
		}
	}
}

// latest reports whether a field is about the last attempt, and neither about
// the one before nor about the last that went well.
func latest(field string) bool {
	rest, ok := strings.CutPrefix(field, "last")
	if !ok {
		rest, ok = strings.CutPrefix(field, "latest")
	}
	return ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' && classify(rest) != wordGood && classify(rest) != wordBad
}

// collections: a list of errors says that there are some; a count of what is
// not ready that there is something. How often something has failed so far
// does not say that it is failing now.
func (j *judge) collections(s *signals, status map[string]any) {
	for _, field := range j.statusFields() {
		if field == "conditions" || past(field) {
			continue
		}
		j.collection(s, "status."+field, field, status[field])
		if at, ok := status[field].(map[string]any); ok {
			for _, sub := range [...]string{"unready", "notReady", "unhealthy", "failed", "pending", "errors", "missing"} {
				_, ok := at[sub].([]any)
				if _, counts := at[sub].(int64); ok || counts && lacks(sub) {
					j.collection(s, "status."+field+"."+sub, sub, at[sub])
				}
			}
		}
	}
}

func (j *judge) collection(s *signals, path, field string, v any) {
	sense, _ := conditionSense(upperFirst(field))
	lacking := lacks(field)
	if sense != registry.Fault && sense != registry.Activity && !lacking {
		return
	}
	sig := Assessment{Rule: "convention.collection", Paths: []string{path}}
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return
		}
		sig.Message = path + " has " + strconv.Itoa(len(v)) + " entr" + pluralY(len(v))
		switch text := errorText(v[0]); {
		case strings.Contains(text, " "):
			sig.Message = text
		case text != "" && len(v) == 1:
			sig.Message = path + " is " + text
		case text != "":
			sig.Message += ", the first " + text
		}
	case map[string]any:
		if len(v) == 0 || sense != registry.Fault {
			return
		}
		if sig.Message = errorText(v); sig.Message == "" {
			sig.Message = path + " has " + strconv.Itoa(len(v)) + " entr" + pluralY(len(v))
		}
	case int64:
		if v <= 0 || !lacking && sense != registry.Activity {
			return
		}
		sig.Message = path + " is " + strconv.FormatInt(v, 10)
		s.progress(sig)
		return
	default:
		return
	}
	if sense == registry.Fault && !lacking {
		s.fault(sig)
	} else {
		s.progress(sig)
	}
}

func pluralY(n int) string {
	if n == 1 {
		return "y"
	}
	return "ies"
}

// oddCount notes a count of errors where nothing says how the object is: how
// often something failed does not say that it fails now.
func (j *judge) oddCount() string {
	status, _ := j.o.Tree["status"].(map[string]any)
	for _, field := range j.statusFields() {
		if n, ok := status[field].(int64); ok && n > 0 {
			if sense, _ := conditionSense(upperFirst(field)); sense == registry.Fault {
				return "status." + field + " is " + strconv.FormatInt(n, 10)
			}
		}
	}
	return ""
}

// lacks reports whether a field names what is not there yet: unavailableReplicas,
// notReadyNodes, unready.
func lacks(field string) bool {
	t := tokens{s: field}
	denied := false
	for {
		w, ok := t.next()
		if !ok {
			return false
		}
		switch string(w) {
		case "not":
			denied = true
		case "ready", "available":
			return denied
		case "unready", "unavailable", "notready", "unscheduled":
			return true
		default:
			denied = false
		}
	}
}

// course: how far it is.
func (j *judge) course(s *signals, status map[string]any) {
	for _, field := range [...]string{"progress", "percent", "percentage", "percentComplete", "progressPercent", "progressPercentage", "completionPercentage", "percentageComplete"} {
		var share int64
		switch v := status[field].(type) {
		case int64:
			share = v
		case string:
			number, ok := strings.CutSuffix(strings.TrimSpace(v), "%")
			whole, _, _ := strings.Cut(number, ".")
			n, err := strconv.ParseInt(whole, 10, 64)
			if !ok || err != nil {
				continue
			}
			share = n
		default:
			continue
		}
		if share >= 0 && share < 100 && (share > 1 || status[field] != int64(1)) { // 1 may be all of it
			s.progress(Assessment{
				Rule: "convention.course", Message: "status." + field + " is " + strconv.FormatInt(share, 10) + " %", Paths: []string{"status." + field},
			})
			return
		}
	}
	if !bounded(j.o.Kind) {
		return
	}
	for _, start := range [...]string{"startTime", "startedAt", "startTimestamp", "startedTime", "started"} {
		if text, _ := status[start].(string); text == "" {
			continue
		}
		for _, end := range [...]string{
			"completionTime", "completedAt", "completionTimestamp", "endTime", "endedAt", "endTimestamp", "finishTime", "finishedAt",
			"stopTime", "stoppedAt", "completed", "finished", "completedTime", "finishedTime",
		} {
			if status[end] != nil {
				return
			}
		}
		s.progress(Assessment{Rule: "convention.course", Reason: "Running", Message: "it has started, and no end is reported", Paths: []string{"status." + start}})
		return
	}
}

// expectations: a count of zero is mostly left out. Where so many are expected
// and nothing counts those that are there, there are none.
func (j *judge) expectations(s *signals, status map[string]any) {
	if s.rank > rankNone {
		return
	}
	tries := 0
	for _, field := range j.statusFields() {
		want, ok := status[field].(int64)
		rest, expected := strings.CutPrefix(field, "expected")
		if !ok || !expected || want <= 0 || rest == "" || rest[0] < 'A' || rest[0] > 'Z' || !strings.HasSuffix(rest, "s") {
			continue
		}
		if tries++; tries > 16 {
			return
		}
		counted := slices.ContainsFunc(j.statusFields(), func(other string) bool {
			return other != field && strings.HasSuffix(strings.ToLower(other), strings.ToLower(rest))
		})
		if !counted {
			s.progress(Assessment{
				Rule: "convention.counters", Reason: "LessReady", Paths: []string{"status." + field},
				Message: "none of " + strconv.FormatInt(want, 10) + " " + lowerFirst(rest) + " is reported to be there",
			})
			return
		}
	}
}

// namedLikeConditions: status.synced is false.
func (j *judge) namedLikeConditions(s *signals, status map[string]any) {
	for _, field := range j.statusFields() {
		value, ok := truth(status[field])
		if !ok || field == "enabled" || field == "supported" || field == "exists" {
			continue
		}
		if sense, _ := conditionSense(upperFirst(field)); sense != registry.State {
			continue
		}
		sig := Assessment{
			Rule: "convention.boolean", Message: "status." + field + " is " + strconv.FormatBool(value), Paths: []string{"status." + field},
		}
		if value {
			s.good(sig)
		} else {
			s.progress(sig)
		}
	}
}

// askedFor: the version or the state that is reported is not the one that was
// asked for.
func (j *judge) askedFor(s *signals, status map[string]any) {
	spec, _ := j.o.Tree["spec"].(map[string]any)
	for _, field := range j.statusFields() {
		want, _ := spec[field].(string)
		have, _ := status[field].(string)
		differs := false
		switch {
		case want == "" || have == "":
		case field == "version":
			differs = otherVersion(want, have)
		case hasSuffixFold(field, "state"):
			differs = !strings.EqualFold(want, have)
		}
		if differs {
			s.progress(Assessment{
				Rule: "convention.asked-for", Reason: "NotAsAskedFor", Paths: []string{"status." + field, "spec." + field},
				Message: "status." + field + " is " + have + ", spec." + field + " asks for " + want,
			})
			return
		}
	}
}

// otherVersion reports whether two versions differ in a number that both have.
// What is not a version of numbers ("latest") differs from none.
func otherVersion(a, b string) bool {
	a, b = strings.TrimPrefix(a, "v"), strings.TrimPrefix(b, "v")
	for {
		x, restA, moreA := strings.Cut(a, ".")
		y, restB, moreB := strings.Cut(b, ".")
		n, okN := leadingNumber(x)
		m, okM := leadingNumber(y)
		switch {
		case !okN || !okM:
			return false
		case n != m:
			return true
		case !moreA || !moreB:
			return false
		}
		a, b = restA, restB
	}
}

func leadingNumber(s string) (int64, bool) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(s[:end], 10, 64)
	return n, err == nil
}
