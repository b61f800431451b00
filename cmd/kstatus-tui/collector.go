package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Most of what a first sync reads stays in use. To leave as much room again for
// garbage, Go's default, would be wasteful; but while there is little in use,
// little room would mean a hundred collections.
const (
	garbageMost = 40       // percent of what is in use, like GOGC
	heapLeast   = 64 << 20 // bytes that the heap may reach in any case, about
)

// paceCollector sets GOGC from now on after each garbage collection, unless the
// user has set it.
var paceCollector = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		setPace(struct{}{})
	}
})

func setPace(struct{}) {
	inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(inUse)
	debug.SetGCPercent(max(garbageMost, 100*heapLeast/max(int(inUse[0].Value.Uint64()), 4<<20)-100))
	// A cleanup runs once a collection finds its object unused: after the next.
	runtime.AddCleanup(new([16]byte), setPace, struct{}{})
}
