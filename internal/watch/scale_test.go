package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/events"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// eventsAbout lists requests for events about single objects.
func eventsAbout(r testcluster.Request) bool {
	return r.Resource == "events" && r.Verb == "list" && strings.Contains(r.Query, "fieldSelector")
}

func TestEventsUnderAWatchAreNotListedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		event := func(name, about string) {
			c.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":%q,"namespace":"shop"},"involvedObject":{"uid":%q},"reason":"Because","count":1}`, name, about))
		}
		var targets []inventory.Target
		var ids []object.ID
		for i := range 6 {
			name := fmt.Sprint("web", i)
			putApp(c, name)
			targets = append(targets, named("deploy", name))
			ids = append(ids, deployments.ID("shop", name))
		}
		f := start(t, c, Options{}, targets...)
		f.within(time.Second, "synced", func() bool { return f.synced })
		event("before", f.objects[ids[5]].UID)
		f.e.Want(feed.Wants{Gen: 1, Events: ids[:4]})
		f.within(time.Second, "the answer", func() bool { return f.eventsAnswered == 1 })
		event("during", f.objects[ids[4]].UID)
		f.rest(time.Second)
		f.e.Want(feed.Wants{Gen: 2, Events: ids})
		f.within(time.Second, "both events", func() bool { return f.eventsAnswered == 2 && len(f.events) == 2 })
		if n := count(c, eventsAbout); n != 0 {
			t.Errorf("%d lists about single objects", n)
		}
	})
}

func TestForbiddenEventsAreRequestedWithGrowingIntervals(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		lift := c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Resource == "events" }, Status: 403, Message: "no"})
		f := start(t, c, Options{}, named("deploy", "web"))
		f.within(time.Second, "synced", func() bool { return f.synced })
		f.e.Want(feed.Wants{Gen: 1, Events: []object.ID{deployments.ID("shop", "web")}})
		f.within(time.Second, "the refusal", func() bool { return f.eventsAnswered == 1 && f.sources["events -n shop"].Phase == feed.Forbidden })
		for _, x := range []struct {
			what        string
			rest        time.Duration
			least, most int
		}{{"first minute", time.Minute, 2, 3}, {"ten minutes after it", 10 * time.Minute, 9, 11}} {
			began := time.Now()
			f.rest(x.rest)
			if n := count(c, func(r testcluster.Request) bool { return r.Resource == "events" && r.At.After(began) }); n < x.least || n > x.most {
				t.Errorf("%d more requests in the %s, want %d to %d", n, x.what, x.least, x.most)
			}
		}
		lift()
		f.within(time.Minute+10*time.Second, "the right given back", func() bool { return f.sources["events -n shop"].Phase == feed.Closed })
	})
}

func TestARightToEventsThatComesLateIsSoonUsed(t *testing.T) {
	for _, n := range []int{1, events.Several} {
		t.Run(fmt.Sprint(n, " wanted"), func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				var ids []object.ID
				var targets []inventory.Target
				for i := range n {
					name := fmt.Sprint("web", i)
					putApp(c, name)
					targets = append(targets, named("deploy", name))
					ids = append(ids, deployments.ID("shop", name))
				}
				lift := c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Resource == "events" }, Status: 403, Message: "no"})
				f := start(t, c, Options{}, targets...)
				f.settled()
				f.e.Want(feed.Wants{Gen: 1, Events: ids})
				f.within(2*time.Second, "the refusal", f.phase("events", feed.Forbidden))
				lift()
				f.within(12*time.Second, "the right given", func() bool { return f.source("events").Key == "" })
			})
		})
	}
}

// Rows opened one after the other still get their children by selectors when
// there would be too many streams; other objects of the namespace never arrive,
// and no row disappears meanwhile.
func TestParentsOpenedOneByOneNeverBringTheWholeNamespace(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		const opened, foreign = 14, 50
		var targets []inventory.Target
		for i := range opened {
			name := fmt.Sprintf("web%02d", i)
			putApp(c, name)
			targets = append(targets, inventory.Target{Source: "-f app.yaml", ID: deployments.ID("shop", name), Version: "v1"})
		}
		for i := range foreign {
			putApp(c, fmt.Sprint("other", i))
		}
		f := start(t, c, Options{}, targets...)
		f.settled()
		var children []object.ID
		for i, target := range targets {
			children = append(children, target.ID)
			f.e.Want(feed.Wants{Gen: uint64(i + 1), Children: children})
			f.within(5*time.Second, "the children", func() bool { return len(f.objects) == opened+2*(i+1) })
			f.rest(3 * time.Second)
		}
		if len(f.gone) > 0 {
			t.Errorf("went in between: %v", f.gone)
		}
		if n := count(c, func(r testcluster.Request) bool {
			return r.Resource == "pods" && !strings.Contains(r.Query, "labelSelector")
		}); n > 0 {
			t.Errorf("the whole namespace was asked for %d times", n)
		}
		known, _ := f.e.hub.Size()
		if known != 3*opened || len(f.objects) != known {
			t.Errorf("%d are known, %d of them are somebody's", known, len(f.objects))
		}
		if n := len(f.states()); n > opened+2*plan.FewSelectors {
			t.Errorf("%d streams: %v", n, f.states())
		}
	})
}
