// Command demo records what "kstatus-tui demo" plays: it starts a real control
// plane, opens the dashboard on a sample application in a terminal of its own,
// lets a release go wrong and be repaired, and writes what the dashboard
// observed. Nothing in the recording is made up but the kubelets, which kwok
// simulates.
//
//	cd internal/e2e && go run ./demo -bin ../../bin/kstatus-tui -o ../../cmd/kstatus-tui/demo.rec.gz
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/template"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

//go:embed app.yaml.tmpl
var app string

const namespace = "shop"

// release is what the story changes of the application.
type release struct{ Checkout, CheckoutFault, Worker, WorkerFault string }

func (r release) manifest() string {
	var b strings.Builder
	if err := template.Must(template.New("app").Parse(app)).Execute(&b, r); err != nil {
		panic(err) // the template is a part of this program
	}
	return b.String()
}

// act is a moment of the story: what is applied, the keys that somebody
// presses then, and how long it is watched.
type act struct {
	release release
	keys    []string
	watch   time.Duration
}

var story = []act{
	{release: release{Checkout: "1.9", Worker: "1.4"}, watch: 5 * time.Second},
	// A letter O for a zero: the image does not exist.
	{release: release{Checkout: "2.O", CheckoutFault: cluster.ImageNotFound, Worker: "1.4"}, watch: 12 * time.Second, keys: []string{"n", "5", "1"}},
	// And the worker's new version crashes.
	{release: release{Checkout: "2.O", CheckoutFault: cluster.ImageNotFound, Worker: "1.5", WorkerFault: cluster.CrashLoop}, watch: 34 * time.Second, keys: []string{"n", "5", "n", "n", "1"}},
	// The image's name is corrected, the worker rolled back.
	{release: release{Checkout: "2.0", Worker: "1.4"}, watch: 10 * time.Second},
}

func main() {
	bin := flag.String("bin", filepath.Join("..", "..", "bin", "kstatus-tui"), "the `program` that observes")
	out := flag.String("o", filepath.Join("..", "..", "cmd", "kstatus-tui", "demo.rec.gz"), "the `file` to write")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	if err := record(ctx, *bin, *out); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func record(ctx context.Context, bin, out string) error {
	for _, p := range []*string{&bin, &out} {
		abs, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = abs
	}
	c, err := cluster.Start(ctx, cluster.Options{Progress: os.Stderr})
	if err != nil {
		return err
	}
	defer c.Stop()
	if _, err := c.CreateNamespace(ctx, namespace, true); err != nil {
		return err
	}
	first := story[0].release.manifest()
	if err := c.Apply(ctx, namespace, first); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kstatus-tui-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(first), 0o644); err != nil {
		return err
	}
	// The recording begins when the first release is complete.
	t, err := terminal.Start(terminal.Options{
		Command: bin, Args: []string{"wait", "-n", namespace, "-f", "app.yaml", "--timeout", "60s"},
		Dir: dir, Env: append(os.Environ(), "KUBECONFIG="+c.Kubeconfig(cluster.Admin)),
	})
	if err != nil {
		return err
	}
	code, err := t.Exit(90 * time.Second)
	t.Close()
	if err != nil || code != 0 {
		return fmt.Errorf("the first release is not complete: exit code %d, %w\n%s", code, err, t.Screen())
	}
	t, err = terminal.Start(terminal.Options{
		Command: bin, Args: []string{"-n", namespace, "-f", "app.yaml", "--children", "all", "--record", out},
		Dir: dir, Env: append(os.Environ(), "KUBECONFIG="+c.Kubeconfig(cluster.Admin)),
	})
	if err != nil {
		return err
	}
	defer t.Close()
	for i, a := range story {
		if i > 0 {
			if err := c.Apply(ctx, namespace, a.release.manifest()); err != nil {
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
