package message

import "strings"

// NoNode returns who adds no node for a Pod, and why, by the reason and the message of an event.
// False if the event says no such thing.
//
// The cluster autoscaler counts its node groups by reason, sorted by the text, as the scheduler
// does with nodes (cluster-autoscaler v1.33, processors/status/eventing_scale_up_processor.go).
// Karpenter reports with the scheduler's reason, a clause for each of its pools (karpenter v1.8,
// pkg/controllers/provisioning/scheduling/events.go).
func NoNode(reason, text string) (who, why string, ok bool) {
	text = Line(text)
	switch reason {
	case "NotTriggerScaleUp":
		_, list, _ := strings.Cut(text, "pod didn't trigger scale-up")
		// up to v1.21: " (it wouldn't fit if a new node is added): "
		if _, after, old := strings.Cut(list, "): "); old {
			list = after
		}
		return "the autoscaler", groups(strings.Trim(list, ": ")), true
	case "NoCompatibleInstanceTypes", "InsufficientCapacityError":
		return "the autoscaler", "", true
	case "FailedScheduling":
		if list, ok := strings.CutPrefix(text, "Failed to schedule pod, "); ok {
			return "Karpenter", Short(pools(list), 140), true
		}
	}
	return "", "", false
}

// groupLimits are what keeps a group from growing in which the Pod would fit (cluster-autoscaler
// v1.33, core/scaleup/orchestrator/skippedreasons.go; "max limit reached" up to v1.20).
var groupLimits = []string{
	"max node group size reached", "max limit reached", "in backoff after failed scale-up",
	"not ready for scale-up", " limit reached",
}

// groups are the entries of the autoscaler's histogram that matter: a group in which the Pod would
// fit if it might grow before those that the Pod does not want.
func groups(list string) string {
	var limits []string
	for entry := range strings.SplitSeq(list, ", ") {
		if containsAny(entry, groupLimits) {
			limits = append(limits, entry)
		}
	}
	if len(limits) > 0 {
		list = strings.Join(limits, ", ")
	}
	return Short(list, 140)
}

// pools are Karpenter's clauses without the requirements that it repeats before it says in brackets
// what no type of instance has.
func pools(list string) string {
	clauses := strings.Split(list, "; ")
	for i, c := range clauses {
		before, after, ok := strings.Cut(c, ", no instance type satisfied resources ")
		if _, why, brackets := strings.Cut(after, " ("); ok && brackets && strings.HasSuffix(why, ")") {
			pool, _, _ := strings.Cut(before, ", daemonset overhead=")
			clauses[i] = pool + ", " + strings.TrimSuffix(why, ")")
		}
	}
	return strings.Join(clauses, "; ")
}

// Metrics is a kind of reason for which a HorizontalPodAutoscaler cannot do its work.
type Metrics int

// The kinds (kubernetes v1.36, pkg/controller/podautoscaler, and apimachinery's errors for an API
// that is not served).
const (
	OtherMetrics   Metrics = iota
	MetricsAPIDown         // the API that NoMetrics names is not served
	RequestMissing         // a container requests nothing of what is measured
	TargetMissing          // what it is to scale does not exist
)

// NoMetrics reads why an autoscaler has no metrics, or no target, and which API is not served:
// "metrics.k8s.io", another, or "" if the message does not name one.
func NoMetrics(text string) (kind Metrics, api string) {
	plain := quotedNames().ReplaceAllString(Line(text), "…")
	switch {
	case containsAny(plain,
		[]string{
			"could not find the requested resource", "no matches for",
			"the server is currently unable to handle",
		}):
		for _, api := range []string{"custom.metrics.k8s.io", "external.metrics.k8s.io", "metrics.k8s.io"} {
			if strings.Contains(text, api) {
				return MetricsAPIDown, api
			}
		}
		return MetricsAPIDown, ""
	case strings.Contains(plain, "missing request for"):
		return RequestMissing, ""
	case strings.Contains(plain, "not found"):
		return TargetMissing, ""
	}
	return OtherMetrics, ""
}
