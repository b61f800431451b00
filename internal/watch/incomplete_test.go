package watch

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

var widgetID = object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "w"}

// putWidget serves a kind, and puts a Widget that is not ready.
func putWidget(c *testcluster.Cluster) {
	c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget", Categories: []string{"parts"}, Short: []string{"wd"}})
	c.Put(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop","labels":{"app":"x"}},"status":{"conditions":[{"type":"Ready","status":"False"}]}}`)
}

// undiscovered are the ways in which the group of the Widgets cannot be discovered.
var undiscovered = map[string]func(c *testcluster.Cluster) (lift func()){
	"group by group": func(c *testcluster.Cluster) func() {
		c.Inject(testcluster.Fault{NoAggregation: true})
		return withoutGroup(c, "example.com/v1")
	},
	"a web page in its place": func(c *testcluster.Cluster) func() {
		c.Inject(testcluster.Fault{NoAggregation: true})
		return c.Inject(testcluster.Fault{Answer: lies["plain 404"].answer, Match: func(r testcluster.Request) bool { return r.Path == "/apis/example.com/v1" }})
	},
	"aggregated": func(c *testcluster.Cluster) func() {
		return c.Inject(testcluster.Fault{Garble: [][2]string{{`["wd"],"categories":["parts"]}],"freshness":"Current"`, `["wd"],"categories":["parts"]}],"freshness":"Stale"  `}}})
	},
}

func withoutGroup(c *testcluster.Cluster, version string) (lift func()) {
	return c.Inject(testcluster.Fault{Status: 503, Message: "no server", Match: func(r testcluster.Request) bool { return r.Path == "/apis/"+version }})
}

// While an API group cannot be discovered, the others are followed, and never as if
// they were all; when it can, its kinds are.
func TestAGroupThatCannotBeDiscoveredIsReportedAndFollowedLater(t *testing.T) {
	for way, hide := range undiscovered {
		for what, targets := range map[string][]inventory.Target{
			"--all":                  {{Source: "--all", All: true}},
			"a category":             {{Source: "parts", Type: "parts", All: true}},
			"members by their label": {named("deploy", "web"), {Source: "helm/x", Selector: "app=x", All: true, In: webID}},
		} {
			t.Run(what+", "+way, func(t *testing.T) {
				inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
					putWidget(c)
					putApp(c, "web")
					c.Serve(testcluster.Resource{Group: "example.org", Version: "v1", Plural: "nuts", Kind: "Nut", Categories: []string{"parts"}})
					c.Put(`{"apiVersion":"example.org/v1","kind":"Nut","metadata":{"name":"n","namespace":"shop","labels":{"app":"x"}}}`)
					nut := object.ID{Group: "example.org", Kind: "Nut", Namespace: "shop", Name: "n"}
					lift := hide(c)
					f := start(t, c, Options{}, targets...)
					whole := func() bool {
						if f.synced && f.objects[widgetID] == nil && f.source("discovery").Phase != feed.Stale {
							t.Fatalf("%v is taken for all there is; sources %v", f.names(), f.states())
						}
						return f.synced && f.objects[widgetID] != nil && f.source("discovery").Phase == ""
					}
					f.within(3*time.Second, "what is known", func() bool { whole(); return f.synced && f.objects[nut] != nil })
					f.rest(time.Minute)
					if s := f.source("discovery"); !s.Selects || !strings.Contains(s.Error, "example.com/v1") || !strings.Contains(s.Hint, "apiservices") {
						t.Errorf("the discovery says %+v", s)
					}
					if n := count(c, func(r testcluster.Request) bool { return r.Path == "/apis" }); n > 30 {
						t.Errorf("asked %d times in a minute", n)
					}
					if n := count(c, func(r testcluster.Request) bool { return r.Path == kube.Readyz }); n > 0 {
						t.Error("everybody waits as if the server were not reached")
					}
					lift()
					f.within(5*time.Second, "the group that is back", whole)
					f.rest(time.Minute)
					before := count(c, func(r testcluster.Request) bool { return strings.HasPrefix(r.Path, "/apis") && r.Resource == "" })
					f.rest(10 * time.Minute)
					if n := count(c, func(r testcluster.Request) bool { return strings.HasPrefix(r.Path, "/apis") && r.Resource == "" }) - before; n > 0 {
						t.Errorf("%d requests for the discovery at rest", n)
					}
				})
			})
		}
	}
}

// What one target has had discovered is no more complete for another.
func TestALaterTargetKnowsTheGroupsThatCouldNotBeDiscovered(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putWidget(c)
		c.Serve(testcluster.Resource{Group: "example.org", Version: "v1", Plural: "nuts", Kind: "Nut"})
		c.Put(`{"apiVersion":"example.org/v1","kind":"Nut","metadata":{"name":"n","namespace":"shop"}}`)
		lift := undiscovered["group by group"](c)
		f := start(t, c, Options{}, named("nuts", "n"))
		f.settled()
		f.rest(time.Minute)
		if s := f.source("discovery"); s.Phase != "" {
			t.Errorf("a group that nobody has named is published: %+v", s)
		}
		answer := c.Inject(testcluster.Fault{Hang: true, Match: func(r testcluster.Request) bool { return r.Path == "/apis" }})
		f.more("later", []inventory.Target{{Source: "--all", All: true}})
		f.within(time.Second, "said, at once", f.phase("discovery", feed.Stale))
		if f.rest(time.Second); !f.synced {
			t.Error("what is known waits for the rest")
		}
		answer()
		lift()
		f.within(15*time.Second, "all is known", func() bool { return f.synced && f.objects[widgetID] != nil && f.source("discovery").Phase == "" })
	})
}

func TestAGroupThatGoesWhileItCannotBeDiscoveredIsNotWaitedFor(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putWidget(c)
		putApp(c, "web")
		undiscovered["group by group"](c)
		f := start(t, c, Options{}, inventory.Target{Source: "--all", All: true})
		f.within(3*time.Second, "said", f.phase("discovery", feed.Stale))
		c.Unserve("Widget")
		f.within(5*time.Second, "all is known", func() bool { return f.synced && f.source("discovery").Phase == "" })
	})
}

// Groups fail in turn: the rows of one that was known stay.
func TestADiscoveredGroupStaysWhileAnotherFails(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putWidget(c)
		c.Serve(testcluster.Resource{Group: "example.org", Version: "v1", Plural: "nuts", Kind: "Nut"})
		lift := undiscovered["group by group"](c)
		c.Put(`{"apiVersion":"example.org/v1","kind":"Nut","metadata":{"name":"n","namespace":"shop"}}`)
		f := start(t, c, Options{}, inventory.Target{Source: "--all", All: true})
		f.settled()
		other := withoutGroup(c, "example.org/v1")
		lift()
		f.within(5*time.Second, "the Widget", f.has(widgetID))
		f.rest(time.Minute)
		if len(f.roots) != 2 || len(f.objects) != 2 || f.source("discovery").Phase != feed.Stale {
			t.Errorf("%v, %v", f.names(), f.states())
		}
		other()
		f.within(5*time.Second, "all is known", func() bool { return f.synced && len(f.objects) == 2 && f.source("discovery").Phase == "" })
	})
}

// A TYPE that is not known may be of a group that cannot be discovered.
func TestATypeIsWaitedForWhileAGroupCannotBeDiscovered(t *testing.T) {
	for way, hide := range undiscovered {
		t.Run(way, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putWidget(c)
				putApp(c, "web")
				lift := hide(c)
				f := start(t, c, Options{}, named("widgets", "w"), named("deploy", "web"))
				f.within(3*time.Second, "the others", f.has(webID))
				f.rest(time.Minute)
				if s := f.source("discovery"); f.synced || s.Phase != feed.Stale || !strings.Contains(s.Error, `"widgets"`) || !strings.Contains(s.Error, "example.com/v1") {
					t.Errorf("synced %v, %+v", f.synced, s)
				}
				if !f.phase("deployments", feed.Live)() {
					t.Errorf("the others are touched: %v", f.phases)
				}
				lift()
				f.within(5*time.Second, "the Widget", func() bool { return f.synced && f.objects[widgetID] != nil && f.source("discovery").Phase == "" })
			})
		})
	}
}

func TestATypeThatNoGroupHasIsAnErrorWhenAllAreDiscovered(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putWidget(c)
		lift := undiscovered["aggregated"](c)
		f := start(t, c, Options{}, named("deploymnets", "web"))
		f.within(3*time.Second, "said", f.phase("discovery", feed.Stale))
		if s := f.source("discovery"); !strings.Contains(s.Error, "did you mean deployments.apps?") {
			t.Errorf("it says %q", s.Error)
		}
		lift()
		time.Sleep(5 * time.Second)
		if _, err := f.e.hub.HasChanges(); !errors.Is(err, resolve.ErrUnknownType) {
			t.Errorf("got %v", err)
		}
	})
}

// The metrics APIs are often down, and nothing of them can be followed.
func TestMetricsThatAreDownHideNothing(t *testing.T) {
	for _, group := range []string{"metrics.k8s.io", "custom.metrics.k8s.io"} {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			putApp(c, "web")
			c.Serve(testcluster.Resource{Group: group, Version: "v1beta1", Plural: "gauges", Kind: "Gauge"})
			c.Inject(testcluster.Fault{NoAggregation: true})
			withoutGroup(c, group+"/v1beta1")
			f := start(t, c, Options{}, inventory.Target{Source: "--all", All: true})
			f.settled()
			f.rest(time.Minute)
			if s := f.source("discovery"); s.Phase != "" || f.objects[webID] == nil {
				t.Errorf("%s: %+v, %v", group, s, f.names())
			}
			if _, err := f.e.resolver.Type(t.Context(), "gauges"); !errors.Is(err, resolve.ErrUnknownType) {
				t.Errorf("%s: %v", group, err)
			}
		})
	}
}

// Before there is a screen nothing waits for a group that is down.
func TestThePreflightDoesNotWaitForAGroupThatCannotBeDiscovered(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putWidget(c)
		undiscovered["aggregated"](c)
		e, err := New(Options{Config: c.Config(), Targets: []inventory.Target{{Source: "--all", All: true}}})
		if err != nil {
			t.Fatal(err)
		}
		e.patience = time.Hour // as where a program fetches the credentials
		e.Start(t.Context())
		defer e.Close()
		began := time.Now()
		if err := e.Preflight(t.Context()); err != nil || time.Since(began) > time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
