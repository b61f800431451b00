package world

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
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
}

// take is Apply without judging.
func (w *World) take(b *feed.Batch) {
	if b.At.After(w.Now) {
		w.Now = b.At
	}
	if !w.heard {
		w.heard, w.first = true, w.Now
	}
	w.Epoch++
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
		n := w.Nodes[id]
		if n == nil {
			if !w.missing[id] {
				w.missing[id] = true
				w.Unexplained = true // a request was answered
				w.told(id)
			}
			continue
		}
		if !n.absent {
			if n.Root == nil && n.InTree {
				w.recordEnd(n, false)
			}
			w.forget(n)
			n.absent = true
			w.touch(n)
			if n.Root == nil {
				w.missing[id] = true
				w.prune(n)
			}
		}
	}
	for _, o := range b.Objects {
		if o != nil {
			w.applyObject(o)
		}
	}
	w.resettle()
	for i := range b.Events {
		w.applyEvent(&b.Events[i])
	}
	if len(b.Sources) > 0 {
		w.applySources(b.Sources)
	}
	for _, n := range b.Notices {
		w.Notices.Push(n)
	}
	if b.Synced && !w.Synced {
		w.Synced = true
		for _, n := range w.Roots {
			if n.Object == nil {
				w.touch(n)
			}
		}
	}
	if b.Answered > w.Answered {
		w.awaited = slices.DeleteFunc(w.awaited, func(n *Node) bool {
			answered := n.wanted <= b.Answered
			if answered && w.Nodes[*n.ID] == n { // its children are known now
				w.touch(n)
				w.stamp(n) // report what Awaits has held back
			}
			return answered
		})
		w.Answered = b.Answered
	}
	w.ToldGen = max(w.ToldGen, b.Told)
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

// touchDue queues the nodes that are due for judging.
func (w *World) touchDue() {
	for len(w.recheck) > 0 && !w.recheck[0].at.After(w.Now) {
		r := heap.Pop(&w.recheck).(recheck)
		if r.node.Assess.Recheck.Equal(r.at) && w.Nodes[*r.node.ID] == r.node {
			w.touch(r.node)
		}
	}
}

func (w *World) applyRoot(r *feed.Root) {
	n := w.Nodes[r.ID]
	if r.Removed {
		if n == nil || n.Root == nil {
			return
		}
		w.count(n, -1)
		if n.Object != nil && !w.Restoring {
			w.unrooted = append(w.unrooted, n)
		}
		n.Root = nil
		n.InTree = n.Parent != nil && n.Parent.InTree
		w.count(n, 1)
		w.turned(n)
		if n.Parent != nil {
			w.adopt(n) // a member that is no longer listed is not below its inventory
		}
		if !n.InTree {
			for _, k := range n.Kids {
				w.place(k)
			}
		}
		w.Roots = slices.DeleteFunc(w.Roots, func(o *Node) bool { return o == n })
		w.topReorder, w.topsChanged, w.slow = true, true, nil
		w.Structure++
		w.prune(n)
		return
	}
	if n == nil {
		id := r.ID // a copy: the batch's would be kept in memory
		n = w.node(&id)
	}
	w.count(n, -1)
	was := n.InTree
	fresh := n.Root == nil
	root := *r
	if !fresh {
		if o := n.Root.Order; o != 0 && (root.Order == 0 || o < root.Order) {
			root.Order = o // named twice: the first place counts
		}
		w.Roots = slices.DeleteFunc(w.Roots, func(o *Node) bool { return o == n })
	}
	if !fresh && n.Root.Kept != root.Kept && n.Parent != nil {
		n.Parent.Reorder = true // it gets or loses a row of its own
	}
	if !fresh && !leftSet(n.Root) && leftSet(&root) && !n.gone.IsZero() && !w.Restoring { // most controllers delete before they update the list
		w.record(Transition{At: w.Now, ID: *n.ID, From: status.NotFound, To: status.NotFound, Reason: ReasonPruned, Message: pruned}, nil)
	}
	n.Root = &root
	n.InTree = true
	w.stamp(n)
	w.count(n, 1)
	w.turned(n)
	if fresh {
		w.rootSeq++
		n.seq = w.rootSeq
	}
	if i, ok := slices.BinarySearchFunc(w.Roots, n, asAsked); !ok {
		w.Roots = slices.Insert(w.Roots, i, n)
	}
	if !was {
		for _, k := range n.Kids {
			w.place(k)
		}
	}
	w.topReorder, w.topsChanged, w.slow = true, true, nil
	w.Structure++
	w.adopt(n)
	if list, ok := w.rootless[*n.ID]; ok {
		delete(w.rootless, *n.ID)
		for _, k := range list {
			if w.Nodes[*k.ID] == k {
				w.adopt(k)
			}
		}
	}
	w.touch(n)
}

// asAsked orders roots by their place on the command line, those of one
// selector by name, and others by arrival.
func asAsked(a, b *Node) int {
	if c := cmp.Compare(a.Root.Order, b.Root.Order); c != 0 {
		return c
	}
	if a.Root.Order == 0 {
		return cmp.Compare(a.seq, b.seq)
	}
	return ByID(a, b)
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
	if n.Root == nil && (n.InTree || slices.Contains(w.unrooted, n)) {
		w.recordEnd(n, g.Dropped)
		w.left = w.left || g.Dropped && !n.InTree
	}
	w.forget(n)
	n.Own().gone = w.Now
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
	n.is(nil)
	w.stamp(n)
	w.told(*n.ID)
	w.Unexplained = true
	was := n.looked
	if was != nil {
		n.Own().looked = nil
	}
	w.unlook(n, was)
	w.known(n, false)
	w.repoint(n, o)
	delete(w.ghosts, *n.ID)
	for _, k := range slices.Clone(n.Kids) {
		w.adopt(k) // members stay
		w.prune(k)
	}
	w.detach(n)
	w.adopt(n) // a deleted member keeps its place
	n.seenAt = 0
	n.objJudged = false
	n.wanted = 0
	delete(w.events, *n.ID)
}

// prune removes a node without content.
func (w *World) prune(n *Node) {
	if n.Root == nil && n.Object == nil {
		w.detach(n)
		w.count(n, -1)
		n.InTree = false
		delete(w.Nodes, *n.ID)
		n.pruned = true
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
		p := n.Own()
		if p.rewrites == 0 || w.Now.Sub(p.rewritten) > rewriteWindow {
			p.rewrites, p.rewritten = 0, w.Now
		}
		p.rewrites++
	}
	if old != nil {
		w.respec(old, o)
	}
	n.is(o)
	w.told(o.ID)
	n.absent = false
	if len(w.missing) > 0 {
		delete(w.missing, o.ID)
	}
	if !n.gone.IsZero() {
		n.Own().gone = time.Time{}
	}
	n.objDirty = true
	if old == nil {
		n.seenAt = momentOf(w.Now)
		w.Unexplained = true
		w.known(n, true)
		w.Structure++
		w.wantsChanged = true
		w.candidates = append(w.candidates, n)
	}
	if old == nil || !sameOffers(old, o) {
		w.offer(n, old)
	}
	if old == nil || !sameReferences(old, o) {
		w.adopt(n)
	}
	w.touch(n)
}

// setOf is the root of the inventory that lists n, or nil.
func (t *tree) setOf(n *Node) *Node {
	if n.Root == nil || n.Root.In.IsZero() || n.Root.In == *n.ID {
		return nil
	}
	return t.Nodes[n.Root.In]
}

func (r *records) applyEvent(e *feed.Event) {
	list := r.events[e.About]
	if len(list) == cap(list) { // do not append in place: the list may be a memory's
		list = append(make([]feed.Event, 0, len(list)+1), list...)
	}
	if i := slices.IndexFunc(list, func(x feed.Event) bool { return x.UID == e.UID }); i >= 0 {
		if e.Gone {
			list[i].Gone = true
		} else {
			list[i] = *e
		}
		r.events[e.About] = list
	} else {
		if e.Gone {
			return
		}
		if len(list) >= eventsHeld {
			list = slices.Delete(list, 0, 1)
		}
		r.events[e.About] = append(list, *e)
	}
	r.Unexplained = true
}

func (w *World) applySources(changed []feed.SourceState) {
	parents := map[kindIn]bool{}
	rootsToo := false
	for i := range changed {
		s := &changed[i]
		old := w.Sources[s.Key]
		if s.Phase == feed.Closed {
			delete(w.Sources, s.Key)
		} else {
			w.Sources[s.Key] = *s
		}
		if s.Resource != "" && s.Kind != "" {
			w.plurals[[2]string{s.Group, s.Kind}] = s.Resource
			if s.Reports {
				w.serves[[2]string{s.Group, s.Kind}] = true
			}
		}
		if old.Phase == s.Phase && old.Error == s.Error {
			continue
		}
		w.Structure++ // gaps are rows
		if s.Children {
			parents[kindIn{s.Group, s.Kind, s.Namespace}] = true
		} else {
			rootsToo = true
		}
	}
	clear(w.trouble)
	for _, s := range w.Sources {
		if s.Phase != feed.Live {
			k := kindIn{s.Group, s.Kind, s.Namespace}
			w.trouble[k] = append(w.trouble[k], s)
		}
	}
	w.findLive()
	for _, list := range w.trouble {
		slices.SortFunc(list, func(a, b feed.SourceState) int { return strings.Compare(a.Key, b.Key) })
	}
	if w.Restoring {
		return // everything will be judged
	}
	if rootsToo {
		for _, n := range w.Roots {
			if n.Object != nil {
				continue
			}
			if w.touch(n); n.absent {
				w.told(*n.ID) // whether its absence may be reported has changed
			}
		}
	}
	if len(parents) == 0 {
		return
	}
	// ChildrenKnown may have changed for parents that look there.
	for _, n := range w.Nodes {
		if n.Object == nil || n.wanted == 0 && !w.Replayed() {
			continue
		}
		for _, need := range edges.Needs(n.Object) {
			other, _ := edges.Instead(need)
			if parents[kindIn{need.Group, need.Kind, need.Namespace}] || parents[kindIn{need.Group, need.Kind, ""}] ||
				parents[kindIn{other.Group, other.Kind, need.Namespace}] || parents[kindIn{other.Group, other.Kind, ""}] {
				w.touch(n)
				break
			}
		}
	}
}
