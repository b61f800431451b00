package world

import (
	"maps"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Explainable returns a copy of what explanations read of the world, which does
// not change while the world does. It must not be applied to.
func (w *World) Explainable() *World {
	s, t := *w, *w.tree
	s.tree, s.records.tree, s.readings.tree = &t, &t, &t
	s.kinds = nil
	s.Nodes = make(map[object.ID]*Node, len(w.Nodes))
	copies := make([]Node, 0, len(w.Nodes))
	for id, n := range w.Nodes {
		n.copied = int32(len(copies))
		copies = append(copies, *n)
		s.Nodes[id] = &copies[n.copied]
	}
	lists := make([]*Node, 0, 2*len(w.Nodes)) // of all copied lists
	copied := func(list []*Node) []*Node {
		from := len(lists)
		for _, n := range list {
			lists = append(lists, &copies[n.copied])
		}
		return slices.Clip(lists[from:])
	}
	for i := range copies {
		n := &copies[i]
		if n.Parent != nil {
			n.Parent = &copies[n.Parent.copied]
		}
		n.Kids = copied(n.Kids)
	}
	s.Roots = copied(w.Roots)
	// The values of maps are not modified.
	s.Sources, s.events, s.missing = maps.Clone(w.Sources), maps.Clone(w.events), maps.Clone(w.missing)
	s.respecs, s.ghosts, s.answered = maps.Clone(w.respecs), maps.Clone(w.ghosts), maps.Clone(w.answered)
	s.pointed = make(map[string][]*Node, len(w.pointed))
	for uid, list := range w.pointed {
		s.pointed[uid] = copied(list)
	}
	return &s
}
