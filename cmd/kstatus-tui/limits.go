package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/metrics"
	"time"
)

// limits bound what the evaluation of a template takes. A Go template can loop
// without an end and double a text in each round, and text/template neither
// counts steps nor takes a context.
type limits struct {
	time   time.Duration
	memory uint64 // bytes of the heap, beyond what it had at the beginning
	output int    // bytes
}

// templateLimits are far beyond what a template for a document of this program
// needs.
var templateLimits = limits{time: 20 * time.Second, memory: 1 << 30, output: 64 << 20}

// measureEvery is the time between two looks at the size of the heap.
const measureEvery = 10 * time.Millisecond

// apply returns what print writes, or an error as soon as a limit is exceeded.
// Then print may still run until the process exits.
func (l limits) apply(print func(w io.Writer) error) ([]byte, error) {
	text := &boundedBuffer{left: l.output}
	ended := make(chan error, 1)
	go func() {
		_, err := guarded(func() (struct{}, error) { return struct{}{}, print(text) })
		ended <- err
	}()
	most := heapSize() + l.memory
	late := time.NewTimer(l.time)
	defer late.Stop()
	measure := time.NewTicker(measureEvery)
	defer measure.Stop()
	for {
		select {
		case err := <-ended:
			if text.left < 0 { // the printer wraps the error of its writer
				err = fmt.Errorf("it prints more than %d MB", l.output>>20)
			}
			return text.Bytes(), err
		case <-late.C:
			return nil, fmt.Errorf("it did not end within %s", l.time)
		case <-measure.C:
			if heapSize() > most {
				return nil, fmt.Errorf("it needs more than %d MB of memory", l.memory>>20)
			}
		}
	}
}

func heapSize() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// boundedBuffer refuses what does not fit: then left is negative.
type boundedBuffer struct {
	bytes.Buffer
	left int
}

var errFull = errors.New("the output is too long")

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		b.left = -1
		return 0, errFull
	}
	return b.Buffer.Write(p)
}
