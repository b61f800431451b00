// Command playground starts a real control plane on loopback with a sample
// application of which a part is healthy and a part is stuck, prints the
// KUBECONFIG to use from another terminal, and opens the dashboard on it. When
// the dashboard is left, everything is gone again.
//
// Where stdout is no terminal, or with -keep, it only prints and waits for an
// interrupt.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/creack/pty"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

//go:embed app.yaml
var app string

const namespace = "shop"

func main() {
	bin := flag.String("bin", filepath.Join("..", "..", "bin", "kstatus-tui"),
		"the `program` to open on the application")
	keep := flag.Bool("keep", false, "only print the KUBECONFIG and wait for an interrupt")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	if err := play(ctx, *bin, *keep); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func play(ctx context.Context, bin string, keep bool) error {
	fmt.Fprintln(os.Stderr, "starting a control plane …")
	c, err := cluster.Start(ctx, cluster.Options{Progress: os.Stderr})
	if err != nil {
		return err
	}
	defer c.Stop()
	if _, err := c.CreateNamespace(ctx, namespace, true); err != nil {
		return err
	}
	if err := c.CreateVolume(ctx, "disk-1"); err != nil {
		return err
	}
	if err := c.Apply(ctx, namespace, app); err != nil {
		return err
	}
	manifest := filepath.Join(c.Dir(), "app.yaml")
	if err := os.WriteFile(manifest, []byte(app), 0o644); err != nil {
		return err
	}
	config := c.Kubeconfig(cluster.Admin)
	fmt.Printf("export KUBECONFIG=%s\n", config)
	// Only a terminal has a size.
	if _, err := pty.GetsizeFull(os.Stdout); keep || err != nil {
		fmt.Fprintf(os.Stderr, "the application: -n %s -f %s\ninterrupt to end everything\n", namespace, manifest)
		<-ctx.Done()
		return nil
	}
	// From the manifest's folder, so that its name is short in the header.
	if bin, err = filepath.Abs(bin); err != nil {
		return err
	}
	dashboard := exec.CommandContext(ctx, bin, "-n", namespace, "-f", filepath.Base(manifest))
	dashboard.Dir = c.Dir()
	dashboard.Env = append(os.Environ(), "KUBECONFIG="+config)
	dashboard.Stdin, dashboard.Stdout, dashboard.Stderr = os.Stdin, os.Stdout, os.Stderr
	dashboard.Cancel = func() error { return dashboard.Process.Signal(syscall.SIGTERM) }
	err = dashboard.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil // it has said why itself
	}
	return err
}
