package world

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// offer has n found by the keys that its object offers, and no longer by those
// of the old one. An EndpointSlice does not own its endpoints.
func (t *Tree) offer(n *Node, old *object.Object) {
	if old != nil {
		t.withdraw(n, old)
	}
	var buf [8]string
	for _, k := range edges.Offers(n.Object, buf[:0]) {
		if n.Object.Endpoints == nil || k == n.Object.UID {
			t.owners[k] = n
		} else if i, known := slices.BinarySearchFunc(t.pointed[k], n, ByID); !known {
			t.pointed[k] = slices.Insert(t.pointed[k], i, n)
		}
		t.welcome(k)
	}
	if old != nil && n.Object.Endpoints != nil {
		for _, k := range slices.Clone(n.Kids) {
			t.adopt(k)
		}
	}
}

// withdraw removes everything that o offered for n.
func (t *Tree) withdraw(n *Node, o *object.Object) {
	var buf [8]string
	for _, k := range edges.Offers(o, buf[:0]) {
		if t.owners[k] == n {
			delete(t.owners, k)
		}
		if o.Endpoints == nil {
			continue
		}
		t.pointed[k] = slices.DeleteFunc(t.pointed[k], func(s *Node) bool { return s == n })
		if len(t.pointed[k]) == 0 {
			delete(t.pointed, k)
		}
	}
}

// welcome finds the parents of the nodes that refer to a key again, and that of
// the node with this UID: a Pod, if a slice points at it.
func (t *Tree) welcome(key string) {
	list := t.waiting[key]
	delete(t.waiting, key)
	for _, c := range list {
		if t.Nodes[*c.ID] == c {
			t.adopt(c)
		}
	}
	if n := t.owners[key]; n != nil {
		t.adopt(n)
	}
}

// join finds the parents of the members of an inventory whose root has come.
func (t *Tree) join(root object.ID) {
	list := t.joining[root]
	delete(t.joining, root)
	for _, c := range list {
		if t.Nodes[*c.ID] == c {
			t.adopt(c)
		}
	}
}

// adopt finds n's parent again. If a better one may still arrive, n waits.
func (t *Tree) adopt(n *Node) {
	p := t.parentOf(n)
	if p != n.Parent {
		t.detach(n)
		if p != nil {
			t.attach(n, p)
		}
	}
	if n.Root != nil && !n.Root.In.IsZero() && t.Nodes[n.Root.In] == nil && !slices.Contains(t.joining[n.Root.In], n) {
		t.joining[n.Root.In] = append(t.joining[n.Root.In], n)
	}
	if n.Object == nil || n.Object.LookedUp {
		return
	}
	if c, ok := n.Object.Controller(); ok && p != nil && p.InTree && p == t.owners[c.UID] {
		return
	}
	var buf [8]string
	for _, k := range edges.Refers(n.Object, buf[:0]) {
		if o := t.owners[k]; k != "" && k != n.Object.UID && (o == nil || !o.InTree || n.above(o)) {
			t.wait(k, n)
		}
	}
}

// above reports whether p is below n: then p cannot be n's parent. Most nodes
// have nothing below them.
func (n *Node) above(p *Node) bool { return len(n.Kids) > 0 && p.Below(n) }

func (t *Tree) wait(key string, n *Node) {
	if !slices.Contains(t.waiting[key], n) {
		t.waiting[key] = append(t.waiting[key], n)
	}
}

func (t *Tree) unwait(n *Node) {
	var buf [8]string
	for _, k := range edges.Refers(n.Object, buf[:0]) {
		t.waiting[k] = slices.DeleteFunc(t.waiting[k], func(c *Node) bool { return c == n })
		if len(t.waiting[k]) == 0 {
			delete(t.waiting, k)
		}
	}
}

// parentOf is the single canonical parent of n: its controller, otherwise
// another owner, an object that claims it by name, the root of the inventory
// that lists it, or a slice that points at it. One in the tree takes precedence
// over one outside, so that a serving Pod stays visible. What is below n is
// never its parent, whatever owns what: it is in the tree because of n, and n
// would leave the tree together with it, and so enter it again, for ever.
func (t *Tree) parentOf(n *Node) (best *Node) {
	or := func(p *Node) {
		if p != nil && p != n && (best == nil || p.InTree && !best.InTree) && !n.above(p) {
			best = p
		}
	}
	if n.Object == nil || n.Object.LookedUp {
		or(t.setOf(n))
		return best
	}
	if c, ok := n.Object.Controller(); ok {
		if or(t.owners[c.UID]); best != nil && best.InTree {
			return best
		}
	}
	var buf [8]string
	for _, k := range edges.Refers(n.Object, buf[:0]) {
		or(t.owners[k])
	}
	if n.Root != nil {
		or(t.setOf(n))
		return best
	}
	for _, s := range t.pointed[n.Object.UID] {
		or(s)
	}
	return best
}

// resettle finds new parents where these depend on what is in the tree. It
// reports whether it came to an end: a node may turn in and out several times
// before it has its place, but no more than most times on average.
func (t *Tree) resettle(most int) bool {
	for left := most * (len(t.Nodes) + 1); len(t.turnedIn) > 0; {
		list := t.turnedIn
		t.turnedIn = nil
		if left -= len(list); left < 0 {
			return false
		}
		for _, n := range list {
			if n.Object == nil || t.Nodes[*n.ID] != n {
				continue
			}
			var buf [8]string
			for _, k := range edges.Offers(n.Object, buf[:0]) {
				t.welcome(k)
			}
		}
	}
	return true
}

// mostTurns is how often a node may turn in and out in a batch, on average.
// Nothing that was tried needed more than 4; the bound is there because what
// owns what is decided by whoever writes the objects.
const mostTurns = 100
