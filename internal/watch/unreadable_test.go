package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// ways are how a set of objects is read, in either encoding.
var ways = map[string]struct {
	list, json bool // not streamed, not protobuf
	options    Options
}{
	"streamed, protobuf": {},
	"streamed, JSON":     {json: true},
	"listed, protobuf":   {list: true},
	"listed, JSON":       {list: true, json: true},
	"polled, protobuf":   {options: Options{Poll: time.Second}},
	"polled, JSON":       {json: true, options: Options{Poll: time.Second}},
}

func serve(c *testcluster.Cluster, list, json bool) {
	c.Inject(testcluster.Fault{NoProtobuf: json})
	if list {
		c.Inject(testcluster.Fault{Status: 422, Match: isInitialWatch})
	}
}

// An object that its decoder refuses is Unknown; the others go on, and so does what
// becomes of it.
func TestAnObjectThatNoDecoderReadsIsUnknown(t *testing.T) {
	ofPod := func(name string) object.ID { return object.ID{Kind: "Pod", Namespace: "shop", Name: name} }
	ofWidget := func(name string) object.ID {
		return object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: name}
	}
	for kind, k := range map[string]struct {
		id        func(name string) object.ID
		put       string // %s is the name, then what will be garbled
		good, odd string
		garble    [2]string
	}{
		"a Pod": {
			ofPod, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME","namespace":"shop","labels":{"n":"LABEL"}},
				"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"memory":"MEMORY"}}}]},"status":{"phase":"Succeeded"}}`,
			"1Gi", "123456789",
			[2]string{"123456789", "a quarter"},
		},
		"a custom kind": {
			ofWidget, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"NAME","namespace":"shop","labels":{"n":"LABEL"}},
				"status":{"memory":MEMORY,"conditions":[{"type":"Ready","status":"True"}]}}`,
			"1", "123456789",
			[2]string{"123456789", "1e9999999"},
		},
	} {
		for way, w := range ways {
			t.Run(kind+", "+way, func(t *testing.T) {
				inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
					c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"})
					put := func(name, label, memory string) {
						c.Put(strings.NewReplacer("NAME", name, "LABEL", label, "MEMORY", memory).Replace(k.put))
					}
					put("odd", "1", k.odd)
					put("good", "1", k.good)
					put("turns", "1", k.good)
					serve(c, w.list, w.json)
					c.Inject(testcluster.Fault{Garble: [][2]string{k.garble}})
					plural := strings.ToLower(k.id("").Kind) + "s"
					f := start(t, c, w.options, inventory.Target{Source: plural, Type: plural, All: true})
					f.settled()
					is := func(name string, want status.Status) func() bool {
						return func() bool {
							o := f.objects[k.id(name)]
							return o != nil && o.UID != "" && status.Assess(o, status.World{}, time.Now()).Status == want
						}
					}
					if !is("odd", status.Unknown)() || !is("good", status.Current)() || !is("turns", status.Current)() {
						t.Fatalf("objects %v, sources %v", f.names(), f.states())
					}
					world := status.World{}
					if f.objects[k.id("odd")].MetadataOnly { // there is nothing that a rule of the user's could read
						world.User = always{}
					}
					a := status.Assess(f.objects[k.id("odd")], world, time.Now())
					if a.Status != status.Unknown || a.Reason != "Malformed" || !strings.Contains(a.Message, "object cannot be read: ") {
						t.Errorf("%s %s: %s", a.Status, a.Reason, a.Message)
					}
					put("turns", "2", k.odd)
					f.within(3*time.Second, "the change that cannot be read", is("turns", status.Unknown))
					put("good", "2", k.good)
					f.within(3*time.Second, "a change beside it", func() bool { v, _ := f.objects[k.id("good")].Label("n"); return v == "2" })
					put("turns", "3", k.good)
					f.within(3*time.Second, "the change that can", is("turns", status.Current))
					c.Delete(k.id("").Kind, "shop", "odd")
					f.within(3*time.Second, "the deletion", func() bool { return f.objects[k.id("odd")] == nil })
					if s := f.source(plural); s.Phase != feed.Live {
						t.Errorf("its source is %s: %s", s.Phase, s.Error)
					}
				})
			})
		}
	}
}

// always is a user who calls everything Current.
type always struct{}

func (always) Judge(*object.Object, time.Time) (status.Assessment, bool) {
	return status.Assessment{Status: status.Current}, true
}

// If not even the name of an object can be read its source reports that, and no
// object is taken for absent; later changes are seen.
func TestNoObjectIsAbsentWhileANameCannotBeRead(t *testing.T) {
	for way, w := range ways {
		t.Run(way, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				pod := func(name, phase string) {
					c.Put(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","namespace":"shop"},"status":{"phase":"` + phase + `"}}`)
				}
				id := func(name string) object.ID { return object.ID{Kind: "Pod", Namespace: "shop", Name: name} }
				pod("good", "Running")
				pod("lost", "Running")
				serve(c, w.list, w.json)
				// In either encoding.
				garble := testcluster.Fault{Garble: [][2]string{{"\n\x04lost", "\n\xfflost"}, {`"name":"lost"`, `"name":123456`}}}
				lift := c.Inject(garble)
				f := start(t, c, w.options, inventory.Target{Source: "pods", Type: "pods", All: true}, named("pod", "lost"))
				stale := func() bool {
					s := f.source("pods")
					return s.Phase == feed.Stale && strings.Contains(s.Error, "an object of pods cannot be read, not even its name")
				}
				f.within(3*time.Second, "that its source is stale", stale)
				f.rest(20 * time.Second)
				if !stale() || f.objects[id("good")] == nil || f.absent[id("lost")] || f.synced {
					t.Fatalf("objects %v, sources %v, absent %v", f.names(), f.states(), f.absent)
				}
				lift()
				f.within(10*time.Second, "all of it", func() bool { return f.synced && f.objects[id("lost")] != nil })

				lift = c.Inject(garble)
				c.Delete("Pod", "shop", "lost")
				pod("good", "Succeeded")
				f.rest(3 * time.Second)
				lift()
				f.within(10*time.Second, "the deletion", func() bool { return f.objects[id("lost")] == nil })
				f.within(10*time.Second, "the change", func() bool { return f.objects[id("good")].Pod.Phase == "Succeeded" })
			})
		})
	}
}
