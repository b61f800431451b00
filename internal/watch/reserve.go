package watch

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// The heap may grow by so many percent between two collections. What a first
// sync brings mostly stays, so room for twice as much is room for nothing; but a
// collection in it goes through all that there is, beside everything else that
// has to be done. After it little changes at a time, and a small reserve will
// do. A percent of much is much: from crowdedHub objects on the reserve is
// smaller, for a little more work.
const (
	reserveSyncing        = 55
	reserveCrowdedSyncing = 45
	reserveSynced         = 35
	reserveCrowded        = 25
	crowdedHub            = 20_000
)

// A percent of little is little, and a collector that runs at every megabyte
// costs more than anything else at the start: until the end of the first sync
// the heap may take firstRoom bytes, whatever lives in it, and where there was
// little to sync, smallRoom. Should the collector learn too late that more lives
// now, all that the Go runtime takes is limited to beyondRoom more.
const (
	firstRoom  = 72 << 20
	smallRoom  = 24 << 20
	beyondRoom = 24 << 20
)

// reserve sets how much the heap may grow between two collections, unless the
// user has (GOGC, GOMEMLIMIT). The zero value is ready.
type reserve struct {
	mu    sync.Mutex
	room  uint64 // the heap may take so many bytes; 0: a percent decides
	armed bool   // the next collection will be noticed
	least int    // percent, where there is room
	users bool   // it is the user's

	syncing bool // a first sync
}

// collector is the reserve of the process, which has one collector, however many
// engines it has.
var collector reserve

// Reserve has the collector of memory leave room for a first sync. An engine
// that is started does that by itself; whoever reads what to follow before that
// reads it faster.
func Reserve() { collector.begin() }

// begin is for the first sync.
func (r *reserve) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		r.users = true
		return
	}
	r.room, r.least, r.syncing = firstRoom, reserveSyncing, true
	r.adjust()
}

// adjust says how much the room is, in percent of what lives now.
func (r *reserve) adjust() {
	// The collector takes no heap to be smaller than this (runtime, mgcpacer.go).
	const smallest = 4 << 20
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := int(100*r.room/max(live[0].Value.Uint64(), smallest)) - 100
	if percent <= r.least {
		r.is(r.least)
		return
	}
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(int64(r.room) + beyondRoom)
	if r.armed {
		return
	}
	r.armed = true
	// What nobody holds goes with the next collection.
	runtime.AddCleanup(new([64]byte), func(r *reserve) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.armed = false
		if r.room > 0 {
			r.adjust()
		}
	}, r)
}

// little is for what comes after a first sync that has brought little.
func (r *reserve) little() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.room > 0 {
		r.room = smallRoom
		r.adjust()
	}
}

// crowded is for what comes from crowdedHub objects on.
func (r *reserve) crowded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.users:
	case !r.syncing:
		r.is(reserveCrowded)
	case r.room > 0:
		r.least = reserveCrowdedSyncing
	default:
		r.is(reserveCrowdedSyncing)
	}
}

// set is for what comes from now on.
func (r *reserve) set(percent int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.syncing = false; !r.users {
		r.is(percent)
	}
}

func (r *reserve) is(percent int) {
	debug.SetGCPercent(percent)
	if r.room > 0 {
		r.room = 0
		debug.SetMemoryLimit(math.MaxInt64)
	}
}

// settleTime is how long after the first sync its receiver may still be busy
// with what has come.
const settleTime = time.Second

// giveMemoryBack returns what the first sync needed beyond what it left.
func (e *Engine) giveMemoryBack() {
	if sleep(e.ctx, settleTime) != nil {
		return
	}
	e.hub.mu.Lock()
	percent := reserveSynced
	if e.hub.crowded {
		percent = reserveCrowded
	}
	e.hub.mu.Unlock()
	collector.set(percent)
	debug.FreeOSMemory()
}
