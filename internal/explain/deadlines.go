package explain

import (
	"container/heap"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// deadlines are the moments at which objects are to be looked at again, the
// earliest at hand.
type deadlines struct {
	of   map[object.ID]*deadline
	heap deadlineHeap
}

type deadline struct {
	at    time.Time
	id    object.ID
	index int
}

// set gives an object a deadline in the place of the one that it has; none where
// t is zero.
func (d *deadlines) set(id object.ID, t time.Time) {
	x := d.of[id]
	switch {
	case t.IsZero():
		if x != nil {
			heap.Remove(&d.heap, x.index)
			delete(d.of, id)
		}
	case x == nil:
		x = &deadline{at: t, id: id}
		d.of[id] = x
		heap.Push(&d.heap, x)
	case !x.at.Equal(t):
		x.at = t
		heap.Fix(&d.heap, x.index)
	}
}

// first is the earliest deadline; zero where there is none.
func (d *deadlines) first() time.Time {
	if len(d.heap) == 0 {
		return time.Time{}
	}
	return d.heap[0].at
}

// pass takes out the first of what was due by now.
func (d *deadlines) pass(now time.Time) (id object.ID, ok bool) {
	if t := d.first(); t.IsZero() || t.After(now) {
		return object.ID{}, false
	}
	id = heap.Pop(&d.heap).(*deadline).id
	delete(d.of, id)
	return id, true
}

type deadlineHeap []*deadline

func (h deadlineHeap) Len() int { return len(h) }

func (h deadlineHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }

func (h deadlineHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *deadlineHeap) Push(x any) {
	d := x.(*deadline)
	d.index = len(*h)
	*h = append(*h, d)
}

func (h *deadlineHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return x
}
