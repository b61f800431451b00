package model

import "github.com/kstatus-tui/kstatus-tui/internal/model/world"

// seen is the world on the screen: a frozen one, or the present.
func (m Model) seen() *world.World {
	if m.frozen != nil {
		return m.frozen.world
	}
	return m.w
}

// seenNode is the selected node in that world.
func (m Model) seenNode() *world.Node {
	r := m.selectedRow()
	switch {
	case r == nil || r.node == nil:
		return nil
	case m.frozen != nil:
		return m.frozen.world.Nodes[*r.node.ID]
	}
	return m.selectedNode()
}
