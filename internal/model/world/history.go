package world

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// EventsOf are the events of n's present object.
func (r *Records) EventsOf(n *Node) []object.Event {
	list := r.events[*n.ID]
	another := func(e object.Event) bool { return e.AboutUID != "" && e.AboutUID != n.Object.UID }
	if n.Object != nil && n.Object.UID != "" && slices.ContainsFunc(list, another) {
		return slices.DeleteFunc(slices.Clone(list), another)
	}
	return list
}

// observe dates what n's new assessment says, and adds it to the history. Time or
// other objects may have changed it: that is no change of n.
func (w *World) observe(n *Node, old *status.Assessment) {
	a := n.Assess
	switch {
	case old == unjudged:
		n.Changed = lastChange(n.Object, w.Tree.Now)
		n.noteChange(n.Changed)
	case n.objDirty:
		n.Changed = w.Tree.Now
		// An object that keeps failing makes no progress, however often it
		// changes.
		if a.Status != status.Failed && a.Retrying == nil {
			n.noteChange(w.Tree.Now)
		}
	}
	if n.InTree && (a.Status != old.Status || a.Reason != old.Reason) {
		t := Transition{At: w.Tree.Now, ID: *n.ID, From: old.Status, To: a.Status, Reason: a.Reason, Message: a.Message}
		if n.Root != nil && leftSet(n.Root) && t.Reason == ReasonDeleted {
			t.Reason, t.Message = ReasonPruned, pruned
		}
		w.Records.record(t, n.Object)
	}
}

// record adds to the history, with the object as it is now.
func (r *Records) record(t Transition, o *object.Object) {
	r.History.Push(t, historyLength)
	r.pasts.Push(o, pastsLength)
}

// Noticed adds a message, which may displace the oldest.
func (r *Records) Noticed(n feed.Notice) { r.Notices.Push(n, noticeLength) }

// Past is the object at an entry of the history, nil if it has been forgotten.
func (r *Records) Past(i int) *object.Object {
	if i -= len(r.History.List) - len(r.pasts.List); i >= 0 {
		return r.pasts.List[i]
	}
	return nil
}

// Transition is one entry of the history.
type Transition = feed.Transition

// Recent holds the last elements of a sequence.
type Recent[T any] struct {
	List []T // the oldest first
	Lost int // number of dropped elements
}

// Push adds an element. If there are as many as the limit, the oldest quarter is
// dropped.
func (r *Recent[T]) Push(v T, limit int) {
	if old := limit / 4; len(r.List) >= limit {
		r.List = slices.Delete(r.List, 0, old)
		r.Lost += old
	}
	r.List = append(r.List, v)
}
