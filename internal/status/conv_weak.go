package status

import (
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// weakSignals reads what a controller says in ways that no convention settles,
// for an object that says nothing better. A hint of trouble or of work counts
// where nothing has summed the object up; a hint of success where nothing at all
// has spoken. A result and a start without an end stand so in the Go types of
// csi-addons (NetworkFence, ReclaimSpaceJob); the last operation in those of etcd-druid
// (Etcd). Last comes a message that speaks of a fault: the controller's own word that
// all is not well.
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
	if s.rank == rankNone {
		j.expectations(s, status)
		j.namedLikeConditions(s, status)
	}
	for _, field := range [...]string{"reason", "message"} {
		text, _ := status[field].(string)
		if class := classifyText(text); class > wordPaused && s.rank == rankNone {
			s.class(class, Assessment{Rule: "convention.message", Reason: reasonWord(text), Message: phaseMessage("status."+field, text, status), Paths: []string{"status." + field}})
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

// course: what comes to an end has started, and not ended.
func (j *judge) course(s *signals, status map[string]any) {
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
// and nothing is counted, there are none.
func (j *judge) expectations(s *signals, status map[string]any) {
	for _, field := range j.statusFields() {
		_, counts := status[field].(int64)
		if rest, expected := strings.CutPrefix(field, "expected"); counts && expected && upperFirst(rest) == rest && strings.HasSuffix(rest, "s") {
			continue
		}
		if counts && field != "observedGeneration" {
			return
		}
	}
	for _, field := range j.statusFields() {
		if want, _ := status[field].(int64); want > 0 && strings.HasPrefix(field, "expected") {
			s.progress(Assessment{
				Rule: "convention.counters", Reason: "LessReady", Paths: []string{"status." + field},
				Message: "none of status." + field + " (" + strconv.FormatInt(want, 10) + ") is reported to be there",
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
