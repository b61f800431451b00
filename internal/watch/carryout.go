package watch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/hub"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/refs"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// plan resolves the targets, decides which sources are needed, and starts and
// closes sources accordingly.
func (e *Engine) plan() {
	e.planning.Lock()
	defer e.planning.Unlock()
	if e.ctx.Err() != nil {
		return
	}
	in := plan.Input{Needs: e.hub.Needs(), Have: slices.Collect(maps.Keys(e.running)), All: e.opts.Children == "all"}
	r := e.lookUpTargets()
	in.Named, in.Selections = r.named, r.selections
	e.mu.Lock()
	in.Partial = e.partial
	in.Keeps = func(s plan.Spec, name string) bool { return e.running[s].Keeps(s.Namespace, name) }
	in.NotAsWhole = e.notAsWhole
	in.Unreadable = e.hub.Unreadable
	in.Known = e.resolver.Child
	in.Relatives = e.resolver.Relatives
	in.Found = e.hub.FoundBySearch
	specs := slices.Concat(r.lookups, plan.Make(in))
	e.mu.Unlock()
	e.carryOut(specs, r)
	e.refs.Resolve()
	st := feed.SourceState{Key: "discovery", Resource: "discovery", Mode: feed.ModeNone, Phase: feed.Closed}
	if err := e.trouble; err != nil {
		st.Phase, st.Selects = feed.Stale, errors.Is(err, resolve.ErrIncomplete) // there may be more than is followed
		sources.Explain(&st, err)
	}
	// After carryOut, so that what discovery has found has its sources; and before SetPlanned,
	// so that no batch is synced without the trouble that it depends on.
	e.hub.PublishRequest(st)
	e.hub.SetPlanned(r.resolved)
}

// ask makes a request in the background, once per key, and repeats it until it
// succeeds. A TYPE that the server does not have is a usage error, which ends the feed.
func (e *Engine) ask(key string, f func(context.Context) error) {
	if _, pending := e.questions[key]; pending {
		return
	}
	e.questions[key] = nil
	e.unanswered.Add(1)
	e.spawn(func() {
		for n := int32(1); e.server.Gate.Wait(e.ctx) == nil; n++ {
			err := f(e.ctx)
			if errors.Is(err, resolve.ErrUnknownType) {
				e.hub.EndFeed(err)
				err = nil
			}
			e.mu.Lock()
			e.questions[key] = err
			e.mu.Unlock()
			e.learned()
			if n == 1 {
				e.unanswered.Add(-1)
				select {
				case e.firstAnswer <- struct{}{}:
				default:
				}
			}
			if err == nil {
				return
			}
			if sources.Unreached(err) {
				e.server.Gate.Trip()
			}
			_ = gate.Sleep(e.ctx, min(gate.Backoff(n+2), sources.PauseMax))
		}
	})
}

// carryOut starts and closes sources. A source that is replaced by a wider one
// runs until that one has completed its first list.
func (e *Engine) carryOut(specs []plan.Spec, r *resolution) {
	desired := map[plan.Spec]bool{}
	coming := map[kube.Resource]bool{}
	for _, s := range specs {
		desired[s] = true
		if e.running[s] == nil {
			e.running[s] = e.start(s, r)
		}
		if !e.hub.Listed(e.running[s]) {
			coming[s.Resource] = true
		}
	}
	for s, src := range e.running {
		if desired[s] || coming[s.Resource] && s.Role != plan.Lookup {
			continue
		}
		delete(e.running, s)
		e.hub.DropIntake(src)
	}
}

// start starts a source of the plan.
func (e *Engine) start(sp plan.Spec, r *resolution) *hub.Intake {
	var sel hub.Selection
	t := r.selecting[sp.Target]
	if t != nil {
		root := func(o *object.Object) (feed.Root, bool) { return t.selected(o, e.owned) }
		sel = hub.Selection{In: t.In, Supporting: t.Supporting, AsRoot: root}
	}
	var keep sources.Names
	if sp.Names != 0 {
		keep = sources.Names{}
		for a, names := range r.named.Of {
			for _, name := range names {
				if a.Resource == sp.Resource {
					keep[a.Namespace+"/"+name] = true
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(e.ctx)
	run := e.server.New(ctx, sources.ToFollow, sp, keep, e.conversion(sp.Resource))
	state := e.describe(sp)
	state.Selects, state.OfAll = t != nil && !t.Supporting, t.everything()
	s := hub.NewIntake(sp, sel, keep, state, run.LastData, cancel)
	e.hub.AddIntake(s)
	e.spawn(func() { run.Run(hubAndRefs{s, sp, e.refs}) })
	return s
}

// conversion is how objects of a resource are converted.
func (e *Engine) conversion(res kube.Resource) (opts convert.Options) {
	if res.Enc != kube.Metadata {
		groupKind := res.ID("", "").GroupKind()
		opts.Shared = &e.templates
		opts.Whole = e.opts.Whole != nil && e.opts.Whole(groupKind) || inventory.WholeKind(groupKind)
	}
	return opts
}

// describe is the state of a stream before it starts.
func (e *Engine) describe(sp plan.Spec) feed.SourceState {
	return feed.SourceState{
		Key: sp.Key(), Mode: feed.ModeWatch, Phase: feed.Waiting,
		Group: sp.Resource.Group, Version: sp.Resource.Version, Resource: sp.Resource.Plural, Kind: sp.Resource.Kind,
		Namespace: sp.Namespace, Name: sp.Name, Selector: strings.Trim(sp.Selector+","+sp.Fields, ","),
		Children: sp.Role == plan.Children || sp.Role == plan.Search, Search: sp.Role == plan.Search,
		Reports: e.resolver.ReportsStatus(sp.Resource.Group, sp.Resource.Kind),
		Partial: sp.Name == "" && sp.Role != plan.Lookup && e.partial(sp.Area()),
	}
}

// hubAndRefs is where a stream of the plan delivers to: the hub's intake. What the stream
// proves to be deleted is deleted for the keeper of references, too, and there first: it must
// not take over what the hub lets go of.
type hubAndRefs struct {
	*hub.Intake
	spec plan.Spec
	refs *refs.Keeper
}

func (w hubAndRefs) Remove(o *object.Object) {
	if !w.spec.Selects() { // otherwise it may only have left the selection
		w.refs.Deleted(o)
	}
	w.Intake.Remove(o)
}

func (w hubAndRefs) Replace(list []*object.Object, resourceVersion string) {
	w.refs.Listed(w.Covers, list)
	w.Intake.Replace(list, resourceVersion)
}
