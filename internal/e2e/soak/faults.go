package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/proxy"
)

// way is one of the two routes to the API server.
type way struct {
	chaos *proxy.Chaos
	name  string
	clock string // the file that sets the clock of its dashboards, "" where nothing does

	mu     sync.Mutex
	active int       // number of active faults
	ended  time.Time // end of the last one
}

// late reports whether a frame that claims to be live must show a change since
// the given time.
func (w *way) late(since, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	calm := since
	if w.ended.After(since) {
		calm = w.ended
	}
	return now.Sub(since) > silently || w.active == 0 && now.Sub(calm) > calmly
}

func (w *way) spoilt(by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active += by
	w.ended = time.Now()
}

// faults injects the faults.
type faults struct {
	cluster *cluster.Cluster
	fleet   *fleet
	ways    []*way
	idle    sync.WaitGroup

	mu    sync.Mutex
	count map[string]int
}

// A mishap is one thing that goes wrong for a while: begin makes it so, and
// returns what ends it.
type mishap struct {
	name  string
	begin func(context.Context, *rand.Rand) (end func() error, err error)
}

// resume injects faults until ctx ends: one at a time in the cluster, and one
// on each way. pause waits until all of them have ended.
func (f *faults) resume(ctx context.Context, round uint64) {
	f.idle.Go(func() { f.series(ctx, rand.New(rand.NewPCG(*seed, 100+round)), "cluster", f.ways, f.inCluster()) })
	for i, w := range f.ways {
		rnd := rand.New(rand.NewPCG(*seed, 10000*uint64(i+1)+round))
		f.idle.Go(func() { f.series(ctx, rnd, w.name, []*way{w}, f.on(w)) })
	}
}

func (f *faults) pause() { f.idle.Wait() }

func (f *faults) series(ctx context.Context, rnd *rand.Rand, where string, hurts []*way, all []mishap) {
	rest := func(d time.Duration) {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
	}
	for {
		rest(time.Duration(1000+rnd.IntN(5000)) * time.Millisecond)
		if ctx.Err() != nil {
			return
		}
		m, lasts := all[rnd.IntN(len(all))], time.Duration(500+rnd.IntN(14500))*time.Millisecond
		f.fleet.findings.happened("%s: %s for %s", where, m.name, lasts)
		for _, w := range hurts {
			w.spoilt(1)
		}
		// A fault that has begun is ended even after the time is over.
		whole := context.WithoutCancel(ctx)
		end, err := m.begin(whole, rnd)
		if err == nil {
			rest(lasts)
			err = f.insist(end)
		}
		for _, w := range hurts {
			w.spoilt(-1)
		}
		f.mu.Lock()
		if f.count == nil {
			f.count = map[string]int{}
		}
		f.count[where+" "+m.name]++
		f.mu.Unlock()
		if err != nil {
			f.fleet.findings.add("", "the harness cannot put right %s on %s: %v", m.name, where, err)
			return
		}
		f.fleet.findings.happened("%s: %s is over", where, m.name)
	}
}

// insist repeats end until it succeeds.
func (f *faults) insist(end func() error) (err error) {
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(time.Second) {
		if err = end(); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// total is how many things have gone wrong.
func (f *faults) total() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.count {
		n += c
	}
	return n
}

// on are the mishaps of a way.
func (f *faults) on(w *way) []mishap {
	resources := []string{
		"deployments", "statefulsets", "replicasets", "pods", "services",
		"endpointslices", "configmaps", "crates", "",
	}
	injected := func(name string, make func(*rand.Rand) proxy.Fault) mishap {
		return mishap{name, func(_ context.Context, rnd *rand.Rand) (func() error, error) {
			fault, on := make(rnd), "/"+resources[rnd.IntN(len(resources))]
			fault.Match = func(r *http.Request) bool {
				return strings.Contains(r.URL.Path, "/namespaces/") && strings.Contains(r.URL.Path, on)
			}
			lift := w.chaos.Inject(fault)
			return func() error {
				lift()
				w.chaos.Break() // answers in progress keep their faults
				return nil
			}, nil
		}}
	}
	mishaps := []mishap{
		injected("cut", func(rnd *rand.Rand) proxy.Fault {
			return proxy.Fault{Reset: time.Duration(200+rnd.IntN(3000)) * time.Millisecond}
		}),
		injected("refuse", func(rnd *rand.Rand) proxy.Fault {
			return proxy.Fault{
				Status: []int{401, 403, 410, 429, 500, 502, 503, 504}[rnd.IntN(8)], RetryAfter: rnd.IntN(3),
			}
		}),
		injected("no bookmarks", func(*rand.Rand) proxy.Fault { return proxy.Fault{NoBookmarks: true} }),
		injected("hang", func(*rand.Rand) proxy.Fault { return proxy.Fault{Hang: true} }),
		injected("stall", func(rnd *rand.Rand) proxy.Fault { return proxy.Fault{Stall: 100 + rnd.IntN(20000)} }),
		injected("delay", func(*rand.Rand) proxy.Fault { return proxy.Fault{Delay: 200 * time.Millisecond} }),
		injected("drip", func(*rand.Rand) proxy.Fault { return proxy.Fault{Slice: true} }),
		injected("duplicate", func(*rand.Rand) proxy.Fault { return proxy.Fault{Duplicate: true} }),
		injected("garble", func(rnd *rand.Rand) proxy.Fault { return proxy.Fault{Garble: 1 + rnd.IntN(20)} }),
		injected("the server's clock", func(rnd *rand.Rand) proxy.Fault {
			return proxy.Fault{Clock: []time.Duration{-time.Hour, time.Hour}[rnd.IntN(2)]}
		}),
		{"silence", func(context.Context, *rand.Rand) (func() error, error) {
			end := w.chaos.Silence()
			return func() error { end(); return nil }, nil
		}},
		{"cut all", func(context.Context, *rand.Rand) (func() error, error) {
			w.chaos.Break()
			return func() error { return nil }, nil
		}},
	}
	if w.clock != "" {
		mishaps = append(mishaps,
			mishap{"the program's clock", func(_ context.Context, rnd *rand.Rand) (func() error, error) {
				by := []time.Duration{-time.Hour, time.Hour}[rnd.IntN(2)]
				return func() error { return stepClock(w.clock, 0) }, stepClock(w.clock, by)
			}})
	}
	return mishaps
}

// inCluster are the faults that affect all dashboards.
func (f *faults) inCluster() []mishap {
	c := f.cluster
	ready := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		return c.WaitReady(ctx)
	}
	start := func() error {
		if c.PID("kube-apiserver") != 0 {
			return ready()
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		return c.StartAPIServer(ctx)
	}
	startEtcd := func() error {
		if c.PID("etcd") == 0 {
			if err := c.StartEtcd(); err != nil {
				return err
			}
		}
		return ready()
	}
	allow := func(ctx context.Context, verbs ...string) error {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		return c.AllowIn(ctx, namespace, cluster.Namespaced, verbs...)
	}
	whole := func() error { return allow(context.Background(), "get", "list", "watch") }
	return []mishap{
		{"the API server is killed", func(context.Context, *rand.Rand) (func() error, error) {
			c.StopAPIServer()
			return start, nil
		}},
		{"the API server is frozen", func(context.Context, *rand.Rand) (func() error, error) {
			return func() error { _ = c.ThawAPIServer(); return ready() }, c.FreezeAPIServer()
		}},
		{"etcd is killed", func(context.Context, *rand.Rand) (func() error, error) {
			c.StopEtcd()
			return startEtcd, nil
		}},
		{"etcd is frozen", func(context.Context, *rand.Rand) (func() error, error) {
			return func() error { _ = c.ThawEtcd(); return ready() }, c.FreezeEtcd()
		}},
		{"etcd is slow", func(context.Context, *rand.Rand) (func() error, error) {
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for {
					_ = c.FreezeEtcd()
					time.Sleep(250 * time.Millisecond)
					_ = c.ThawEtcd()
					select {
					case <-stop:
						return
					case <-time.After(100 * time.Millisecond):
					}
				}
			}()
			end := sync.OnceFunc(func() { close(stop); <-stopped })
			return func() error { end(); return ready() }, nil
		}},
		// Streams cannot be resumed: 410.
		{"the history is compacted", func(ctx context.Context, _ *rand.Rand) (func() error, error) {
			c.StopAPIServer()
			return start, c.Compact(ctx)
		}},
		{"rights are taken away", func(ctx context.Context, _ *rand.Rand) (func() error, error) {
			return whole, f.insist(func() error { return c.Forbid(ctx, namespace, cluster.Namespaced) })
		}},
		{"rights are reduced", func(ctx context.Context, rnd *rand.Rand) (func() error, error) {
			verbs := [][]string{{"get"}, {"list"}, {"get", "list"}}[rnd.IntN(3)]
			return whole, allow(ctx, verbs...)
		}},
		{"the kind Crate is taken away", func(ctx context.Context, _ *rand.Rand) (func() error, error) {
			return func() error { return f.serve() }, f.insist(func() error { return c.Delete(ctx, "", crate) })
		}},
	}
}

// serve defines the kind that comes and goes, and creates its objects. A
// definition created while its predecessor is being deleted is deleted with it.
func (f *faults) serve() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := f.cluster.Apply(ctx, "", crate); err != nil {
		return err
	}
	for i := range crates {
		if err := f.cluster.Apply(ctx, namespace, crateOf(i)); err != nil {
			return fmt.Errorf("make a Crate: %w", err)
		}
	}
	return nil
}
