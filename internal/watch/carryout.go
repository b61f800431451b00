package watch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// How a plan is made and carried out: sources begin and end here.

// plan looks up the targets, decides which sources are needed, and starts and
// closes sources accordingly.
func (e *Engine) plan() {
	e.planning.Lock()
	defer e.planning.Unlock()
	if e.ctx.Err() != nil {
		return
	}
	var waiting bool
	e.needs, waiting = e.hub.needs(e.needs[:0])
	if waiting && e.waiting.CompareAndSwap(false, true) {
		e.spawn(func() {
			_ = sleep(e.ctx, parentsPatience)
			e.waiting.Store(false)
			e.kick()
		})
	}
	in := planInput{needs: e.needs, all: e.opts.Children == "all"}
	for s := range e.running {
		in.have = append(in.have, s)
	}
	resolved, lookups, selections := e.lookUpTargets(&in)
	e.mu.Lock()
	in.count = func(a area) (int, bool) { n, ok := e.counts[a]; return n, ok }
	in.denied = func(a area) bool { return e.refused[a] }
	in.unseen = func(a area) bool { return e.unseen[a] }
	in.known = e.resolver.Child
	specs, counts := plan(in)
	for _, a := range counts {
		resolved = false
		if !e.counting[a] {
			e.counting[a] = true
			e.spawn(func() { e.count(a) })
		}
	}
	e.mu.Unlock()
	specs = append(lookups, specs...)
	e.carryOut(specs, in.named, selections)
	e.hub.setPlanned(resolved)
}

// ask does something that needs the server's answer, once, in the background,
// until it is known. A definite failure ends the feed: it is a usage error.
func (e *Engine) ask(key string, f func(context.Context) error) {
	if _, ok := e.asked[key]; ok {
		return
	}
	e.asked[key] = true
	e.spawn(func() {
		for n := int32(1); e.gate.wait(e.ctx, key) == nil; n++ {
			err := f(e.ctx)
			unknown, ok := errors.AsType[*kube.UnknownTypeError](err)
			e.hub.tellSource(discoverySource(err))
			if err == nil || ok {
				e.mu.Lock()
				e.asked[key] = false
				e.mu.Unlock()
				if ok {
					e.hub.end(unknown)
				}
				e.kick()
				return
			}
			if kube.Code(err) == 0 && !kube.IsDecodeError(err) && e.ctx.Err() == nil {
				e.gate.trip()
			}
			_ = sleep(e.ctx, min(backoff(n+2), pauseMax))
		}
	})
}

// discoverySource is what is said about a discovery that fails; without an error, that
// there is nothing more to say.
func discoverySource(err error) feed.SourceState {
	st := feed.SourceState{Key: "discovery", Resource: "discovery", Mode: feed.ModeNone, Phase: feed.Closed}
	if _, unknown := errors.AsType[*kube.UnknownTypeError](err); err != nil && !unknown {
		st.Phase = feed.Stale
		explain(&st, err)
	}
	return st
}

// count finds out how many objects an area has; when that cannot be known,
// none.
func (e *Engine) count(a area) {
	ctx, cancel := context.WithTimeout(e.ctx, 2*time.Second)
	defer cancel()
	n, err := e.client.Count(ctx, a.res, a.namespace)
	e.mu.Lock()
	e.counts[a] = n
	if kube.Code(err) == http.StatusForbidden {
		e.refused[a] = true
	}
	e.mu.Unlock()
	e.kick()
}

// carryOut starts and closes sources. One that is replaced by a wider one goes
// on until that one has its first list.
func (e *Engine) carryOut(specs []spec, named []rootWant, selections map[int]*target) {
	desired := map[spec]bool{}
	coming := map[kube.Resource]bool{}
	for _, s := range specs {
		desired[s] = true
		src := e.running[s]
		if src == nil {
			src = e.newSource(s, named, selections)
			e.running[s] = src
			e.hub.add(src)
			e.spawn(func() {
				defer close(src.done)
				src.run()
			})
		}
		if !src.hasAnswered() {
			coming[s.res] = true
		}
	}
	for s, src := range e.running {
		if desired[s] || coming[s.res] && !s.lookup {
			continue
		}
		delete(e.running, s)
		src.cancel()
		e.hub.drop(src)
	}
}

func (s *source) hasAnswered() bool {
	s.e.hub.mu.Lock()
	defer s.e.hub.mu.Unlock()
	return s.answered
}

func (e *Engine) newSource(sp spec, named []rootWant, selections map[int]*target) *source {
	s := &source{e: e, spec: sp, done: make(chan struct{}), recs: map[*rec]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(e.ctx)
	if groupKind := (object.ID{Group: sp.res.Group, Kind: sp.res.Kind}).GroupKind(); sp.res.Enc != kube.Metadata {
		s.opts.Shared = &e.templates
		s.opts.Whole = e.opts.Whole != nil && e.opts.Whole(groupKind) || inventory.WholeKind(groupKind)
	}
	if t := selections[sp.target]; t != nil && sp.target != 0 {
		s.sel = &rootSelection{target: t}
	}
	if sp.names != 0 {
		s.keep = map[string]bool{}
		for _, r := range named {
			if r.res == sp.res {
				s.keep[r.namespace+"/"+r.name] = true
			}
		}
	}
	s.state = feed.SourceState{
		Key: sp.key(), Group: sp.res.Group, Version: sp.res.Version, Resource: sp.res.Plural, Kind: sp.res.Kind,
		Namespace: sp.namespace, Name: sp.name, Selector: strings.Trim(sp.selector+","+sp.fields, ","), Mode: feed.ModeWatch, Phase: feed.Waiting, Children: sp.child,
		Reports: e.resolver.ReportsStatus(sp.res.Group, sp.res.Kind),
	}
	return s
}

// key names a source for as long as it lives.
func (s spec) key() string {
	k := s.res.String()
	if s.lookup {
		k = "kind " + s.res.Kind
		if s.res.Group != "" {
			k += "." + s.res.Group
		}
	}
	if s.namespace != "" {
		k += " -n " + s.namespace
	}
	if s.name != "" {
		k += " " + s.name
	}
	if s.selector != "" {
		k += " -l " + s.selector
	}
	if s.fields != "" {
		k += " --field-selector " + s.fields
	}
	if s.names != 0 {
		k += fmt.Sprintf(" #%x", s.names)
	}
	if s.target != 0 {
		k += fmt.Sprintf(" @%d", s.target)
	}
	if s.child {
		k += " (children)"
	}
	return k
}
