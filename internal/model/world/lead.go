package world

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// sum counts n with what is below it, and finds its reason. Its children have
// been summed.
func (t *Tree) sum(n *Node) {
	was := n.Sub
	n.Sub = Tally{}
	n.Sub[n.Rank()] = 1
	for _, k := range n.Kids {
		n.Sub.Add(&k.Sub)
	}
	n.Lead = t.leadOf(n)
	// A second problem may be a descendant's, which opens the row.
	if n.InTree && (n.Sub.Worst() != was.Worst() || min(n.Sub.Problems(), 2) != min(was.Problems(), 2)) {
		t.Structure++
	}
}

// noteChange notes for n and every ancestor that n has changed.
func (n *Node) noteChange(at time.Time) {
	for p := n; p != nil && p.Moved.Before(at); p = p.Parent {
		p.Moved = at
	}
}

// leadOf is the reason in n's row. Old revisions and terminating objects block
// nothing.
func (t *Tree) leadOf(n *Node) lead {
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
	newest := kinds.NewestReplicaSet(func(yield func(*object.Object) bool) {
		for _, k := range n.Kids {
			if !yield(k.Object) {
				return
			}
		}
	})
	if newest == nil {
		return nil
	}
	return n.Kids[slices.IndexFunc(n.Kids, func(k *Node) bool { return k.Object == newest })]
}
