package message

import (
	"strings"
	"testing"
)

// claims are messages about claims, budgets and queues; NAME is a name that says nothing.
var claims = []struct {
	text string
	want ClaimStep
}{
	{`storageclass.storage.k8s.io "NAME" not found`, ClassUnknown},
	{`no persistent volumes available for this claim and no storage class is set`, NoClass},
	{`failed to provision volume with StorageClass "NAME": rpc error: code = NotFound desc = pool not found`, OtherClaim},
	{`failed to get target node: node "NAME" not found`, OtherClaim},
}

func TestMessagesAboutClaimsAreParsed(t *testing.T) {
	for _, name := range []string{"fast", "not-found", "storageclass.storage.k8s.io", "conversion-webhook-for-x", "exceeds"} {
		for _, c := range claims {
			if got := Claim(strings.ReplaceAll(c.text, "NAME", name)); got != c.want {
				t.Errorf("%s with %s is %d, want %d", c.text, name, got, c.want)
			}
		}
		text := func(s string) string { return strings.ReplaceAll(s, "NAME", name) }
		if !NoScale(text(`Failed to calculate the number of expected pods: NAME.lab.io does not implement the scale subresource`)) ||
			NoScale(text(`Failed to calculate the number of expected pods: found no controller for pod "NAME"`)) {
			t.Errorf("a budget with %s is misread", name)
		}
		if !NeverAdmitted(text(`couldn't assign flavors to pod set main: insufficient quota for cpu in flavor default, request > maximum capacity (9 > 8)`)) ||
			!NeverAdmitted(text(`LocalQueue "NAME" doesn't exist`)) ||
			NeverAdmitted(text(`couldn't assign flavors to pod set "NAME": insufficient unused quota for cpu in flavor "NAME", 1 more needed`)) {
			t.Errorf("a queue with %s is misread", name)
		}
		down, version, why, _ := ConversionDown(text(`conversion webhook for NAME.io/v1, Kind=Widget failed: Post "https://NAME.svc:443/convert": connection refused`))
		_, _, _, other := ConversionDown(text(`failed to list "NAME": the server is currently unable to handle the request`))
		if down != "Widget" || version != text("NAME.io/v1") || why != "connection refused" || other {
			t.Errorf("a conversion with %s is misread", name)
		}
	}
}
