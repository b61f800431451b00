package model

import (
	"maps"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// still is what can be read of the world as it is now, and stays so while the
// world goes on. It takes time in proportion to the number of objects, which a
// key that is pressed now and then may; nothing may be applied to it.
func (w *world) still() *world {
	s := *w
	s.answers = status.World{} // they are about w
	s.nodes = make(map[object.ID]*node, len(w.nodes))
	copies := make(nodeCopies, 0, len(w.nodes))
	for id, n := range w.nodes {
		n.copied = int32(len(copies))
		copies = append(copies, *n)
		s.nodes[id] = &copies[n.copied]
	}
	for i := range copies {
		n := &copies[i]
		n.parent = copies.of(n.parent)
		n.kids = copies.ofAll(n.kids)
		if n.past != noPast {
			own := *n.past
			own.shown = copies.ofAll(own.shown)
			n.past = &own
		}
		if n.lead.node = copies.of(n.lead.node); n.lead.node == nil {
			n.lead.node = n
		}
	}
	s.roots, s.top = copies.ofAll(w.roots), copies.ofAll(w.top)
	s.sources, s.trouble, s.live = maps.Clone(w.sources), maps.Clone(w.trouble), maps.Clone(w.live)
	for k, list := range s.trouble {
		s.trouble[k] = slices.Clone(list)
	}
	s.events = make(map[object.ID][]feed.Event, len(w.events))
	for id, list := range w.events {
		s.events[id] = slices.Clone(list)
	}
	s.explained(copies)
	s.history.items, s.notices.items = slices.Clone(w.history.items), slices.Clone(w.notices.items)
	s.pasts.items = slices.Clone(w.pasts.items)
	return &s
}

// explained copies what explanations alone read.
func (w *world) explained(copies nodeCopies) {
	w.judging, w.kinds, w.sorted = nil, nil, map[kindIn][]*node{}
	w.missing, w.respecs, w.ghosts = maps.Clone(w.missing), maps.Clone(w.respecs), maps.Clone(w.ghosts)
	for id, list := range w.ghosts {
		w.ghosts[id] = slices.Clone(list)
	}
	pointed := make(map[string]*node, len(w.pointed))
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

// nodeCopies are those of a world's nodes, each at its node's copied.
type nodeCopies []node

// of is the copy of a node that is still known, else nil.
func (c nodeCopies) of(n *node) *node {
	// A node that has been pruned keeps a number of earlier copies.
	if n == nil || int(n.copied) >= len(c) || c[n.copied].id != n.id {
		return nil
	}
	return &c[n.copied]
}

func (c nodeCopies) ofAll(list []*node) []*node {
	if len(list) == 0 {
		return nil
	}
	out := make([]*node, 0, len(list))
	for _, n := range list {
		if own := c.of(n); own != nil {
			out = append(out, own)
		}
	}
	return out
}

// seen is the world as the screen shows it: a frozen picture's, or the present.
func (m Model) seen() *world {
	if m.frozen != nil {
		return m.frozen.world
	}
	return m.w
}

// seenNode is the selected node as the screen shows it.
func (m Model) seenNode() *node {
	r := m.selectedRow()
	switch {
	case r == nil || r.node == nil:
		return nil
	case m.frozen != nil:
		return m.frozen.world.nodes[*r.node.id]
	}
	return m.selectedNode()
}
