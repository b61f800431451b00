package world

import (
	"cmp"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Apply takes in a batch, in the order that feed.Batch prescribes, and judges
// what it touched and what is due by its time.
func (w *World) Apply(b *feed.Batch) {
	w.take(b)
	w.touchDue()
	w.settle()
	w.looked = w.looked || w.Synced && !w.Awaiting()
}

// Know notes what a feed says about how its children and events are known.
func (w *World) Know(by feed.Known) {
	if k := knows(by); k != nil {
		w.known = k
	}
}

// take is Apply without judging.
func (w *World) take(b *feed.Batch) {
	if b.At.After(w.Now) {
		w.Now = b.At
	}
	if !w.begun {
		w.begun, w.first = true, w.Now
	}
	w.Epoch++
	w.Know(b.Known)
	w.skew = time.Duration(b.Skew)
	for i := range b.Roots {
		w.applyRoot(&b.Roots[i])
	}
	for _, g := range b.Gone {
		w.applyGone(g)
	}
	for _, n := range w.unrooted {
		w.left = w.left || n.Object != nil
		if n.Object != nil && !n.InTree {
			w.recordEnd(n, true)
		}
	}
	w.unrooted = w.unrooted[:0]
	for _, id := range b.Absent {
		if w.missing[id] {
			continue
		}
		if n := w.Nodes[id]; n != nil {
			if n.Root == nil && n.InTree {
				w.recordEnd(n, false)
			}
			w.forget(n)
			w.touch(n)
			w.prune(n)
		} else {
			w.Unexplained = true // a request was answered
		}
		w.invalidate(id)
		w.missing[id] = true
	}
	for _, o := range b.Objects {
		if o != nil {
			w.applyObject(o)
		}
	}
	if !w.resettle(mostTurns) {
		w.Noticed(feed.Notice{At: w.Now, Level: "error", From: "tree", Text: "objects own each other in a ring: their places in the tree cannot be decided"})
	}
	for i := range b.Events {
		w.applyEvent(&b.Events[i])
		if n := w.Nodes[b.Events[i].About]; n != nil && n.Assess.Status != status.Current {
			w.touch(n)
		} else if _, reads := w.eventful[n]; reads {
			w.touch(n)
		}
	}
	if len(b.Sources) > 0 {
		w.applySources(b.Sources)
	}
	for _, n := range b.Notices {
		w.Noticed(n)
	}
	if w.Whole = b.Synced; b.Synced && !w.Synced {
		w.Synced = true
		for _, n := range w.Roots {
			if n.Object == nil {
				w.touch(n)
			}
		}
	}
	if b.Answered > w.Answered {
		for _, r := range w.Roots {
			Walk(r, func(n *Node) bool {
				if n.wanted > w.Answered && n.wanted <= b.Answered { // its children are known now
					w.touch(n)
					n.Stamp = w.Epoch // report what Awaits has held back
				}
				return true
			})
		}
		w.Answered = b.Answered
	}
	if b.EventsAnswered > w.EventsAnswered {
		for n := range w.eventsAwaited {
			w.touch(n)
		}
	}
	w.EventsAnswered = max(w.EventsAnswered, b.EventsAnswered)
}

// Tick advances the clock and judges what is due.
func (w *World) Tick(now time.Time) {
	w.Epoch++
	if now.After(w.Now) {
		w.Now = now
	}
	w.touchDue()
	w.settle()
}

func (w *World) applyRoot(r *feed.Root) {
	w.rootsChanged = true
	n := w.Nodes[r.ID]
	if r.Removed {
		if n == nil || n.Root == nil {
			return
		}
		if n.Object != nil {
			w.unrooted = append(w.unrooted, n)
		}
		n.Root = nil
		if n.Parent != nil {
			w.adopt(n) // a member that is no longer listed is not below its inventory
		}
		w.place(n)
		w.Roots = slices.DeleteFunc(w.Roots, func(o *Node) bool { return o == n })
		w.Structure++
		w.prune(n)
		return
	}
	if n == nil {
		n = w.node(new(r.ID)) // a copy: the batch's would be kept in memory
	}
	fresh, root := n.Root == nil, *r
	if !fresh {
		if o := n.Root.Order; o != 0 && (root.Order == 0 || o < root.Order) {
			root.Order = o // named twice: the first place counts
		}
		w.Roots = slices.DeleteFunc(w.Roots, func(o *Node) bool { return o == n })
	}
	if !fresh && !leftSet(n.Root) && leftSet(&root) && !n.gone.IsZero() { // most controllers delete before they update the list
		w.record(Transition{At: w.Now, ID: *n.ID, From: status.NotFound, To: status.NotFound, Reason: ReasonPruned, Message: pruned}, nil)
	}
	if _, muted := w.muted[r.ID]; muted {
		w.muted[r.ID], root.Optional = root.Optional, true
	}
	n.Root, n.kept, n.optional, n.Stamp = &root, root.Kept, root.Optional, w.Epoch
	w.place(n)
	if fresh {
		delete(w.missing, r.ID) // its own source says whether it exists
		w.rootSeq++
		n.seq = w.rootSeq
	}
	if i, ok := slices.BinarySearchFunc(w.Roots, n, byPosition); !ok {
		w.Roots = slices.Insert(w.Roots, i, n)
	}
	w.Structure++
	w.adopt(n)
	w.join(*n.ID)
	w.touch(n)
}

// byPosition orders roots by their place on the command line, those of one
// selector by name, and others by arrival.
func byPosition(a, b *Node) int {
	if c := cmp.Compare(a.Root.Order, b.Root.Order); c != 0 || a.Root.Order != 0 {
		return cmp.Or(c, ByID(a, b))
	}
	return cmp.Compare(a.seq, b.seq)
}

func (w *World) applyGone(g feed.Gone) {
	n := w.Nodes[g.ID]
	if n == nil || n.Object == nil || (g.UID != "" && n.Object.UID != g.UID) {
		return
	}
	if p := n.Parent; p != nil && p.Object != nil && p.Object.Job != nil && !g.Dropped {
		g := append([]*object.Object{n.Object}, w.ghosts[*p.ID]...)
		w.ghosts[*p.ID] = g[:min(len(g), ghostsHeld)]
	}
	if !g.Dropped && (n.Root != nil || slices.Contains(w.unrooted, n)) {
		w.Remains.of(n)
	}
	delete(w.Remains, g.ID)
	if n.Root == nil && (n.InTree || slices.Contains(w.unrooted, n)) {
		w.recordEnd(n, g.Dropped)
		w.left = w.left || g.Dropped && !n.InTree
	}
	w.forget(n)
	n.objDirty, n.Own().gone = true, w.Now
	w.touch(n)
	w.prune(n)
}

// forget drops n's object, and releases its children.
func (w *World) forget(n *Node) {
	o := n.Object
	if o == nil {
		return
	}
	w.withdraw(n, o)
	w.unwait(n)
	w.kinds.remove(n)
	n.is(nil)
	n.Stamp = w.Epoch
	w.invalidate(*n.ID)
	w.Unexplained = true
	w.unlook(n)
	delete(w.eventful, n)
	delete(w.eventsAwaited, n)
	delete(w.ghosts, *n.ID)
	for _, k := range slices.Clone(n.Kids) {
		w.adopt(k) // members stay
		w.prune(k)
	}
	w.detach(n)
	w.adopt(n) // a deleted member keeps its place
	n.Seen = time.Time{}
	n.objJudged = false
	n.wanted = 0
	past := func(e object.Event) bool { return e.AboutUID == "" || e.AboutUID == o.UID }
	if w.events[*n.ID] = slices.DeleteFunc(slices.Clone(w.events[*n.ID]), past); len(w.events[*n.ID]) == 0 {
		delete(w.events, *n.ID) // otherwise the next object's have come before it
	}
}

// prune removes a node without content.
func (w *World) prune(n *Node) {
	if n.Root == nil && n.Object == nil {
		w.detach(n)
		n.InTree = false
		delete(w.Nodes, *n.ID)
		delete(w.missing, *n.ID)
		delete(w.respecs, *n.ID)
		for _, k := range slices.Clone(n.Kids) {
			w.detach(k)
			w.adopt(k)
		}
	}
}

func (w *World) applyObject(o *object.Object) {
	n := w.node(&o.ID)
	old := n.Object
	if old == o {
		return
	}
	if old != nil && old.UID != o.UID {
		w.forget(n)
		old = nil
	}
	if old != nil && o.Generation.V > old.Generation.V && old.Generation.Set {
		n.Own().rewrites.again(w.Now, rewriteWindow)
	}
	if old != nil {
		w.respec(old, o)
	}
	n.is(o)
	w.kinds.add(n)
	w.invalidate(o.ID)
	delete(w.missing, o.ID)
	if !n.gone.IsZero() {
		n.Own().gone = time.Time{}
	}
	n.objDirty = true
	if old == nil {
		n.Seen = w.Now
		w.Unexplained = true
		w.Structure++
		w.wantsChanged = true
		w.MayWant(n)
	}
	w.offer(n, old)
	w.adopt(n)
	w.touch(n)
}

// setOf is the root of the inventory that lists n, or nil.
func (t *tree) setOf(n *Node) *Node {
	if n.Root == nil || n.Root.In.IsZero() || n.Root.In == *n.ID {
		return nil
	}
	return t.Nodes[n.Root.In]
}

// applyEvent replaces the list, which a memory or an explanation may read.
func (r *records) applyEvent(e *object.Event) {
	list := slices.Clone(r.events[e.About])
	i := slices.IndexFunc(list, func(x object.Event) bool { return x.UID == e.UID })
	switch {
	case i >= 0 && e.Gone:
		list[i].Gone = true
	case i >= 0:
		list[i] = *e
	case e.Gone:
		return
	default:
		list = append(list, *e)
	}
	r.events[e.About] = list[max(0, len(list)-eventsHeld):]
	r.Unexplained = true
}
