package status

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// counters compares wanted with actual numbers: named as in Deployments and
// DaemonSets, after each other (members and readyMembers), or written "x/y".
func (s *signals) counters(status map[string]any) {
	spec := asMap(s.o.Tree["spec"])
	lags := s.replicas(status, spec) || s.compared("status", status, spec)
	below("status", status, maxBelow, func(path, field string, el map[string]any) bool {
		lags = lags || !past(field) && s.compared(path, el, nil)
		return !lags && !past(field)
	})
	if !lags {
		s.fractions("status", status)
		s.fractions("status.scale", asMap(status["scale"]))
	}
}

// compare adds the signal of a counter and its wanted number, good if they
// match, and reports whether it lags.
func (s *signals) compare(path string, have int64, wanted string, want int64, good bool) bool {
	sig := Assessment{
		Rule: "convention.counters", Message: path + " is " + of(have, want, ""),
		Paths: slices.Compact([]string{path, wanted}),
	}
	if have < want {
		sig.Reason = "LessReady"
		s.progress(sig)
	} else if good && want > 0 {
		s.good(sig)
	}
	return have < want
}

// replicas compares status.replicas with spec.replicas.
func (s *signals) replicas(status, spec map[string]any) bool {
	want, ok := number(spec["replicas"])
	have, there := number(status["replicas"])
	switch {
	case !ok || !there:
		return false
	case have > want:
		s.progress(s.j.by("convention.counters", "status.replicas spec.replicas").progress("ExtraReplicas",
			of(have-want, have, " replicas are to go")))
		return true
	}
	return s.compare("status.replicas", have, "spec.replicas", want, false)
}

// number is a number that is not written as a text.
func number(v any) (int64, bool) {
	if _, text := v.(string); text {
		return 0, false
	}
	return object.Integer(v)
}

// compared compares the counters of an object with those of related names, in
// the spec first: readyNodes with spec.nodes, nodesReady with nodesDesired. It
// reports whether one lags.
func (s *signals) compared(path string, at, spec map[string]any) bool {
	var specFields, named map[string]string
	for _, field := range slices.Sorted(maps.Keys(at)) {
		have, ok := number(at[field])
		others := counterparts(field)
		if !ok || others == nil {
			continue
		}
		if named == nil {
			specFields, named = byLowerCase(spec), byLowerCase(at)
		}
		wanted, want, found := "", int64(0), false
		for _, other := range others {
			if want, found = number(spec[specFields[other]]); found {
				wanted = "spec." + specFields[other]
				break
			}
			if want, found = number(at[named[other]]); found {
				wanted = path + "." + named[other]
				break
			}
		}
		for _, total := range [...]string{"replicas", "size", "instances"} {
			if n, ok := number(spec[total]); ok && !found && (have >= n || !s.summed) {
				wanted, want, found = "spec."+total, n, true
			}
		}
		if found && s.compare(path+"."+field, have, wanted, want, path == "status" && field != "replicas") {
			return true
		}
	}
	return false
}

func byLowerCase(m map[string]any) map[string]string {
	named := make(map[string]string, len(m))
	for field := range m {
		named[strings.ToLower(field)] = field
	}
	return named
}

// counterparts are the possible names of the wanted number for a count of ready
// ones, in lower case.
func counterparts(field string) []string {
	if rest, ok := strings.CutPrefix(field, "current"); ok || field == "replicas" {
		return []string{"desired" + strings.ToLower(rest)}
	}
	for _, word := range [...]string{
		"ready", "available", "healthy", "updated", "upToDate",
		"synced", "running", "online",
	} {
		if field == word {
			return []string{
				"desired", "expected", "total", "all", "size", "replicas",
				"desired" + strings.ToLower(word),
			}
		}
		before, after, ok := strings.Cut(field, upperFirst(word)) // nodesReady
		if rest, prefix := strings.CutPrefix(field, word); prefix {
			before, after, ok = "", rest, true
		}
		if ok && (after == "" || after[0] >= 'A' && after[0] <= 'Z') {
			before, after = strings.ToLower(before), strings.ToLower(after)
			return []string{
				before + after, before + "desired" + after, before + "expected" + after,
				before + "total" + after, before + "matched" + after,
				"desired" + before + after + "scheduled", // numberReady of a DaemonSet
			}
		}
	}
	return nil
}

// fractions reads texts such as "2/3 ready".
func (s *signals) fractions(path string, at map[string]any) {
	for _, field := range slices.Sorted(maps.Keys(at)) {
		text, _ := at[field].(string)
		if have, total, ok := fraction(text); ok && (mentionsReady(field) || mentionsReady(text)) {
			s.compare(path+"."+field, have, path+"."+field, total, !s.rootTrue)
		}
	}
}

// mentionsReady reports whether a field's name, or the words after its fraction,
// mention readiness: readyReplicas, "2/5 ready".
func mentionsReady(text string) bool {
	text = strings.ToLower(text)
	switch text { // as the name of a field
	case "available", "running", "healthy", "online", "up":
		return true
	}
	return strings.Contains(text, "replicas") || strings.Contains(text, "ready") ||
		strings.HasSuffix(text, " available") ||
		strings.HasSuffix(text, " running") || strings.HasSuffix(text, " healthy") || strings.HasSuffix(text, " up")
}

// fraction parses "2/3", possibly with words after it.
func fraction(text string) (have, total int64, ok bool) {
	text, _, _ = strings.Cut(text, " ")
	a, b, found := strings.Cut(text, "/")
	have, err := strconv.ParseInt(a, 10, 64)
	total, err2 := strconv.ParseInt(b, 10, 64)
	return have, total, found && err == nil && err2 == nil
}
