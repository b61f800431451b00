package world

import (
	"cmp"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Apply updates the tree with a batch, in the order that feed.Batch prescribes. Then it judges
// the nodes that have changed, and those whose Recheck has come.
func (w *World) Apply(b *feed.Batch) {
	w.update(b)
	w.touchDue()
	w.settle()
	w.Tree.firstArrived = w.Tree.firstArrived || w.Sources.Synced && !w.Awaiting()
}

// SetKnowledge sets how the world learns that it has all children and events of an object
// ([feed.Known]).
func (w *World) SetKnowledge(by feed.Known) {
	if k := knowledgeOf(by); k != nil {
		w.Tree.knownBy = k
	}
}

// update puts a batch into the tree. It judges nothing, and marks the nodes to judge.
func (w *World) update(b *feed.Batch) {
	if b.At.After(w.Tree.Now) {
		w.Tree.Now = b.At
	}
	if !w.Sources.begun {
		w.Sources.begun, w.first = true, w.Tree.Now
	}
	w.Tree.Epoch++
	w.SetKnowledge(b.Known)
	w.Sources.skew = time.Duration(b.Skew)
	for i := range b.Roots {
		w.applyRoot(&b.Roots[i])
	}
	for _, g := range b.Gone {
		w.applyGone(g)
	}
	for _, n := range w.Tree.unrooted {
		w.Tree.unfollowedExists = w.Tree.unfollowedExists || n.Object != nil
		if n.Object != nil && !n.InTree {
			w.recordEnd(n, true)
		}
	}
	w.Tree.unrooted = w.Tree.unrooted[:0]
	for _, id := range b.Absent {
		if w.Tree.missing[id] {
			continue
		}
		if n := w.Tree.Nodes[id]; n != nil {
			if n.Root == nil && n.InTree {
				w.recordEnd(n, false)
			}
			w.forget(n)
			w.Tree.touch(n)
			w.prune(n)
		} else {
			w.Tree.Unexplained = true // a request was answered
		}
		w.Tree.invalidate(id)
		w.Tree.missing[id] = true
	}
	for _, o := range b.Objects {
		if o != nil {
			w.applyObject(o)
		}
	}
	if !w.Tree.resettle(mostTurns) {
		w.Records.Noticed(
			feed.Notice{
				At: w.Tree.Now, Level: "error", From: "tree",
				Text: "objects own each other in a ring: their places in the tree cannot be decided",
			})
	}
	for i := range b.Events {
		w.Records.applyEvent(&b.Events[i])
		if n := w.Tree.Nodes[b.Events[i].About]; n != nil && n.Assess.Status != status.Current {
			w.Tree.touch(n)
		} else if _, reads := w.judging.eventful[n]; reads {
			w.Tree.touch(n)
		}
	}
	if len(b.Sources) > 0 {
		w.applySources(b.Sources)
	}
	for _, n := range b.Notices {
		w.Records.Noticed(n)
	}
	if w.Sources.Whole = b.Synced; b.Synced && !w.Sources.Synced {
		w.Sources.Synced = true
		for _, n := range w.Tree.Roots {
			if n.Object == nil {
				w.Tree.touch(n)
			}
		}
	}
	if b.Answered > w.Sources.Answered {
		for _, r := range w.Tree.Roots {
			Walk(r, func(n *Node) bool {
				if n.wanted > w.Sources.Answered && n.wanted <= b.Answered { // its children are known now
					w.Tree.touch(n)
					n.Stamp = w.Tree.Epoch // report what Awaits has held back
				}
				return true
			})
		}
		w.Sources.Answered = b.Answered
	}
	if b.EventsAnswered > w.Sources.EventsAnswered {
		for n := range w.judging.eventsAwaited {
			w.Tree.touch(n)
		}
	}
	w.Sources.EventsAnswered = max(w.Sources.EventsAnswered, b.EventsAnswered)
}

// Tick advances the clock and judges what is due.
func (w *World) Tick(now time.Time) {
	w.Tree.Epoch++
	if now.After(w.Tree.Now) {
		w.Tree.Now = now
	}
	w.touchDue()
	w.settle()
}

// applyRoot adds a root, changes its fields or, if r.Removed, removes it.
func (w *World) applyRoot(r *feed.Root) {
	w.Tree.rootsChanged = true
	n := w.Tree.Nodes[r.ID]
	if r.Removed {
		if n == nil || n.Root == nil {
			return
		}
		if n.Object != nil {
			w.Tree.unrooted = append(w.Tree.unrooted, n)
		}
		n.Root = nil
		if n.Parent != nil {
			w.Tree.adopt(n) // a member that is no longer listed is not below its inventory
		}
		w.Tree.place(n)
		w.Tree.Roots = slices.DeleteFunc(w.Tree.Roots, func(o *Node) bool { return o == n })
		w.Tree.Structure++
		w.prune(n)
		return
	}
	if n == nil {
		n = w.Tree.node(new(r.ID)) // a copy: the batch's would be kept in memory
	}
	fresh, root := n.Root == nil, *r
	if !fresh {
		if o := n.Root.Order; o != 0 && (root.Order == 0 || o < root.Order) {
			root.Order = o // named twice: the first place counts
		}
		w.Tree.Roots = slices.DeleteFunc(w.Tree.Roots, func(o *Node) bool { return o == n })
	}
	// It was deleted, and its inventory lists it no longer: the tool has pruned it. Most tools
	// delete an object before they update the list, so this is the moment to note it.
	if !fresh && !leftSet(n.Root) && leftSet(&root) && !n.gone.IsZero() {
		w.Records.record(
			Transition{
				At: w.Tree.Now, ID: *n.ID, From: status.NotFound, To: status.NotFound,
				Reason: ReasonPruned, Message: pruned,
			}, nil)
	}
	if _, muted := w.Tree.muted[r.ID]; muted {
		w.Tree.muted[r.ID], root.Optional = root.Optional, true
	}
	n.Root, n.kept, n.optional, n.Stamp = &root, root.Kept, root.Optional, w.Tree.Epoch
	w.Tree.place(n)
	if fresh {
		delete(w.Tree.missing, r.ID) // its own source says whether it exists
		w.Tree.rooted = true
	}
	if i, ok := slices.BinarySearchFunc(w.Tree.Roots, n, byPosition); !ok {
		w.Tree.Roots = slices.Insert(w.Tree.Roots, i, n)
	}
	w.Tree.Structure++
	w.Tree.adopt(n)
	w.Tree.join(*n.ID)
	w.Tree.touch(n)
}

// byPosition orders roots by their place on the command line, and those of one selector or
// inventory by kind and name, whichever of them came first.
func byPosition(a, b *Node) int {
	return cmp.Or(cmp.Compare(a.Root.Order, b.Root.Order), ByID(a, b))
}

func (w *World) applyGone(g feed.Gone) {
	n := w.Tree.Nodes[g.ID]
	if n == nil || n.Object == nil || (g.UID != "" && n.Object.UID != g.UID) {
		return
	}
	if p := n.Parent; p != nil && p.Object != nil && p.Object.Job != nil && !g.Dropped {
		pods := append([]*object.Object{n.Object}, w.Tree.deletedPods[*p.ID]...)
		w.Tree.deletedPods[*p.ID] = pods[:min(len(pods), deletedPodsHeld)]
	}
	if !g.Dropped && (n.Root != nil || slices.Contains(w.Tree.unrooted, n)) {
		w.Tree.Remains.of(n)
	}
	delete(w.Tree.Remains, g.ID)
	if n.Root == nil && (n.InTree || slices.Contains(w.Tree.unrooted, n)) {
		w.recordEnd(n, g.Dropped)
		w.Tree.unfollowedExists = w.Tree.unfollowedExists || g.Dropped && !n.InTree
	}
	o, events, followed := n.Object, w.Records.events[*n.ID], n.InTree && !g.Dropped
	w.forget(n)
	if followed {
		w.Records.keepEvents(o, events)
	}
	n.objDirty, n.Own().gone = true, w.Tree.Now
	w.Tree.touch(n)
	w.prune(n)
}

// forget drops n's object, and releases its children.
func (w *World) forget(n *Node) {
	o := n.Object
	if o == nil {
		return
	}
	w.Tree.withdraw(n, o)
	w.Tree.unwait(n)
	w.Tree.kinds.remove(n)
	n.is(nil)
	n.Stamp = w.Tree.Epoch
	w.Tree.invalidate(*n.ID)
	w.Tree.Unexplained = true
	w.Tree.unlook(n)
	delete(w.judging.eventful, n)
	delete(w.judging.eventsAwaited, n)
	delete(w.Tree.deletedPods, *n.ID)
	for _, k := range slices.Clone(n.Kids) {
		w.Tree.adopt(k) // members stay
		w.prune(k)
	}
	w.Tree.detach(n)
	w.Tree.adopt(n) // a deleted member keeps its place
	n.Seen = time.Time{}
	n.objJudged = false
	n.wanted = 0
	w.Records.dropEvents(*n.ID, o.UID)
}

// empty reports whether a node has no content.
func (n *Node) empty() bool { return n.Root == nil && n.Object == nil }

// prune removes a node without content.
func (w *World) prune(n *Node) {
	if n.empty() {
		w.Tree.detach(n)
		n.InTree = false
		delete(w.Tree.Nodes, *n.ID)
		delete(w.Tree.missing, *n.ID)
		delete(w.Records.respecs, *n.ID)
		for _, k := range slices.Clone(n.Kids) {
			w.Tree.detach(k)
			w.Tree.adopt(k)
		}
	}
}

// applyObject takes over a new or changed object. One with another UID has been recreated.
func (w *World) applyObject(o *object.Object) {
	n := w.Tree.node(&o.ID)
	old := n.Object
	if old == o {
		return
	}
	if old != nil && old.UID != o.UID {
		w.forget(n)
		old = nil
	}
	if old != nil && o.Generation.V > old.Generation.V && old.Generation.Set {
		n.Own().rewrites.again(w.Tree.Now, rewriteWindow)
	}
	if old != nil {
		w.Records.respec(old, o)
	}
	n.is(o)
	w.Tree.Restarted = w.Tree.Restarted || o.Restarts() > 0
	w.Tree.kinds.add(n)
	w.Tree.invalidate(o.ID)
	delete(w.Tree.missing, o.ID)
	if !n.gone.IsZero() {
		n.Own().gone = time.Time{}
	}
	n.objDirty = true
	if old == nil {
		n.Seen = w.Tree.Now
		w.Tree.Unexplained = true
		w.Tree.Structure++
		w.Tree.wantsChanged = true
		w.Tree.MayWant(n)
	}
	w.Tree.offer(n, old)
	w.Tree.adopt(n)
	w.Tree.touch(n)
}

// setOf is the root of the inventory that lists n, or nil.
func (t *Tree) setOf(n *Node) *Node {
	if n.Root == nil || n.Root.In.IsZero() || n.Root.In == *n.ID {
		return nil
	}
	return t.Nodes[n.Root.In]
}

// applyEvent adds or updates an event. It changes a copy of the list: a Memory or an explanation
// may still read the old one.
func (r *Records) applyEvent(e *object.Event) {
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
	r.tree.Unexplained = true
}
