package world

import (
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// shift moves one from a status to another in n's tally and its ancestors'.
func (t *tree) shift(n *Node, from, to int) {
	for a := n; a != nil; a = a.Parent {
		worst, some := a.Sub.Worst(), min(a.Sub.Problems(), 2)
		a.Sub[from]--
		a.Sub[to]++
		a.Gauged = false
		// The second problem may be a descendant's, which opens the row.
		if a.Sub.Worst() != worst || min(a.Sub.Problems(), 2) != some {
			a.autoDirty(t)
		}
	}
}

// autoDirty notes that the place of a's row, or whether it opens, may have
// changed.
func (n *Node) autoDirty(w *tree) {
	n.Reorder = true
	if n.Parent != nil {
		n.Parent.Reorder = true
	}
	if n.Root != nil {
		w.topReorder = true
	}
	if n.InTree {
		w.Structure++
	}
}

// rise notes for every ancestor that a descendant has changed.
func (t *tree) rise(n *Node) {
	t.hasMoved(n)
	for p := n.Parent; p != nil && p.movedAt < n.movedAt; p = p.Parent {
		p.movedAt = n.movedAt
		t.hasMoved(p)
	}
}

// leadOf is the reason in n's row. Old revisions and terminating objects block
// nothing.
func (t *tree) leadOf(n *Node) lead {
	own := lead{n, n.Assess.Reason, 1}
	if n.Assess.Status == status.Current || n.Assess.Status == status.Terminating {
		return own
	}
	newest := NewestRevision(n)
	var best *Node
	for _, k := range n.Kids {
		if !blocks(k, newest) {
			continue
		}
		if best == nil || k.Lead.Node.Rank() < best.Lead.Node.Rank() {
			best = k
		}
	}
	if best == nil || best.Lead.Reason == "" {
		return own
	}
	l := lead{best.Lead.Node, best.Lead.Reason, 0}
	for _, k := range n.Kids {
		if blocks(k, newest) && k.Lead.Reason == l.Reason {
			l.Count += k.Lead.Count
		}
	}
	return l
}

// blocks reports whether k can keep its parent from being Current.
func blocks(k *Node, newest *Node) bool {
	if k.Assess.Status == status.Current || k.Assess.Status == status.Terminating || k.Object == nil {
		return false
	}
	return newest == nil || k == newest || k.ID.Kind != "ReplicaSet"
}

// NewestRevision is the newest ReplicaSet of a Deployment, or nil.
func NewestRevision(n *Node) *Node {
	if n.ID.Kind != "Deployment" || n.ID.Group != "apps" {
		return nil
	}
	var best *Node
	for _, k := range n.Kids {
		if k.ID.Kind == "ReplicaSet" && k.Object != nil && (best == nil || newer(k.Object, best.Object)) {
			best = k
		}
	}
	return best
}

func newer(a, b *object.Object) bool {
	if ra, rb := revision(a), revision(b); ra != rb {
		return ra > rb
	}
	return a.Created.After(b.Created)
}

func revision(o *object.Object) int {
	if o.Workload == nil {
		return 0
	}
	n := 0
	for _, c := range o.Workload.Revision {
		if c < '0' || c > '9' || n > 1<<40 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
