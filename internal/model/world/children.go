package world

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// ChildrenKnown reports whether all children of n are known: they were wanted,
// the answer has arrived, and all their kinds may be read.
func (w *World) ChildrenKnown(n *Node) bool {
	if w.opt.NoChildren {
		return false
	}
	return w.Tree.knownBy.children(w, n)
}

// needsMet reports whether all that an object's children are found by is
// delivered. For a Service its endpoints suffice.
func needsMet(o *object.Object, met func(edges.Need) bool) bool {
	return o != nil && !slices.ContainsFunc(edges.Needs(o), func(need edges.Need) bool {
		return need.Kind != "" && (o.Service == nil || need.Kind != "Pod") && !met(need)
	})
}

// asker is the node whose wanted children include n's: itself, or its parent,
// whose needs cover them.
func (n *Node) asker() *Node {
	if p := n.Parent; n.wanted == 0 && p != nil && p.Object != nil &&
		n.Object != nil && edges.Covered(p.Object, n.Object) {
		return p
	}
	return n
}

// hidden says why data that n's judgement needs will not arrive.
func (w *World) hidden(n *Node) string {
	if len(w.Sources.Trouble) == 0 || !w.Tree.knownBy.reads(n) || !n.needsKids {
		return ""
	}
	for _, need := range edges.Needs(n.Object) {
		if _, decides := edges.Instead(need); !decides &&
			(n.Object.Service != nil || need.Kind == "PersistentVolumeClaim") {
			continue
		}
		switch s := w.Sources.blind(need); {
		case s == nil:
		case s.Phase == feed.Forbidden:
			return Refusal(s)
		case s.Phase == feed.NotServed:
			return s.Resource + " are not served"
		}
	}
	return ""
}

// WaitingBelow is the message of an object that would be Current, but for
// children without an answer.
const WaitingBelow = "waiting for its Pods to be listed"

// Awaits reports whether n looks Current, but children that its judgement needs
// have not been delivered yet: then that is not reported.
func (w *World) Awaits(n *Node) bool {
	if !n.needsKids || n.Assess.Status != status.Current ||
		n.Assess.Confidence == status.User || w.opt.NoChildren || !n.InTree {
		return false
	}
	return w.Tree.knownBy.awaits(w, n)
}

// Awaiting reports whether anything awaits children.
func (w *World) Awaiting() bool {
	return w.Tree.knownBy.awaiting(w)
}
