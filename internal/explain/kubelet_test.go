package explain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/logline"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/revision"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// testdata/kubelet.jsonl was recorded from a genuine kubelet (v1.36.3,
// containerd) on which containers failed in every way that a purpose-built
// image could cause: Pods, their events, and the tails of their logs. Pods were
// reduced to the fields that are read.
var genuine = map[string]string{
	"badname":   `ImageNameInvalid action [app] "Registry.local/App:1" is not a valid image name`,
	"cmkey":     "VolumeKeyMissing action ConfigMap cfg has no key nokey; volume cfg needs it",
	"cmvol":     "VolumeSourceMissing action ConfigMap absent does not exist; volume cfg needs it",
	"crash":     "ContainerCrashing action [app] app exits 1: fatal: could not connect to database db:5432: connection refused (8 restarts)",
	"deaf":      "Deleting waits terminating, 5m left of its grace period of 10m: app has been sent SIGTERM and has not exited",
	"exec":      "ReadinessProbeFailing action [app] app: readiness probe failing: exec: command /nocmd is not in the image",
	"exit0":     "ContainerCompletes action [app] app ends normally (exit 0), but is expected to keep running",
	"fallback":  "ContainerCrashing action [app] app exits 2: fatal: bad config (",
	"fin":       "FinalizerBlocks action Pod fin is being deleted, and waits for finalizer lab.io/hold",
	"init":      "InitContainerFailing action [migrate] init container migrate (1/1) exits 4: error: relation users already exists",
	"initwait":  "InitContainerRunning retries [wait-db] init container wait-db (2/2) is still running: waiting for 127.0.0.1:1",
	"job":       "ContainerCrashing terminal [app] app exited 2: migration failed: duplicate key",
	"live":      "LivenessProbeFailing action [app] app is restarted: liveness probe failing: GET :8081/healthz: 500",
	"nevpull":   "ImageNeverPulled action [app] image registry.local/absent:1 is not on node real-1 and imagePullPolicy is Never",
	"nocmd":     "ContainerCannotStart action [app] app cannot be started: command /bin/nope is not in the image",
	"nokey":     "ConfigKeyMissing action [app] Secret db has no key password",
	"nonroot":   "ImageRunsAsRoot action [app] image of app runs as root, but runAsNonRoot is set",
	"nopull":    "RegistryUnreachable retries [app] registry registry.local cannot be reached: lookup registry.local: no such host",
	"nosecret":  "ConfigMissing action [app] Secret absent does not exist; container app needs it",
	"oom":       "OutOfMemory action [app] app was killed at its memory limit 64Mi",
	"panic":     "ContainerCrashing action [app] app exits 2: panic: assignment to entry in nil map",
	"poststart": "ContainerHookFailed action [app] the postStart hook [/nope] of app fails: command /nope is not in the image",
	"ready":     "ReadinessProbeFailing action [app] app: readiness probe failing: GET :8082/ready: 503",
	"readytcp":  "ReadinessProbeFailing action [app] app: readiness probe failing: tcp :9999: connection refused",
	"segv":      "ContainerSignalled action [app] app crashes with a segmentation fault (exit 139)",
	"sidecar":   "LivenessProbeFailing action [proxy] proxy is restarted: startup probe failing: GET :8084/: connection refused",
	"startup":   "LivenessProbeFailing action [app] app is restarted: startup probe failing: GET :8083/: connection refused",
	"term":      "ContainerCrashing action [app] app exits 3: cannot read /etc/app.yaml: no such file or directory",
	"usage":     "ContainerCrashing action [app] app exits 1: Error: unknown flag: --listen",
	"web":       "ReadinessProbeFailing action [app] app: readiness probe failing: GET :8086/nope2: connection refused",
	"write":     "ContainerCrashing action [app] app exits 1: cannot create the cache: open /cache.db: read-only file system",
}

func TestAGenuineKubeletsFailuresAreExplained(t *testing.T) {
	w := kubelet(t)
	s := w.snapshot()
	seen := map[string]bool{}
	for _, o := range w.order {
		name, _, _ := strings.Cut(o.Name, "-")
		seen[name] = true
		t.Run(o.Name, func(t *testing.T) {
			causes := Explain(s, []object.ID{o.ID}).Causes
			if len(causes) != 1 {
				t.Fatalf("%d causes:\n%s", len(causes), describe(causes))
			}
			c := causes[0]
			checkCause(t, c)
			got := c.Code + " " + string(c.Class) + " "
			if c.Subject.Container != "" {
				got += "[" + c.Subject.Container + "] "
			}
			if got += c.Title; !strings.HasPrefix(got, genuine[name]) || genuine[name] == "" {
				t.Errorf("said  %s\nwant  %s", got, genuine[name])
			}
			if c.Since.Before(o.Created) || c.Since.After(w.now) {
				t.Errorf("since %v is not within the life of a pod made at %v", c.Since, o.Created)
			}
		})
	}
	for name := range genuine {
		if !seen[name] {
			t.Errorf("%s was not recorded", name)
		}
	}
}

// kubelet is what was recorded.
func kubelet(t *testing.T) *world {
	data, err := os.ReadFile(filepath.Join("testdata", "kubelet.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	w := newWorld(time.Time{})
	for lines.Scan() {
		var l struct {
			Recorded       time.Time
			Kind           string
			Pod, Container string
			Lines          []string
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		switch {
		case !l.Recorded.IsZero():
			w.now = l.Recorded
		case l.Kind == "Log":
			w.logs[l.Pod+"/"+l.Container] = logline.Decisive(l.Lines)
		default:
			w.add(t, slices.Clone(lines.Bytes()))
		}
	}
	return w
}

func TestOnlyChangesThatConcernACauseAreListed(t *testing.T) {
	pod := func(image, memory, path, mode string, extra ...any) map[string]any {
		return map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": "web", "pod-template-hash": image}},
			"spec": map[string]any{
				"nodeSelector": map[string]any{"disk": mode},
				"containers": append([]any{map[string]any{
					"name": "app", "image": image, "args": []any{"--mode", mode},
					"env": []any{
						map[string]any{"name": "MODE", "value": mode},
						map[string]any{"name": "KEY", "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": "s-" + mode, "key": "k"}}},
					},
					"resources":      map[string]any{"limits": map[string]any{"memory": memory}},
					"readinessProbe": map[string]any{"httpGet": map[string]any{"path": path, "port": int64(80)}},
				}}, extra...),
			},
		}
	}
	before := revision.New(pod("web:1", "128Mi", "/ready", "fast"))
	after := revision.New(pod("web:2", "64Mi", "/healthz", "slow", map[string]any{"name": "proxy", "image": "proxy:1", "args": []any{"-v"}}))
	for _, c := range []struct {
		container string
		matters   []codes.Concern
		want      []string
	}{
		{"app", []codes.Concern{"image"}, []string{"spec.template.spec.containers[app].image: web:1 → web:2"}},
		{"app", []codes.Concern{"resources"}, []string{"spec.template.spec.containers[app].resources.limits.memory: 128Mi → 64Mi"}},
		{"app", []codes.Concern{"probes"}, []string{"spec.template.spec.containers[app].readinessProbe.httpGet.path: /ready → /healthz"}},
		{"app", []codes.Concern{"env"}, []string{
			"spec.template.spec.containers[app].env[KEY].secretKeyRef.name: s-fast → s-slow",
			"spec.template.spec.containers[app].env[MODE]: a value → another value",
		}},
		{"app", []codes.Concern{"command"}, []string{`spec.template.spec.containers[app].args: ["--mode","fast"] → ["--mode","slow"]`}},
		{"", []codes.Concern{"placement"}, []string{"spec.template.spec.nodeSelector.disk: fast → slow"}},
		{"proxy", []codes.Concern{"image", "command"}, []string{"spec.template.spec.containers[proxy]:  → proxy:1"}},
		{"app", []codes.Concern{"volumes"}, nil},
		{"", []codes.Concern{"labels"}, nil},
	} {
		var got []string
		for _, x := range revision.Diff(before, after, c.container, c.matters) {
			got = append(got, x.Path+": "+x.Before+" → "+x.After)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("what matters of %s for %v:\n got %q\nwant %q", c.container, c.matters, got, c.want)
		}
	}
	for _, f := range after {
		if strings.Contains(f.Path, "env[MODE]") && strings.Contains(f.Value, "slow") {
			t.Error("a template holds the value of an environment variable")
		}
	}
}
