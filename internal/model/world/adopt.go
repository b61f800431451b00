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
func (t *tree) owner(key string) *Node {
	if n := t.uids[key]; n != nil {
		return n
	}
	if len(t.owners) == 0 {
		return nil
	}
	return t.owners[key]
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
func (t *tree) withdraw(n *Node, o *object.Object) {
	if t.uids[o.UID] == n {
		delete(t.uids, o.UID)
	}
	var buf [8]string
	for _, k := range offers(o, buf[:0]) {
		if t.owners[k] == n {
			delete(t.owners, k)
		}
	}
	if e := o.Endpoints; e != nil {
		for i := range e.Endpoints {
			switch uid := e.Endpoints[i].TargetUID; {
			case t.pointed[uid] == n:
				delete(t.pointed, uid)
				t.Unexplained = true
			case len(t.pointing[uid]) > 0:
				t.pointing[uid] = slices.DeleteFunc(t.pointing[uid], func(s *Node) bool { return s == n })
				if len(t.pointing[uid]) == 0 {
					delete(t.pointing, uid)
				}
			}
		}
	}
}

// point notes that slice n points at a Pod.
func (t *tree) point(n *Node, uid string) {
	others := t.pointing[uid]
	i := slices.Index(others, n)
	switch p := t.pointed[uid]; {
	case p == nil:
		t.pointed[uid] = n
		t.Unexplained = true
		if i < 0 {
			return
		}
		if others = slices.Delete(others, i, i+1); len(others) == 0 {
			delete(t.pointing, uid)
			return
		}
		t.pointing[uid] = others
	case p != n && i < 0:
		t.pointing[uid] = append(others, n)
	}
}

// repoint updates the Pods that n, whose object was old, no longer points at.
// It only matters for Pods without an owner.
func (t *tree) repoint(n *Node, old *object.Object) {
	if old == nil || old.Endpoints == nil {
		return
	}
	for i := range old.Endpoints.Endpoints {
		uid := old.Endpoints.Endpoints[i].TargetUID
		if uid == "" || t.pointed[uid] != nil {
			continue
		}
		// A Pod with an owner is only looked up among its own Service's slices:
		// this happens in every rollout.
		p := t.owner(uid)
		held := p != nil && p.Parent != nil && p.Parent != n
		var best *Node
		for _, s := range t.pointing[uid] {
			if s != n && s.ID.Kind == n.ID.Kind && s.ID.Namespace == n.ID.Namespace && (best == nil || ByID(s, best) < 0) &&
				(!held || s.Object.Endpoints.Service == old.Endpoints.Service) {
				best = s
			}
		}
		if best != nil {
			t.point(best, uid)
			t.welcome(uid)
		}
	}
}

// offer registers n as an owner, and adopts the nodes that waited for it.
func (t *tree) offer(n *Node, old *object.Object) {
	if old != nil {
		t.withdraw(n, old)
	}
	if uid := n.Object.UID; uid != "" {
		t.uids[n.Object.UID] = n
		t.welcome(uid)
	}
	var buf [8]string
	for _, k := range offers(n.Object, buf[:0]) {
		t.owners[k] = n
		t.welcome(k)
	}
	if e := n.Object.Endpoints; e != nil {
		// Pods without a known owner are below the slice that points at them.
		for i := range e.Endpoints {
			if uid := e.Endpoints[i].TargetUID; uid != "" {
				t.point(n, uid)
				t.welcome(uid)
				t.turned(t.owner(uid))
			}
		}
		t.repoint(n, old)
		for _, k := range slices.Clone(n.Kids) {
			if t.parentOf(k) != n {
				t.adopt(k)
			}
		}
	}
}

func (t *tree) welcome(key string) {
	list, ok := t.waiting[key]
	if !ok {
		return
	}
	delete(t.waiting, key)
	for _, c := range list {
		if c.Object != nil && t.Nodes[*c.ID] == c {
			t.adopt(c)
		}
	}
}

// adopt finds n's parent again. If a better one may still arrive, n waits.
func (t *tree) adopt(n *Node) {
	p := t.parentOf(n)
	if p != n.Parent {
		t.detach(n)
		if p != nil && !p.Below(n) {
			t.attach(n, p)
		}
	}
	if p == nil && n.Root != nil && !n.Root.In.IsZero() && t.Nodes[n.Root.In] == nil {
		if list := t.rootless[n.Root.In]; !slices.Contains(list, n) {
			t.rootless[n.Root.In] = append(list, n)
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
		if o := t.owner(k); (o == nil || o == n || !o.InTree) && !slices.Contains(t.waiting[k], n) {
			t.waiting[k] = append(t.waiting[k], n)
		}
	}
}

func (t *tree) unwait(n *Node) {
	var buf [8]string
	for _, k := range edges.Refers(n.Object, buf[:0]) {
		list := t.waiting[k]
		if i := slices.Index(list, n); i >= 0 {
			if list = slices.Delete(list, i, i+1); len(list) == 0 {
				delete(t.waiting, k)
			} else {
				t.waiting[k] = list
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
func (t *tree) sliceOf(n *Node) *Node {
	if n.Object.UID == "" || n.Root != nil {
		return nil
	}
	best := t.pointed[n.Object.UID]
	for _, s := range t.pointing[n.Object.UID] {
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
func (t *tree) parentOf(n *Node) *Node {
	if n.Object == nil || n.Object.LookedUp {
		return t.setOf(n)
	}
	p := t.ownerOf(n)
	if p == nil || !p.InTree {
		if s := t.sliceOf(n); s != nil && (p == nil || s.InTree) {
			return s
		}
	}
	return p
}

// ownerOf is the parent of n, slices aside.
func (t *tree) ownerOf(n *Node) *Node {
	if c, ok := n.Object.Controller(); ok {
		if p := t.owner(c.UID); p != nil && p != n {
			return p
		}
	}
	var buf [8]string
	for _, k := range edges.Refers(n.Object, buf[:0]) {
		if p := t.owner(k); p != nil && p != n {
			return p
		}
	}
	return t.setOf(n)
}

// turned notes that n, an owner, a Pod or a slice, may have entered or left the
// tree.
func (t *tree) turned(n *Node) {
	if n != nil && n.Object != nil {
		t.turnedIn = append(t.turnedIn, n)
	}
}

// resettle finds new parents for nodes whose parent depends on what is in the
// tree: Pods between an owner and a slice.
func (t *tree) resettle() {
	for len(t.turnedIn) > 0 {
		list := t.turnedIn
		t.turnedIn = nil
		for _, n := range list {
			if n.Object == nil || t.Nodes[*n.ID] != n {
				continue
			}
			if n.InTree {
				t.welcome(n.Object.UID)
			}
			if n.Object.Pod != nil && t.parentOf(n) != n.Parent {
				t.adopt(n)
			}
			if e := n.Object.Endpoints; e != nil {
				for i := range e.Endpoints {
					if p := t.owner(e.Endpoints[i].TargetUID); p != nil && p.Object.Pod != nil && t.parentOf(p) != p.Parent {
						t.adopt(p)
					}
				}
			}
		}
	}
}
