package watch

import (
	"context"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/hub"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// source is a running source of the plan: what it delivers goes to the hub.
type source struct {
	*hub.Source
	e      *Engine
	spec   plan.Spec
	run    *sources.Source
	cancel context.CancelFunc
}

var _ sources.Sink = (*source)(nil)

func (s *source) Denied(before bool) { s.e.deny(s.spec, before) }

func (s *source) Seen(yes bool) { s.e.seen(s.spec, yes) }

// newSource prepares a source of the plan.
func (e *Engine) newSource(sp plan.Spec, named []plan.Spec, selections map[int]*target) *source {
	s := &source{e: e, spec: sp}
	var opts convert.Options
	if groupKind := (object.ID{Group: sp.Resource.Group, Kind: sp.Resource.Kind}).GroupKind(); sp.Resource.Enc != kube.Metadata {
		opts.Shared = &e.templates
		opts.Whole = e.opts.Whole != nil && e.opts.Whole(groupKind) || inventory.WholeKind(groupKind)
	}
	var sel hub.Selection
	if t := selections[sp.Target]; t != nil && sp.Target != 0 {
		sel = hub.Selection{In: t.In, Aside: t.Aside, Root: t.selected}
	}
	var keep sources.Names
	if sp.Names != 0 {
		keep = sources.Names{}
		for _, r := range named {
			if r.Resource == sp.Resource {
				keep[r.Namespace+"/"+r.Name] = true
			}
		}
	}
	ctx, cancel := context.WithCancel(e.ctx)
	s.cancel = cancel
	s.run = e.server.New(ctx, sp, keep, opts, s)
	s.Source = hub.NewSource(sp, sel, keep, feed.SourceState{
		Key: sp.Key(), Group: sp.Resource.Group, Version: sp.Resource.Version, Resource: sp.Resource.Plural, Kind: sp.Resource.Kind,
		Namespace: sp.Namespace, Name: sp.Name, Selector: strings.Trim(sp.Selector+","+sp.Fields, ","), Mode: feed.ModeWatch, Phase: feed.Waiting, Children: sp.Child || sp.Ref,
		Reports: e.resolver.ReportsStatus(sp.Resource.Group, sp.Resource.Kind),
	}, s.run.LastData)
	return s
}
