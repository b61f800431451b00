package watch

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/hub"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// Makes plans and carries them out: sources are started and closed here.

// plan resolves the targets, decides which sources are needed, and starts and
// closes sources accordingly.
func (e *Engine) plan() {
	e.planning.Lock()
	defer e.planning.Unlock()
	if e.ctx.Err() != nil {
		return
	}
	var waiting bool
	e.needs, waiting = e.hub.Needs(e.needs[:0])
	if waiting && e.waiting.CompareAndSwap(false, true) {
		e.spawn(func() {
			_ = gate.Sleep(e.ctx, hub.ParentsPatience)
			e.waiting.Store(false)
			e.kick()
		})
	}
	in := plan.Input{Needs: e.needs, All: e.opts.Children == "all"}
	for s := range e.running {
		in.Have = append(in.Have, s)
	}
	resolved, lookups, selections := e.lookUpTargets(&in)
	e.mu.Lock()
	in.Count = func(a plan.Area) (int, bool) { n, ok := e.counts[a]; return n, ok }
	in.Denied = func(a plan.Area) bool { return e.refused[a] }
	in.Unseen = func(a plan.Area) bool { return e.unseen[a] }
	in.Known = e.resolver.Child
	specs, counts := plan.Make(in)
	for _, a := range counts {
		resolved = false
		if !e.counting[a] {
			e.counting[a] = true
			e.spawn(func() { e.count(a) })
		}
	}
	e.mu.Unlock()
	specs = append(lookups, specs...)
	e.carryOut(specs, in.Named, selections)
	e.hub.SetPlanned(resolved)
}

// ask makes a request in the background, once per key, and repeats it until it
// has an answer. A definite failure is a usage error and ends the feed.
func (e *Engine) ask(key string, f func(context.Context) error) {
	if _, ok := e.asked[key]; ok {
		return
	}
	e.asked[key] = true
	e.spawn(func() {
		for n := int32(1); e.gate.Wait(e.ctx, key) == nil; n++ {
			err := f(e.ctx)
			unknown, ok := errors.AsType[*kube.UnknownTypeError](err)
			e.hub.TellSource(discoverySource(err))
			if err == nil || ok {
				e.mu.Lock()
				e.asked[key] = false
				e.mu.Unlock()
				if ok {
					e.hub.End(unknown)
				}
				e.kick()
				return
			}
			if kube.Code(err) == 0 && !kube.IsDecodeError(err) && e.ctx.Err() == nil {
				e.gate.Trip()
			}
			_ = gate.Sleep(e.ctx, min(gate.Backoff(n+2), sources.PauseMax))
		}
	})
}

// discoverySource is the state of a failing discovery; a nil error withdraws
// it.
func discoverySource(err error) feed.SourceState {
	st := feed.SourceState{Key: "discovery", Resource: "discovery", Mode: feed.ModeNone, Phase: feed.Closed}
	if _, unknown := errors.AsType[*kube.UnknownTypeError](err); err != nil && !unknown {
		st.Phase = feed.Stale
		sources.Explain(&st, err)
	}
	return st
}

// count finds out the number of objects in an area; 0 if that is not possible.
func (e *Engine) count(a plan.Area) {
	ctx, cancel := context.WithTimeout(e.ctx, 2*time.Second)
	defer cancel()
	n, err := e.client.Count(ctx, a.Resource, a.Namespace)
	e.mu.Lock()
	e.counts[a] = n
	if kube.Code(err) == http.StatusForbidden {
		e.refused[a] = true
	}
	e.mu.Unlock()
	e.kick()
}

// carryOut starts and closes sources. A source that is replaced by a wider one
// runs until that one has completed its first list.
func (e *Engine) carryOut(specs []plan.Spec, named []plan.Wanted, selections map[int]*target) {
	desired := map[plan.Spec]bool{}
	coming := map[kube.Resource]bool{}
	for _, s := range specs {
		desired[s] = true
		src := e.running[s]
		if src == nil {
			src = e.newSource(s, named, selections)
			e.running[s] = src
			e.hub.Add(src.Source)
			e.spawn(src.run.Run)
		}
		if !e.hub.Answered(src.Source) {
			coming[s.Resource] = true
		}
	}
	for s, src := range e.running {
		if desired[s] || coming[s.Resource] && !s.Lookup {
			continue
		}
		delete(e.running, s)
		src.cancel()
		e.hub.Drop(src.Source)
	}
}
