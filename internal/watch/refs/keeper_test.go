package refs

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// bench is a keeper without a server or a hub: the test delivers what streams would.
type bench struct {
	*Keeper
	streams  map[string]sources.Sink // by the name that they read; "" is a list
	followed map[object.ID]*object.Object
	unknown  bool // the kinds are not known
}

func newBench(t *testing.T) *bench {
	b := &bench{streams: map[string]sources.Sink{}, followed: map[object.ID]*object.Object{}}
	b.Keeper = &Keeper{
		Context: t.Context(),
		Kind: func(group, kind string) (kube.Resource, bool) {
			return kube.Resource{Group: group, Version: "v1", Plural: kind + "s", Kind: kind, Namespaced: true}, !b.unknown
		},
		Describe: func(s plan.Spec) feed.SourceState { return feed.SourceState{Key: s.Key(), Phase: feed.Waiting} },
		Run: func(_ context.Context, s plan.Spec, to sources.Sink) func() time.Time {
			b.streams[s.Name] = to
			return func() time.Time { return time.Time{} }
		},
		Followed: func(id object.ID) (*object.Object, bool) { o := b.followed[id]; return o, o != nil },
		Wake:     func() {},
	}
	return b
}

// hands returns a batch of the hub with what the keeper adds.
func (b *bench) hands(batch feed.Batch) feed.Batch {
	b.Join(&batch)
	return batch
}

func live(st *feed.SourceState) { st.Phase = feed.Live }

func id(name string) object.ID { return object.ID{Kind: "Secret", Namespace: "shop", Name: name} }

func obj(name, version string) *object.Object {
	return &object.Object{ID: id(name), UID: "uid of " + name, ResourceVersion: version}
}

// read has a stream read its object.
func (b *bench) read(o *object.Object) {
	to := b.streams[o.Name]
	to.Replace([]*object.Object{o}, o.ResourceVersion)
	to.UpdateState(live)
}

// What is no longer wanted stays known; a stream of the plan that lists its kind, or sees its
// deletion, takes it back.
func TestAStreamReplacesAReferenceThatIsNoLongerWanted(t *testing.T) {
	for _, c := range []struct {
		name   string
		wanted bool
		proof  func(*bench)
		gone   bool
	}{
		{"by a list of its kind", false, func(b *bench) { b.Listed(func(object.ID) bool { return true }, nil) }, true},
		{"not by a list that has it", false, func(b *bench) {
			b.Listed(func(object.ID) bool { return true }, []*object.Object{obj("a", "5")})
		}, false},
		{"not by a list of a selection", false, func(b *bench) { b.Listed(func(object.ID) bool { return false }, nil) }, false},
		{"not while it is wanted", true, func(b *bench) { b.Listed(func(object.ID) bool { return true }, nil) }, false},
		{"by its deletion", false, func(b *bench) { b.Deleted(obj("a", "9")) }, true},
		{"by its deletion while it is wanted", true, func(b *bench) { b.Deleted(obj("a", "9")) }, true},
		{"not by the deletion of another one of its name", true, func(b *bench) {
			b.Deleted(&object.Object{ID: id("a"), UID: "another", ResourceVersion: "9"})
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.Want([]object.ID{id("a")})
			b.read(obj("a", "5"))
			if out := b.hands(feed.Batch{}); len(out.Objects) != 1 || !out.Objects[0].LookedUp {
				t.Fatalf("the answer was not handed over as looked up: %+v", out)
			}
			if !c.wanted {
				b.Want(nil)
			}
			if out := b.hands(feed.Batch{}); len(out.Gone) > 0 {
				t.Error("gone before anybody could know")
			}
			c.proof(b)
			out := b.hands(feed.Batch{})
			if got := len(out.Gone) == 1 && out.Gone[0] == (feed.Gone{ID: id("a"), UID: "uid of a"}); got != c.gone {
				t.Errorf("gone: %v", out.Gone)
			}
			if again := b.hands(feed.Batch{}); len(again.Gone) > 0 {
				t.Error("gone twice")
			}
		})
	}
}

// What was looked up and is wanted no longer is kept for the next explanation, but not for
// ever: node names change all the time on a cluster that scales.
func TestNotEverythingThatWasLookedUpIsKept(t *testing.T) {
	b := newBench(t)
	var dropped []object.ID
	for i := range 3 * unwantedMost {
		o := obj(fmt.Sprint("node-", i), "5")
		b.Want([]object.ID{o.ID})
		b.read(o)
		for _, g := range b.hands(feed.Batch{}).Gone {
			if !g.Dropped {
				t.Fatalf("%v is reported as deleted", g.ID)
			}
			dropped = append(dropped, g.ID)
		}
	}
	b.Want(nil)
	for _, g := range b.hands(feed.Batch{}).Gone {
		dropped = append(dropped, g.ID)
	}
	if len(b.kept) != unwantedMost || len(b.readers) != 0 || len(dropped) != 2*unwantedMost || dropped[0].Name != "node-0" {
		t.Errorf("%d kept, %d readers, %d dropped, the first %v", len(b.kept), len(b.readers), len(dropped), dropped[0])
	}
}

// What the hub hands over is its to report; when it lets go of it, the keeper takes over.
func TestAFollowedObjectIsDeliveredByTheHubAlone(t *testing.T) {
	b := newBench(t)
	b.Want([]object.ID{id("a")})
	b.read(obj("a", "5"))
	b.hands(feed.Batch{})

	followed := obj("a", "6")
	b.followed[id("a")] = followed
	out := b.hands(feed.Batch{Objects: []*object.Object{followed}})
	if len(out.Objects) != 1 || out.Objects[0].LookedUp || len(out.Gone) > 0 {
		t.Errorf("followed, too: %+v", out)
	}
	b.read(obj("a", "7"))
	if out := b.hands(feed.Batch{}); len(out.Objects) > 0 {
		t.Errorf("read while it is followed: %+v", out.Objects)
	}
	b.read(obj("a", "5")) // an answer may be older than the watch
	delete(b.followed, id("a"))
	out = b.hands(feed.Batch{Gone: []feed.Gone{{ID: id("a"), UID: followed.UID}}})
	if len(out.Gone) != 1 || !out.Gone[0].Dropped || len(out.Objects) != 1 || !out.Objects[0].LookedUp {
		t.Errorf("followed no longer, and still there: %+v", out)
	}
	b.Deleted(obj("a", "8"))
	if out := b.hands(feed.Batch{}); len(out.Gone) != 1 || out.Gone[0].Dropped {
		t.Errorf("deleted: %+v", out.Gone)
	}
}

// An object of another UID under the same name is another object, also where the hub is the
// first to see it.
func TestARecreatedObjectIsGoneFirst(t *testing.T) {
	other := &object.Object{ID: id("a"), UID: "another", ResourceVersion: "9"}
	for name, see := range map[string]func(*bench) feed.Batch{
		"by the keeper": func(b *bench) feed.Batch { b.read(other); return feed.Batch{} },
		"by the hub": func(b *bench) feed.Batch {
			b.followed[id("a")] = other
			return feed.Batch{Objects: []*object.Object{other}}
		},
	} {
		b := newBench(t)
		b.Want([]object.ID{id("a")})
		b.read(obj("a", "5"))
		b.hands(feed.Batch{})
		out := b.hands(see(b))
		if len(out.Gone) != 1 || out.Gone[0] != (feed.Gone{ID: id("a"), UID: "uid of a"}) || len(out.Objects) != 1 || out.Objects[0].UID != "another" {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// An answer that is older than what another stream has delivered changes nothing. A list
// that is older than what its own stream has delivered is that of a restored etcd.
func TestOlderVersionsAreTakenFromTheSameStreamAlone(t *testing.T) {
	b := newBench(t)
	b.Want([]object.ID{id("a"), {Kind: "Secret", Namespace: "shop"}})
	version := func() string {
		b.hands(feed.Batch{})
		return b.Get(id("a")).ResourceVersion
	}
	b.streams[""].Upsert(obj("a", "7"))
	b.read(obj("a", "5"))
	if v := version(); v != "7" {
		t.Errorf("an older answer is taken: %s", v)
	}
	b.streams[""].Replace([]*object.Object{obj("a", "3")}, "4")
	if v := version(); v != "3" {
		t.Errorf("an older list of the same stream is not taken: %s", v)
	}
	b.read(obj("a", "8"))
	b.streams[""].Replace(nil, "6") // it began before the object of version 8 was there
	if v := version(); v != "8" {
		t.Errorf("an older list proves nothing: %s", v)
	}
	b.streams[""].Replace(nil, "9")
	b.streams["a"].Replace(nil, "")
	if out := b.hands(feed.Batch{}); len(out.Gone) != 1 || len(out.Absent) != 1 {
		t.Errorf("gone by both: %+v", out)
	}
}

// The absence of a named object is handed over, once, and again after it was there.
func TestTheAbsenceOfAReferenceIsHandedOver(t *testing.T) {
	b := newBench(t)
	b.Want([]object.ID{id("a")})
	absent := func() int { return len(b.hands(feed.Batch{}).Absent) }
	b.streams["a"].Replace(nil, "")
	if absent() != 1 || absent() != 0 {
		t.Error("not handed over, or twice")
	}
	b.streams["a"].Replace(nil, "")
	if absent() != 0 {
		t.Error("handed over again")
	}
	b.read(obj("a", "5"))
	b.hands(feed.Batch{})
	b.streams["a"].Replace(nil, "")
	if out := b.hands(feed.Batch{}); len(out.Absent) != 1 || len(out.Gone) != 1 {
		t.Errorf("deleted: %+v", out)
	}
}

// A Wants is answered when all of its references have been read, or will take too long.
func TestAWantsWaitsForItsReferences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.Want([]object.ID{id("a"), id("b")})
		answered := func() uint64 { return b.hands(feed.Batch{Answered: 3}).Answered }
		b.read(obj("a", "5"))
		if n := answered(); n != 0 {
			t.Errorf("answered with a reference that has not been read: %d", n)
		}
		time.Sleep(Patience - time.Second)
		synctest.Wait()
		if n := answered(); n != 0 {
			t.Errorf("answered too early: %d", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		batch := b.hands(feed.Batch{Answered: 3})
		if batch.Answered != 3 {
			t.Errorf("a slow reference keeps the Wants back: %d", batch.Answered)
		}
		if len(batch.Sources) != 1 || !batch.Sources[0].Late {
			t.Errorf("nothing says that it is late: %+v", batch.Sources)
		}
		if b.Get(id("b")) != nil {
			t.Error("it counts as read")
		}
		b.streams["b"].UpdateState(live)
		if states := b.hands(feed.Batch{}).Sources; len(states) != 1 || states[0].Late {
			t.Errorf("still late when it has come: %+v", states)
		}
	})
}

// Of a reference by name only a refusal, that it is late, and what follows them is published,
// of a list that it is complete; what was published is closed at the end.
func TestOnlyFailedReadsOfReferencesArePublished(t *testing.T) {
	b := newBench(t)
	b.Want([]object.ID{id("a"), id("b"), {Kind: "Secret", Namespace: "shop"}})
	b.read(obj("a", "5"))
	b.streams["b"].UpdateState(func(st *feed.SourceState) { st.Phase = feed.Forbidden })
	b.streams["b"].UpdateState(live)
	b.streams[""].UpdateState(live)
	b.Want(nil)
	closed := 0
	var phases []feed.Phase
	for _, st := range b.hands(feed.Batch{}).Sources {
		if st.Phase == feed.Closed {
			closed++
		} else {
			phases = append(phases, st.Phase)
		}
	}
	if fmt.Sprint(phases) != "[forbidden live live]" || closed != 2 {
		t.Errorf("%v, then %d closed", phases, closed)
	}
}

// A cluster has few DaemonSets, and an explanation may look for one whose namespace it does not know. Of other kinds in all
// namespaces there may be any number.
func TestOnlyListsOfFewObjectsSpanAllNamespaces(t *testing.T) {
	b := newBench(t)
	b.Want([]object.ID{{Kind: "Pod"}, {Group: "apps", Kind: "Deployment"}})
	if n := len(b.readers); n > 0 {
		t.Errorf("%d readers for Pods and Deployments", n)
	}
	for _, wanted := range []object.ID{
		{Group: "apps", Kind: "DaemonSet"}, {Group: "lab.io", Kind: "Widget"}, object.OnNode("n1"),
	} {
		b.Want([]object.ID{wanted})
		if n := len(b.readers); n != 1 {
			t.Errorf("%d readers for %v", n, wanted)
		}
	}
	for spec := range b.readers {
		if spec.Fields != "spec.nodeName=n1" || spec.Name != "" || spec.Namespace != "" {
			t.Errorf("the Pods on a node are read by %+v", spec)
		}
	}
}

// The Pods on a node are a list: what it does not have proves nothing of other nodes' Pods.
func TestThePodsOnANode(t *testing.T) {
	b := newBench(t)
	b.Want([]object.ID{object.OnNode("n1")})
	b.streams[""].Replace([]*object.Object{obj("a", "5")}, "5")
	b.streams[""].UpdateState(live)
	if out := b.hands(feed.Batch{}); len(out.Objects) != 1 || len(out.Absent) > 0 || len(out.Sources) != 1 {
		t.Errorf("%+v", out)
	}
	b.streams[""].Replace(nil, "6")
	if out := b.hands(feed.Batch{}); len(out.Gone) != 1 || len(out.Absent) > 0 {
		t.Errorf("%+v", out)
	}
}

// A kind may become known later: then its stream replaces the one that asks for the kind.
func TestAReferenceIsReadAnewWhenItsKindBecomesKnown(t *testing.T) {
	b := newBench(t)
	b.unknown = true
	b.Want([]object.ID{id("a")})
	b.streams["a"].Replace(nil, "")
	if out := b.hands(feed.Batch{}); len(out.Absent) > 0 {
		t.Error("absent because its kind is not known")
	}
	before := b.streams["a"]
	b.unknown = false
	b.Resolve()
	if b.streams["a"] == before || len(b.readers) != 1 {
		t.Fatalf("%d readers", len(b.readers))
	}
	b.read(obj("a", "5"))
	before.Replace(nil, "") // its goroutine has not ended yet
	if out := b.hands(feed.Batch{}); len(out.Objects) != 1 || len(out.Gone) > 0 {
		t.Errorf("%+v", out)
	}
}

// A batch that the hub has made before a refusal came answers with that refusal, or not.
func TestNoBatchAnswersWithoutTheRefusalThatItRestsOn(t *testing.T) {
	b := newBench(t)
	b.Want([]object.ID{id("a")})
	made := feed.Batch{Answered: 1}
	b.streams["a"].UpdateState(func(st *feed.SourceState) { st.Phase = feed.Forbidden })
	if out := b.hands(made); out.Answered != 1 || len(out.Sources) != 1 || out.Sources[0].Phase != feed.Forbidden {
		t.Errorf("%+v", out)
	}
}
