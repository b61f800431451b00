package world

import (
	"slices"
	"time"

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

// gonePod is a Pod that is gone, and until when its events are kept.
type gonePod struct {
	id    object.ID
	uid   string
	until time.Time
}

// keepEvents keeps the newest events of a Pod that is gone if it had warned: they may say why what
// made it has failed. A feed delivers each version of an event once.
func (r *Records) keepEvents(o *object.Object, list []object.Event) {
	own := slices.DeleteFunc(slices.Clone(list), func(e object.Event) bool { return e.AboutUID != o.UID })
	if o.Pod == nil || o.UID == "" || !slices.ContainsFunc(own, func(e object.Event) bool { return e.Warns() }) {
		return
	}
	slices.SortStableFunc(own, func(a, b object.Event) int { return a.Last.Compare(b.Last) })
	own = own[max(0, len(own)-goneEventsHeld):]
	r.events[o.ID] = append(slices.Clip(r.events[o.ID]), own...)
	r.gone = append(r.gone, gonePod{o.ID, o.UID, r.tree.Now.Add(goneEventsLast)})
	for len(r.gone) > gonePodsHeld || r.gone[0].until.Before(r.tree.Now) {
		r.dropEvents(r.gone[0].id, r.gone[0].uid)
		r.gone = slices.Clone(r.gone[1:])
	}
}

// dropEvents drops the events about an object.
func (r *Records) dropEvents(id object.ID, uid string) {
	about := func(e object.Event) bool { return e.AboutUID == "" || e.AboutUID == uid }
	if r.events[id] = slices.DeleteFunc(slices.Clone(r.events[id]), about); len(r.events[id]) == 0 {
		delete(r.events, id)
	} // What is left is about another UID: events of a recreated object that arrived before it.
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
