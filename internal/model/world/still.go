package world

import (
	"maps"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Explainable returns a copy of what explanations read of the world, which does
// not change while the world does. It must not be applied to.
func (w *World) Explainable() *World {
	s, t := *w, *w.Tree
	s.Tree, s.Records.tree, s.Readings.tree = &t, &t, &t
	s.Tree.kinds = nil
	s.Tree.Nodes = make(map[object.ID]*Node, len(w.Tree.Nodes))
	copies := make([]Node, 0, len(w.Tree.Nodes))
	for id, n := range w.Tree.Nodes {
		n.copied = int32(len(copies))
		copies = append(copies, *n)
		s.Tree.Nodes[id] = &copies[n.copied]
	}
	lists := make([]*Node, 0, 2*len(w.Tree.Nodes)) // of all copied lists
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
	s.Tree.Roots = copied(w.Tree.Roots)
	// The values of maps are not modified.
	s.Sources.States = maps.Clone(w.Sources.States)
	s.Records.events = maps.Clone(w.Records.events)
	s.Tree.missing = maps.Clone(w.Tree.missing)
	s.Records.respecs = maps.Clone(w.Records.respecs)
	s.Tree.deletedPods = maps.Clone(w.Tree.deletedPods)
	s.Readings.answered = maps.Clone(w.Readings.answered)
	s.Tree.pointed = make(map[string][]*Node, len(w.Tree.pointed))
	for uid, list := range w.Tree.pointed {
		s.Tree.pointed[uid] = copied(list)
	}
	return &s
}
