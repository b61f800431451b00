package status

import (
	"hash/maphash"
	"iter"
)

// Table holds values by keys that they bear themselves, as a map[K]V would, in
// less room: a map keeps every key once more, and an [object.ID] is of 64 bytes. And a
// table that grows needs not look at the keys again. It is not safe for
// concurrent use. Nothing can be put into a nil one; see [NewTable].
//
// A place is told by its mark, the lower half of the key's hash: where that says
// to begin looking, or in the next place that is free.
type Table[K, V comparable] struct {
	keyOf func(V) *K
	seed  maphash.Seed
	marks []uint32
	vals  []V
	n     int // how many there are
	taken int // places that are not free: a value's, or one that was deleted
}

// Marks of places without a value. Nothing was ever in a free one; where a value
// was deleted, others may have been put behind it.
const (
	markFree    = 0
	markDeleted = 1
	marksUsed   = 2
)

// NewTable returns an empty table. What keyOf returns for a value has to stay
// equal while the value is in the table.
func NewTable[K, V comparable](keyOf func(V) *K) *Table[K, V] {
	return &Table[K, V]{keyOf: keyOf, seed: maphash.MakeSeed()}
}

func (t *Table[K, V]) mark(key K) uint32 {
	return max(uint32(maphash.Comparable(t.seed, key)), marksUsed)
}

// find returns the place of a key; false, and a place to put it, where it is not
// there. There is at least one free place.
func (t *Table[K, V]) find(key K, mark uint32) (place int, ok bool) {
	mask := len(t.marks) - 1
	free := -1
	for i := int(mark) & mask; ; i = (i + 1) & mask {
		switch t.marks[i] {
		case mark:
			if *t.keyOf(t.vals[i]) == key {
				return i, true
			}
		case markDeleted:
			if free < 0 {
				free = i
			}
		case markFree:
			if free < 0 {
				free = i
			}
			return free, false
		}
	}
}

// At returns the value that bears a key, or the zero value.
func (t *Table[K, V]) At(key K) (v V) {
	if t == nil || t.n == 0 {
		return v
	}
	if i, ok := t.find(key, t.mark(key)); ok {
		return t.vals[i]
	}
	return v
}

// Put adds a value, in place of another one of its key.
func (t *Table[K, V]) Put(v V) {
	if 8*(t.taken+1) > 7*len(t.marks) {
		t.resize(t.n + 1)
	}
	key := *t.keyOf(v)
	mark := t.mark(key)
	i, ok := t.find(key, mark)
	if !ok {
		t.n++
		if t.marks[i] == markFree {
			t.taken++
		}
	}
	t.marks[i], t.vals[i] = mark, v
}

// Delete removes the value that bears a key. It may be called while All goes on.
func (t *Table[K, V]) Delete(key K) {
	if t.n == 0 {
		return
	}
	if i, ok := t.find(key, t.mark(key)); ok {
		var none V
		t.marks[i], t.vals[i] = markDeleted, none
		t.n--
	}
}

// Len is how many values there are.
func (t *Table[K, V]) Len() int { return t.n }

// Grow makes room for n values in all.
func (t *Table[K, V]) Grow(n int) {
	if 8*n > 7*len(t.marks) {
		t.resize(n)
	}
}

// All goes through the values, in no order. What is put while it goes on may be
// met or not.
func (t *Table[K, V]) All() iter.Seq[V] {
	return func(yield func(V) bool) {
		marks, vals := t.marks, t.vals
		for i, m := range marks {
			if m < marksUsed {
				continue
			}
			// Where it was moved to another place meanwhile, it may be gone from there.
			v := vals[i]
			if &marks[0] != &t.marks[0] && t.At(*t.keyOf(v)) != v {
				continue
			}
			if !yield(v) {
				return
			}
		}
	}
}

// resize moves everything to where there is room for n values, and as many again
// where that is little more than there are: a quarter of them.
func (t *Table[K, V]) resize(n int) {
	size := 16
	for 8*n > 7*size || 4*n > 3*size && n <= t.n+1 {
		size *= 2
	}
	marks, vals := t.marks, t.vals
	t.marks, t.vals, t.taken = make([]uint32, size), make([]V, size), t.n
	mask := size - 1
	for j, m := range marks {
		if m < marksUsed {
			continue
		}
		i := int(m) & mask
		for t.marks[i] != markFree {
			i = (i + 1) & mask
		}
		t.marks[i], t.vals[i] = m, vals[j]
	}
}
