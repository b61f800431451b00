package hub

// progress is how far what is wanted has been found out. It is guarded by the
// hub's lock.
type progress struct {
	planned  bool   // the plan is up to date with all known objects
	resolved bool   // every target has been resolved
	synced   bool   // and every source has answered
	settled  bool   // a large first sync is complete
	gen      uint64 // generation of the newest Wants
	answered uint64 // the last generation answered by all its sources
	told     uint64 // the last generation whose events have been listed, too
}

func (h *Hub) checkSynced() {
	s, refs := h.planned && h.resolved, true
	for _, c := range h.decisions {
		s = s && c.decided >= c.last
	}
	for src := range h.sources {
		s = s && (src.answered || src.spec.Ref)
		refs = refs && (src.answered || !src.spec.Ref)
	}
	if s != h.synced {
		h.synced = s
		h.news()
		h.settled = h.settled || s && len(h.recs) >= manyObjects
	}
	if s && refs && h.answered != h.gen {
		h.answered = h.gen
		h.news()
	}
}

// SetPlanned marks the plan as up to date, unless something has changed since
// it was begun.
func (h *Hub) SetPlanned(resolved bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.resolved = resolved
	h.checkSynced()
}
