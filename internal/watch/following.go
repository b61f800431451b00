package watch

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/hub"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// followed is the engine as package follow sees it.
type followed struct {
	*hub.Hub
	e *Engine
}

var _ follow.Engine = followed{}

// Follow implements follow.Engine.
func (f followed) Follow(root object.ID, d follow.Decision) {
	f.e.setGroup(root, d.Targets)
	f.e.mu.Lock()
	f.e.facts[root] = d.Facts
	f.e.mu.Unlock()
	f.Decided(root, d)
}

// Listed returns the members of a followed inventory, sorted, including those
// that stand under another inventory that lists them, too.
func (e *Engine) Listed(root object.ID) []object.ID {
	listed := map[object.ID]bool{}
	e.mu.Lock()
	for _, t := range e.groups[root] {
		if t.root.Name != "" && !t.Gone && !t.Aside {
			listed[t.root] = true
		}
	}
	e.mu.Unlock()
	for _, id := range e.hub.SelectedBy(root) {
		listed[id] = true
	}
	delete(listed, root)
	return slices.SortedFunc(maps.Keys(listed), object.ID.Compare)
}

// amendRoots adds what the inventories' follower says of their roots. An
// inventory is not complete while its members have not been listed, nor while
// it is empty.
func (e *Engine) amendRoots(p *rootPlan, sources []plan.Spec, selections map[int]*target) {
	if len(e.facts) == 0 {
		return
	}
	waiting := map[object.ID]bool{}
	for _, s := range sources {
		polled := s
		polled.Poll = true
		if src := cmp.Or(e.running[s], e.running[polled]); src == nil || !e.hub.Answered(src.Source) {
			waiting[selections[s.Target].In] = true
		}
	}
	for i := range p.List {
		r := &p.List[i]
		f, ok := e.facts[r.ID]
		if !ok {
			continue
		}
		r.Revision, r.Pending = f.Revision, f.Pending
		r.Note = follow.JoinNotes(r.Note, f.Note)
		if r.Told.Status == "" {
			r.Told = f.Told
		}
		switch {
		case r.Pending != "" || f.Told.Status != "" && f.Told.Status != status.Current:
		case waiting[r.ID]:
			r.Pending = "its members are being looked for"
		case f.Asked && p.members[r.ID]+len(e.hub.SelectedBy(r.ID)) == 0:
			r.Pending = hub.EmptySet
		}
	}
}
