package model

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

// apply takes in a batch, in the order that feed.Batch prescribes, and
// judges what it touched, and what is due by its moment.
func (w *world) apply(b *feed.Batch) {
	w.take(b)
	w.touchDue()
	w.settle()
}

// take is apply without the judging.
func (w *world) take(b *feed.Batch) {
	if b.At.After(w.now) {
		w.now = b.At
	}
	if !w.heard {
		w.heard, w.first = true, w.now
	}
	w.epoch++
	w.skew = time.Duration(b.Skew)
	for i := range b.Roots {
		w.applyRoot(&b.Roots[i])
	}
	for _, g := range b.Gone {
		w.applyGone(g)
	}
	for _, n := range w.unrooted {
		w.left = w.left || n.obj != nil
		if n.obj != nil && !n.inTree {
			w.recordEnd(n, true)
		}
	}
	w.unrooted = w.unrooted[:0]
	for _, id := range b.Absent {
		n := w.nodes[id]
		if n == nil {
			if !w.missing[id] {
				w.missing[id] = true
				w.unexplained = true // whoever asked for it has its answer
				w.told(id)
			}
			continue
		}
		if !n.absent {
			if n.root == nil && n.inTree {
				w.recordEnd(n, false)
			}
			w.forget(n)
			n.absent = true
			w.touch(n)
			if n.root == nil {
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
		w.notices.push(n)
	}
	if b.Synced && !w.synced {
		w.synced = true
		for _, n := range w.roots {
			if n.obj == nil {
				w.touch(n)
			}
		}
	}
	if b.Answered > w.answered {
		w.awaited = slices.DeleteFunc(w.awaited, func(n *node) bool {
			answered := n.wanted <= b.Answered
			if answered && w.nodes[*n.id] == n { // its children are known now
				w.touch(n)
				w.stamp(n) // what was held back is told now: see awaits
			}
			return answered
		})
		w.answered = b.Answered
	}
	w.toldGen = max(w.toldGen, b.Told)
}

// tick moves the clock and judges again what was due.
func (w *world) tick(now time.Time) {
	w.epoch++
	if now.After(w.now) {
		w.now = now
	}
	w.touchDue()
	w.settle()
}

// touchDue queues what is to be judged again by now.
func (w *world) touchDue() {
	for len(w.recheck) > 0 && !w.recheck[0].at.After(w.now) {
		r := heap.Pop(&w.recheck).(recheck)
		if r.node.assess.Recheck.Equal(r.at) && w.nodes[*r.node.id] == r.node {
			w.touch(r.node)
		}
	}
}

func (w *world) applyRoot(r *feed.Root) {
	n := w.nodes[r.ID]
	if r.Removed {
		if n == nil || n.root == nil {
			return
		}
		w.count(n, -1)
		if n.obj != nil && !w.restoring {
			w.unrooted = append(w.unrooted, n)
		}
		n.root = nil
		n.inTree = n.parent != nil && n.parent.inTree
		w.count(n, 1)
		w.turned(n)
		if n.parent != nil {
			w.adopt(n) // what an inventory no longer lists does not stand under it
		}
		if !n.inTree {
			for _, k := range n.kids {
				w.place(k)
			}
		}
		w.roots = slices.DeleteFunc(w.roots, func(o *node) bool { return o == n })
		w.topReorder, w.topsChanged, w.slow = true, true, nil
		w.structure++
		w.prune(n)
		return
	}
	if n == nil {
		id := r.ID // not that of the batch, which would be kept for it
		n = w.node(&id)
	}
	w.count(n, -1)
	was := n.inTree
	fresh := n.root == nil
	root := *r
	if !fresh {
		if o := n.root.Order; o != 0 && (root.Order == 0 || o < root.Order) {
			root.Order = o // asked for twice: its place is the first one
		}
		w.roots = slices.DeleteFunc(w.roots, func(o *node) bool { return o == n })
	}
	if !fresh && n.root.Kept != root.Kept && n.parent != nil {
		n.parent.reorder = true // it has a row of its own now, or no longer
	}
	if !fresh && !leftSet(n.root) && leftSet(&root) && !n.gone.IsZero() && !w.restoring { // most writers delete first, and list anew then
		w.record(Transition{At: w.now, ID: *n.id, From: status.NotFound, To: status.NotFound, Reason: ReasonPruned, Message: pruned}, nil)
	}
	n.root = &root
	n.inTree = true
	w.stamp(n)
	w.count(n, 1)
	w.turned(n)
	if fresh {
		w.rootSeq++
		n.seq = w.rootSeq
	}
	if i, ok := slices.BinarySearchFunc(w.roots, n, asAsked); !ok {
		w.roots = slices.Insert(w.roots, i, n)
	}
	if !was {
		for _, k := range n.kids {
			w.place(k)
		}
	}
	w.topReorder, w.topsChanged, w.slow = true, true, nil
	w.structure++
	w.adopt(n)
	if list, ok := w.rootless[*n.id]; ok {
		delete(w.rootless, *n.id)
		for _, k := range list {
			if w.nodes[*k.id] == k {
				w.adopt(k)
			}
		}
	}
	w.touch(n)
}

// asAsked orders roots as they were asked for: by their place in the arguments,
// those of one selector by their names, and where no place is known as they
// came.
func asAsked(a, b *node) int {
	if c := cmp.Compare(a.root.Order, b.root.Order); c != 0 {
		return c
	}
	if a.root.Order == 0 {
		return cmp.Compare(a.seq, b.seq)
	}
	return byID(a, b)
}

func (w *world) applyGone(g feed.Gone) {
	n := w.nodes[g.ID]
	if n == nil || n.obj == nil || (g.UID != "" && n.obj.UID != g.UID) {
		return
	}
	if p := n.parent; p != nil && !g.Dropped {
		g := append([]*object.Object{n.obj}, w.ghosts[*p.id]...)
		w.ghosts[*p.id] = g[:min(len(g), ghostsHeld)]
	}
	if n.root == nil && (n.inTree || slices.Contains(w.unrooted, n)) {
		w.recordEnd(n, g.Dropped)
		w.left = w.left || g.Dropped && !n.inTree
	}
	w.forget(n)
	n.own().gone = w.now
	w.touch(n)
	w.prune(n)
}

// forget drops what is known of n's object, and lets go of its children.
func (w *world) forget(n *node) {
	o := n.obj
	if o == nil {
		return
	}
	w.withdraw(n, o)
	w.unwait(n)
	n.is(nil)
	w.stamp(n)
	w.told(*n.id)
	w.unexplained = true
	was := n.looked
	if was != nil {
		n.own().looked = nil
	}
	w.unlook(n, was)
	w.known(n, false)
	w.repoint(n, o)
	delete(w.ghosts, *n.id)
	for _, k := range slices.Clone(n.kids) {
		w.adopt(k) // members stay
		w.prune(k)
	}
	w.detach(n)
	w.adopt(n) // a member that is gone keeps its place
	n.seenAt = 0
	n.objJudged = false
	n.wanted = 0
	delete(w.events, *n.id)
}

// prune removes a node that stands for nothing any more.
func (w *world) prune(n *node) {
	if n.root == nil && n.obj == nil {
		w.detach(n)
		w.count(n, -1)
		n.inTree = false
		delete(w.nodes, *n.id)
		n.pruned = true
		delete(w.respecs, *n.id)
		for _, k := range slices.Clone(n.kids) {
			w.detach(k)
			w.adopt(k)
		}
	}
}

func (w *world) applyObject(o *object.Object) {
	n := w.node(&o.ID)
	old := n.obj
	if old == o {
		return
	}
	if old != nil && old.UID != o.UID {
		w.forget(n)
		old = nil
	}
	if old != nil && o.Generation.V > old.Generation.V && old.Generation.Set {
		p := n.own()
		if p.rewrites == 0 || w.now.Sub(p.rewritten) > rewriteWindow {
			p.rewrites, p.rewritten = 0, w.now
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
		n.own().gone = time.Time{}
	}
	n.objDirty = true
	if old == nil {
		n.seenAt = momentOf(w.now)
		w.unexplained = true
		w.known(n, true)
		w.structure++
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
func (w *world) setOf(n *node) *node {
	if n.root == nil || n.root.In.IsZero() || n.root.In == *n.id {
		return nil
	}
	return w.nodes[n.root.In]
}

func (w *world) applyEvent(e *feed.Event) {
	list := w.events[e.About]
	if len(list) == cap(list) { // it may be a memory's, which is not to be changed
		list = append(make([]feed.Event, 0, len(list)+1), list...)
	}
	if i := slices.IndexFunc(list, func(x feed.Event) bool { return x.UID == e.UID }); i >= 0 {
		if e.Gone {
			list[i].Gone = true
		} else {
			list[i] = *e
		}
		w.events[e.About] = list
	} else {
		if e.Gone {
			return
		}
		if len(list) >= eventsHeld {
			list = slices.Delete(list, 0, 1)
		}
		w.events[e.About] = append(list, *e)
	}
	w.unexplained = true
}

func (w *world) applySources(changed []feed.SourceState) {
	parents := map[kindIn]bool{}
	rootsToo := false
	for i := range changed {
		s := &changed[i]
		old := w.sources[s.Key]
		if s.Phase == feed.Closed {
			delete(w.sources, s.Key)
		} else {
			w.sources[s.Key] = *s
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
		w.structure++ // gaps are rows
		if s.Children {
			parents[kindIn{s.Group, s.Kind, s.Namespace}] = true
		} else {
			rootsToo = true
		}
	}
	clear(w.trouble)
	for _, s := range w.sources {
		if s.Phase != feed.Live {
			k := kindIn{s.Group, s.Kind, s.Namespace}
			w.trouble[k] = append(w.trouble[k], s)
		}
	}
	w.findLive()
	for _, list := range w.trouble {
		slices.SortFunc(list, func(a, b feed.SourceState) int { return strings.Compare(a.Key, b.Key) })
	}
	if w.restoring {
		return // everything is judged
	}
	if rootsToo {
		for _, n := range w.roots {
			if n.obj != nil {
				continue
			}
			if w.touch(n); n.absent {
				w.told(*n.id) // that it does not exist may be seen again, or no longer
			}
		}
	}
	if len(parents) == 0 {
		return
	}
	// Whether the children are all known may have changed for whoever looks for
	// them there.
	for _, n := range w.nodes {
		if n.obj == nil || n.wanted == 0 && !w.replayed() {
			continue
		}
		for _, need := range edges.Needs(n.obj) {
			other, _ := edges.Instead(need)
			if parents[kindIn{need.Group, need.Kind, need.Namespace}] || parents[kindIn{need.Group, need.Kind, ""}] ||
				parents[kindIn{other.Group, other.Kind, need.Namespace}] || parents[kindIn{other.Group, other.Kind, ""}] {
				w.touch(n)
				break
			}
		}
	}
}
