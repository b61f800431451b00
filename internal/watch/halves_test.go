package watch

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// ofPods are the questions about Pods that went a way: the selectors of those that
// ask for a whole list, and how many go on from one.
func (w *countedWay) ofPods() (whole []string, on int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.seen {
		path, query, _ := strings.Cut(u, "?")
		q, err := url.ParseQuery(query)
		switch {
		case err != nil || !strings.HasSuffix(path, "/pods"):
		case q.Get("sendInitialEvents") != "":
			whole = append(whole, q.Get("labelSelector"))
		case q.Get("watch") != "":
			on++
		}
	}
	slices.Sort(whole)
	return whole, on
}

// slowHalf lets one half leave later than the other.
type slowHalf struct {
	http.RoundTripper
	late time.Duration
}

func (s slowHalf) WrappedRoundTripper() http.RoundTripper { return s.RoundTripper }

func (s slowHalf) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.RawQuery, "notin") {
		if err := sleep(r.Context(), s.late); err != nil {
			return nil, err
		}
	}
	return s.RoundTripper.RoundTrip(r)
}

// appName is so long that the namespace of many is watched whole.
func appName(i int) string { return fmt.Sprintf("app-%04d-of-a-long-name", i) }

func podOf(i int) object.ID {
	return object.ID{Kind: "Pod", Namespace: "shop", Name: appName(i) + "-1-a"}
}

// followApps follows bulkFrom Deployments of one Pod each.
func followApps(t *testing.T, c *testcluster.Cluster, late time.Duration) (f *follower, usual, bulk *countedWay) {
	t.Helper()
	var targets []inventory.Target
	for i := range bulkFrom {
		putApp(c, appName(i))
		targets = append(targets, named("deploy", appName(i)))
	}
	e, err := New(Options{Config: c.Config(), Targets: targets, Namespace: "shop", Children: "all"})
	if err != nil {
		t.Fatal(err)
	}
	w := e.client.ways.Load()
	usual, bulk = &countedWay{next: w.usual.Transport}, &countedWay{next: slowHalf{w.usual.Transport, late}}
	e.client.ways.Store(&ways{usual: &http.Client{Transport: usual}, bulk: &http.Client{Transport: bulk}})
	return attend(t, c, e), usual, bulk
}

func (f *follower) count(kind string) (n int) {
	for id := range f.objects {
		if id.Kind == kind {
			n++
		}
	}
	return n
}

// relabel gives the Pod of an app other labels.
func relabel(c *testcluster.Cluster, i int, app string) {
	name := appName(i)
	uid := c.Put(owned("apps/v1", "ReplicaSet", name+"-1", "Deployment", c.Put(deployment(name)), map[string]any{"app": name}))
	c.Put(owned("v1", "Pod", name+"-1-a", "ReplicaSet", uid, map[string]any{"app": app}))
}

func TestALargeFirstSyncOfPodsComesInTwoHalves(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		f, usual, bulk := followApps(t, c, 0)
		f.settled()
		if n := f.count("Pod"); n != bulkFrom {
			t.Errorf("%d Pods", n)
		}
		whole, _ := bulk.ofPods()
		if len(whole) != 2 {
			t.Fatalf("asked for %d lists: %q", len(whole), whole)
		}
		values, ok := strings.CutPrefix(whole[0], "app in (")
		if others, ok2 := strings.CutPrefix(whole[1], "app notin ("); !ok || !ok2 || values != others {
			t.Errorf("not each other's contrary: %q", whole)
		}
		if n := strings.Count(values, ",") + 1; n != bulkFrom/2 {
			t.Errorf("%d of %d in one half", n, bulkFrom)
		}
		if whole, on := usual.ofPods(); len(whole) != 0 || on != 1 {
			t.Errorf("the usual way: lists %q, %d that go on", whole, on)
		}
		if n := count(c, func(r testcluster.Request) bool { return isList(r) && r.Resource == "pods" }); n != 0 {
			t.Errorf("%d LISTs", n)
		}
		c.Delete("Pod", "shop", podOf(3).Name)
		c.Delete("Pod", "shop", podOf(bulkFrom-3).Name)
		f.within(time.Second, "changes of both", func() bool { return f.count("Pod") == bulkFrom-2 })
	})
}

// What goes from one half to the other is in neither list when that one is older
// and this one newer.
func TestNothingIsLostBetweenTheHalves(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		f, usual, bulk := followApps(t, c, 5*time.Second)
		f.within(4*time.Second, "the first half", func() bool {
			return count(c, func(r testcluster.Request) bool { return r.Resource == "pods" }) == 1
		})
		first := appName(0)
		relabel(c, bulkFrom-1, first)                   // comes to the half that is listed
		c.Delete("Pod", "shop", podOf(1).Name)          // was listed
		c.Delete("Pod", "shop", podOf(bulkFrom-2).Name) // never will be
		relabel(c, 2, "nobodys")                        // is in both
		f.within(10*time.Second, "synced", func() bool { return f.synced })
		f.within(time.Second, "what went between them", func() bool { return f.count("Pod") == bulkFrom-2 })
		for _, i := range []int{2, bulkFrom - 1} {
			if f.objects[podOf(i)] == nil {
				t.Errorf("the Pod of %s is lost", appName(i))
			}
		}
		if o := f.objects[podOf(2)]; o != nil {
			if v, _ := o.Label("app"); v != "nobodys" {
				t.Errorf("an older version won: app=%s", v)
			}
		}
		if whole, _ := usual.ofPods(); len(whole) != 0 {
			t.Errorf("everything was listed anew: %q", whole)
		}
		if whole, _ := bulk.ofPods(); len(whole) != 2 {
			t.Errorf("lists %q", whole)
		}
	})
}

func TestWhereHalvesAreRefusedTheWholeIsAskedFor(t *testing.T) {
	for _, code := range []int{http.StatusRequestURITooLong, http.StatusBadRequest, http.StatusTooManyRequests} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				lift := c.Inject(testcluster.Fault{Status: code, Match: func(r testcluster.Request) bool {
					return r.Resource == "pods" && strings.Contains(r.Query, "notin")
				}})
				f, _, bulk := followApps(t, c, 0)
				want := []string{"", "app in", "app notin"}
				if code == http.StatusTooManyRequests { // that is no matter of length
					want = want[1:]
					f.rest(100 * time.Millisecond)
					lift()
				}
				f.within(10*time.Second, "synced", func() bool { return f.synced })
				if n := f.count("Pod"); n != bulkFrom {
					t.Errorf("%d Pods", n)
				}
				got, _ := bulk.ofPods()
				for i := range got {
					got[i], _, _ = strings.Cut(got[i], " (")
				}
				if got = slices.Compact(got); !slices.Equal(got, want) {
					t.Errorf("lists %q, want %q", got, want)
				}
			})
		})
	}
}

func TestAHalfThatBreaksOffOrNeverEndsTakesTheOtherWithIt(t *testing.T) {
	for name, fault := range map[string]testcluster.Fault{
		"breaks off":                         {NoEnd: true, Close: time.Second},
		"breaks off while the other goes on": {NoEnd: true, Close: time.Second},
		"never ends":                         {NoEnd: true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				fault.Match = func(r testcluster.Request) bool {
					return r.Resource == "pods" && strings.Contains(r.Query, "notin")
				}
				c.Inject(fault)
				if strings.Contains(name, "other") {
					c.Inject(testcluster.Fault{NoEnd: true, Match: func(r testcluster.Request) bool {
						return r.Resource == "pods" && strings.Contains(r.Query, "app+in")
					}})
				}
				f, usual, bulk := followApps(t, c, 0)
				if d := f.within(syncSilence+5*time.Second, "synced", func() bool { return f.synced }); fault.Close > 0 && d > 5*time.Second {
					t.Errorf("it took %v", d)
				}
				if n := f.count("Pod"); n != bulkFrom {
					t.Errorf("%d Pods", n)
				}
				if whole, _ := bulk.ofPods(); len(whole) != 2 {
					t.Errorf("lists %q", whole)
				}
				if whole, on := usual.ofPods(); len(whole)+on != 1 {
					t.Errorf("the usual way: lists %q, %d that go on", whole, on)
				}
				c.Delete("Pod", "shop", podOf(3).Name)
				f.within(time.Second, "what changes later", func() bool { return f.count("Pod") == bulkFrom-1 })
			})
		})
	}
}

func TestParentsThatAreNotListedAreAwaitedForAMoment(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		lift := c.Inject(testcluster.Fault{Hang: true, Match: func(r testcluster.Request) bool { return r.Resource == "deployments" && r.Verb == "watch" }})
		f, _, bulk := followApps(t, c, 0)
		asked := func() bool { whole, _ := bulk.ofPods(); return len(whole) > 0 }
		if d := f.within(crowdPatience+100*time.Millisecond, "the question about Pods", asked); d < crowdPatience/2 {
			t.Errorf("nobody was waited for: %v", d)
		}
		if whole, _ := bulk.ofPods(); !slices.Equal(whole, []string{""}) {
			t.Errorf("lists %q", whole)
		}
		lift()
		f.within(headerPatience+5*time.Second, "synced", func() bool { return f.synced })
	})
}

func TestAHalfIsNoLongerThanItMayBe(t *testing.T) {
	h := newHub(0, "all", time.Now)
	s := &source{e: &Engine{hub: h, client: &client{}}, spec: spec{res: builtinByKind[groupKind{"", "Pod"}], namespace: "shop"}}
	s.e.client.ways.Store(&ways{bulk: &http.Client{}})
	if both := s.halves(); both != nil {
		t.Errorf("halves of nothing known: %q", both)
	}
	for i := range 5000 {
		h.followed[&rec{}] = []edges.Need{{Version: "v1", Resource: "pods", Kind: "Pod", Namespace: "shop", Selector: object.Selector{
			Match: []object.Label{{Key: "app", Value: fmt.Sprintf("app-%060d", i)}, {Key: "tier", Value: "web"}},
		}}}
	}
	both := s.halves()
	if len(both) != 2 {
		t.Fatalf("%d halves", len(both))
	}
	for _, half := range both {
		if n := len(url.QueryEscape(half)); n > longHalf+100 || n < longHalf/2 {
			t.Errorf("%d bytes: %.80s", n, half)
		}
	}
}
