package status

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// counters compares wanted with actual numbers, named as in Deployments,
// DaemonSets or written "x/y".
func (j *judge) counters(s *signals, status map[string]any) {
	spec := asMap(j.o.Tree["spec"])
	if j.replicaCounters(s, status, spec) || j.pairedCounters(s, "status", status, 2) || j.askedCounters(s, status, spec) {
		return
	}
	s.fractions("status", status)
	s.fractions("status.scale", asMap(status["scale"]))
}

// compare adds the signal of a counter and its wanted number, good if they
// match, and reports whether it lags.
func (s *signals) compare(reason, path string, have int64, wanted string, want int64, good bool) bool {
	sig := Assessment{Rule: "convention.counters", Message: path + " is " + of(have, want, ""), Paths: slices.Compact([]string{path, wanted})}
	if have < want {
		sig.Reason = reason
		s.progress(sig)
	} else if good && want > 0 {
		s.good(sig)
	}
	return have < want
}

func (j *judge) replicaCounters(s *signals, status, spec map[string]any) bool {
	wanted := "spec.replicas"
	want, ok := object.Integer(spec["replicas"])
	for _, field := range [...]string{"desiredNumberScheduled", "desiredReplicas", "replicas"} {
		if !ok {
			wanted = "status." + field
			want, ok = object.Integer(status[field])
		}
	}
	if !ok {
		return false
	}
	for _, field := range [...]string{
		"replicas", "currentReplicas", "updatedReplicas", "readyReplicas", "availableReplicas", "updatedReadyReplicas", "updatedAvailableReplicas",
		"updatedNumberScheduled", "numberAvailable", "numberReady",
	} {
		have, there := object.Integer(status[field])
		if _, text := status[field].(string); !there || text || wanted == "status."+field || field == "currentReplicas" && wanted != "status.desiredReplicas" {
			continue
		}
		alone := field == "replicas" && !slices.ContainsFunc(j.statusFields(), countsReady)
		if s.compare("LessReplicas", "status."+field, have, wanted, want, !s.rootTrue && !alone) {
			return true
		}
		if alone && want > 0 && !s.rootTrue {
			s.good(Assessment{
				Rule: "convention.counters", Confidence: Assumed, Note: "how many of them are ready is not reported",
				Message: "status.replicas is " + of(have, want, ""), Paths: []string{"status.replicas", wanted},
			})
		}
	}
	have, there := object.Integer(status["replicas"])
	switch {
	case !there || wanted != "spec.replicas":
		return false
	case have > want:
		s.progress(j.by("convention.counters", "status.replicas "+wanted).progress("ExtraReplicas", of(have-want, have, " replicas are to go")))
		return true
	}
	return status["readyReplicas"] == nil && status["availableReplicas"] == nil && status["updatedReplicas"] != nil &&
		s.compare("LessReplicas", "status.readyReplicas", 0, wanted, want, false)
}

func countsReady(field string) bool {
	field = strings.ToLower(field)
	return strings.Contains(field, "ready") || strings.Contains(field, "available")
}

// fractions reads texts such as "2/3 ready".
func (s *signals) fractions(path string, at map[string]any) {
	for _, field := range slices.Sorted(maps.Keys(at)) {
		text, _ := at[field].(string)
		if have, total, ok := fraction(text); ok && (saysReady(field) || saysReady(text)) {
			s.compare("LessReplicas", path+"."+field, have, path+"."+field, total, !s.rootTrue)
		}
	}
}

// pairedCounters compares counters with related names, up to a depth: members
// and readyMembers, nodesReady and nodesDesired. It reports whether one lags.
func (j *judge) pairedCounters(s *signals, path string, at map[string]any, depth int) bool {
	named := map[string]string{} // by name in lower case
	for field := range at {
		named[strings.ToLower(field)] = field
	}
	for _, field := range slices.Sorted(maps.Keys(at)) {
		if v, ok := at[field].(map[string]any); ok && depth > 0 && !past(field) && j.pairedCounters(s, path+"."+field, v, depth-1) {
			return true
		}
		have, ok := at[field].(int64)
		if !ok || path == "status" && strings.HasSuffix(field, "Replicas") {
			continue
		}
		for _, other := range counterparts(field) {
			other = named[strings.ToLower(other)]
			if want, ok := at[other].(int64); ok && s.compare("LessReady", path+"."+field, have, path+"."+other, want, path == "status" && s.rank == rankNone) {
				return true
			}
		}
	}
	return false
}

// counterparts are the possible names of the wanted number for a count of ready
// ones.
func counterparts(field string) []string {
	for _, word := range [...]string{"ready", "available", "healthy", "updated", "synced"} {
		if field == word {
			return []string{"desired", "expected", "total", "size", "replicas", "desired" + word}
		}
		before, after, ok := strings.Cut(field, upperFirst(word)) // nodesReady
		if rest, prefix := strings.CutPrefix(field, word); prefix {
			before, after, ok = "", rest, true
		}
		if ok && (after == "" || after[0] >= 'A' && after[0] <= 'Z') {
			return []string{before + after, before + "desired" + after, before + "expected" + after, before + "total" + after}
		}
	}
	return nil
}

// askedCounters compares counters with the number of that name in the spec:
// readyNodes with spec.nodes.
func (j *judge) askedCounters(s *signals, status, spec map[string]any) bool {
	for _, field := range j.statusFields() {
		have, ok := status[field].(int64)
		rest, named := strings.CutPrefix(field, "ready")
		if !named {
			rest, named = strings.CutPrefix(field, "available")
		}
		if !ok || !named || rest == "" || rest[0] < 'A' || rest[0] > 'Z' || rest == "Replicas" {
			continue
		}
		own := strings.ToLower(rest[:1]) + rest[1:]
		for _, asked := range [...]string{own, "replicas", "size", "instances"} {
			want, ok := spec[asked].(int64)
			if !ok {
				continue
			}
			if (asked == own || have >= want || !s.rootTrue && !s.summed) &&
				s.compare("LessReady", "status."+field, have, "spec."+asked, want, !s.rootTrue) {
				return true
			}
			break
		}
	}
	return false
}

// saysReady reports whether a field's name, or the words after its fraction,
// mention readiness: readyReplicas, "2/5 ready".
func saysReady(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "replicas") || strings.Contains(text, "ready") || strings.HasSuffix(text, " available") ||
		strings.HasSuffix(text, " running") || strings.HasSuffix(text, " healthy") || strings.HasSuffix(text, " up")
}

// fraction parses "2/3", possibly with words after it.
func fraction(text string) (have, total int64, ok bool) {
	text, _, _ = strings.Cut(text, " ")
	a, b, found := strings.Cut(text, "/")
	if !found || len(text) > 20 {
		return 0, 0, false
	}
	have, err := strconv.ParseInt(a, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	total, err = strconv.ParseInt(b, 10, 64)
	return have, total, err == nil
}
