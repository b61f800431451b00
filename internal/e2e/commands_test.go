package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// What the patches among the commands are for.
const patched = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  paused: true
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: registry.example.com/app}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  serviceName: db
  updateStrategy: {rollingUpdate: {partition: 1}}
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: app, image: registry.example.com/app}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: later}
spec:
  suspend: true
  template:
    spec: {restartPolicy: Never, containers: [{name: app, image: registry.example.com/app}]}
`

type otherCommand struct {
	form   *regexp.Regexp
	writes bool
}

// The commands of other tools than kubectl, which this test does not run: their
// whole form, and whether they change the cluster.
var others = []otherCommand{
	// "History prints historical revisions for a given release":
	// https://helm.sh/docs/helm/helm_history/ (4.0.0)
	{regexp.MustCompile(`^helm history [a-z0-9.-]+ -n [a-z0-9-]+$`), false},
	// "This command lists all of the releases for a specified namespace", with -A "across all
	// namespaces": https://helm.sh/docs/helm/helm_list/ (4.0.0)
	{regexp.MustCompile(`^helm list -A$`), false},
	// "Promotes a rollout paused at a canary step":
	// https://argoproj.github.io/argo-rollouts/generated/kubectl-argo-rollouts/kubectl-argo-rollouts_promote/
	{regexp.MustCompile(`^kubectl argo rollouts promote [a-z0-9.-]+ -n [a-z0-9-]+$`), true},
}

// Every command that a cause offers to be copied is one that a shell and kubectl
// take: of each sort that the cases of internal/explain have, one is run. That
// there is no such object is an answer; that there is no such flag, verb or kind is
// none. What patches has something to patch. A command of another tool is one of
// others, and says what it changes if it changes the cluster.
func TestEveryCommandOfACauseRuns(t *testing.T) {
	t.Parallel()
	kubectl := filepath.Join(os.Getenv("KSTATUS_TUI_WRITERS"), "kubectl")
	if os.Getenv("KSTATUS_TUI_WRITERS") == "" {
		var err error
		if kubectl, err = exec.LookPath("kubectl"); err != nil {
			t.Skip("no kubectl on the PATH, nor by make e2e-writers")
		}
	}
	list, err := os.ReadFile(filepath.Join("..", "explain", "testdata", "commands.txt"))
	if err != nil {
		t.Fatal(err)
	}
	ns := namespace(t, "commands")
	apply(t, ns, patched)
	env := environment(t, shared.Kubeconfig(cluster.Admin))
	dir := t.TempDir() // app.yaml is what an object that does not exist may come from
	if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied, namespace: "+ns+"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	run := 0
	for line := range strings.Lines(string(list)) {
		code, command, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		command, _, changes := strings.Cut(command, "  # ") // what it does
		if !ok {
			t.Fatalf("no code and command: %q", line)
		}
		rest, ok := strings.CutPrefix(command, "kubectl ")
		if !ok || strings.HasPrefix(rest, "argo ") { // a plugin
			i := slices.IndexFunc(others, func(o otherCommand) bool { return o.form.MatchString(command) })
			if i < 0 {
				t.Errorf("%s offers %q, of which this test does not know whether it only reads", code, command)
			} else if others[i].writes != changes {
				t.Errorf("%s offers %q: it changes the cluster: %t; the line says so: %t", code, command, others[i].writes, changes)
			}
			continue
		}
		if seen[sort(rest)] {
			continue
		}
		if cluster.Minor() < 34 && strings.Contains(rest, "resourceclaims") {
			continue
		}
		seen[sort(rest)] = true
		run++
		rest = strings.ReplaceAll(rest, " -n a", " -n "+ns)
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "'"+kubectl+"' "+rest)
		cmd.Env, cmd.Dir = env, dir
		out, err := cmd.CombinedOutput()
		if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
			t.Fatal(err)
		}
		if err != nil && !answered(rest, string(out)) {
			t.Errorf("%s offers %q: %v\n%s", code, command, err, out)
		}
		if err != nil && strings.HasPrefix(rest, "patch ") {
			t.Errorf("%s offers %q, which patches nothing: %v\n%s", code, command, err, out)
		}
	}
	if run < 50 {
		t.Errorf("only %d commands were run", run)
	}
}

// sort is what commands have in common that differ in a name alone: verb, kind and
// flags, and of patches the patch.
func sort(command string) string {
	words := strings.Fields(command)
	if words[0] == "patch" {
		return command
	}
	key := slices.Clone(words[:min(2, len(words))])
	if len(key) == 2 && custom(key[1]) {
		key[1] = "custom"
	}
	if words[0] == "logs" {
		key = key[:1]
		if strings.Contains(words[1], "/") {
			key = append(key, "/")
		}
	}
	for i, w := range words {
		if i > 1 && strings.HasPrefix(w, "-") {
			key = append(key, w)
		}
	}
	return strings.Join(key, " ")
}

// custom reports whether a kind is one of the ecosystems', which are not served
// here.
func custom(kind string) bool {
	return strings.Contains(kind, ".") && !strings.HasSuffix(kind, ".apps") && !strings.HasSuffix(kind, ".apiextensions.k8s.io")
}

// answered reports whether kubectl understood a command that failed.
func answered(command, out string) bool {
	if slices.ContainsFunc([]string{"(NotFound)", "Metrics API not available"}, func(s string) bool { return strings.Contains(out, s) }) {
		return true
	}
	words := strings.Fields(command)
	return len(words) > 1 && custom(words[1]) &&
		(strings.Contains(out, "doesn't have a resource type") || strings.Contains(out, "could not find the requested resource"))
}
