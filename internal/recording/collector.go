package recording

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// How much memory it takes to play a file (its objects, the model's state, everything else) is
// measured, not estimated: it is the heap after the last garbage collection. If that exceeds
// maxHeap, playing ends. A collection must come before too much has accumulated: limitMemory
// ensures that.

var (
	errOverMemory     = fmt.Errorf("to play it takes more than %d MB of memory", maxHeap>>20)
	errTooManyObjects = errors.New("the recording holds more at once than any cluster")
)

// overMemory returns errOverMemory if nothing more may be read, or nil.
func overMemory() error {
	if liveHeap() > maxHeap {
		return errOverMemory
	}
	return nil
}

// liveHeap is the size of the heap in bytes after the last collection.
func liveHeap() uint64 {
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
