package main

import (
	"log/slog"
	"runtime"
	"runtime/metrics"
	"time"
)

// usageEvery is how often the debug log notes CPU and memory.
const usageEvery = 10 * time.Second

// logUsage notes CPU time, memory and goroutines in the debug log until it is
// stopped: a leak can be seen there.
func logUsage(logger *slog.Logger) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(usageEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
				metrics.Read(live)
				logger.Debug("usage", "goroutines", runtime.NumGoroutine(), "liveHeap", live[0].Value.Uint64())
			}
		}
	}()
	return func() { close(done); <-ended }
}
