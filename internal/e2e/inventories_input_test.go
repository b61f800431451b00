package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// kubeconfigAt is that of ReadOnly for the same cluster at another address.
func kubeconfigAt(t *testing.T, url string) string {
	t.Helper()
	text, err := os.ReadFile(shared.Kubeconfig(cluster.ReadOnly))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "https://"+shared.Address(), url, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Case 1.
func TestAManifestMayDefineTheKindThatItUses(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "defines")
	kind := servedKind("inone.example.com", "Namespaced", "Parcel", "parcels", "v1")
	parcel := "---\napiVersion: inone.example.com/v1\nkind: Parcel\nmetadata: {name: first}\nspec: {}\n"
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), "", kind) })
	file := manifest(t, kind+parcel)
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "-f", file)
	doc.wants(t, got, 3, "CustomResourceDefinition/parcels.inone.example.com NotFound", "Parcel/first NotFound")
	w := startWait(t, "-n", ns, "-f", file, "--timeout=3m")
	w.stillWaits(time.Second)
	apply(t, "", kind)
	record(t, ns, parcel+`status: {conditions: [{type: Ready, status: "True", reason: Packed, lastTransitionTime: "2026-01-01T00:00:00Z"}]}`)
	w.ends(0, "2 of 2 Current")
}

// Cases 2, 3.
func TestEveryFormOfInputNamesTheSameObjects(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "forms")
	apply(t, ns, pair)
	startWait(t, "-n", ns, "deploy/front", "--timeout=3m").ends(0)
	dir := t.TempDir()
	write := func(path, text string) string {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	parts := strings.Split(pair, "---")
	write("flat/front.yaml", parts[0])
	write("flat/settings.yaml", parts[1])
	write("flat/kustomization.yaml", "resources: [front.yaml, settings.yaml]\n")
	write("deep/front.yaml", parts[0])
	write("deep/more/settings.yaml", parts[1])
	header := "metadata: {name: front, namespace: " + ns + ", uid: u, generation: 1, resourceVersion: \"1\"}"
	list := "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: apps/v1, kind: Deployment, " + header + "}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: front-settings, namespace: " + ns + "}}\n"
	asJSON := `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"front"}},{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"front-settings"}}]}`
	env := environment(t, shared.Kubeconfig(cluster.ReadOnly))
	for _, test := range []struct {
		name, stdin string
		args        []string
	}{
		{"a folder", "", []string{"-f", filepath.Join(dir, "flat")}},
		{"a glob", "", []string{"-f", filepath.Join(dir, "flat", "*s.yaml"), "-f", filepath.Join(dir, "flat", "f*.yaml")}},
		{"a folder with folders", "", []string{"-R", "-f", filepath.Join(dir, "deep")}},
		{"a kustomization", "", []string{"-k", filepath.Join(dir, "flat")}},
		{"what kubectl apply prints", "deployment.apps/front created\nconfigmap/front-settings unchanged\n", []string{"-f", "-"}},
		{"what it prints with -o name", "deployment.apps/front\nconfigmap/front-settings\n", []string{"-f", "-"}},
		{"what it prints with -o yaml", list, []string{"-f", "-"}},
		{"what it prints with -o json", asJSON, []string{"-f", "-"}},
		{"what helm template prints", "---\n# Source: shop/templates/front.yaml\n" + pair, []string{"-f", "-"}},
		{"stdin, unasked", pair, nil},
		{"names", "", []string{"deploy/front", "cm/front-settings"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ktuiIn(t, env, test.stdin, append([]string{"status", "-o", "json", "-n", ns}, test.args...)...)
			var doc document
			if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil {
				t.Fatalf("%v\n%s", err, got)
			}
			doc.wants(t, got, 0, "Deployment/front Current", "ConfigMap/front-settings Current")
		})
	}
	file := manifest(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: front-settings, namespace: "+ns+"}\n")
	ktui(t, cluster.ReadOnly, "status", "-n", "default", "-f", file).ended(t, 1, "default", ns)
	ktui(t, cluster.ReadOnly, "status", "-f", file).ended(t, 0)
}

// Cases 4, 5.
func TestClusterScopedAndGeneratedNamesAreFollowed(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "scopes")
	apply(t, ns, configMap("one"))
	file := manifest(t, configMap("one")+"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: "+ns+"}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: kstatus-tui:view}\n")
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "-f", file)
	doc.wants(t, got, 0, "ConfigMap/one Current", "Namespace/"+ns+" Current", "ClusterRole/kstatus-tui:view Current")
	if r := doc.member("ConfigMap", "one"); r.Namespace != ns {
		t.Errorf("it is looked for in %q", r.Namespace)
	}
	job := manifest(t, "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: migrate-}\nspec: {}\n")
	ktui(t, cluster.ReadOnly, "status", "-n", ns, "-f", job).ended(t, 1, "the name of this Job is generated", "hint:")
}

// Case 6: what may not be seen is a row that says so.
func TestAMissingPermissionIsNamedInTheRow(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "rights")
	apply(t, ns, configMap("one")+"---\napiVersion: v1\nkind: Secret\nmetadata: {name: key}\n")
	record(t, ns, kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap", ns+"_key__Secret", "_"+ns+"__Namespace"))
	ks := `{apiGroups: [kustomize.toolkit.fluxcd.io], resources: [kustomizations], verbs: [get, list, watch]}`
	as := allowed(t, ns, ks, `{apiGroups: [""], resources: [configmaps], verbs: [get, list]}`)
	doc, got := status(t, cluster.Admin, "-n", ns, "--as="+as, "flux/ks/apps")
	doc.wants(t, got, 3, "Kustomization/apps Current", "ConfigMap/one Current", "Secret/key Unknown", "Namespace/"+ns+" Unknown")
	for _, name := range []string{"key", ns} {
		for _, r := range doc.Resources {
			if r.Name == name && r.Reason != "Forbidden" {
				t.Errorf("%s: want Forbidden: %+v", name, r)
			}
		}
	}
	// Without watch it is followed all the same.
	record(t, ns, kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap", ns+"_two__ConfigMap"))
	w := waiting{t, &growing{}, make(chan outcome, 1)}
	go func() {
		w.done <- ktui(t, cluster.Admin, "wait", "-n", ns, "--as="+as, "flux/ks/apps", "--timeout=3m")
	}()
	w.stillWaits(2 * time.Second)
	apply(t, ns, configMap("two"))
	w.ends(0, "3 of 3 Current")
}

// Cases 31, 32, 33, 34.
func TestAWaitForAnInventoryEndsWithItsCode(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "codes")
	apply(t, ns, configMap("one")+fmt.Sprintf("---"+broken, cluster.ConfigMissing))
	record(t, ns, kustomization("well", "main@sha1:1", ns+"_one__ConfigMap")+
		kustomization("short", "main@sha1:1", ns+"_one__ConfigMap", ns+"_never__ConfigMap")+
		kustomization("ill", "main@sha1:1", ns+"_one__ConfigMap", ns+"_worker_apps_Deployment"))
	if got := startWait(t, "-n", ns, "flux/ks/well", "--timeout=3m").ends(0, "2 of 2 Current"); got.took > time.Minute {
		t.Errorf("took %s to see that nothing is missing", got.took)
	}
	startWait(t, "-n", ns, "flux/nothing/well", "--timeout=5s").ends(1)
	got := startWait(t, "-n", ns, "flux/ks/short", "--timeout=10s").ends(3, "out of time", "2 of 3 Current")
	if _, last, _ := strings.Cut(got.stdout, "out of time"); !strings.Contains(last, "ConfigMap never does not exist") {
		t.Errorf("the last thing that is said is not what is missing\n%s", got)
	}
	got = startWait(t, "-n", ns, "flux/ks/short", "--timeout=10s", "-o", "jsonl").ends(3)
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	for i, line := range lines {
		var event struct {
			Type          string
			ExitCode      int
			InventoryName string `json:"inventory-name"`
			Kind          string
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("line %d is no JSON: %v\n%s", i+1, err, got)
		}
		if last := i == len(lines)-1; last != (event.Type == "result") || last && event.ExitCode != 3 {
			t.Errorf("line %d of %d is of type %s", i+1, len(lines), event.Type)
		}
		if event.Type == "status" && event.Kind == "ConfigMap" && event.InventoryName != "Kustomization/short" {
			t.Errorf("a member without its inventory: %s", line)
		}
	}

	// 2 on any failure, and under the default when a declared deadline has passed; one
	// that may heal is waited for where that is asked for.
	w := startWait(t, "-n", ns, "flux/ks/ill", "--fail-fast=never", "--timeout=3m")
	statusUntil(t, cluster.ReadOnly, []string{"-n", ns, "flux/ks/ill"}, func(d document, _ outcome) string {
		if d.member("Deployment", "worker").Status != "Failed" {
			return "the Deployment has not failed"
		}
		return ""
	})
	startWait(t, "-n", ns, "flux/ks/ill", "--fail-fast=any", "--timeout=3m").ends(2, "Deployment/worker")
	startWait(t, "-n", ns, "flux/ks/ill", "--timeout=3m").ends(2, "its deadline has passed")
	w.stillWaits(time.Second)
	apply(t, ns, fmt.Sprintf(broken, ""))
	w.ends(0, "3 of 3 Current")

	cmd := exec.Command(binary, "wait", "-n", ns, "flux/ks/short", "--timeout=3m")
	cmd.Env = environment(t, shared.Kubeconfig(cluster.ReadOnly))
	out, err := cmd.StderrPipe() // the progress
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lineRead := bufio.NewReader(out)
	if _, err := lineRead.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	_, _ = lineRead.WriteTo(new(strings.Builder))
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("interrupted, it exits %d", code)
	}
}

// Case 36.
func TestARolloutWithItsGenerationInWordsHasAStatus(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "rollout")
	record(t, ns, `
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: front}
spec: {replicas: 2}
status: {observedGeneration: "1", phase: Healthy, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2, HPAReplicas: 2, currentPodHash: abc, stableRS: abc,
  conditions: [{type: Available, status: "True", reason: AvailableReason, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Progressing, status: "True", reason: NewReplicaSetAvailable, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`+kustomization("apps", "main@sha1:1", ns+"_front_argoproj.io_Rollout@v1alpha1"))
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "flux/ks/apps")
	doc.wants(t, got, 0, "Kustomization/apps Current", "Rollout/front Current")
	patch(t, "argoproj.io/v1alpha1", "Rollout", ns, "front", `{"spec":{"replicas":3}}`)
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "flux/ks/apps")
	doc.wants(t, got, 3, "Kustomization/apps Current", "Rollout/front InProgress")
}

// Cases 37, 38.
func TestManifestsComeThroughAPipeAndKeysFromTheTerminal(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "pipe")
	apply(t, ns, pair)
	file := manifest(t, pair)
	term, err := terminal.Start(terminal.Options{
		Command: "/bin/sh", Args: []string{"-c", fmt.Sprintf("cat %q | exec %q -n %s -f -", file, binary, ns)},
		Env: environment(t, shared.Kubeconfig(cluster.ReadOnly)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(term.Close)
	ui := session{t, term}
	ui.until("the rows", func(s terminal.Screen) bool { return s.Has("✓ DONE") && row(s, "/front ") != "" })
	ui.quit()
	// Without a terminal it is the table of status.
	got := ktui(t, cluster.ReadOnly, "-n", ns, "deploy/front")
	if got.code != 0 || strings.Contains(got.stdout, "\x1b") || !strings.Contains(got.stdout, "Current") {
		t.Errorf("want a plain table\n%s", got)
	}
}

// Without a SOURCE and without an inventory: another namespace, and everything in
// it, is three keys away.
func TestOtherNamespacesAreOfferedWithoutAnInventory(t *testing.T) {
	t.Parallel()
	empty, ns := namespace(t, "nothing"), namespace(t, "elsewhere")
	apply(t, ns, healthy)
	ui := dashboard(t, cluster.ReadOnly, "-n", empty)
	ui.until("what to follow", func(s terminal.Screen) bool {
		return s.Has("No inventory here") && s.Has("in namespace "+empty) && s.Has("in all namespaces")
	})
	if err := ui.Type(ns); err != nil {
		t.Fatal(err)
	}
	ui.until("the other namespace alone", func(s terminal.Screen) bool { return s.Line("> ", "in namespace "+ns) != "" && s.Has("1 of ") })
	if err := ui.Type("\r"); err != nil {
		t.Fatal(err)
	}
	ui.until("everything in it", func(s terminal.Screen) bool { return s.Line("> ", "everything", "in namespace "+ns) != "" })
	if err := ui.Type("\r"); err != nil {
		t.Fatal(err)
	}
	ui.until("the Deployment", func(s terminal.Screen) bool { return live(s) && row(s, "/web ") != "" })
	ui.quit()
}
