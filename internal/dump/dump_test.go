package dump

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/dump/dumptest"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

const shopObjects = `
- {apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: u-ns, resourceVersion: "10", creationTimestamp: "2026-11-01T00:00:00Z"}, status: {phase: Active}}
- {apiVersion: v1, kind: Node, metadata: {name: n1, uid: u-n1, resourceVersion: "10"}, status: {conditions: [{type: Ready, status: "True"}]}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop, uid: u-web, resourceVersion: "11", labels: {app: web}, creationTimestamp: "2026-11-20T13:00:00Z"}
  spec: {replicas: 1, selector: {matchLabels: {app: web}}}
  status: {replicas: 1}
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-1
    namespace: shop
    uid: u-web-1
    resourceVersion: "12"
    labels: {app: web}
    annotations:
      text: |
        - not an item
        kind: Nothing

        items:
    managedFields:
    - {manager: kubelet, operation: Update, apiVersion: v1, time: "2026-11-20T13:59:00Z", fieldsType: FieldsV1, subresource: status, fieldsV1: {"f:status": {"f:phase": {}}}}
  spec: {containers: [{name: app, image: "web:1", env: [{name: DB_PASSWORD, value: hunter2}]}], nodeName: n1}
  status: {phase: Running}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt, namespace: shop, uid: u-ca, resourceVersion: "3"}, data: {ca.crt: x}}
- apiVersion: v1
  kind: Secret
  metadata:
    name: db
    namespace: shop
    uid: u-db
    resourceVersion: "4"
    annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"stringData":{"password":"PLAINTEXT"}}', note: kept}
  type: Opaque
  data: {password: UExBSU5URVhU, user: QURNSU4=}
  stringData: {token: PLAINTEXT}
- apiVersion: v1
  kind: Event
  metadata: {name: web-1.1, namespace: shop, uid: u-ev, resourceVersion: "13"}
  involvedObject: {kind: Pod, name: web-1, namespace: shop, uid: u-web-1}
  reason: BackOff
  type: Warning
  lastTimestamp: "2026-11-20T14:03:00Z"
- {apiVersion: lab.io/v1, kind: Fox, metadata: {name: reynard, namespace: shop, uid: u-fox, resourceVersion: "14", annotations: {ends: "2031-01-01T00:00:00Z"}}, status: {phase: Ready}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: other, uid: u-o, resourceVersion: "5"}}
`

// saved is a cluster that was saved at 14:04 on 20 November 2026.
func saved(t *testing.T) *dumptest.Cluster {
	t.Helper()
	c := &dumptest.Cluster{At: time.Date(2026, 11, 20, 14, 4, 0, 0, time.UTC)}
	if err := yaml.Unmarshal([]byte(shopObjects), &c.Objects); err != nil {
		t.Fatal(err)
	}
	c.Listed = []dumptest.Kind{
		dumptest.Namespaced("v1", "Pod", "pods"), dumptest.Namespaced("v1", "Event", "events"), dumptest.Namespaced("v1", "ConfigMap", "configmaps"), dumptest.Namespaced("v1", "Secret", "secrets"),
		dumptest.Namespaced("v1", "PersistentVolumeClaim", "persistentvolumeclaims"), dumptest.Namespaced("apps/v1", "Deployment", "deployments"),
		dumptest.Namespaced("lab.io/v1", "Fox", "foxes"), dumptest.ClusterScoped("v1", "Node", "nodes"), dumptest.ClusterScoped("v1", "Namespace", "namespaces"),
	}
	c.Logs = []dumptest.Log{
		{Namespace: "shop", Pod: "web-1", Container: "app", Text: "2026-11-20T14:00:00.5Z listening\n"},
		{Namespace: "shop", Pod: "web-1", Container: "app", Previous: true, Text: "panic: no database\n"},
	}
	return c
}

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func read(t *testing.T, names ...string) *Saved {
	t.Helper()
	s, err := Read(t.Context(), names, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask makes a request and returns the answer's code and text.
func ask(t *testing.T, s *Saved, path string) (int, string) {
	t.Helper()
	resp, err := s.RoundTrip(httptest.NewRequest(http.MethodGet, Host+path, nil))
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data)
}

func TestEveryLayoutHoldsTheSameCluster(t *testing.T) {
	// What cluster-info dump saves, everywhere.
	const pods, deployments, web = "/api/v1/namespaces/shop/pods", "/apis/apps/v1/namespaces/shop/deployments", "/apis/apps/v1/namespaces/shop/deployments/web"
	for _, layout := range dumptest.Layouts {
		t.Run(layout, func(t *testing.T) {
			dir := t.TempDir()
			if err := saved(t).Write(dir, layout); err != nil {
				t.Fatal(err)
			}
			s := read(t, dir)
			if len(s.LeftOut) > 0 {
				t.Errorf("left out: %q", s.LeftOut)
			}
			for path, want := range map[string]string{
				pods: "u-web-1", deployments: "u-web", web: "u-web", "/api/v1/namespaces/shop/pods/web-1": "- not an item\\nkind: Nothing\\n\\nitems:\\n",
				"/api/v1/namespaces/shop/events?fieldSelector=involvedObject.kind%3DPod,involvedObject.name%3Dweb-1": "BackOff",
				"/api/v1/nodes": "u-n1", pods + "?labelSelector=app%3Dweb": "u-web-1",
			} {
				if code, text := ask(t, s, path); code != 200 || !strings.Contains(text, want) {
					t.Errorf("%s: %d %s", path, code, text)
				}
			}
			if code, text := ask(t, s, pods+"?labelSelector=app%3Dother"); code != 200 || strings.Contains(text, "u-web-1") {
				t.Errorf("a selector that matches none: %d %s", code, text)
			}
			// All of a kind in a namespace is there, so that what is not does not exist.
			if code, text := ask(t, s, deployments+"/nope"); code != 404 {
				t.Errorf("another Deployment: %d %s", code, text)
			}
			// A namespace that was not saved, and a kind, may be there.
			for _, path := range []string{"/api/v1/namespaces/prod/pods", "/api/v1/namespaces/prod/pods/a", "/apis/batch/v1/namespaces/shop/jobs/a", "/apis/batch/v1/namespaces/shop/jobs"} {
				if code, text := ask(t, s, path); code != 403 || !strings.Contains(text, feed.NotSaved) {
					t.Errorf("%s: %d %s", path, code, text)
				}
			}
			at := time.Date(2026, 11, 20, 14, 3, 0, 0, time.UTC) // the event's
			if strings.Contains(layout, "gather") || strings.Contains(layout, "bundle") {
				at = at.Add(time.Minute) // written down
			}
			if !s.At.Equal(at) {
				t.Errorf("saved at %s, not %s", s.At, at)
			}
			if layout == "kubectl" {
				return // has no logs
			}
			key := feed.LogKey{Pod: object.ID{Kind: "Pod", Namespace: "shop", Name: "web-1"}, Container: "app"}
			c, err := s.Feed(nil).Logs(t.Context(), key, 0)
			if err != nil || len(c.Lines) != 1 || c.Lines[0].Text != "listening" || c.Lines[0].At.IsZero() || !c.Ended {
				t.Errorf("the log is %v, %v", c, err)
			}
			key.Previous = true
			c, err = s.Feed(nil).Logs(t.Context(), key, 0)
			if strings.HasPrefix(layout, "cluster-info") { // saves no previous one
				if err == nil || !feed.IsRefusal(err.Error()) {
					t.Errorf("the previous log is %v, %v", c, err)
				}
			} else if err != nil || len(c.Lines) != 1 || c.Lines[0].Text != "panic: no database" {
				t.Errorf("the previous log is %v, %v", c, err)
			}
		})
	}
}

func TestAnEmptyListProvesAbsenceAndNoListDoesNot(t *testing.T) {
	for layout, want := range map[string]int{"must-gather": 404, "support-bundle": 404, "kubectl-folder": 404, "kubectl": 403, "cluster-info": 403} {
		dir := t.TempDir()
		if err := saved(t).Write(dir, layout); err != nil {
			t.Fatal(err)
		}
		if code, text := ask(t, read(t, dir), "/api/v1/namespaces/shop/persistentvolumeclaims/data"); code != want {
			t.Errorf("%s: a claim, of which there are none: %d %s", layout, code, text)
		}
	}
}

// kubectl get with names or -l prints a List, too.
func TestASelectionProvesNoAbsence(t *testing.T) {
	c := saved(t)
	c.Objects = slices.DeleteFunc(c.Objects, func(o dumptest.Object) bool { return o["kind"] == "ConfigMap" })
	dir := t.TempDir()
	if err := c.Write(dir, "kubectl"); err != nil {
		t.Fatal(err)
	}
	s := read(t, dir)
	for path, want := range map[string]int{
		"/apis/apps/v1/namespaces/shop/deployments/web": 200, "/apis/apps/v1/namespaces/shop/deployments/nope": 403,
		"/apis/apps/v1/namespaces/shop/deployments": 200, "/apis/apps/v1/namespaces/shop/deployments?fieldSelector=metadata.name%3Dnope": 403,
	} {
		if code, text := ask(t, s, path); code != want {
			t.Errorf("%s: %d, not %d: %s", path, code, want, text)
		}
	}
}

func TestNoSecretIsKept(t *testing.T) {
	for _, layout := range dumptest.Layouts {
		if strings.HasPrefix(layout, "cluster-info") {
			continue // has no Secrets
		}
		dir := t.TempDir()
		if err := saved(t).Write(dir, layout); err != nil {
			t.Fatal(err)
		}
		s := read(t, dir)
		secrets := s.kinds[schema.GroupKind{Kind: "Secret"}]
		if len(secrets.sorted) != 1 {
			t.Fatalf("%s: %d Secrets", layout, len(secrets.sorted))
		}
		body := string(secrets.sorted[0].body)
		for _, word := range []string{"UExBSU5URVhU", "PLAINTEXT", "QURNSU4=", `"stringData"`, `"data"`} {
			if strings.Contains(body, word) {
				t.Errorf("%s: the Secret is kept with %q: %s", layout, word, body)
			}
		}
		if !strings.Contains(body, `"note":"kept"`) || !strings.Contains(body, `"keys":["password","token","user"]`) {
			t.Errorf("%s: too little of the Secret is kept: %s", layout, body)
		}
	}
}

func TestPartsOfADamagedFileCount(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const cm = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %, namespace: shop}\n"
	write("broken.yaml", strings.ReplaceAll(cm, "%", "a")+"---\na: [\n---\n"+strings.ReplaceAll(cm, "%", "b"))
	write("list.yaml", "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: c\n- a: [\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: d\nkind: List\n")
	write("cut.json", `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"e"}},{"apiVersion":"v1","ki`)
	write("picture.yaml", "\x00\x01\x02")
	write("noise.txt", "hello\n")
	write("audit.jsonl", `{"kind":"Event","apiVersion":"audit.k8s.io/v1","metadata":{"name":"x"}}`)
	s := read(t, dir)
	var names []string
	for _, e := range s.kinds[schema.GroupKind{Kind: "ConfigMap"}].sorted {
		names = append(names, e.name)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("read %q", names)
	}
	if len(s.LeftOut) != 3 || len(s.kinds) != 1 {
		t.Errorf("left out %q, %d kinds", s.LeftOut, len(s.kinds))
	}
}

func TestAPathThatDoesNotExistIsAnError(t *testing.T) {
	empty := t.TempDir()
	for _, name := range []string{filepath.Join(empty, "nope"), empty} {
		if _, err := Read(t.Context(), []string{name}, nil, now); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	if _, err := Read(t.Context(), []string{"-"}, strings.NewReader("hello"), now); err == nil {
		t.Error("a text was read")
	}
	s, err := Read(t.Context(), []string{"-"}, strings.NewReader(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"b"}}`), now)
	if err != nil || !slices.Equal(s.Namespaces(), []string{"b"}) {
		t.Errorf("standard input: %v", err)
	}
}

func TestAnEventOfTheNewGroupIsOneOfTheOld(t *testing.T) {
	const text = `{"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"e","namespace":"shop"},"regarding":{"kind":"Pod","name":"web"},"note":"too bad","reason":"BackOff"}`
	s, err := Read(t.Context(), []string{"-"}, strings.NewReader(text), now)
	if err != nil {
		t.Fatal(err)
	}
	if code, got := ask(t, s, "/api/v1/namespaces/shop/events?fieldSelector=involvedObject.name%3Dweb"); code != 200 || !strings.Contains(got, `"message":"too bad"`) {
		t.Errorf("%d %s", code, got)
	}
}

func TestAnObjectOfTheGroupExtensionsIsInThePresentGroup(t *testing.T) {
	const text = `{"apiVersion":"extensions/v1beta1","kind":"IngressList","metadata":{},"items":[{"metadata":{"name":"edge","namespace":"shop"}}]}
{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"extensions/v1beta1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"}},{"apiVersion":"extensions/v1beta1","kind":"Widget","metadata":{"name":"w","namespace":"shop"}}]}`
	s, err := Read(t.Context(), []string{"-"}, strings.NewReader(text), now)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/apis/networking.k8s.io/v1/namespaces/shop/ingresses/edge":   `"name":"edge"`,
		"/apis/apps/v1/namespaces/shop/deployments/web":               `"name":"web"`,
		"/apis/extensions/v1beta1/namespaces/shop/widgets/w":          `"name":"w"`,
		"/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/": "not in the saved cluster",
	} {
		if _, got := ask(t, s, path); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestSectionsOfLogsArePassedOver(t *testing.T) {
	var logs []string
	in := "kind: A\n==== START logs for container c of pod n/p ====\nx\ny\n==== END logs for container c of pod n/p ====\nname: b\n==== START logs for container d of pod n/p ====\ncut"
	s := &objectReader{in: bufio.NewReader(strings.NewReader(in)), log: func(key logKey, text []byte) { logs = append(logs, key.container+": "+string(text)) }}
	out, err := io.ReadAll(s)
	if err != nil || string(out) != "kind: A\nname: b\n" || !slices.Equal(logs, []string{"c: x\ny\n", "d: cut"}) {
		t.Errorf("%q, %q, %v", out, logs, err)
	}
	if b := bytes.Repeat([]byte("0123456789\n"), maxLog); true {
		end, _ := readTail(bytes.NewReader(b))
		if len(end) > maxLog || !bytes.HasPrefix(end, []byte("0123456789\n")) {
			t.Errorf("the end of a log of %d bytes has %d", len(b), len(end))
		}
	}
}

// Only what is compressed becomes readable again when it is unpacked.
func TestALogForWhichThereIsNoRoomIsReportedWithWhatHelps(t *testing.T) {
	b := &builder{Saved: &Saved{logs: map[logKey]savedLog{}}, left: &omissions{}, logSize: maxLogs}
	(&reading{builder: b, file: file{path: "dump.txt"}}).logSection(logKey{pod: "web"}, []byte("line\n"))
	b.log(logKey{pod: "api"}, file{path: "api.log", content: bufio.NewReader(strings.NewReader("line\n"))})
	b.log(logKey{pod: "job"}, file{path: "job.log", again: func() (io.ReadCloser, error) { return nil, io.EOF }})
	want := []string{
		"dump.txt: logs beyond 64 MB in files with several of them are left out",
		"api.log: logs beyond 64 MB in a compressed archive are left out; unpack it",
	}
	if got := b.left.lines(); !slices.Equal(got, want) || len(b.logs) != 1 {
		t.Errorf("%d logs are kept, left out: %q", len(b.logs), got)
	}
}
