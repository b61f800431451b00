package e2e

import (
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// Field selectors, categories, kubectl's goals and formats mean on a real API
// server what they mean to kubectl.
func TestSelectingWaitingAndPrintingAsKubectlDoes(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "selecting")
	apply(t, ns, pair)
	run := func(code int, want string, args ...string) {
		t.Helper()
		got := ktui(t, cluster.ReadOnly, append(args, "-n", ns)...)
		if got.code != code || !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("%q: want exit %d and %q\n%s", args, code, want, got)
		}
	}
	run(0, "condition=Available", "wait", "deploy/front", "--for=condition=Available", "--timeout=4m")
	run(0, "", "wait", "deploy/front", "--for=jsonpath={.status.readyReplicas}=2", "--timeout=4m")
	run(3, "", "wait", "deploy/front", "--for=condition=Available=False", "--timeout=2s")
	run(0, "pod/front-", "status", "pods", "--field-selector=status.phase=Running", "-o=name")
	run(1, "no resources found", "status", "pods", "--field-selector=status.phase=Failed")
	run(1, "cannot select deployments by --field-selector spec.paused=true", "status", "deploy", "--field-selector=spec.paused=true", "--timeout=1m")
	run(0, "deployment.apps/front", "status", "all", "--all", "-o=name")
	run(0, "Current", "status", "deploy/front", "-o=jsonpath={.verdict}")
	run(0, "front   Current", "status", "deploy/front", "-o=custom-columns=NAME:.name,IS:.status")
	run(0, "", "wait", "cm/none", "--for=delete", "--timeout=1m")
}
