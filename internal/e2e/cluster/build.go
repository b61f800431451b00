package cluster

import (
	"bytes"
	"cmp"
	"context"
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
	"syscall"
)

// Versions of the cluster's programs. They are part of the names of the cache
// folders: changing one here is enough.
const kwokVersion = "v0.8.0"

var (
	// KubernetesVersion is that of the control plane: $KSTATUS_TUI_E2E_KUBERNETES,
	// or today's.
	KubernetesVersion = cmp.Or(os.Getenv("KSTATUS_TUI_E2E_KUBERNETES"), "v1.36.3")
	etcdVersion       = ofItsTime()
)

// Minor is the minor version of the control plane's Kubernetes.
func Minor() (minor int) {
	_, _ = fmt.Sscanf(KubernetesVersion, "v1.%d", &minor)
	return minor
}

// ofItsTime is the version of etcd that a Kubernetes of this time came with.
func ofItsTime() string {
	if Minor() < 34 {
		return "v3.5.21"
	}
	return "v3.6.8"
}

// stagingVersion is what the k8s.io libraries that Kubernetes keeps in its own
// tree are published under: v0.x.y for v1.x.y.
var stagingVersion = "v0." + strings.TrimPrefix(KubernetesVersion, "v1.")

// Binaries says where the programs of a cluster are, by name, and the stage
// files that kwok needs.
type Binaries struct {
	Etcd, APIServer, ControllerManager, Scheduler, Kwok string
	Stages                                              []string
}

// part is one build module and its programs.
type part struct {
	module, version string
	// replaceStaging says that the module's go.mod points at folders of its own
	// tree, which the module zip leaves out.
	replaceStaging bool
	packages       []string
}

var parts = []part{
	{"go.etcd.io/etcd/server/v3", etcdVersion, false, []string{"go.etcd.io/etcd/server/v3"}},
	{"k8s.io/kubernetes", KubernetesVersion, true, []string{
		"k8s.io/kubernetes/cmd/kube-apiserver",
		"k8s.io/kubernetes/cmd/kube-controller-manager",
		"k8s.io/kubernetes/cmd/kube-scheduler",
	}},
	{"sigs.k8s.io/kwok", kwokVersion, false, []string{"sigs.k8s.io/kwok/cmd/kwok"}},
}

// kwokStages are those of kwok's own stage files that a cluster runs with.
var kwokStages = []string{
	"node/fast/node-initialize.yaml",
	"node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
	"pod/fast/pod-ready.yaml",
	"pod/fast/pod-complete.yaml",
	"pod/fast/pod-delete.yaml",
}

// CacheDir is where binaries and running clusters live:
// $KSTATUS_TUI_E2E_CACHE, or kstatus-tui/e2e in the user's cache directory.
func CacheDir() (string, error) {
	if dir := os.Getenv("KSTATUS_TUI_E2E_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache directory (set KSTATUS_TUI_E2E_CACHE): %w", err)
	}
	return filepath.Join(dir, "kstatus-tui", "e2e"), nil
}

// Build compiles what the cache does not contain and returns all paths. The
// first time takes minutes (it compiles Kubernetes) and is reported on
// progress. Several processes may call it at once: one builds, the others wait.
func Build(ctx context.Context, progress io.Writer) (Binaries, error) {
	cache, err := CacheDir()
	if err != nil {
		return Binaries{}, err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return Binaries{}, err
	}
	unlock, err := lock(ctx, filepath.Join(cache, "build.lock"))
	if err != nil {
		return Binaries{}, err
	}
	defer unlock()
	var bins Binaries
	where := map[string]*string{
		"server": &bins.Etcd, "kube-apiserver": &bins.APIServer, "kube-controller-manager": &bins.ControllerManager,
		"kube-scheduler": &bins.Scheduler, "kwok": &bins.Kwok,
	}
	for _, p := range parts {
		dir := filepath.Join(cache, "bin", strings.NewReplacer("/", "_").Replace(p.module)+
			"@"+p.version+"-"+runtime.GOOS+"-"+runtime.GOARCH)
		if err := p.build(ctx, dir, progress); err != nil {
			return Binaries{}, fmt.Errorf("build %s@%s: %w", p.module, p.version, err)
		}
		for _, pkg := range p.packages {
			// go build drops a major version at the end of a package's path.
			name := filepath.Base(strings.TrimSuffix(pkg, "/v3"))
			*where[name] = filepath.Join(dir, name)
		}
		if p.module == "sigs.k8s.io/kwok" {
			for _, stage := range kwokStages {
				bins.Stages = append(bins.Stages, filepath.Join(dir, "stages", filepath.Base(stage)))
			}
		}
	}
	return bins, nil
}

// build fills dir with p's programs. The folder appears under its name only
// when complete, so that an interrupted build leaves nothing that looks done.
func (p part) build(ctx context.Context, dir string, progress io.Writer) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	fmt.Fprintf(progress, "building %s %s from its module (once; Kubernetes takes minutes)\n", p.module, p.version)

	module, out := filepath.Join(work, "module"), filepath.Join(work, "out")
	for _, d := range []string{module, out} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	gomod := "module build\n\ngo 1.26.0\n"
	// The file must stand before the first go command, or that would read a
	// go.mod further up.
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte(gomod), 0o644); err != nil {
		return err
	}
	source, err := p.download(ctx, module)
	if err != nil {
		return err
	}
	gomod += fmt.Sprintf("\nrequire %s %s\n", p.module, p.version)
	if p.replaceStaging {
		replaces, err := stagingReplaces(filepath.Join(source, "go.mod"))
		if err != nil {
			return err
		}
		gomod += replaces
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte(gomod), 0o644); err != nil {
		return err
	}
	flags := "-s -w"
	if p.module == "k8s.io/kubernetes" {
		// Without it the API server reports v0.0.0-master, and clients that
		// negotiate by version fail.
		flags += " -X k8s.io/component-base/version.gitVersion=" + p.version
	}
	args := append([]string{"build", "-ldflags", flags, "-o", out + string(filepath.Separator)}, p.packages...)
	if _, err := goCommand(ctx, module, args...); err != nil {
		return err
	}
	if p.module == "sigs.k8s.io/kwok" {
		if err := os.Mkdir(filepath.Join(out, "stages"), 0o755); err != nil {
			return err
		}
		for _, stage := range kwokStages {
			text, err := os.ReadFile(filepath.Join(source, "kustomize", "stage", stage))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(out, "stages", filepath.Base(stage)), text, 0o644); err != nil {
				return err
			}
		}
	}
	return os.Rename(out, dir)
}

// download fetches p's module and returns its folder in the module cache.
func (p part) download(ctx context.Context, dir string) (string, error) {
	text, err := goCommand(ctx, dir, "mod", "download", "-json", p.module+"@"+p.version)
	if err != nil {
		return "", err
	}
	var got struct{ Dir, Error string }
	if err := json.Unmarshal(text, &got); err != nil {
		return "", err
	}
	if got.Error != "" {
		return "", errors.New(got.Error)
	}
	return got.Dir, nil
}

var stagingLine = regexp.MustCompile(`(?m)^\s*(?:replace\s+)?(k8s\.io/[a-z0-9-]+) => \./staging/`)

// stagingReplaces points every staging module that the go.mod names at its
// published version.
func stagingReplaces(gomod string) (string, error) {
	text, err := os.ReadFile(gomod)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("\nreplace (\n")
	found := stagingLine.FindAllSubmatch(text, -1)
	if len(found) == 0 {
		return "", fmt.Errorf("%s: no staging modules found", gomod)
	}
	for _, m := range found {
		fmt.Fprintf(&b, "\t%[1]s => %[1]s %[2]s\n", m[1], stagingVersion)
	}
	b.WriteString(")\n")
	return b.String(), nil
}

// goCommand runs the go command without cgo: the same programs come out on
// machines with and without a C compiler.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false", "CGO_ENABLED=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, tail(stderr.Bytes(), 30))
	}
	return stdout.Bytes(), nil
}

// lock takes the file lock at path, waiting while another process has it. The
// kernel gives it back when the process ends, however that happens.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = poll(ctx, func() (bool, error) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

func tail(text []byte, lines int) string {
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
