package model

import (
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// VerdictOver returns the verdict over a root and its members, the first
// resource with the worst status, and the number of members. A member of two
// inventories stands in the tree of only one of them; listed holds all members
// of this one.
func (m Model) VerdictOver(root object.ID, listed []object.ID) (verdict status.Status, worst Resource, members int) {
	var counts world.Tally
	seen := map[*world.Node]bool{}
	var add func(n *world.Node)
	add = func(n *world.Node) {
		if n == nil || n.Root == nil || n.Root.Kept || seen[n] {
			return
		}
		seen[n] = true
		if !n.Root.Optional {
			r, _ := m.Resource(*n.ID)
			rank := world.RankOf(r.Assessment.Status)
			if counts.Total() == 0 || rank < counts.Worst() {
				worst = r
			}
			counts[rank]++
		}
		for _, k := range n.Kids {
			if *n.ID == root && k.Root != nil && !k.Root.Kept {
				members++
			}
			add(k)
		}
	}
	add(m.w.Nodes[root])
	for _, id := range listed {
		if n := m.w.Nodes[id]; n != nil && n.Root != nil && n.Root.In != root && !seen[n] {
			members++
			add(n)
		}
	}
	return counts.Verdict(), worst, members
}
