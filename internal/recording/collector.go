package recording

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// A jump makes about as much as is held, of which most is what is held from then
// on. A collection in the middle of it goes through both and finds little, and
// takes a quarter of the time that somebody waits. So it is put off until the
// jump is over, as far as the memory limit allows, and made at once then, when
// somebody looks at where they have landed.
var collector struct {
	sync.Mutex
	jumps   int // on their way
	percent int // what is set otherwise
}

const percentWhileJumping = 400

// putOff lets the collector wait.
func putOff() {
	collector.Lock()
	defer collector.Unlock()
	if collector.jumps++; collector.jumps == 1 {
		if collector.percent = debug.SetGCPercent(percentWhileJumping); collector.percent > percentWhileJumping || collector.percent < 0 {
			debug.SetGCPercent(collector.percent) // somebody has given it even more time
		}
	}
}

// makeUp ends that.
func makeUp() {
	collector.Lock()
	collector.jumps--
	last := collector.jumps == 0
	if last {
		debug.SetGCPercent(collector.percent)
	}
	collector.Unlock()
	if last {
		runtime.GC()
	}
}
