package watch

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/events"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// many are n Deployments, five in a namespace, each with a stream of its own.
func many(c *testcluster.Cluster, n int) (targets []inventory.Target) {
	for i := range n {
		id := object.ID{Group: "apps", Kind: "Deployment", Namespace: fmt.Sprint("shop", i/5), Name: fmt.Sprint("web", i)}
		d := deployment(id.Name)
		d["metadata"].(map[string]any)["namespace"] = id.Namespace
		c.Put(d)
		targets = append(targets, inventory.Target{Source: "-f app.yaml", ID: id, Version: "v1"})
	}
	return targets
}

func (f *follower) all(p feed.Phase) func() bool {
	return func() bool {
		n := 0
		for _, s := range f.sources {
			if s.Phase != feed.Closed && s.Phase != p {
				return false
			}
			n++
		}
		return n > 0
	}
}

// since counts what was asked after a moment.
func since(c *testcluster.Cluster, at time.Time) int {
	return count(c, func(r testcluster.Request) bool { return r.At.After(at) })
}

func TestAnInitialListThatBreaksOffAgainAndAgainIsListed(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		// A proxy that ends every stream before the announcement has passed.
		c.Inject(testcluster.Fault{NoEnd: true, Close: 2 * time.Second, Match: isInitialWatch})
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"), named("deploy", "none"))
		if d := f.within(time.Minute, "synced", func() bool { return f.synced }); d > 10*time.Second {
			t.Errorf("listed instead after %v", d)
		}
		if len(f.objects) != 3 || !f.absent[object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "none"}] {
			t.Errorf("objects %v, absent %v", f.names(), f.absent)
		}
	})
}

// What repeats the events of a watch repeats the end of the initial ones as well.
func TestEventsThatComeTwiceAreTakenOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Inject(testcluster.Fault{Twice: true, Match: func(r testcluster.Request) bool { return r.Verb == "watch" }})
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"), named("deploy", "late"))
		f.within(time.Second, "live", f.phase("deployments", feed.Live))
		putApp(c, "late")
		f.within(time.Second, "both with their children", func() bool { return len(f.objects) == 6 })
	})
}

func TestAnAnswerThatStopsHalfwayIsRequestedAgain(t *testing.T) {
	for slow, fault := range map[string]testcluster.Fault{"stops": {Stall: true}, "drips": {Drip: 300 * time.Millisecond}} {
		for name, o := range map[string]Options{"list": {Poll: 3 * time.Second}, "list before a watch": {}} {
			t.Run(name+" "+slow, func(t *testing.T) {
				inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
					putApp(c, "web")
					c.Inject(testcluster.Fault{NoEnd: true})
					fault.Match = func(r testcluster.Request) bool { return r.Resource != "" }
					lift := c.Inject(fault)
					f := start(t, c, o, inventory.Target{Source: "deploy", Type: "deploy", All: true})
					d := f.within(25*time.Second, "stale", f.phase("deployments", feed.Stale))
					if want := 10 * time.Second; o.Poll > 0 && d > want+time.Second {
						t.Errorf("noticed after %v", d)
					}
					if e := f.source("deployments").Error; !strings.Contains(e, "stopped before its end") {
						t.Errorf("it says %q", e)
					}
					lift()
					f.within(15*time.Second, "live", f.phase("deployments", feed.Live))
				})
			})
		}
	}
}

// The body of a refusal may never end, like that of any answer; until it has,
// its author is unknown.
func TestARefusedWatchWhoseRefusalStopsHalfwayIsNotWaitedForForEver(t *testing.T) {
	for _, fault := range []testcluster.Fault{
		{Status: 403, Stall: true}, {Status: 404, Stall: true}, {Status: 500, Stall: true}, {Status: 403, Drip: 300 * time.Millisecond},
	} {
		t.Run(fmt.Sprint(fault.Status, " ", fault.Drip), func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putApp(c, "web")
				fault.Match = func(r testcluster.Request) bool { return r.Verb == "watch" }
				lift := c.Inject(fault)
				f := start(t, c, Options{}, named("deploy", "web"))
				f.within(kube.BodyPatience+time.Second, "noticed", f.phase("deployments", feed.Stale))
				t.Logf("%+v", f.source("deployments"))
				if len(f.absent) > 0 {
					t.Error("half of a refusal is taken for absence")
				}
				lift()
				f.within(sources.UpgradeAfter+15*time.Second, "live", func() bool {
					return f.phase("deployments", feed.Live)() && f.source("deployments").Mode == feed.ModeWatch
				})
			})
		})
	}
}

func TestAStreamThatCannotBeRenewedIsStaleBeforeItsTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		f.rest(time.Minute)
		lift := c.Inject(testcluster.Fault{Hang: true, Match: func(r testcluster.Request) bool { return r.Resource != "" }})
		c.Forget() // the next one begins with a list
		before := len(c.Requests())
		d := f.within(time.Minute+kube.HeaderPatience, "stale", f.phase("deployments", feed.Stale))
		t.Logf("stale after %v", d)
		anew := c.Requests()[before:]
		if d := time.Since(anew[0].At); d > 2500*time.Millisecond {
			t.Errorf("%v after it was asked for anew", d)
		}
		lift()
		f.within(15*time.Second, "live", f.phase("deployments", feed.Live))
	})
}

// An API server looks at rights when a watch begins, and lets it run on.
func TestRightsTakenAwayAreNoticedThoughEveryWatchRunsOn(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Put(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"shop"}}`)
		f := start(t, c, Options{}, named("deploy", "web"), named("svc", "web"))
		f.settled()
		f.rest(10 * time.Minute)
		lift := c.Inject(testcluster.Fault{Status: 403, Message: "forbidden: no rights", Match: func(r testcluster.Request) bool {
			return r.Resource == "deployments"
		}})
		d := f.within(65*time.Second, "forbidden", f.phase("deployments", feed.Forbidden))
		t.Logf("noticed after %v", d)
		if s := f.source("services"); s.Phase != feed.Live {
			t.Errorf("another kind is %s", s.Phase)
		}
		if f.objects[webID] == nil {
			t.Error("what was known is lost")
		}
		lift()
		f.within(2*time.Second, "live", f.phase("deployments", feed.Live))
	})
}

func TestRenewingWatchesIsNoNewsAndCostsLittle(t *testing.T) {
	for _, n := range []int{4, 60} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				f := start(t, c, Options{}, many(c, n)...)
				f.within(10*time.Second, "live", f.all(feed.Live))
				f.rest(5 * time.Minute)
				seen, began := len(f.phases), time.Now()
				f.rest(10 * time.Minute)
				if news := f.phases[seen:]; len(news) > 0 {
					t.Errorf("the renewal of watches was published: %v", news)
				}
				if got, most := since(c, began), 10*27; got > most || got > 10*n*2 {
					t.Errorf("%d requests in ten quiet minutes of %d streams", got, n)
				}
				if lists := count(c, func(r testcluster.Request) bool { return r.At.After(began) && (isList(r) || isInitialWatch(r)) }); lists > 0 {
					t.Errorf("%d lists", lists)
				}
			})
		})
	}
}

func TestATokenThatIsRotatedInItsFileIsUsed(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		file := filepath.Join(t.TempDir(), "token")
		rotate := func(token string) {
			if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		rotate("first")
		lift := func() {}
		accept := func(token string) {
			lift()
			lift = c.Inject(testcluster.Fault{Status: 401, Match: func(r testcluster.Request) bool { return r.Token != token }})
		}
		accept("first")
		f := startWith(t, c, Options{Children: "all"}, func(e *Options) { e.Config.BearerTokenFile = file }, named("deploy", "web"))
		f.settled()
		f.rest(2 * time.Minute)

		// In time: nothing is shown.
		rotate("second")
		f.rest(90 * time.Second)
		seen := len(f.phases)
		accept("second")
		c.CutStreams()
		f.rest(5 * time.Second)
		f.within(time.Second, "live", f.all(feed.Live))
		if slices.ContainsFunc(f.phases[seen:], func(p string) bool { return strings.Contains(f.source(p).Error, "401") }) {
			t.Errorf("a token that was renewed in time is news: %v", f.phases[seen:])
		}

		// Too late: it says so, keeps its rows, and is back with the new token.
		accept("third")
		c.CutStreams()
		f.within(time.Second, "stale", f.phase("deployments", feed.Stale))
		f.rest(10 * time.Second) // shorter than the silence after which all is listed again
		if s := f.source("deployments"); !strings.Contains(s.Error, "credentials (401)") || len(f.objects) != 3 {
			t.Errorf("%s %q, %v", s.Phase, s.Error, f.names())
		}
		rotate("third")
		f.within(5*time.Second, "live", f.all(feed.Live)) // the next refusal makes client-go read the file
	})
}

func TestEightyRefusedCredentialsAreNoDeadlockAndNoStorm(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		f := start(t, c, Options{}, many(c, plan.Budget)...)
		f.within(10*time.Second, "live", f.all(feed.Live))
		f.rest(time.Minute)
		lift := c.Inject(testcluster.Fault{Status: 401})
		began := time.Now()
		c.CutStreams()
		f.within(12*time.Second, "every source says so", f.all(feed.Stale))
		f.rest(2 * time.Minute)
		// Ten a second is the bound of all retries together; a burst is free.
		if n, most := since(c, began), int(time.Since(began).Seconds())*10+2*plan.Budget; n > most {
			t.Errorf("%d requests in %v", n, time.Since(began))
		}
		lift()
		d := f.within(15*time.Second, "live", f.all(feed.Live))
		t.Logf("live after %v", d)
	})
}

func TestAllRetriesOfAllSourcesTogetherAreBounded(t *testing.T) {
	for name, fault := range map[string]testcluster.Fault{
		"500": {Status: 500}, "503": {Status: 503}, "429": {Status: 429}, "410": {Status: 410}, "ended at once": {Close: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				f := start(t, c, Options{}, many(c, 60)...)
				f.within(10*time.Second, "live", f.all(feed.Live))
				f.rest(30 * time.Second)
				fault.Match = func(r testcluster.Request) bool { return r.Resource != "" }
				lift := c.Inject(fault)
				began := time.Now()
				c.CutStreams()
				f.rest(2 * time.Minute)
				n, most := since(c, began), 120*12+2*plan.Budget
				t.Logf("%d requests in two minutes of %d streams", n, 60)
				if n > most {
					t.Errorf("more than %d", most)
				}
				if len(f.objects) != 60 {
					t.Errorf("%d rows are left", len(f.objects))
				}
				lift()
				f.within(20*time.Second, "live", f.all(feed.Live))
			})
		})
	}
}

func TestSourcesComeBackOneByOneBehindOneProber(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		const streams = 60
		f := start(t, c, Options{}, many(c, streams)...)
		f.within(10*time.Second, "live", f.all(feed.Live))
		f.rest(30 * time.Second)
		c.Stop()
		f.rest(20 * time.Second)
		began := time.Now()
		if n := since(c, began.Add(-20*time.Second)); n > 0 {
			t.Errorf("%d requests reached a stopped server", n)
		}
		c.Start()
		f.within(2*time.Second, "live", f.all(feed.Live))
		probes, in := 0, map[int64]int{}
		for _, r := range c.Requests() {
			switch {
			case !r.At.After(began):
			case r.Path == "/readyz":
				probes++
			default:
				in[r.At.Sub(began).Milliseconds()/25]++
			}
		}
		total, worst := 0, 0
		for _, n := range in {
			total, worst = total+n, max(worst, n)
		}
		if probes != 1 || total > streams {
			t.Errorf("%d probes and %d requests for %d streams", probes, total, streams)
		}
		if worst > streams/3 {
			t.Errorf("%d of them within 25 ms", worst)
		}
	})
}

func TestARequestToWaitForAnHourIsNotTakenLiterally(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		lift := c.Inject(testcluster.Fault{Status: 503, RetryAfter: 3600, Match: func(r testcluster.Request) bool { return r.Resource != "" }})
		f := start(t, c, Options{}, named("deploy", "web"))
		f.within(time.Second, "throttled", f.phase("deployments", feed.Throttled))
		if s := f.source("deployments"); time.Until(s.Retry) > kube.RetryAfterMax || s.Retry.IsZero() {
			t.Errorf("the next try is at %v", s.Retry)
		}
		lift()
		f.within(kube.RetryAfterMax+time.Second, "live", f.phase("deployments", feed.Live))
	})
}

// The access ladder: what each user's rights leave of a tree of three, and how
// it is followed.
func TestAMissingPermissionAffectsItsOwnRowsAlone(t *testing.T) {
	verbs := func(allowed ...string) func(testcluster.Request) bool {
		return func(r testcluster.Request) bool { return !slices.Contains(allowed, r.Verb) }
	}
	type want struct {
		mode  feed.Mode
		phase feed.Phase
	}
	live := func(m feed.Mode) want { return want{m, feed.Live} }
	forbidden := want{feed.ModePollGet, feed.Forbidden}
	for _, u := range []struct {
		who     string
		denied  func(testcluster.Request) bool
		objects int
		sources map[string]want // by the beginning of their keys
	}{
		{"everything", verbs("get", "list", "watch"), 4, map[string]want{
			"deployments.apps -n shop web": live(feed.ModeWatch), "pods -n shop": live(feed.ModeWatch), "deployments.apps -n other": live(feed.ModeWatch),
		}},
		{"only get", verbs("get"), 2, map[string]want{
			"deployments.apps -n shop web": live(feed.ModePollGet), "deployments.apps -n other": live(feed.ModePollGet),
			"pods -n shop": {feed.ModePollList, feed.Forbidden},
		}},
		{"only list", verbs("list"), 4, map[string]want{
			"deployments.apps -n shop web": live(feed.ModePollList), "pods -n shop": live(feed.ModePollList),
		}},
		{"get and list", verbs("get", "list"), 4, map[string]want{
			"deployments.apps -n shop web": live(feed.ModePollGet), "pods -n shop": live(feed.ModePollList), "replicasets.apps -n shop": live(feed.ModePollList),
		}},
		{"one namespace", func(r testcluster.Request) bool { return r.Namespace != "shop" }, 3, map[string]want{
			"deployments.apps -n shop web": live(feed.ModeWatch), "pods -n shop": live(feed.ModeWatch), "deployments.apps -n other": forbidden,
		}},
		{"some names", func(r testcluster.Request) bool {
			return r.Name != "web" && !strings.Contains(r.Query, "metadata.name%3Dweb")
		}, 1, map[string]want{
			"deployments.apps -n shop web": live(feed.ModeWatch), "deployments.apps -n other": forbidden,
			"pods -n shop": {feed.ModePollList, feed.Forbidden},
		}},
		{"nothing", verbs(), 0, map[string]want{"deployments.apps -n shop web": forbidden, "deployments.apps -n other": forbidden}},
	} {
		t.Run(u.who, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putApp(c, "web")
				d := deployment("far")
				d["metadata"].(map[string]any)["namespace"] = "other"
				c.Put(d)
				lift := c.Inject(testcluster.Fault{Status: 403, Message: "forbidden: no rights", Match: func(r testcluster.Request) bool {
					return r.Resource != "" && u.denied(r)
				}})
				far := inventory.Target{Source: "-f app.yaml", ID: object.ID{Group: "apps", Kind: "Deployment", Namespace: "other", Name: "far"}, Version: "v1"}
				f := start(t, c, Options{Children: "all"}, named("deploy", "web"), far)
				f.within(5*time.Second, "synced", func() bool { return f.synced && len(f.objects) >= u.objects })
				if len(f.objects) != u.objects {
					t.Errorf("%d objects, want %d: %v", len(f.objects), u.objects, f.names())
				}
				for key, w := range u.sources {
					s := f.source(key)
					if s.Mode != w.mode || s.Phase != w.phase {
						t.Errorf("%s: %s, %s, want %s, %s", key, s.Mode, s.Phase, w.mode, w.phase)
					}
					if s.Phase == feed.Forbidden && (s.Verb == "" || s.Error == "") {
						t.Errorf("%s does not say what is missing: %+v", key, s)
					}
				}
				if len(f.absent) > 0 {
					t.Errorf("a refusal is no absence: %v", f.absent)
				}
				f.rest(time.Minute)
				began := time.Now()
				f.rest(2 * time.Minute)
				// Polls every ten seconds at rest, and refusals are asked about twice a minute.
				if n := since(c, began); n > 2*60 {
					t.Errorf("%d requests in two minutes", n)
				}
				lift()
				f.within(90*time.Second, "everything by watching", func() bool {
					for _, s := range f.sources {
						if s.Phase != feed.Closed && (s.Phase != feed.Live || s.Mode != feed.ModeWatch) {
							return false
						}
					}
					return len(f.objects) == 4
				})
			})
		})
	}
}

func TestARemovedKindIsReportedAndMayComeBack(t *testing.T) {
	for _, widget := range []inventory.Target{manifest("example.com", "v1", "Widget", "w"), named("widgets", "w")} {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			putApp(c, "web")
			v1 := testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"}
			id := object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "w"}
			c.Serve(v1)
			c.Put(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"}}`)
			f := start(t, c, Options{}, widget, named("deploy", "web"))
			f.within(5*time.Second, "the widget", f.has(id))
			gone := len(f.gone)
			c.Unserve("Widget")
			c.CutStreams()
			// The streams were cut: what the discovery lacks is doubted for a while.
			f.within(2*gate.RBACLoading, "not served", func() bool { return f.source("widgets").Phase == feed.NotServed && f.absent[id] })
			if len(f.gone) != gone+1 {
				t.Errorf("gone %d times", len(f.gone)-gone)
			}
			if f.source("deployments").Phase == feed.NotServed || f.objects[webID] == nil {
				t.Error("the others suffer with it")
			}
			f.rest(time.Minute)
			// Back under another version.
			c.Serve(testcluster.Resource{Group: "example.com", Version: "v2", Plural: "widgets", Kind: "Widget"})
			c.Put(`{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"w","namespace":"shop"}}`)
			d := f.within(10*time.Second, "the widget again", f.has(id))
			if d > 5*time.Second {
				t.Errorf("picked up after %v", d)
			}
			if f.absent[id] {
				t.Error("still absent")
			}
			// Deleted again while nothing watches: no event reports that its
			// objects are gone.
			c.Stop()
			f.rest(time.Second)
			c.Unserve("Widget")
			c.Forget()
			c.Start()
			f.within(2*gate.RBACLoading, "absent again", func() bool { return f.absent[id] && f.objects[id] == nil })
		})
	}
}

func TestErrorsOfOneKindDoNotAffectAnother(t *testing.T) {
	for _, code := range []int{500, 503} { // a conversion webhook that is down, an aggregated API
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			putApp(c, "web")
			c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"})
			c.Put(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"}}`)
			lift := c.Inject(testcluster.Fault{Status: code, Message: "conversion webhook failed", Match: func(r testcluster.Request) bool { return r.Resource == "widgets" }})
			f := start(t, c, Options{}, manifest("example.com", "v1", "Widget", "w"), named("deploy", "web"))
			f.within(5*time.Second, "the widgets stale", f.phase("widgets", feed.Stale))
			if s := f.source("widgets"); !strings.Contains(s.Error, "conversion webhook failed") {
				t.Errorf("it says %q", s.Error)
			}
			f.rest(time.Minute)
			if !f.phase("deployments", feed.Live)() || f.synced {
				t.Errorf("deployments: %v, synced: %v", f.source("deployments").Phase, f.synced)
			}
			c.Put(deployment("web"))
			f.within(time.Second, "a change of the others", func() bool { return f.objects[webID].ResourceVersion != "" })
			lift()
			f.within(5*time.Second, "live", f.phase("widgets", feed.Live))
		})
	}
}

// A turn for a first sync is not kept while a source waits to try again.
func TestKindsThatCannotBeReadLeaveTurnsToTheOthers(t *testing.T) {
	widgets := func(r testcluster.Request) bool { return strings.HasPrefix(r.Resource, "widget") }
	for name, fault := range map[string]testcluster.Fault{
		"refused":                {Status: 500, Message: "conversion webhook failed", Match: widgets},
		"objects without a name": {Garble: [][2]string{{`"name":"w"`, `"name":123`}}, Match: widgets},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putApp(c, "web")
				var targets []inventory.Target
				for i := range 8 { // more than there are turns
					kind := fmt.Sprint("Widget", i)
					c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: strings.ToLower(kind) + "s", Kind: kind})
					c.Put(fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":%q,"metadata":{"namespace":"shop","name":"w"}}`, kind))
					targets = append(targets, manifest("example.com", "v1", kind, "w"))
				}
				c.Inject(fault)
				f := start(t, c, Options{}, append(targets, named("deploy", "web"))...)
				f.within(10*time.Second, "what can be read", f.phase("deployments", feed.Live))
				f.within(10*time.Second, "what cannot", f.phase("widget7s", feed.Stale))
			})
		})
	}
}

func TestUnfetchedChangesTakeNoMemory(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		var last string
		for i := range 5000 {
			d := deployment("web")
			d["metadata"].(map[string]any)["generation"] = i
			last = c.Put(d)
			if i%500 == 0 {
				c.Forget()
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		b, err := f.e.Next(t.Context(), f.since)
		if err != nil || len(b.Objects) != 1 || b.Objects[0].Generation.V != 4999 || b.Objects[0].UID != last {
			t.Errorf("%d objects (%v)", len(b.Objects), err)
		}
		if n, _ := f.e.hub.Size(); n != 3 {
			t.Errorf("%d records of three objects", n)
		}
	})
}

func TestDeletedObjectsTakeNoMemory(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		owner := f.objects[podID].Owners[0].UID
		for i := range 500 {
			name := fmt.Sprint("web-1-", i)
			c.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","labels":{"app":"web"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-1","uid":%q,"controller":true}]}}`, name, owner))
			f.rest(50 * time.Millisecond)
			c.Delete("Pod", "shop", name)
			f.rest(50 * time.Millisecond)
		}
		if n := len(f.gone); n != 500 {
			t.Errorf("%d Pods have gone", n)
		}
		f.rest(time.Minute)
		if n, dead := f.e.hub.Size(); n > 10 || dead > 10 {
			t.Errorf("%d records, %d of them dead, of three objects", n, dead)
		}
	})
}

func TestTheServersClockIsReadFromItsAnswers(t *testing.T) {
	for _, ahead := range []time.Duration{58 * time.Minute, -time.Hour, time.Second} {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			putApp(c, "web")
			c.Inject(testcluster.Fault{Ahead: ahead})
			f := start(t, c, Options{}, named("deploy", "web"))
			f.settled()
			c.Put(deployment("web"))
			synctest.Wait()
			b, err := f.e.Next(t.Context(), f.since)
			want := ahead
			if ahead == time.Second { // less than what a header can tell
				want = 0
			}
			if got := time.Duration(b.Skew); err != nil || (got-want).Abs() > time.Second {
				t.Errorf("a clock %v ahead is reported as %v (%v)", ahead, got, err)
			}
		})
	}
}

func TestEventsAreNotForbiddenAnyMoreOnceTheyCanBeListed(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		var ids []object.ID
		var targets []inventory.Target
		for i := range events.Several { // as many as are worth a watch
			name := fmt.Sprint("web", i)
			c.Put(deployment(name))
			targets = append(targets, named("deploy", name))
			ids = append(ids, object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: name})
		}
		lift := c.Inject(testcluster.Fault{Status: 403, Message: "forbidden: no rights", Match: func(r testcluster.Request) bool { return r.Resource == "events" }})
		f := start(t, c, Options{}, targets...)
		f.settled()
		f.e.Want(feed.Wants{Gen: 1, Events: ids})
		f.within(2*time.Second, "forbidden", f.phase("events", feed.Forbidden))
		f.rest(time.Minute)
		lift()
		f.within(2*time.Minute, "no more word of it", func() bool { return f.source("events").Key == "" })
	})
}

// A command prints once its last Wants has been answered: one failed attempt must not cost it
// the events. One that fails for ever must not keep it waiting.
func TestAListOfEventsThatFailsOnceIsWaitedFor(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault testcluster.Fault
		fails int // so many times
		want  bool
		limit time.Duration
		late  bool
	}{
		{name: "one error", fault: testcluster.Fault{Status: 500}, fails: 1, limit: 2 * time.Second},
		{name: "throttled once", fault: testcluster.Fault{Status: 429, RetryAfter: 3}, fails: 1, limit: 5 * time.Second},
		{name: "one broken answer", fault: testcluster.Fault{Stall: true}, fails: 1, limit: kube.HeaderPatience + 2*time.Second, late: true},
		{name: "errors for ever", fault: testcluster.Fault{Status: 500}, fails: 1 << 30, limit: 2 * time.Second, late: true},
		{name: "throttled for ever", fault: testcluster.Fault{Status: 429, RetryAfter: 60}, fails: 1 << 30, limit: events.Patience + time.Second, late: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				uid := putApp(c, "web")
				c.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"shop"},"involvedObject":{"kind":"Deployment","name":"web","uid":%q},"reason":"Because","count":1}`, uid))
				f := start(t, c, Options{}, named("deploy", "web"))
				f.settled()
				var failed atomic.Int32
				tc.fault.Match = func(r testcluster.Request) bool {
					return r.Resource == "events" && int(failed.Add(1)) <= tc.fails
				}
				c.Inject(tc.fault)
				f.e.Want(feed.Wants{Gen: 1, Events: []object.ID{webID}})
				f.within(tc.limit, "the answer", func() bool { return f.eventsAnswered == 1 })
				if got := len(f.events) == 1; got == tc.late {
					t.Errorf("answered with %d events", len(f.events))
				}
				if got := f.source("events").Late; got != tc.late {
					t.Errorf("late: %v; %v", got, f.states())
				}
				if tc.fails == 1 {
					f.within(time.Minute, "the event, and no more word of it", func() bool {
						return len(f.events) == 1 && f.source("events").Key == ""
					})
				}
			})
		})
	}
}

func TestAServerThatDoesNotStreamListsGetsOneSuchRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Inject(testcluster.Fault{
			Match:  func(r testcluster.Request) bool { return isInitialWatch(r) && r.Resource != "" },
			Status: 422, Message: "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
		})
		putApp(c, "web")
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.settled()
		if got := strings.Join(f.names(), " "); got != "Deployment/web Pod/web-1-a ReplicaSet/web-1" {
			t.Errorf("followed: %s", got)
		}
		if n := count(c, isInitialWatch); n != 1 {
			t.Errorf("%d streams of lists were asked for, want the first alone", n)
		}
		if n := count(c, isList); n != 3 {
			t.Errorf("%d lists for three sources", n)
		}
	})
}

func TestAServerThatCannotStreamOneKindStreamsTheOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"})
		c.Put(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"gear","namespace":"shop"}}`)
		c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return isInitialWatch(r) && r.Resource == "widgets" }, Status: 422, Message: "no lists as streams"})
		f := start(t, c, Options{Children: "all"}, manifest("example.com", "v1", "Widget", "gear"))
		f.settled()
		putApp(c, "web")
		f.more("late", []inventory.Target{named("deploy", "web")})
		f.settled()
		f.within(time.Second, "pod", f.has(podID))
		if n := count(c, func(r testcluster.Request) bool { return isList(r) && r.Resource == "widgets" }); n != 1 {
			t.Errorf("%d lists of what is not streamed", n)
		}
		if n := count(c, func(r testcluster.Request) bool { return isList(r) && r.Resource != "widgets" }); n != 0 {
			t.Errorf("%d lists of what streams them", n)
		}
	})
}

// The end of a stream has no reason: the next request finds out.
func TestABrokenStreamReportsWhyTheServerRefuses(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		targets := many(c, 10)
		f := start(t, c, Options{}, targets...)
		f.settled()
		c.Stop()
		f.within(2*time.Second, "stale", f.all(feed.Stale))
		f.within(2*time.Second, "the reason, of all", func() bool {
			for _, s := range f.sources {
				if s.Phase == feed.Stale && (!strings.Contains(s.Error, "cannot reach") || !strings.Contains(s.Hint, "is the cluster running?")) {
					return false
				}
			}
			return true
		})
		c.Start()
		f.within(10*time.Second, "live again", f.all(feed.Live))
		for _, s := range f.sources {
			if s.Error != "" || s.Hint != "" {
				t.Errorf("%s still says %q, %q", s.Key, s.Error, s.Hint)
			}
		}
		// The server answers that it is not ready: its page of failed checks is
		// not shown.
		lift := c.Inject(testcluster.Fault{Status: 503, Match: func(testcluster.Request) bool { return true }})
		c.CutStreams()
		f.within(10*time.Second, "word of it", func() bool {
			for _, s := range f.sources {
				if strings.Contains(s.Error, "503") {
					return true
				}
			}
			return false
		})
		lift()
	})
}

// blank answers watches with 200 and nothing, and ends after a while.
func blank(contentType string, after time.Duration) testcluster.Fault {
	return testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Verb == "watch" }, Answer: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		select {
		case <-time.After(after):
		case <-r.Context().Done():
		}
	}}
}

// Something that answers watches in the server's place keeps nothing live.
func TestAnOpenedWatchWithoutEventsIsNotLive(t *testing.T) {
	for _, x := range []struct {
		contentType string
		after       time.Duration
	}{{"application/json", time.Second}, {"application/json", 20 * time.Second}, {"application/json", time.Minute}, {"application/json", 2 * time.Minute}, {"text/plain", 2 * time.Second}} {
		t.Run(fmt.Sprint(x.contentType, " ", x.after), func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putApp(c, "web")
				f := start(t, c, Options{}, named("deploy", "web"))
				f.settled()
				f.rest(2 * time.Minute)
				lift := c.Inject(blank(x.contentType, x.after))
				c.CutStreams()
				f.rest(20 * time.Second)
				c.Delete("Deployment", "shop", "web")
				f.within(sources.LiveSilence+20*time.Second, "gone", func() bool { return f.absent[webID] })
				f.rest(10 * time.Minute)
				if r := c.Requests(); since(c, time.Now().Add(-5*time.Minute)) > 60*5 {
					t.Errorf("%d requests in all", len(r))
				}
				lift()
				f.within(3*time.Minute, "live", f.phase("deployments", feed.Live))
			})
		})
	}
}

// A server without bookmarks is not taken for one that is silent.
func TestWithoutBookmarksALiveSourceIsReadNowAndThen(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Inject(testcluster.Fault{NoBookmarks: true})
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		f.rest(time.Minute)
		f.phases = nil
		began := time.Now()
		f.rest(30 * time.Minute)
		if len(f.phases) > 0 {
			t.Errorf("published: %v", f.phases)
		}
		if n := count(c, func(r testcluster.Request) bool {
			return r.At.After(began) && r.Resource == "deployments" && (isList(r) || isInitialWatch(r))
		}); n > 21 {
			t.Errorf("%d lists in half an hour", n)
		}
	})
}

func TestAWatchThatIsRefusedIsPolledCalmly(t *testing.T) {
	for _, code := range []int{400, 406, 415, 422} {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			putApp(c, "web")
			c.Inject(testcluster.Fault{Status: code, Match: func(r testcluster.Request) bool { return r.Verb == "watch" }})
			f := start(t, c, Options{}, named("deploy", "web"))
			f.rest(20 * time.Second)
			f.phases = nil
			f.rest(5 * time.Minute)
			if s := f.source("deployments"); s.Phase != feed.Live || len(f.phases) > 0 {
				t.Errorf("%d: %s, and published: %v", code, s.Phase, f.phases)
			}
		})
	}
}

func TestWatchesThatWereNotAnsweredForAWhileAreTriedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		lift := c.Inject(testcluster.Fault{Hang: true, Match: func(r testcluster.Request) bool { return r.Verb == "watch" }})
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.rest(time.Minute)
		if m := f.source("deployments").Mode; m == feed.ModeWatch {
			t.Fatalf("mode %s", m)
		}
		lift()
		f.rest(20 * time.Minute)
		if m := f.source("deployments").Mode; m != feed.ModeWatch {
			t.Errorf("mode %s", m)
		}
	})
}

// A custom kind may come from a server of its own.
func TestACustomKindWhoseInitialListHasNoEndIsNoEvidenceForOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"})
		c.Put(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"}}`)
		c.Inject(testcluster.Fault{NoEnd: true, Match: func(r testcluster.Request) bool { return r.Resource == "widgets" }})
		f := start(t, c, Options{Children: "all"}, named("widgets", "w"))
		f.rest(15 * time.Second)
		putApp(c, "web")
		f.more("more", []inventory.Target{named("deploy", "web")})
		f.rest(5 * time.Second)
		if n := count(c, func(r testcluster.Request) bool { return r.Resource != "widgets" && isList(r) }); n > 0 {
			t.Errorf("%d lists of kinds whose initial lists are streamed", n)
		}
		if s := f.source("widgets"); s.Phase != feed.Live {
			t.Errorf("widgets are %s: %s", s.Phase, s.Error)
		}
	})
}
