package model

import (
	"runtime"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// heldMost is how many bytes the model may keep for a Current object, beside
// the object itself: its node, its index entries, what the explanation knows of
// it. A dashboard on fifty thousand Pods has seventy-five thousand of them. The
// size of maps varies: 880 to 930 were seen for the same input.
const heldMost = 980

func TestAnObjectTakesLittleRoomInTheModel(t *testing.T) {
	if got := held(t); got > heldMost {
		t.Errorf("%.0f bytes an object, want %d at most", got, heldMost)
	}
}

func BenchmarkRoomOfAnObject(b *testing.B) {
	var got float64
	for b.Loop() {
		got = held(b)
	}
	b.ReportMetric(got, "B/object")
}

func held(t testing.TB) float64 {
	batch, _ := city(1000)
	before := inUse()
	p := newPlay(t, Options{Screen: true, Judge: status.Assess, Children: ChildrenAll})
	p.send(rowsOn(200, 50))
	p.batch(0, batch)
	p.explained()
	after := inUse()
	runtime.KeepAlive(p)
	return (after - before) / float64(len(batch.Objects))
}

// inUse is the heap that is reachable, in bytes.
func inUse() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first has found to have finalizers or to be pooled
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
