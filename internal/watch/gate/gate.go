// Package gate stops requests to a server that is not reachable. The first
// request that fails closes the gate; a single prober asks whether the server
// is back; then all waiting requests go on, spread over a moment.
package gate

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// The prober's interval while the API server is not reachable.
const (
	probeFirst   = 200 * time.Millisecond
	probeLast    = time.Second
	probeTimeout = 2 * time.Second
	stagger      = 250 * time.Millisecond
)

// RBACLoading is how long a 403 may be wrong after an outage: an API server that has just started
// answers before it has loaded RBAC. Without this delay every source would take such an answer
// for a missing permission.
const RBACLoading = 5 * time.Second

// Gate is open until it is tripped. Its methods are safe for concurrent use.
type Gate struct {
	// Context ends the prober.
	Context context.Context
	// Probe asks the server; nil means that it is reachable.
	Probe func(ctx context.Context) error
	// Failed receives the error of each failed probe.
	Failed func(err error)
	// Spawn runs the prober.
	Spawn func(func())

	mu     sync.Mutex
	shut   chan struct{} // closed when the gate opens; nil while it is open
	opened time.Time     // when it last opened
}

// JustOpened reports whether an outage has ended within RBACLoading.
func (g *Gate) JustOpened() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Since(g.opened) < RBACLoading
}

// Trip closes the gate.
func (g *Gate) Trip() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil || g.Context.Err() != nil {
		return
	}
	g.shut = make(chan struct{})
	g.Spawn(g.reopen)
}

func (g *Gate) reopen() {
	for delay := time.Duration(0); ; delay = min(max(probeFirst, delay*2), probeLast) {
		if Sleep(g.Context, delay) != nil {
			return
		}
		ctx, cancel := context.WithTimeout(g.Context, probeTimeout)
		err := g.Probe(ctx)
		cancel()
		if err == nil {
			break
		}
		if g.Context.Err() == nil {
			g.Failed(err)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.shut)
	g.shut, g.opened = nil, time.Now()
}

// Wait returns when the gate is open, or with the context's error; those who had
// to wait come one by one.
func (g *Gate) Wait(ctx context.Context) error {
	for {
		g.mu.Lock()
		shut := g.shut
		g.mu.Unlock()
		if shut == nil {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
		case <-shut:
		}
		if err := Sleep(ctx, rand.N(stagger)); err != nil {
			return err
		}
	}
}

// Sleep waits for d or for the context's end.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err()
}

// The first and the longest Backoff.
const (
	backoffMin = 100 * time.Millisecond
	BackoffMax = 5 * time.Second
)

// Backoff is how long to wait after n failures in a row, at least one.
func Backoff(n int32) time.Duration {
	d := min(backoffMin<<min(n-1, 6), BackoffMax)
	return d - d/8 + rand.N(d/4+1)
}
