package message

import (
	"strings"
	"testing"
)

// refused are refusals as controllers report them, with NAME where a name stands.
var refused = []struct {
	text string
	want Denial
}{
	{`Error creating: pods "NAME-x" is forbidden: exceeded quota: NAME, requested: requests.cpu=8, used: requests.cpu=2, limited: requests.cpu=4`, Denial{Refusal: QuotaUsedUp, Name: "NAME"}},
	{`create Pod NAME-0 in StatefulSet NAME failed error: pods "NAME-0" is forbidden: failed quota: NAME: must specify requests.cpu,requests.memory`, Denial{Refusal: QuotaNeedsFields, Name: "NAME", Says: "requests.cpu,requests.memory"}},
	{`pods "NAME" is forbidden: [maximum cpu usage per Container is 500m, but limit is 1, maximum memory usage per Container is 64Mi, but limit is 256Mi]`, Denial{Refusal: OutsideLimits}},
	{`pods "NAME" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true (container "NAME" must set securityContext.runAsNonRoot=true)`, Denial{Refusal: PodSecurity, Name: "restricted:latest", Says: `runAsNonRoot != true (container "NAME" must set securityContext.runAsNonRoot=true)`}},
	{`pods "NAME" is forbidden: error looking up service account shop/NAME: serviceaccount "NAME" not found`, Denial{Refusal: NamesMissing, Kind: "ServiceAccount", Name: "NAME"}},
	{`pods "NAME" is forbidden: error looking up service account shop/NAME: etcdserver: request timed out`, Denial{}},
	{`pods "NAME" is forbidden: no PriorityClass with name NAME was found`, Denial{Refusal: NamesMissing, Kind: "PriorityClass", Name: "NAME"}},
	{`pods "NAME" is forbidden: pod rejected: RuntimeClass "NAME" not found`, Denial{Refusal: NamesMissing, Kind: "RuntimeClass", Name: "NAME"}},
	{`Internal error occurred: failed calling webhook "NAME.io": failed to call webhook: Post "https://NAME.svc:443/x?timeout=10s": context deadline exceeded`, Denial{Refusal: WebhookFails, Name: "NAME.io", Says: "context deadline exceeded"}},
	{`admission webhook "NAME.io" denied the request: exceeded quota: of the team`, Denial{Refusal: WebhookDenies, Name: "NAME.io", Says: "exceeded quota: of the team"}},
	{`admission webhook "NAME.io" denied the request without explanation`, Denial{Refusal: WebhookDenies, Name: "NAME.io", Says: " without explanation"}},
	{`admission webhook "NAME.io" does not support dry run`, Denial{}},
	{`pods "NAME" is forbidden: ValidatingAdmissionPolicy 'NAME' with binding 'NAME' denied request: no PriorityClass with name may be used`, Denial{Refusal: PolicyDenies, Name: "NAME", Says: "no PriorityClass with name may be used"}},
	{`pods "NAME" is forbidden: unable to create new content in namespace NAME because it is being terminated`, Denial{Refusal: NamespaceEnding}},
	{`Pod "NAME" is invalid: metadata.labels: Invalid value: "NAME": must be no more than 63 bytes`, Denial{}},
}

// TestARefusalIsReadOnce names the kind, the subject and what is said of it, and no name changes them.
func TestARefusalIsReadOnce(t *testing.T) {
	for _, c := range refused {
		for _, name := range []string{"web", "exceeded-quota", "denied", "webhook", "runtimeclass", "podsecurity.violates.io", "not-found"} {
			put := func(s string) string { return strings.ReplaceAll(s, "NAME", name) }
			got := Refused(put(c.text))
			if got.Refusal != c.want.Refusal || c.want.Refusal != OtherRefusal && (got.Kind != c.want.Kind || got.Name != put(c.want.Name) ||
				got.Says != put(c.want.Says)) {
				t.Errorf("%s\n  is %d %q %q, want %d %q %q", put(c.text), got.Refusal,
					got.Name, got.Says, c.want.Refusal, put(c.want.Name), put(c.want.Says))
			}
		}
	}
	d := Refused(refused[0].text)
	if want := (Shortage{"requests.cpu", "8", "2", "4"}); len(d.Short) != 1 || d.Short[0] != want {
		t.Errorf("%v, want %v", d.Short, want)
	}
}
