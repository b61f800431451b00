package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

func TestRoomForGarbage(t *testing.T) {
	for megabytes, want := range map[int]int{0: 900, 8: 400, 20: 100, 24: 80, 31: 80, 35: 60, 40: 40, 44: 27, 48: 20, 99: 20, 100: 40, 500: 40} {
		if got := roomLive.percent(megabytes << 20); got != want {
			t.Errorf("GOGC is %d while %d MB are in use, want %d", got, megabytes, want)
		}
	}
}

func TestGarbageCollectionFollowsTheLiveHeap(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	setPace(roomLive)
	if got := percent(); got <= uint64(roomLive.most) {
		t.Errorf("GOGC is %d while little is in use", got)
	}
	much := make([]byte, roomLive.more)
	for try := 0; percent() != uint64(roomLive.always) && try < 1000; try++ {
		runtime.GC() // a cleanup runs beside this
	}
	if got := percent(); got != uint64(roomLive.always) {
		t.Errorf("GOGC is %d while much is in use", got)
	}
	runtime.KeepAlive(much)
}
