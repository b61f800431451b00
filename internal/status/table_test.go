package status

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

type bearer struct {
	id object.ID
	n  int
}

func TestATableHoldsWhatAMapWould(t *testing.T) {
	table := NewTable(func(b *bearer) *object.ID { return &b.id })
	want := map[object.ID]*bearer{}
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 60_000 {
		id := object.ID{Kind: "Pod", Namespace: "shop", Name: fmt.Sprint(random.IntN(1 + n/20%1000))}
		switch random.IntN(5) {
		case 0, 1:
			delete(want, id)
			table.Delete(id)
		case 2:
			if got := table.At(id); got != want[id] {
				t.Fatalf("after %d steps %s is %v, want %v", n, id, got, want[id])
			}
		default:
			b := &bearer{id, n}
			want[id] = b
			table.Put(b)
		}
		if n%5000 == 4999 {
			got := map[object.ID]*bearer{}
			for b := range table.All() {
				got[b.id] = b
			}
			if !maps.Equal(got, want) || table.Len() != len(want) {
				t.Fatalf("after %d steps %d of %d:\n%s", n, table.Len(), len(want), cmp.Diff(want, got, cmp.AllowUnexported(bearer{})))
			}
		}
	}
	if got := table.At(object.ID{Kind: "Pod", Namespace: "mall", Name: "0"}); got != nil {
		t.Errorf("what was never put is %v", got)
	}
}

func TestATableCanBeEmptiedWhileItIsGoneThrough(t *testing.T) {
	table := NewTable(func(b *bearer) *object.ID { return &b.id })
	const n = 1000
	for i := range n {
		table.Put(&bearer{object.ID{Name: fmt.Sprint(i)}, i})
	}
	met := 0
	for b := range table.All() {
		table.Delete(b.id)
		table.Delete(object.ID{Name: fmt.Sprint((b.n + n/2) % n)}) // perhaps met before
		met++
	}
	if met < n/2 || met > n || table.Len() != 0 {
		t.Errorf("%d of %d met, %d left", met, n, table.Len())
	}
}

func TestWhatIsDeletedWhileATableGrowsIsNotMet(t *testing.T) {
	table := NewTable(func(b *bearer) *object.ID { return &b.id })
	const n = 100
	for i := range n {
		table.Put(&bearer{object.ID{Name: fmt.Sprint(i)}, i})
	}
	gone := map[object.ID]bool{}
	for b := range table.All() {
		if gone[b.id] {
			t.Fatalf("%v is met, and was deleted", b.id)
		}
		if len(gone) > 0 {
			continue
		}
		for i := range 10 * n { // so that everything moves
			table.Put(&bearer{object.ID{Name: fmt.Sprint("new-", i)}, i})
		}
		for i := range n {
			if id := (object.ID{Name: fmt.Sprint(i)}); id != b.id {
				table.Delete(id)
				gone[id] = true
			}
		}
	}
	if table.Len() != 10*n+1 {
		t.Errorf("%d left", table.Len())
	}
}

func TestATableTakesLittleRoom(t *testing.T) {
	list := make([]*bearer, 10_000)
	for i := range list {
		list[i] = &bearer{object.ID{Name: fmt.Sprint(i)}, i}
	}
	table := NewTable(func(b *bearer) *object.ID { return &b.id })
	for round := range 20 {
		for _, b := range list {
			table.Put(b)
		}
		if n := len(table.marks); n > 1<<14 {
			t.Fatalf("%d places in round %d", n, round)
		}
		for _, b := range list[:len(list)/2] {
			table.Delete(b.id)
		}
	}
	table = NewTable(func(b *bearer) *object.ID { return &b.id })
	table.Grow(len(list))
	if allocs := testing.AllocsPerRun(1, func() {
		for _, b := range list {
			table.Put(b)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations where there is room", allocs)
	}
}
