package model

import (
	"cmp"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// VerdictOver returns the verdict over a root and its members, the first
// resource with the worst status, and the number of members. A member of two
// inventories stands in the tree of only one of them; listed holds all members
// of this one.
func (m Model) VerdictOver(root object.ID, listed []object.ID) (verdict status.Status, worst Resource, members int) {
	counts := world.Counts{}
	seen := map[object.ID]bool{}
	var add func(id object.ID, depth int)
	add = func(id object.ID, depth int) {
		r, ok := m.Resource(id)
		if !ok || r.Root == nil || r.Root.Kept || depth > 32 || seen[id] {
			return
		}
		seen[id] = true
		if !r.Root.Optional {
			s := cmp.Or(r.Assessment.Status, status.Unknown)
			counts[s]++
			if worst.ID.IsZero() || slices.Index(status.Statuses[:], s) < slices.Index(status.Statuses[:], worst.Assessment.Status) {
				worst = r
			}
		}
		for _, child := range r.Children {
			if c, ok := m.Resource(child); ok && c.Root != nil && !c.Root.Kept {
				if id == root {
					members++
				}
				add(child, depth+1)
			}
		}
	}
	add(root, 0)
	for _, id := range listed {
		if r, ok := m.Resource(id); ok && r.Root != nil && r.Root.In != root && !seen[id] {
			members++
			add(id, 1)
		}
	}
	switch {
	case counts[status.Failed] > 0:
		return status.Failed, worst, members
	case counts[status.Unknown] > 0:
		return status.Unknown, worst, members
	case counts[status.Current] == counts.Total():
		return status.Current, worst, members
	}
	return status.InProgress, worst, members
}
