package watch

import (
	"context"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// source is what the engine keeps of a source: the hub's record of what it has
// delivered.
type source struct {
	e      *Engine
	spec   plan.Spec
	sel    *rootSelection // its selection, or nil
	keep   sources.Names
	run    *sources.Source
	cancel context.CancelFunc

	// Guarded by the hub's lock.
	state    feed.SourceState
	stateSeq uint64
	answered bool // it has completed a list, or reported why it cannot
	listRV   string
	recs     map[*rec]struct{}
}

var _ sources.Sink = (*source)(nil)

func (s *source) Upsert(o *object.Object) { s.e.hub.upsert(s, o) }

func (s *source) Remove(o *object.Object) { s.e.hub.remove(s, o) }

func (s *source) Replace(list []*object.Object, rv string) { s.e.hub.replace(s, list, rv) }

func (s *source) State(change func(*feed.SourceState)) { s.e.hub.setState(s, change) }

func (s *source) Denied(before bool) { s.e.deny(s.spec, before) }

func (s *source) Seen(yes bool) { s.e.seen(s.spec, yes) }

func (s *source) lastData() time.Time {
	if s.run == nil {
		return time.Time{}
	}
	return s.run.LastData()
}

// selects reports whether o is a root because this source selects it.
func (s *source) selects(o *object.Object) (feed.Root, bool) {
	if s.sel == nil || o == nil {
		return feed.Root{}, false
	}
	return s.sel.root(o)
}

func (s *source) hasAnswered() bool {
	s.e.hub.mu.Lock()
	defer s.e.hub.mu.Unlock()
	return s.answered
}

// newSource prepares a source of the plan.
func (e *Engine) newSource(sp plan.Spec, named []plan.Wanted, selections map[int]*target) *source {
	s := &source{e: e, spec: sp, recs: map[*rec]struct{}{}}
	var opts convert.Options
	if groupKind := (object.ID{Group: sp.Resource.Group, Kind: sp.Resource.Kind}).GroupKind(); sp.Resource.Enc != kube.Metadata {
		opts.Shared = &e.templates
		opts.Whole = e.opts.Whole != nil && e.opts.Whole(groupKind) || inventory.WholeKind(groupKind)
	}
	if t := selections[sp.Target]; t != nil && sp.Target != 0 {
		s.sel = &rootSelection{target: t}
	}
	if sp.Names != 0 {
		s.keep = sources.Names{}
		for _, r := range named {
			if r.Resource == sp.Resource {
				s.keep[r.Namespace+"/"+r.Name] = true
			}
		}
	}
	s.state = feed.SourceState{
		Key: sp.Key(), Group: sp.Resource.Group, Version: sp.Resource.Version, Resource: sp.Resource.Plural, Kind: sp.Resource.Kind,
		Namespace: sp.Namespace, Name: sp.Name, Selector: strings.Trim(sp.Selector+","+sp.Fields, ","), Mode: feed.ModeWatch, Phase: feed.Waiting, Children: sp.Child,
		Reports: e.resolver.ReportsStatus(sp.Resource.Group, sp.Resource.Kind),
	}
	ctx, cancel := context.WithCancel(e.ctx)
	s.cancel = cancel
	s.run = e.server.New(ctx, sp, s.keep, opts, s)
	return s
}
