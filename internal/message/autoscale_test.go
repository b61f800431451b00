package message

import "testing"

// TestMessagesOfAutoscalersAreParsed reads what autoscalers say of a Pod for which they add no node.
func TestMessagesOfAutoscalersAreParsed(t *testing.T) {
	for _, c := range []struct{ reason, text, who, why string }{
		{"NotTriggerScaleUp", "pod didn't trigger scale-up: 12 node(s) didn't match Pod's node affinity/selector, 3 max node group size reached", "the autoscaler", "3 max node group size reached"},
		{"NotTriggerScaleUp", "pod didn't trigger scale-up (it wouldn't fit if a new node is added): 1 max limit reached", "the autoscaler", "1 max limit reached"},
		{"NotTriggerScaleUp", "pod didn't trigger scale-up: 1 in backoff after failed scale-up, 2 Insufficient memory, 1 max cluster cpu limit reached", "the autoscaler", "1 in backoff after failed scale-up, 1 max cluster cpu limit reached"},
		{"NotTriggerScaleUp", "pod didn't trigger scale-up: 2 Insufficient memory, 1 node(s) had untolerated taint {a: b}", "the autoscaler", "2 Insufficient memory, 1 node(s) had untolerated taint {a: b}"},
		{"NotTriggerScaleUp", "pod didn't trigger scale-up: ", "the autoscaler", ""},
		{"InsufficientCapacityError", "InsufficientCapacityError x", "the autoscaler", ""},
		{"FailedScheduling", `Failed to schedule pod, incompatible with nodepool "a", daemonset overhead={"cpu":"180m","pods":"3"}, no instance type satisfied resources {"cpu":"530m"} and requirements env In [dev], type In [service] (no instance type has enough resources)`, "Karpenter", `incompatible with nodepool "a", no instance type has enough resources`},
		{"FailedScheduling", "0/3 nodes are available: 3 Insufficient cpu.", "", ""},
		{"Scheduled", "Successfully assigned a/b to c", "", ""},
	} {
		who, why, ok := NoNode(c.reason, c.text)
		if who != c.who || why != c.why || ok != (c.who != "") {
			t.Errorf("%s: %s\n  %q, %q, %v; want %q, %q", c.reason, c.text, who, why, ok, c.who, c.why)
		}
	}
}

// TestMessagesAboutMissingMetricsAreParsed reads why a HorizontalPodAutoscaler cannot scale.
func TestMessagesAboutMissingMetricsAreParsed(t *testing.T) {
	for _, c := range []struct {
		text string
		kind Metrics
		api  string
	}{
		{"unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)", MetricsAPIDown, "metrics.k8s.io"},
		{"unable to fetch metrics from external metrics API: the server is currently unable to handle the request (get s0-x.external.metrics.k8s.io)", MetricsAPIDown, "external.metrics.k8s.io"},
		{`no matches for kind "ScaledObject" in version "keda.k8s.io/v1alpha1"`, MetricsAPIDown, ""},
		{"failed to get cpu utilization: missing request for cpu in container app of Pod web-1", RequestMissing, ""},
		{`deployments/scale.apps "nope" not found`, TargetMissing, ""},
		{`did not receive metrics for targeted pods of "not found"`, OtherMetrics, ""},
	} {
		if kind, api := NoMetrics(c.text); kind != c.kind || api != c.api {
			t.Errorf("%s: %d %q, want %d %q", c.text, kind, api, c.kind, c.api)
		}
	}
}
