package watch

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

func TestReferencesAreFetchedOnTheSide(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"shop"},"data":{"password":"Y2FuYXJ5"}}`)
		f := follow(t, c, Options{}, named("deploy", "web"))
		f.settled()
		secret := status.ID{Kind: "Secret", Namespace: "shop", Name: "s"}
		none := status.ID{Kind: "ConfigMap", Namespace: "shop", Name: "none"}
		all := status.ID{Kind: "Secret", Namespace: "shop"}
		f.e.Want(status.Wants{Gen: 1, Refs: []status.ID{secret, none, all}})
		f.e.hub.mu.Lock()
		if f.e.hub.answered == 1 {
			t.Error("the wish counts as answered before anything was asked for")
		}
		f.e.hub.mu.Unlock()
		f.within(time.Second, "the answers", func() bool { return f.objects[secret] != nil && f.absent[none] })
		if !f.objects[secret].MetadataOnly {
			t.Error("a Secret's payload was fetched")
		}
		f.e.hub.mu.Lock()
		if f.e.hub.answered != 1 {
			t.Error("the wish was never answered")
		}
		f.e.hub.mu.Unlock()
		live := false
		for _, s := range f.sources {
			live = live || s.Kind == "Secret" && s.Name == "" && s.Phase == status.Live && s.Mode == status.ModePollList
		}
		if !live {
			t.Error("nothing says that the list is complete")
		}
		// What changes is seen within half a minute.
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"none","namespace":"shop"}}`)
		f.within(31*time.Second, "the config map", func() bool { return f.objects[none] != nil })
		// What nobody wants is not asked for again.
		f.e.Want(status.Wants{})
		f.rest(time.Second)
		before := count(c, func(r testcluster.Request) bool { return r.Resource == "secrets" })
		f.rest(2 * time.Minute)
		if n := count(c, func(r testcluster.Request) bool { return r.Resource == "secrets" }); n != before {
			t.Errorf("%d requests for what nobody wants", n-before)
		}
	})
}
