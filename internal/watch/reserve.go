package watch

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// The heap may grow by so many percent between two collections. What a first
// sync brings mostly stays, so room for twice as much is room for nothing;
// after it little changes at a time, and a small reserve will do. A percent of
// much is much: from crowdedHub objects on the reserve is smaller still, for a
// little more work.
const (
	reserveSyncing = 40
	reserveSynced  = 35
	reserveCrowded = 25
	crowdedHub     = 20_000
)

// firstRoom is what the process may take, in bytes, before the first collection:
// a percent of little is little, and a collector that runs at every megabyte
// costs more than anything else at the start.
const firstRoom = 72 << 20

// reserve sets how much the heap may grow between two collections, unless the
// user has (GOGC, GOMEMLIMIT). The zero value is ready.
type reserve struct {
	mu       sync.Mutex
	starting bool // the first collection has not been
	users    bool // they are the user's
}

// begin is for the first sync.
func (r *reserve) begin() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		r.users = true
		return
	}
	r.starting = true
	debug.SetGCPercent(1000)
	debug.SetMemoryLimit(firstRoom)
	// What nobody holds goes with the first collection.
	runtime.AddCleanup(new([64]byte), func(r *reserve) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.starting {
			r.is(reserveSyncing)
		}
	}, r)
}

// set is for what comes from now on.
func (r *reserve) set(percent int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.users {
		r.is(percent)
	}
}

func (r *reserve) is(percent int) {
	debug.SetGCPercent(percent)
	if r.starting {
		r.starting = false
		debug.SetMemoryLimit(math.MaxInt64)
	}
}

// giveMemoryBack returns what the first sync needed beyond what it left.
func (e *Engine) giveMemoryBack() {
	e.hub.mu.Lock()
	crowded := e.hub.crowded
	e.hub.mu.Unlock()
	if !crowded {
		e.reserve.set(reserveSynced)
	}
	debug.FreeOSMemory()
}
