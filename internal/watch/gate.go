package watch

import (
	"context"
	"hash/fnv"
	"sync"
	"time"
)

// The prober's pace while the API server cannot be reached.
const (
	probeFirst   = 200 * time.Millisecond
	probeLast    = time.Second
	probeTimeout = 2 * time.Second
	stagger      = 250 * time.Millisecond
)

// rightsLate is for how long after an outage a refusal may be a mistake: an API
// server that has just been started answers before it has read who may do what.
// Whoever believed it would list everything again, or wait for events.
const rightsLate = 5 * time.Second

// gate keeps all sources from knocking at a server that is away. The first one
// that fails to reach it closes the gate; one prober asks whether the server is
// back; then the sources resume, spread over a moment.
type gate struct {
	// probe asks the server; nil means that it answers.
	probe func(ctx context.Context) error
	// failed is told what each probe meets that does not find it there.
	failed func(err error)
	spawn  func(func())
	ctx    context.Context

	mu     sync.Mutex
	shut   chan struct{} // closed when the gate opens; nil while it is open
	opened time.Time     // when it last did
}

// justOpened reports whether an outage has ended a moment ago.
func (g *gate) justOpened() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.opened.IsZero() && time.Since(g.opened) < rightsLate
}

// trip closes the gate.
func (g *gate) trip() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil || g.ctx.Err() != nil {
		return
	}
	g.shut = make(chan struct{})
	g.spawn(g.reopen)
}

func (g *gate) reopen() {
	for delay := time.Duration(0); ; delay = min(max(probeFirst, delay*2), probeLast) {
		if sleep(g.ctx, delay) != nil {
			return
		}
		ctx, cancel := context.WithTimeout(g.ctx, probeTimeout)
		err := g.probe(ctx)
		cancel()
		g.mu.Lock()
		if err == nil {
			close(g.shut)
			g.shut, g.opened = nil, time.Now()
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		if g.failed != nil && g.ctx.Err() == nil {
			g.failed(err)
		}
	}
}

// wait returns when the gate is open, or with the context's error. The key
// spreads those who waited.
func (g *gate) wait(ctx context.Context, key string) error {
	for {
		g.mu.Lock()
		shut := g.shut
		g.mu.Unlock()
		if shut == nil {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-shut:
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(key))
		if err := sleep(ctx, time.Duration(h.Sum32())%stagger); err != nil {
			return err
		}
	}
}

// sleep waits, but not longer than the context lives.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
