package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// room is how much garbage there may be. Most of what a first sync reads stays in use, and while
// there is little in use, little room for garbage would mean a hundred collections. So the heap may
// reach least bytes in any case; garbage may take most percent of what is in use while the heap is
// not above more bytes, and always percent beyond that. A collection goes through all that is in
// use: from much bytes in use on garbage may take later percent, so that there are fewer.
type room struct{ least, more, most, always, much, later int }

// How they were chosen stands in docs/internals/benchmarks.md. A saved cluster is parsed whole
// before the first look: that makes more garbage, and once.
var (
	roomLive  = room{least: 40 << 20, more: 56 << 20, most: 80, always: 20, much: 100 << 20, later: 40}
	roomSaved = room{least: 96 << 20, more: 160 << 20, most: 100, always: 50, much: 160 << 20, later: 50}
)

var paced sync.Once

// paceCollector sets GOGC from now on after each collection, if the user has not. The first
// call decides on the room.
var paceCollector = func(r room) {
	paced.Do(func() {
		if os.Getenv("GOGC") == "" {
			setPace(r)
		}
	})
}

func setPace(r room) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(r.percent(int(live[0].Value.Uint64())))
	// A cleanup runs once a collection finds its object unused: after the next.
	runtime.AddCleanup(new([16]byte), setPace, r)
}

// percent is GOGC for the bytes in use.
func (r room) percent(inUse int) int {
	roomTo := func(heap int) int { return 100*heap/max(inUse, 4<<20) - 100 }
	always := r.always
	if inUse >= r.much {
		always = r.later
	}
	return max(always, min(r.most, roomTo(r.more)), roomTo(r.least))
}
