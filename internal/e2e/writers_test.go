package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// The writers themselves do the writing here: Helm, and kubectl with its
// ApplySets, built from the module in the folder writers. They take minutes to
// compile, so these scenarios run where `make e2e-writers` has put them.

// writer is a command of one of them.
func writer(t *testing.T, name string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	dir := os.Getenv("KSTATUS_TUI_WRITERS")
	if dir == "" {
		t.Skip("KSTATUS_TUI_WRITERS names no folder with helm and kubectl: make e2e-writers")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, name), args...)
	home := t.TempDir()
	cmd.Env = append(environment(t, shared.Kubeconfig(cluster.Admin)), append(env,
		"HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)...)
	return cmd
}

// write runs a writer to its end.
func write(t *testing.T, name string, env []string, args ...string) {
	t.Helper()
	if out, err := writer(t, name, env, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// chart writes a chart; fault is that of the Pods of its hook before upgrades.
func chart(t *testing.T, version, fault string, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"Chart.yaml":               "apiVersion: v2\nname: shop\nversion: " + version + "\n",
		"templates/front.yaml":     pair,
		"templates/kept.yaml":      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kept\n  annotations: {helm.sh/resource-policy: keep}\n",
		"templates/tests/try.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: try\n  annotations: {helm.sh/hook: test}\nspec: {containers: [{name: try, image: registry.example.com/try}]}\n",
		"templates/migrate.yaml": fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded"}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {kstatus-tui.test/fault: %q}}
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "registry.example.com/shop/migrate:1"}]
`, fault),
	}
	for i, text := range more {
		files[fmt.Sprintf("templates/more%d.yaml", i)] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestWritersHelmInstallsUpgradesFailsAndRollsBack(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "helm")
	writer(t, "helm", nil) // or nothing of this
	w := startWait(t, "-n", ns, "helm/shop", "--timeout=3m")
	write(t, "helm", nil, "install", "shop", chart(t, "1.0.0", ""), "-n", ns)
	w.ends(0, "4 of 4 Current")
	rows := []string{"Deployment/front Current", "ConfigMap/front-settings Current", "ConfigMap/kept Current"}
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "helm/shop")
	doc.wants(t, got, 0, append(rows, "Release/shop Current")...)

	// An upgrade's hook hangs: the release is pending, and the hook is shown;
	// then Helm gives up.
	two := chart(t, "2.0.0", cluster.ConfigMissing, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: second\n")
	upgrade := writer(t, "helm", nil, "upgrade", "shop", two, "-n", ns, "--timeout", "40s")
	var out bytes.Buffer
	upgrade.Stdout, upgrade.Stderr = &out, &out
	if err := upgrade.Start(); err != nil {
		t.Fatal(err)
	}
	statusUntil(t, cluster.ReadOnly, []string{"-n", ns, "helm/shop"}, func(d document, o outcome) string {
		if r := d.member("Release", "shop"); r.Status != "InProgress" || d.member("Job", "migrate").UID == "" || o.code != 3 {
			return "the release is not shown as pending, with its hook"
		}
		return ""
	})
	if err := upgrade.Wait(); err == nil {
		t.Fatalf("the upgrade went well\n%s", out.String())
	}
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "helm/shop")
	if r := doc.member("Release", "shop"); r.Status != "Failed" || got.code != 2 {
		t.Errorf("want a failed release\n%s", got)
	}
	startWait(t, "-n", ns, "helm/shop", "--timeout=3m").ends(2, "Release/shop")

	write(t, "helm", nil, "rollback", "shop", "1", "-n", ns)
	startWait(t, "-n", ns, "helm/shop", "--timeout=3m").ends(0, "4 of 4 Current")
	ktui(t, cluster.ReadOnly, "members", "-n", ns, "helm/shop").ended(t, 0, "revision 3", "kept when uninstalled")

	d := startWait(t, "-n", ns, "helm/shop", "deploy/front", "--for=deleted", "--timeout=3m")
	d.stillWaits(2 * time.Second)
	write(t, "helm", nil, "uninstall", "shop", "-n", ns)
	gone(t, "apps/v1", "Deployment", ns, "front")
	d.stillWaits(0)
	remove(t, ns, configMap("kept"))
	d.ends(0)
}

func TestWritersKubectlAppliesAndPrunesAnApplySet(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "applyset")
	writer(t, "kubectl", nil) // or nothing of this
	on := []string{"KUBECTL_APPLYSET=true"}
	for _, parent := range []string{"secrets/set", "configmaps/set"} {
		both, one := manifest(t, configMap("one")+configMap("two")), manifest(t, configMap("one"))
		write(t, "kubectl", on, "apply", "-n", ns, "--prune", "--applyset="+parent, "-f", both)
		kind := map[string]string{"secrets/set": "Secret", "configmaps/set": "ConfigMap"}[parent]
		doc, got := status(t, cluster.ReadOnly, "-n", ns, "applyset/"+parent)
		doc.wants(t, got, 0, kind+"/set Current", "ConfigMap/one Current", "ConfigMap/two Current")
		doc, got = status(t, cluster.ReadOnly, "-n", ns, "--owner", "cm/two")
		doc.wants(t, got, 0, kind+"/set Current", "ConfigMap/one Current", "ConfigMap/two Current")
		write(t, "kubectl", on, "apply", "-n", ns, "--prune", "--applyset="+parent, "-f", one)
		gone(t, "v1", "ConfigMap", ns, "two")
		doc, got = status(t, cluster.ReadOnly, "-n", ns, parent)
		doc.wants(t, got, 0, kind+"/set Current", "ConfigMap/one Current")
		if err := shared.Delete(context.WithoutCancel(t.Context()), ns, configMap("one")); err != nil {
			t.Fatal(err)
		}
	}
}
