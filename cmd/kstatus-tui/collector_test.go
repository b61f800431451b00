package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

func TestTheHeapMayReachItsLeastAndThenHalfAsMuchAgain(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	setPace(struct{}{})
	if got := percent(); got <= garbageMost {
		t.Errorf("GOGC is %d while little is in use", got)
	}
	much := make([]byte, heapLeast)
	for try := 0; percent() != garbageMost && try < 1000; try++ {
		runtime.GC() // a cleanup runs beside this
	}
	if got := percent(); got != garbageMost {
		t.Errorf("GOGC is %d while much is in use", got)
	}
	runtime.KeepAlive(much)
}
