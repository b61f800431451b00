package watch

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// What others have reported of lists, watches and informers, each against the engine.

// answerJSON answers with each text as a line, and then with nothing more until the client goes.
func answerJSON(code int, open bool, lines ...any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		for _, l := range lines {
			_ = json.NewEncoder(w).Encode(l)
		}
		w.(http.Flusher).Flush()
		if open {
			<-r.Context().Done()
		}
	}
}

func fromAVersion(r testcluster.Request) bool {
	return strings.Contains(r.Query, "resourceVersion=") && !strings.Contains(r.Query, "resourceVersion=&")
}

// kubernetes/kubernetes#107133: the API server's cache lags behind the version that the
// client has seen, and refuses every list from it, for as long as nothing changes.
func TestAListIsRequestedWithoutAVersionWhenTheServersCacheLagsBehind(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		lift := c.Inject(testcluster.Fault{
			Match: func(r testcluster.Request) bool { return r.Resource != "" && fromAVersion(r) },
			Answer: answerJSON(http.StatusGatewayTimeout, false, metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: http.StatusGatewayTimeout,
				Reason: metav1.StatusReasonTimeout, Message: "Timeout: Too large resource version: 99, current: 7",
				Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}, RetryAfterSeconds: 1},
			}),
		})
		c.CutStreams()
		f.rest(10 * time.Second)
		began := time.Now()
		changed := deployment("web")
		changed["metadata"].(map[string]any)["generation"] = 7
		c.Put(changed)
		f.within(20*time.Second, "the change", func() bool { return f.objects[webID].Generation.V == 7 })
		f.rest(time.Minute)
		if n := since(c, began); n > 120 {
			t.Errorf("%d requests in 80 s", n)
		}
		lift()
		f.within(10*time.Second, "live", f.phase("deployments", feed.Live))
	})
}

// kubernetes/kubernetes#133810, kubernetes/kubernetes#129266 and kubernetes-client/java#1829:
// each watch from a version is accepted with 200, and says at once that it is too old.
func TestWatchesThatAlwaysExpireAreListsWithAPace(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Inject(testcluster.Fault{NoEnd: true}) // so it lists, and watches from a version
		c.Inject(testcluster.Fault{
			Match: func(r testcluster.Request) bool { return r.Verb == "watch" && !isInitialWatch(r) },
			Answer: answerJSON(http.StatusOK, false, map[string]any{"type": "ERROR", "object": metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
				Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old resource version: 5 (99)",
			}}),
		})
		f := start(t, c, Options{}, named("deploy", "web"))
		f.within(20*time.Second, "the row", f.has(webID))
		f.rest(30 * time.Second)
		began := time.Now()
		changed := deployment("web")
		changed["metadata"].(map[string]any)["generation"] = 7
		c.Put(changed)
		f.within(10*time.Second, "the change", func() bool { return f.objects[webID].Generation.V == 7 })
		f.rest(time.Minute)
		if n := since(c, began); n > 120 {
			t.Errorf("%d requests in 70 s", n)
		}
	})
}

// kubernetes/kubernetes#107457: etcd was restored from a backup, so that its versions are
// behind the client's; a watch from the client's version is accepted and passes over all
// that has happened since. Whatever the server sends then is older than where it began.
func TestAWatchThatBeginsAheadOfARestoredServerIsNoEvidence(t *testing.T) {
	for _, bookmarks := range []bool{true, false} {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			c.Inject(testcluster.Fault{NoBookmarks: !bookmarks})
			putApp(c, "web")
			for range 50 {
				c.Put(deployment("web"))
			}
			f := start(t, c, Options{}, named("deploy", "web"))
			f.settled()
			c.Stop()
			c.Restore(20)
			changed := deployment("web")
			changed["metadata"].(map[string]any)["generation"] = 7
			c.Put(changed)
			c.Start()
			f.within(5*time.Minute, "the restored state", func() bool { return f.objects[webID].Generation.V == 7 })
			c.Delete("Deployment", "shop", "web")
			f.within(5*time.Minute, "gone", func() bool { return f.absent[webID] })
		})
	}
}

// openyurtio/openyurt#2745: a cache beside the node accepts the streamed list while it is
// cut off, and sends nothing at all; plain lists it can serve.
func TestAStreamedListWithoutAnythingIsListed(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Inject(testcluster.Fault{Match: isInitialWatch, Answer: answerJSON(http.StatusOK, true)})
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"), named("deploy", "none"))
		f.within(30*time.Second, "synced", func() bool { return f.synced })
		if len(f.objects) != 3 || !f.absent[object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "none"}] {
			t.Errorf("objects %v, absent %v", f.names(), f.absent)
		}
	})
}

// antrea-io/antrea#8123, phenixblue/k8shark#153, stackshy/cloudemu#878: the initial events
// end with a bookmark that has neither the annotation nor a version.
func TestABookmarkThatDoesNotSayThatTheListHasEndedDoesNotEndIt(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Inject(testcluster.Fault{Match: isInitialWatch, Answer: answerJSON(http.StatusOK, true, map[string]any{
			"type": "BOOKMARK", "object": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{}},
		})})
		f := start(t, c, Options{}, named("deploy", "web"))
		f.rest(time.Second)
		if f.absent[webID] || f.synced {
			t.Error("a list that has not ended says that something is absent")
		}
		f.within(30*time.Second, "synced", func() bool { return f.synced && f.objects[webID] != nil })
		changed := deployment("web")
		changed["metadata"].(map[string]any)["generation"] = 7
		c.Put(changed)
		f.within(2*time.Second, "the change", func() bool { return f.objects[webID].Generation.V == 7 })
	})
}
