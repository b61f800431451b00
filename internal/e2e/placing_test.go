package e2e

import (
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// kubectl's text says no namespace, and the current one is "default".
func TestKubectlsTextIsFoundInTheNamespaceThatHasAllOfIt(t *testing.T) {
	t.Parallel()
	ns, other := namespace(t, "text"), namespace(t, "namesake")
	// Names that no other scenario has, as its namespaces are looked through too.
	renamed := strings.NewReplacer("front", "placed")
	objects := renamed.Replace(pair)
	text := renamed.Replace("deployment.apps/front created\nconfigmap/front-settings created\n")
	apply(t, ns, objects)

	w := startWaitOn(t, text, "--timeout=3m", "-f", "-")
	w.ends(0, "2 of 2 Current", "found in namespace "+ns)
	as := environment(t, shared.Kubeconfig(cluster.ReadOnly))
	names := renamed.Replace("deployment.apps/front\nconfigmap/front-settings\n")
	ktuiIn(t, as, names, "status").ended(t, 0, "found in namespace "+ns)
	ktuiIn(t, as, text, "why", "-f", "-").ended(t, 0)

	apply(t, other, objects)
	ktuiIn(t, as, text, "status", "-f", "-").ended(t, 1, "several have all that it names", ns, other, "-o yaml")
	ktuiIn(t, as, text, "wait", "--timeout=3m", "-n", other, "-f", "-").ended(t, 0)

	deleted := renamed.Replace("deployment.apps \"front\" deleted\nconfigmap \"front-settings\" deleted\n")
	ktuiIn(t, as, deleted, "wait", "--for=deleted", "--timeout=1m", "-f", "-").ended(t, 0)

	// A user who may not list every namespace is told so.
	user := allowed(t, ns, `{apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}`)
	ktuiIn(t, environment(t, shared.Kubeconfig(cluster.Admin)), "configmap/placed-settings unchanged\n", "status", "--as="+user, "-f", "-").
		ended(t, 1, "configmap/placed-settings is not found in default", "may not be looked for elsewhere", "cannot list", user, "-n NAMESPACE")
}
