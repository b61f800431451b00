package model

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// offers are the keys under which n's object can own others, beside its UID. What
// an EndpointSlice points at it does not own.
func offers(o *object.Object, into []string) []string {
	if o.Endpoints != nil {
		return into
	}
	if into = edges.Offers(o, into); len(into) > 0 && into[0] == o.UID {
		into = into[1:]
	}
	return into
}

// owner is the node that offers a key.
func (w *world) owner(key string) *node {
	if n := w.uids[key]; n != nil {
		return n
	}
	if len(w.owners) == 0 {
		return nil
	}
	return w.owners[key]
}

func sameOffers(a, b *object.Object) bool {
	if b.Endpoints != nil {
		return a.Endpoints != nil && slices.EqualFunc(a.Endpoints.Endpoints, b.Endpoints.Endpoints,
			func(x, y object.Endpoint) bool { return x.TargetUID == y.TargetUID })
	}
	return a.Workload == nil || b.Workload == nil || slices.Equal(a.Workload.ClaimTemplates, b.Workload.ClaimTemplates)
}

func sameReferences(a, b *object.Object) bool {
	if !slices.Equal(a.Owners, b.Owners) {
		return false
	}
	return a.Endpoints == nil || b.Endpoints == nil || a.Endpoints.Service == b.Endpoints.Service
}

// withdraw takes back everything that o offered on behalf of n.
func (w *world) withdraw(n *node, o *object.Object) {
	if w.uids[o.UID] == n {
		delete(w.uids, o.UID)
	}
	var buf [8]string
	for _, k := range offers(o, buf[:0]) {
		if w.owners[k] == n {
			delete(w.owners, k)
		}
	}
	if e := o.Endpoints; e != nil {
		for i := range e.Endpoints {
			switch uid := e.Endpoints[i].TargetUID; {
			case w.pointed[uid] == n:
				delete(w.pointed, uid)
				w.unexplained = true
			case len(w.pointing[uid]) > 0:
				w.pointing[uid] = slices.DeleteFunc(w.pointing[uid], func(s *node) bool { return s == n })
				if len(w.pointing[uid]) == 0 {
					delete(w.pointing, uid)
				}
			}
		}
	}
}

// point has the slice n point at a pod: first of all where nobody does, else
// beside the one that does.
func (w *world) point(n *node, uid string) {
	others := w.pointing[uid]
	i := slices.Index(others, n)
	switch p := w.pointed[uid]; {
	case p == nil:
		w.pointed[uid] = n
		w.unexplained = true
		if i < 0 {
			return
		}
		if others = slices.Delete(others, i, i+1); len(others) == 0 {
			delete(w.pointing, uid)
			return
		}
		w.pointing[uid] = others
	case p != n && i < 0:
		w.pointing[uid] = append(others, n)
	}
}

// repoint lets other slices have the pods that n, whose object was old, no longer
// points at. It matters only for pods that no owner holds.
func (w *world) repoint(n *node, old *object.Object) {
	if old == nil || old.Endpoints == nil {
		return
	}
	for i := range old.Endpoints.Endpoints {
		uid := old.Endpoints.Endpoints[i].TargetUID
		if uid == "" || w.pointed[uid] != nil {
			continue
		}
		// A pod that an owner holds is looked for among its own Service's slices
		// alone: this happens with every rollout.
		p := w.owner(uid)
		held := p != nil && p.parent != nil && p.parent != n
		var best *node
		for _, s := range w.pointing[uid] {
			if s != n && s.id.Kind == n.id.Kind && s.id.Namespace == n.id.Namespace && (best == nil || byID(s, best) < 0) &&
				(!held || s.obj.Endpoints.Service == old.Endpoints.Service) {
				best = s
			}
		}
		if best != nil {
			w.point(best, uid)
			w.welcome(uid)
		}
	}
}

// offer makes n known as an owner, and takes in those that waited for it.
func (w *world) offer(n *node, old *object.Object) {
	if old != nil {
		w.withdraw(n, old)
	}
	if uid := n.obj.UID; uid != "" {
		w.uids[n.obj.UID] = n
		w.welcome(uid)
	}
	var buf [8]string
	for _, k := range offers(n.obj, buf[:0]) {
		w.owners[k] = n
		w.welcome(k)
	}
	if e := n.obj.Endpoints; e != nil {
		// Pods whose owner is not known stand under the slice that points at them.
		for i := range e.Endpoints {
			if uid := e.Endpoints[i].TargetUID; uid != "" {
				w.point(n, uid)
				w.welcome(uid)
				w.turned(w.owner(uid))
			}
		}
		w.repoint(n, old)
		for _, k := range slices.Clone(n.kids) {
			if w.parentOf(k) != n {
				w.adopt(k)
			}
		}
	}
}

func (w *world) welcome(key string) {
	list, ok := w.waiting[key]
	if !ok {
		return
	}
	delete(w.waiting, key)
	for _, c := range list {
		if c.obj != nil && w.nodes[*c.id] == c {
			w.adopt(c)
		}
	}
}

// adopt finds n's parent anew. Where a better one may still come, n waits.
func (w *world) adopt(n *node) {
	p := w.parentOf(n)
	if p != n.parent {
		w.detach(n)
		if p != nil && !p.below(n) {
			w.attach(n, p)
		}
	}
	if p == nil && n.root != nil && !n.root.In.IsZero() && w.nodes[n.root.In] == nil {
		if list := w.rootless[n.root.In]; !slices.Contains(list, n) {
			w.rootless[n.root.In] = append(list, n)
		}
	}
	if n.obj == nil || (p != nil && ownedBy(n.obj, p.obj)) {
		return
	}
	var buf [8]string
	for _, k := range edges.Refers(n.obj, buf[:0]) {
		if k == "" {
			continue
		}
		if o := w.owner(k); (o == nil || o == n || !o.inTree) && !slices.Contains(w.waiting[k], n) {
			w.waiting[k] = append(w.waiting[k], n)
		}
	}
}

func (w *world) unwait(n *node) {
	var buf [8]string
	for _, k := range edges.Refers(n.obj, buf[:0]) {
		list := w.waiting[k]
		if i := slices.Index(list, n); i >= 0 {
			if list = slices.Delete(list, i, i+1); len(list) == 0 {
				delete(w.waiting, k)
			} else {
				w.waiting[k] = list
			}
		}
	}
}

func ownedBy(o, p *object.Object) bool {
	c, ok := o.Controller()
	return ok && p != nil && c.UID == p.UID
}

// sliceOf is the EndpointSlice that n stands under where no owner leads to it: of
// those that point at it, and that are in the tree if any is, the first by its name.
func (w *world) sliceOf(n *node) *node {
	if n.obj.UID == "" || n.root != nil {
		return nil
	}
	best := w.pointed[n.obj.UID]
	for _, s := range w.pointing[n.obj.UID] {
		if s.inTree && !best.inTree || s.inTree == best.inTree && byID(s, best) < 0 {
			best = s
		}
	}
	return best
}

// parentOf is the one canonical parent of n: its controller, else another
// owner, else what claims it by name, else the root of the inventory that lists
// it, else the slice that points at it. But what still serves is not lost with
// an owner that nothing leads to: the slice goes before that.
func (w *world) parentOf(n *node) *node {
	if n.obj == nil {
		return w.setOf(n)
	}
	p := w.ownerOf(n)
	if p == nil || !p.inTree {
		if s := w.sliceOf(n); s != nil && (p == nil || s.inTree) {
			return s
		}
	}
	return p
}

// ownerOf is the parent of n but for slices.
func (w *world) ownerOf(n *node) *node {
	if c, ok := n.obj.Controller(); ok {
		if p := w.owner(c.UID); p != nil && p != n {
			return p
		}
	}
	var buf [8]string
	for _, k := range edges.Refers(n.obj, buf[:0]) {
		if p := w.owner(k); p != nil && p != n {
			return p
		}
	}
	return w.setOf(n)
}

// turned notes that n, an owner, a pod or a slice, may have come into the tree or
// left it.
func (w *world) turned(n *node) {
	if n != nil && n.obj != nil {
		w.turnedIn = append(w.turnedIn, n)
	}
}

// resettle has those change their parents who go by what is in the tree: pods
// between an owner and a slice.
func (w *world) resettle() {
	for len(w.turnedIn) > 0 {
		list := w.turnedIn
		w.turnedIn = nil
		for _, n := range list {
			if n.obj == nil || w.nodes[*n.id] != n {
				continue
			}
			if n.inTree {
				w.welcome(n.obj.UID)
			}
			if n.obj.Pod != nil && w.parentOf(n) != n.parent {
				w.adopt(n)
			}
			if e := n.obj.Endpoints; e != nil {
				for i := range e.Endpoints {
					if p := w.owner(e.Endpoints[i].TargetUID); p != nil && p.obj.Pod != nil && w.parentOf(p) != p.parent {
						w.adopt(p)
					}
				}
			}
		}
	}
}
