package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// A kept scenario leaves the recordings of its runs: KSTATUS_TUI_E2E_RECORD
// names the folder. What comes of that is played by
// TestKeptScenariosReplayToTheirScreens.
const keep = "KSTATUS_TUI_E2E_RECORD"

// secretive is an application that fails and contains confidential values.
const secretive = `apiVersion: v1
kind: Secret
metadata: {name: key}
stringData: {password: canary-in-secret}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {url: canary-in-configmap}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {` + cluster.FaultAnnotation + `: ` + cluster.ImageNotFound + `}
    spec:
      containers:
      - name: web
        image: registry.example.com/shop/web:2.O
        env: [{name: TOKEN, value: canary-in-environment}]
`

const healthy = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  minReadySeconds: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "registry.example.com/shop/web:1"}]
`

// stableParts is what a run says that a replay of it has to say again.
func stableParts(t *testing.T, text string) document {
	t.Helper()
	var d document
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return d
}

// decoded is the content of a recording, as far as it is readable.
func decoded(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(zip) // a killed recorder's file is cut off
	return string(text)
}

// A replay ends like the run: with the same state, verdict and causes. Recorded
// again it is the same; redacted it has the same course; and it contains
// nothing confidential.
func TestARunAndItsReplayAgree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, manifest string
		code           int
		args           []string
	}{
		{"healthy", healthy, 0, []string{"wait", "-o", "json", "--timeout", "3m"}},
		{"failing", secretive, 2, []string{"wait", "-o", "json", "--fail-fast", "any", "--timeout", "3m"}},
		{"once", secretive, 0, []string{"status", "-o", "json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ns := namespace(t, "replay-"+c.name)
			apply(t, ns, c.manifest)
			dir := t.TempDir()
			file := filepath.Join(dir, "run.rec.gz")
			env := environment(t, shared.Kubeconfig(cluster.ReadOnly))
			live := ktuiIn(t, env, "", append(slices.Clone(c.args), "-n", ns, "-f", manifest(t, c.manifest), "--children", "all", "--record", file)...)
			if c.name == "once" {
				c.code = live.code
			}
			if live.code != c.code {
				t.Fatalf("the run ended with %s", live)
			}
			again := ktuiIn(t, env, "", "status", "-o", "json", "--replay", file)
			if again.code != c.code {
				t.Errorf("the run ended with %d, its replay with %d:\n%s", c.code, again.code, again)
			}
			if a, b := stableParts(t, live.stdout), stableParts(t, again.stdout); !reflect.DeepEqual(a, b) {
				t.Errorf("live, then replayed: %s", difference(live.stdout, again.stdout))
			}
			if folder := os.Getenv(keep); folder != "" && c.name != "once" {
				data, err := os.ReadFile(file)
				if err := errors.Join(err, os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, c.name+".rec.gz"), data, 0o644)); err != nil {
					t.Fatal(err)
				}
			}

			replayed := filepath.Join(dir, "again.rec.gz")
			if got := ktuiIn(t, env, "", "replay", file, "--record", replayed); got.code != 0 {
				t.Fatal(got)
			}
			text := decoded(t, file)
			if again := decoded(t, replayed); again != text {
				t.Errorf("recorded, then recorded again: %s", difference(text, again))
			}
			for _, canary := range []string{"canary-in-secret", "canary-in-configmap", "canary-in-environment", "Y2FuYXJ5", "Bearer "} {
				if strings.Contains(text, canary) {
					t.Errorf("%s is in the recording", canary)
				}
			}

			clean := filepath.Join(dir, "redacted.rec.gz")
			if got := ktuiIn(t, env, "", "replay", file, "--record", clean, "--redact"); got.code != 0 {
				t.Fatal(got)
			}
			story := ktuiIn(t, env, "", "status", "-o", "json", "--replay", clean)
			if story.code != c.code {
				t.Errorf("redacted, it ends with %d", story.code)
			}
			a, b := stableParts(t, live.stdout), stableParts(t, story.stdout)
			if a.Verdict != b.Verdict || !reflect.DeepEqual(a.Counts, b.Counts) || !slices.Equal(codes(a), codes(b)) {
				t.Errorf("live: %s %v %v, redacted: %s %v %v", a.Verdict, a.Counts, codes(a), b.Verdict, b.Counts, codes(b))
			}
			if s := decoded(t, clean); strings.Contains(s, ns) || strings.Contains(s, "registry.example") || strings.Contains(s, "settings") {
				t.Error("a name is left in the redacted recording")
			}
		})
	}
}

// A recording contains the members of an inventory: a replay follows the same
// ones, including missing and later ones, without decoding the inventory.
func TestARecordedInventoryReplaysTheSame(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "replay-set")
	id := func(name string) string { return ns + "_" + name + "__ConfigMap" }
	web := ns + "_web_apps_Deployment"
	apply(t, ns, configMap("one")+"---\n"+healthy)
	record(t, ns, kustomization("apps", "main@sha1:1", id("one"), web, id("two")))
	dir := t.TempDir()
	env := environment(t, shared.Kubeconfig(cluster.ReadOnly))
	same := func(live outcome, file string, states ...string) {
		t.Helper()
		again := ktuiIn(t, env, "", "status", "-o", "json", "--replay", file)
		a, b := stableParts(t, live.stdout), stableParts(t, again.stdout)
		a.wants(t, live, live.code, states...)
		if again.code != live.code || !reflect.DeepEqual(a, b) {
			t.Errorf("live it ended with %d, replayed with %d: %s", live.code, again.code, difference(live.stdout, again.stdout))
		}
		if !strings.Contains(again.stdout, `"inventory": "Kustomization/apps"`) || !strings.Contains(decoded(t, file), `"in":{`) {
			t.Errorf("nothing says whose they are:\n%s", again)
		}
	}

	file := filepath.Join(dir, "missing.rec.gz")
	ktuiIn(t, env, "", "wait", "-n", ns, "flux/ks/apps", "--for", "known", "--timeout", "3m") // the Deployment may be on its way
	live := ktuiIn(t, env, "", "status", "-o", "json", "-n", ns, "deploy/web", "--children", "all")
	for deadline := time.Now().Add(patience); live.code != 0 && time.Now().Before(deadline); {
		live = ktuiIn(t, env, "", "status", "-o", "json", "-n", ns, "deploy/web", "--children", "all")
	}
	live = ktuiIn(t, env, "", "status", "-o", "json", "-n", ns, "flux/ks/apps", "--children", "all", "--record", file)
	same(live, file, "Kustomization/apps Current", "ConfigMap/one Current", "Deployment/web Current", "ConfigMap/two NotFound")

	file = filepath.Join(dir, "grown.rec.gz")
	w := startWait(t, "-n", ns, "flux/ks/apps", "--timeout", "3m", "-o", "json", "--children", "all", "--record", file)
	w.stillWaits(time.Second)
	record(t, ns, kustomization("apps", "main@sha1:1", id("one"), web, id("two"), id("three")))
	apply(t, ns, configMap("two")+configMap("three"))
	same(w.ends(0), file, "Kustomization/apps Current", "ConfigMap/one Current", "Deployment/web Current", "ConfigMap/two Current", "ConfigMap/three Current")
}

// difference is the first line that differs.
func difference(a, b string) string {
	one, other := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(one), len(other)) {
		if one[i] != other[i] {
			return fmt.Sprintf("line %d is\n%.600s\nand\n%.600s", i+1, one[i], other[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(one), len(other))
}

func codes(d document) []string {
	var out []string
	for _, c := range d.Causes {
		out = append(out, c.Code+" "+c.Class)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A recorder that is killed has lost a second at most: what was to be seen more
// than a second before is in the file, which plays up to the cut and says so.
func TestAKilledRecorderLosesASecond(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "replay-killed")
	apply(t, ns, healthy)
	file := filepath.Join(t.TempDir(), "killed.rec.gz")
	env := environment(t, shared.Kubeconfig(cluster.ReadOnly))
	cmd := exec.Command(binary, "wait", "--for", "deleted", "--timeout", "0", "-o", "jsonl", "-n", ns, "-f", manifest(t, healthy), "--children", "all", "--record", file)
	cmd.Env = env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	// The last thing that is said: the Deployment has become Current.
	lines := json.NewDecoder(out)
	for {
		var said struct{ Type, Kind, Status string }
		if err := lines.Decode(&said); err != nil {
			t.Fatalf("the wait ended: %v", err)
		}
		if said.Type == "status" && said.Kind == "Deployment" && said.Status == "Current" {
			break
		}
	}
	// The second itself is tested under a fake clock (TestAKillLosesASecondAtMost): here the machine may be busy.
	isCurrent := func() (outcome, bool) {
		got := ktuiIn(t, env, "", "status", "-o", "json", "--replay", file)
		if got.code != 0 {
			return got, false
		}
		web := stableParts(t, got.stdout).resource("Deployment", "web")
		return got, web != nil && web.Status == "Current"
	}
	for deadline := time.Now().Add(patience); ; {
		got, ok := isCurrent()
		if ok {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("what was shown is not in the file after %s: %s", patience, got)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got, ok := isCurrent(); !ok {
		t.Errorf("the file of a killed recorder says %s", got)
	}
	if text := decoded(t, file); strings.Contains(text, `{"end":`) {
		t.Error("it was ended properly: this tests nothing")
	}
}

// Kept scenarios play to the screens that stand beside them: FILE.rec.gz, and
// FILE@TIME.screen for each moment that is to be compared (made with
// KSTATUS_TUI_E2E_UPDATE=1).
func TestKeptScenariosReplayToTheirScreens(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join("testdata", "*.rec.gz"))
	if len(files) == 0 {
		t.Fatal("nothing is kept in testdata")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".rec.gz")
		moments := []string{"0s", "3s", "10s"}
		if name == "healthy" {
			moments = moments[:1] // it lasts less than a second, and a moment after the end is an error
		}
		for _, at := range moments {
			t.Run(name+"@"+at, func(t *testing.T) {
				ui := dashboardIn(t, []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "KUBECONFIG="}, "replay", file, "--at", at, "--no-motion", "--ascii")
				ui.shows("RECORDING")
				golden := filepath.Join("testdata", name+"@"+at+".screen")
				if os.Getenv("KSTATUS_TUI_E2E_UPDATE") != "" {
					time.Sleep(300 * time.Millisecond) // the panes' answers
					if err := os.WriteFile(golden, []byte(ui.Screen().String()+"\n"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				// The panes' answers may still be on their way.
				if got, err := ui.Wait(10*time.Second, func(s terminal.Screen) bool { return s.String()+"\n" == string(want) }); err != nil {
					t.Errorf("kept, then replayed: %s", difference(string(want), got.String()+"\n"))
				}
				ui.quit()
			})
		}
	}
}
