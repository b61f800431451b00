package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Options says what to follow, and how.
type Options struct {
	Config  *rest.Config
	Targets []inventory.Target
	// Children is "auto" (the default: those of the parents in Wants), "all"
	// or "none".
	Children string
	// Poll, where not zero, asks every so often instead of watching.
	Poll time.Duration
	// Namespace is used for targets that name none.
	Namespace string
	// Log takes a debug log. Nil discards it.
	Log *slog.Logger
	// Whole says of which kinds ("apps/Deployment", "Pod") the whole object is to
	// be kept, for the user's own rules. Nil means of none. Kinds that are known by
	// their metadata alone stay so.
	Whole func(groupKind string) bool
	// Expand says whether the roots of inventories are followed as what they are:
	// "auto" (the default), or "none" for those alone that were named by a scheme.
	Expand string
	// Frame is how long at least lies between two batches; 33 ms when zero.
	Frame time.Duration
}

// Engine follows what was asked for. Its methods are safe for concurrent use,
// but there is one receiver of batches: what Next has handed over is not kept
// for another one.
type Engine struct {
	opts     Options
	log      *slog.Logger
	client   *client
	resolver *resolver
	hub      *hub
	gate     *gate
	tokens   flowcontrol.RateLimiter
	turns    *turns        // of first syncs
	wake     chan struct{} // holds at most one wish to plan anew

	// noWatchList remembers that this server, or something before it, does not
	// announce the end of an initial list.
	noWatchList atomic.Bool

	patience time.Duration // of Preflight

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	planning sync.Mutex // held while a plan is made and carried out
	running  map[spec]*source
	number   int          // of sources, for keys
	needs    []edges.Need // the last plan's; its room is used again
	waiting  atomic.Bool  // for a crowd of parents

	mu       sync.Mutex
	groups   map[string][]*target
	order    []string // of groups
	counts   map[area]int
	counting map[area]bool
	refused  map[area]bool
	unseen   map[area]bool   // areas of which nothing may be read, or that are not served
	asked    map[string]bool // what discovery was asked; true while it has not answered

	facts    map[status.ID]rootFacts // of the roots of inventories
	unknown  map[string]bool         // types of members that the server does not know
	searches map[int]*search         // by the number of their target

	events *eventKeeper
	refs   *refKeeper
	logs   *logKeeper
	sets   *setKeeper
}

// target is one thing that was asked for, and what has become of it.
type target struct {
	inventory.Target
	number  int // unique, from 1
	root    status.ID
	version string
	unowned bool       // everything in a namespace that nothing owns
	fixed   bool       // its root is not looked up
	kinds   []resource // of which kinds that may be; nil until known
	pending bool       // its type is not known yet
}

// New prepares an engine. It makes no request.
func New(o Options) (*Engine, error) {
	if o.Config == nil {
		return nil, errors.New("no connection to a cluster is configured")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Frame <= 0 {
		o.Frame = 33 * time.Millisecond
	}
	if o.Namespace == "" {
		o.Namespace = "default"
	}
	c, err := newClient(o.Config, o.Log)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		opts: o, log: o.Log, client: c, patience: patience,
		hub:    newHub(o.Frame, o.Children, time.Now),
		tokens: flowcontrol.NewTokenBucketRateLimiter(10, budget),
		turns:  newTurns(6), wake: make(chan struct{}, 1),
		running: map[spec]*source{}, groups: map[string][]*target{},
		counts: map[area]int{}, counting: map[area]bool{}, refused: map[area]bool{}, unseen: map[area]bool{},
		asked: map[string]bool{},
		facts: map[status.ID]rootFacts{}, unknown: map[string]bool{}, searches: map[int]*search{},
	}
	e.resolver = &resolver{c: c, found: e.kick, kinds: map[groupKind]resource{}, types: map[string]resource{}}
	e.hub.kick = e.kick
	e.hub.onSettled = func() { e.spawn(e.giveMemoryBack) }
	e.hub.onCrowded = func() { e.spawn(func() { keepReserve(reserveCrowded) }) }
	c.warn = func(text string) {
		e.hub.notice(status.Notice{Level: "warning", From: "API server", Text: status.Clean(text)})
	}
	c.clock = func(skew time.Duration) {
		e.hub.mu.Lock()
		e.hub.skew = skew
		e.hub.mu.Unlock()
	}
	e.setGroup("", o.Targets)
	e.events, e.logs, e.refs, e.sets = newEventKeeper(e), newLogKeeper(e), newRefKeeper(e), newSetKeeper(e)
	return e, nil
}

// Start begins to follow. The engine ends with the context, or by Close.
func (e *Engine) Start(ctx context.Context) {
	e.ctx, e.cancel = context.WithCancel(ctx)
	e.gate = &gate{ctx: e.ctx, spawn: e.spawn, probe: e.probe}
	e.sets.start()
	keepReserve(reserveSyncing)
	e.plan()
	e.spawn(func() {
		for took := time.Duration(0); ; {
			select {
			case <-e.ctx.Done():
				e.hub.end(context.Canceled)
				return
			case <-e.wake:
			}
			// What comes in the next moment is planned together; a plan that
			// takes long is made seldom.
			_ = sleep(e.ctx, max(5*time.Millisecond, 4*took))
			select {
			case <-e.wake:
			default:
			}
			began := time.Now()
			e.plan()
			took = time.Since(began)
		}
	})
}

// The heap may grow by so many percent between two collections. What a first
// sync brings mostly stays, so room for twice as much is room for nothing;
// after it little changes at a time, and a small reserve will do. A percent of
// much is much: from crowdedHub objects on the reserve is smaller still, for a
// little more work.
const (
	reserveSyncing = 50
	reserveSynced  = 35
	reserveCrowded = 25
	crowdedHub     = 20_000
)

// keepReserve sets the garbage collector's reserve, unless the user has.
func keepReserve(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// giveMemoryBack returns what the first sync needed beyond what it left.
func (e *Engine) giveMemoryBack() {
	e.hub.mu.Lock()
	crowded := e.hub.crowded
	e.hub.mu.Unlock()
	if !crowded {
		keepReserve(reserveSynced)
	}
	debug.FreeOSMemory()
}

// Close ends everything and waits, a second at most, until it has ended.
func (e *Engine) Close() {
	if e.cancel == nil {
		return
	}
	e.cancel()
	done := make(chan struct{})
	go func() {
		e.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		e.log.Warn("some requests did not end in time")
	}
	e.client.close()
}

// Next implements model.Feed.
func (e *Engine) Next(ctx context.Context, since uint64) (status.Batch, error) {
	return e.hub.next(ctx, since)
}

// Want implements model.Feed.
func (e *Engine) Want(w status.Wants) {
	e.turns.show(w.Visible)
	e.refs.want(w.Refs) // both before the hub takes the wish for answered
	e.events.want(w.Events)
	e.hub.want(w.Gen, w.Children)
	e.logs.want(w.Logs)
}

// Follow replaces the targets of a named group: the members of an inventory,
// say. Roots that no group asks for any more are Removed. The targets of New
// are the group "".
func (e *Engine) Follow(group string, targets []inventory.Target) {
	e.setGroup(group, targets)
	e.hub.mu.Lock()
	e.hub.planDirty()
	e.hub.checkSynced()
	e.hub.mu.Unlock()
}

func (e *Engine) setGroup(group string, targets []inventory.Target) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.groups[group]; !ok {
		e.order = append(e.order, group)
	}
	// What stays the same keeps its number, and thereby its sources and its place.
	old := map[inventory.Target]*target{}
	for _, t := range e.groups[group] {
		old[t.essence()] = t
	}
	list := make([]*target, 0, len(targets))
	for _, t := range targets {
		fresh := &target{Target: t}
		key := fresh.essence()
		o := old[key]
		delete(old, key)
		switch {
		case o == nil:
			e.number++
			fresh.number = e.number
		case o.Target == t:
			fresh = o
		default:
			fresh.number = o.number
		}
		list = append(list, fresh)
	}
	e.groups[group] = list
	if len(list) == 0 && group != "" {
		delete(e.groups, group)
		e.order = slices.DeleteFunc(e.order, func(g string) bool { return g == group })
	}
}

// essence is what a target asks for, without what is merely said about it.
func (t *target) essence() inventory.Target {
	k := t.Target
	if k.Name != "" || k.ID.Name != "" {
		k.Note, k.Told, k.Said, k.Optional, k.Gone, k.Kept = "", status.Told{}, status.Said{}, false, false, false
	}
	return k
}

// kick wishes for a new plan.
func (e *Engine) kick() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// spawn starts a goroutine of the engine. A panic in it ends the feed with an
// error instead of leaving the terminal as it is.
func (e *Engine) spawn(f func()) {
	e.wg.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				e.log.Error("panic", "value", r, "stack", string(debug.Stack()))
				e.hub.end(fmt.Errorf("internal error: %v\n%s", r, debug.Stack()))
			}
		}()
		f()
	})
}

// probe asks whether the server is there. Whatever it answers, it is, unless
// it says itself that it is not ready.
func (e *Engine) probe(ctx context.Context) error {
	resp, err := e.client.get(ctx, "/readyz", nil, "*/*")
	if err != nil {
		if c := code(err); c != 0 && c < http.StatusInternalServerError {
			return nil
		}
		return err
	}
	return resp.Body.Close()
}

// deny remembers that an area may not be watched as a whole.
func (e *Engine) deny(s spec) {
	e.mu.Lock()
	e.refused[area{s.res, s.namespace}] = true
	e.mu.Unlock()
	e.kick()
}

// seen remembers whether anything of the area of s can be read. What is looked
// for in its place is part of the plan, so the plan is out of date before the
// source says that it has its answer.
func (e *Engine) seen(s spec, yes bool) {
	if s.name != "" {
		return // others of its kind may be seen all the same
	}
	a := area{s.res, s.namespace}
	e.mu.Lock()
	changed := e.unseen[a] == yes
	e.unseen[a] = !yes
	e.mu.Unlock()
	if changed {
		e.hub.mu.Lock()
		e.hub.planDirty()
		e.hub.mu.Unlock()
	}
}

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
			_ = sleep(e.ctx, crowdPatience)
			e.waiting.Store(false)
			e.kick()
		})
	}
	in := planInput{needs: e.needs}
	for s := range e.running {
		in.have = append(in.have, s)
	}
	resolved, lookups, selections := e.lookUpTargets(&in)
	e.mu.Lock()
	in.count = func(a area) (int, bool) { n, ok := e.counts[a]; return n, ok }
	in.denied = func(a area) bool { return e.refused[a] }
	in.unseen = func(a area) bool { return e.unseen[a] }
	in.known = e.resolver.child
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

// lookUpTargets turns targets into roots and selections as far as they are
// known; resolved is false when some are not.
func (e *Engine) lookUpTargets(in *planInput) (resolved bool, lookups []spec, selections map[int]*target) {
	found := e.hub.selectedIn()
	e.mu.Lock()
	defer e.mu.Unlock()
	resolved = true
	selections = map[int]*target{}
	roots := rootPlan{at: map[status.ID]int{}, members: map[status.ID]int{}, asides: map[status.ID][]status.ID{}, schemed: map[status.ID]bool{}, decided: e.sets.decided}
	for _, g := range e.order {
		for _, t := range e.groups[g] {
			if !e.lookUpTarget(t) {
				resolved = false
			}
			if t.Gone || t.Other != "" || t.Aside && t.root.Name != "" {
				roots.asides[t.root] = append(roots.asides[t.root], t.In)
			}
			if t.Scheme != "" {
				roots.schemed[t.root] = true
			}
			switch {
			case t.fixed:
				e.wantRoot(t, &roots)
			case t.Name == "" && t.ID.Name == "":
				selections[t.number] = t
				if t.pending {
					lookups = addLookup(lookups, t)
				}
				for _, res := range t.kinds {
					e.addSelection(in, t, res)
				}
			case t.pending: // a kind that is not served yet
				if !t.Aside {
					e.wantRoot(t, &roots)
				}
				lookups = addLookup(lookups, t)
			case t.kinds == nil: // its type is not known yet, or not at all
			default:
				if !t.Aside {
					e.wantRoot(t, &roots)
				}
				in.named = append(in.named, rootWant{t.kinds[0], t.root.Namespace, t.root.Name})
			}
		}
	}
	e.amendRoots(&roots, in, found)
	e.hub.setRoots(roots, selections)
	return resolved, lookups, selections
}

// rootPlan is the roots that are named, in the order of asking, and what goes
// with them.
type rootPlan struct {
	list []status.Root
	at   map[status.ID]int
	// members counts what inventories list by name, by their roots.
	members map[status.ID]int
	// asides tells of which inventories' roots the follower wants to hear about an
	// object (a repository is the source of many); schemed are the roots that were named as inventories.
	asides  map[status.ID][]status.ID
	schemed map[status.ID]bool
	// decided says that a root's inventory has been decided as of a version.
	decided func(id status.ID, version string) bool
}

// addLookup asks for a kind that is not known, once.
func addLookup(lookups []spec, t *target) []spec {
	l := spec{res: resource{Group: t.ID.Group, Version: t.version, Kind: t.ID.Kind, Namespaced: true}, lookup: true}
	if slices.ContainsFunc(lookups, func(s spec) bool { return s.res.Group == l.res.Group && s.res.Kind == l.res.Kind }) {
		return lookups
	}
	return append(lookups, l)
}

// addSelection adds one kind of a selection, unless the same inventory selects
// the same already: of a cluster-scoped kind, from several namespaces.
func (e *Engine) addSelection(in *planInput, t *target, res resource) {
	ns := t.Namespace
	if ns == "" {
		ns = e.opts.Namespace
	}
	if t.AllNamespaces || !res.Namespaced {
		ns = ""
	}
	s := selection{res: res, namespace: ns, selector: t.Selector, target: t.number, in: t.In}
	if !t.In.IsZero() && slices.ContainsFunc(in.selections, func(o selection) bool {
		return o.res == s.res && o.namespace == s.namespace && o.selector == s.selector && o.in == s.in
	}) {
		return
	}
	in.selections = append(in.selections, s)
}

// lookUpTarget finds out what a target means, without waiting for it.
func (e *Engine) lookUpTarget(t *target) bool {
	var res resource
	var ok bool
	switch {
	case t.Told.Status != "" && !t.ID.IsZero():
		t.root, t.fixed = t.ID, true
		return true
	case t.Scheme == "helm":
		t.root, t.fixed = inventory.HelmReleaseID(t.Namespace, t.Name), true
		return true
	case t.ID.IsZero() && t.Candidates() != nil:
		return e.lookUpSearched(t)
	case t.ID.Name == "" && t.ID.Kind != "":
		e.lookUpKind(t, t.ID)
		return true
	case !t.ID.IsZero():
		e.lookUpKind(t, t.ID)
		return true
	case t.Type == "" && t.All:
		return e.lookUpEverything(t)
	}
	res, ok = e.resolver.known(t.Type)
	if !ok {
		if e.unknown[t.Type] {
			return true
		}
		e.ask("type "+t.Type, func(ctx context.Context) error {
			_, err := e.resolver.typ(ctx, t.Type)
			if _, unknown := errors.AsType[*UnknownTypeError](err); unknown && !t.In.IsZero() {
				e.mu.Lock()
				e.unknown[t.Type] = true // an entry of an inventory, not a slip of the user's
				e.mu.Unlock()
				return nil
			}
			return err
		})
		return false
	}
	t.kinds = []resource{res}
	if t.Name != "" {
		ns := t.Namespace
		if ns == "" {
			ns = e.opts.Namespace
		}
		t.root, t.version = res.id(ns, t.Name), res.Version
	}
	return true
}

func (e *Engine) lookUpKind(t *target, id status.ID) {
	res, ok := e.resolver.kind(id.Group, id.Kind)
	if ok {
		id = res.id(id.Namespace, id.Name)
		t.kinds = []resource{res}
	}
	t.pending = !ok
	t.root, t.version = id, t.Version
	if t.version == "" && id.Group == "" {
		t.version = "v1"
	}
}

// wantRoot makes a root of what a target names. When several name the same
// object, the first one counts, and says of which inventories it is too.
func (e *Engine) wantRoot(t *target, roots *rootPlan) {
	r := t.asRoot(t.root)
	if !t.In.IsZero() && !t.Gone {
		roots.members[t.In]++
	}
	if i, ok := roots.at[t.root]; ok {
		switch first := &roots.list[i]; {
		case t.In.IsZero() || t.In == t.root || first.In == t.In || t.Gone:
		case first.In.IsZero() || first.Kept: // it has its place there, though it was named besides
			first.Named = first.In.IsZero()
			first.In, first.Inventory, first.Kept = t.In, t.Inventory, false
			first.Note, first.Said = joinNotes(first.Note, t.Note), t.Said
		default:
			first.Note = joinNotes(first.Note, "also in "+t.Inventory)
		}
		return
	}
	roots.at[t.root] = len(roots.list)
	roots.list = append(roots.list, r)
}

// asRoot is what is said of an object that the target asks for.
func (t *target) asRoot(id status.ID) status.Root {
	return status.Root{
		ID: id, Version: t.version, Source: t.Source, Order: t.number, Generation: t.Generation, Optional: t.Optional,
		In: t.In, Inventory: t.Inventory, Note: t.Note, Told: t.Told, Said: t.Said, Kept: t.Kept,
	}
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
			unknown, ok := errors.AsType[*UnknownTypeError](err)
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
			if code(err) == 0 && e.ctx.Err() == nil {
				e.gate.trip()
			}
			e.hub.notice(status.Notice{Level: "warning", From: "discovery", Text: status.Clean(errorText(err))})
			_ = sleep(e.ctx, min(backoff(n+2), pauseMax))
		}
	})
}

// count finds out how many objects an area has; when that cannot be known,
// none.
func (e *Engine) count(a area) {
	ctx, cancel := context.WithTimeout(e.ctx, 2*time.Second)
	defer cancel()
	n, err := e.client.countArea(ctx, a)
	e.mu.Lock()
	e.counts[a] = n
	if code(err) == http.StatusForbidden {
		e.refused[a] = true
	}
	e.mu.Unlock()
	e.kick()
}

// carryOut starts and closes sources. One that is replaced by a wider one goes
// on until that one has its first list.
func (e *Engine) carryOut(specs []spec, named []rootWant, selections map[int]*target) {
	desired := map[spec]bool{}
	coming := map[resource]bool{}
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
	if groupKind := (status.ID{Group: sp.res.Group, Kind: sp.res.Kind}).GroupKind(); sp.res.Enc != encMeta {
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
	s.state = status.SourceState{
		Key: sp.key(), Group: sp.res.Group, Version: sp.res.Version, Resource: sp.res.Plural, Kind: sp.res.Kind,
		Namespace: sp.namespace, Name: sp.name, Selector: sp.selector, Mode: status.ModeWatch, Phase: status.Waiting, Children: sp.child,
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

// lookUp is the life of a source for a kind that nobody knows yet: it asks for
// it until it is served, then makes place for sources of that kind.
func (e *Engine) lookUp(s *source) {
	group, version, kind := s.spec.res.Group, s.spec.res.Version, s.spec.res.Kind
	s.set(func(st *status.SourceState) { st.Mode, st.Phase = s.mode, status.Syncing })
	for delay := time.Second; e.gate.wait(s.ctx, s.state.Key) == nil; {
		res, err := e.resolver.served(s.ctx, group, version, kind)
		switch {
		case err == nil:
			e.resolver.changed(res)
			return
		case errors.Is(err, errNotServed):
			s.fails.Store(0)
			e.hub.replace(s, nil, "")
			s.phase(status.NotServed, errNotServed, delay)
			if sleep(s.ctx, delay) != nil {
				return
			}
			delay = min(delay*3/2, servedPoll)
		case code(err) == http.StatusForbidden:
			s.phase(status.Forbidden, &deniedError{"get", err}, 10*time.Second)
			_ = sleep(s.ctx, 10*time.Second)
		default:
			if s.pause(s.ctx, err) != nil {
				return
			}
		}
	}
}

// rootSelection makes roots of what a selection's sources deliver.
type rootSelection struct{ target *target }

func (r *rootSelection) root(o *status.Object) (status.Root, bool) {
	t := r.target
	if t.Aside || t.unowned && (len(o.Owners) > 0 || ofTheSystem(o)) || !t.Filter.Passes(o) || o.ID == t.In {
		return status.Root{}, false
	}
	root := t.asRoot(o.ID)
	root.Version = o.Version
	if !t.In.IsZero() {
		root.Note = joinNotes(root.Note, inventory.MemberNote(o))
	}
	return root, true
}
