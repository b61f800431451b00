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

	refsDue   bool                // some wanted references have not been requested yet
	eventsDue map[string]struct{} // namespaces with wanted events that have not been listed yet
}

func (h *Hub) checkSynced() {
	s := h.planned && h.resolved && h.sets.idle()
	if s {
		for src := range h.sources {
			if !src.answered {
				s = false
				break
			}
		}
	}
	if s != h.synced {
		h.synced = s
		h.seq.bump()
		if s && !h.settled && len(h.recs) >= manyObjects {
			h.settled = true
			h.Settled()
		}
	}
	if s && !h.refsDue && h.answered != h.gen {
		h.answered = h.gen
		h.seq.bump()
	}
	if h.answered == h.gen && len(h.eventsDue) == 0 && h.told != h.gen {
		h.told = h.gen
		h.seq.bump()
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

// SetEventsDue notes whether wanted events of a namespace have not been listed
// yet.
func (h *Hub) SetEventsDue(ns string, due bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if due {
		if h.eventsDue == nil {
			h.eventsDue = map[string]struct{}{}
		}
		h.eventsDue[ns] = struct{}{}
		return
	}
	delete(h.eventsDue, ns)
	h.checkSynced()
}

// SetRefsDue notes whether wanted references have not been requested yet: until
// then the Wants is unanswered.
func (h *Hub) SetRefsDue(due bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refsDue = due
	h.checkSynced()
}
