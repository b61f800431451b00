package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/find"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/podlogs"
)

// Options says what to follow, and how.
type Options struct {
	Config *rest.Config
	// Reread reads Config again, for when the server is not trusted any more, or
	// does not accept our credentials. Nil: they are what they are.
	Reread func() (*rest.Config, error)
	// Origin is where Config comes from, for words.
	Origin kube.Origin
	// Targets is what to follow, not to be changed afterwards.
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
	// Secrets leaves values that look like secrets in Detail as they are.
	Secrets bool
	// Frame is how long at least lies between two batches; 33 ms when zero.
	Frame time.Duration
}

// Engine follows what was asked for. Its methods are safe for concurrent use,
// but there is one receiver of batches: what Next has handed over is not kept
// for another one.
type Engine struct {
	opts     Options
	log      *slog.Logger
	client   *kube.Client
	resolver *kube.Resolver
	finder   *find.Finder
	hub      *hub
	gate     *gate.Gate
	tokens   flowcontrol.RateLimiter
	turns    *turns        // of first syncs
	wake     chan struct{} // holds at most one wish to plan anew

	// noWatchList remembers that this server does not stream an initial list, or
	// that something before it does not announce the end of one.
	noWatchList atomic.Bool

	patience time.Duration // of Preflight

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	planning sync.Mutex // held while a plan is made and carried out
	running  map[plan.Spec]*source
	number   int          // of sources, for keys
	needs    []edges.Need // the last plan's; its room is used again
	waiting  atomic.Bool  // for many parents

	mu        sync.Mutex
	groups    map[string][]*target
	order     []string      // of groups
	named     []plan.Wanted // what all of them together name; nil where that has to be looked up
	namedAt   int           // the resolver's learnings then
	areas     []*plan.NamedArea
	counts    map[plan.Area]int
	counting  map[plan.Area]bool
	refused   map[plan.Area]bool
	templates convert.Templates
	unseen    map[plan.Area]bool                // areas of which nothing may be read, or that are not served
	single    map[kube.Resource][]kube.Resource // see kindsOf
	asked     map[string]bool                   // what discovery was asked; true while it has not answered

	facts    map[object.ID]rootFacts // of the roots of inventories
	unknown  map[string]bool         // types of members that the server does not know
	searches map[int]*search         // by the number of their target

	events *eventKeeper
	refs   *refKeeper
	logs   *podlogs.Keeper
	sets   *setKeeper
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
	c, err := kube.NewClient(o.Config, o.Origin, o.Reread, o.Log)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		opts: o, log: o.Log, client: c, patience: patience,
		hub:    newHub(o.Frame, o.Children, time.Now),
		tokens: flowcontrol.NewTokenBucketRateLimiter(10, plan.Budget),
		turns:  newTurns(6), wake: make(chan struct{}, 1),
		running: map[plan.Spec]*source{}, groups: map[string][]*target{},
		counts: map[plan.Area]int{}, counting: map[plan.Area]bool{}, refused: map[plan.Area]bool{}, unseen: map[plan.Area]bool{},
		asked: map[string]bool{}, single: map[kube.Resource][]kube.Resource{},
		facts: map[object.ID]rootFacts{}, unknown: map[string]bool{}, searches: map[int]*search{},
	}
	e.resolver = kube.NewResolver(c, e.kick)
	e.finder = find.Using(c, e.resolver, o.Namespace)
	e.hub.kick = e.kick
	e.hub.onSettled = func() { e.spawn(e.giveMemoryBack) }
	c.Warn = func(text string) {
		e.hub.notice(feed.Notice{Level: "warning", From: "API server", Text: object.Clean(text)})
	}
	c.Clock = func(skew time.Duration) {
		e.hub.mu.Lock()
		e.hub.skew = skew
		e.hub.mu.Unlock()
	}
	e.setGroup("", o.Targets)
	e.events, e.refs, e.sets = newEventKeeper(e), newRefKeeper(e), newSetKeeper(e)
	e.logs = &podlogs.Keeper{Client: c, Object: e.hub.object, Spawn: e.spawn}
	return e, nil
}

// Start begins to follow. The engine ends with the context, or by Close.
func (e *Engine) Start(ctx context.Context) {
	e.ctx, e.cancel = context.WithCancel(ctx)
	e.gate = &gate.Gate{Context: e.ctx, Spawn: e.spawn, Probe: e.probe, Failed: e.tellCutOff}
	e.client.Doubted = e.gate.JustOpened
	e.logs.Context, e.logs.Gate = e.ctx, e.gate
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	e.sets.start()
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
			_ = gate.Sleep(e.ctx, max(5*time.Millisecond, 4*took))
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
	e.client.Close()
}

// Next implements feed.Feed.
func (e *Engine) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	return e.hub.next(ctx, since)
}

// Logs implements feed.Feed.
func (e *Engine) Logs(ctx context.Context, key feed.LogKey, since uint64) (feed.LogChunk, error) {
	return e.logs.Read(ctx, key, since)
}

// Want implements feed.Feed.
func (e *Engine) Want(w feed.Wants) {
	e.turns.show(w.Visible)
	e.refs.want(w.Refs) // both before the hub takes the wish for answered
	e.events.want(w.Events)
	e.hub.want(w.Gen, w.Children)
	e.logs.Want(w.Logs)
}

// Follow replaces the targets of a named group: the members of an inventory,
// say. Roots that no group asks for any more are Removed. The targets of New
// are the group "". The list is not to be changed afterwards.
func (e *Engine) Follow(group string, targets []inventory.Target) {
	e.setGroup(group, targets)
	e.hub.mu.Lock()
	e.hub.planDirty()
	e.hub.checkSynced()
	e.hub.mu.Unlock()
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
	body, err := e.client.Get(ctx, kube.Readyz, nil, "*/*")
	switch c := kube.Code(err); {
	case err == nil:
		return body.Close()
	case c >= http.StatusInternalServerError: // with pages of what is well and what is not
		return &kube.Problem{Text: fmt.Sprintf("the API server is not ready (%d)", c), Err: err, Passing: true}
	case c != 0:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return &kube.Problem{Text: kube.ErrNoAnswer.Error(), Err: err, Passing: true}
	}
	return err
}

// tellCutOff lets all who wait for the server know why they wait.
func (e *Engine) tellCutOff(err error) {
	for _, s := range e.hub.cutOff() {
		s.learn(err)
	}
}

// deny remembers that an area may not be watched as a whole, until it may: a
// watch for each name is many times as many streams. Where it could be watched
// before, it is asked for again soon.
func (e *Engine) deny(s plan.Spec, before bool) {
	a := plan.Area{Resource: s.Resource, Namespace: s.Namespace}
	e.mu.Lock()
	known := e.refused[a]
	e.refused[a] = true
	e.mu.Unlock()
	e.kick()
	if known {
		return
	}
	e.spawn(func() {
		delay := deniedFor
		if before {
			delay = deniedFirst
		}
		for ; gate.Sleep(e.ctx, delay) == nil; delay = min(2*delay, deniedFor) {
			if !e.client.MayWatch(e.ctx, a.Resource, a.Namespace) {
				continue
			}
			e.mu.Lock()
			delete(e.refused, a)
			e.mu.Unlock()
			e.kick()
			return
		}
	})
}

// seen remembers whether anything of the area of s can be read. What is looked
// for in its place is part of the plan, so the plan is out of date before the
// source says that it has its answer.
func (e *Engine) seen(s plan.Spec, yes bool) {
	if s.Name != "" {
		return // others of its kind may be seen all the same
	}
	a := plan.Area{Resource: s.Resource, Namespace: s.Namespace}
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

// heapGrowth is by how many percent the heap grows between two collections: most of
// what a first sync brings stays, so room for twice as much is room for nothing.
const heapGrowth = 50

// settleTime is how long after the first sync its receiver may still be busy
// with what has come.
const settleTime = time.Second

// giveMemoryBack returns what the first sync needed beyond what it left.
func (e *Engine) giveMemoryBack() {
	if gate.Sleep(e.ctx, settleTime) == nil {
		debug.FreeOSMemory()
	}
}
