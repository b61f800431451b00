package recording

import "time"

// processorTime is not known here: benchmarks say 0.
func processorTime() time.Duration { return 0 }
