package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// A user with exactly what `rbac` prints sees everything that an administrator
// sees; one without it is told the missing permission.
func TestTheRolePrintedIsEnough(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "rbac")
	apply(t, ns, pair)
	source := []string{"-n", ns, "-f", manifest(t, pair), "--children=all"}
	statusUntil(t, cluster.Admin, source, func(_ document, got outcome) string {
		if got.code != 0 {
			return "it is not Current"
		}
		return ""
	})

	lacks := ktui(t, cluster.Nobody, append([]string{"rbac", "--check"}, source...)...)
	if lacks.code != 1 || !strings.Contains(lacks.stdout, "cannot watch deployments.apps front in "+ns+"\n") || !strings.Contains(lacks.stderr, "may have more below it") {
		t.Fatalf("nobody lacks nothing: %s", lacks)
	}
	if table := ktui(t, cluster.Nobody, append([]string{"rbac", "--check", "-o", "table"}, source...)...); table.code != 1 || !strings.Contains(table.stdout, "deployments.apps") {
		t.Errorf("as a table: %s", table)
	}
	role := ktui(t, cluster.Admin, append([]string{"rbac", "--name=least"}, source...)...)
	if role.code != 0 || strings.Contains(role.stdout, "ClusterRole") || strings.Contains(role.stdout, "*") {
		t.Fatalf("it is not the least: %s", role)
	}
	apply(t, ns, role.stdout+fmt.Sprintf(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: least}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: least}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %s}]
`, cluster.Nobody))
	if err := shared.WaitAllowed(t.Context(), ns, cluster.Nobody, "watch", "", "pods", ""); err != nil {
		t.Fatal(err)
	}
	if has := ktui(t, cluster.Nobody, append([]string{"rbac", "--check"}, source...)...); has.code != 0 || has.stdout != "" || !strings.Contains(has.stderr, "no permission is missing") {
		t.Errorf("something is lacking: %s", has)
	}
	if got, all := ktui(t, cluster.Nobody, append([]string{"status", "-o", "tree", "--no-headers"}, source...)...), ktui(t, cluster.Admin, append([]string{"status", "-o", "tree", "--no-headers"}, source...)...); got.code != 0 || names(got.stdout) != names(all.stdout) {
		t.Errorf("with the role:\n%s\nan administrator:\n%s", got, all)
	}
}

// names are the first words of lines.
func names(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 0 {
			b.WriteString(f[0] + "\n")
		}
	}
	return b.String()
}
