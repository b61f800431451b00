// Command demo records what "kstatus-tui demo" plays: on a cluster with a
// genuine kubelet it applies a sample application, opens the dashboard on it in
// a terminal of its own, lets a release go wrong in three ways and be repaired,
// and keeps what the dashboard observed. Nothing in the recording is made up.
//
// docs/recording.md says what the cluster has to have. The command deletes and
// makes the namespace shop of the cluster that -kubeconfig names.
//
//	cd internal/e2e && go run ./demo -kubeconfig FILE -bin ../../bin/kstatus-tui -o ../../cmd/kstatus-tui/demo.rec.gz
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/template"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

//go:embed app.yaml.tmpl
var app string

const namespace = "shop"

// release is what the story changes of the application.
type release struct {
	Web, WebProbe, Checkout, Worker, WorkerArgs string
}

func (r release) manifest() string {
	var b strings.Builder
	if err := template.Must(template.New("app").Parse(app)).Execute(&b, r); err != nil {
		panic(err) // the template is a part of this program
	}
	return b.String()
}

// act is a step of the story: what is applied, the keys pressed then, and how
// long it is watched.
type act struct {
	release release
	keys    []string
	watch   time.Duration
}

// visit opens the YAML and the log, of this instance and the one before, of the first
// rows, so that both panes have something to show in a replay.
func visit(rows int) (keys []string) {
	for _, pane := range []string{"5", "4"} {
		keys = append(keys, "g", pane)
		for range rows - 1 {
			keys = append(keys, "j")
			if pane == "4" {
				keys = append(keys, "p")
			}
		}
	}
	return append(keys, "1", "g")
}

const serves, crashes = `[serve, "9000"]`, `[crash, "1", "panic: DATABASE_URL is not set"]`

var story = []act{
	{release: release{"1.4", "8080", "1.9", "1.4", serves}, watch: 9500 * time.Millisecond, keys: visit(9)},
	// A letter O for a zero: the image does not exist.
	{release: release{"1.4", "8080", "2.O", "1.4", serves}, watch: 16800 * time.Millisecond, keys: visit(4)},
	// The worker's new version crashes.
	{release: release{"1.4", "8080", "2.O", "1.5", crashes}, watch: 13900 * time.Millisecond, keys: visit(9)},
	// The web's new version is probed on a port that it does not listen on.
	{release: release{"1.5", "8081", "2.O", "1.5", crashes}, watch: 44300 * time.Millisecond, keys: visit(14)},
	// The image's name and the port are corrected, the worker rolled back.
	{release: release{"1.5", "8080", "2.0", "1.4", serves}, watch: 16 * time.Second},
}

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "the cluster's `file`")
	bin := flag.String("bin", filepath.Join("..", "..", "bin", "kstatus-tui"), "the `program` that observes")
	out := flag.String("o", filepath.Join("..", "..", "cmd", "kstatus-tui", "demo.rec.gz"), "the `file` to write")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	if err := record(ctx, *kubeconfig, *bin, *out); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// registry serves an empty registry on localhost:5000: images that the node has
// run, others are not found.
func registry() (io func() error, err error) {
	l, err := net.Listen("tcp", "localhost:5000")
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v2/" {
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintln(w, `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}`)
		}),
	}
	go func() { _ = server.Serve(l) }()
	return server.Close, nil
}

func record(ctx context.Context, kubeconfig, bin, out string) error {
	if kubeconfig == "" {
		return errors.New(
			"name a cluster with a genuine kubelet: -kubeconfig FILE (docs/recording.md says what it has to have)")
	}
	for _, p := range []*string{&kubeconfig, &bin, &out} {
		abs, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = abs
	}
	if stop, err := registry(); err == nil {
		defer func() { _ = stop() }()
	} else {
		fmt.Fprintln(os.Stderr, "somebody else is localhost:5000:", err)
	}
	kubectl := func(stdin string, args ...string) error {
		cmd := exec.CommandContext(ctx, "kubectl", append([]string{"--kubeconfig", kubeconfig}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, text)
		}
		return nil
	}
	if err := kubectl("", "delete", "namespace", namespace, "--ignore-not-found"); err != nil {
		return err
	}
	if err := kubectl("", "create", "namespace", namespace); err != nil {
		return err
	}
	apply := func(r release) error { return kubectl(r.manifest(), "apply", "-n", namespace, "-f", "-") }
	if err := apply(story[0].release); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kstatus-tui-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(story[0].release.manifest()), 0o644); err != nil {
		return err
	}
	// The context's name stands on the screen.
	if err := os.WriteFile(filepath.Join(dir, "config"), nil, 0o600); err != nil {
		return err
	}
	flat, err := exec.CommandContext(ctx, "kubectl", "--kubeconfig", kubeconfig, "config", "view", "--raw",
		"--flatten", "--minify").Output()
	if err != nil {
		return fmt.Errorf("kubectl config view: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config"), flat, 0o600); err != nil {
		return err
	}
	_ = kubectl("", "--kubeconfig", filepath.Join(dir, "config"), "config", "rename-context",
		current(ctx, filepath.Join(dir, "config")), "demo")
	run := func(args ...string) (*terminal.Terminal, error) {
		return terminal.Start(terminal.Options{
			Command: bin, Args: append([]string{"-n", namespace, "-f", "app.yaml"}, args...),
			Dir: dir, Env: append(os.Environ(), "KUBECONFIG="+filepath.Join(dir, "config")),
		})
	}
	// The recording begins when the first release is complete.
	if err := kubectl("", "wait", "-n", namespace, "--for=condition=Available", "deployment", "--all",
		"--timeout=180s"); err != nil {
		return err
	}
	if err := kubectl("", "rollout", "status", "-n", namespace, "statefulset/database", "--timeout=180s"); err != nil {
		return err
	}
	if err := kubectl("", "wait", "-n", namespace, "--for=condition=Complete", "job/migrate",
		"--timeout=180s"); err != nil {
		return err
	}
	t, err := run("--children", "all", "--record", out)
	if err != nil {
		return err
	}
	defer t.Close()
	for i, a := range story {
		if i > 0 {
			if err := apply(a.release); err != nil {
				return err
			}
		}
		step := a.watch / time.Duration(len(a.keys)+1)
		for _, key := range append(a.keys, "") {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(step):
			}
			if err := t.Type(key); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "act %d:\n%s\n", i+1, t.Screen())
	}
	if err := t.Type("q"); err != nil {
		return err
	}
	if code, err := t.Exit(10 * time.Second); err != nil || code != 0 {
		return fmt.Errorf("the dashboard ended with %d: %w", code, err)
	}
	return nil
}

// current is the context that a kubeconfig chooses.
func current(ctx context.Context, kubeconfig string) string {
	text, _ := exec.CommandContext(ctx, "kubectl", "--kubeconfig", kubeconfig, "config", "current-context").Output()
	return strings.TrimSpace(string(text))
}
