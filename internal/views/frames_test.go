package views

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// BenchmarkFramesUnderLoad is a thousand frames, sixty a second, while a thousand
// objects change a second: the model takes a sixtieth of them in, the screen of
// 200x60 is drawn from 10,000 rows, and its difference to the one before is written
// down. p99 is the worst but one in a hundred of all that; frame is the drawing and
// writing alone, renderer the part of Bubble Tea's renderer in those that changed the
// screen; bytes/line is what a line that changed takes. The frames come in time,
// because one after the other they would have warmer caches than a screen has, and
// more garbage to collect at once.
//
// In a rollout a tenth of what is applied is not ready, and what changes becomes
// ready or ceases to be, so that rows change their places; in restarts everything
// is unready and stays so; the worst there can be is that each of 10,000 has a
// cause of its own, and another one with every change. Two seconds have passed
// before it is measured: what is seen first is explained first.
func BenchmarkFramesUnderLoad(b *testing.B) {
	for _, load := range []struct {
		name string
		pod  func(i, k int) (ready bool, reason string)
	}{
		{"rollout", func(i, k int) (bool, string) { return (i+k)%10 != 0, "ContainersNotReady" }},
		{"restarts", func(int, int) (bool, string) { return false, "ContainersNotReady" }},
		{"causes of their own", func(_, k int) (bool, string) { return false, fmt.Sprint("Try", k) }},
	} {
		b.Run(load.name, func(b *testing.B) { framesUnderLoad(b, load.pod) })
	}
}

func framesUnderLoad(b *testing.B, state func(i, k int) (ready bool, reason string)) {
	const pods, each = 10000, 17
	now := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	pod := func(i, k int) *object.Object {
		o := &object.Object{
			ID: object.ID{Kind: "Pod", Namespace: "shop", Name: fmt.Sprintf("web-%05d", i)}, Version: "v1",
			UID: fmt.Sprint("uid-", i), ResourceVersion: fmt.Sprint(k), Created: now,
			Pod: &object.Pod{PodTemplate: &object.PodTemplate{}, Phase: "Running", Node: "n1", Containers: []object.Container{{
				ContainerSpec: &object.ContainerSpec{Name: "web", Image: "web:1"},
				Restarts:      int64(k), State: object.ContainerState{Kind: "running", Started: now},
			}}},
			Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "True"}, LastTransitionTime: now}},
		}
		if ready, reason := state(i, k); !ready {
			o.Conditions[0].Status, o.Conditions[0].Reason = "False", reason
		}
		return o
	}
	first := feed.Batch{Seq: 1, At: now, Synced: true}
	for i := range pods {
		o := pod(i, 0)
		first.Objects = append(first.Objects, o)
		first.Roots = append(first.Roots, feed.Root{ID: o.ID, Order: i + 1})
	}
	look := Look{Theme: theme(b, "dark")}
	m, _ := model.New(model.Options{Now: now, Screen: true})
	send := func(msgs ...model.Msg) {
		for _, msg := range msgs {
			m, _ = m.Update(msg)
		}
	}
	// All of it is open: ten thousand rows.
	send(tea.WindowSizeMsg{Width: 200, Height: 60}, model.BatchArrived{Batch: first}, viewstest.Press("Z"))
	if n := m.Tree.RowCount(); n != pods {
		b.Fatalf("%d rows", n)
	}
	canvas, shown := NewCanvas(0, 0, nil), ""
	tty := viewstest.NewTerminalWriter()
	var took, drew, renderer []time.Duration
	var start time.Time
	bytes, lines, k := 0, 0, 0
	frame := func() {
		time.Sleep(time.Until(start.Add(time.Duration(k) * time.Second / 60)))
		k++
		batch := feed.Batch{Seq: uint64(k) + 1, At: now.Add(time.Duration(k) * time.Second / 60)}
		for i := range each {
			batch.Objects = append(batch.Objects, pod((k*each+i*131)%pods, k))
		}
		began := time.Now()
		send(model.BatchArrived{Batch: batch})
		if k%60 == 0 {
			send(model.ClockTicked{Now: batch.At})
		}
		updated := time.Now()
		Draw(canvas, of(m), look)
		content := canvas.Render()
		drawn := time.Now()
		out := tty.Show(content, 200, 60)
		took, drew = append(took, time.Since(began)), append(drew, time.Since(updated))
		if content != shown {
			renderer = append(renderer, time.Since(drawn))
		}
		bytes += len(out)
		lines += changedLines(shown, content)
		shown = content
	}
	start = time.Now()
	for range 120 {
		frame()
	}
	took, drew, renderer, bytes, lines = nil, nil, nil, 0, 0
	for b.Loop() {
		for range 1000 {
			frame()
		}
	}
	for of, all := range map[string][]time.Duration{"": took, "frame-": drew, "renderer-": renderer} {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, of+"p50-ms")
		b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, of+"p99-ms")
	}
	b.ReportMetric(float64(bytes)/float64(len(took)), "bytes/frame")
	b.ReportMetric(float64(bytes)/float64(max(lines, 1)), "bytes/line")
}

func changedLines(a, b string) int {
	before, n := strings.Split(a, "\n"), 0
	for y, line := range strings.Split(b, "\n") {
		if y >= len(before) || before[y] != line {
			n++
		}
	}
	return n
}
