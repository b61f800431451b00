// Command soak lets dashboards follow a busy cluster for a long time while
// everything goes wrong that may, and holds what they show against what is so.
//
// A control plane of its own runs a fleet of Deployments and StatefulSets (kwok
// plays their nodes), which is changed fifty times a second. Two dashboards
// follow all of it and two a handful of sentinels, one of each over HTTP/2 and
// one over HTTP/1.1, through proxies that spoil answers; the API server and etcd
// are killed, frozen and made slow, histories compacted, rights and kinds taken
// away, clocks set. Once a minute all of that pauses until what the dashboards
// have followed is what one reads that begins then, and what a plain list holds.
//
// Every frame is held against what is known of the sentinels: the program breaks
// and heals them itself, so it knows since when each of them cannot be Current.
//
// The faults are repeated by -seed; the moments at which they meet what the
// cluster does are not.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/proxy"
)

const namespace = "soak"

var (
	bin = flag.String("bin", "",
		"the `program` that follows, its clock left alone; by default one is built whose clock can be set")
	duration = flag.Duration("duration", time.Hour, "for how long")
	pods     = flag.Int("pods", 2000, "how many Pods there are")
	rate     = flag.Int("rate", 50, "changes a second")
	seed     = flag.Uint64("seed", 0, "which faults happen; 0 takes a new one")
	evidence = flag.String("evidence", "", "the `folder` for what was found, a temporary one by default")
)

func main() {
	flag.Parse()
	klog.SetLogger(logr.Discard()) // failing requests are expected here
	if *seed == 0 {
		*seed = rand.Uint64N(1 << 32)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	ok, err := run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// soak is one run.
type soak struct {
	cluster    *cluster.Cluster
	dashboards []*dashboard
	fleet      *fleet
	sentinels  *sentinels
	faults     *faults
	findings   *findings
	manifest   string // of all followed objects
	began      time.Time
}

func run(ctx context.Context) (ok bool, err error) {
	if *evidence == "" {
		*evidence, err = os.MkdirTemp("", "soak-")
	} else {
		err = os.MkdirAll(*evidence, 0o755)
	}
	if err != nil {
		return false, err
	}
	own := *bin == ""
	if own {
		*bin, err = buildStepped(ctx, *evidence)
	} else {
		*bin, err = filepath.Abs(*bin)
	}
	if err != nil {
		return false, err
	}
	fmt.Printf("repeat it with -seed %d; what is found is kept in %s\n", *seed, *evidence)
	s := &soak{findings: &findings{folder: *evidence}}
	if s.cluster, err = cluster.Start(ctx, cluster.Options{Progress: os.Stderr, Nodes: 8}); err != nil {
		return false, err
	}
	defer s.cluster.Stop()
	if err := s.fill(ctx); err != nil {
		return false, fmt.Errorf("make the objects: %w", err)
	}
	if err := s.open(ctx, own); err != nil {
		return false, err
	}
	defer func() {
		for _, d := range s.dashboards {
			d.quits.Store(true)
			d.term.Close()
		}
	}()
	s.began = time.Now()
	end := s.began.Add(*duration)
	t := &table{}
	for minute := 1; time.Now().Before(end) && ctx.Err() == nil &&
		!slices.ContainsFunc(s.dashboards, (*dashboard).ended); minute++ {
		round := t.begin(ctx, s)
		s.busy(ctx, min(45*time.Second, time.Until(end)), minute)
		if ctx.Err() != nil {
			break
		}
		round.busyUntil(time.Now())
		if names, err := s.cluster.Revive(); err != nil {
			return false, err
		} else if len(names) > 0 {
			s.findings.happened("started again: %s", strings.Join(names, ", "))
		}
		round.rested, round.differences = s.compare(ctx, minute)
		t.end(ctx, s, round)
	}
	t.summary(s)
	for _, d := range s.dashboards {
		if err := d.quit(); err != nil && ctx.Err() == nil {
			s.findings.add("", "%s does not end: %v", d.name, err)
		}
	}
	s.findings.print()
	if ctx.Err() != nil {
		return false, errors.New("interrupted")
	}
	return s.findings.count() == 0, nil
}

// busy makes changes and injects faults for a while. Nothing is left when it
// returns.
func (s *soak) busy(ctx context.Context, d time.Duration, minute int) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	s.faults.resume(ctx, uint64(minute))
	s.sentinels.resume(ctx)
	s.fleet.change(ctx)
	<-ctx.Done()
	s.sentinels.pause()
	s.faults.pause()
}

// open starts the proxies and the dashboards, and waits until they have read
// everything.
func (s *soak) open(ctx context.Context, clocks bool) error {
	ca, err := os.ReadFile(filepath.Join(s.cluster.Dir(), "ca.crt"))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	own, err := tls.LoadX509KeyPair(filepath.Join(s.cluster.Dir(), "server.crt"),
		filepath.Join(s.cluster.Dir(), "server.key"))
	if err != nil {
		return err
	}
	s.faults = &faults{cluster: s.cluster, fleet: s.fleet}
	for _, http1 := range []bool{false, true} {
		p, err := proxy.NewChaos(s.cluster.Address(), roots, own, http1)
		if err != nil {
			return err
		}
		way := &way{chaos: p, name: map[bool]string{false: "h2", true: "h1"}[http1]}
		if clocks {
			way.clock = filepath.Join(*evidence, way.name+".clock")
		}
		s.faults.ways = append(s.faults.ways, way)
		for _, what := range []struct{ name, manifest string }{{"fleet", s.manifest}, {"sentinels", s.sentinels.file}} {
			d, err := newDashboard(what.name+"/"+way.name, s, way, what.manifest)
			if err != nil {
				return err
			}
			s.dashboards = append(s.dashboards, d)
		}
	}
	for _, d := range s.dashboards {
		if screen, err := d.term.Wait(5*time.Minute, live); err != nil {
			return fmt.Errorf("%s is not live: %w\n%s", d.name, err, screen)
		}
	}
	return nil
}
