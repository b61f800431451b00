package recording

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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

// What a file makes the program hold is measured and not guessed: objects, what
// the model makes of them, and everything else. Where it is too much, the
// recording ends. That is known after each collection, so that there must be one
// before too much has come together: the memory limit sees to that.

var (
	errHeavy = fmt.Errorf("to play it takes more than %d MB of memory", maxHeap>>20)
	errMany  = errors.New("the recording holds more at once than any cluster")
)

// heavy is why nothing more is to be read, or nil.
func heavy() error {
	if holds() > maxHeap {
		return errHeavy
	}
	return nil
}

// holds is how many bytes the program held at the last collection.
func holds() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// limitMemory has the collector keep to so many bytes, and to little more than may
// be held in any case. Whoever has set GOMEMLIMIT knows better.
func limitMemory(bytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(min(bytes, int64(maxHeap+maxHeap/2)))
	}
}
