package world

import (
	"iter"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// EventsOf are the events of n's present object.
func (r *records) EventsOf(n *Node) []feed.Event {
	list := r.events[*n.ID]
	if n.Object == nil || n.Object.UID == "" {
		return list
	}
	for i := range list {
		if list[i].AboutUID != "" && list[i].AboutUID != n.Object.UID {
			return slices.DeleteFunc(slices.Clone(list), func(e feed.Event) bool {
				return e.AboutUID != "" && e.AboutUID != n.Object.UID
			})
		}
	}
	return list
}

// record adds to the history, with the object as it is now.
func (r *records) record(t Transition, o *object.Object) {
	r.History.Push(t)
	r.pasts.Push(o)
}

// Past is the object at an entry of the history, nil if it has been forgotten.
func (r *records) Past(i int) *object.Object {
	if i -= r.History.Len() - r.pasts.Len(); i >= 0 {
		return r.pasts.At(i)
	}
	return nil
}

// Transition is one entry of the history.
type Transition = feed.Transition

// Ring holds the last Limit elements.
type Ring[T any] struct {
	Limit int
	items []T
	start int
	Lost  int // number of dropped elements
}

// Push adds an element, and drops the oldest if necessary.
func (r *Ring[T]) Push(v T) {
	if n := len(r.items); n < r.Limit {
		if n == cap(r.items) && n >= roomy {
			r.items = slices.Grow(r.items, min(3*n, r.Limit-n)) // grow by a quarter at a time
		}
		r.items = append(r.items, v)
		return
	}
	r.items[r.start] = v
	r.start = (r.start + 1) % r.Limit
	r.Lost++
}

func (r *Ring[T]) clone() Ring[T] {
	c := *r
	c.items = slices.Clone(r.items)
	return c
}

// Len is the number of elements.
func (r *Ring[T]) Len() int { return len(r.items) }

// At is element i, the oldest at 0.
func (r *Ring[T]) At(i int) T { return r.items[(r.start+i)%len(r.items)] }

// All are the elements with their indexes, the oldest first.
func (r *Ring[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range r.items {
			if !yield(i, r.At(i)) {
				return
			}
		}
	}
}

// List returns the elements in a list, the oldest first.
func (r *Ring[T]) List() []T {
	return slices.Concat(r.items[r.start:], r.items[:r.start])
}

// Set replaces element i.
func (r *Ring[T]) Set(i int, v T) { r.items[(r.start+i)%len(r.items)] = v }
