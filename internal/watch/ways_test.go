package watch

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// countedWay notes what is asked on its way.
type countedWay struct {
	next http.RoundTripper
	mu   sync.Mutex
	seen []string
	fail error
}

func (w *countedWay) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.seen = append(w.seen, r.URL.Path+"?"+r.URL.RawQuery)
	fail := w.fail
	w.mu.Unlock()
	if fail != nil {
		return nil, fail
	}
	return w.next.RoundTrip(r)
}

func (w *countedWay) WrappedRoundTripper() http.RoundTripper { return w.next }

// watches are the requests that ask for a whole list, and those that go on from one.
func (w *countedWay) watches() (whole, on int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.seen {
		switch {
		case strings.Contains(u, "sendInitialEvents"):
			whole++
		case strings.Contains(u, "watch=true"):
			on++
		}
	}
	return whole, on
}

// followMany follows ConfigMaps with a way of large first syncs.
func followMany(t *testing.T, c *testcluster.Cluster, n int, fail error) (f *follower, usual, bulk *countedWay) {
	t.Helper()
	var targets []inventory.Target
	for i := range n {
		targets = append(targets, manifest("", "v1", "ConfigMap", fmt.Sprintf("c%04d", i)))
		c.Put(settings(i))
	}
	e, err := New(Options{Config: c.Config(), Targets: targets, Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	w := e.client.ways.Load()
	usual, bulk = &countedWay{next: w.usual.Transport}, &countedWay{next: w.usual.Transport, fail: fail}
	e.client.ways.Store(&ways{usual: &http.Client{Transport: usual}, bulk: &http.Client{Transport: bulk}})
	return attend(t, c, e), usual, bulk
}

func settings(i int) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": fmt.Sprintf("c%04d", i), "namespace": "shop"}}
}

func wantWatches(t *testing.T, name string, w *countedWay, whole, on int) {
	t.Helper()
	if a, b := w.watches(); a != whole || b != on {
		t.Errorf("the %s way: %d whole lists and %d streams that go on, want %d and %d: %v", name, a, b, whole, on, w.seen)
	}
}

func TestALargeFirstSyncGoesAWayOfItsOwnAndIsListedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		f, usual, bulk := followMany(t, c, bulkFrom, nil)
		f.settled()
		if len(f.objects) != bulkFrom {
			t.Errorf("%d objects", len(f.objects))
		}
		c.Delete("ConfigMap", "shop", "c0007")
		f.within(time.Second, "what changes later", func() bool { return len(f.objects) == bulkFrom-1 })
		wantWatches(t, "large", bulk, 1, 0)
		wantWatches(t, "usual", usual, 0, 1)
		f.rest(3 * renewEvery)
		wantWatches(t, "large", bulk, 1, 0)
		for _, p := range f.phases {
			if strings.Contains(p, string(feed.Stale)) {
				t.Errorf("the way was seen to change: %v", f.phases)
			}
		}
	})
}

func TestASmallFirstSyncGoesTheUsualWay(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		f, usual, bulk := followMany(t, c, bulkFrom-1, nil)
		f.settled()
		wantWatches(t, "large", bulk, 0, 0)
		wantWatches(t, "usual", usual, 1, 0)
	})
}

func TestNothingIsLostBetweenTheTwoWays(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		on := func(r testcluster.Request) bool { return r.Verb == "watch" && !isInitialWatch(r) }
		lift := c.Inject(testcluster.Fault{Match: on, Status: http.StatusInternalServerError})
		f, usual, bulk := followMany(t, c, bulkFrom, nil)
		f.within(2*time.Second, "the first refusal", func() bool { return count(c, on) > 0 })
		c.Delete("ConfigMap", "shop", "c0007")
		c.Put(settings(9))
		lift()
		f.within(5*time.Second, "what changed between them", func() bool { return len(f.objects) == bulkFrom-1 })
		wantWatches(t, "large", bulk, 1, 0)
		if whole, _ := usual.watches(); whole != 0 {
			t.Errorf("everything was listed anew: %v", usual.seen)
		}
	})
}

func TestWhereTheLargeWayIsClosedTheUsualOneIsTakenAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		f, usual, bulk := followMany(t, c, bulkFrom, errors.New("tls: no application protocol"))
		if took := f.within(time.Second, "synced", func() bool { return f.synced }); took > 100*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		wantWatches(t, "large", bulk, 1, 0)
		wantWatches(t, "usual", usual, 1, 0)
		if len(f.objects) != bulkFrom {
			t.Errorf("%d objects", len(f.objects))
		}
	})
}

func TestALargeFirstSyncThatBreaksOffIsBegunAgainOnTheUsualWay(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		lift := c.Inject(testcluster.Fault{Match: isInitialWatch, NoEnd: true, Close: time.Second})
		f, usual, bulk := followMany(t, c, bulkFrom, nil)
		f.rest(500 * time.Millisecond)
		lift()
		f.within(5*time.Second, "synced", func() bool { return f.synced })
		wantWatches(t, "large", bulk, 1, 0)
		wantWatches(t, "usual", usual, 1, 0)
	})
}

func TestTheLargeWayIsHTTP1AndTheUsualOneHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto+" "+r.Header.Get("Authorization"))
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	c, err := newClient(&rest.Config{Host: s.URL, BearerToken: "secret", TLSClientConfig: rest.TLSClientConfig{Insecure: true}}, Origin{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for want, ctx := range map[string]func() (*http.Response, error){
		"HTTP/2.0 Bearer secret": func() (*http.Response, error) { return c.get(t.Context(), "/x", nil, acceptJSON) },
		"HTTP/1.1 Bearer secret": func() (*http.Response, error) { return c.get(inBulk(t.Context()), "/x", nil, acceptJSON) },
	} {
		resp, err := ctx()
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(got) != want {
			t.Errorf("the server saw %q, want %q", got, want)
		}
	}
}

func TestAServerOnThisMachineIsReadWithASmallWindow(t *testing.T) {
	for host, want := range map[string]int{"https://127.0.0.1:1": nearWindow, "https://[::1]:1": nearWindow, "https://192.0.2.1:1": 0} {
		for range 2 { // the second client shares the first one's transport
			c, err := newClient(&rest.Config{Host: host, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}, Origin{}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			if h := transportOf(c.ways.Load().usual.Transport).HTTP2; h != nil {
				got = h.MaxReceiveBufferPerStream
			}
			if got != want {
				t.Errorf("%s: %d bytes, want %d", host, got, want)
			}
		}
	}
	if _, err := newClient(&rest.Config{Host: "https://127.0.0.1:1"}, Origin{}, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if h := http.DefaultTransport.(*http.Transport).HTTP2; h != nil {
		t.Errorf("the transport that everybody shares was changed: %v", h)
	}
}
