package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/dump"
	"github.com/kstatus-tui/kstatus-tui/internal/explaintest"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/wait"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// What why says of a cluster does not depend on which of its requests is answered first. The
// clusters are the cases of internal/explain, and each reply takes a time of its own.
func TestWhyDoesNotDependOnTheOrderOfReplies(t *testing.T) {
	cases, err := explaintest.Cases(filepath.Join("..", "..", "internal", "explain", "testdata", "cases"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i, c := range cases {
		if i%10 != 0 && testing.Short() {
			continue
		}
		args := saveCase(t, c)
		dir, roots := args[1], args[2:]
		first, code := whyWithDelays(t, dir, roots, nil, onceExplained)
		if first == "" {
			continue
		}
		for seed := range uint64(2) {
			h := fnv.New64()
			h.Write([]byte(c.File + c.Name))
			random := rand.New(rand.NewPCG(h.Sum64(), seed))
			late, _ := whyWithDelays(t, dir, roots, random, onceExplained)
			if diff := cmp.Diff(first, late); diff != "" {
				t.Errorf("%s, %s: (-at once +with delays, seed %d)\n%s", c.File, c.Name, seed, diff)
			}
			if code != exitFailed {
				continue
			}
			waiter := newWaiter(wait.Current)
			waiter.Deadline, waiter.Saved = time.Time{}, true
			whyWithDelays(t, dir, roots, random, func(m *model.Model) (bool, time.Time) {
				end, wake := look(waiter, seenOf(m))
				if end != nil && end.Code == exitOK {
					t.Errorf("%s, %s: wait ends green before everything is read, seed %d", c.File, c.Name, seed)
				}
				return end != nil || m.Intake.Quiesced(), wake
			})
		}
		compared++
	}
	t.Log(compared, "cases")
}

// whyWithDelays is the document of why about a saved cluster, and its exit code, when look ends it.
// Each reply takes a random time of a clock of its own; nil is at once.
func whyWithDelays(t *testing.T, dir string, roots []string, random *rand.Rand, look step) (text string, code int) {
	t.Helper()
	saved, err := dump.Read(t.Context(), []string{dir}, nil, time.Now())
	if err != nil {
		return "", exitError // of what does not exist, nothing can be saved
	}
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		connection := (&savedCluster{saved, "a"}).connection("a")
		targets, err := inventory.Parse(t.Context(), inventory.Request{
			Args: roots, Namespace: "a", All: len(roots) == 0, AllNamespaces: len(roots) == 0,
		})
		if err != nil {
			t.Fatal(err)
		}
		d := &delays{RoundTripper: saved, random: random}
		connection.config.Transport = d
		options := watch.Options{
			Config: connection.config, Targets: targets, Namespace: "a",
			Poll: connection.pace(0), Part: connection.part(),
		}
		engine, err := watch.New(options)
		if err != nil {
			t.Fatal(err)
		}
		engine.Start(t.Context())
		defer engine.Close()
		opened := time.Now()
		now := func() time.Time { return saved.At.Add(time.Since(opened)) }
		opt := modelOptions(options)
		opt.Now, opt.Still = saved.At, true
		m, err := headless{feed: delayedLogs{saved.Feed(engine), d}, now: now}.run(t.Context(), opt, look)
		code = verdictCode(m.Facts.Verdict(), m.Facts.Whole())
		if err == nil {
			err = report.Why(&out, m.Facts, "json")
		}
		if err != nil {
			fmt.Fprint(&out, err)
		}
	})
	return out.String(), code
}

// delays makes each reply take up to a second and a half.
type delays struct {
	http.RoundTripper
	mu     sync.Mutex
	random *rand.Rand
}

func (d *delays) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := d.wait(r.Context()); err != nil {
		return nil, err
	}
	return d.RoundTripper.RoundTrip(r)
}

// CloseIdleConnections has nothing to close. client-go calls it.
func (d *delays) CloseIdleConnections() {}

func (d *delays) wait(ctx context.Context) error {
	if d.random == nil {
		return nil
	}
	d.mu.Lock()
	after := time.Duration(d.random.Int64N(int64(1500 * time.Millisecond)))
	d.mu.Unlock()
	select {
	case <-time.After(after):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// delayedLogs is a feed whose logs take random times, too.
type delayedLogs struct {
	feed.Feed
	delays *delays
}

func (f delayedLogs) Logs(ctx context.Context, key feed.LogKey, since uint64) (feed.LogChunk, error) {
	if err := f.delays.wait(ctx); err != nil {
		return feed.LogChunk{}, err
	}
	return f.Feed.Logs(ctx, key, since)
}
