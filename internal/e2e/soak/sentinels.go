package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

const sentinelCount = 8

// drawn is how long a screen must be unchanged: before, a frame may be
// incomplete.
const drawn = 250 * time.Millisecond

// How long a frame that claims to be live may be behind the truth.
const (
	// calmly is the limit without a fault. A moment is promised; the machine
	// may be busy.
	calmly = 30 * time.Second
	// silently is the limit for a proxy that passes nothing on and keeps its
	// connections: missing bookmarks reveal that within 90 s (docs/internals/faults.md,
	// R2).
	silently = 105 * time.Second
)

// sentinels are Deployments that only this program changes: it knows since when
// each of them cannot be Current.
type sentinels struct {
	soak *soak
	file string
	rnd  *rand.Rand
	idle sync.WaitGroup

	mu  sync.Mutex
	all [sentinelCount]sentinel
}

type sentinel struct {
	broken  bool
	since   time.Time // when the API server had confirmed that
	how     string
	next    time.Time // when it is to change
	changes int       // how often it did
	// doubted are the dashboards that show it wrongly, and since when; reported
	// those that have been reported.
	doubted  map[string]time.Time
	reported map[string]bool
}

func newSentinels(s *soak) *sentinels {
	return &sentinels{soak: s, rnd: rand.New(rand.NewPCG(*seed, 3))}
}

func sentinelName(i int) string { return fmt.Sprintf("sentinel-%d", i) }

func (s *sentinels) manifest() string {
	var b strings.Builder
	for i := range sentinelCount {
		b.WriteString(deployment(sentinelName(i), "app:0", "", 2))
	}
	return b.String()
}

// resume breaks and heals them until ctx ends; pause waits for the last change.
func (s *sentinels) resume(ctx context.Context) {
	s.idle.Go(func() {
		for ctx.Err() == nil {
			for i := range s.all {
				if time.Now().After(s.all[i].next) && s.turn(ctx, i) != nil {
					return
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	})
}

func (s *sentinels) pause() { s.idle.Wait() }

// turn breaks or heals a sentinel. Until that is confirmed its state is
// unknown.
func (s *sentinels) turn(ctx context.Context, i int) error {
	name, x := sentinelName(i), &s.all[i]
	s.mu.Lock()
	heal := x.how != ""
	x.broken, x.doubted, x.reported = false, map[string]time.Time{}, map[string]bool{}
	x.changes++
	s.mu.Unlock()
	how := ""
	if !heal {
		how = []string{"deleted", cluster.ImageNotFound, cluster.ConfigMissing, cluster.NeverReady}[s.rnd.IntN(4)]
	}
	s.soak.findings.happened("%s becomes %q", name, how)
	for {
		var err error
		within, cancel := context.WithTimeout(ctx, 5*time.Second)
		if how == "deleted" {
			background := metav1.DeletePropagationBackground
			err = s.soak.fleet.on(resource("apps", "v1", "deployments")).Delete(within,
				name, metav1.DeleteOptions{PropagationPolicy: &background})
			if apierrors.IsNotFound(err) {
				err = nil
			}
		} else {
			err = s.soak.cluster.Apply(within, namespace, deployment(name, fmt.Sprintf("app:%d", x.changes), how, 2))
		}
		cancel()
		if ctx.Err() != nil {
			return ctx.Err() // its state is unknown: the next turn starts again
		}
		if err == nil {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	x.how, x.broken, x.since = how, how != "", now
	x.next = now.Add(time.Duration(15+s.rnd.IntN(45)) * time.Second)
	if x.broken {
		x.next = now.Add(time.Duration(15+s.rnd.IntN(200)) * time.Second)
	}
	s.soak.findings.happened("%s is %q", name, how)
	return nil
}

func live(s terminal.Screen) bool { return s.Has("● live") || s.Has("● watching") } // by HTTP/1.1

var tally = regexp.MustCompile(`(\d+)/(\d+) Current`)

// check compares a screen with the sentinels' state.
func (s *sentinels) check(d *dashboard, screen terminal.Screen) {
	if !live(screen) {
		return // the screen says itself that it is behind
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	var broken []int
	for i, x := range s.all {
		if x.broken && d.way.late(x.since, now) {
			broken = append(broken, i)
		}
	}
	if len(broken) == 0 {
		return
	}
	d.judged.Add(1)
	wrong := map[int]string{}
	head := screen.Lines[:min(4, len(screen.Lines))]
	for _, line := range head {
		if strings.Contains(line, "✓ DONE") && !strings.Contains(line, "LOST") {
			wrong[broken[0]] = "DONE"
		}
		if m := tally.FindStringSubmatch(line); m != nil {
			current, _ := strconv.Atoi(m[1])
			all, _ := strconv.Atoi(m[2])
			if current > all-len(broken) {
				wrong[broken[0]] = fmt.Sprintf("%s (%d are known to be broken)", m[0], len(broken))
			}
		}
	}
	for _, i := range broken {
		if row(screen, "/"+sentinelName(i)+" ", "✓") {
			wrong[i] = "a Current row"
		}
	}
	for _, i := range broken {
		x := &s.all[i]
		what, since := wrong[i], x.doubted[d.name]
		switch {
		case what == "":
			delete(x.doubted, d.name)
		case since.IsZero():
			x.doubted[d.name] = now
		case now.Sub(since) >= drawn && !x.reported[d.name]:
			x.reported[d.name] = true
			s.soak.findings.add(screen.String(), "%s: %s, and %s has been %q for %s", d.name,
				what, sentinelName(i), x.how, now.Sub(x.since).Round(100*time.Millisecond))
		}
	}
}

// row says whether a line of the tree, without the panes at its side, has all of
// the texts.
func row(screen terminal.Screen, texts ...string) bool {
	edge := -1
	for _, line := range screen.Lines {
		runes := []rune(line)
		if edge < 0 {
			edge = slices.Index(runes, '┬')
			continue
		}
		left := string(runes[:min(edge, len(runes))])
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(left, text) }) {
			return true
		}
	}
	return false
}
