package status

import (
	"hash/maphash"
	"iter"
)

// Table holds values by the IDs that they bear themselves, as a map[ID]V would,
// in a fifth of the room: a map keeps every ID, of 64 bytes, once more. It is not
// safe for concurrent use. Nothing can be put into a nil one; see [NewTable].
//
// A place is told by its mark, the lower half of the ID's hash: where that says
// to begin looking, or in the next place that is free.
type Table[V comparable] struct {
	idOf  func(V) *ID
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

// NewTable returns an empty table. What idOf returns for a value has to stay
// equal while the value is in the table.
func NewTable[V comparable](idOf func(V) *ID) *Table[V] {
	return &Table[V]{idOf: idOf, seed: maphash.MakeSeed()}
}

func (t *Table[V]) mark(id ID) uint32 {
	return max(uint32(maphash.Comparable(t.seed, id)), marksUsed)
}

// find returns the place of an ID; false, and a place to put it, where it is not
// there. There is at least one free place.
func (t *Table[V]) find(id ID, mark uint32) (place int, ok bool) {
	mask := len(t.marks) - 1
	free := -1
	for i := int(mark) & mask; ; i = (i + 1) & mask {
		switch t.marks[i] {
		case mark:
			if *t.idOf(t.vals[i]) == id {
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

// At returns the value that bears an ID, or the zero value.
func (t *Table[V]) At(id ID) (v V) {
	if t == nil || t.n == 0 {
		return v
	}
	if i, ok := t.find(id, t.mark(id)); ok {
		return t.vals[i]
	}
	return v
}

// Put adds a value, in place of another one of its ID.
func (t *Table[V]) Put(v V) {
	if 8*(t.taken+1) > 7*len(t.marks) {
		t.resize(t.n + 1)
	}
	id := *t.idOf(v)
	mark := t.mark(id)
	i, ok := t.find(id, mark)
	if !ok {
		t.n++
		if t.marks[i] == markFree {
			t.taken++
		}
	}
	t.marks[i], t.vals[i] = mark, v
}

// Delete removes the value that bears an ID. It may be called while All goes on.
func (t *Table[V]) Delete(id ID) {
	if t.n == 0 {
		return
	}
	if i, ok := t.find(id, t.mark(id)); ok {
		var none V
		t.marks[i], t.vals[i] = markDeleted, none
		t.n--
	}
}

// Len is how many values there are.
func (t *Table[V]) Len() int { return t.n }

// Grow makes room for n values in all.
func (t *Table[V]) Grow(n int) {
	if 8*n > 7*len(t.marks) {
		t.resize(n)
	}
}

// All goes through the values, in no order. What is put while it goes on may be
// met or not.
func (t *Table[V]) All() iter.Seq[V] {
	return func(yield func(V) bool) {
		marks, vals := t.marks, t.vals
		for i, m := range marks {
			if m < marksUsed {
				continue
			}
			// Where it was moved to another place meanwhile, it may be gone from there.
			v := vals[i]
			if &marks[0] != &t.marks[0] && t.At(*t.idOf(v)) != v {
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
func (t *Table[V]) resize(n int) {
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
