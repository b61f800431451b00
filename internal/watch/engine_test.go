package watch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/podlogs"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// follower is a receiver of batches that remembers what it was handed.
type follower struct {
	t       *testing.T
	c       *testcluster.Cluster
	e       *Engine
	since   uint64
	roots   map[object.ID]feed.Root
	objects map[object.ID]*object.Object
	absent  map[object.ID]bool
	gone    []feed.Gone
	events  map[string]object.Event
	// answered and eventsAnswered are the newest Wants that have been.
	answered, eventsAnswered uint64
	sources                  map[string]feed.SourceState
	phases                   []string // every change of phase: "deployments.apps -n shop web: stale"
	notices                  []feed.Notice
	synced                   bool
}

// inBubble runs a test against an in-memory API server under a fake clock. The
// bubble fails the test when a goroutine is left behind.
func inBubble(t *testing.T, f func(t *testing.T, c *testcluster.Cluster)) {
	synctest.Test(t, func(t *testing.T) {
		c := testcluster.New()
		defer c.Close()
		f(t, c)
	})
}

func start(t *testing.T, c *testcluster.Cluster, o Options, targets ...inventory.Target) *follower {
	t.Helper()
	return startWith(t, c, o, nil, targets...)
}

func startWith(t *testing.T, c *testcluster.Cluster, o Options, configure func(*Options), targets ...inventory.Target) *follower {
	t.Helper()
	o.Config, o.Targets = c.Config(), targets
	if configure != nil {
		configure(&o)
	}
	if o.Namespace == "" {
		o.Namespace = "shop"
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return attend(t, c, e)
}

// more follows further targets.
func (f *follower) more(group string, targets []inventory.Target) {
	f.e.setGroup(object.ID{Name: group}, targets, follow.Facts{})
	f.e.hub.Replan()
}

// attend starts an engine.
func attend(t *testing.T, c *testcluster.Cluster, e *Engine) *follower {
	t.Helper()
	f := &follower{
		t: t, c: c, e: e, roots: map[object.ID]feed.Root{}, objects: map[object.ID]*object.Object{}, absent: map[object.ID]bool{},
		events: map[string]object.Event{}, sources: map[string]feed.SourceState{},
	}
	e.Start(t.Context())
	t.Cleanup(func() {
		began := time.Now()
		e.Close()
		if d := time.Since(began); d >= time.Second {
			t.Errorf("Close took %v", d)
		}
	})
	f.drain()
	return f
}

// drain takes what there is at this moment.
func (f *follower) drain() {
	f.t.Helper()
	for {
		synctest.Wait()
		if fresh, err := f.e.hub.HasChanges(); !fresh && err == nil {
			return
		}
		b, err := f.e.Next(f.t.Context(), f.since)
		if err != nil {
			f.t.Fatalf("Next: %v", err)
		}
		f.take(b)
	}
}

// take applies a batch in the documented order.
func (f *follower) take(b feed.Batch) {
	f.since, f.synced = b.Seq, b.Synced
	for _, r := range b.Roots {
		if r.Removed {
			delete(f.roots, r.ID)
		} else {
			f.roots[r.ID] = r
		}
	}
	for _, g := range b.Gone {
		f.gone = append(f.gone, g)
		if o := f.objects[g.ID]; o == nil || o.UID != g.UID {
			f.t.Errorf("%v (%s) is gone, but was not there", g.ID, g.UID)
		}
		delete(f.objects, g.ID)
	}
	for _, id := range b.Absent {
		f.absent[id] = true
	}
	for _, o := range b.Objects {
		if old := f.objects[o.ID]; old != nil && old.UID != o.UID {
			f.t.Errorf("%v changed its UID without having been gone", o.ID)
		}
		f.objects[o.ID] = o
		delete(f.absent, o.ID)
	}
	for _, e := range b.Events {
		f.events[e.UID] = e
	}
	f.answered, f.eventsAnswered = b.Answered, b.EventsAnswered
	for _, s := range b.Sources {
		if f.sources[s.Key].Phase != s.Phase {
			f.phases = append(f.phases, s.Key+": "+string(s.Phase))
		}
		f.sources[s.Key] = s
	}
	f.notices = append(f.notices, b.Notices...)
}

// within waits, in fake time, until cond holds, and tells how long that took.
func (f *follower) within(limit time.Duration, what string, cond func() bool) time.Duration {
	f.t.Helper()
	began := time.Now()
	for {
		f.drain()
		if cond() {
			return time.Since(began)
		}
		if time.Since(began) > limit {
			f.t.Fatalf("not within %v: %s\nobjects: %v\nsources: %v", limit, what, f.names(), f.states())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (f *follower) settled() {
	f.t.Helper()
	f.within(2*time.Second, "synced", func() bool { return f.synced })
}

// rest lets time pass.
func (f *follower) rest(d time.Duration) {
	f.t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(min(100*time.Millisecond, time.Until(end)))
		f.drain()
	}
}

func (f *follower) names() []string {
	var out []string
	for id := range f.objects {
		out = append(out, id.String())
	}
	slices.Sort(out)
	return out
}

func (f *follower) states() []string {
	var out []string
	for k, s := range f.sources {
		if s.Phase != feed.Closed {
			out = append(out, fmt.Sprintf("%s %s %s %q", k, s.Mode, s.Phase, s.Error))
		}
	}
	slices.Sort(out)
	return out
}

// source finds the one source whose key begins so.
func (f *follower) source(prefix string) feed.SourceState {
	for k, s := range f.sources {
		if strings.HasPrefix(k, prefix) && s.Phase != feed.Closed {
			return s
		}
	}
	return feed.SourceState{}
}

func (f *follower) phase(prefix string, p feed.Phase) func() bool {
	return func() bool { return f.source(prefix).Phase == p }
}

func (f *follower) has(id object.ID) func() bool { return func() bool { return f.objects[id] != nil } }

func named(typ, name string) inventory.Target {
	return inventory.Target{Source: typ + "/" + name, Type: typ, Name: name}
}

func manifest(group, version, kind, name string) inventory.Target {
	return inventory.Target{Source: "-f app.yaml", ID: object.ID{Group: group, Kind: kind, Namespace: "shop", Name: name}, Version: version}
}

var (
	webID = object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	podID = object.ID{Kind: "Pod", Namespace: "shop", Name: "web-1-a"}
)

func deployment(name string) map[string]any {
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": name, "namespace": "shop", "labels": map[string]any{"app": name}},
		"spec":     map[string]any{"replicas": 1, "selector": map[string]any{"matchLabels": map[string]any{"app": name}}},
		"status":   map[string]any{"replicas": 1},
	}
}

func owned(apiVersion, kind, name, ownerKind, ownerUID string, labels map[string]any) map[string]any {
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{
		"name": name, "namespace": "shop", "labels": labels,
		"ownerReferences": []any{map[string]any{"apiVersion": "apps/v1", "kind": ownerKind, "name": "x", "uid": ownerUID, "controller": true}},
	}}
}

// putApp creates a Deployment with a ReplicaSet and a Pod.
func putApp(c *testcluster.Cluster, name string) (uid string) {
	uid = c.Put(deployment(name))
	labels := map[string]any{"app": name}
	rs := owned("apps/v1", "ReplicaSet", name+"-1", "Deployment", uid, labels)
	rs["spec"] = map[string]any{"selector": map[string]any{"matchLabels": labels}}
	rsUID := c.Put(rs)
	pod := owned("v1", "Pod", name+"-1-a", "ReplicaSet", rsUID, labels)
	pod["status"] = map[string]any{"phase": "Running"}
	c.Put(pod)
	return uid
}

func count(c *testcluster.Cluster, match func(testcluster.Request) bool) int {
	n := 0
	for _, r := range c.Requests() {
		if match(r) {
			n++
		}
	}
	return n
}

func isList(r testcluster.Request) bool { return r.Verb == "list" && r.Resource != "" }

func isInitialWatch(r testcluster.Request) bool {
	return r.Verb == "watch" && strings.Contains(r.Query, "sendInitialEvents")
}

func TestADeploymentIsFollowedWithEverythingGeneratedFromIt(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		putApp(c, "other")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		if got := strings.Join(f.names(), " "); got != "Deployment/web Pod/web-1-a ReplicaSet/web-1" {
			t.Errorf("followed: %s", got)
		}
		if n := count(c, isList); n != 0 {
			t.Errorf("%d lists were made", n)
		}
		if len(f.roots) != 1 || f.roots[webID].Source != "deploy/web" {
			t.Errorf("roots: %v", f.roots)
		}
	})
}

func TestChildrenAreFollowedWhenTheyAreWanted(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		if len(f.objects) != 1 {
			t.Errorf("followed without being wanted: %v", f.names())
		}
		f.e.Want(feed.Wants{Children: []object.ID{webID}})
		f.within(time.Second, "pod", f.has(podID))
	})
}

func TestNoChildrenAreFollowedWithChildrenNone(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{Children: "none"}, named("deploy", "web"))
		f.settled()
		f.e.Want(feed.Wants{Children: []object.ID{webID}})
		f.rest(time.Second)
		if len(f.objects) != 1 {
			t.Errorf("followed: %v", f.names())
		}
	})
}

func TestAMissingObjectIsAbsentUntilItIsCreated(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		if !f.absent[webID] {
			t.Fatal("not absent")
		}
		putApp(c, "web")
		f.within(200*time.Millisecond, "the whole tree", func() bool { return len(f.objects) == 3 })
		if f.absent[webID] {
			t.Error("still absent")
		}
		c.Delete("Deployment", "shop", "web")
		f.within(200*time.Millisecond, "absent again", func() bool { return f.absent[webID] })
		if len(f.gone) != 1 || f.gone[0].ID != webID {
			t.Errorf("gone: %v", f.gone)
		}
		if len(f.objects) != 2 {
			t.Errorf("children that are still there were dropped: %v", f.names())
		}
		c.Delete("Pod", "shop", "web-1-a")
		f.within(200*time.Millisecond, "pod gone", func() bool { return f.objects[podID] == nil })
	})
}

func TestARecreatedObjectIsGoneBeforeItIsThereAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		old := putApp(c, "web")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		c.Delete("Deployment", "shop", "web")
		uid := c.Put(deployment("web"))
		f.within(time.Second, "the new one", func() bool { return f.objects[webID] != nil && f.objects[webID].UID == uid })
		if len(f.gone) != 1 || f.gone[0].UID != old {
			t.Errorf("gone: %v", f.gone)
		}
		// Without a stream; its deletion event is compacted.
		c.Stop()
		f.rest(time.Second)
		c.Delete("Deployment", "shop", "web")
		last := c.Put(deployment("web"))
		c.Forget()
		c.Start()
		f.within(5*time.Second, "the last one", func() bool { return f.objects[webID] != nil && f.objects[webID].UID == last })
		if len(f.gone) != 2 || f.gone[1].UID != uid {
			t.Errorf("gone: %v", f.gone)
		}
	})
}

func TestAKindThatIsServedLaterIsPickedUp(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		widget := object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "w"}
		f := start(t, c, Options{}, manifest("example.com", "v1", "Widget", "w"), named("deploy", "web"))
		f.settled()
		if f.source("kind Widget.example.com").Phase != feed.NotServed || !f.absent[widget] {
			t.Fatalf("sources: %v", f.states())
		}
		if f.objects[webID] == nil {
			t.Error("the others have to wait")
		}
		f.rest(time.Minute)
		c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"})
		c.Put(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"},"status":{"ready":true}}`)
		f.within(5*time.Second, "the widget", f.has(widget))
		if s := f.source("kind Widget"); s.Key != "" {
			t.Errorf("still looked for: %v", s)
		}
	})
}

func TestASourceReportsWhetherAStatusIsServed(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		for _, kind := range []string{"Widget", "Note"} {
			c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: strings.ToLower(kind) + "s", Kind: kind})
			c.Put(`{"apiVersion":"example.com/v1","kind":"` + kind + `","metadata":{"name":"x","namespace":"shop"}}`)
		}
		c.ServeStatus("Widget")
		f := start(t, c, Options{}, manifest("example.com", "v1", "Widget", "x"), named("note", "x"))
		f.settled()
		if w, n := f.source("widgets"), f.source("notes"); !w.Reports || n.Reports || n.Key == "" {
			t.Errorf("widgets report %v, notes %v", w, n)
		}
	})
}

func TestALateKindMayTurnOutToBeClusterScoped(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		f := start(t, c, Options{}, manifest("example.com", "v1", "Ring", "r"))
		f.settled()
		c.Serve(testcluster.Resource{Group: "example.com", Version: "v2", Plural: "rings", Kind: "Ring", Cluster: true})
		c.Put(`{"apiVersion":"example.com/v2","kind":"Ring","metadata":{"name":"r"}}`)
		ring := object.ID{Group: "example.com", Kind: "Ring", Name: "r"}
		f.within(5*time.Second, "the ring", f.has(ring))
		if len(f.roots) != 1 || f.roots[ring].ID != ring {
			t.Errorf("roots: %v", f.roots)
		}
	})
}

func TestAStoppedServerLeavesTheRowsAndIsBackWithinTwoSeconds(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		f.rest(2 * time.Second) // a Reflector lists again after a watch of less than a second
		lists := count(c, isInitialWatch)
		c.Stop()
		f.within(time.Second, "stale", f.phase("deployments", feed.Stale))
		f.rest(30 * time.Second)
		if len(f.objects) != 3 || len(f.gone) != 0 {
			t.Errorf("rows: %v, gone: %v", f.names(), f.gone)
		}
		if s := f.source("deployments"); s.Error == "" || s.LastData.IsZero() {
			t.Errorf("it does not say why, or how old the data are: %+v", s)
		}
		c.Delete("Pod", "shop", "web-1-a") // without a stream
		c.Start()
		f.within(2*time.Second, "all live", func() bool {
			for _, s := range f.sources {
				if s.Phase != feed.Live {
					return false
				}
			}
			return f.objects[podID] == nil
		})
		if n := count(c, isInitialWatch) + count(c, isList); n != lists {
			t.Errorf("%d lists where the watches could be resumed", n-lists)
		}
	})
}

// An API server that has just started refuses all requests for a moment,
// because it has not loaded RBAC.
func TestARefusalRightAfterAnOutageIsDoubted(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		f.rest(2 * time.Second)
		lists, phases := count(c, isInitialWatch), len(f.phases)
		c.Stop()
		f.within(time.Second, "stale", f.phase("deployments", feed.Stale))
		lift := c.Inject(testcluster.Fault{Match: func(testcluster.Request) bool { return true }, Status: 403})
		c.Start()
		f.rest(1500 * time.Millisecond)
		lift()
		f.within(2*time.Second, "all live", func() bool {
			for _, s := range f.sources {
				if s.Phase != feed.Live {
					return false
				}
			}
			return true
		})
		if n := count(c, isInitialWatch) + count(c, isList); n != lists {
			t.Errorf("%d lists where the watches could be resumed", n-lists)
		}
		for _, p := range f.phases[phases:] {
			if strings.HasSuffix(p, ": "+string(feed.Forbidden)) {
				t.Errorf("said meanwhile: %s", p)
			}
		}

		// Who is refused for longer has lost the right.
		c.Stop()
		f.within(time.Second, "stale", f.phase("deployments", feed.Stale))
		c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Path != kube.Readyz }, Status: 403})
		c.Start()
		f.within(30*time.Second, "the refusal", f.phase("deployments.apps -n shop web", feed.Forbidden))
	})
}

func TestOneProberRequestsAServerThatDoesNotAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"), named("deploy", "a"), named("deploy", "b"))
		f.settled()
		lift := c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Path == "/readyz" || r.Verb == "watch" }, Status: 503})
		c.CutStreams()
		before := len(c.Requests())
		f.rest(time.Minute)
		// Only one probe a second.
		if n := len(c.Requests()) - before; n > 75 {
			t.Errorf("%d requests in a minute of outage", n)
		}
		lift()
		f.within(3*time.Second, "live", f.phase("deployments.apps -n shop web", feed.Live))
	})
}

// http1 allows HTTP/1.1 alone, like many a proxy.
func http1(o *Options) { o.Config.NextProtos = []string{"http/1.1"} }

func TestASilentConnectionIsNoticed(t *testing.T) {
	for _, test := range []struct {
		by        string
		configure func(*Options)
		limit     time.Duration
	}{
		{"pings (HTTP/2)", nil, 12 * time.Second},
		{"bookmarks, or a renewal (HTTP/1.1)", http1, sources.LiveSilence + time.Second},
	} {
		t.Run(test.by, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putApp(c, "web")
				f := startWith(t, c, Options{}, test.configure, named("deploy", "web"))
				f.settled()
				f.rest(10 * time.Minute)
				if s := f.source("deployments"); s.Phase != feed.Live {
					t.Fatalf("a quiet watch with bookmarks is not live: %+v", s)
				}
				c.Freeze()
				d := f.within(3*time.Minute, "stale", f.phase("deployments", feed.Stale))
				if d > test.limit {
					t.Errorf("noticed after %v", d)
				}
				c.Thaw()
				f.within(2*time.Second, "live", f.phase("deployments", feed.Live))
			})
		})
	}
}

// By HTTP/1.1 a server that has stopped looks like one that has nothing to say, for up to
// 90 s: until then the header must not call it live.
func TestWithoutPingsNothingIsCalledLive(t *testing.T) {
	for name, configure := range map[string]func(*Options){"HTTP/2": nil, "HTTP/1.1": http1} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putApp(c, "web")
				f := startWith(t, c, Options{}, configure, named("deploy", "web"))
				f.settled()
				f.rest(5 * time.Minute)
				if s := f.source("deployments"); s.Phase != feed.Live || s.Unpinged != (name == "HTTP/1.1") {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

func TestAServerThatHangsFromTheStartIsAVisibleState(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Freeze()
		f := start(t, c, Options{}, named("deploy", "web"))
		if err := f.e.Preflight(t.Context()); err != nil {
			t.Errorf("a slow server is a failure: %v", err)
		}
		if len(f.roots) != 1 || f.source("deployments").Phase != feed.Syncing || f.synced {
			t.Errorf("roots %v, sources %v", f.roots, f.states())
		}
		f.within(11*time.Second, "stale", f.phase("deployments", feed.Stale))
		c.Thaw()
		f.within(3*time.Second, "the deployment", f.has(webID))
	})
}

func TestAnExpiredWatchListsAgainAndReportsDeletions(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		c.Stop()
		f.rest(time.Second)
		c.Delete("Pod", "shop", "web-1-a")
		c.Forget()
		c.Start()
		f.within(3*time.Second, "the pod gone", func() bool { return f.objects[podID] == nil })
		if len(f.objects) != 2 || len(f.gone) != 1 {
			t.Errorf("objects %v, gone %v", f.names(), f.gone)
		}
		f.within(3*time.Second, "live", f.phase("pods", feed.Live))
	})
}

// A list by pages from a version on is, unless it says otherwise, of exactly that
// version: while etcd has it and the watch from there has expired, that would be
// the same list again and again, and nothing newer.
func TestAListAfterAnExpiredWatchAsksForNothingOlderAndNotForThatVery(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Inject(testcluster.Fault{NoEnd: true}) // so it lists
		f := start(t, c, Options{}, named("deploy", "web"))
		f.within(15*time.Second, "synced", func() bool { return f.synced })
		began := time.Now()
		c.Stop()
		f.rest(time.Second)
		c.Put(deployment("web"))
		c.Forget()
		c.Start()
		f.rest(time.Minute)
		again := 0
		for _, r := range c.Requests() {
			if r.At.Before(began) || !isList(r) || !strings.Contains(r.Query, "resourceVersion=") {
				continue
			}
			again++
			if !strings.Contains(r.Query, "resourceVersionMatch=NotOlderThan") {
				t.Errorf("%s?%s", r.Path, r.Query)
			}
		}
		if again == 0 {
			t.Error("nothing was listed from a version on")
		}
	})
}

func TestARestoredClusterWithOlderVersionsIsBelieved(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		for range 50 {
			c.Put(deployment("web"))
		}
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		c.Stop()
		c.Restore(20)
		d := deployment("web")
		d["metadata"].(map[string]any)["generation"] = 7
		c.Put(d)
		c.Forget()
		c.Start()
		f.within(5*time.Second, "the restored state", func() bool { return f.objects[webID].Generation.V == 7 })
	})
}

func TestTheEndOfTheInitialListIsWatchedOver(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Inject(testcluster.Fault{NoEnd: true})
		f := start(t, c, Options{}, named("deploy", "web"), named("deploy", "none"))
		f.within(100*time.Millisecond, "the row, though the list has not ended", f.has(webID))
		d := f.within(15*time.Second, "synced", func() bool { return f.synced })
		if d < 9*time.Second || d > 12*time.Second {
			t.Errorf("noticed after %v", d)
		}
		if !f.absent[object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "none"}] {
			t.Error("what is absent was not found out")
		}
		if count(c, isList) == 0 {
			t.Error("no list was made instead")
		}
		// It is remembered: newcomers list at once.
		f.more("more", []inventory.Target{named("deploy", "more")})
		f.within(time.Second, "synced again", func() bool { return f.synced && f.source("deployments.apps -n shop more").Phase == feed.Live })
	})
}

func forbid(verbs ...string) testcluster.Fault {
	return testcluster.Fault{Status: 403, Message: "forbidden: no rights", Match: func(r testcluster.Request) bool {
		return r.Resource != "" && slices.Contains(verbs, r.Verb)
	}}
}

func TestWithoutTheRightToWatchASelectionIsPolled(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		lift := c.Inject(forbid("watch"))
		f := start(t, c, Options{Children: "all"}, inventory.Target{Source: "deploy", Type: "deploy", All: true})
		f.within(3*time.Second, "everything", func() bool { return len(f.objects) == 3 })
		if s := f.source("deployments"); s.Mode != feed.ModePollList || s.Phase != feed.Live {
			t.Errorf("%+v", s)
		}
		c.Put(deployment("api"))
		f.within(11*time.Second, "the new one", func() bool { return len(f.roots) == 2 })
		c.Delete("Deployment", "shop", "api")
		f.within(11*time.Second, "the new one gone", func() bool { return len(f.roots) == 1 })
		lift()
		f.within(75*time.Second, "watching again", func() bool { return f.source("deployments").Mode == feed.ModeWatch })
	})
}

func TestWithGetAloneANameIsPolled(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Inject(forbid("watch", "list"))
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"), named("deploy", "none"))
		f.within(3*time.Second, "synced", func() bool { return f.synced && f.objects[webID] != nil })
		if s := f.source("deployments.apps -n shop web"); s.Mode != feed.ModePollGet {
			t.Errorf("%+v", s)
		}
		if !f.absent[object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "none"}] {
			t.Error("a name that get does not find is not absent")
		}
		pods := f.source("pods")
		if pods.Phase != feed.Forbidden || pods.Verb != "list" || !pods.Children {
			t.Errorf("children: %+v", pods)
		}
	})
}

func TestRightsTakenAwayAndGivenBack(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		lift := c.Inject(forbid("watch", "list", "get"))
		c.CutStreams()
		f.within(2*gate.RBACLoading, "forbidden", f.phase("deployments", feed.Forbidden))
		if f.objects[webID] == nil {
			t.Error("what was known is lost")
		}
		f.rest(10 * time.Second)
		before := f.since
		f.rest(time.Minute)
		if n := f.since - before; n > 45 { // a new moment of the next try each time, nothing else
			t.Errorf("%d changes in a minute in which nothing changed", n)
		}
		if !strings.Contains(f.source("deployments").Error, "no rights") {
			t.Errorf("%+v", f.source("deployments"))
		}
		lift()
		f.within(2*time.Second, "live", f.phase("deployments", feed.Live))
	})
}

// Where a namespace may not be watched, each name is, for as long as that is so
// and no longer.
func TestNamesAreWatchedTogetherAgainOnceTheirNamespaceMayBe(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		var targets []inventory.Target
		for i := range 11 {
			putApp(c, fmt.Sprint("web", i))
			targets = append(targets, named("deploy", fmt.Sprint("web", i)))
		}
		f := start(t, c, Options{}, targets...)
		f.settled()
		streams := func(n int) func() bool {
			return func() bool {
				open := slices.DeleteFunc(f.states(), func(s string) bool { return !strings.HasPrefix(s, "deployments") })
				return len(open) == n && f.phase("deployments", feed.Live)()
			}
		}
		f.within(0, "one stream", streams(1))
		onlyByName := testcluster.Fault{Status: 403, Message: "forbidden: no rights", Match: func(r testcluster.Request) bool {
			return r.Resource == "deployments" && r.Name == "" && !strings.Contains(r.Query, "metadata.name")
		}}
		lift := c.Inject(onlyByName)
		c.CutStreams()
		f.within(time.Minute, "a stream for each name", streams(11))
		f.rest(3 * wholeAgain)
		f.within(0, "no more and no less", streams(11))
		lift()
		f.within(wholeAgain+5*time.Second, "one stream again", streams(1))

		lift = c.Inject(onlyByName)
		c.CutStreams()
		f.within(time.Minute, "a stream for each name once more", streams(11))
		lift()
		f.within(2*wholeAgainSoon+5*time.Second, "one stream again, soon", streams(1))
		for i := range 11 {
			if f.objects[object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: fmt.Sprint("web", i)}] == nil {
				t.Errorf("web%d is lost", i)
			}
		}
	})
}

func TestRetryAfterIsRespected(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		lift := c.Inject(testcluster.Fault{Status: 429, RetryAfter: 7, Match: func(r testcluster.Request) bool { return r.Resource != "" }})
		f := start(t, c, Options{}, named("deploy", "web"))
		f.within(time.Second, "throttled", f.phase("deployments", feed.Throttled))
		before := len(c.Requests())
		f.rest(6500 * time.Millisecond)
		if n := len(c.Requests()) - before; n != 0 {
			t.Errorf("%d requests while we were asked to wait", n)
		}
		lift()
		f.within(2*time.Second, "live", f.phase("deployments", feed.Live))
	})
}

func TestServerErrorsAndLostCredentialsHeal(t *testing.T) {
	for _, status401 := range []int{401, 500, 503, 504} {
		t.Run(fmt.Sprint(status401), func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putApp(c, "web")
				f := start(t, c, Options{}, named("deploy", "web"))
				f.settled()
				lift := c.Inject(testcluster.Fault{Status: status401, Match: func(r testcluster.Request) bool { return r.Resource != "" }})
				c.CutStreams()
				f.within(time.Second, "stale", f.phase("deployments", feed.Stale))
				before := len(c.Requests())
				f.rest(time.Minute)
				if n := len(c.Requests()) - before; n > 100 {
					t.Errorf("%d requests in a minute", n)
				}
				if f.source("deployments").Error == "" || f.objects[webID] == nil {
					t.Errorf("%+v", f.source("deployments"))
				}
				lift()
				f.within(3*time.Second, "live", f.phase("deployments", feed.Live))
			})
		})
	}
}

func TestAServerThatEndsEveryWatchAtOnceIsNotHammered(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Inject(testcluster.Fault{Close: time.Millisecond})
		f := start(t, c, Options{}, named("deploy", "web"))
		f.within(time.Second, "the deployment", f.has(webID))
		before := len(c.Requests())
		f.rest(time.Minute)
		if n := len(c.Requests()) - before; n > 40 {
			t.Errorf("%d requests in a minute", n)
		}
		// Nor where each of them has brought something, which is no failure to a
		// Reflector.
		c.Inject(testcluster.Fault{Close: 60 * time.Millisecond})
		before = len(c.Requests())
		for range 1200 {
			c.Put(deployment("web"))
			f.rest(50 * time.Millisecond)
		}
		if n := len(c.Requests()) - before; n > 60 {
			t.Errorf("%d requests in a minute of changes", n)
		}
	})
}

// A watch that always ends at once is opened again after a while, in which nothing
// is heard.
func TestBetweenTwoAttemptsASourceIsNotLiveForLong(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{Children: "none"}, named("deploy", "web"))
		f.settled()
		c.Inject(testcluster.Fault{Close: time.Millisecond})
		c.CutStreams()
		f.rest(20 * time.Second)
		for range 300 {
			f.rest(100 * time.Millisecond)
			requests := c.Requests()
			if silent := time.Since(requests[len(requests)-1].At); silent > 2500*time.Millisecond && f.phase("deployments", feed.Live)() {
				t.Fatalf("live, though nothing was asked for %s", silent)
			}
		}
	})
}

// A kind may have no watch, as ComponentStatus has none.
func TestAKindThatCannotBeWatchedIsPolled(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Inject(testcluster.Fault{Status: 405, Message: "watch is not supported on resources of kind", Match: func(r testcluster.Request) bool { return r.Resource == "deployments" && r.Verb == "watch" }})
		f := start(t, c, Options{}, inventory.Target{Source: "deploy", Type: "deploy", All: true})
		f.settled()
		for range 30 {
			f.rest(time.Second)
			if s := f.source("deployments"); s.Phase != feed.Live || s.Mode != feed.ModePollList {
				t.Fatalf("%+v", s)
			}
		}
	})
}

func TestAPolledListMayTakeLongerThanItsMode(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		for i := range 2000 { // four pages
			c.Put(deployment(fmt.Sprint("web-", i)))
		}
		theirs := func(r testcluster.Request) bool { return r.Resource == "deployments" }
		c.Inject(testcluster.Fault{Status: 403, Message: "forbidden: no watch", Match: func(r testcluster.Request) bool { return theirs(r) && r.Verb == "watch" }})
		lift := c.Inject(testcluster.Fault{Status: 429, RetryAfter: 60, Message: "too many requests", Match: func(r testcluster.Request) bool {
			return theirs(r) && strings.Contains(r.Query, "continue=")
		}})
		f := start(t, c, Options{}, inventory.Target{Source: "deploy", Type: "deploy", All: true})
		f.rest(70 * time.Second)
		lift()
		f.within(60*time.Second, "all of the list", func() bool { return f.synced && len(f.objects) == 2000 })
		first := 0
		for _, r := range c.Requests() {
			if theirs(r) && isList(r) && !strings.Contains(r.Query, "continue=") {
				first++
			}
		}
		if first != 1 {
			t.Errorf("the list began %d times", first)
		}
	})
}

func TestASelectionsRootsComeAndGo(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, inventory.Target{Source: "deploy -l app=web", Type: "deploy", Selector: "app in (web,api)"})
		f.settled()
		if len(f.roots) != 1 {
			t.Fatalf("roots: %v", f.roots)
		}
		c.Put(deployment("api"))
		c.Put(deployment("db"))
		f.within(time.Second, "api", func() bool { return len(f.roots) == 2 })
		d := deployment("api")
		d["metadata"].(map[string]any)["labels"] = map[string]any{"app": "elsewhere"}
		c.Put(d)
		f.within(time.Second, "api no longer selected", func() bool { return len(f.roots) == 1 && len(f.objects) == 1 })
	})
}

func TestAllSelectsTheObjectsThatNothingOwns(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kube-root-ca.crt","namespace":"shop"}}`)
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf","namespace":"shop"}}`)
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf","namespace":"elsewhere"}}`)
		f := start(t, c, Options{}, inventory.Target{Source: "--all", All: true})
		f.within(5*time.Second, "two roots", func() bool { return f.synced && len(f.roots) == 2 })
		f.within(time.Second, "children by the way", func() bool { return len(f.roots) == 2 })
	})
}

func TestPollingGoesThroughTheSameHub(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{Children: "all", Poll: 3 * time.Second}, named("deploy", "web"), named("deploy", "none"))
		f.settled()
		if len(f.objects) != 3 {
			t.Errorf("%v", f.names())
		}
		if n := count(c, func(r testcluster.Request) bool { return r.Verb == "watch" }); n != 0 {
			t.Errorf("%d watches", n)
		}
		c.Delete("Deployment", "shop", "web")
		f.within(4*time.Second, "absent", func() bool { return f.absent[webID] })
		before := len(c.Requests())
		f.rest(30 * time.Second)
		if n := len(c.Requests()) - before; n < 36 || n > 44 {
			t.Errorf("%d requests by four sources in ten intervals", n)
		}
	})
}

func TestAnUnknownTypeIsAnErrorThatNamesIt(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		e, err := New(Options{Config: c.Config(), Targets: []inventory.Target{named("deploymnets", "web")}})
		if err != nil {
			t.Fatal(err)
		}
		e.Start(t.Context())
		defer e.Close()
		err = e.Preflight(t.Context())
		if err == nil || !strings.Contains(err.Error(), `"deploymnets"`) || !strings.Contains(err.Error(), "deployments.apps") {
			t.Errorf("Preflight: %v", err)
		}
		if _, nextErr := e.Next(t.Context(), 0); nextErr == nil {
			t.Error("the feed goes on")
		}
	})
}

func TestPreflightReportsDefiniteFailures(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		try := func() error {
			e, err := New(Options{Config: c.Config(), Targets: []inventory.Target{named("deploy", "web")}})
			if err != nil {
				t.Fatal(err)
			}
			e.Start(t.Context())
			defer e.Close()
			return e.Preflight(t.Context())
		}
		if err := try(); err != nil {
			t.Errorf("all is well, but: %v", err)
		}
		c.Stop()
		if err := try(); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("refused: %v", err)
		}
		c.Start()
		c.Inject(testcluster.Fault{Status: 401})
		if err := try(); err == nil || !strings.Contains(err.Error(), "credentials") {
			t.Errorf("unauthorized: %v", err)
		}
		e, _ := New(Options{Config: c.Config()})
		e.Start(t.Context())
		defer e.Close()
		if err := e.Preflight(t.Context()); err == nil {
			t.Error("nothing named is no failure")
		}
	})
}

func TestAFollowedSecretIsRequestedAsMetadataAlone(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"shop"},"data":{"password":"Y2FuYXJ5"}}`)
		f := start(t, c, Options{}, named("secret", "s"))
		f.settled()
		id := object.ID{Kind: "Secret", Namespace: "shop", Name: "s"}
		if o := f.objects[id]; o == nil || !o.MetadataOnly {
			t.Fatalf("%+v", o)
		}
		for _, r := range c.Requests() {
			if r.Resource == "secrets" && !strings.Contains(r.Accept, "as=PartialObjectMetadata") {
				t.Errorf("asked for as %q", r.Accept)
			}
		}
		d, err := f.e.Detail(t.Context(), id)
		if err != nil || strings.Contains(d.YAML, "Y2FuYXJ5") || !strings.Contains(d.YAML, "never fetched") {
			t.Errorf("%v\n%s", err, d.YAML)
		}
	})
}

func TestEventsOfWantedObjects(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		uid := putApp(c, "web")
		event := func(name, about, extra string) {
			c.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":%q,"namespace":"shop"},"involvedObject":{"kind":"Deployment","name":"web","uid":%q},"reason":"Because","type":"Warning",%s}`, name, about, extra))
		}
		event("old", uid, `"firstTimestamp":"2000-01-01T00:00:00Z","lastTimestamp":"2000-01-01T00:00:05Z","count":3`)
		event("new", uid, `"eventTime":"2000-01-01T00:00:01.500000Z","series":{"count":9,"lastObservedTime":"2000-01-01T00:00:09.000000Z"}`)
		event("other", "elsewhere", `"count":1`)
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		f.e.Want(feed.Wants{Events: []object.ID{webID}})
		f.within(time.Second, "two events", func() bool { return len(f.events) == 2 })
		for _, e := range f.events {
			want := time.Date(2000, 1, 1, 0, 0, map[int]int{3: 5, 9: 9}[e.Count], 0, time.UTC)
			if e.About != webID || !e.Last.Equal(want) || e.First.IsZero() {
				t.Errorf("%+v", e)
			}
		}
		event("late", uid, `"count":1`)
		f.within(11*time.Second, "the late one", func() bool { return len(f.events) == 3 })
		if n := count(c, func(r testcluster.Request) bool {
			return r.Resource == "events" && !strings.Contains(r.Query, "fieldSelector")
		}); n != 0 {
			t.Error("for one object all events of its namespace were read")
		}
		// Four objects of a namespace are worth a watch of all.
		var ids []object.ID
		for i := range 4 {
			name := fmt.Sprint("d", i)
			c.Put(deployment(name))
			ids = append(ids, object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: name})
			f.more(name, []inventory.Target{named("deploy", name)})
		}
		f.within(2*time.Second, "the new ones", func() bool { return len(f.objects) == 5 })
		f.e.Want(feed.Wants{Events: ids})
		f.rest(2 * time.Second)
		event("watched", f.objects[ids[2]].UID, `"count":1`)
		f.within(500*time.Millisecond, "the watched one", func() bool { return len(f.events) == 4 })
	})
}

// A one-shot command prints once its last Wants has been answered, including
// the events.
func TestWantsAreAnsweredOnlyAfterTheirEventsHaveBeenListed(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		uid := putApp(c, "web")
		c.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"shop"},"involvedObject":{"kind":"Deployment","name":"web","uid":%q},"reason":"Because","count":1}`, uid))
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		lift := c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Resource == "events" }, Hang: true})
		f.e.Want(feed.Wants{Gen: 1, Events: []object.ID{webID}})
		f.within(time.Second, "the answer", func() bool { return f.answered == 1 })
		f.rest(kube.HeaderPatience / 2)
		if f.eventsAnswered == 1 {
			t.Error("the Wants count as answered though nobody has answered for its events")
		}
		f.within(kube.HeaderPatience, "the end of patience", func() bool { return f.eventsAnswered == 1 })
		lift()
		c.Put(deployment("api"))
		api := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "api"}
		f.more("api", []inventory.Target{named("deploy", "api")})
		f.within(time.Second, "the second", func() bool { return f.objects[api] != nil })
		f.e.Want(feed.Wants{Gen: 2, Events: []object.ID{webID, api}})
		f.within(kube.HeaderPatience, "the answer with its events", func() bool { return f.eventsAnswered == 2 })
	})
}

func TestTheEndOfALogIsReadOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.SetLog("shop", "web-1-a", "app", "2000-01-01T00:00:01Z one\n2000-01-01T00:00:02Z two\n")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		read := func(container string) (feed.LogChunk, error) {
			return f.e.Logs(t.Context(), feed.LogKey{Pod: podID, Container: container, Tail: 20}, 0)
		}
		chunk, err := read("app")
		if err != nil || len(chunk.Lines) != 2 {
			t.Fatalf("%+v, %v", chunk, err)
		}
		f.rest(2 * podlogs.Linger)
		c.SetLog("shop", "web-1-a", "app", "2000-01-01T00:00:03Z three\n")
		if chunk, err = read("app"); err != nil || len(chunk.Lines) != 1 {
			t.Errorf("the second reading: %+v, %v", chunk, err)
		}
		if _, err := read("waiting"); err == nil {
			t.Error("no word of what cannot be read")
		}
		f.rest(time.Minute)
		logs := func(r testcluster.Request) bool { return strings.HasSuffix(r.Path, "/log") }
		if n := count(c, logs); n != 3 {
			t.Errorf("%d requests for three readings", n)
		}
		for _, r := range c.Requests() {
			if logs(r) && (strings.Contains(r.Query, "follow") || !strings.Contains(r.Query, "limitBytes")) {
				t.Errorf("asked with %s", r.Query)
			}
		}
		lift := c.Inject(testcluster.Fault{Match: logs, Stall: true})
		c.SetLog("shop", "web-1-a", "app", "2000-01-01T00:00:03Z three\n2000-01-01T00:00:04Z a longer line, of which the half is missing\n")
		if chunk, err := read("app"); err != nil || len(chunk.Lines) == 0 {
			t.Errorf("what was read before the answer stopped: %+v, %v", chunk, err)
		}
		lift()
		c.Inject(testcluster.Fault{Match: logs, Hang: true})
		if chunk, err := read("app"); err == nil {
			t.Errorf("a log that nobody sends is an empty one: %+v", chunk)
		}
	})
}

func TestLogsArePulledByACursor(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.SetLog("shop", "web-1-a", "app", "2000-01-01T00:00:01Z one\n2000-01-01T00:00:02Z two \x1b[31mred\n")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		key := feed.LogKey{Pod: podID, Container: "app", Previous: true}
		f.e.Want(feed.Wants{Logs: []feed.LogKey{key}})
		chunk, err := f.e.Logs(t.Context(), key, 0)
		if err != nil || len(chunk.Lines) != 2 || strings.ContainsRune(chunk.Lines[1].Text, '\x1b') || chunk.Lines[0].At.Second() != 1 {
			t.Fatalf("%+v, %v", chunk, err)
		}
		began := time.Now()
		chunk, err = f.e.Logs(t.Context(), key, chunk.Cursor)
		if err != nil || len(chunk.Lines) != 0 || !chunk.Ended {
			t.Errorf("%+v, %v", chunk, err)
		}
		if d := time.Since(began); d != 50*time.Millisecond {
			t.Errorf("asked again at once, it answers after %v: a log that pours would take all the time there is", d)
		}
		if _, err := f.e.Logs(t.Context(), feed.LogKey{Pod: podID, Container: "waiting"}, 0); err == nil || !strings.Contains(err.Error(), "waiting to start") {
			t.Errorf("err = %v", err)
		}
	})
}

func TestNextEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if _, err := f.e.Next(ctx, f.since); err == nil || time.Since(began) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

func TestBatchesComeAtMostOncePerFrame(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{Frame: 50 * time.Millisecond}, named("deploy", "web"))
		f.settled()
		f.rest(time.Second)
		c.Put(deployment("web"))
		synctest.Wait()
		began := time.Now()
		b, err := f.e.Next(t.Context(), f.since)
		if err != nil || time.Since(began) != 0 {
			t.Fatalf("the first change after a quiet time waited %v (%v)", time.Since(began), err)
		}
		for range 5 {
			c.Put(deployment("web"))
		}
		synctest.Wait()
		b, err = f.e.Next(t.Context(), b.Seq)
		if err != nil || time.Since(began) != 50*time.Millisecond || len(b.Objects) != 1 {
			t.Errorf("after %v: %d objects (%v)", time.Since(began), len(b.Objects), err)
		}
	})
}

func TestALogReportsARestartAndARemovedFile(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.SetLog("shop", "web-1-a", "app", "2000-01-01T00:00:01Z starting\n2000-01-01T00:00:02Z fatal\n")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		key := feed.LogKey{Pod: podID, Container: "app"}
		f.e.Want(feed.Wants{Logs: []feed.LogKey{key}})
		var got []string
		read := func(since uint64) feed.LogChunk {
			chunk, err := f.e.Logs(t.Context(), key, since)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range chunk.Lines {
				text := l.Text
				if l.Remark {
					text = "(" + text + ")"
				}
				got = append(got, text)
			}
			return chunk
		}
		chunk := read(0)
		f.rest(5 * time.Second) // asked again, nothing new
		c.SetLog("shop", "web-1-a", "app", "2000-01-01T00:00:09Z starting again\n")
		f.rest(5 * time.Second)
		chunk = read(chunk.Cursor)
		if want := []string{"starting", "fatal", "(the container began anew)", "starting again"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		c.SetLog("shop", "web-1-a", "app", "unable to retrieve container logs for containerd://7873919a2e574e01")
		f.rest(5 * time.Second)
		if chunk, err := f.e.Logs(t.Context(), key, chunk.Cursor); err == nil || chunk.Ended || !strings.Contains(err.Error(), "removed the files") {
			t.Errorf("%+v, %v", chunk, err)
		}
		key.Previous = true
		if _, err := f.e.Logs(t.Context(), key, 0); err == nil || !strings.Contains(err.Error(), "removed the files") {
			t.Errorf("previous: %v", err)
		}
		if chunk, _ := f.e.Logs(t.Context(), key, 0); !chunk.Ended {
			t.Error("the previous instance's log does not come back, and yet it has not ended")
		}
	})
}

func TestEndpointsAreWatchedWhenEndpointSlicesAreForbidden(t *testing.T) {
	slices := testcluster.Resource{Group: "discovery.k8s.io", Version: "v1", Plural: "endpointslices", Kind: "EndpointSlice"}
	for name, hide := range map[string]func(c *testcluster.Cluster) (lift func()){
		"forbidden": func(c *testcluster.Cluster) func() {
			return c.Inject(testcluster.Fault{Status: 403, Message: "forbidden: no rights", Match: func(r testcluster.Request) bool {
				return r.Resource == "endpointslices" || strings.HasPrefix(r.Path, "/apis/discovery.k8s.io")
			}})
		},
		"not served": func(c *testcluster.Cluster) func() {
			c.Unserve("EndpointSlice")
			return func() { c.Serve(slices) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				c.Put(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"shop"},"spec":{"clusterIP":"10.0.0.1","selector":{"app":"web"}}}`)
				c.Put(`{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"web","namespace":"shop"},"subsets":[{"addresses":[{"ip":"10.1.1.1"}]}]}`)
				c.Put(`{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"other","namespace":"shop"},"subsets":[]}`)
				lift := hide(c)
				f := start(t, c, Options{Children: "all"}, named("svc", "web"))
				f.settled()
				if got := strings.Join(f.names(), " "); got != "Endpoints/web Service/web" {
					t.Fatalf("followed: %s", got)
				}
				lift()
				c.Put(`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"web-x","namespace":"shop","labels":{"kubernetes.io/service-name":"web"}},"endpoints":[]}`)
				f.within(time.Minute, "the slice instead", func() bool { return strings.Join(f.names(), " ") == "EndpointSlice/web-x Service/web" })
			})
		})
	}
}
