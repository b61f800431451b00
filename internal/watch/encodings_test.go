package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// Whatever a server speaks, the same is followed: what it lists and what changes.
func TestServersThatSpeakLessAreFollowedJustTheSame(t *testing.T) {
	for _, test := range []struct {
		name      string
		fault     testcluster.Fault
		configure func(*Options)
	}{
		{"a server of today", testcluster.Fault{}, nil},
		{"without protobuf", testcluster.Fault{NoProtobuf: true}, nil},
		{"without protobuf for a kind", testcluster.Fault{NoProtobuf: true, Match: func(r testcluster.Request) bool { return r.Resource == "pods" }}, nil},
		{"without aggregated discovery", testcluster.Fault{NoAggregation: true}, nil},
		{"without streamed lists", testcluster.Fault{Status: 422, Match: isInitialWatch}, nil},
		{"by HTTP/1.1 alone", testcluster.Fault{}, http1},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget", Short: []string{"wd"}})
				putApp(c, "web")
				widget := func(ready string) {
					c.Put(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"},"status":{"conditions":[{"type":"Ready","status":"` + ready + `"}]}}`)
				}
				widget("False")
				c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"shop"}}`)
				c.Inject(test.fault)
				f := startWith(t, c, Options{Children: "all"}, test.configure,
					named("deploy", "web"), named("wd", "w"), named("secret", "s"))
				f.settled()
				if got := c.Requests()[0].HTTP2; got != (test.configure == nil) {
					t.Fatalf("requests by HTTP/2: %v", got)
				}
				seen := 0
				for id, o := range f.objects {
					if id.Kind == "Pod" && o.Pod != nil {
						seen++
					}
				}
				w := object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "w"}
				if seen == 0 || f.objects[webID] == nil || f.objects[w] == nil || len(f.roots) != 3 {
					t.Fatalf("%d pods, roots %v, objects %v", seen, f.roots, f.objects)
				}
				widget("True")
				d := deployment("web")
				d["metadata"].(map[string]any)["generation"] = 7
				c.Put(d)
				f.within(time.Second, "the changes", func() bool {
					return f.objects[webID].Generation.V == 7 && f.objects[w].Conditions[0].Status == "True"
				})
				c.Delete("Secret", "shop", "s")
				f.within(time.Second, "the deletion", func() bool { return len(f.gone) == 1 })
			})
		})
	}
}

// Where only chunks of lists are served, all of them count, also if the token
// of the last expires meanwhile; what changes later is watched.
func TestAListThatComesInChunksIsReadToItsEnd(t *testing.T) {
	for name, expire := range map[string]bool{"as it should": false, "a token expires": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				for i := range 1200 {
					c.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c%04d","namespace":"shop"}}`, i))
				}
				c.Inject(testcluster.Fault{Status: 422, Match: isInitialWatch})
				expired := 0
				c.Inject(testcluster.Fault{Status: 410, Match: func(r testcluster.Request) bool {
					if !expire || expired > 0 || !strings.Contains(r.Query, "continue=1000") {
						return false
					}
					expired++
					return true
				}})
				f := start(t, c, Options{}, inventory.Target{Source: "configmaps", Type: "configmaps", All: true})
				f.settled()
				if len(f.roots) != 1200 || len(f.objects) != 1200 || expire != (expired > 0) {
					t.Fatalf("%d roots, %d objects, %d tokens expired", len(f.roots), len(f.objects), expired)
				}
				lists, whole := 0, 0
				for _, r := range c.Requests() {
					if r.Resource == "configmaps" && r.Verb == "list" {
						if lists++; !strings.Contains(r.Query, "limit=500") {
							whole++
						}
					}
				}
				if want := 3 + 3*expired; lists != want || whole != 0 {
					t.Errorf("%d lists, %d of them without a limit", lists, whole)
				}
				c.Delete("ConfigMap", "shop", "c1199")
				f.within(time.Second, "the deletion", func() bool { return len(f.gone) == 1 })
			})
		})
	}
}

// A proxy may hold an answer back until its end. Lists are read all the same,
// and changes are seen with the next renewal of the watch or, where not even the
// head of a watch's answer comes, by polling.
func TestBehindAProxyThatBuffersChangesAreSeenLater(t *testing.T) {
	for _, test := range []struct {
		holds string
		fault testcluster.Fault
		live  time.Duration // until it is, for good
		late  time.Duration // until a change is seen
	}{
		{"bodies", testcluster.Fault{Buffer: true}, 11 * time.Second, time.Minute},
		{"whole answers", testcluster.Fault{BufferHead: true}, 32 * time.Second, sources.PollMax + time.Second},
	} {
		t.Run(test.holds, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putApp(c, "web")
				c.Inject(test.fault)
				f := startWith(t, c, Options{Children: "all"}, http1, named("deploy", "web"))
				f.within(11*time.Second, "the rows", func() bool { return f.synced && len(f.objects) == 3 })
				f.rest(test.live - 10*time.Second)
				f.phases = nil
				for i := range 10 {
					f.rest(30 * time.Second)
					d := deployment("web")
					d["metadata"].(map[string]any)["generation"] = 7 + i
					c.Put(d)
					f.within(test.late, "the change", func() bool { return f.objects[webID].Generation.V == int64(7+i) })
				}
				if len(f.phases) > 0 {
					t.Errorf("not live for good: %v", f.phases)
				}
				c.Delete("Deployment", "shop", "web")
				f.within(test.late, "the deletion", func() bool { return f.absent[webID] })
			})
		})
	}
}
