package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Most of what a first sync reads stays in use, and while there is little in
// use, little room for garbage would mean a hundred collections. So the heap may
// reach heapLeast in any case; garbage may take roomMost percent of what is in
// use while the heap is not above heapMore, and roomLeast percent always. How they
// were chosen stands in docs/internals/benchmarks.md.
const (
	heapLeast, heapMore = 40 << 20, 56 << 20 // bytes, about
	roomLeast, roomMost = 20, 80             // like GOGC
)

// paceCollector sets GOGC from now on after each collection, if the user has not.
var paceCollector = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		setPace(struct{}{})
	}
})

func setPace(struct{}) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(pace(int(live[0].Value.Uint64())))
	// A cleanup runs once a collection finds its object unused: after the next.
	runtime.AddCleanup(new([16]byte), setPace, struct{}{})
}

// pace is GOGC for the bytes in use.
func pace(inUse int) int {
	roomTo := func(heap int) int { return 100*heap/max(inUse, 4<<20) - 100 }
	return max(roomLeast, min(roomMost, roomTo(heapMore)), roomTo(heapLeast))
}
