package events

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// kept are the events of a watched namespace, of any object: an object
// that becomes wanted was usually created during the watch, and then needs no
// list of its own. The oldest are dropped, and their objects remembered.
type kept struct {
	mu    sync.Mutex
	whole bool                    // a list of the whole namespace has been added
	about map[string][]feed.Event // by UID of the object
	order []string                // those UIDs, an entry for each event, oldest first
	lossy map[uint64]struct{}     // hashes of the UIDs of which an event was dropped
}

var uidSeed = maphash.MakeSeed()

// sumOf hashes a UID. A collision costs a list.
func sumOf(uid string) uint64 { return maphash.String(uidSeed, uid) }

// begin marks the kept events as complete.
func (e *kept) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.whole = true
}

// forget drops everything when the watch ends.
func (e *kept) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.whole, e.about, e.order, e.lossy = false, nil, nil, nil
}

func (e *kept) add(list []feed.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.about == nil {
		e.about, e.lossy = map[string][]feed.Event{}, map[uint64]struct{}{}
	}
	for _, ev := range list {
		uid := ev.AboutUID
		same := func(x feed.Event) bool { return x.UID == ev.UID }
		if i := slices.IndexFunc(e.about[uid], same); i >= 0 {
			e.about[uid][i] = ev
		} else {
			e.about[uid] = append(e.about[uid], ev)
			e.order = append(e.order, uid)
		}
		if ev.Gone {
			e.about[uid] = slices.DeleteFunc(e.about[uid], same) // its entry in order is ignored later
		}
		for len(e.order) > keptMost {
			oldest := e.order[0]
			e.order = e.order[1:]
			if list := e.about[oldest]; len(list) > 1 {
				e.about[oldest] = list[1:]
				e.lossy[sumOf(oldest)] = struct{}{}
			} else {
				delete(e.about, oldest)
				if len(list) > 0 {
					e.lossy[sumOf(oldest)] = struct{}{}
				}
			}
		}
		if len(e.lossy) > dropped {
			e.whole = false
			clear(e.lossy)
		}
	}
}

// hand passes on the kept events of an object, if they are complete.
func (e *kept) hand(uid string, to func([]feed.Event)) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.lossy[sumOf(uid)]; ok || !e.whole {
		return false
	}
	to(e.about[uid])
	return true
}
