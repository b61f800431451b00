package e2e

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// Who may read Deployments and Pods, but neither events nor logs.
const withoutEvents = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: partial}
rules:
- {apiGroups: [apps], resources: ["*"], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [%s], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: partial}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: partial}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %q}]
`

// What may not be read is said as that, in the panes and in the outputs: never
// as an empty list.
func TestPanesAndOutputsNameUserVerbAndResourceOfARefusal(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "refused")
	apply(t, ns, pair)
	apply(t, ns, fmt.Sprintf(withoutEvents, "pods", cluster.Namespaced))
	breakFront(t, ns)
	may := func(group, resource string) {
		t.Helper()
		if err := shared.WaitAllowed(t.Context(), ns, cluster.Namespaced, "list", group, resource, ""); err != nil {
			t.Fatal(err)
		}
	}
	may("apps", "deployments")
	may("", "pods")
	cannot := func(verb, resource string) string {
		return fmt.Sprintf("user %s cannot %s %s in %s (RBAC)", cluster.Namespaced, verb, resource, ns)
	}
	ui := dashboard(t, cluster.Namespaced, "-n", ns, "deploy/front")
	ui.until("the broken Deployment", func(s terminal.Screen) bool { return row(s, "/front ", "Secret da") != "" })
	if err := errors.Join(ui.Resize(240, 40), ui.Type("3")); err != nil { // the pane is as wide as it may be then
		t.Fatal(err)
	}
	ui.until("who may not list events", func(s terminal.Screen) bool {
		return s.Has(cannot("list", "events")) && !s.Has("No events")
	})
	if err := ui.Type("4"); err != nil {
		t.Fatal(err)
	}
	line, _ := strings.CutSuffix("cannot read the log: "+cannot("get", "pods/log"), " (RBAC)") // which is on the next line
	ui.until("who may not read the log", func(s terminal.Screen) bool { return s.Has(line) })
	ui.quit()
	for _, args := range [][]string{{"why"}, {"status"}, {"why", "-o", "json"}, {"status", "-o", "json"}, {"why", "-o", "markdown"}} {
		got := ktui(t, cluster.Namespaced, append(args, "-n", ns, "deploy/front")...)
		out := got.stdout
		if len(args) == 1 {
			out = got.stderr
		}
		// Standard error names all that may not be listed in one sentence: what might make the Secret, too.
		want := strings.Replace(regexp.QuoteMeta(cannot("list", "events")), "events", `(\S+, )*events`, 1)
		if !regexp.MustCompile(want).MatchString(strings.ReplaceAll(out, `\`, "")) {
			t.Errorf("%v does not say %q\n%s", args, want, got)
		}
	}
}

// A Deployment whose Pods may not be listed is not one without Pods.
func TestTheLogsPaneReportsThatPodsMayNotBeListed(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "refused")
	apply(t, ns, pair)
	apply(t, ns, fmt.Sprintf(withoutEvents, "services", cluster.Namespaced))
	if err := shared.WaitAllowed(t.Context(), ns, cluster.Namespaced, "list", "apps", "deployments", ""); err != nil {
		t.Fatal(err)
	}
	ui := dashboard(t, cluster.Namespaced, "-n", ns, "deploy/front")
	ui.until("the Deployment", func(s terminal.Screen) bool { return row(s, "/front ", "✓") != "" })
	if err := errors.Join(ui.Resize(240, 40), ui.Type("4")); err != nil {
		t.Fatal(err)
	}
	ui.until("who may not list pods", func(s terminal.Screen) bool {
		return s.Has(fmt.Sprintf("user %s cannot list pods in %s (RBAC)", cluster.Namespaced, ns)) && !s.Has("no pod below")
	})
	ui.quit()
}
