package recording

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// The memory that a file takes (objects, the model's state, everything else) is
// measured, not estimated. If it exceeds the limit, the recording ends. The
// measure is taken after each garbage collection, so a collection must come
// before too much has accumulated: the memory limit ensures that.

var (
	errHeavy = fmt.Errorf("to play it takes more than %d MB of memory", maxHeap>>20)
	errMany  = errors.New("the recording holds more at once than any cluster")
)

// heavy returns why nothing more may be read, or nil.
func heavy() error {
	if holds() > maxHeap {
		return errHeavy
	}
	return nil
}

// holds is the live heap in bytes at the last collection.
func holds() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// limitMemory keeps the heap near the limit, unless the user has set
// GOMEMLIMIT.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(maxHeap + maxHeap/2))
	}
}
