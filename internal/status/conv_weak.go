package status

import (
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// weakSignals reads what a controller says in ways that no convention settles,
// for an object that says nothing better. A hint of trouble or of work counts
// where nothing has summed the object up; a hint of success where nothing at all
// has spoken. Only what objects in use say is read: a result (csi-addons'
// NetworkFence), a start without an end (its ReclaimSpaceJob), the last operation
// (etcd-druid's Etcd), what is unready; and last a message that speaks of a fault,
// which is the controller's own word that all is not well.
func (c *custom) weakSignals(s *signals) {
	status, _ := c.o.Tree["status"].(map[string]any)
	if len(status) == 0 || s.rank > rankGood || s.rootTrue || s.soft != nil {
		return
	}
	c.outcomeFields(s, status, "status")
	if s.summed || s.rank > rankGood {
		return
	}
	s.badOnly = s.rank > rankNone
	c.outcomeWords(s, status)
	c.collections(s, status)
	c.course(s, status)
	if s.rank == rankNone {
		c.expectations(s, status)
		c.namedLikeConditions(s, status)
	}
	for _, field := range [...]string{"reason", "message"} {
		text, _ := status[field].(string)
		if class := classifyText(text); class > wordPaused && s.rank == rankNone {
			s.class(class, signal{rule: "convention.message", reason: reasonWord(text), message: phaseMessage("status."+field, text, status), paths: []string{"status." + field}})
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
func (c *custom) outcomeFields(s *signals, at map[string]any, path string) {
	for _, field := range [...]string{"pass", "passed", "success", "successful", "succeeded", "ok"} {
		value, ok := truth(at[field])
		if !ok {
			continue
		}
		sig := signal{
			rule: "convention.outcome", message: phaseMessage(path+"."+field, strconv.FormatBool(value), at),
			paths: []string{path + "." + field},
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
func (c *custom) outcomeWords(s *signals, status map[string]any) {
	word := func(at map[string]any, path, field string) {
		text, _ := at[field].(string)
		class := classify(text)
		if text == "" || class == wordPaused || class == wordGood && s.badOnly {
			return
		}
		s.class(class, signal{
			rule: "convention.outcome", reason: reasonWord(text), message: phaseMessage(path+"."+field, text, at),
			paths: []string{path + "." + field}, terminal: class == wordBad && bounded(c.o.Kind) && path == "status",
		})
	}
	for _, field := range [...]string{"result", "outcome", "verdict", "conclusion"} {
		word(status, "status", field)
	}
	for _, field := range c.statusFields() {
		at, ok := status[field].(map[string]any)
		if !ok || !latest(field) {
			continue
		}
		path := "status." + field
		c.outcomeFields(s, at, path)
		for _, f := range [...]string{"state", "status", "phase", "result"} {
			word(at, path, f)
		}
		if text := errorText(at["error"]); text != "" {
			s.fault(signal{rule: "convention.outcome", reason: "Error", message: text, paths: []string{path + ".error"}})
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
func (c *custom) collections(s *signals, status map[string]any) {
	for _, field := range c.statusFields() {
		if field == "conditions" || past(field) {
			continue
		}
		c.collection(s, "status."+field, field, status[field])
		if at, ok := status[field].(map[string]any); ok {
			for _, sub := range [...]string{"unready", "notReady", "unhealthy", "failed", "pending", "errors", "missing"} {
				_, ok := at[sub].([]any)
				if _, counts := at[sub].(int64); ok || counts && lacks(sub) {
					c.collection(s, "status."+field+"."+sub, sub, at[sub])
				}
			}
		}
	}
}

func (c *custom) collection(s *signals, path, field string, v any) {
	sense, _ := conditionSense(upperFirst(field))
	lacking := lacks(field)
	if sense != registry.Fault && sense != registry.Activity && !lacking {
		return
	}
	sig := signal{rule: "convention.collection", paths: []string{path}}
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return
		}
		sig.message = path + " has " + strconv.Itoa(len(v)) + " entr" + pluralY(len(v))
		switch text := errorText(v[0]); {
		case strings.Contains(text, " "):
			sig.message = text
		case text != "" && len(v) == 1:
			sig.message = path + " is " + text
		case text != "":
			sig.message += ", the first " + text
		}
	case map[string]any:
		if len(v) == 0 || sense != registry.Fault {
			return
		}
		if sig.message = errorText(v); sig.message == "" {
			sig.message = path + " has " + strconv.Itoa(len(v)) + " entr" + pluralY(len(v))
		}
	case int64:
		if v <= 0 || !lacking && sense != registry.Activity {
			return
		}
		sig.message = path + " is " + strconv.FormatInt(v, 10)
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
func (c *custom) course(s *signals, status map[string]any) {
	if !bounded(c.o.Kind) {
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
		s.progress(signal{rule: "convention.course", reason: "Running", message: "it has started, and no end is reported", paths: []string{"status." + start}})
		return
	}
}

// expectations: a count of zero is mostly left out. Where so many are expected
// and nothing is counted, there are none.
func (c *custom) expectations(s *signals, status map[string]any) {
	for _, field := range c.statusFields() {
		_, counts := status[field].(int64)
		if rest, expected := strings.CutPrefix(field, "expected"); counts && expected && upperFirst(rest) == rest && strings.HasSuffix(rest, "s") {
			continue
		}
		if counts && field != "observedGeneration" {
			return
		}
	}
	for _, field := range c.statusFields() {
		if want, _ := status[field].(int64); want > 0 && strings.HasPrefix(field, "expected") {
			s.progress(signal{
				rule: "convention.counters", reason: "LessReady", paths: []string{"status." + field},
				message: "none of status." + field + " (" + strconv.FormatInt(want, 10) + ") is reported to be there",
			})
			return
		}
	}
}

// namedLikeConditions: status.synced is false.
func (c *custom) namedLikeConditions(s *signals, status map[string]any) {
	for _, field := range c.statusFields() {
		value, ok := truth(status[field])
		if !ok || field == "enabled" || field == "supported" || field == "exists" {
			continue
		}
		if sense, _ := conditionSense(upperFirst(field)); sense != registry.State {
			continue
		}
		sig := signal{
			rule: "convention.boolean", message: "status." + field + " is " + strconv.FormatBool(value), paths: []string{"status." + field},
		}
		if value {
			s.good(sig)
		} else {
			s.progress(sig)
		}
	}
}
