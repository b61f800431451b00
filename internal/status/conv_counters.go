package status

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// counters compares what is wanted with what there is, in the shapes of
// Deployment, DaemonSet and of "x/y".
func (j *judge) counters(s *signals, status map[string]any) {
	spec, _ := j.o.Tree["spec"].(map[string]any)
	want, ok := object.Integer(spec["replicas"])
	wantPath := "spec.replicas"
	if !ok {
		want, ok = object.Integer(status["desiredNumberScheduled"])
		wantPath = "status.desiredNumberScheduled"
	}
	countsReady := slices.ContainsFunc(j.statusFields(), func(field string) bool {
		field = strings.ToLower(field)
		return strings.Contains(field, "ready") || strings.Contains(field, "available")
	})
	compare := func(fields ...string) bool {
		for _, field := range fields {
			if _, isString := status[field].(string); isString {
				continue
			}
			if have, there := object.Integer(status[field]); there && have < want {
				s.progress(Assessment{
					Rule: "convention.counters", Reason: "LessReplicas", Paths: []string{"status." + field, wantPath},
					Message: "status." + field + " is " + strconv.FormatInt(have, 10) + " of " + strconv.FormatInt(want, 10),
				})
				return true
			} else if there && want > 0 && !s.rootTrue {
				sig := Assessment{
					Rule: "convention.counters", Paths: []string{"status." + field, wantPath},
					Message: "status." + field + " is " + strconv.FormatInt(have, 10) + " of " + strconv.FormatInt(want, 10),
				}
				if field == "replicas" && !countsReady {
					sig.Confidence, sig.Note = Assumed, "how many of them are ready is not reported"
				}
				s.good(sig)
			}
		}
		return false
	}
	if ok {
		if compare("replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
			"updatedReadyReplicas", "updatedAvailableReplicas",
			"updatedNumberScheduled", "numberAvailable", "numberReady") {
			return
		}
		if have, there := object.Integer(status["replicas"]); there && wantPath == "spec.replicas" {
			if have > want {
				s.progress(Assessment{
					Rule: "convention.counters", Reason: "ExtraReplicas", Paths: []string{"status.replicas", wantPath},
					Message: strconv.FormatInt(have-want, 10) + " of " + strconv.FormatInt(have, 10) + " replicas are to go",
				})
				return
			}
			if _, ready := status["readyReplicas"]; !ready && want > 0 && status["availableReplicas"] == nil &&
				status["updatedReplicas"] != nil {
				s.progress(Assessment{
					Rule: "convention.counters", Reason: "LessReplicas", Paths: []string{"status.readyReplicas", wantPath},
					Message: "no replica of " + strconv.FormatInt(want, 10) + " is ready",
				})
				return
			}
		}
	}
	if j.pairedCounters(s, "status", status, 2) || j.askedCounters(s, status, spec) {
		return
	}
	if size, ok := object.Integer(status["size"]); ok {
		if ready, there := object.Integer(status["ready"]); there && ready < size {
			s.progress(Assessment{
				Rule: "convention.counters", Reason: "LessReady", Paths: []string{"status.ready", "status.size"},
				Message: strconv.FormatInt(ready, 10) + " of " + strconv.FormatInt(size, 10) + " are ready",
			})
		}
	}
	for k, at := range [...]map[string]any{status, asMap(status["scale"])} {
		fields := j.statusFields()
		if k == 1 {
			fields = slices.Sorted(maps.Keys(at))
		}
		for _, field := range fields {
			text, _ := at[field].(string)
			have, total, ok := fraction(text)
			if !ok || !saysReady(field) && !saysReady(text) {
				continue
			}
			sig := Assessment{Rule: "convention.counters", Paths: []string{"status." + field}, Message: field + " is " + text}
			if have < total {
				sig.Reason = "LessReplicas"
				s.progress(sig)
			} else if !s.rootTrue {
				s.good(sig)
			}
		}
	}
}

// pairedCounters compares counters that are named after each other, and at most
// so many levels below: members and readyMembers, nodesReady and nodesDesired. It
// reports whether one lags.
func (j *judge) pairedCounters(s *signals, path string, at map[string]any, depth int) bool {
	named := map[string]string{} // by the name in lower case
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
			want, ok := at[other].(int64)
			if !ok || have >= want && (path != "status" || want <= 0 || s.rank > rankNone) {
				continue
			}
			sig := Assessment{
				Rule: "convention.counters", Paths: []string{path + "." + field, path + "." + other},
				Message: path + "." + field + " is " + strconv.FormatInt(have, 10) + " of " + strconv.FormatInt(want, 10),
			}
			if have >= want {
				s.good(sig)
				continue
			}
			sig.Reason = "LessReady"
			s.progress(sig)
			return true
		}
	}
	return false
}

// counterparts are the names under which the number that is wanted may stand
// beside a count of what is ready.
func counterparts(field string) []string {
	for _, word := range [...]string{"ready", "available", "healthy"} {
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
		for _, asked := range [...]string{lowerFirst(rest), "replicas", "size", "instances"} {
			if want, ok := spec[asked].(int64); ok {
				if have < want && (asked == lowerFirst(rest) || !s.rootTrue && !s.summed) {
					s.progress(Assessment{
						Rule: "convention.counters", Reason: "LessReady", Paths: []string{"status." + field, "spec." + asked},
						Message: "status." + field + " is " + strconv.FormatInt(have, 10) + " of " + strconv.FormatInt(want, 10),
					})
					return true
				}
				if have >= want && want > 0 && !s.rootTrue {
					s.good(Assessment{
						Rule: "convention.counters", Paths: []string{"status." + field, "spec." + asked},
						Message: "status." + field + " is " + strconv.FormatInt(have, 10) + " of " + strconv.FormatInt(want, 10),
					})
				}
				break
			}
		}
	}
	return false
}

func lowerFirst(s string) string {
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return s
	}
	return string(s[0]-'A'+'a') + s[1:]
}

// saysReady reports whether a field, or what stands behind its fraction, is
// about what is ready: readyReplicas, "2/5 ready".
func saysReady(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "replicas") || strings.Contains(text, "ready") || strings.HasSuffix(text, " available") ||
		strings.HasSuffix(text, " running") || strings.HasSuffix(text, " healthy") || strings.HasSuffix(text, " up")
}

// fraction reads "2/3", also with a word behind it.
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
