// Command bench measures the program on a real control plane, on a screen of
// 120x36 and with realistic Pods of some 8 KB, beside the kstatus watcher and
// poller of github.com/fluxcd/cli-utils in their best configuration, in the
// same run and in turns, and beside plain client-go Reflectors, which are the floor
// under what anybody who follows these objects takes. It prints a table with ratios,
// and the same as JSON with -json.
//
// Controllers are stopped, so that only what the benchmark patches moves. All
// processes are measured from outside: time from the start of the process to
// what stands on the emulated screen (or comes out of the peer), processor time
// and memory from /proc, requests from the API server's audit log, bytes from a
// counting proxy. An event is a Deployment that loses one available replica, or
// gets it back; its latency runs from the moment the API server has answered
// the patch.
//
// The jobs differ: the program shows a tree of everything down to the Pods and
// keeps it up to date, the peers report the applied objects alone.
package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

var (
	sizes = flag.String("sizes", "1000",
		"numbers of Pods to measure with, with commas; the first time at a size its objects are written, which takes a minute for 50000")
	runs   = flag.Int("runs", 3, "how often each is started; the table has medians")
	events = flag.Int("events", 200, "how many events to time in each run (the poller gets ten)")
	keys   = flag.Int("keys", 300, "how many keys to time in each run")
	rolled = flag.Int("rollouts", 100, "how many Deployments to roll out in each run")
	idle   = flag.Duration("idle", 20*time.Second, "how long to look at the idle process")
	floor  = flag.Bool("floor", true,
		"measure plain client-go Reflectors on the same objects too: the floor under what following them takes")
	peers  = flag.Bool("peers", true, "measure the peers too (up to 10,000 Pods)")
	asJSON = flag.String("json", "", "write the results to this `file` too")
)

// Result is the measurement of one run of one tool. Times are in milliseconds,
// memory and traffic in MB (10^6 bytes), processor use in percent of a core.
// Values that a tool does not have are absent. Stolen is the share of all cores
// that the host of a virtual machine gave to others during the first sync: with
// much of it the times say little.
type Result struct {
	Tool             string  `json:"tool"`
	Pods             int     `json:"pods"`
	Deployments      int     `json:"deployments"`
	PodBytes         int     `json:"podBytes"` // mean size of a Pod as JSON
	FirstRow         float64 `json:"firstRowMs"`
	Everything       float64 `json:"everythingMs"`
	CPUToEverything  float64 `json:"cpuToEverythingMs"`
	ServerCPU        float64 `json:"serverCPUToEverythingMs"` // the API server's, meanwhile
	Stolen           float64 `json:"stolenToEverythingPercent"`
	FirstPeak        float64 `json:"peakToEverythingMB"`
	Peak             float64 `json:"peakMB"`
	Steady           float64 `json:"steadyMB"`
	IdleCPU          float64 `json:"idleCPUPercent"`
	EventP50         float64 `json:"eventP50Ms,omitempty"`
	EventP99         float64 `json:"eventP99Ms,omitempty"`
	Events           int     `json:"events"`
	EventsMissed     int     `json:"eventsMissed"` // not shown within the time given
	KeyP50           float64 `json:"keyP50Ms,omitempty"`
	KeyP99           float64 `json:"keyP99Ms,omitempty"`
	Requests         int     `json:"requestsToEverything"`
	ListsOfChildren  int     `json:"listsOfChildren"` // LISTs of Pods, ReplicaSets and EndpointSlices
	RequestsIdle     float64 `json:"requestsIdlePerMinute"`
	ReceivedToAll    float64 `json:"receivedToEverythingMB"`
	ReceivedPerEvent float64 `json:"receivedPerEventKB"`

	// A rollout of many Deployments at once, until it has been shown
	// completely.
	RolloutPods     int     `json:"rolloutPods,omitempty"`
	RolloutTook     float64 `json:"rolloutMs,omitempty"`
	RolloutCPU      float64 `json:"rolloutCPUMs,omitempty"`
	RolloutRequests int     `json:"rolloutRequests"`
	RolloutLists    int     `json:"rolloutListsOfChildren"`
	RolloutReceived float64 `json:"rolloutReceivedMB,omitempty"`
}

func main() {
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "kstatus-tui-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs := filepath.SplitList(os.Getenv("KSTATUS_TUI_BIN")) // more than one to compare them
	if len(programs) == 0 {
		program := filepath.Join(dir, "kstatus-tui")
		if err := goBuild(ctx, filepath.Join("..", ".."), program, "./cmd/kstatus-tui"); err != nil {
			return err
		}
		programs = append(programs, program)
	}
	peer := filepath.Join(dir, "peers")
	if *peers || *floor {
		if err := goBuild(ctx, filepath.Join("bench", "peers"), peer, "."); err != nil {
			return err
		}
	}
	var all []Result
	for size := range strings.SplitSeq(*sizes, ",") {
		pods, err := strconv.Atoi(strings.TrimSpace(size))
		if err != nil {
			return fmt.Errorf("-sizes: %w", err)
		}
		results, err := measure(ctx, dir, programs, peer, pods)
		all = append(all, results...)
		if err != nil {
			return err
		}
		printTable(os.Stdout, results)
	}
	if *asJSON == "" {
		return nil
	}
	text, err := json.MarshalIndent(
		map[string]any{
			"cores": runtime.NumCPU(), "goVersion": runtime.Version(),
			"kubernetes": cluster.KubernetesVersion, "results": all,
		}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(*asJSON, append(text, '\n'), 0o644)
}

// goBuild builds a program in a module other than this one.
func goBuild(ctx context.Context, dir, to, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, pkg)
	cmd.Dir, cmd.Stderr, cmd.Env = dir, os.Stderr, append(os.Environ(), "CGO_ENABLED=0")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build %s in %s: %w", pkg, dir, err)
	}
	return nil
}

// objects returns a folder with the data of a cluster that holds so many
// Deployments. They are written once.
func objects(ctx context.Context, sets, each int) (string, error) {
	cache, err := cluster.CacheDir()
	if err != nil {
		return "", err
	}
	written := sha256.Sum256(append(generatorSource, cloneSource...))
	data := filepath.Join(cache, "bench",
		fmt.Sprintf("%dx%d-%s-%x", sets, each, cluster.KubernetesVersion, written[:4]))
	if _, err := os.Stat(data); err == nil {
		return data, nil
	}
	if err := os.MkdirAll(filepath.Dir(data), 0o755); err != nil {
		return "", err
	}
	s := &scene{sets: sets, each: each}
	if err := s.start(ctx, ""); err != nil {
		return "", err
	}
	defer s.cluster.Stop()
	fmt.Fprintf(os.Stderr,
		"writing %d Pods under %d Deployments; the next time they will be there …\n", sets*each, sets)
	if err := s.generator.fill(ctx, s.cluster.Etcd(), sets, each); err != nil {
		return "", fmt.Errorf("write the objects: %w", err)
	}
	return data, s.cluster.Save(data)
}

var (
	//go:embed generate.go
	generatorSource []byte
	//go:embed clone.go
	cloneSource []byte
)

func (s *scene) start(ctx context.Context, data string) (err error) {
	if s.cluster, err = cluster.Start(ctx,
		cluster.Options{Progress: os.Stderr, WithoutControllers: true, Data: data}); err != nil {
		return err
	}
	config, err := s.cluster.Config(cluster.Admin)
	if err == nil {
		s.generator, err = newGenerator(config, "bench", s.sets)
	}
	if err != nil {
		s.cluster.Stop()
	}
	return err
}

// scene is what all runs of one size share.
type scene struct {
	cluster    *cluster.Cluster
	generator  *generator
	dir        string
	manifest   string
	sets, each int
	podBytes   int
}

// measure runs all tools at one size.
func measure(ctx context.Context, dir string, programs []string, peer string, pods int) ([]Result, error) {
	s := &scene{dir: dir, each: 20}
	if pods > 1000 {
		s.each = 10
	}
	s.sets = max(1, pods/s.each)
	began := time.Now()
	data, err := objects(ctx, s.sets, s.each)
	if err != nil {
		return nil, err
	}
	if err := s.start(ctx, data); err != nil {
		return nil, err
	}
	defer s.cluster.Stop()
	if s.podBytes, err = s.generator.warm(ctx); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%d Pods of %d bytes are served after %s\n",
		s.sets*s.each, s.podBytes, time.Since(began).Round(time.Second))
	s.manifest = filepath.Join(dir, fmt.Sprintf("manifest-%d.yaml", pods))
	var text strings.Builder
	for i := range s.sets {
		for _, kind := range []string{"apps/v1 Deployment", "v1 Service", "v1 ConfigMap"} {
			version, kind, _ := strings.Cut(kind, " ")
			fmt.Fprintf(&text, "---\napiVersion: %s\nkind: %s\nmetadata: {name: %s}\n", version, kind, setName(i))
		}
	}
	if err := os.WriteFile(s.manifest, []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	type tool struct {
		name string
		run  func(context.Context) (Result, error)
	}
	var tools []tool
	for _, program := range programs {
		tools = append(tools, tool{filepath.Base(program), func(ctx context.Context) (Result, error) {
			return s.ours(ctx, program)
		}})
	}
	if *floor {
		tools = append(tools, tool{"client-go alone", func(ctx context.Context) (Result, error) {
			return s.peer(ctx, peer, "reflectors")
		}})
	}
	if *peers && pods <= 10000 {
		for _, mode := range []string{"watcher", "poller"} {
			tools = append(tools, tool{"kstatus " + mode, func(ctx context.Context) (Result, error) {
				return s.peer(ctx, peer, mode)
			}})
		}
	}
	samples := map[string][]Result{}
	for i := range *runs {
		for _, t := range tools {
			fmt.Fprintf(os.Stderr, "run %d of %d: %s\n", i+1, *runs, t.name)
			r, err := t.run(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
			fmt.Fprintf(os.Stderr,
				"  everything after %.2f s, for %.2f s of CPU and %.2f of the API server's, %.0f MB; %.0f %% of the cores were others'\n",
				r.Everything/1000, r.CPUToEverything/1000, r.ServerCPU/1000, r.FirstPeak, r.Stolen)
			r.Tool, r.Pods, r.Deployments, r.PodBytes = t.name, s.sets*s.each, s.sets, s.podBytes
			samples[t.name] = append(samples[t.name], r)
		}
	}
	var results []Result
	for _, t := range tools {
		results = append(results, median(samples[t.name]))
	}
	return results, nil
}
