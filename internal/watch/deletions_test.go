package watch

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// Random histories list so often that the next list reveals a missed deletion.
// Here every way in which an object can be deleted is taken many times without
// any list.
func TestNoDeletedEventOfAWatchIsLost(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		const apps, pods = 6, 12
		labels := func(app string) map[string]any { return map[string]any{"app": app} }
		app := func(i int) string { return fmt.Sprint("app", i) }
		pod := func(i, n int) string { return fmt.Sprintf("%s-1-%d", app(i), n) }
		sets := map[int]string{}
		put := func(i, n int) {
			c.Put(owned("v1", "Pod", pod(i, n), "ReplicaSet", sets[i], labels(app(i))))
		}
		var targets []string
		for i := range apps {
			d := c.Put(deployment(app(i)))
			rs := owned("apps/v1", "ReplicaSet", app(i)+"-1", "Deployment", d, labels(app(i)))
			rs["spec"] = map[string]any{"selector": map[string]any{"matchLabels": labels(app(i))}}
			sets[i] = c.Put(rs)
			for n := range pods {
				put(i, n)
			}
			targets = append(targets, app(i))
		}
		f := start(t, c, Options{Children: "all"}, named("deploy", targets[0]), named("deploy", targets[1]),
			named("deploy", targets[2]), named("deploy", targets[3]), named("deploy", targets[4]), named("deploy", targets[5]))
		f.settled()
		f.rest(3 * time.Second) // what ends within its first second is listed anew by client-go
		begin := time.Now()

		there := func() []string {
			var out []string
			for _, raw := range c.Objects() {
				var o struct {
					Kind     string
					Metadata struct{ Name, UID string }
				}
				if err := json.Unmarshal(raw, &o); err != nil {
					t.Fatal(err)
				}
				out = append(out, o.Kind+"/"+o.Metadata.Name+" "+o.Metadata.UID)
			}
			slices.Sort(out)
			return out
		}
		same := func(after string) {
			t.Helper()
			f.rest(200 * time.Millisecond)
			var known []string
			for id, o := range f.objects {
				known = append(known, id.Kind+"/"+id.Name+" "+o.UID)
			}
			slices.Sort(known)
			if want := there(); !slices.Equal(want, known) {
				t.Errorf("after %s the cluster holds\n%s\nwe know\n%s", after, strings.Join(want, "\n"), strings.Join(known, "\n"))
			}
		}
		same("the beginning")

		for n := range pods {
			c.Delete("Pod", "shop", pod(0, n))
			same("one alone")
		}
		for n := range pods {
			c.Delete("Pod", "shop", pod(1, n))
		}
		same("all at one moment")
		for n := range pods {
			c.Delete("Pod", "shop", pod(2, n))
			put(2, n)
		}
		same("each replaced by another of its name")
		for n := range pods {
			c.Delete("Pod", "shop", pod(2, n))
		}
		same("what replaced them")
		for n := range pods {
			put(0, n)
			c.Delete("Pod", "shop", pod(0, n))
		}
		same("what nobody has seen")
		for n := range pods {
			put(1, n)
		}
		same("what came")
		for n := range pods {
			put(1, n) // changed
			c.Delete("Pod", "shop", pod(1, n))
		}
		same("a change and its end in a moment")
		c.Delete("ReplicaSet", "shop", app(3)+"-1")
		same("their owner alone")
		for n := range pods {
			c.Delete("Pod", "shop", pod(3, n))
		}
		same("what had lost its owner")
		// The streams are cut: what went meanwhile is in what they are resumed with.
		c.CutStreams()
		for n := range pods {
			c.Delete("Pod", "shop", pod(4, n))
		}
		f.within(10*time.Second, "live again", f.all(feed.Live))
		same("a cut")
		for n := range pods {
			c.Delete("Pod", "shop", pod(5, n))
		}
		c.Delete("ReplicaSet", "shop", app(5)+"-1")
		c.Delete("Deployment", "shop", app(5))
		same("everything of one")
		for i := range apps - 1 {
			c.Delete("Deployment", "shop", app(i))
		}
		for _, i := range []int{0, 1, 2, 4} {
			c.Delete("ReplicaSet", "shop", app(i)+"-1")
		}
		same("everything")
		if len(f.objects) > 0 || len(f.absent) != apps {
			t.Errorf("known in the end: %v, absent: %v", f.names(), slices.Collect(maps.Keys(f.absent)))
		}
		if n := count(c, func(r testcluster.Request) bool { return r.At.After(begin) && (isList(r) || isInitialWatch(r)) }); n > 0 {
			t.Errorf("something was listed, %d times: what was lost would not show", n)
		}
	})
}

// A watch that cannot be resumed is replaced by a list at once, without another
// attempt, although client-go would survive that as well.
func TestAnExpiredVersionIsNotRequestedAgain(t *testing.T) {
	resumed := func(r testcluster.Request) bool {
		return r.Verb == "watch" && r.Resource == "pods" && !isInitialWatch(r)
	}
	// again is how often it is asked for what has been forgotten.
	again := func(t *testing.T, c *testcluster.Cluster, forget func()) int {
		putApp(c, "web")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		f.rest(3 * time.Second)
		before := count(c, resumed)
		forget()
		f.within(3*time.Second, "the pod gone", func() bool { return f.objects[podID] == nil })
		return count(c, resumed) - before
	}
	t.Run("told in the stream", func(t *testing.T) {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			if n := again(t, c, func() {
				c.Freeze()
				c.Delete("Pod", "shop", "web-1-a")
				c.Forget()
				c.Thaw()
			}); n > 0 {
				t.Errorf("asked %d times more", n)
			}
		})
	})
	t.Run("told at the beginning", func(t *testing.T) {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			if n := again(t, c, func() {
				c.Inject(testcluster.Fault{Status: 410, Match: resumed})
				c.CutStreams()
				c.Delete("Pod", "shop", "web-1-a")
			}); n > 1 {
				t.Errorf("asked %d times", n)
			}
		})
	})
}

// An API server that has just come back may not list its custom groups yet.
func TestAKindThatTheDiscoveryLacksAfterAnOutageIsNotAbsent(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		id := object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "w"}
		c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"})
		c.Put(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"}}`)
		f := start(t, c, Options{}, manifest("example.com", "v1", "Widget", "w"))
		f.within(5*time.Second, "the widget", f.has(id))
		c.Stop()
		f.rest(2 * time.Second)
		lift := c.Inject(testcluster.Fault{
			Match: func(r testcluster.Request) bool { return strings.HasPrefix(r.Path, "/apis") },
			Answer: func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/apis" {
					w.Header().Set("Content-Type", "application/json")
					_, _ = w.Write([]byte(`{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]}]}`))
					return
				}
				http.Error(w, "404 page not found", http.StatusNotFound)
			},
		})
		c.Start()
		for range 10 {
			f.rest(200 * time.Millisecond)
			if f.absent[id] {
				t.Fatal("the widget is absent while the API server is starting")
			}
		}
		lift()
		f.rest(10 * time.Second)
		if f.objects[id] == nil || f.absent[id] {
			t.Errorf("afterwards: known %v, absent %v", f.objects[id] != nil, f.absent[id])
		}
	})
}
