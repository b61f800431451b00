package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// The step for pipelines on a real control plane: what becomes Current, and what
// cannot.
func TestThePipelinesStepSucceedsOrFailsWithTheWait(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../action/wait.sh")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(bin, "kstatus-tui")); err != nil {
		t.Fatal(err)
	}
	ns := namespace(t, "pipeline")
	apply(t, ns, pair)
	apply(t, ns, `apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {kstatus-tui.test/fault: job-failed}}
    spec: {restartPolicy: Never, containers: [{name: app, image: "registry.example.com/shop/migrate:1"}]}
`)
	for _, c := range []struct {
		source, says string
		code         int
	}{
		{"-n " + ns + " deploy/front", "::notice ", 0},
		{"-n " + ns + " job/migrate deploy/front", "::error ", 2},
	} {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), "bash", script)
		cmd.Dir = dir
		cmd.Env = append(environment(t, shared.Kubeconfig(cluster.Admin)),
			"PATH="+bin+":"+os.Getenv("PATH"), "SOURCE="+c.source, "TIMEOUT=2m",
			"GITHUB_OUTPUT="+filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
		out, err := cmd.CombinedOutput()
		code := 0
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			code = e.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		junit, _ := os.ReadFile(filepath.Join(dir, "kstatus-tui", "junit.xml"))
		summary, _ := os.ReadFile(filepath.Join(dir, "summary"))
		if code != c.code || !strings.Contains(string(out), c.says) || strings.Contains(string(junit), "<failure") != (code != 0) || len(junit) == 0 || len(summary) == 0 {
			t.Errorf("%s ends with %d, want %d:\n%s\n%s\n%s", c.source, code, c.code, out, junit, summary)
		}
	}
}
