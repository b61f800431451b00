package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/proxy"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

var (
	shared *cluster.Cluster
	binary string // the program under test
)

// Promised times are tested with a fake clock, in internal/watch. The machine
// that runs these scenarios may be slow and busy, so their limits are many
// times what was promised.
const (
	// patience is for what must come to pass. After a restart of the API server the
	// control plane's own controllers come back with a back-off of up to half a
	// minute each, and what waits for one of them may wait for the next.
	patience = 4 * time.Minute
	// longest is how long a program may run that ends by itself; a wait is given a
	// --timeout that is shorter, so that it can say what it waited for.
	longest = 6 * time.Minute
)

// TestMain starts the control plane that all scenarios share. Those named TestAlone_… disturb
// it, or count the requests to it: they run one after the other, and make e2e gives them a
// control plane of their own, beside the others.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "kstatus-tui-e2e-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	if binary = os.Getenv("KSTATUS_TUI_BIN"); binary == "" {
		binary = filepath.Join(dir, "kstatus-tui")
		build := exec.Command("go", "build", "-o", binary, "./cmd/kstatus-tui")
		build.Dir, build.Stderr = filepath.Join("..", ".."), os.Stderr
		if err := build.Run(); err != nil {
			return fail(fmt.Errorf("build the program: %w", err))
		}
	}
	if shared, err = cluster.Start(context.Background(), cluster.Options{Progress: os.Stderr}); err != nil {
		return fail(err)
	}
	defer shared.Stop()
	return m.Run()
}

// namespace makes a namespace that goes with the test.
func namespace(t *testing.T, name string) string {
	t.Helper()
	ns, err := shared.CreateNamespace(t.Context(), name, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.DeleteNamespace(context.WithoutCancel(t.Context()), ns) })
	return ns
}

// definitions are the kinds that the scenarios define, by name. The cluster is
// shared: who defines a kind anew, in other words, takes it from the others.
var definitions sync.Map

func defineOnce(t *testing.T, manifest string) {
	t.Helper()
	objs, err := cluster.Objects([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	for _, obj := range objs {
		if obj.GetKind() != "CustomResourceDefinition" {
			continue
		}
		before, known := definitions.LoadOrStore(obj.GetName(), obj.Object["spec"])
		if known && !reflect.DeepEqual(before, obj.Object["spec"]) {
			t.Fatalf("%s is defined by another scenario already, and differently", obj.GetName())
		}
	}
}

// since skips a scenario that needs what an older control plane does not have
// (make e2e-old).
func since(t *testing.T, minor int, what string) {
	t.Helper()
	if cluster.Minor() < minor {
		t.Skipf("%s: since Kubernetes 1.%d", what, minor)
	}
}

func apply(t *testing.T, ns, manifest string) {
	t.Helper()
	defineOnce(t, manifest)
	if err := shared.Apply(t.Context(), ns, manifest); err != nil {
		t.Fatal(err)
	}
}

// environment is an environment that configures only the cluster, and a folder
// for recordings if the scenarios are to be kept.
func environment(t *testing.T, kubeconfig string) []string {
	home := t.TempDir()
	if folder := os.Getenv(keep); folder != "" {
		conf := filepath.Join(home, ".config", "kstatus-tui")
		text := "recordTo: " + filepath.Join(folder, strings.ReplaceAll(t.Name(), "/", "-")) + "/\n"
		if err := errors.Join(os.MkdirAll(conf, 0o755), os.WriteFile(filepath.Join(conf, "config.yaml"), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + kubeconfig}
}

// outcome is what a headless run left.
type outcome struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

func (o outcome) String() string {
	return fmt.Sprintf("exit %d after %s\nstdout:\n%s\nstderr:\n%s", o.code, o.took.Round(time.Millisecond), o.stdout, o.stderr)
}

// ktui runs the program as u, without a terminal, to its end.
func ktui(t *testing.T, u cluster.User, args ...string) outcome {
	t.Helper()
	return ktuiIn(t, environment(t, shared.Kubeconfig(u)), "", args...)
}

func ktuiIn(t *testing.T, env []string, stdin string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, strings.NewReader(stdin), &stdout, &stderr
	cmd.WaitDelay = time.Second // what it left running may hold its standard error
	began := time.Now()
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("run %s: %v", strings.Join(args, " "), err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(began)}
}

// The parts of the documents that `-o json` prints which the tests read.
type (
	document struct {
		Schema, Verdict string
		Sources         []string
		Counts          map[string]int
		Resources       []resource
		Causes          []cause
	}
	resource struct {
		Group, Version, Kind, Namespace, Name, UID string
		Generation, ObservedGeneration             int64
		Status, Reason, Message, Rule, Confidence  string
		Note, Inventory                            string
		Terminal, Paused, Generated, Optional      bool
		Conditions                                 []struct{ Type, Status, Reason, Polarity string }
		Causes                                     []string
		Children                                   []resource
		ChildCounts                                map[string]int
	}
	cause struct {
		ID, Code, Title, Class, Certainty string
		Count                             int
		Subject                           ref
		Blocks                            []ref
	}
	ref struct{ Group, Kind, Namespace, Name, Container string }
)

func (d document) resource(kind, name string) *resource {
	for i, r := range d.Resources {
		if r.Kind == kind && r.Name == name {
			return &d.Resources[i]
		}
	}
	return nil
}

// status runs `status -o json` and reads what it prints.
func status(t *testing.T, u cluster.User, args ...string) (document, outcome) {
	t.Helper()
	got := ktui(t, u, append([]string{"status", "-o", "json"}, args...)...)
	var doc document
	if got.stdout != "" {
		if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil {
			t.Fatalf("status -o json %s: %v\n%s", strings.Join(args, " "), err, got)
		}
	}
	return doc, got
}

// statusUntil runs status again and again until ok finds nothing missing.
func statusUntil(t *testing.T, u cluster.User, args []string, missing func(document, outcome) string) (document, outcome) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		doc, got := status(t, u, args...)
		what := missing(doc, got)
		if what == "" {
			return doc, got
		}
		if time.Now().After(deadline) {
			t.Fatalf("status %s, after %s: %s\n%s", strings.Join(args, " "), patience, what, got)
		}
	}
}

// asked waits until the audit log tells of requests that make missing say nothing
// more: a request may be in it a moment after its answer was read.
func asked(t *testing.T, since cluster.Mark, u cluster.User, missing func([]cluster.Request) string) []cluster.Request {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		requests, err := shared.Requests(since, u)
		if err != nil {
			t.Fatal(err)
		}
		what := missing(requests)
		if what == "" {
			return requests
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s; the requests: %v", what, requests)
		}
		time.Sleep(100 * time.Millisecond) // others need the processors too
	}
}

// manifest writes a manifest where the program can read it.
func manifest(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// session is the program at a terminal of 120x36.
type session struct {
	t *testing.T
	*terminal.Terminal
}

func dashboard(t *testing.T, u cluster.User, args ...string) session {
	t.Helper()
	return dashboardIn(t, environment(t, shared.Kubeconfig(u)), args...)
}

func dashboardIn(t *testing.T, env []string, args ...string) session {
	t.Helper()
	term, err := terminal.Start(terminal.Options{Command: binary, Args: args, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(term.Close)
	return session{t, term}
}

// until waits for a screen and fails the test with the last one. Whatever a test
// wants of one screen belongs into ok: the screen before may be drawn by half.
func (s session) until(what string, ok func(terminal.Screen) bool) terminal.Screen {
	s.t.Helper()
	screen, err := s.Wait(patience, ok)
	if err != nil {
		s.t.Fatalf("waiting for %s: %v; the screen:\n%s", what, err, screen)
	}
	return screen
}

// shows waits for a line with all of the texts.
func (s session) shows(texts ...string) terminal.Screen {
	s.t.Helper()
	return s.until(fmt.Sprintf("a line with %q", texts), func(screen terminal.Screen) bool { return screen.Line(texts...) != "" })
}

// quit leaves the dashboard by its key and checks what it leaves behind.
func (s session) quit() {
	s.t.Helper()
	if err := s.Type("q"); err != nil {
		s.t.Fatal(err)
	}
	s.leaves(0)
}

// leaves waits for the end of the program and checks code and terminal.
func (s session) leaves(code int) {
	s.t.Helper()
	got, err := s.Exit(patience)
	if err != nil {
		s.t.Fatalf("%v; the screen:\n%s", err, s.Screen())
	}
	if got != code {
		s.t.Errorf("exit code %d, want %d; the screen:\n%s", got, code, s.Screen())
	}
	if err := s.LeftClean(); err != nil {
		s.t.Errorf("the terminal was not put back: %v", err)
	}
}

// row is the line of the tree that shows an object and has all of the texts;
// the panes at its side are cut off.
func row(screen terminal.Screen, name string, texts ...string) string {
	edge := -1
	for _, line := range screen.Lines {
		if edge < 0 {
			edge = slices.Index([]rune(line), '┬')
			continue
		}
		left := string([]rune(line)[:min(edge, len([]rune(line)))])
		if strings.Contains(left, name) && !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(left, text) }) {
			return left
		}
	}
	return ""
}

// trust is what a proxy before the API server needs: whom it believes, and who
// it claims to be.
func trust(t *testing.T) (*x509.CertPool, tls.Certificate) {
	t.Helper()
	ca, err := os.ReadFile(filepath.Join(shared.Dir(), "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	own, err := tls.LoadX509KeyPair(filepath.Join(shared.Dir(), "server.crt"), filepath.Join(shared.Dir(), "server.key"))
	if err != nil {
		t.Fatal(err)
	}
	return roots, own
}

// tap puts a proxy before the API server that is indistinguishable from it.
func tap(t *testing.T) *proxy.Tap {
	t.Helper()
	roots, own := trust(t)
	p, err := proxy.NewTap(shared.Address(), roots, own)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// short are the names that people type.
var short = map[string]string{"Kustomization": "ks", "HelmRelease": "hr", "Application": "app, apps"}

// servedKind is a CustomResourceDefinition that takes everything, with a status
// of its own.
func servedKind(group, scope, kind, plural string, versions ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.%s}
spec:
  group: %s
  scope: %s
  names: {kind: %s, plural: %s, singular: %s, shortNames: [%s]}
  versions:
`, plural, group, group, scope, kind, plural, strings.ToLower(kind), short[kind])
	for i, v := range versions {
		fmt.Fprintf(&b, `  - name: %s
    served: true
    storage: %t
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`, v, i == 0)
	}
	return b.String()
}
