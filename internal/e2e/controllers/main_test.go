package controllers

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// enabled names the controllers to run, or "all". Without it `make e2e` skips this
// package: they take minutes to compile.
const enabled = "KSTATUS_TUI_CONTROLLERS"

var (
	shared  *cluster.Cluster
	server  *Server
	binary  string   // the program under test
	running []string // the controllers
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	which := os.Getenv(enabled)
	if which == "" {
		fmt.Println(enabled + " names no controllers: make e2e-controllers")
		return 0
	}
	dir, err := os.MkdirTemp("", "kstatus-tui-controllers-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	if binary = os.Getenv("KSTATUS_TUI_BIN"); binary == "" {
		binary = filepath.Join(dir, "kstatus-tui")
		build := exec.Command("go", "build", "-o", binary, "./cmd/kstatus-tui")
		build.Dir, build.Stderr = filepath.Join("..", "..", ".."), os.Stderr
		if err := build.Run(); err != nil {
			return fail(fmt.Errorf("build the program: %w", err))
		}
	}
	if server, err = Serve(dir); err != nil {
		return fail(err)
	}
	ctx := context.Background()
	if shared, err = cluster.Start(ctx, cluster.Options{Progress: os.Stderr}); err != nil {
		return fail(err)
	}
	defer shared.Stop()
	for _, c := range All {
		if which != "all" && !slices.Contains(strings.Fields(which), c.Name) {
			continue
		}
		if err := start(ctx, c, filepath.Join(dir, c.Name)); err != nil {
			return fail(fmt.Errorf("start %s: %w", c.Name, err))
		}
		running = append(running, c.Name)
	}
	code := m.Run()
	if err := ended(); err != nil { // a scenario that needs it may have passed before
		return fail(err)
	}
	return code
}

// ended says which controllers have ended by themselves, and how.
func ended() (err error) {
	for _, name := range running {
		err = errors.Join(err, shared.Ended(name))
	}
	return err
}

// start builds a controller if need be, applies its definitions and runs it.
func start(ctx context.Context, c Controller, dir string) error {
	built, err := Build(ctx, c, os.Stderr)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(built.CRDs, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "kind: CustomResourceDefinition") {
			if err := shared.Apply(ctx, "", string(text)); err != nil {
				return err
			}
		}
	}
	// A controller that looks its kinds up before they are served ends at once.
	if err := shared.Established(ctx); err != nil {
		return err
	}
	ports, err := cluster.FreePorts(2)
	if err != nil {
		return err
	}
	replace := []string{"DIR", dir, "PORT1", strconv.Itoa(ports[0]), "PORT2", strconv.Itoa(ports[1])}
	var args []string
	for _, a := range c.Args {
		args = append(args, strings.NewReplacer(replace...).Replace(a))
	}
	if err := writeCertificate(filepath.Join(dir, "tls")); err != nil {
		return err
	}
	// Crossplane's webhooks would need a Service that leads here.
	for key, value := range map[string]string{
		"KUBECONFIG": shared.Kubeconfig(cluster.Admin), "RUNTIME_NAMESPACE": "default", "POD_NAMESPACE": "default",
		"TMPDIR": dir, "ENABLE_WEBHOOKS": "false",
	} {
		if err := os.Setenv(key, value); err != nil {
			return err
		}
	}
	return shared.Run(c.Name, built.Binary, args...)
}

// writeCertificate makes a folder with a key, a certificate for it, and the same as its
// authority. Crossplane does not start without them.
func writeCertificate(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{"localhost"}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{
		"tls.key": {Type: "PRIVATE KEY", Bytes: private}, "tls.crt": {Type: "CERTIFICATE", Bytes: certificate}, "ca.crt": {Type: "CERTIFICATE", Bytes: certificate},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// place is where a scenario happens.
type place struct {
	*testing.T
	ns string
}

func (p place) apply(manifest string) {
	p.Helper()
	if err := shared.Apply(p.Context(), p.ns, manifest); err != nil {
		p.Fatal(err)
	}
}

// applyServed applies objects of a kind that a controller is about to define.
func (p place) applyServed(manifest string) {
	p.Helper()
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		if err = shared.Apply(p.Context(), p.ns, manifest); err == nil {
			return
		}
	}
	p.Fatal(err)
}

// delete deletes an object that a finalizer of the scenario's holds, until it ends.
func (p place) delete(apiVersion, kind, name string) {
	p.Helper()
	on, err := shared.Kind(p.Context(), apiVersion, kind, p.ns)
	if err != nil {
		p.Fatal(err)
	}
	o, err := on.Get(p.Context(), name, metav1.GetOptions{})
	if err != nil {
		p.Fatal(err)
	}
	o.SetFinalizers(append(o.GetFinalizers(), "lab.example.org/hold"))
	if _, err := on.Update(p.Context(), o, metav1.UpdateOptions{}); err != nil {
		p.Fatal(err)
	}
	p.releaseAfterwards(apiVersion, kind, name)
	if err := on.Delete(p.Context(), name, metav1.DeleteOptions{}); err != nil {
		p.Fatal(err)
	}
}

// repo is a git repository of the scenario's own, with these files.
func (p place) repo(files map[string]string) *Repo {
	p.Helper()
	r, err := server.Repository(p.ns)
	if err != nil {
		p.Fatal(err)
	}
	p.push(r, files)
	return r
}

func (p place) push(r *Repo, files map[string]string) {
	p.Helper()
	if _, err := r.Push(files); err != nil {
		p.Fatal(err)
	}
}

// ktui runs the program to its end, as somebody who may only read.
func (p place) ktui(args ...string) (code int, output string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append([]string{"-n", p.ns}, args...)...)
	cmd.Env = []string{"HOME=" + p.TempDir(), "PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + shared.Kubeconfig(cluster.ReadOnly)}
	out, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		p.Errorf("kstatus-tui %s: %v", strings.Join(args, " "), err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// until asks for a status until the verdict is one, for a scenario that begins there.
func (p place) until(verdict string, source ...string) {
	p.Helper()
	var out string
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		var doc struct{ Verdict string }
		_, out = p.ktui(append([]string{"status", "-o", "json"}, source...)...)
		if json.Unmarshal([]byte(out), &doc) == nil && doc.Verdict == verdict {
			return
		}
	}
	p.Fatalf("%s is not %s:\n%s", strings.Join(source, " "), verdict, out)
}

// after has something happen later, if the scenario still plays.
func (p place) after(wait time.Duration, f func()) {
	timer := time.AfterFunc(wait, f)
	p.Cleanup(func() { timer.Stop() })
}

// nsIn puts the namespace's name in the place of NS.
func nsIn(source, ns string) string { return strings.ReplaceAll(source, "NS", ns) }

// moment is what is to be said some time after the situation was made.
type moment struct {
	after   time.Duration
	verdict string // "Current", "Failed", "InProgress", or several: "InProgress|Current"
	says    string // a regular expression that `status` and `why` together match; empty for any
	never   string // and one that they do not match
}

// codes are the exit codes of verdicts.
var codes = map[string]int{"Current": 0, "Failed": 2, "InProgress": 3, "Unknown": 3}

// scenario is a situation in the life of what a controller reconciles.
type scenario struct {
	name   string
	source string // what is asked for
	needs  string // the controllers, in words
	make   func(p place)
	says   []moment
	waits  int // the exit code of `wait`, begun right after; 9: it is not asked
}

// notWaited is a scenario without `wait`.
const notWaited = 9

func play(t *testing.T, scenarios []scenario) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for name := range strings.FieldsSeq(s.needs) {
				if !slices.Contains(running, name) {
					t.Skipf("%s does not run: %s=all", name, enabled)
				}
			}
			ns, err := shared.CreateNamespace(t.Context(), "c", false)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = shared.DeleteNamespace(context.WithoutCancel(t.Context()), ns) })
			s.play(place{t, ns})
		})
	}
}

func (s scenario) play(p place) {
	s.source = nsIn(s.source, p.ns)
	s.make(p)
	began := time.Now()
	source := strings.Fields(s.source)
	waited := make(chan func(), 1)
	go func() {
		if s.waits == notWaited {
			waited <- func() {}
			return
		}
		code, out := p.ktui(append([]string{"wait", "--timeout=110s"}, source...)...)
		took := time.Since(began).Round(time.Second)
		waited <- func() {
			if code != s.waits {
				p.Errorf("wait %s: exit %d after %s, want %d\n%s", s.source, code, took, s.waits, out)
			}
		}
	}()
	defer func() {
		if err := ended(); err != nil && p.Failed() {
			p.Error(err)
		}
	}()
	for _, m := range s.says {
		time.Sleep(time.Until(began.Add(m.after)))
		code, out := p.ktui(append([]string{"status"}, source...)...)
		_, why := p.ktui(append([]string{"why"}, source...)...)
		verdicts := strings.Split(m.verdict, "|")
		if !slices.ContainsFunc(verdicts, func(v string) bool { return codes[v] == code && strings.Contains(out, "\n"+v+": ") }) {
			p.Errorf("after %s: status %s: exit %d, want %s\n%s\nwhy:\n%s", m.after, s.source, code, m.verdict, out, why)
		} else if said := out + why; !regexp.MustCompile(m.says).MatchString(said) || m.never != "" && regexp.MustCompile(m.never).MatchString(said) {
			p.Errorf("after %s: want /%s/ and no /%s/ in\n%s\nwhy:\n%s", m.after, m.says, m.never, out, why)
		}
	}
	(<-waited)()
}

// deployment is a Deployment whose Pods are ready at once, but for a fault.
func deployment(name, image, fault, more string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: 1
  %[2]s
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}, annotations: {%[3]s: %[4]q}}
    spec: {containers: [{name: app, image: %[5]q}]}
`, name, more, cluster.FaultAnnotation, fault, image)
}
