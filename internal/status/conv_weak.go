package status

import (
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// weakSignals reads statements that no convention covers, for an object with
// nothing better. A hint of a problem or of work counts if there is no summary;
// a hint of success only if there is no other signal at all. A result and a
// start without an end are in the Go types of csi-addons (NetworkFence,
// ReclaimSpaceJob), the last operation in etcd-druid's (Etcd). Last comes a
// message that mentions a fault.
func (j *judge) weakSignals(s *signals) {
	status := asMap(j.o.Tree["status"])
	if len(status) == 0 || s.rank > rankGood || s.rootTrue || s.soft != nil {
		return
	}
	s.badOnly = s.rank > rankNone
	s.outcomes("status", status)
	if s.summed || s.rank > rankGood {
		return
	}
	s.badOnly = s.rank > rankNone
	for _, field := range [...]string{"result", "outcome", "verdict", "conclusion"} {
		word, _ := status[field].(string)
		j.word(s, "convention.outcome", "status."+field, word, status)
	}
	for _, field := range j.statusFields() {
		path, at := "status."+field, asMap(status[field])
		if latest(field) {
			s.outcomes(path, at)
			for _, f := range [...]string{"state", "status", "phase", "result"} {
				word, _ := at[f].(string)
				j.word(s, "convention.outcome", path+"."+f, word, at)
			}
			if text := errorText(at["error"]); text != "" {
				s.fault(Assessment{Rule: "convention.outcome", Reason: "Error", Message: text, Paths: []string{path + ".error"}})
			}
		}
		if past(field) {
			continue
		}
		s.collection(path, field, status[field])
		for _, sub := range [...]string{"unready", "notReady", "unhealthy", "failed", "pending", "errors", "missing"} {
			if _, list := at[sub].([]any); list || lacks(sub) {
				s.collection(path+"."+sub, sub, at[sub])
			}
		}
	}
	j.course(s, status)
	if s.rank == rankNone {
		j.expectations(s, status)
		j.namedLikeConditions(s, status)
	}
	for _, field := range [...]string{"reason", "message"} {
		text, _ := status[field].(string)
		if class := classifyText(text); class > wordPaused && s.rank == rankNone {
			s.class(class, said("convention.message", "status."+field, text, status))
		}
	}
}

// outcomes reads pass, success and exit codes, which are about the past.
func (s *signals) outcomes(path string, at map[string]any) {
	for _, field := range [...]string{"pass", "passed", "success", "successful", "succeeded", "ok"} {
		if value, ok := truth(at[field]); ok {
			s.flag("convention.outcome", path+"."+field, value, Failed, at)
		}
	}
	if code, ok := at["exitCode"].(int64); ok {
		s.flag("convention.outcome", path+".exitCode", code == 0, Failed, at)
	}
}

// latest reports whether a field is about the last attempt, not an earlier one
// or the last success.
func latest(field string) bool {
	rest, ok := strings.CutPrefix(field, "last")
	if !ok {
		rest, ok = strings.CutPrefix(field, "latest")
	}
	return ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' && classify(rest) != wordGood && classify(rest) != wordBad
}

// collection: a non-empty list of errors means errors, a count of what is not
// ready means work. A total of failures so far says nothing about now.
func (s *signals) collection(path, field string, v any) {
	sense, _ := conditionSense(upperFirst(field))
	lacking, text := lacks(field), ""
	n, counts := v.(int64)
	switch v := v.(type) {
	case []any:
		if n = int64(len(v)); n > 0 {
			text = errorText(v[0])
		}
	case map[string]any:
		if n = int64(len(v)); sense != registry.Fault {
			return
		}
		text = errorText(v)
	}
	sig := Assessment{Rule: "convention.collection", Message: path + " is " + strconv.FormatInt(n, 10), Paths: []string{path}}
	if !counts {
		sig.Message = strings.TrimSuffix(path+" has "+count(n, "element")+": "+text, ": ")
	}
	switch {
	case n <= 0:
	case lacking, sense == registry.Activity:
		s.progress(sig)
	case sense == registry.Fault && !counts:
		s.fault(sig)
	}
}

// lacks reports whether a field's name is about what is missing:
// unavailableReplicas, notReadyNodes, unready.
func lacks(field string) bool {
	denied := false
	t := tokens{s: field}
	for w, ok := t.next(); ok; w, ok = t.next() {
		switch string(w) {
		case "not":
			denied = true
			continue
		case "ready", "available":
			return denied
		case "unready", "unavailable", "notready", "unscheduled", "unhealthy":
			return true
		}
		denied = false
	}
	return false
}

// course: a kind that ends has started, and not ended.
func (j *judge) course(s *signals, status map[string]any) {
	if !bounded(j.o.Kind) {
		return
	}
	started := ""
	for _, field := range j.statusFields() {
		t := tokens{s: field}
		switch first, _ := t.next(); string(first) {
		case "completion", "completed", "end", "ended", "finish", "finished", "stop", "stopped":
			if status[field] != nil {
				return
			}
		case "start", "started":
			if text, _ := status[field].(string); text != "" {
				started = field
			}
		}
	}
	if started != "" {
		s.progress(j.by("convention.course", "status."+started).progress("Running", "it has started, and no end is reported"))
	}
}

// expectations: a zero count is usually omitted, so an expected number without
// a count means none.
func (j *judge) expectations(s *signals, status map[string]any) {
	expected := ""
	for _, field := range j.statusFields() {
		switch n, counts := status[field].(int64); {
		case !counts || field == "observedGeneration":
		case !strings.HasPrefix(field, "expected"):
			return
		case n > 0:
			expected = field
		}
	}
	if expected != "" {
		s.progress(j.by("convention.counters", "status."+expected).progress("LessReady", "nothing is reported of what status."+expected+" counts"))
	}
}

// namedLikeConditions reads booleans such as status.synced: false.
func (j *judge) namedLikeConditions(s *signals, status map[string]any) {
	for _, field := range j.statusFields() {
		value, ok := truth(status[field])
		if sense, _ := conditionSense(upperFirst(field)); ok && sense == registry.State && field != "enabled" && field != "supported" && field != "exists" {
			s.flag("convention.boolean", "status."+field, value, InProgress, status)
		}
	}
}
