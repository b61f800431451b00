package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/proxy"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// patience is how long a tool may take for a step before it counts as missed.
const patience = 3 * time.Minute

// subject is a running tool: its process, its usage so far, and how to observe
// what it shows.
type subject struct {
	s       *scene
	pid     int
	began   time.Time
	mark    cluster.Mark
	traffic *proxy.Counter
	// the API server's CPU time and the stolen time at the start
	server, stolen time.Duration
	// shown arms a watch for the moment when the tool shows that a Deployment
	// lacks a replica (or no longer does), and returns where it will be told.
	shown func(deployment string, missing bool) <-chan time.Time
}

// begin notes the state before a tool is started.
func (s *scene) begin(traffic *proxy.Counter) *subject {
	return &subject{
		s: s, traffic: traffic, mark: s.cluster.Mark(), server: cpu(s.cluster.PID("kube-apiserver")),
		stolen: stolen(), began: time.Now(),
	}
}

// settle measures the first sync and idling.
func (x *subject) settle(ctx context.Context, r *Result) error {
	r.CPUToEverything = milliseconds(cpu(x.pid))
	_, r.FirstPeak = memory(x.pid)
	r.ServerCPU = milliseconds(cpu(x.s.cluster.PID("kube-apiserver")) - x.server)
	r.Stolen = 100 * milliseconds(stolen()-x.stolen) / r.Everything / float64(runtime.NumCPU())
	r.ReceivedToAll = float64(x.traffic.Received()) / 1e6
	if err := x.requests(x.mark, func(n, lists int) { r.Requests, r.ListsOfChildren = n, lists }); err != nil {
		return err
	}
	// Let the garbage of the start be collected before idling is measured.
	if err := pause(ctx, 3*time.Second); err != nil {
		return err
	}
	before, mark, began := cpu(x.pid), x.s.cluster.Mark(), time.Now()
	if err := pause(ctx, *idle); err != nil {
		return err
	}
	took := time.Since(began)
	r.IdleCPU = 100 * float64(cpu(x.pid)-before) / float64(took)
	r.Steady, _ = memory(x.pid)
	return x.requests(mark, func(n, _ int) { r.RequestsIdle = float64(n) / took.Minutes() })
}

func (x *subject) requests(since cluster.Mark, tell func(n, listsOfChildren int)) error {
	requests, err := x.s.cluster.Requests(since, cluster.ReadOnly)
	if err != nil {
		return err
	}
	lists := 0
	for _, r := range requests {
		if r.Verb == "list" && r.Group != "metrics.k8s.io" &&
			(r.Resource == "pods" || r.Resource == "replicasets" || r.Resource == "endpointslices") {
			lists++
		}
	}
	tell(len(requests), lists)
	return nil
}

// react measures how long changes in the cluster take to be shown.
func (x *subject) react(ctx context.Context, r *Result, n int, within time.Duration) error {
	received := x.traffic.Received()
	var took []time.Duration
	for k := range n {
		i, missing := k/2%x.s.sets, 1-k%2
		shown := x.shown(setName(i), missing == 1)
		if err := x.s.generator.available(ctx, i, x.s.each, missing); err != nil {
			return err
		}
		answered := time.Now()
		select {
		case at := <-shown:
			took = append(took, max(0, at.Sub(answered)))
		case <-time.After(within):
			r.EventsMissed++
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r.Events = n
	r.EventP50, r.EventP99 = percentile(took, 50), percentile(took, 99)
	r.ReceivedPerEvent = float64(x.traffic.Received()-received) / float64(n) / 1e3
	return nil
}

// roll measures a rollout, from its first change until one after its last has
// been shown.
func (x *subject) roll(ctx context.Context, r *Result, within time.Duration) error {
	n := min(*rolled, x.s.sets)
	if n == 0 {
		return nil
	}
	before, received, mark, began := cpu(x.pid), x.traffic.Received(), x.s.cluster.Mark(), time.Now()
	if err := each(ctx, n, func(ctx context.Context, i int) error {
		return x.s.generator.rollout(ctx, i, x.s.each)
	}); err != nil {
		return fmt.Errorf("roll out: %w", err)
	}
	last := x.s.sets - 1
	for missing := 1; missing >= 0; missing-- {
		shown := x.shown(setName(last), missing == 1)
		if err := x.s.generator.available(ctx, last, x.s.each, missing); err != nil {
			return err
		}
		select {
		case <-shown:
		case <-time.After(within):
			r.EventsMissed++
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r.RolloutPods = n * x.s.each
	r.RolloutTook = milliseconds(time.Since(began))
	r.RolloutCPU = milliseconds(cpu(x.pid) - before)
	r.RolloutReceived = float64(x.traffic.Received()-received) / 1e6
	return x.requests(mark, func(n, lists int) { r.RolloutRequests, r.RolloutLists = n, lists })
}

// ours runs the program on a screen.
func (s *scene) ours(ctx context.Context, program string) (r Result, err error) {
	traffic, err := proxy.NewCounter(s.cluster.Address())
	if err != nil {
		return r, err
	}
	defer traffic.Close()
	home, err := os.MkdirTemp(s.dir, "home-")
	if err != nil {
		return r, err
	}
	eye := &eye{}
	x := s.begin(traffic)
	first := eye.sees(func(screen terminal.Screen) bool { return progress(screen, currentCount) > 0 })
	term, err := terminal.Start(terminal.Options{
		Command: program,
		Args: []string{
			"--server", "https://" + traffic.Address(), "-n", "bench",
			"--children=all", "-f", s.manifest,
		},
		Env: []string{"HOME=" + home, "KUBECONFIG=" + s.cluster.Kubeconfig(cluster.ReadOnly)},
		OnScreen: func(screen terminal.Screen) {
			eye.look(screen)
		},
	})
	if err != nil {
		return r, err
	}
	defer term.Close()
	x.pid = term.PID()
	at, err := await(ctx, first)
	if err != nil {
		return r, fmt.Errorf("the first row: %w; the screen:\n%s", err, term.Screen())
	}
	r.FirstRow = milliseconds(at.Sub(x.began))
	// Below the applied objects: a ReplicaSet and the Pods of each Deployment,
	// an EndpointSlice of each Service.
	known := s.sets * (3 + s.each + 2)
	everything := eye.sees(func(screen terminal.Screen) bool {
		return progress(screen, knownCount) >= known && progress(screen, currentCount) == 3*s.sets &&
			screen.Has("● live")
	})
	eye.look(term.Screen())
	if at, err = await(ctx, everything); err != nil {
		return r, fmt.Errorf("everything: %w; the screen:\n%s", err, term.Screen())
	}
	r.Everything = milliseconds(at.Sub(x.began))
	if err := x.settle(ctx, &r); err != nil {
		return r, err
	}
	x.shown = func(deployment string, missing bool) <-chan time.Time {
		return eye.sees(func(screen terminal.Screen) bool {
			return (screen.Line("deploy/"+deployment+" ", "◌") != "") == missing
		})
	}
	if err := x.react(ctx, &r, *events, 5*time.Second); err != nil {
		return r, err
	}
	if err := pressKeys(ctx, term, eye, &r); err != nil {
		return r, err
	}
	if err := x.roll(ctx, &r, 5*time.Second); err != nil {
		return r, err
	}
	_, r.Peak = memory(x.pid)
	if err := term.Type("q"); err != nil {
		return r, err
	}
	_, err = term.Exit(5 * time.Second)
	return r, err
}

// pressKeys moves the selection up and down, once the rows are visible again
// that the events have folded (Current siblings are folded while something is
// not Current).
func pressKeys(ctx context.Context, term *terminal.Terminal, eye *eye, r *Result) error {
	unfolded := eye.sees(func(screen terminal.Screen) bool { return screen.Has(" cm/") && screen.Has("✓ DONE") })
	eye.look(term.Screen())
	if _, err := await(ctx, unfolded); err != nil {
		return fmt.Errorf("before the keys: %w; the screen:\n%s", err, term.Screen())
	}
	var took []time.Duration
	for k := range *keys {
		before := term.Screen().Line("▌")
		moved := eye.sees(func(screen terminal.Screen) bool {
			line := screen.Line("▌")
			return line != "" && line != before
		})
		key := "j"
		if k%20 >= 10 {
			key = "k"
		}
		pressed := time.Now()
		if err := term.Type(key); err != nil {
			return err
		}
		at, err := await(ctx, moved)
		if err != nil {
			return fmt.Errorf("key %q: %w; the screen:\n%s", key, err, term.Screen())
		}
		took = append(took, at.Sub(pressed))
	}
	r.KeyP50, r.KeyP99 = percentile(took, 50), percentile(took, 99)
	return nil
}

var (
	currentCount = regexp.MustCompile(`([0-9,]+)/[0-9,]+ Current`)
	knownCount   = regexp.MustCompile(` of ([0-9,]+) objects`) // rows shown of objects known, below the tree
)

// progress reads a counter off the screen, 0 where there is none.
func progress(screen terminal.Screen, counter *regexp.Regexp) int {
	for _, line := range screen.Lines {
		if m := counter.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
			return n
		}
	}
	return 0
}

// eye waits for one screen at a time, in the goroutine that reads the screen,
// so that the time is exact.
type eye struct {
	mu   sync.Mutex
	want func(terminal.Screen) bool
	tell chan<- time.Time
}

// sees arms the eye; the channel holds one moment and is never closed.
func (e *eye) sees(want func(terminal.Screen) bool) <-chan time.Time {
	tell := make(chan time.Time, 1)
	e.mu.Lock()
	e.want, e.tell = want, tell
	e.mu.Unlock()
	return tell
}

func (e *eye) look(screen terminal.Screen) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.want != nil && e.want(screen) {
		e.tell <- screen.At
		e.want = nil
	}
}

// peer runs the kstatus watcher or poller, or plain Reflectors.
func (s *scene) peer(ctx context.Context, program, mode string) (r Result, err error) {
	traffic, err := proxy.NewCounter(s.cluster.Address())
	if err != nil {
		return r, err
	}
	defer traffic.Close()
	x := s.begin(traffic)
	cmd := exec.CommandContext(ctx, program, "-mode", mode, "-kubeconfig", s.cluster.Kubeconfig(cluster.ReadOnly),
		"-server", "https://"+traffic.Address(), "-namespace", "bench", "-deployments", strconv.Itoa(s.sets))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	x.pid = cmd.Process.Pid
	ear := &ear{}
	first := ear.hears("first")
	go ear.listen(out)
	at, err := await(ctx, first)
	if err != nil {
		return r, fmt.Errorf("the first status: %w", err)
	}
	r.FirstRow = milliseconds(at.Sub(x.began))
	if at, err = await(ctx, ear.hears("all")); err != nil {
		return r, fmt.Errorf("everything: %w", err)
	}
	r.Everything = milliseconds(at.Sub(x.began))
	if err := x.settle(ctx, &r); err != nil {
		return r, err
	}
	x.shown = func(deployment string, missing bool) <-chan time.Time {
		word := "Current"
		if missing {
			word = "InProgress"
		}
		return ear.hears("status Deployment " + deployment + " " + word)
	}
	n, within := *events, 5*time.Second
	if mode == "poller" {
		n, within = min(n, 10), 30*time.Second
	}
	if err := x.react(ctx, &r, n, within); err != nil {
		return r, err
	}
	if err := x.roll(ctx, &r, within); err != nil {
		return r, err
	}
	_, r.Peak = memory(x.pid)
	return r, nil
}

// ear collects a peer's output and waits for one line at a time.
type ear struct {
	mu     sync.Mutex
	seenAt map[string]time.Time
	want   string
	tell   chan<- time.Time
}

// hears arms the ear for a line. "first" and "all" may have come already;
// statuses count from now on.
func (e *ear) hears(line string) <-chan time.Time {
	tell := make(chan time.Time, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.want, e.tell = line, tell
	if at, ok := e.seenAt[line]; ok {
		tell <- at
		e.want = ""
	}
	return tell
}

func (e *ear) listen(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		at, line := time.Now(), lines.Text()
		e.mu.Lock()
		if e.want == line {
			e.tell <- at
			e.want = ""
		}
		if !strings.HasPrefix(line, "status ") {
			if e.seenAt == nil {
				e.seenAt = map[string]time.Time{}
			}
			e.seenAt[line] = at
		}
		e.mu.Unlock()
	}
}

func await(ctx context.Context, moment <-chan time.Time) (time.Time, error) {
	select {
	case at := <-moment:
		return at, nil
	case <-time.After(patience):
		return time.Time{}, errors.New("not within " + patience.String())
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func percentile(took []time.Duration, p int) float64 {
	if len(took) == 0 {
		return 0
	}
	took = slices.Sorted(slices.Values(took))
	return milliseconds(took[min(len(took)-1, len(took)*p/100)])
}
