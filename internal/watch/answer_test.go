package watch

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// answers is an answer of a proxy before the API server.
func answers(code int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// lies are answers that are not the API's, and the expected messages.
var lies = map[string]struct {
	answer http.HandlerFunc
	says   string
}{
	"plain 404":                 {answers(404, "text/plain; charset=utf-8", "404 page not found\n"), `not Kubernetes: "404 page not found" (404)`},
	"HTML":                      {answers(200, "text/html; charset=utf-8", "<!doctype html><title>Log in</title>"), "not Kubernetes: HTML (a proxy or login page?)"},
	"HTML that says it is JSON": {answers(200, "application/json", "<html>Log in</html>\n"), "not Kubernetes: HTML (a proxy or login page?)"},
	"HTML with 404":             {answers(404, "text/html", "<html>404</html>"), "not Kubernetes: HTML (a proxy or login page?) (404)"},
	"HTML with 403":             {answers(403, "text/html", "<html>blocked</html>"), "not Kubernetes: HTML (a proxy or login page?) (403)"},
	"{}":                        {answers(200, "application/json", "{}"), "not Kubernetes: JSON without the kind"},
	"nothing":                   {answers(200, "application/json", ""), "not Kubernetes: an empty answer"},
	"a 404 in JSON":             {answers(404, "application/json", `{"message":"no Route matched with those values"}`), "not Kubernetes: JSON without the kind"},
	"410 of nobody":             {answers(410, "text/plain", "gone"), `not Kubernetes: "gone" (410)`},
	"an empty list of another kind": {
		answers(200, "application/json", `{"kind":"ServiceList","apiVersion":"v1","metadata":{"resourceVersion":"9999"},"items":[]}`+"\n"), "ServiceList",
	},
	"an empty list of metadata": {
		answers(200, "application/json", `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9999"},"items":[]}`+"\n"), "PartialObjectMetadataList",
	},
	"a list that is cut short": {
		answers(200, "application/json", `{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"9999","remainingItemCount":3},"items":[]}`+"\n"), "",
	},
	"objects of another namespace": {
		answers(200, "application/json", `{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"9999"},"items":[{"metadata":{"name":"web","namespace":"other","uid":"u","resourceVersion":"9"}}]}`+"\n"), "",
	},
	"an event of another namespace": {
		answers(200, "application/json", `{"type":"ADDED","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"other","uid":"u","resourceVersion":"9"}}}`+"\n"), "",
	},
	"the end of a list of another kind": {
		answers(200, "application/json", `{"type":"BOOKMARK","object":{"kind":"Service","apiVersion":"v1","metadata":{"resourceVersion":"9999","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n"), "",
	},
}

// manners are the ways in which a Deployment may be asked for.
var manners = map[string]struct {
	options Options
	target  inventory.Target
	list    bool // without streamed lists
}{
	"watch":                {target: named("deploy", "web")},
	"watch after a list":   {target: inventory.Target{Source: "deploy", Type: "deploy", All: true}, list: true},
	"watch of a selection": {target: inventory.Target{Source: "deploy", Type: "deploy", All: true}},
	"poll by get":          {target: named("deploy", "web"), options: Options{Poll: 2 * time.Second}},
	"poll by list":         {target: inventory.Target{Source: "deploy", Type: "deploy", All: true}, options: Options{Poll: 2 * time.Second}},
}

func TestAnAnswerThatIsNotTheAPIsChangesNoStatus(t *testing.T) {
	for manner, m := range manners {
		for name, lie := range lies {
			for _, discoveryToo := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, discovery too %v", manner, name, discoveryToo), func(t *testing.T) {
					inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
						putApp(c, "web")
						if m.list {
							c.Inject(testcluster.Fault{Status: 422, Match: isInitialWatch})
						}
						match := func(r testcluster.Request) bool { return discoveryToo && r.Path != kube.Readyz || r.Resource != "" }
						lift := c.Inject(testcluster.Fault{Answer: lie.answer, Match: match})
						f := start(t, c, m.options, m.target)

						// From the start.
						f.within(10*time.Second, "stale", f.phase("deployments", feed.Stale))
						f.rest(time.Minute)
						check := func(when string) {
							t.Helper()
							s := f.source("deployments")
							if s.Phase != feed.Stale || !strings.Contains(s.Error, lie.says) {
								t.Errorf("%s: %s %q", when, s.Phase, s.Error)
							}
							if len(f.absent)+len(f.gone) > 0 {
								t.Errorf("%s: absent %v, gone %v", when, f.absent, f.gone)
							}
							if strings.Contains(s.Error, "invalid character") {
								t.Errorf("%s: a parser's words: %q", when, s.Error)
							}
						}
						check("from the start")
						if f.synced || !f.source("deployments").LastData.IsZero() {
							t.Errorf("synced %v, last data %v", f.synced, f.source("deployments").LastData)
						}
						for _, p := range f.phases {
							if strings.HasSuffix(p, string(feed.Live)) {
								t.Errorf("from the start it was live: %v", f.phases)
							}
						}
						lift()
						f.within(15*time.Second, "live", f.phase("deployments", feed.Live))
						f.settled()
						f.rest(5 * time.Second)

						// Later.
						began, seen := time.Now(), len(f.phases)
						lift = c.Inject(testcluster.Fault{Answer: lie.answer, Match: match})
						c.CutStreams()
						f.within(10*time.Second, "stale", f.phase("deployments", feed.Stale))
						f.rest(time.Minute)
						check("later")
						if f.objects[webID] == nil {
							t.Error("later: the row is lost")
						}
						if d := f.source("deployments").LastData.Sub(began); d > 0 {
							t.Errorf("later: what was said %v after the beginning counts as data", d)
						}
						for _, p := range f.phases[seen:] {
							if strings.HasSuffix(p, string(feed.Live)) {
								t.Errorf("later it was live: %v", f.phases[seen:])
							}
						}
						lift()
						f.within(15*time.Second, "live", f.phase("deployments", feed.Live))
					})
				})
			}
		}
	}
}

// The server's own words for a path that it does not serve are those of any other:
// the discovery tells.
func TestAKindIsNotServedOnlyByTheDiscovery(t *testing.T) {
	widget := testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"}
	for name, poll := range map[string]time.Duration{"watch": 0, "poll": 2 * time.Second} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				id := object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "a"}
				f := start(t, c, Options{Poll: poll}, inventory.Target{Source: "-f", ID: id, Version: "v1"})
				f.within(5*time.Second, "not served", f.phase("kind Widget", feed.NotServed))
				f.within(time.Second, "absent", func() bool { return f.absent[id] })
				c.Serve(widget)
				c.Put(map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a", "namespace": "shop"}})
				f.within(6*time.Second, "there", f.has(id))
				c.Unserve("Widget")
				c.CutStreams()
				f.within(10*time.Second, "not served any more", f.phase("widgets", feed.NotServed))

				// Whether it comes back is nothing that a proxy knows.
				lift := c.Inject(testcluster.Fault{Answer: lies["{}"].answer})
				c.Serve(widget)
				f.rest(30 * time.Second)
				lift()
				f.within(10*time.Second, "live", f.phase("widgets", feed.Live))
			})
		})
	}
}

func TestAForeignAnswerToADiscoveryIsNoMissingType(t *testing.T) {
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"})
				c.Put(map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a", "namespace": "shop"}})
				lift := c.Inject(testcluster.Fault{Answer: lie.answer, Match: func(r testcluster.Request) bool { return strings.HasPrefix(r.Path, "/api") }})
				f := start(t, c, Options{}, named("widget", "a"))
				f.rest(20 * time.Second)
				lift()
				f.within(10*time.Second, "there", f.has(object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "a"}))
			})
		})
	}
}

func TestALoginPageFromTheStartIsNoAPIServer(t *testing.T) {
	for _, name := range []string{"HTML", "{}", "nothing", "plain 404"} {
		s := httptest.NewServer(lies[name].answer)
		err := preflight(t, &rest.Config{Host: s.URL})
		s.Close()
		if err == nil || !strings.Contains(err.Error(), "is no API server: "+lies[name].says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// endless is an answer without an end.
func endless(head string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, head)
		part := []byte(strings.Repeat("a", 1<<20))
		for r.Context().Err() == nil {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}
}

func TestAnEndlessAnswerIsGivenUp(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads some hundred megabytes")
	}
	web := named("deploy", "web")
	for name, c := range map[string]struct {
		head   string
		target inventory.Target
		says   string
	}{
		"an object":      {`{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"`, web, "the answer to /apis/apps/v1/namespaces/shop/deployments/web is longer than 64 MiB, and was given up"},
		"a field":        {`{"kind":"DeploymentList","apiVersion":"apps/v1","x":"`, inventory.Target{Source: "deploy", Type: "deploy", All: true}, "the answer to /apis/apps/v1/namespaces/shop/deployments is longer than 64 MiB, and was given up"},
		"a whole of one": {`{"kind":"DeploymentList","apiVersion":"apps/v1","items":[{"metadata":{"name":"`, inventory.Target{Source: "deploy", Type: "deploy", All: true}, "the answer to /apis/apps/v1/namespaces/shop/deployments is longer than 64 MiB, and was given up"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, cl *testcluster.Cluster) {
				cl.Inject(testcluster.Fault{Answer: endless(c.head), Match: func(r testcluster.Request) bool { return r.Resource != "" }})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				f := start(t, cl, Options{Poll: 2 * time.Second}, c.target)
				f.within(time.Minute, "stale", f.phase("deployments", feed.Stale))
				runtime.ReadMemStats(&after)
				if e := f.source("deployments").Error; !strings.Contains(e, c.says) {
					t.Errorf("it says %q", e)
				}
				// A reader that grows by a quarter each time allocates five times what it reads; the
				// server and TLS, whose pools the race detector empties, three times more.
				if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 8*kube.Bound>>20 {
					t.Errorf("%d MB were allocated", mb)
				}
				n := len(cl.Requests())
				f.rest(20 * time.Second)
				if more := len(cl.Requests()) - n; more > 20 {
					t.Errorf("asked %d times more in 20 s", more)
				}
			})
		})
	}
}

// trap is a server that must never be asked.
func trap(t *testing.T) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		t.Errorf("%s was asked there, with Authorization %q", r.URL.Path, r.Header.Get("Authorization"))
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestCredentialsDoNotFollowARedirectToAnotherServer(t *testing.T) {
	elsewhere, asked := trap(t)
	for _, code := range []int{301, 302, 303, 307, 308} {
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+r.URL.Path+"?state=secret", code)
		}))
		err := preflight(t, &rest.Config{Host: s.URL, BearerToken: "canary", TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
		s.Close()
		want := "the server redirects to " + elsewhere + "; not followed, because the credentials would go there"
		if err == nil || err.Error() != want {
			t.Errorf("%d: %v, want %s", code, err, want)
		}
		if h, ok := err.(interface{ Hint() string }); !ok || h.Hint() == "" {
			t.Errorf("%d: no next step", code)
		}
	}
	if asked.Load() > 0 {
		t.Error("the other server was asked")
	}
}

func TestARedirectOnTheSameServerIsFollowedAndALoopIsNot(t *testing.T) {
	var token atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/version":
			http.Redirect(w, r, "/k8s/version", http.StatusFound)
		case "/k8s/version":
			token.Store(r.Header.Get("Authorization"))
			_, _ = io.WriteString(w, `{"gitVersion":"v1.36.3"}`)
		default:
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}
	}))
	defer s.Close()
	if err := preflight(t, &rest.Config{Host: s.URL, BearerToken: "canary"}); err != nil || token.Load() != "Bearer canary" {
		t.Errorf("%v, token %v", err, token.Load())
	}
}

func TestALateRedirectIsReportedAndNotFollowed(t *testing.T) {
	elsewhere, _ := trap(t)
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		lift := c.Inject(testcluster.Fault{Answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusFound)
		}})
		c.CutStreams()
		f.within(5*time.Second, "said", func() bool {
			return strings.Contains(f.source("deployments").Error, "the server redirects to "+elsewhere)
		})
		if f.source("deployments").Hint == "" || f.objects[webID] == nil || len(f.absent) > 0 {
			t.Errorf("%+v, absent %v", f.source("deployments"), f.absent)
		}
		lift()
		f.within(10*time.Second, "live", f.phase("deployments", feed.Live))
	})
}

func TestATokenOfTheCommandLineIsBlamedAndNotTheKubeconfig(t *testing.T) {
	s := httptest.NewServer(answers(401, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401}`))
	defer s.Close()
	e, err := New(Options{
		Config: &rest.Config{Host: s.URL, BearerToken: "bad"}, Targets: []inventory.Target{named("deploy", "web")},
		Origin: kube.Origin{Cluster: "/home/me/clusters", User: "/home/me/users", Token: "--token"},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.patience = time.Minute
	e.Start(t.Context())
	defer e.Close()
	err = e.Preflight(t.Context())
	if want := "the server does not accept our credentials (401): the token of --token"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if h, ok := err.(interface{ Hint() string }); !ok || !strings.Contains(h.Hint(), "give --token another") {
		t.Errorf("the next step is not about the flag: %v", err)
	}
}

func TestARequestTimeoutBoundsEveryRequestButWatches(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Freeze()
		f := startWith(t, c, Options{}, func(o *Options) { o.Config.Timeout = 3 * time.Second }, named("deploy", "web"))
		if d := f.within(10*time.Second, "stale", f.phase("deployments", feed.Stale)); d < 3*time.Second || d > 3500*time.Millisecond {
			t.Errorf("noticed after %v", d)
		}
		c.Thaw()
		f.within(10*time.Second, "live", f.phase("deployments", feed.Live))
		f.rest(45 * time.Second) // the watch goes on
		if !f.phase("deployments", feed.Live)() {
			t.Errorf("%v", f.states())
		}
	})
}
