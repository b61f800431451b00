package message

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestATitleKeepsItsSubject(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{
			`create Pod db-0 in StatefulSet db failed error: Pod "db-0" is invalid: metadata.labels: Invalid value: "db-7dbc498786": must be no more than 63 bytes`,
			`metadata.labels "db-7dbc498786": must be no more than 63 bytes`,
		},
		{
			`Deployment.apps "web" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.template.spec.containers[0].image: Required value]`,
			`spec.replicas -1: must be greater than or equal to 0`,
		},
		{
			"kustomize build failed: accumulating resources from 'nope.yaml': must build at directory: not a valid directory: evalsymlink failure on '/tmp/a/nope.yaml' : lstat /tmp/a/nope.yaml: no such file or directory",
			"nope.yaml: no such file or directory",
		},
		{`Service "web" is invalid: spec.ports: Required value`, `spec.ports is required`},
		{`Pod "x" is invalid: spec: Forbidden: pod updates may not change fields`, `spec: forbidden: pod updates may not change fields`},
		{
			`Internal error occurred: failed calling webhook "validate.kyverno.svc-fail": failed to call webhook: Post "https://kyverno-svc.kyverno.svc:443/validate?timeout=10s": service "kyverno-svc" not found`,
			`webhook validate.kyverno.svc-fail cannot be called: service "kyverno-svc" not found`,
		},
		{
			`admission webhook "validation.gatekeeper.sh" denied the request: [owner] label owner is required`,
			`webhook validation.gatekeeper.sh denied it: [owner] label owner is required`,
		},
		{
			`pods "web-7d5b-" is forbidden: exceeded quota: compute, requested: limits.memory=2Gi, used: limits.memory=7Gi, limited: limits.memory=8Gi and so on and on and on and on, for some time`,
			`exceeded quota: compute, requested: limits.memory=2Gi, used: limits.memory=7Gi, limited: limits.memory=8Gi and so on and on and on and on, for some time`,
		},
		{
			`Failed to schedule pod, incompatible with nodepool "general", daemonset overhead={"cpu":"180m","memory":"120Mi","pods":"5"}, incompatible requirements, label "workload" does not have known values (typo of "workload-class"?)`,
			`incompatible with nodepool "general": label "workload" does not have known values (typo of "workload-class"?)`,
		},
		{
			"io.fabric8.kubernetes.client.KubernetesClientException: Failure executing: POST⏎\tat io.fabric8.X.run(X.java:12)⏎\tat y.Z(Z.java:1)⏎Caused by: java.net.UnknownHostException: kafka.shop.svc⏎\tat java.net.A(A.java:3)",
			`io.fabric8.kubernetes.client.KubernetesClientException: Failure executing: POST, caused by java.net.UnknownHostException: kafka.shop.svc`,
		},
		{"Traceback (most recent call last): File \"a.py\", line 3, in <module> x() ValueError: no such zone", `ValueError: no such zone`},
		{`rpc error: code = Aborted desc = volume pvc-1 is not ready for workloads`, `volume pvc-1 is not ready for workloads`},
		{`a short message`, `a short message`},
	} {
		if got := Short(c.text, 160); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// A title is one line of bounded length, and is not empty unless the message is.
func FuzzShort(f *testing.F) {
	for _, s := range []string{
		`X is invalid: a: Invalid value: "v": t`, `failed calling webhook "w": x: y`, `admission webhook "w" denied the request: t`, `exceeded quota: q`,
		`a, b {"c":"d,e"}, f; g`, "A: b at x.java:1 Caused by: c at y.java:2", "Traceback (most recent call last) E Error: x", "é: ü",
	} {
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, text string, most int) {
		if most < 20 || most > 300 || !utf8.ValidString(text) {
			return
		}
		got := Short(text, most)
		if len(got) > most && len(got) > len(text) || strings.ContainsAny(got, "\n\r") || !utf8.ValidString(got) || got == "" && Fold(text) != "" {
			t.Errorf("%q is shortened to %q", text, got)
		}
		_ = Objects(got)
	})
}
