package watch

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// allowed reads how much the heap may grow, in percent, and the process, in
// bytes.
func allowed() (percent, limit uint64) {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64(), s[1].Value.Uint64()
}

func TestARoomIsLeftBeforeAPercentDecides(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	t.Cleanup(func() {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	})
	// until collects until the collector allows what is wanted: what nobody holds
	// is cleaned up a moment after a collection.
	until := func(want func(percent, limit uint64) bool) {
		for percent, limit := allowed(); !want(percent, limit); percent, limit = allowed() {
			runtime.GC()
		}
	}
	collector.set(reserveSynced) // that of another test's engine may wait for a collection
	var r reserve
	r.begin()
	if percent, limit := allowed(); percent <= reserveSyncing || limit != firstRoom+beyondRoom {
		t.Errorf("at the start: %d percent, %d bytes", percent, limit)
	}
	many := make([]byte, 20<<20)
	until(func(percent, _ uint64) bool { // collected, and there is room yet
		return percent > reserveSyncing && percent < 100*firstRoom/(20<<20)
	})
	most := make([]byte, 60<<20)
	until(func(percent, limit uint64) bool { return percent == reserveSyncing && limit == math.MaxInt64 })
	runtime.KeepAlive(many)
	runtime.KeepAlive(most)
	r.crowded()
	if percent, _ := allowed(); percent != reserveCrowdedSyncing {
		t.Errorf("with many objects in the first sync: %d percent", percent)
	}
	r.set(reserveSynced)
	r.crowded()
	if percent, _ := allowed(); percent != reserveCrowded {
		t.Errorf("with many objects after it: %d percent", percent)
	}
	r.set(reserveSynced)
	if percent, _ := allowed(); percent != reserveSynced {
		t.Errorf("after the first sync: %d percent", percent)
	}
	r.little() // of another engine: this one has many already
	if percent, _ := allowed(); percent != reserveSynced {
		t.Errorf("after a second sync: %d percent", percent)
	}

	// All came at once: the first collection is that of the end.
	var quick reserve
	quick.begin()
	quick.set(reserveSynced)
	runtime.GC()
	runtime.GC()
	if percent, limit := allowed(); percent != reserveSynced || limit != math.MaxInt64 {
		t.Errorf("after a quick first sync: %d percent, %d bytes", percent, limit)
	}

	var small reserve
	small.begin()
	first, _ := allowed()
	small.little()
	if percent, limit := allowed(); percent >= first || limit != smallRoom+beyondRoom {
		t.Errorf("after a first sync of little: %d percent, %d bytes", percent, limit)
	}
	many = make([]byte, smallRoom)
	until(func(percent, limit uint64) bool { return percent == reserveSyncing && limit == math.MaxInt64 })
	runtime.KeepAlive(many)

	t.Setenv("GOGC", "77")
	debug.SetGCPercent(77)
	var theirs reserve
	theirs.begin()
	theirs.crowded()
	theirs.little()
	theirs.set(reserveCrowded)
	if percent, limit := allowed(); percent != 77 || limit != math.MaxInt64 {
		t.Errorf("the user's 77 percent became %d, %d bytes", percent, limit)
	}
}
