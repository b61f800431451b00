package watch

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
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

// refusal is the Status of an API server that refuses.
func refusal(code int32, reason metav1.StatusReason, message string) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: code, Reason: reason, Message: message, Details: &metav1.StatusDetails{RetryAfterSeconds: 1},
	}
}

// tooLarge answers as a server whose cache has not come to a version yet.
func tooLarge(causes ...metav1.StatusCause) http.HandlerFunc {
	const message = "Timeout: Too large resource version: 1280714733, current: 1280614472"
	st := refusal(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, message)
	st.Details.Causes = causes
	return answerJSON(http.StatusGatewayTimeout, false, st)
}

// errorEvent is the event that ends a watch.
func errorEvent(status any) map[string]any { return map[string]any{"type": "ERROR", "object": status} }

// later answers after a while.
func later(d time.Duration, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
			answer(w, r)
		case <-r.Context().Done():
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
			Match:  func(r testcluster.Request) bool { return r.Resource != "" && fromAVersion(r) },
			Answer: tooLarge(metav1.StatusCause{Type: metav1.CauseTypeResourceVersionTooLarge}),
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

// servesWidgets has the cluster serve Widgets, as an aggregated server or a definition does,
// with one that is named w.
func servesWidgets(c *testcluster.Cluster) object.ID {
	c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"})
	c.Put(widget(1))
	return object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "w"}
}

func widget(generation int) map[string]any {
	metadata := map[string]any{"name": "w", "namespace": "shop", "generation": generation}
	return map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata}
}

func widgets(version string, generation int) map[string]any {
	return map[string]any{
		"apiVersion": "example.com/v1", "kind": "WidgetList",
		"metadata": map[string]any{"resourceVersion": version}, "items": []any{widget(generation)},
	}
}

func ofWidgets(r testcluster.Request) bool { return r.Resource == "widgets" }

// kptdev/porch#1101: an aggregated server without a history accepts a watch from any version, and
// sends all that there is as ADDED: what was deleted between two watches never ends.
func TestAWatchThatBeginsAnewInsteadOfGoingOnIsListedAnew(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		w := servesWidgets(c)
		other := widget(1)
		other["metadata"].(map[string]any)["name"] = "stays"
		c.Put(other)
		c.Inject(testcluster.Fault{Match: ofWidgets, Forgetful: true, NoBookmarks: true})
		f := start(t, c, Options{}, inventory.Target{Source: "widgets", Type: "widgets", All: true})
		f.within(30*time.Second, "both", func() bool { return f.objects[w] != nil && len(f.objects) == 2 })
		f.rest(10 * time.Second)
		lift := c.Inject(testcluster.Fault{Hang: true, Match: ofWidgets})
		f.rest(5 * time.Second) // what ends sooner is listed anew
		c.CutStreams()
		f.rest(100 * time.Millisecond)
		c.Delete("Widget", "shop", "w")
		lift()
		f.within(90*time.Second, "gone", func() bool { return f.objects[w] == nil })
		began := time.Now()
		f.phases = nil
		f.rest(10 * time.Minute)
		if n := since(c, began); n > 60 || len(f.phases) > 0 {
			t.Errorf("%d requests in 10 minutes; published %v", n, f.phases)
		}
	})
}

// EnMasseProject/enmasse#2103 and kubernetes/kubernetes#46127: a server that does not watch
// answers with the list.
func TestAListThatAnswersAWatchIsPolled(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		w := servesWidgets(c)
		c.Inject(testcluster.Fault{
			Match:  func(r testcluster.Request) bool { return r.Resource == "widgets" && r.Verb == "watch" },
			Answer: answerJSON(http.StatusOK, false, widgets("7", 1)),
		})
		f := start(t, c, Options{}, named("widgets", "w"))
		f.within(20*time.Second, "the row", f.has(w))
		f.rest(10 * time.Second)
		c.Put(widget(7))
		f.within(15*time.Second, "the change", func() bool { return f.objects[w].Generation.V == 7 })
		f.phases = nil
		f.rest(5 * time.Minute)
		if s := f.source("widgets"); s.Phase != feed.Live || len(f.phases) > 0 {
			t.Errorf("%s: %s; published %v", s.Phase, s.Error, f.phases)
		}
	})
}

// kubeclipper/kubeclipper#996: the Status of an ERROR event has neither kind nor apiVersion.
func TestAnErrorEventWithoutItsKindIsUnderstood(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		w := servesWidgets(c)
		c.Inject(testcluster.Fault{NoEnd: true, Match: ofWidgets})
		f := start(t, c, Options{}, named("widgets", "w"))
		f.within(20*time.Second, "live", f.phase("widgets", feed.Live))
		lift := c.Inject(testcluster.Fault{
			Match: func(r testcluster.Request) bool {
				return r.Resource == "widgets" && r.Verb == "watch" && !isInitialWatch(r)
			},
			Answer: later(2*time.Second, answerJSON(http.StatusOK, false, errorEvent(map[string]any{
				"status": "Failure", "code": 410, "reason": "Expired", "message": "too old resource version: 5 (99)",
			}))),
		})
		f.rest(5 * time.Second) // what ends sooner is listed anew
		c.CutStreams()
		c.Put(widget(7))
		f.within(10*time.Second, "the change", func() bool { return f.objects[w].Generation.V == 7 })
		lift()
		f.within(10*time.Second, "live", f.phase("widgets", feed.Live))
	})
}

// kubernetes/kubernetes#121285: each watch from a version ends with an internal error, because etcd
// has compacted what it needs. Only a list goes on from there.
func TestWatchesThatAlwaysEndWithAnErrorAreListedAnew(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		const message = "etcd event received with PrevKv=nil"
		fault := refusal(http.StatusInternalServerError, metav1.StatusReasonInternalError, message)
		c.Inject(testcluster.Fault{
			Match:  func(r testcluster.Request) bool { return r.Verb == "watch" && !isInitialWatch(r) },
			Answer: later(2*time.Second, answerJSON(http.StatusOK, false, errorEvent(fault))),
		})
		f.rest(5 * time.Second) // what ends sooner is listed anew
		c.CutStreams()
		f.rest(5 * time.Second)
		began := time.Now()
		changed := deployment("web")
		changed["metadata"].(map[string]any)["generation"] = 7
		c.Put(changed)
		f.within(20*time.Second, "the change", func() bool { return f.objects[webID].Generation.V == 7 })
		f.rest(time.Minute)
		if n := since(c, began); n > 120 {
			t.Errorf("%d requests in 80 s", n)
		}
	})
}

// milo-os/milo#671: streamed lists are refused, because the server's cache lags behind for good;
// plain lists are answered.
func TestAStreamedListThatIsAlwaysTooFarAheadIsListed(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Inject(testcluster.Fault{
			Match:  isInitialWatch,
			Answer: tooLarge(metav1.StatusCause{Type: metav1.CauseTypeResourceVersionTooLarge}),
		})
		f := start(t, c, Options{Children: "all"}, named("deploy", "web"))
		f.within(30*time.Second, "synced", func() bool { return f.synced && len(f.objects) == 3 })
	})
}

// kubernetes/kubernetes#94316: the same without a cause that says so, as of 1.18.5 and older, and of
// aggregated servers that were built on it.
func TestAVersionThatIsTooLargeIsKnownByItsMessage(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		w := servesWidgets(c)
		c.Inject(testcluster.Fault{NoEnd: true, Match: ofWidgets})
		f := start(t, c, Options{}, named("widgets", "w"))
		f.within(20*time.Second, "live", f.phase("widgets", feed.Live))
		c.Inject(testcluster.Fault{
			Match:  func(r testcluster.Request) bool { return r.Resource == "widgets" && fromAVersion(r) },
			Answer: tooLarge(),
		})
		f.rest(5 * time.Second) // what ends sooner is listed anew
		c.CutStreams()
		f.rest(10 * time.Second)
		c.Put(widget(7))
		f.within(20*time.Second, "the change", func() bool { return f.objects[w].Generation.V == 7 })
	})
}

// tomplus/kubernetes_asyncio#431: since 1.34 a watch is refused with 429 while the server's cache
// begins anew; some servers say it by an ERROR event.
func TestAWatchThatIsThrottledByAnEventWaitsAsLongAsTheServerAsks(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		patience := refusal(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "storage is (re)initializing")
		patience.Details.RetryAfterSeconds = 15
		lift := c.Inject(testcluster.Fault{
			Match:  func(r testcluster.Request) bool { return r.Resource != "" },
			Answer: answerJSON(http.StatusOK, false, errorEvent(patience)),
		})
		f.rest(5 * time.Second) // what ends sooner is listed anew
		c.CutStreams()
		f.within(5*time.Second, "throttled", f.phase("deployments", feed.Throttled))
		began := time.Now()
		f.rest(10 * time.Second)
		if n := since(c, began); n > 1 {
			t.Errorf("%d requests in the 15 s that the server asked for", n)
		}
		lift()
		f.within(20*time.Second, "live", f.phase("deployments", feed.Live))
	})
}

// kube-rs/kube#1092: objects, and their list, without a resourceVersion.
func TestObjectsWithoutAVersionAreFollowed(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		w := servesWidgets(c)
		generation := 1
		c.Inject(testcluster.Fault{Match: ofWidgets, Answer: func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("watch") == "true" {
				notAllowed := refusal(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "")
				answerJSON(http.StatusMethodNotAllowed, false, notAllowed)(rw, r)
				return
			}
			answerJSON(http.StatusOK, false, widgets("", generation))(rw, r)
		}})
		f := start(t, c, Options{}, inventory.Target{Source: "widgets", Type: "widgets", All: true})
		f.within(20*time.Second, "the row", f.has(w))
		generation = 7
		f.within(20*time.Second, "the change", func() bool { return f.objects[w].Generation.V == 7 })
	})
}

// gravitational/teleport#64188 and rancher/rancher#56209: a proxy drops the bookmark that ends the
// initial events. Of what changes all the time there is always another event.
func TestTheEndOfAStreamedListIsMissedThoughItsObjectsChange(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		w := servesWidgets(c)
		c.Inject(testcluster.Fault{NoEnd: true, NoBookmarks: true, Match: isInitialWatch})
		f := start(t, c, Options{}, inventory.Target{Source: "widgets", Type: "widgets", All: true})
		for i := range 20 {
			f.rest(2 * time.Second)
			c.Put(widget(2 + i))
		}
		if !f.synced || f.objects[w] == nil {
			t.Errorf("after 40 s: synced %v, %s: %s", f.synced, f.source("widgets").Phase, f.source("widgets").Error)
		}
	})
}
