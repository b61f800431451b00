// Package controllers runs controllers of the world, as plain processes, on the
// control plane of package cluster, and holds the program against what they really
// write: the tests elsewhere play them, and a played controller does only what its
// player knew. Flux, for one, leaves status.observedGeneration at -1 until its first
// success, and writes Ready=Unknown before every retry.
//
// They are built from the module proxy at pinned versions (see [All]), each from
// its own go.mod: one module could not hold them all. `make e2e-controllers` runs
// the scenarios; `make e2e` leaves them out.
package controllers

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// Controller is a program of the world and where it comes from.
type Controller struct {
	Name, Module, Version string
	Package               string // of its main, within the module
	CRDs                  string // the folder of its definitions, within the module
	// Replace points a module that the proxy does not serve at another version.
	Replace []string
	// Main is a main package of ours, built within the module as Package, where its own
	// is in a nested module that the proxy does not serve.
	Main string
	// Edits change what cannot be configured: FILE, OLD, NEW of a text that occurs there.
	Edits [][3]string
	// Args are its arguments. PORT1 and PORT2 stand for free ports, DIR for a folder
	// of its own with a certificate of 127.0.0.1 in DIR/tls. $KUBECONFIG is that of the
	// administrator.
	Args []string
}

//go:embed testdata/cert-manager.go.txt
var certManagerMain string

var fluxArgs = []string{"--enable-leader-election=false", "--metrics-addr=127.0.0.1:0", "--health-addr=127.0.0.1:PORT1"}

// All are the controllers that the scenarios need. The versions are the newest that
// Go 1.26 builds. helm-controller is not served by the proxy: what it writes is
// replayed in internal/status and internal/explain.
var All = []Controller{
	{
		Name: "source-controller", Module: "github.com/fluxcd/source-controller", Version: "v1.9.6",
		Package: ".", CRDs: "config/crd/bases",
		Replace: []string{"github.com/fluxcd/pkg/artifact=github.com/fluxcd/pkg/artifact@v0.18.0"},
		Args: append(
			[]string{
				"--storage-path=DIR", "--storage-addr=127.0.0.1:PORT2",
				"--storage-adv-addr=127.0.0.1:PORT2",
			}, fluxArgs...),
	},
	{
		Name: "kustomize-controller", Module: "github.com/fluxcd/kustomize-controller", Version: "v1.9.6",
		Package: ".", CRDs: "config/crd/bases",
		Args: append([]string{"--requeue-dependency=5s"}, fluxArgs...),
	},
	{
		Name: "kro", Module: "github.com/kubernetes-sigs/kro", Version: "v0.9.4",
		Package: "./cmd/controller", CRDs: "helm/crds",
		Args: []string{"--metrics-bind-address=0", "--health-probe-bind-address=127.0.0.1:PORT1"},
	},
	{
		Name: "argo-rollouts", Module: "github.com/argoproj/argo-rollouts", Version: "v1.10.1",
		Package: "./cmd/rollouts-controller", CRDs: "manifests/crds",
		Args: []string{"--leader-elect=false", "--metricsPort=PORT1", "--healthzPort=PORT2", "--namespaced=false"},
	},
	{
		Name: "cert-manager", Module: "github.com/cert-manager/cert-manager", Version: "v1.21.2",
		Package: "./cmd/kstatus-tui-e2e", CRDs: "deploy/crds",
		Main: certManagerMain,
	},
	{
		Name: "crossplane", Module: "github.com/crossplane/crossplane", Version: "v1.20.0",
		Package: "./cmd/crossplane", CRDs: "cluster/crds",
		Args: []string{
			"core", "start", "--namespace=default", "--cache-dir=DIR/cache",
			"--tls-client-certs-dir=DIR/tls", "--poll-interval=20s",
			"--metrics-port=PORT1", "--health-probe-port=PORT2",
		},
	},
	{
		Name: "sealed-secrets", Module: "github.com/bitnami-labs/sealed-secrets", Version: "v0.40.0",
		Package: "./cmd/controller", CRDs: "helm/sealed-secrets/crds",
		Edits: [][3]string{
			{
				"pkg/controller/main.go", "rest.InClusterConfig()",
				`clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))`,
			},
			{"pkg/controller/main.go", `"k8s.io/client-go/rest"`, `"k8s.io/client-go/tools/clientcmd"`},
		},
		Args: []string{"--listen-addr=127.0.0.1:PORT1", "--listen-metrics-addr=127.0.0.1:PORT2"},
	},
	{
		Name: "kuberay", Module: "github.com/ray-project/kuberay/ray-operator", Version: "v1.5.0",
		Package: ".", CRDs: "config/crd/bases",
		Args: []string{
			"--enable-leader-election=false", "--metrics-addr=127.0.0.1:PORT1",
			"--health-probe-bind-address=127.0.0.1:PORT2",
		},
	},
}

// Built is a controller that has been built: its program and its definitions.
type Built struct {
	Controller
	Binary, CRDs string
}

// Build builds what the cache does not contain. The first time takes minutes for
// each, which is reported on progress.
func Build(ctx context.Context, c Controller, progress io.Writer) (Built, error) {
	cache, err := cluster.CacheDir()
	if err != nil {
		return Built{}, err
	}
	dir := filepath.Join(cache, "controllers", c.Name+"@"+c.Version+"-"+runtime.GOOS+"-"+runtime.GOARCH)
	b := Built{Controller: c, Binary: filepath.Join(dir, c.Name), CRDs: filepath.Join(dir, "crds")}
	if _, err := os.Stat(dir); err == nil {
		return b, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return Built{}, err
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "building-")
	if err != nil {
		return Built{}, err
	}
	defer os.RemoveAll(work)
	fmt.Fprintf(progress, "building %s %s from its module (once; it takes minutes)\n", c.Name, c.Version)
	out := filepath.Join(work, "out") // it appears under its name only when complete
	if err := c.build(ctx, work, out); err != nil {
		return Built{}, fmt.Errorf("build %s %s: %w", c.Name, c.Version, err)
	}
	return b, os.Rename(out, dir)
}

// localReplace is a line of a go.mod that points into the module's own tree, which
// the module's archive leaves out.
var localReplace = regexp.MustCompile(`(?m)^(?:replace)?[ \t]*(\S+)(?: v\S+)? => \./`)

func (c Controller) build(ctx context.Context, work, out string) error {
	text, err := goCommand(ctx, work, "mod", "download", "-json", c.Module+"@"+c.Version)
	var got struct{ Dir, Error string }
	if err := errors.Join(err, json.Unmarshal(text, &got)); err != nil {
		return err
	}
	source := filepath.Join(work, "source")
	if err := copyTree(source, got.Dir); err != nil {
		return err
	}
	gomod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	edit := []string{"mod", "edit"}
	for _, m := range localReplace.FindAllSubmatch(gomod, -1) {
		edit = append(edit, "-dropreplace="+string(m[1]))
	}
	for _, r := range c.Replace {
		edit = append(edit, "-replace="+r)
	}
	if len(edit) > 2 {
		if _, err := goCommand(ctx, source, edit...); err != nil {
			return err
		}
	}
	for _, e := range c.Edits {
		if err := replaceIn(filepath.Join(source, e[0]), e[1], e[2]); err != nil {
			return err
		}
	}
	if c.Main != "" {
		dir := filepath.Join(source, c.Package)
		if err := errors.Join(os.MkdirAll(dir, 0o755),
			os.WriteFile(filepath.Join(dir, "main.go"), []byte(c.Main), 0o644)); err != nil {
			return err
		}
	}
	if err := copyTree(filepath.Join(out, "crds"), filepath.Join(source, c.CRDs)); err != nil {
		return err
	}
	_, err = goCommand(ctx, source, "build", "-ldflags", "-s -w", "-o", filepath.Join(out, c.Name), c.Package)
	return err
}

// replaceIn replaces a text that occurs in a file.
func replaceIn(path, from, to string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), from) {
		return fmt.Errorf("%s does not contain %q", path, from)
	}
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), from, to)), 0o644)
}

// copyTree copies a folder of the module cache, where nothing may be written.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o644)
	})
}

func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false", "CGO_ENABLED=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, strings.Join(lines[max(0, len(lines)-20):], "\n"))
	}
	return stdout.Bytes(), nil
}
