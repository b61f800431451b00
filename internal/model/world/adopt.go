package world

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// offers are the keys by which n's object can own others, beside its UID. An
// EndpointSlice does not own its endpoints.
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
func (w *World) owner(key string) *Node {
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
	if a.LookedUp != b.LookedUp || !slices.Equal(a.Owners, b.Owners) {
		return false
	}
	return a.Endpoints == nil || b.Endpoints == nil || a.Endpoints.Service == b.Endpoints.Service
}

// withdraw removes everything that o offered for n.
func (w *World) withdraw(n *Node, o *object.Object) {
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
				w.Unexplained = true
			case len(w.pointing[uid]) > 0:
				w.pointing[uid] = slices.DeleteFunc(w.pointing[uid], func(s *Node) bool { return s == n })
				if len(w.pointing[uid]) == 0 {
					delete(w.pointing, uid)
				}
			}
		}
	}
}

// point notes that slice n points at a Pod.
func (w *World) point(n *Node, uid string) {
	others := w.pointing[uid]
	i := slices.Index(others, n)
	switch p := w.pointed[uid]; {
	case p == nil:
		w.pointed[uid] = n
		w.Unexplained = true
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

// repoint updates the Pods that n, whose object was old, no longer points at.
// It only matters for Pods without an owner.
func (w *World) repoint(n *Node, old *object.Object) {
	if old == nil || old.Endpoints == nil {
		return
	}
	for i := range old.Endpoints.Endpoints {
		uid := old.Endpoints.Endpoints[i].TargetUID
		if uid == "" || w.pointed[uid] != nil {
			continue
		}
		// A Pod with an owner is only looked up among its own Service's slices:
		// this happens in every rollout.
		p := w.owner(uid)
		held := p != nil && p.Parent != nil && p.Parent != n
		var best *Node
		for _, s := range w.pointing[uid] {
			if s != n && s.ID.Kind == n.ID.Kind && s.ID.Namespace == n.ID.Namespace && (best == nil || ByID(s, best) < 0) &&
				(!held || s.Object.Endpoints.Service == old.Endpoints.Service) {
				best = s
			}
		}
		if best != nil {
			w.point(best, uid)
			w.welcome(uid)
		}
	}
}

// offer registers n as an owner, and adopts the nodes that waited for it.
func (w *World) offer(n *Node, old *object.Object) {
	if old != nil {
		w.withdraw(n, old)
	}
	if uid := n.Object.UID; uid != "" {
		w.uids[n.Object.UID] = n
		w.welcome(uid)
	}
	var buf [8]string
	for _, k := range offers(n.Object, buf[:0]) {
		w.owners[k] = n
		w.welcome(k)
	}
	if e := n.Object.Endpoints; e != nil {
		// Pods without a known owner are below the slice that points at them.
		for i := range e.Endpoints {
			if uid := e.Endpoints[i].TargetUID; uid != "" {
				w.point(n, uid)
				w.welcome(uid)
				w.turned(w.owner(uid))
			}
		}
		w.repoint(n, old)
		for _, k := range slices.Clone(n.Kids) {
			if w.parentOf(k) != n {
				w.adopt(k)
			}
		}
	}
}

func (w *World) welcome(key string) {
	list, ok := w.waiting[key]
	if !ok {
		return
	}
	delete(w.waiting, key)
	for _, c := range list {
		if c.Object != nil && w.Nodes[*c.ID] == c {
			w.adopt(c)
		}
	}
}

// adopt finds n's parent again. If a better one may still arrive, n waits.
func (w *World) adopt(n *Node) {
	p := w.parentOf(n)
	if p != n.Parent {
		w.detach(n)
		if p != nil && !p.Below(n) {
			w.attach(n, p)
		}
	}
	if p == nil && n.Root != nil && !n.Root.In.IsZero() && w.Nodes[n.Root.In] == nil {
		if list := w.rootless[n.Root.In]; !slices.Contains(list, n) {
			w.rootless[n.Root.In] = append(list, n)
		}
	}
	if n.Object == nil || n.Object.LookedUp || (p != nil && ownedBy(n.Object, p.Object)) {
		return
	}
	var buf [8]string
	for _, k := range edges.Refers(n.Object, buf[:0]) {
		if k == "" {
			continue
		}
		if o := w.owner(k); (o == nil || o == n || !o.InTree) && !slices.Contains(w.waiting[k], n) {
			w.waiting[k] = append(w.waiting[k], n)
		}
	}
}

func (w *World) unwait(n *Node) {
	var buf [8]string
	for _, k := range edges.Refers(n.Object, buf[:0]) {
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

// sliceOf is the EndpointSlice that n is below if it has no owner: of those
// that point at it, and of these preferably one in the tree, the first by name.
func (w *World) sliceOf(n *Node) *Node {
	if n.Object.UID == "" || n.Root != nil {
		return nil
	}
	best := w.pointed[n.Object.UID]
	for _, s := range w.pointing[n.Object.UID] {
		if s.InTree && !best.InTree || s.InTree == best.InTree && ByID(s, best) < 0 {
			best = s
		}
	}
	return best
}

// parentOf is the single canonical parent of n: its controller, otherwise
// another owner, an object that claims it by name, the root of the inventory
// that lists it, or the slice that points at it. A slice takes precedence over
// an owner outside the tree, so that a serving Pod stays visible.
func (w *World) parentOf(n *Node) *Node {
	if n.Object == nil || n.Object.LookedUp {
		return w.setOf(n)
	}
	p := w.ownerOf(n)
	if p == nil || !p.InTree {
		if s := w.sliceOf(n); s != nil && (p == nil || s.InTree) {
			return s
		}
	}
	return p
}

// ownerOf is the parent of n, slices aside.
func (w *World) ownerOf(n *Node) *Node {
	if c, ok := n.Object.Controller(); ok {
		if p := w.owner(c.UID); p != nil && p != n {
			return p
		}
	}
	var buf [8]string
	for _, k := range edges.Refers(n.Object, buf[:0]) {
		if p := w.owner(k); p != nil && p != n {
			return p
		}
	}
	return w.setOf(n)
}

// turned notes that n, an owner, a Pod or a slice, may have entered or left the
// tree.
func (w *World) turned(n *Node) {
	if n != nil && n.Object != nil {
		w.turnedIn = append(w.turnedIn, n)
	}
}

// resettle finds new parents for nodes whose parent depends on what is in the
// tree: Pods between an owner and a slice.
func (w *World) resettle() {
	for len(w.turnedIn) > 0 {
		list := w.turnedIn
		w.turnedIn = nil
		for _, n := range list {
			if n.Object == nil || w.Nodes[*n.ID] != n {
				continue
			}
			if n.InTree {
				w.welcome(n.Object.UID)
			}
			if n.Object.Pod != nil && w.parentOf(n) != n.Parent {
				w.adopt(n)
			}
			if e := n.Object.Endpoints; e != nil {
				for i := range e.Endpoints {
					if p := w.owner(e.Endpoints[i].TargetUID); p != nil && p.Object.Pod != nil && w.parentOf(p) != p.Parent {
						w.adopt(p)
					}
				}
			}
		}
	}
}
