package recording

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
)

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

// limitMemory has the collector keep to little more than may be held. Whoever has
// set GOMEMLIMIT knows better.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(maxHeap + maxHeap/2))
	}
}
