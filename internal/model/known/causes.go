package known

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// MoreCauses is how many causes [Facts.Causes] leaves out.
func (f *Facts) MoreCauses() int { return f.Found.More }

// Causes are the causes of everything, most important first; on a screen a
// bounded number.
func (f *Facts) Causes() []explain.Cause { return f.Found.Causes }

// CausesOf are the causes that an object shows or that block it, most important
// first.
func (f *Facts) CausesOf(id object.ID) []explain.Cause {
	n := f.World.Tree.Nodes[id]
	if n == nil {
		return nil
	}
	if out := f.Found.Of(n); len(out) > 0 {
		return out
	}
	// A cause may count it without listing it.
	counting := slices.DeleteFunc(slices.Clone(f.Causes()), func(c explain.Cause) bool {
		return c.Count <= len(c.Objects)
	})
	if len(counting) == 0 {
		return nil
	}
	var out []explain.Cause
	for _, found := range explain.ForObject(f.World.Snapshot(), id) {
		if i := slices.IndexFunc(counting, func(c explain.Cause) bool { return c.Code == found.Code.Name }); i >= 0 {
			out = append(out, counting[i])
		}
	}
	return out
}

// MergedCauses merges the causes with equal titles (see [world.MergeTitles]): the first few, and
// how many there are. The caller must not modify the lists.
func (f *Facts) MergedCauses() (first []explain.Cause, of int) {
	return f.Found.Merged, f.Found.MergedOf
}
