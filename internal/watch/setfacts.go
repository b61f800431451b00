package watch

import (
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// rootFacts is what an inventory's follower says of its root.
type rootFacts struct {
	revision, pending, note string
	told                    feed.Told
	asked                   bool // the user named it: an empty inventory is not what was meant
}

// setFacts stores what the follower says of a root.
func (e *Engine) setFacts(root object.ID, f rootFacts) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.named = nil
	if f == (rootFacts{}) {
		delete(e.facts, root)
		return
	}
	e.facts[root] = f
}

// amendRoots adds those facts to the roots. An inventory is not complete while
// its members have not been listed, nor while it is empty.
func (e *Engine) amendRoots(p *rootPlan, in *plan.Input, selected map[object.ID]int) {
	if len(e.facts) == 0 {
		return
	}
	waiting := map[object.ID]bool{}
	for _, s := range in.Selections {
		if s.In.IsZero() {
			continue
		}
		if src := e.running[plan.Spec{Resource: s.Resource, Namespace: s.Namespace, Selector: s.Selector, Target: s.Target}]; src == nil || !src.hasAnswered() {
			waiting[s.In] = true
		}
	}
	for i := range p.list {
		r := &p.list[i]
		f, ok := e.facts[r.ID]
		if !ok {
			continue
		}
		r.Revision, r.Pending = f.revision, f.pending
		r.Note = joinNotes(r.Note, f.note)
		if r.Told.Status == "" {
			r.Told = f.told
		}
		switch {
		case r.Pending != "" || f.told.Status != "" && f.told.Status != status.Current:
		case waiting[r.ID]:
			r.Pending = "its members are being looked for"
		case f.asked && p.members[r.ID]+selected[r.ID] == 0:
			r.Pending = emptySet
		}
	}
}

func joinNotes(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
