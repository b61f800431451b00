package events

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// Of very many events all of wanted objects are kept, and the newest of others.
func TestTheNewestEventsAreKeptOfTooMany(t *testing.T) {
	began := time.Unix(0, 0)
	ids := []object.ID{{Kind: "Pod", Namespace: "shop", Name: "a"}, {Kind: "Pod", Namespace: "shop", Name: "late"}}
	var sink sources.Sink
	k := &Keeper{
		Context: t.Context(),
		Run:     func(_ context.Context, _ plan.Spec, to sources.Sink) { sink = to },
		Object:  func(id object.ID) *object.Object { return &object.Object{ID: id, UID: id.Name} },
		Wake:    func() {},
	}
	k.Want(ids[:1])
	event := func(uid, about string, second int) {
		sink.Upsert(&object.Object{
			ID: object.ID{Kind: "Event", Namespace: "shop", Name: uid}, UID: uid,
			Event: &object.Event{UID: uid, AboutUID: about, Count: 1, Last: began.Add(time.Duration(second) * time.Second)},
		})
	}
	event("a", "a", 0)
	event("early", "late", 1)
	for i := range 5 * keptMost {
		event(fmt.Sprint("n", i), fmt.Sprint("nobody", i%1000), 2+i)
	}
	event("now", "late", 5*keptMost)
	kept := 0
	for _, about := range k.kept {
		kept += len(about)
	}
	if kept > keptMost || kept < keptMost/2-1 {
		t.Errorf("%d events are kept", kept)
	}
	k.Want(ids)
	var b feed.Batch
	k.Join(&b)
	got := b.Events
	if len(got) != 2 || got[0].UID != "a" || got[1].UID != "now" {
		t.Errorf("handed over: %+v", got)
	}
}

// A Pod that is gone has no UID to find its events by: they say what they are about.
func TestTheEventsOfAnObjectThatIsGoneAreFoundByItsName(t *testing.T) {
	var sink sources.Sink
	k := &Keeper{
		Context: t.Context(),
		Run:     func(_ context.Context, _ plan.Spec, to sources.Sink) { sink = to },
		Object:  func(object.ID) *object.Object { return nil },
		Wake:    func() {},
	}
	gone := pod("shop", "gone")
	k.Want([]object.ID{gone})
	for _, known := range []bool{true, false} { // some reporters do not know the object's UID
		for _, about := range []object.ID{gone, pod("shop", "other"), pod("other", "gone"), {Kind: "Job", Group: "batch", Namespace: "shop", Name: "gone"}} {
			uid := fmt.Sprint(known, about.Kind, about.Namespace, about.Name)
			e := &object.Event{UID: uid, About: about, Count: 1}
			if known {
				e.AboutUID = "of " + uid
			}
			sink.Upsert(&object.Object{ID: object.ID{Kind: "Event", Namespace: "shop", Name: uid}, UID: uid, Event: e})
		}
		var b feed.Batch
		k.Join(&b)
		want := 0
		if known {
			want = 1 // the others may be about an earlier object of the name
		}
		if len(b.Events) != want || known && b.Events[0].About != gone {
			t.Errorf("UID known %v, handed over: %+v", known, b.Events)
		}
	}
}

// readers are the sources that a keeper has started.
type readers []struct {
	reads string // the namespace, and the selector
	ctx   context.Context
}

// running counts those that read something and have not been ended.
func (r readers) running(reads string) (n int) {
	for _, reader := range r {
		if reader.reads == reads && reader.ctx.Err() == nil {
			n++
		}
	}
	return n
}

func keeper(t *testing.T) (*Keeper, *readers) {
	started := &readers{}
	return &Keeper{
		Context: t.Context(),
		Run: func(ctx context.Context, spec plan.Spec, _ sources.Sink) {
			*started = append(*started, struct {
				reads string
				ctx   context.Context
			}{spec.Namespace + " " + spec.Fields, ctx})
		},
		Object: func(id object.ID) *object.Object { return &object.Object{ID: id, UID: id.Name} },
		Wake:   func() {},
	}, started
}

func pod(ns, name string) object.ID { return object.ID{Kind: "Pod", Namespace: ns, Name: name} }

func TestANamespaceIsReadOnceHoweverTheCursorMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, started := keeper(t)
		k.Want([]object.ID{pod("shop", "a")})
		if started.running("shop involvedObject.kind=Pod,involvedObject.name=a") != 1 || started.running("shop ") != 0 {
			t.Errorf("of one object nothing else is read: %v", *started)
		}
		for _, name := range []string{"b", "c", "a", "b"} {
			k.Want([]object.ID{pod("shop", name)})
			if started.running("shop ") != 1 || len(k.readers) != 1 {
				t.Errorf("at %s: %v", name, *started)
			}
		}
		if len(*started) != 2 {
			t.Errorf("a narrow source and the namespace's are wanted: %v", *started)
		}
	})
}

func TestANamespaceIsReadForAMinuteAfterItWasWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, started := keeper(t)
		several := []object.ID{pod("shop", "a"), pod("shop", "b"), pod("shop", "c"), pod("shop", "d")}
		k.Want(several)
		k.Want([]object.ID{pod("other", "x")})
		time.Sleep(Linger - time.Second)
		k.Want(several[:1])
		time.Sleep(2 * Linger)
		if started.running("shop ") != 1 {
			t.Errorf("what is wanted again is read no longer: %v", *started)
		}
		k.Want(nil)
		time.Sleep(Linger + time.Second)
		synctest.Wait()
		if started.running("shop ") != 0 || len(k.readers) != 0 {
			t.Errorf("what nobody wants is still read: %v", *started)
		}
	})
}

// A batch that the hub has made before a refusal came answers with that refusal, or not.
func TestNoBatchAnswersWithoutTheRefusalThatItRestsOn(t *testing.T) {
	var sink sources.Sink
	k := &Keeper{
		Context: t.Context(), Wake: func() {},
		Run:    func(_ context.Context, _ plan.Spec, to sources.Sink) { sink = to },
		Object: func(id object.ID) *object.Object { return &object.Object{ID: id, UID: id.Name} },
	}
	k.Want([]object.ID{pod("shop", "a")})
	state := func(phase feed.Phase) (out feed.Batch) {
		sink.UpdateState(func(st *feed.SourceState) { st.Phase = phase })
		out.Answered = 1
		k.Join(&out)
		return out
	}
	refused := state(feed.Forbidden)
	if refused.EventsAnswered != 1 || len(refused.Sources) != 1 || refused.Sources[0].Phase != feed.Forbidden {
		t.Errorf("refused: %+v", refused)
	}
	if again := state(feed.Forbidden); len(again.Sources) != 0 {
		t.Errorf("refused again: %+v", again)
	}
	for _, phase := range []feed.Phase{feed.Stale, feed.Throttled} { // which say nothing of the permission
		if failed := state(phase); len(failed.Sources) != 0 {
			t.Errorf("refused, and then %s: %+v", phase, failed)
		}
	}
	if allowed := state(feed.Live); len(allowed.Sources) != 1 || allowed.Sources[0].Phase != feed.Closed {
		t.Errorf("allowed: %+v", allowed)
	}
	if again := state(feed.Live); len(again.Sources) != 0 {
		t.Errorf("allowed again: %+v", again)
	}
}

// Two objects of a namespace have a reader each, and one published state.
func TestANamespaceIsLateAsLongAsOneOfItsReadersIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sinks []sources.Sink
		k := &Keeper{
			Context: t.Context(), Wake: func() {},
			Run:    func(_ context.Context, _ plan.Spec, to sources.Sink) { sinks = append(sinks, to) },
			Object: func(id object.ID) *object.Object { return &object.Object{ID: id, UID: id.Name} },
		}
		k.Want([]object.ID{pod("shop", "a"), pod("shop", "b")})
		state := func(reader int, phase feed.Phase, retry time.Duration) (late, told bool) {
			sinks[reader].UpdateState(func(st *feed.SourceState) { st.Phase, st.Retry = phase, time.Now().Add(retry) })
			var b feed.Batch
			k.Join(&b)
			for _, st := range b.Sources {
				late, told = st.Late, true
			}
			return late, told
		}
		for _, step := range []struct {
			reader     int
			phase      feed.Phase
			retry      time.Duration
			late, told bool
		}{
			{0, feed.Stale, time.Second, false, false}, // a first failure is waited for
			{0, feed.Stale, 2 * time.Second, true, true},
			{1, feed.Live, 0, false, false}, // the other one cannot answer for it
			{0, feed.Live, 0, false, true},
		} {
			if late, told := state(step.reader, step.phase, step.retry); late != step.late || told != step.told {
				t.Errorf("%+v: late %v, told %v", step, late, told)
			}
		}
	})
}
