package world

import (
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Reasons of the last change of an object, beside [ReasonDeleted].
const (
	ReasonPruned      = "Pruned"      // it left its inventory and was deleted
	ReasonNotFollowed = "NotFollowed" // it may still exist
)

const pruned = "it left its inventory and was deleted"

// Ends reports whether the object is unknown after a change.
func Ends(t Transition) bool {
	return t.To == status.NotFound && (t.Reason == ReasonDeleted || t.Reason == ReasonPruned) ||
		t.Reason == ReasonNotFollowed
}

// leftSet reports whether an inventory listed a root earlier and no longer
// does.
func leftSet(r *feed.Root) bool {
	switch r.Note {
	case "pruned", "being pruned", "no longer in the set":
		return !r.In.IsZero()
	}
	return r.Kept
}

// recordEnd adds to the history that n, which is about to be forgotten, was
// deleted or is no longer followed.
func (w *World) recordEnd(n *Node, dropped bool) {
	if n.Object == nil || n.Assess == unjudged {
		return
	}
	t := Transition{
		At: w.Tree.Now, ID: *n.ID, From: n.Assess.Status, To: status.NotFound,
		Reason: ReasonDeleted, Message: "it was deleted",
	}
	if dropped {
		t.To, t.Reason, t.Message = t.From, ReasonNotFollowed, "it is not followed any more"
	}
	w.Records.record(t, nil)
}

// HistoryBelow returns a filter for the history of n and its descendants,
// including deleted ones; of everything if n is nil.
func (r *Records) HistoryBelow(n *Node) func(id object.ID) bool {
	if n == nil {
		return func(object.ID) bool { return true }
	}
	owner := map[object.ID]object.ID{} // the owners of deleted objects
	for _, o := range r.pasts.List {
		if o == nil || r.tree.Nodes[o.ID] != nil {
			continue
		}
		if c, ok := o.Controller(); ok {
			owner[o.ID] = object.ID{Group: c.Group, Kind: c.Kind, Namespace: o.Namespace, Name: c.Name}
		}
	}
	return func(id object.ID) bool {
		for range maxOwners {
			if id == *n.ID {
				return true
			}
			if k := r.tree.Nodes[id]; k != nil {
				return k.Below(n)
			}
			up, ok := owner[id]
			if !ok {
				return false
			}
			id = up
		}
		return false
	}
}

// maxOwners bounds a chain of owners, which may be a cycle.
const maxOwners = 32
