package watch

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// Whatever a server speaks, the same is followed: what it lists and what changes.
func TestServersThatSpeakLessAreFollowedJustTheSame(t *testing.T) {
	for name, fault := range map[string]testcluster.Fault{
		"a server of today":            {},
		"without protobuf":             {NoProtobuf: true},
		"without aggregated discovery": {NoAggregation: true},
		"without streamed lists":       {Status: 422, Match: isInitialWatch},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget", Short: []string{"wd"}})
				putApp(c, "web")
				widget := func(ready string) {
					c.Put(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"},"status":{"conditions":[{"type":"Ready","status":"` + ready + `"}]}}`)
				}
				widget("False")
				c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"shop"}}`)
				c.Inject(fault)
				f := follow(t, c, Options{Children: "all"}, named("deploy", "web"), named("wd", "w"), named("secret", "s"))
				f.settled()
				pods := 0
				for id, o := range f.objects {
					if id.Kind == "Pod" && o.Pod != nil {
						pods++
					}
				}
				w := object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "w"}
				if pods == 0 || f.objects[webID] == nil || f.objects[w] == nil || len(f.roots) != 3 {
					t.Fatalf("%d pods, roots %v, objects %v", pods, f.roots, f.objects)
				}
				widget("True")
				d := deployment("web")
				d["metadata"].(map[string]any)["generation"] = 7
				c.Put(d)
				f.within(time.Second, "the changes", func() bool {
					return f.objects[webID].Generation.V == 7 && f.objects[w].Conditions[0].Status == "True"
				})
				c.Delete("Secret", "shop", "s")
				f.within(time.Second, "the deletion", func() bool { return len(f.gone) == 1 })
			})
		})
	}
}
