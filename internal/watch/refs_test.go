package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/refs"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

func TestReferencesAreFetchedOnTheSide(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"shop"},"data":{"password":"Y2FuYXJ5"}}`)
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		secret := object.ID{Kind: "Secret", Namespace: "shop", Name: "s"}
		none := object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "none"}
		all := object.ID{Kind: "Secret", Namespace: "shop"}
		f.e.Want(feed.Wants{Gen: 1, Refs: []object.ID{secret, none, all}})
		f.within(time.Second, "the answers", func() bool {
			if f.answered == 1 && f.objects[secret] == nil {
				t.Error("the wish counts as answered before anything was asked for")
			}
			return f.objects[secret] != nil && f.absent[none]
		})
		if !f.objects[secret].MetadataOnly {
			t.Error("a Secret's payload was fetched")
		}
		f.within(time.Second, "the wish as answered", func() bool { return f.answered == 1 })
		live := false
		for _, s := range f.sources {
			live = live || s.Kind == "Secret" && s.Name == "" && s.Phase == feed.Live && s.Mode == feed.ModeWatch
		}
		if !live {
			t.Error("nothing says that the list is complete")
		}
		// A list is watched, an object read every half minute.
		c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"later","namespace":"shop"}}`)
		f.within(time.Second, "another Secret", f.has(object.ID{Kind: "Secret", Namespace: "shop", Name: "later"}))
		c.Delete("Secret", "shop", "later")
		f.within(time.Second, "its deletion", func() bool { return len(f.gone) == 1 && !f.gone[0].Dropped })
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"none","namespace":"shop"}}`)
		f.within(31*time.Second, "the config map", func() bool { return f.objects[none] != nil })
		// A reference that is no longer wanted is not requested again.
		f.e.Want(feed.Wants{Gen: 2})
		f.rest(time.Second)
		before := count(c, func(r testcluster.Request) bool { return r.Resource == "secrets" })
		f.rest(2 * time.Minute)
		if n := count(c, func(r testcluster.Request) bool { return r.Resource == "secrets" }); n != before {
			t.Errorf("%d requests for what nobody wants", n-before)
		}
	})
}

// What causes rest on is looked at again for as long as they last. What that costs at
// rest is stated here: two requests a minute each, one in two minutes once nothing
// has changed for ten.
func TestReferencesAtRestCostLittle(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		var refs []object.ID
		for i := range 50 { // as many as explain.MaxObjects
			refs = append(refs, object.ID{Kind: "Secret", Namespace: "shop", Name: fmt.Sprint("s", i)})
			if i%2 == 0 {
				c.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s%d","namespace":"shop"}}`, i))
			}
		}
		asked := func() int { return count(c, func(r testcluster.Request) bool { return r.Resource == "secrets" }) }
		aMinute := func(over time.Duration) int {
			before := asked()
			f.rest(over)
			return (asked() - before) / int(over/time.Minute)
		}
		f.e.Want(feed.Wants{Gen: 1, Refs: refs})
		f.rest(time.Second)
		if n := asked(); n != 50 {
			t.Errorf("%d requests at once, want one each", n)
		}
		if n := aMinute(8 * time.Minute); n != 100 {
			t.Errorf("%d requests a minute while something may be done about it, want 100", n)
		}
		f.rest(3 * time.Minute)
		if n := aMinute(20 * time.Minute); n != 25 {
			t.Errorf("%d requests a minute at rest, want 25", n)
		}
		// One of them changes: only that one is of interest again.
		one := object.ID{Kind: "Secret", Namespace: "shop", Name: "s1"}
		c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1","namespace":"shop"}}`)
		f.within(sources.RefRest+sources.RefPace, "the Secret", func() bool { return f.objects[one] != nil })
		before := count(c, func(r testcluster.Request) bool { return r.Name == "s1" })
		f.rest(5*time.Minute + time.Second)
		if n := count(c, func(r testcluster.Request) bool { return r.Name == "s1" }) - before; n != 10 {
			t.Errorf("what has just changed was asked for %d times in five minutes, want 10", n)
		}
	})
}

// The type of a Secret is no metadata, and its data is never asked for: it comes by
// the table that kubectl prints, once, also for a Secret that is followed.
func TestTheTypeOfASecretIsLearntWithoutItsData(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"followed","namespace":"shop","uid":"u1"},"type":"kubernetes.io/tls","data":{"tls.crt":"Y2FuYXJ5","tls.key":"Y2FuYXJ5"}}`)
		c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"looked-up","namespace":"shop","uid":"u2"},"type":"Opaque","data":{"password":"Y2FuYXJ5"}}`)
		f := start(t, c, Options{}, named("secret", "followed"))
		f.settled()
		followed := object.ID{Kind: "Secret", Namespace: "shop", Name: "followed"}
		lookedUp := object.ID{Kind: "Secret", Namespace: "shop", Name: "looked-up"}
		f.e.Want(feed.Wants{Gen: 1, Refs: []object.ID{lookedUp, followed}})
		for id, want := range map[object.ID]string{followed: "kubernetes.io/tls 2", lookedUp: "Opaque 1"} {
			f.within(time.Second, "the type of "+id.Name, func() bool {
				o := f.objects[id]
				return o != nil && fmt.Sprint(o.Str("type"), " ", o.Int("keys").V) == want
			})
			if o := f.objects[id]; !o.MetadataOnly || len(o.Tree) != 2 {
				t.Errorf("more than its type is known of %s: %v", id, o.Tree)
			}
		}
		// It never changes, so it is not forgotten when the Secret does.
		c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"followed","namespace":"shop","uid":"u1","labels":{"a":"b"}},"type":"kubernetes.io/tls","data":{"tls.crt":"Y2FuYXJ5","tls.key":"Y2FuYXJ5"}}`)
		f.within(time.Second, "the change", func() bool { v, _ := f.objects[followed].Label("a"); return v == "b" })
		if typ := f.objects[followed].Str("type"); typ != "kubernetes.io/tls" {
			t.Errorf("its type was forgotten: %q", typ)
		}
	})
}

// A server without tables is asked for the metadata alone.
func TestAReferencedSecretIsRequestedAsMetadataAlone(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"shop"},"type":"Opaque","data":{"password":"Y2FuYXJ5"}}`)
		refused := c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool {
			return r.Resource == "secrets" && strings.Contains(r.Accept, "as=Table")
		}, Status: 406})
		defer refused()
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		secret := object.ID{Kind: "Secret", Namespace: "shop", Name: "s"}
		f.e.Want(feed.Wants{Gen: 1, Refs: []object.ID{secret}})
		f.within(time.Second, "the Secret", func() bool { return f.objects[secret] != nil })
		if o := f.objects[secret]; !o.MetadataOnly || o.Tree != nil || !o.LookedUp {
			t.Errorf("more than its metadata is known, or it is taken for followed: %v", o)
		}
		for _, r := range c.Requests() {
			if r.Resource == "secrets" && !strings.Contains(r.Accept, "as=PartialObjectMetadata") {
				t.Errorf("asked for as %q", r.Accept)
			}
		}
	})
}

func TestAReferenceThatHangsDelaysNoAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		defer c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Resource == "secrets" }, Hang: true})()
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		var wanted []object.ID
		for _, name := range []string{"a", "b", "c", "d"} {
			wanted = append(wanted, object.ID{Kind: "Secret", Namespace: "shop", Name: name})
		}
		f.e.Want(feed.Wants{Gen: 1, Refs: wanted})
		if took := f.within(refs.Patience+time.Second, "the wish to count as answered", func() bool {
			return f.answered == 1
		}); took < refs.Patience-time.Second {
			t.Errorf("answered after %v though nothing was", took)
		}
	})
}

// Commands end in any order: a Wants that a newer one has overtaken changes nothing.
func TestAnOvertakenWantsIsIgnored(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		none := object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "none"}
		f.e.Want(feed.Wants{Gen: 2, Refs: []object.ID{none}})
		f.e.Want(feed.Wants{Gen: 1})
		f.within(time.Second, "the newer one's answer", func() bool { return f.answered == 2 && f.absent[none] })
	})
}

// An object may be wanted whose namespace nobody knows, such as what a driver keeps of a volume:
// it is found by its name, in whatever namespace it is.
func TestAReferenceWithoutItsNamespaceIsFoundByName(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"pv-1","namespace":"driver"}}`)
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other","namespace":"driver"}}`)
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		f.e.Want(feed.Wants{Gen: 1, Refs: []object.ID{{Kind: "ConfigMap", Name: "pv-1"}}})
		f.within(time.Second, "the object", func() bool {
			return f.objects[object.ID{Kind: "ConfigMap", Namespace: "driver", Name: "pv-1"}] != nil
		})
		if f.objects[object.ID{Kind: "ConfigMap", Namespace: "driver", Name: "other"}] != nil {
			t.Error("another one is taken in")
		}
	})
}

// What is only looked up is a row from when it is followed, too.
func TestAReferencedObjectThatIsFollowedIsARow(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		set := object.ID{Group: "apps", Kind: "ReplicaSet", Namespace: "shop", Name: "web-1"}
		lookedUp := func(want bool) func() bool {
			return func() bool { o := f.objects[set]; return o != nil && o.LookedUp == want }
		}
		f.e.Want(feed.Wants{Gen: 1, Refs: []object.ID{set}})
		f.within(time.Second, "the ReplicaSet as looked up", lookedUp(true))
		f.e.Want(feed.Wants{Gen: 2, Refs: []object.ID{set}, Children: []object.ID{{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}}})
		f.within(time.Second, "the ReplicaSet as followed", lookedUp(false))
		f.within(time.Second, "the answer", func() bool { return f.answered == 2 })
		if f.objects[set].LookedUp || len(f.gone) > 0 {
			t.Errorf("followed and looked up: %+v, gone: %v", f.objects[set], f.gone)
		}
	})
}

// Who may read little gets what he may read, and nobody is asked again and again.
func TestReferencesAreReadWithTheRightsThereAre(t *testing.T) {
	secret := object.ID{Kind: "Secret", Namespace: "shop", Name: "s"}
	of := func(resource string, verbs ...string) testcluster.Fault {
		return testcluster.Fault{Status: 403, Match: func(r testcluster.Request) bool {
			return r.Resource == resource && slices.Contains(verbs, r.Verb)
		}}
	}
	for _, c := range []struct {
		name    string // with its source
		refused testcluster.Fault
		wants   object.ID
		shown   object.ID // zero: nothing
		phase   feed.Phase
		mode    feed.Mode
		most    int // requests in five minutes
	}{
		// openshift/lightspeed-operator#1954: a rule with resourceNames permits no list of all.
		{"get by name alone", of("secrets", "list", "watch"), secret, secret, "", "", 11},
		// kubernetes/kubernetes#129201: list is permitted, watch is not.
		{"list alone", of("secrets", "watch"), object.ID{Kind: "Secret", Namespace: "shop"}, secret, feed.Live, feed.ModePollList, 20},
		// kagent-dev/kagent#1686: a Role permits nothing of a cluster-scoped kind.
		{"nothing of Nodes", of("nodes", "get", "list", "watch"), object.ID{Kind: "Node", Name: "n"}, object.ID{}, feed.Forbidden, feed.ModePollGet, 24},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, cluster *testcluster.Cluster) {
				putApp(cluster, "web")
				cluster.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"shop"}}`)
				cluster.Serve(testcluster.Resource{Version: "v1", Plural: "nodes", Kind: "Node"})
				defer cluster.Inject(c.refused)()
				f := start(t, cluster, Options{}, named("deploy", "web"))
				f.settled()
				f.e.Want(feed.Wants{Gen: 1, Refs: []object.ID{c.wants}})
				f.within(2*time.Second, "the answer", func() bool { return f.answered == 1 })
				if known := f.objects[c.shown] != nil; known == c.shown.IsZero() || f.absent[c.wants] {
					t.Errorf("known: %v, absent: %v", known, f.absent[c.wants])
				}
				if s := f.source("reference "); s.Phase != c.phase || s.Mode != c.mode {
					t.Errorf("%q, %q; want %q, %q", s.Phase, s.Mode, c.phase, c.mode)
				}
				asked := func() int {
					return count(cluster, func(r testcluster.Request) bool { return r.Resource == "secrets" || r.Resource == "nodes" })
				}
				before := asked()
				f.rest(5 * time.Minute)
				if n := asked() - before; n > c.most {
					t.Errorf("%d requests in five minutes, want %d at most", n, c.most)
				}
			})
		})
	}
}

// Nodes change every few seconds, and their images are four fifths of them.
func TestANodeComesInProtobufAndIsKeptWithoutItsImages(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Serve(testcluster.Resource{Version: "v1", Plural: "nodes", Kind: "Node", Cluster: true})
		c.Put(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"unschedulable":true},
			"status":{"allocatable":{"cpu":"3"},"conditions":[{"type":"Ready","status":"True"}],"images":[{"names":["app:1"],"sizeBytes":7}]}}`)
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		for gen, want := range []object.ID{{Kind: "Node", Name: "n"}, {Kind: "Node"}} {
			f.e.Want(feed.Wants{Gen: uint64(gen + 1), Refs: []object.ID{want}})
			f.within(2*time.Second, "the answer", func() bool { return f.answered == uint64(gen+1) })
		}
		n := f.objects[object.ID{Kind: "Node", Name: "n"}]
		if n == nil || n.Str("status", "allocatable", "cpu") != "3" || len(n.Conditions) != 1 {
			t.Fatalf("%+v", n)
		}
		if _, kept := n.Get("status", "images"); kept {
			t.Error("its images are kept")
		}
		if json := count(c, func(r testcluster.Request) bool {
			return r.Resource == "nodes" && !strings.Contains(r.Accept, "protobuf")
		}); json > 0 {
			t.Errorf("%d requests for JSON", json)
		}
	})
}

// A deletion that no watch has seen is found by the list after it (kubernetes/kubernetes#115658).
func TestAReferenceThatIsDeletedBetweenTwoWatchesIsGone(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putApp(c, "web")
		c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"shop"}}`)
		f := start(t, c, Options{}, named("deploy", "web"))
		f.settled()
		f.e.Want(feed.Wants{Gen: 1, Refs: []object.ID{{Kind: "Secret", Namespace: "shop"}}})
		f.within(time.Second, "the Secret", f.has(object.ID{Kind: "Secret", Namespace: "shop", Name: "s"}))
		c.Stop()
		f.rest(time.Second)
		c.Delete("Secret", "shop", "s")
		c.Forget()
		c.Start()
		f.within(15*time.Second, "its deletion", func() bool { return len(f.gone) == 1 && !f.gone[0].Dropped })
	})
}

// The Pods on a node are read of all namespaces. A server that cannot select by a node, if there is one,
// ends nothing.
func TestThePodsOnANodeAreAReference(t *testing.T) {
	for _, refused := range []bool{false, true} {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			putApp(c, "web")
			for name, node := range map[string]string{"a": "n1", "b": "n2"} {
				c.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"other"},"spec":{"nodeName":%q}}`, name, node))
			}
			if refused {
				c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return strings.Contains(r.Query, "nodeName") }, Status: 400})
			}
			f := start(t, c, Options{}, named("deploy", "web"))
			f.settled()
			f.e.Want(feed.Wants{Gen: 1, Refs: []object.ID{object.OnNode("n1")}})
			f.within(refs.Patience+time.Second, "the wish as answered", func() bool { return f.answered == 1 })
			on, beside := object.ID{Kind: "Pod", Namespace: "other", Name: "a"}, object.ID{Kind: "Pod", Namespace: "other", Name: "b"}
			if (f.objects[on] == nil) != refused || f.objects[beside] != nil {
				t.Errorf("refused %v: of the Pod on the node %v, of another %v", refused, f.objects[on], f.objects[beside])
			}
			c.Put(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","generation":7}}`)
			f.within(time.Second, "a change of what is followed", func() bool {
				return f.objects[object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}].Generation.Or(0) == 7
			})
		})
	}
}
