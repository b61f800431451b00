package status

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// hints reads statements that no convention covers, for an object without a
// summary. A result and a start without an end are in the Go types of csi-addons
// (NetworkFence, ReclaimSpaceJob), the last operation in etcd-druid's (Etcd).
// Last comes a message that mentions a fault.
func (s *signals) hints(status map[string]any) {
	if s.rank > rankGood || s.summed || s.soft != nil {
		return
	}
	hints := newSignals(s.j)
	for _, field := range s.j.statusFields() {
		path, v := "status."+field, status[field]
		m, isMap := v.(map[string]any)
		text, _ := v.(string)
		switch {
		case isMap && latest(field):
			hints.fields(path, m, attempt)
		case hasSuffix(strings.ToLower(field), outcomeSuffixes[:]) && len(text) <= maxWord && (!past(field) || latest(field)):
			hints.state(path, v, status, attempt, false)
		case past(field):
		default:
			hints.collection(path, field, v)
			for _, sub := range slices.Sorted(maps.Keys(m)) {
				if _, isMap := m[sub].(map[string]any); !isMap {
					hints.collection(path+"."+sub, sub, m[sub])
				}
			}
		}
	}
	hints.course(status)
	if s.rank == rankNone && hints.rank == rankNone {
		hints.expectations(status)
		hints.namedLikeConditions(status)
		for _, field := range [...]string{"reason", "message", "statusMessage"} {
			text, _ := status[field].(string)
			if class := classifyText(text); class > wordPaused && hints.rank == rankNone {
				hints.class(class, inField("convention.message", "status."+field, text, status))
			}
		}
	}
	s.take(&hints)
}

// latest reports whether a field is about the last attempt, not an earlier one
// or the last success.
func latest(field string) bool {
	all := wordsOf(field)
	if len(all) < 2 || all[0] != "last" && all[0] != "latest" {
		return false
	}
	class := classify(strings.Join(all[1:], " "))
	return class != wordGood && class != wordBad
}

// collection: a non-empty list of errors means errors, a count of what is not
// ready means work. A total of failures so far says nothing about now.
func (s *signals) collection(path, field string, v any) {
	sense := conditionSense(upperFirst(field))
	n, counts := v.(int64)
	size, text := 0, ""
	switch v := v.(type) {
	case []any:
		size, text = len(v), errorText(v)
	case map[string]any:
		size, text = len(v), errorText(v)
		if sense != registry.Fault {
			return
		}
	}
	sig := Assessment{Rule: "convention.collection", Message: path + " is " + strconv.FormatInt(n, 10), Paths: []string{path}}
	if !counts {
		n, sig.Message = int64(size), strings.TrimSuffix(path+" has "+count(size, "element")+": "+text, ": ")
	}
	switch {
	case n <= 0, n == 100 && strings.HasPrefix(field, "progress"): // percent
	case lacks(field), sense == registry.Activity:
		s.progress(sig)
	case sense == registry.Fault && !counts:
		s.fault(sig)
	}
}

// lacks reports whether a field's name is about what is missing:
// unavailableReplicas, notReadyNodes, unready.
func lacks(field string) bool {
	field = strings.ToLower(field)
	words := []string{"unready", "unavailable", "unscheduled", "unhealthy", "notready", "notavailable"}
	return !strings.HasSuffix(field, "allowed") && slices.ContainsFunc(words,
		func(word string) bool { return strings.Contains(field, word) })
}

// course: a kind that ends has started, and not ended.
func (s *signals) course(status map[string]any) {
	if !bounded(s.o.Kind) {
		return
	}
	started := ""
	for _, field := range s.j.statusFields() {
		switch firstWord(field) {
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
		s.progress(s.j.by("convention.course", "status."+started).progress("Running", "it has started, and no end is reported"))
	}
}

// expectations: a zero count is usually omitted, so an expected number without
// a count means none.
func (s *signals) expectations(status map[string]any) {
	expected := ""
	for _, field := range s.j.statusFields() {
		switch n, counts := status[field].(int64); {
		case !counts || field == "observedGeneration":
		case !strings.HasPrefix(field, "expected"):
			return
		case n > 0:
			expected = field
		}
	}
	if expected != "" {
		s.progress(s.j.by("convention.counters", "status."+expected).progress("LessReady",
			"nothing is reported of what status."+expected+" counts"))
	}
}

// namedLikeConditions reads booleans such as status.created: false.
func (s *signals) namedLikeConditions(status map[string]any) {
	for _, field := range s.j.statusFields() {
		if value, ok := truth(status[field]); ok {
			if sense := conditionSense(upperFirst(field)); sense == registry.State {
				s.flag("convention.boolean", "status."+field, value, InProgress, status)
			}
		}
	}
}
