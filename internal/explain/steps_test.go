package explain

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortingInStepsIsAStableSort(t *testing.T) {
	type item struct{ key, no int }
	byKey := func(a, b item) int { return cmp.Compare(a.key, b.key) }
	var spare []item
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		list := make([]item, r.IntN(3000))
		for i := range list {
			list[i] = item{r.IntN(1 + r.IntN(2000)), i}
		}
		slices.SortFunc(list, byKey)
		for range r.IntN(40) { // mostly in order
			i, j := r.IntN(len(list)+1), r.IntN(len(list)+1)
			if i < len(list) && j < len(list) {
				list[i], list[j] = list[j], list[i]
			}
		}
		for i := range list {
			list[i].no = i
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		steps := 0
		for do := sorted(&list, &spare, byKey); do() > 0; {
			steps++
		}
		if !slices.Equal(list, want) {
			t.Fatalf("seed %d: %v, want %v", seed, list, want)
		}
		in := slices.Clone(list)
		again := 0
		for do := sorted(&in, nil, byKey); do() > 0; {
			again++
		}
		if again > 3 || !slices.Equal(in, want) {
			t.Fatalf("seed %d: what is sorted takes %d steps", seed, again)
		}
	}
}
