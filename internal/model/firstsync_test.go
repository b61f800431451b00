package model

import (
	"cmp"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A frame is drawn when there is something new to see.
func TestATickThatChangesNothingKeepsTheRevision(t *testing.T) {
	batch, _ := city(500)
	p := newPlay(t, Options{Screen: true})
	p.send(rowsOn(200, 50))
	p.batch(0, batch)
	p.explained()
	rev := p.m.Revision()
	second := p.m.Facts.Now().Truncate(time.Second)
	p.send(ClockTicked{Now: second.Add(999 * time.Millisecond)})
	if r := p.m.Revision(); r != rev {
		t.Error("a tick within the same second is a new revision")
	}
	p.send(ClockTicked{Now: second.Add(time.Second)})
	if r := p.m.Revision(); r == rev {
		t.Error("a new second is no new revision")
	}
}

// firstSync is what the feed brings of n Deployments as a first sync of them goes
// on: the roots, then the objects, a few hundred at a time, the pods of all in one
// row.
func firstSync(n int) (out []feed.Batch) {
	whole, _ := city(n)
	slices.SortStableFunc(whole.Objects, func(a, b *object.Object) int {
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
	pods := whole.Objects[4*n:]
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	out = append(out, feed.Batch{Roots: whole.Roots})
	for list := range slices.Chunk(whole.Objects, len(whole.Objects)/12) {
		out = append(out, feed.Batch{Objects: list})
	}
	out[len(out)-1].Synced = true
	return out
}

var order = []string{"Deployment", "Service", "ReplicaSet", "EndpointSlice", "Pod"}

func (p *play) sync(batches []feed.Batch) {
	p.send(rowsOn(200, 50))
	for i, b := range batches {
		p.batch(time.Duration(i)*130*time.Millisecond, b)
	}
}

// What a first sync costs by object must not grow with how many there are, nor,
// unseen, with anything else.
func TestAFirstSyncCostsTheSameForEachObject(t *testing.T) {
	cost := func(n int) (judged, allocs, bytes float64) {
		batches := firstSync(n)
		p := newPlay(t, Options{Screen: true, Children: ChildrenAll})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p.sync(batches)
		runtime.ReadMemStats(&after)
		objects := float64(14 * n)
		if got := p.m.Facts.GeneratedCounts().Total() + p.m.Facts.Counts().Total(); got != 14*n {
			t.Fatalf("%d objects, want %d", got, 14*n)
		}
		return float64(p.m.Facts.World.Judged) / objects, float64(after.Mallocs-before.Mallocs) / objects, float64(after.TotalAlloc-before.TotalAlloc) / objects
	}
	judged, allocs, bytes := cost(300)
	manyJudged, manyAllocs, manyBytes := cost(1500)
	t.Logf("300: %.2f judgements, %.2f allocations, %.0f bytes; 1,500: %.2f, %.2f, %.0f",
		judged, allocs, bytes, manyJudged, manyAllocs, manyBytes)
	if manyJudged > 2 || manyJudged > judged*1.1 {
		t.Errorf("an object is judged %.2f times, %.2f where there are few", manyJudged, judged)
	}
	if manyAllocs > 4 || manyBytes > 1600 {
		t.Errorf("an object takes %.2f allocations of %.0f bytes", manyAllocs, manyBytes)
	}
}

func BenchmarkFirstSync(b *testing.B) {
	batches := firstSync(1000)
	b.ReportAllocs()
	for b.Loop() {
		newPlay(b, Options{Screen: true, Children: ChildrenAll}).sync(batches)
	}
}

// Whose children had arrived when it was recorded is not in a recording; which
// sources there were is.
func TestAReplayIsNotDoneBeforeItsChildrenWereSeen(t *testing.T) {
	d := deployment("web", 2)
	source := func(group, kind, selector string, phase feed.Phase) feed.SourceState {
		return feed.SourceState{Key: kind, Group: group, Kind: kind, Namespace: "shop", Selector: selector, Phase: phase, Children: selector != ""}
	}
	play := func(children Children) func(step int, b feed.Batch) known.Verdict {
		p := newPlay(t, Options{Screen: true, Recording: "test", Children: children})
		return func(step int, b feed.Batch) known.Verdict {
			b.Known = feed.KnownBySources
			p.batch(time.Duration(step)*time.Second, b)
			v := p.m.Facts.Verdict()
			if done, _ := p.m.Facts.Done(); done != (v.Status == status.Current) {
				t.Errorf("step %d: %v, done: %v", step, v.Status, done)
			}
			return v
		}
	}
	first := feed.Batch{
		Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}, Synced: true,
		Sources: []feed.SourceState{source("apps", "Deployment", "", feed.Live)},
	}
	send := play(ChildrenAuto)
	for i, step := range []struct {
		feed.Batch
		want status.Status
	}{
		{first, status.Unknown},
		{feed.Batch{Sources: []feed.SourceState{source("apps", "ReplicaSet", "app=web", feed.Live), source("", "Pod", "app in (api,web)", feed.Syncing)}}, status.Unknown},
		{feed.Batch{Sources: []feed.SourceState{source("", "Pod", "app in (api,web)", feed.Live)}}, status.Current},
		{feed.Batch{Sources: []feed.SourceState{source("", "Pod", "app in (api,web)", feed.Closed)}}, status.Unknown},
	} {
		if got := send(i, step.Batch).Status; got != step.want {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
	if got := play(ChildrenNone)(0, first).Status; got != status.Current {
		t.Errorf("of a recording without children: %s", got)
	}
}
