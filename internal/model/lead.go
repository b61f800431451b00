package model

import (
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// shift moves one of n's own tally from one status to another, up to the top.
func (w *world) shift(n *node, from, to int) {
	for a := n; a != nil; a = a.parent {
		worst, some := a.sub.worst(), min(a.sub.problems(), 2)
		a.sub[from]--
		a.sub[to]++
		a.gauged = false
		// Two problems may be one's own and one below, which opens the row.
		if a.sub.worst() != worst || min(a.sub.problems(), 2) != some {
			a.autoDirty(w)
		}
	}
}

// autoDirty says that the place of a's row, or whether it is folded, may have
// changed.
func (n *node) autoDirty(w *world) {
	n.reorder = true
	if n.parent != nil {
		n.parent.reorder = true
	}
	if n.root != nil {
		w.topReorder = true
	}
	if n.inTree {
		w.structure++
	}
}

// rise lets every ancestor know that something below it moved.
func (w *world) rise(n *node) {
	w.hasMoved(n)
	for p := n.parent; p != nil && p.movedAt < n.movedAt; p = p.parent {
		p.movedAt = n.movedAt
		w.hasMoved(p)
	}
}

// leadOf is what n's row says about why. Old revisions and what is merely
// going away keep nobody from anything.
func (w *world) leadOf(n *node) lead {
	own := lead{n, n.assess.Reason, 1}
	if n.assess.Status == status.Current || n.assess.Status == status.Terminating {
		return own
	}
	newest := newestRevision(n)
	var best *node
	for _, k := range n.kids {
		if !blocks(k, newest) {
			continue
		}
		if best == nil || k.lead.node.rank() < best.lead.node.rank() {
			best = k
		}
	}
	if best == nil || best.lead.reason == "" {
		return own
	}
	l := lead{best.lead.node, best.lead.reason, 0}
	for _, k := range n.kids {
		if blocks(k, newest) && k.lead.reason == l.reason {
			l.count += k.lead.count
		}
	}
	return l
}

// blocks reports whether k can be what keeps its parent from Current.
func blocks(k *node, newest *node) bool {
	if k.assess.Status == status.Current || k.assess.Status == status.Terminating || k.obj == nil {
		return false
	}
	return newest == nil || k == newest || k.id.Kind != "ReplicaSet"
}

// newestRevision is the newest ReplicaSet of a Deployment, or nil.
func newestRevision(n *node) *node {
	if n.id.Kind != "Deployment" || n.id.Group != "apps" {
		return nil
	}
	var best *node
	for _, k := range n.kids {
		if k.id.Kind == "ReplicaSet" && k.obj != nil && (best == nil || newer(k.obj, best.obj)) {
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
