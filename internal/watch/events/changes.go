package events

import (
	"slices"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// changes are the events of wanted objects, with the number of their last
// change.
type changes struct {
	mu    sync.Mutex
	byUID map[string]*change
}

type change struct {
	seq uint64
	ev  feed.Event
}

// put adds events; known ones are no change.
func (c *changes) put(bump func() uint64, list []feed.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byUID == nil {
		c.byUID = map[string]*change{}
	}
	for _, ev := range list {
		old := c.byUID[ev.UID]
		switch {
		case old == nil && ev.Gone:
		case old == nil:
			c.byUID[ev.UID] = &change{bump(), ev}
		case old.ev != ev:
			old.seq, old.ev = bump(), ev
		}
	}
}

// forget drops the events of objects that are no longer wanted; the receiver
// keeps what it has.
func (c *changes) forget(wanted []object.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byUID) == 0 {
		return
	}
	about := make(map[object.ID]struct{}, len(wanted))
	for _, id := range wanted {
		about[id] = struct{}{}
	}
	for uid, e := range c.byUID {
		if _, ok := about[e.ev.About]; !ok {
			delete(c.byUID, uid)
		}
	}
}

// after returns what changed after since, up to a change.
func (c *changes) after(since, upTo uint64) (out []feed.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for uid, e := range c.byUID {
		if e.seq > since && e.seq <= upTo {
			out = append(out, e.ev)
			if e.ev.Gone {
				delete(c.byUID, uid)
			}
		}
	}
	slices.SortFunc(out, func(x, y feed.Event) int { return x.Last.Compare(y.Last) })
	return out
}
