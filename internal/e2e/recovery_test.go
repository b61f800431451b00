package e2e

import (
	"context"
	"crypto/tls"
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

func live(s terminal.Screen) bool { return s.Has("● live") }

// unsure says whether the screen admits that it may not be up to date.
func unsure(s terminal.Screen) bool { return s.Has("reconnecting") || s.Has("▲ stale") }

// recovers checks that within 2 s of the moment when the server was well again
// the screen is live, and then that it follows the cluster.
func (s session) recovers(ns string, well time.Time) {
	s.t.Helper()
	screen := s.until(10*time.Second, "live again", live)
	if took := screen.At.Sub(well); took > 2*time.Second {
		s.t.Errorf("live %s after the API server was ready, want at most 2s", took.Round(time.Millisecond))
	} else {
		s.t.Logf("live %s after the API server was ready", took.Round(time.Millisecond))
	}
	breakFront(s.t, ns)
	s.until(catchUp, "what changed afterwards", func(screen terminal.Screen) bool {
		return row(screen, "Deployment/front", "CreateContainer") != ""
	})
}

// catchUp bounds what waits for the control plane's own controllers: once the
// API server has restarted, their watches come back with a back-off of up to
// half a minute each.
const catchUp = 90 * time.Second

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
	ui.until(catchUp, "everything Current", func(s terminal.Screen) bool { return s.Has("✓ DONE") && live(s) })
	return ui, ns
}

func TestTheRowsOutliveAnAPIServerThatIsStoppedAndStarted(t *testing.T) {
	ui, ns := followFront(t, cluster.ReadOnly)
	shared.StopAPIServer()
	t.Cleanup(func() {
		if !shared.Ready(context.WithoutCancel(t.Context())) {
			_ = shared.StartAPIServer(context.WithoutCancel(t.Context()))
		}
	})
	screen := ui.until(10*time.Second, "word of the lost connection", unsure)
	if !screen.Has("data ") {
		t.Errorf("the screen does not say how old its data is:\n%s", screen)
	}
	if row(screen, "Deployment/front") == "" && !screen.Has("more Current") {
		t.Errorf("the rows have gone with the connection:\n%s", screen)
	}
	if err := shared.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	ui.recovers(ns, time.Now())
	ui.quit()
}

// Every connection ends and the next one meets another certificate: all watches
// go on where they were, and nothing is listed again.
func TestARotatedCertificateIsTakenWithoutListingAnything(t *testing.T) {
	ui, ns := followFront(t, cluster.ReadOnly)
	before := shownSerial(t)
	// What ends within its first second without an event is broken, not ended, to
	// client-go, and listed anew (reflector.go, VeryShortWatchError).
	<-time.After(1500 * time.Millisecond)
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
	ui.until(10*time.Second, "live again", live)
	requests, err := shared.Requests(mark, cluster.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]bool{}
	for _, r := range requests {
		q := r.Query()
		key := r.Resource + " " + q.Get("fieldSelector") + q.Get("labelSelector")
		if r.Verb == "get" || first[key] {
			continue // a second one follows a refused resume: what the server no longer knows
		}
		first[key] = true
		if r.Verb != "watch" || q.Get("sendInitialEvents") == "true" || q.Get("resourceVersion") == "" {
			t.Errorf("listed again instead of resumed: %v", r)
		}
	}
	if len(first) < 4 {
		t.Errorf("only %d watches were resumed: %v", len(first), requests)
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

// Servers before 1.34, but for 1.32, do not stream a list unless they are told
// to. The first source finds out, nobody asks after it, and everything else is
// as with a newer one.
func TestAServerThatDoesNotStreamListsIsFollowedJustTheSame(t *testing.T) {
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
	ui.until(catchUp, "what changed afterwards", func(screen terminal.Screen) bool {
		return row(screen, "Deployment/front", "CreateContainer") != ""
	})
	requests, err := shared.Requests(mark, cluster.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	refused, lists := 0, map[string]int{}
	for _, r := range requests {
		switch q := r.Query(); {
		case r.Verb == "watch" && q.Get("sendInitialEvents") == "true":
			refused++
		case r.Verb == "list" && r.Resource != "events":
			lists[r.Resource+" "+q.Get("fieldSelector")+q.Get("labelSelector")]++
		}
	}
	if refused == 0 || refused > 2 { // the first two may ask at the same time

		t.Errorf("%d streams of lists were asked for: %v", refused, requests)
	}
	for what, n := range lists {
		if n > 1 {
			t.Errorf("%s was listed %d times", what, n)
		}
	}
	if len(lists) < 4 {
		t.Errorf("only these were listed: %v", lists)
	}
	ui.quit()
}

func TestAFrozenAPIServerIsNoticedAndOvercome(t *testing.T) {
	ui, ns := followFront(t, cluster.ReadOnly)
	if err := shared.FreezeAPIServer(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.ThawAPIServer() })
	began := time.Now()
	screen := ui.until(15*time.Second, "word of the silent connection", unsure)
	if took := screen.At.Sub(began); took > 12*time.Second {
		t.Errorf("noticed after %s, want at most 12s", took.Round(time.Millisecond))
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

func TestQuittingWorksWhileTheAPIServerIsFrozen(t *testing.T) {
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
func TestRightsTakenAwayAndGivenBack(t *testing.T) {
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
	screen := ui.until(20*time.Second, "word of the refusal, and a verdict that is no longer sure of itself", func(s terminal.Screen) bool {
		return s.Has("forbidden") && !s.Has("✓ DONE")
	})
	if row(screen, "Deployment/front") == "" && !screen.Has("more Current") {
		t.Errorf("the rows have gone with the rights:\n%s", screen)
	}
	if err := shared.AllowIn(t.Context(), ns, cluster.Namespaced, "get", "list", "watch"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	screen = ui.until(30*time.Second, "live again", func(s terminal.Screen) bool { return live(s) && !s.Has("forbidden") })
	t.Logf("live %s after the rights were given back", screen.At.Sub(began).Round(time.Millisecond))
	breakFront(t, ns)
	ui.until(catchUp, "what changed afterwards", func(screen terminal.Screen) bool {
		return row(screen, "Deployment/front", "CreateContainer") != ""
	})
	ui.quit()
}
