package watch

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// collector reads how much the heap may grow, in percent, and the process, in
// bytes.
func collector() (percent, limit uint64) {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64(), s[1].Value.Uint64()
}

func TestTheReserveIsSmallFromTheFirstCollectionOn(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	t.Cleanup(func() {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	})
	var r reserve
	r.begin()
	if percent, limit := collector(); percent <= reserveSyncing || limit != firstRoom {
		t.Errorf("at the start: %d percent, %d bytes", percent, limit)
	}
	for percent, limit := collector(); percent != reserveSyncing || limit != math.MaxInt64; percent, limit = collector() {
		runtime.GC() // what nobody holds is cleaned up a moment after it
	}
	r.set(reserveSynced)
	if percent, _ := collector(); percent != reserveSynced {
		t.Errorf("after the first sync: %d percent", percent)
	}

	// All came at once: the first collection is that of the end.
	var quick reserve
	quick.begin()
	quick.set(reserveSynced)
	runtime.GC()
	runtime.GC()
	if percent, limit := collector(); percent != reserveSynced || limit != math.MaxInt64 {
		t.Errorf("after a quick first sync: %d percent, %d bytes", percent, limit)
	}

	t.Setenv("GOGC", "77")
	debug.SetGCPercent(77)
	var theirs reserve
	theirs.begin()
	theirs.set(reserveCrowded)
	if percent, limit := collector(); percent != 77 || limit != math.MaxInt64 {
		t.Errorf("the user's 77 percent became %d, %d bytes", percent, limit)
	}
}
