package world

import (
	"maps"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Still returns a copy of the world that does not change while the world does.
// It takes time in proportion to the number of objects, which is fine for a
// key; it must not be applied to.
func (w *World) Still() *World {
	s := w.Explainable()
	s.History, s.Notices, s.pasts = w.History.clone(), w.Notices.clone(), w.pasts.clone()
	return s
}

// Explainable is Still without the history, which no explanation reads.
func (w *World) Explainable() *World {
	s, t := *w, *w.tree
	s.tree, s.lookups.tree, s.records.tree, s.readings.tree = &t, &t, &t, &t
	s.History, s.Notices, s.pasts = Ring[Transition]{}, Ring[feed.Notice]{}, Ring[*object.Object]{}
	s.answers = status.World{} // they refer to w
	s.Nodes = make(map[object.ID]*Node, len(w.Nodes))
	copies := make(nodeCopies, 0, len(w.Nodes))
	for id, n := range w.Nodes {
		n.copied = int32(len(copies))
		copies = append(copies, *n)
		s.Nodes[id] = &copies[n.copied]
	}
	for i := range copies {
		n := &copies[i]
		n.Parent = copies.of(n.Parent)
		n.Kids = copies.ofAll(n.Kids)
		if n.past != noPast {
			own := *n.past
			own.Shown = copies.ofAll(own.Shown)
			n.past = &own
		}
		if n.Lead.Node = copies.of(n.Lead.Node); n.Lead.Node == nil {
			n.Lead.Node = n
		}
	}
	s.Roots = copies.ofAll(w.Roots)
	s.Sources, s.trouble, s.live = maps.Clone(w.Sources), maps.Clone(w.trouble), maps.Clone(w.live)
	for k, list := range s.trouble {
		s.trouble[k] = slices.Clone(list)
	}
	s.events = make(map[object.ID][]feed.Event, len(w.events))
	for id, list := range w.events {
		s.events[id] = slices.Clone(list)
	}
	s.explained(copies)
	return &s
}

// explained copies what only explanations read.
func (w *World) explained(copies nodeCopies) {
	w.subject, w.kinds, w.sorted = nil, nil, map[kindIn][]*Node{}
	w.missing, w.respecs, w.ghosts = maps.Clone(w.missing), maps.Clone(w.respecs), maps.Clone(w.ghosts)
	for id, list := range w.ghosts {
		w.ghosts[id] = slices.Clone(list)
	}
	pointed := make(map[string]*Node, len(w.pointed))
	for uid, n := range w.pointed {
		pointed[uid] = copies.of(n)
	}
	w.pointed = pointed
	words := make(map[wordKey]*word, len(w.words))
	for key, x := range w.words {
		own := *x
		words[key] = &own
	}
	w.words = words
	templates := make(map[object.ID]*templateOf, len(w.templates))
	for id, x := range w.templates {
		own := *x
		templates[id] = &own
	}
	w.templates = templates
}

// nodeCopies are copies of nodes, indexed by the node's copied.
type nodeCopies []Node

// of is the copy of a node, or nil if it has been pruned.
func (c nodeCopies) of(n *Node) *Node {
	// a pruned node keeps its index of an earlier copy
	if n == nil || int(n.copied) >= len(c) || c[n.copied].ID != n.ID {
		return nil
	}
	return &c[n.copied]
}

func (c nodeCopies) ofAll(list []*Node) []*Node {
	if len(list) == 0 {
		return nil
	}
	out := make([]*Node, 0, len(list))
	for _, n := range list {
		if own := c.of(n); own != nil {
			out = append(out, own)
		}
	}
	return out
}
