package hub

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

type closedSource = stamped[feed.SourceState]

// Drop removes a source that is no longer needed, and the objects that only it
// delivered.
func (h *Hub) Drop(src *Source) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.sources[src]; !ok {
		return
	}
	delete(h.sources, src)
	for r := range src.recs {
		h.lose(src, r, false, true)
	}
	st := src.state
	st.Phase, st.Since = feed.Closed, h.now()
	h.closed = append(h.closed, closedSource{h.seq.bump(), st})
	h.checkSynced()
}

// Add registers a source.
func (h *Hub) Add(src *Source) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sources[src] = struct{}{}
	src.state.Since = h.now()
	src.stateSeq = h.seq.bump()
	h.checkSynced()
}

// SetState changes a source's state by f and publishes it.
func (h *Hub) SetState(src *Source, f func(*feed.SourceState)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.sources[src]; !ok {
		return
	}
	old := src.state
	f(&src.state)
	src.state.LastData = src.lastData()
	src.state.Objects = len(src.recs)
	if old.Phase != src.state.Phase {
		src.state.Since = h.now()
	}
	a, b := old, src.state
	a.LastData, b.LastData, a.Objects, b.Objects = time.Time{}, time.Time{}, 0, 0
	if a == b {
		return
	}
	switch src.state.Phase {
	case feed.Live, feed.Forbidden, feed.NotServed:
		if !src.answered {
			src.answered = true
			if src.sel != nil && !src.sel.In.IsZero() {
				h.planned = false // only a new plan can tell that the set is complete
			}
			h.sourceAnswered(src)
			h.Kick() // sources that this one replaces can be closed
		}
	}
	if old.Phase != src.state.Phase {
		h.asideChanged(src)
	}
	src.stateSeq = h.seq.bump()
	h.checkSynced()
}

// TellSource publishes the state of a request beside the sources. Nothing waits
// for it.
func (h *Hub) TellSource(st feed.SourceState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old, ok := h.beside[st.Key]
	if st.Phase == feed.Closed {
		if ok {
			delete(h.beside, st.Key)
			h.closed = append(h.closed, closedSource{h.seq.bump(), st})
		}
		return
	}
	if ok && old.v.Phase == st.Phase && old.v.Error == st.Error {
		return
	}
	if h.beside == nil {
		h.beside = map[string]closedSource{}
	}
	st.Since = h.now()
	h.beside[st.Key] = closedSource{h.seq.bump(), st}
}
