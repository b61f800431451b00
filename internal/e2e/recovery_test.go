package e2e

import (
	"context"
	"crypto/tls"
	"fmt"
	"math/big"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

const pair = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: front}
spec:
  replicas: 2
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front}}
    spec:
      containers: [{name: front, image: "registry.example.com/shop/front:1"}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: front-settings}
data: {colour: green}
`

// fault makes every further Pod of the Deployment fail, so that a screen that
// follows the cluster must change.
func breakFront(t *testing.T, ns string) {
	t.Helper()
	on, err := shared.Kind(t.Context(), "apps/v1", "Deployment", ns)
	if err != nil {
		t.Fatal(err)
	}
	patch := `{"spec":{"template":{"metadata":{"annotations":{"` + cluster.FaultAnnotation + `":"` + cluster.ConfigMissing + `"}}}}}`
	if _, err := on.Patch(t.Context(), "front", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

func live(s terminal.Screen) bool { return s.Has("● live") || s.Has("● watching") } // by HTTP/1.1

// unsure says whether the screen admits that it may not be up to date.
func unsure(s terminal.Screen) bool { return s.Has("reconnecting") || s.Has("▲ stale") }

// keepsRows says whether what was known of front is still there.
func keepsRows(s terminal.Screen) bool {
	return row(s, "/front ") != "" || s.Has("more Current")
}

// recovers checks that the screen is live soon after the moment when the server
// was well again (2 s are promised), and then that it follows the cluster.
func (s session) recovers(ns string, well time.Time) {
	s.t.Helper()
	screen := s.until("live again", live)
	if took := screen.At.Sub(well); took > 15*time.Second {
		s.t.Errorf("live %s after the API server was ready, want 2s", took.Round(time.Millisecond))
	} else {
		s.t.Logf("live %s after the API server was ready", took.Round(time.Millisecond))
	}
	breakFront(s.t, ns)
	s.until("what changed afterwards", func(screen terminal.Screen) bool {
		return row(screen, "/front ", "Secret da") != ""
	})
}

func followFront(t *testing.T, u cluster.User) (session, string) {
	t.Helper()
	ns := namespace(t, "recovery")
	if u == cluster.Namespaced {
		if err := shared.AllowIn(t.Context(), ns, u, "get", "list", "watch"); err != nil {
			t.Fatal(err)
		}
	}
	apply(t, ns, pair)
	ui := dashboard(t, u, "-n", ns, "-f", manifest(t, pair))
	ui.until("everything Current", func(s terminal.Screen) bool { return s.Has("✓ DONE") && live(s) })
	return ui, ns
}

func TestAlone_TheRowsOutliveAnAPIServerThatIsStoppedAndStarted(t *testing.T) {
	ui, ns := followFront(t, cluster.ReadOnly)
	shared.StopAPIServer()
	t.Cleanup(func() {
		if !shared.Ready(context.WithoutCancel(t.Context())) {
			_ = shared.StartAPIServer(context.WithoutCancel(t.Context()))
		}
	})
	ui.until("word of the lost connection", unsure)
	ui.until("the rows, and how old they are", func(s terminal.Screen) bool { return unsure(s) && s.Has("data ") && keepsRows(s) })
	if err := shared.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	ui.recovers(ns, time.Now())
	ui.quit()
}

// Every connection ends and the next one meets another certificate: all watches
// go on where they were, and nothing is listed again.
func TestAlone_ARotatedCertificateIsTakenWithoutListingAnything(t *testing.T) {
	begin := shared.Mark()
	ui, ns := followFront(t, cluster.ReadOnly)
	before := shownSerial(t)
	// What ends within its first second without an event is broken, not ended, to
	// client-go, and listed anew (reflector.go, VeryShortWatchError): every watch
	// is to be older than that.
	asked(t, begin, cluster.ReadOnly, func(requests []cluster.Request) string {
		for _, r := range requests {
			if r.Verb == "watch" && time.Since(r.Received) < 3*time.Second {
				return "watches are begun again and again"
			}
		}
		return ""
	})
	mark := shared.Mark()
	restart(t, func() {
		if err := shared.RotateCertificate(); err != nil {
			t.Fatal(err)
		}
	})
	if shownSerial(t).Cmp(before) == 0 {
		t.Error("the API server shows the certificate that it had")
	}
	well := time.Now()
	ui.until("live again", live)
	first := map[string]cluster.Request{}
	asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
		clear(first)
		for _, r := range requests {
			key := r.Resource + " " + r.Query().Get("fieldSelector") + r.Query().Get("labelSelector")
			if _, again := first[key]; r.Verb == "get" || again {
				continue // a second one follows a refused resume: what the server no longer knows
			}
			first[key] = r
		}
		if len(first) < 4 {
			return fmt.Sprintf("only %d watches were resumed", len(first))
		}
		return ""
	})
	for _, r := range first {
		if q := r.Query(); r.Verb != "watch" || q.Get("sendInitialEvents") == "true" || q.Get("resourceVersion") == "" {
			t.Errorf("listed again instead of resumed: %v", r)
		}
	}
	ui.recovers(ns, well)
	ui.quit()
}

// shownSerial is the serial number of the certificate that the API server shows.
func shownSerial(t *testing.T) *big.Int {
	t.Helper()
	roots, _ := trust(t)
	conn, err := tls.Dial("tcp", shared.Address(), &tls.Config{RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber
}

// Servers before 1.34, except 1.32, do not stream a list by default. The first
// source finds out, and the others do not try.
func TestAlone_AServerThatDoesNotStreamListsIsFollowedJustTheSame(t *testing.T) {
	restart := func(more ...string) {
		t.Helper()
		shared.StopAPIServer()
		if err := shared.StartAPIServer(context.WithoutCancel(t.Context()), more...); err != nil {
			t.Fatal(err)
		}
	}
	restart("--feature-gates=WatchList=false")
	t.Cleanup(func() { restart() })
	mark := shared.Mark()
	ui, ns := followFront(t, cluster.ReadOnly)
	breakFront(t, ns)
	ui.until("what changed afterwards", func(screen terminal.Screen) bool {
		return row(screen, "/front ", "Secret da") != ""
	})
	refused, lists := 0, map[string]int{}
	requests := asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
		refused = 0
		clear(lists)
		for _, r := range requests {
			switch q := r.Query(); {
			case r.Verb == "watch" && q.Get("sendInitialEvents") == "true":
				refused++
			case r.Verb == "list" && r.Resource != "events":
				lists[r.Group+"/"+r.Resource+" "+q.Get("fieldSelector")+q.Get("labelSelector")]++
			}
		}
		if refused == 0 || len(lists) < 4 {
			return fmt.Sprintf("%d streams of lists were asked for, and only these were listed: %v", refused, lists)
		}
		return ""
	})
	if refused > 6 { // as many may begin at the same time
		t.Errorf("%d streams of lists were asked for: %v", refused, requests)
	}
	for what, n := range lists {
		if n > 1 {
			t.Errorf("%s was listed %d times", what, n)
		}
	}
	ui.quit()
}

func TestAlone_AFrozenAPIServerIsNoticedAndOvercome(t *testing.T) {
	ui, ns := followFront(t, cluster.ReadOnly)
	if err := shared.FreezeAPIServer(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.ThawAPIServer() })
	began := time.Now()
	screen := ui.until("word of the silent connection", unsure)
	if took := screen.At.Sub(began).Round(time.Millisecond); took > 30*time.Second {
		t.Errorf("noticed after %s, want 12s", took)
	} else {
		t.Logf("noticed after %s", took)
	}
	if err := shared.ThawAPIServer(); err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	ui.recovers(ns, time.Now())
	ui.quit()
}

func TestAlone_QuittingWorksWhileTheAPIServerIsFrozen(t *testing.T) {
	ui, _ := followFront(t, cluster.ReadOnly)
	if err := shared.FreezeAPIServer(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := shared.ThawAPIServer(); err != nil {
			t.Error(err)
		}
		if err := shared.WaitReady(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	ui.quit()
}

// Rights are looked at per request: open watches go on until the server ends
// them. A restart ends them all, so that the refusal is met.
func TestAlone_RightsTakenAwayAndGivenBack(t *testing.T) {
	ui, ns := followFront(t, cluster.Namespaced)
	if err := shared.Forbid(t.Context(), ns, cluster.Namespaced); err != nil {
		t.Fatal(err)
	}
	mark := shared.Mark()
	t.Cleanup(func() {
		if t.Failed() {
			requests, _ := shared.Requests(mark, cluster.Namespaced)
			t.Logf("requests since: %v", requests)
		}
	})
	shared.StopAPIServer()
	if err := shared.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	ui.until("word of the refusal, a verdict that is no longer sure of itself, and the rows", func(s terminal.Screen) bool {
		return s.Has("(RBAC)") && !s.Has("✓ DONE") && keepsRows(s)
	})
	if err := shared.AllowIn(t.Context(), ns, cluster.Namespaced, "get", "list", "watch"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	screen := ui.until("live again", func(s terminal.Screen) bool { return live(s) && !s.Has("(RBAC)") })
	t.Logf("live %s after the rights were given back", screen.At.Sub(began).Round(time.Millisecond))
	breakFront(t, ns)
	ui.until("what changed afterwards", func(screen terminal.Screen) bool {
		return row(screen, "/front ", "Secret da") != ""
	})
	ui.quit()
}
