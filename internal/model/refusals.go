package model

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
)

// Refusals are the missing permissions, sorted: "user dev cannot list events in
// shop (RBAC)". A single followed object shows that in its own row.
func (m Model) Refusals() []string {
	var out []string
	for _, s := range m.seen().Sources {
		if s.Phase == feed.Forbidden && (s.Name == "" || s.Children) {
			out = append(out, world.Refusal(&s))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// EventRefusals are the missing permissions that hide events of the selected
// object and its descendants.
func (m Model) EventRefusals() []string {
	if n := m.seenNode(); n != nil {
		return m.seen().EventRefusals(n)
	}
	return nil
}
