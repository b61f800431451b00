package events

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/sources"
)

// Of very many events all of wanted objects are kept, and the newest of others.
func TestOfVeryManyEventsTheNewestAreKept(t *testing.T) {
	began := time.Unix(0, 0)
	ids := []object.ID{{Kind: "Pod", Namespace: "shop", Name: "a"}, {Kind: "Pod", Namespace: "shop", Name: "late"}}
	var sink sources.Sink
	k := &Keeper{
		Context: t.Context(),
		Run:     func(_ context.Context, _ plan.Spec, to sources.Sink) { sink = to },
		Object:  func(id object.ID) *object.Object { return &object.Object{ID: id, UID: id.Name} },
		State:   func(feed.SourceState) {}, Bump: func() {},
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
	for _, about := range k.about {
		kept += len(about)
	}
	if kept > 2*keptMost || kept < keptMost/2 {
		t.Errorf("%d events are kept", kept)
	}
	k.Want(ids)
	got, _ := k.Changed()
	if len(got) != 2 || got[0].UID != "a" || got[1].UID != "now" {
		t.Errorf("handed over: %+v", got)
	}
}
