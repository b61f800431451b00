package watch

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/hub"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// Listed returns the members of a followed inventory, sorted, including those
// that stand under another inventory that lists them, too.
func (e *Engine) Listed(root object.ID) []object.ID {
	e.mu.Lock()
	listed := e.listed(root)
	e.mu.Unlock()
	listed.Delete(root)
	return slices.SortedFunc(maps.Keys(listed), object.ID.Compare)
}

// listed returns the members of an inventory.
func (e *Engine) listed(root object.ID) sets.Set[object.ID] {
	listed := sets.New(e.hub.SelectedBy(root)...)
	for _, t := range e.groups[root].targets {
		if t.root.Name != "" && !t.Gone && !t.Aside {
			listed.Insert(t.root)
		}
	}
	return listed
}

// amendRoots adds what the inventories' follower says of their roots. An
// inventory is not complete while its members have not been listed, nor while
// it is empty.
func (e *Engine) amendRoots(roots []feed.Root, sources []plan.Spec, selections map[int]*target) {
	waiting := map[object.ID]bool{}
	for _, s := range sources {
		if src := e.running[s]; src == nil || !e.hub.Answered(src) {
			waiting[selections[s.Target].In] = true
		}
	}
	for i := range roots {
		r := &roots[i]
		f := e.groups[r.ID].facts
		r.Revision, r.Pending = f.Revision, f.Pending
		r.Note = follow.JoinNotes(r.Note, f.Note)
		if r.Told.Status == "" {
			r.Told = f.Told
		}
		switch {
		case r.Pending != "" || f.Told.Status != "" && f.Told.Status != status.Current:
		case waiting[r.ID]:
			r.Pending = "its members are being looked for"
		case f.Asked && len(e.listed(r.ID)) == 0:
			r.Pending = hub.EmptySet
		}
	}
}
