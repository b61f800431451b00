package explain

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestDeadlinesComeUpInTheirOrderHoweverTheyWereSet(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	d := deadlines{of: map[object.ID]*deadline{}}
	start := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	want := map[object.ID]time.Time{}
	now := start
	for range 5000 {
		id := object.ID{Kind: "Pod", Name: fmt.Sprint("p", r.IntN(80))}
		at := time.Time{}
		if r.IntN(4) > 0 {
			at = now.Add(time.Duration(r.IntN(100)) * time.Second)
		}
		d.set(id, at)
		if want[id] = at; at.IsZero() {
			delete(want, id)
		}
		earliest := time.Time{}
		for _, t := range want {
			if earliest.IsZero() || t.Before(earliest) {
				earliest = t
			}
		}
		if !d.first().Equal(earliest) || len(d.heap) != len(want) || len(d.of) != len(want) {
			t.Fatalf("the first is at %v of %d, want %v of %d", d.first(), len(d.heap), earliest, len(want))
		}
		if r.IntN(3) == 0 {
			now = now.Add(time.Second)
			for {
				id, ok := d.pass(now)
				if !ok {
					break
				}
				if at := want[id]; at.IsZero() || at.After(now) {
					t.Fatalf("%v comes up at %v, is due at %v", id, now, at)
				}
				delete(want, id)
			}
			for id, at := range want {
				if !at.After(now) {
					t.Fatalf("%v was due at %v, and is not told at %v", id, at, now)
				}
			}
		}
	}
}
