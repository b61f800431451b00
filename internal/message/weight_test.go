package message

import "testing"

func TestAMessageWithAReasonWeighsMoreThanOneThatRestatesTheFailure(t *testing.T) {
	for _, c := range []struct{ more, less string }{
		{"error parsing queue metadata: awsAccessKeyID not found", "Triggers defined in ScaledObject are not working correctly"},
		{`secrets "extra-scrapes" not found`, "some components are not ready"},
		{"Cannot restart node because of failed predicate: only_restart_healthy_node_if_green_or_yellow", "Nodes upgrade in progress"},
		{"DependencyViolation: The vpc 'vpc-1' has dependencies and cannot be deleted.", ""},
		{"2 of 3 replicas of db-0 are ready", "Not all replicas are ready"},
		{`pods "x" is forbidden: exceeded quota: compute`, "child 'quota-test-1' errored"}, // a name is no complaint
		{"insufficient storage;precheck new replica failed", "volume is not ready for workloads"},
	} {
		if Weight(c.more) <= Weight(c.less) {
			t.Errorf("%q weighs %d, %q %d", c.more, Weight(c.more), c.less, Weight(c.less))
		}
	}
}

func TestABareFailureNamesNoReason(t *testing.T) {
	for text, bare := range map[string]bool{
		"ClusterFailure: Failed to configure ceph cluster": true,
		"unable to reconcile":                              true,
		"Failed to configure ceph cluster: timed out":      false,
		`failed to create Pod "db-0"`:                      false,
		"the pool is full":                                 false,
		"failed to reach 10.0.0.1":                         false,
	} {
		if Bare(text) != bare {
			t.Errorf("%q: bare is %v", text, !bare)
		}
	}
}
