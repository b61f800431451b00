// Package watch follows what was asked for, and what is generated from it, and hands
// over what changed. Requests and their answers are package kube's.
//
// The way of the data: targets (targets.go) → [resolve.Resolver] (which resource is meant?)
// → package plan (which streams are needed?) → carryout.go (starts and ends them) → package
// sources (one stream each: a client-go Reflector, which converts each object as it comes) →
// package hub (the only writer of what is known of followed objects) → [Engine.Next] (the
// union of what changed, at most once a frame). Beside the hub, package refs keeps what
// explanations look up, and package events the events that are wanted, each with streams of
// its own; Next joins them. What inventories list is decided by package follow, which knows
// the hub as a [follow.Engine] alone.
//
// How children are found: package edges says in which streams the children of an object may
// appear, [hub.Hub.Needs] collects that for all objects in the hub, and the next plan has those
// streams. Each child that arrives may be a parent in turn.
//
// docs/internals/faults.md lists the faults, and the tests that cause them.
//
// House rules. Nothing is fatal but a usage error. All waiting is under a context,
// so that closing takes no longer than a moment.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/events"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/hub"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/podlogs"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/refs"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// Options says what to follow, and how.
type Options struct {
	Config *rest.Config
	// Reread loads Config again when a certificate or the credentials are not
	// accepted any more. Nil means that they cannot change.
	Reread func() (*rest.Config, error)
	// Origin says where Config comes from, for messages.
	Origin kube.Origin
	// Targets is what to follow. It must not be modified afterwards.
	Targets []inventory.Target
	// Children is "auto" (the default: those of the parents in Wants), "all" or "none".
	Children string
	// Poll, if not zero, polls at this interval instead of watching.
	Poll time.Duration
	// Namespace is the default namespace of targets.
	Namespace string
	// Log takes a debug log. Nil discards it.
	Log *slog.Logger
	// Whole reports whether objects of a kind ("apps/Deployment", "Pod") are
	// kept with every field, for the user's own rules. Nil means none. Kinds
	// that are only read as metadata are not affected.
	Whole func(groupKind string) bool
	// Expand says which inventories are followed: those of all roots ("auto",
	// the default), or only those named by a scheme ("none").
	Expand string
	// Optional reports which roots may fail besides the optional Targets, and with
	// them their members. Nil means none.
	Optional func(id object.ID) bool
	// Secrets keeps values that look like secrets in Detail.
	Secrets bool
	// Frame is the least time between two batches; 33 ms if zero.
	Frame time.Duration
	// Part says that the server knows a part of a cluster, as a saved one. Nil means
	// all of it.
	Part *Part
}

// Part is what is known of a cluster that is known in part. What is not in it may
// exist all the same.
type Part struct {
	// Complete reports whether a list of a resource has everything in a namespace.
	Complete func(res kube.Resource, namespace string) bool
	// Has reports whether the object of a UID is in it. Others own nothing.
	Has func(uid string) bool
	// Unknown is the answer about a kind that is not in it.
	Unknown func(kind string) error
}

// owned reports whether another object owns an object.
func (e *Engine) owned(o *object.Object) bool {
	return slices.ContainsFunc(o.Owners, func(w object.Owner) bool {
		return e.opts.Part == nil || e.opts.Part.Has(w.UID)
	})
}

// everything reports whether all of a namespace, or of all, means a kind. In a part
// of a cluster, all of it includes what is in no namespace.
func (e *Engine) everything(t *target) func(resolve.Discovered) bool {
	return func(d resolve.Discovered) bool {
		return find.Everything(d) || e.opts.Part != nil && t.AllNamespaces && !d.Namespaced
	}
}

// partial reports whether there may be more in an area than a list of it has.
func (e *Engine) partial(a plan.Area) bool {
	return e.opts.Part != nil && !e.opts.Part.Complete(a.Resource, a.Namespace)
}

// Engine follows the targets. Its methods are safe for concurrent use, but batches have
// one receiver: what Next has returned is not kept for another.
type Engine struct {
	opts     Options
	client   *kube.Client
	resolver *resolve.Resolver
	finder   *find.Finder
	hub      *hub.Hub
	server   *sources.Server
	wake     chan struct{} // buffered, one: a new plan is needed
	patience time.Duration // of Preflight with a slow server; after that the screen shows the wait

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	planning sync.Mutex                // held while a plan is made and carried out, or a Wants taken in
	wantsGen uint64                    // the Gen of the newest Wants
	running  map[plan.Spec]*hub.Intake // the streams of the plan that is carried out
	trouble  error                     // why not all of the targets' kinds are known

	mu         sync.Mutex
	number     int // of targets so far, for the keys of their sources
	groups     map[object.ID]group
	order      []object.ID             // of groups
	splitAreas map[plan.Area]time.Time // until when an area's names are watched, and not all of it
	questions  map[string]error        // to discovery, and why there is no answer yet
	templates  convert.Templates
	// resolution is that of the last plan; outdated says that something was learned since.
	resolution *resolution

	outdated    atomic.Bool
	metrics     atomic.Bool   // metrics.k8s.io is known to be served
	unanswered  atomic.Int32  // questions to discovery that have had no answer at all
	firstAnswer chan struct{} // buffered, one: one of them has had its first answer
	events      *events.Keeper
	refs        *refs.Keeper
	logs        *podlogs.Keeper
	inventories *follow.Follower
}

// New prepares an engine. It makes no request.
func New(o Options) (*Engine, error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Frame = cmp.Or(o.Frame, 33*time.Millisecond)
	o.Namespace = cmp.Or(o.Namespace, metav1.NamespaceDefault)
	c, err := kube.NewClient(o.Config, o.Origin, o.Reread, o.Log)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		opts: o, client: c, patience: 250 * time.Millisecond, hub: hub.New(o.Frame, o.Children, time.Now),
		firstAnswer: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		running: map[plan.Spec]*hub.Intake{}, groups: map[object.ID]group{},
		splitAreas: map[plan.Area]time.Time{}, questions: map[string]error{},
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.resolver = resolve.New(c, e.learned)
	if o.Part != nil {
		e.resolver.Unknown = o.Part.Unknown
	}
	e.server = &sources.Server{
		Client: c, Resolver: e.resolver,
		Gate:  &gate.Gate{Context: e.ctx, Spawn: e.spawn, Probe: e.probe, Failed: e.explainOutage},
		Turns: sources.NewTurns(6), Tokens: flowcontrol.NewTokenBucketRateLimiter(10, plan.Budget),
		Poll: o.Poll, Spawn: e.spawn, End: e.hub.EndFeed, NotAsWhole: e.splitArea,
	}
	e.finder = &find.Finder{Client: c, Resolver: e.resolver, Namespace: o.Namespace}
	e.inventories = &follow.Follower{Engine: e.hub, Reader: e.finder, Spawn: e.spawn}
	e.hub.RequestPlan = e.kick
	e.hub.ExpandInventories = o.Expand != "none"
	e.hub.IsOptional = o.Optional
	e.hub.InventoryChanged = e.inventories.Changed
	e.hub.InventoryDecided = func(root object.ID, d follow.Decision) { e.setGroup(root, d.Targets, d.Facts) }
	c.Warn = func(text string) {
		e.hub.Notice(feed.Notice{Level: "warning", From: "API server", Text: object.Clean(text)})
	}
	c.Clock, c.Doubted = e.hub.SetSkew, e.server.Gate.JustOpened
	e.setGroup(byUser, o.Targets, follow.Facts{})
	e.events = &events.Keeper{
		Context: e.ctx, Object: e.object, Wake: e.hub.Wake,
		Run: func(ctx context.Context, s plan.Spec, to sources.Sink) {
			e.spawn(func() { e.server.New(ctx, sources.ForEvents, s, nil, convert.Options{}).Run(to) })
		},
	}
	e.refs = &refs.Keeper{
		Context: e.ctx, Kind: e.resolver.Kind, Describe: e.describe, Followed: e.hub.Followed, Wake: e.hub.Wake,
		Run: func(ctx context.Context, s plan.Spec, to sources.Sink) func() time.Time {
			run := e.server.New(ctx, sources.ForReferences, s, nil, e.conversion(s.Resource))
			e.spawn(func() { run.Run(to) })
			return run.LastData
		},
	}
	e.logs = &podlogs.Keeper{Context: e.ctx, Client: c, Gate: e.server.Gate, Object: e.object, Spawn: e.spawn}
	if o.Part != nil { // it answers itself: only this machine can be slow
		e.logs.Patience, e.refs.Patience = time.Minute, time.Minute
	}
	return e, nil
}

// Start begins to follow. The engine ends with the context, or by Close.
func (e *Engine) Start(ctx context.Context) {
	context.AfterFunc(ctx, e.cancel)
	e.inventories.Start(e.ctx, e.opts.Targets)
	e.plan()
	e.spawn(func() {
		for next := time.Now(); ; {
			select {
			case <-e.ctx.Done():
				e.hub.EndFeed(context.Canceled)
				return
			case <-e.wake:
			}
			// Changes within a moment share a plan.
			_ = gate.Sleep(e.ctx, max(5*time.Millisecond, time.Until(next)))
			began := time.Now()
			e.plan()
			next = time.Now().Add(restAfterPlan(time.Since(began)))
		}
	})
}

// restAfterPlan is how long no other plan is made after one that took some time: plans take
// a twentieth of the time. A plan that took long because the machine was busy must not keep
// back what the next one starts: it would outlast [refs.Patience], and the answer would
// lack an object that the server could have given.
func restAfterPlan(took time.Duration) time.Duration { return min(19*took, 500*time.Millisecond) }

// Close ends everything and waits up to a second for that.
func (e *Engine) Close() {
	e.cancel()
	done := make(chan struct{})
	go func() {
		e.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		e.opts.Log.Warn("some requests did not end in time")
	}
	e.client.Close()
}

// Next implements feed.Feed.
func (e *Engine) Next(ctx context.Context, _ uint64) (feed.Batch, error) {
	b, err := e.hub.Next(ctx)
	if err == nil {
		e.refs.Join(&b)
		e.events.Join(&b)
	}
	return b, err
}

// object returns a known object, or nil.
func (e *Engine) object(id object.ID) *object.Object {
	if o := e.hub.Get(id); o != nil {
		return o
	}
	return e.refs.Get(id)
}

// Logs implements feed.Feed.
func (e *Engine) Logs(ctx context.Context, key feed.LogKey, since uint64) (feed.LogChunk, error) {
	return e.logs.Read(ctx, key, since)
}

// Want implements feed.Feed.
func (e *Engine) Want(w feed.Wants) {
	e.planning.Lock()
	defer e.planning.Unlock()
	if w.Gen < e.wantsGen {
		return // it was overtaken
	}
	e.wantsGen = w.Gen
	e.server.Turns.Show(w.Visible)
	e.refs.Want(w.Refs) // these two before the hub may count the Wants as answered
	e.events.Want(w.Events)
	e.hub.Want(w.Gen, w.Children)
	e.logs.Want(w.Logs)
}

// kick requests a new plan.
func (e *Engine) kick() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// spawn starts a goroutine of the engine. A panic in it ends the feed with an
// error, so that the terminal is restored.
func (e *Engine) spawn(f func()) {
	e.wg.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				crash := problem.Caught(r, debug.Stack())
				e.opts.Log.Error(crash.Error(), "stack", crash.Stack)
				e.hub.EndFeed(crash)
			}
		}()
		f()
	})
}

// probe asks whether the server is reachable. Any answer counts, except one
// that says that it is not ready.
func (e *Engine) probe(ctx context.Context) error {
	_, err := e.client.Read(ctx, kube.Readyz, nil, kube.AcceptJSON)
	switch c := kube.Code(err); {
	case c >= http.StatusInternalServerError: // with a page that lists failed checks
		return fmt.Errorf("the API server is not ready (%d)", c)
	case c != 0:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return kube.ErrNoAnswer
	}
	return err
}

// explainOutage notes in all sources that wait for the server why they wait: the end
// of a stream does not say why no other one can be opened.
func (e *Engine) explainOutage(err error) {
	e.planning.Lock()
	defer e.planning.Unlock()
	explain := func(st *feed.SourceState) {
		if st.Phase == feed.Stale {
			sources.Explain(st, err)
		}
	}
	for _, s := range e.running {
		s.UpdateState(explain)
	}
	e.refs.ChangeStates(explain)
}

// Delays before an area that may not be watched as a whole is tried again, the first if it
// could be until now. Watches by name miss nothing, but a short loss of permission must not
// leave a stream per name behind.
const (
	wholeAgainSoon = 10 * time.Second
	wholeAgain     = 5 * time.Minute
)

// splitArea has the names of an area watched, until it is tried as a whole again.
func (e *Engine) splitArea(s plan.Spec, before bool) {
	a := s.Area()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.notAsWhole(a) {
		return
	}
	delay := wholeAgain
	if before {
		delay = wholeAgainSoon
	}
	e.splitAreas[a] = time.Now().Add(delay)
	e.kick()
	time.AfterFunc(delay, e.kick)
}

// notAsWhole reports whether an area may not be watched as a whole.
func (e *Engine) notAsWhole(a plan.Area) bool { return time.Now().Before(e.splitAreas[a]) }
