package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A memory is taken in where another moment stood before. Nothing of that may be
// left: it has to come out as where nothing was.
func TestARestoredMemoryDoesNotDependOnTheStateBefore(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			c := &chaos{r: r, live: map[object.ID]*object.Object{}}
			live := screen(t)
			var memories []feed.Memory
			var batches []feed.Batch // batches[i] came after memories[i]
			now := time.Duration(0)
			for range 40 {
				now += time.Duration(r.IntN(3000)) * time.Millisecond
				var b feed.Batch
				for range 1 + r.IntN(4) {
					c.step(&b)
				}
				for id := range c.live {
					if r.IntN(8) == 0 {
						b.Events = append(b.Events, object.Event{UID: fmt.Sprint(r.IntN(5)), About: id, Count: r.IntN(9), Gone: r.IntN(9) == 0})
					}
				}
				b.Synced, b.At = true, t0.Add(now)
				batches = append(batches, b)
				live.batch(now, b)
				m := live.m.Facts.World.Memory(live.seq)
				m.Causes = live.m.Facts.Found.Memory(live.m.Facts.World.Tree.Now)
				memories = append(memories, m)
			}
			old := jumper(t)
			for range 12 {
				i := r.IntN(len(memories) - 3)
				past := batches[i+1 : i+1+r.IntN(3)]
				fresh := jumper(t)
				jump(old, memories[i], past)
				jump(fresh, memories[i], past)
				check(t, old.m)
				if diff := cmp.Diff(all(fresh.m), all(old.m)); diff != "" {
					t.Fatalf("-where nothing was +where another moment was:\n%s", diff)
				}
			}
		})
	}
}

// What was being looked into at a moment is so where a recording begins with it, and
// what left the followed set and still exists is not said to be gone.
func TestAMemoryKeepsOpenQuestionsAndDroppedRoots(t *testing.T) {
	live := screen(t)
	web, other := deployment("web", 0), deployment("other", 0)
	live.batch(0, feed.Batch{Roots: []feed.Root{root(web), root(other)}, Objects: []*object.Object{web, other}, Synced: true})
	live.batch(time.Second, feed.Batch{
		Roots: []feed.Root{{ID: other.ID, Removed: true}},
		Gone:  []feed.Gone{{ID: other.ID, UID: other.UID, Dropped: true}, {ID: web.ID, UID: web.UID}},
	})
	m := live.m.Facts.World.Memory(live.seq)
	if m.State.Synced {
		t.Error("nothing is being looked into")
	}
	p := jumper(t)
	jump(p, m, nil)
	if !p.m.Facts.Synced() || p.m.Facts.Whole() {
		t.Errorf("synced is %v, whole %v", p.m.Facts.Synced(), p.m.Facts.Whole())
	}
	if live.m.Facts.Verdict().Gone || p.m.Facts.Verdict().Gone {
		t.Errorf("everything is gone: %v, from the middle %v", live.m.Facts.Verdict().Gone, p.m.Facts.Verdict().Gone)
	}
}

func jumper(t testing.TB) *play {
	p := newPlay(t, Options{Screen: true, Recording: "test"})
	p.send(rowsOn(120, 20))
	return p
}

// jump hands over a memory in parts, and what came after it.
func jump(p *play, m feed.Memory, past []feed.Batch) {
	send := func(j feed.Jump) {
		p.seq++
		p.send(BatchArrived{feed.Batch{Seq: p.seq, At: m.At, Known: feed.KnownBySources, Jump: &j}})
	}
	part := func(change func(*feed.Memory)) *feed.Memory {
		one := feed.Memory{At: m.At, Seq: m.Seq, Verdict: m.Verdict, Since: m.Since, Moving: m.Moving, Began: m.Began, Synced: m.Synced, Left: m.Left}
		change(&one)
		return &one
	}
	half := len(m.State.Objects) / 2
	events := len(m.State.Events) / 2
	send(feed.Jump{Anew: true, More: true, Memory: []*feed.Memory{
		part(func(o *feed.Memory) { o.State.Roots = m.State.Roots }),
		part(func(o *feed.Memory) { o.State.Objects = m.State.Objects[:half] }),
	}})
	p.send(press("?"), press("?")) // waits until it is over
	send(feed.Jump{More: true, Known: true, Memory: []*feed.Memory{
		part(func(o *feed.Memory) { o.State.Objects = m.State.Objects[half:] }),
		part(func(o *feed.Memory) { o.State.Events = m.State.Events[:events] }),
		part(func(o *feed.Memory) { o.State.Events = m.State.Events[events:] }),
		part(func(o *feed.Memory) { o.Objects = m.Objects }),
		part(func(o *feed.Memory) {
			rest := m
			rest.State.Roots, rest.State.Objects, rest.State.Events, rest.Objects = nil, nil, nil, nil
			*o = rest
		}),
	}})
	if len(past) > 0 {
		send(feed.Jump{More: true, Past: past})
		m.At = past[len(past)-1].At
	}
	send(feed.Jump{})
}

// all is everything that is known, a line each.
func all(m *Model) []string {
	text, err := json.MarshalIndent(m.Facts.World.Memory(0), "", " ")
	if err != nil {
		panic(err)
	}
	out := append(strings.Split(string(text), "\n"), fmt.Sprintln(m.Intake.NextWake()))
	for _, n := range slices.SortedFunc(maps.Values(m.Facts.World.Tree.Nodes), world.ByID) {
		out = append(out, fmt.Sprintln(n.ID, n.Assessment(), n.Seen, n.Changed, n.Moved, n.Current, name(n.Parent), n.Root, n.InTree, n.Lead.Reason, n.Lead.Count))
	}
	for _, c := range m.Facts.Causes() {
		out = append(out, fmt.Sprintln(c.ID, c.Title, c.Since, c.Count))
	}
	for i := range m.Tree.list.Refs {
		out = append(out, strings.Repeat("  ", int(m.Tree.list.Refs[i].Depth))+fmt.Sprint(m.Tree.list.Refs[i].Key(), m.Tree.list.Refs[i].Fold))
	}
	return append(out, fmt.Sprint(m.Keyboard.Mode(), m.Facts.World.Restoring, m.Playback.Jumping()))
}

// Explaining in the background is for moving time: in a paused recording
// nothing would apply the result.
func TestTheCausesAreCompleteAfterAJump(t *testing.T) {
	p := jumper(t)
	m := feed.Memory{At: t0, Seq: 1, Verdict: status.Failed}
	for i := range 4000 {
		rs := replicaSet(deployment(fmt.Sprint("d", i), 0), "h", 0)
		o := pod(rs, "p", "ImagePullBackOff")
		o.UID, o.Owners = fmt.Sprint("uid", i), nil
		m.State.Roots = append(m.State.Roots, root(o))
		m.State.Objects = append(m.State.Objects, o)
		m.Objects = append(m.Objects, feed.Remembered{ID: o.ID, Status: status.Failed, Reason: "ImagePullBackOff"})
	}
	m.State.Synced = true
	jump(p, m, nil)
	if p.m.Facts.Found.Busy() || len(p.m.Facts.Causes()) == 0 {
		t.Errorf("%d causes, still looking: %v", len(p.m.Facts.Causes()), p.m.Facts.Found.Busy())
	}
	p.send(BatchArrived{feed.Batch{Seq: p.seq + 1, At: t0, Playback: &feed.Playback{Start: t0, End: t0, Speed: 1, Paused: true}}})
	p.m.Facts.World.Tree.Unexplained = true
	if p.send(ClockTicked{t0}); p.m.Facts.Found.Busy() {
		t.Error("a recording that stands still is explained later")
	}
}

func TestCausesAreFoundAtOnceAfterAShortStep(t *testing.T) {
	p := jumper(t)
	web := pod(deployment("web", 1), "web", "")
	web.Owners = nil
	p.batch(0, feed.Batch{Roots: []feed.Root{root(web)}, Objects: []*object.Object{web}, Synced: true})
	failing := again(web, func(o *object.Object) {
		o.Pod.Containers[0].State = object.ContainerState{Kind: "waiting", Reason: "ImagePullBackOff"}
	})
	before := len(p.m.Facts.Causes())
	p.batch(time.Millisecond, feed.Batch{Jump: &feed.Jump{}, Objects: []*object.Object{failing}})
	if after := len(p.m.Facts.Causes()); before != 0 || after != 1 {
		t.Errorf("%d causes, and %d after the step", before, after)
	}
}

// The recording's clock stands at the old time until the jump's last part.
func TestATickDuringAJumpDoesNotMoveItsDestination(t *testing.T) {
	p := jumper(t)
	d := deployment("web", 2)
	p.batch(30*time.Minute, feed.Batch{Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}, Synced: true})
	p.batch(30*time.Minute, feed.Batch{Jump: &feed.Jump{Anew: true, More: true}})
	p.send(ClockTicked{at(30 * time.Minute)})
	p.batch(10*time.Second, feed.Batch{Jump: &feed.Jump{}, Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}, Synced: true})
	if got := p.m.Facts.Now().Sub(t0); got != 10*time.Second || p.m.Playback.Jumping() {
		t.Errorf("the jump to 10s ends at %s", got)
	}
}

func TestANewSpeedIsShown(t *testing.T) {
	p := jumper(t)
	for speed, want := range map[float64]string{0.5: "speed 0.5×", 64: "speed 64×"} {
		p.keys("j") // takes away what was said
		p.batch(0, feed.Batch{Playback: &feed.Playback{Start: t0, End: at(time.Hour), Speed: 1}})
		p.keys("j")
		p.batch(0, feed.Batch{Playback: &feed.Playback{Start: t0, End: at(time.Hour), Speed: 1, Paused: true}})
		if got := p.m.Display.Flash(); got != "" {
			t.Errorf("of a pause is said %q", got)
		}
		p.batch(0, feed.Batch{Playback: &feed.Playback{Start: t0, End: at(time.Hour), Speed: speed}})
		if got := p.m.Display.Flash(); got != want {
			t.Errorf("%q is said, want %q", got, want)
		}
	}
}

// noting is a feed that is recorded.
type noting struct {
	feedStub
	marks []feed.Mark
}

func (n *noting) Remember(feed.Memory) {}
func (n *noting) Mark(m feed.Mark)     { n.marks = append(n.marks, m) }

func TestACauseIsMarkedOnceAndOnlyARecordingNeedsToKnow(t *testing.T) {
	explained := 0
	opt := Options{Screen: true, Explain: func() []explain.Cause {
		explained++
		return []explain.Cause{{ID: "lasts", Class: explain.Action}, {ID: fmt.Sprint(explained), Class: explain.Action}}
	}}
	change := func(p *play) {
		d := deployment("web", 2)
		p.batch(0, feed.Batch{Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}, Synced: true})
		for i := range 5 {
			d = again(d, func(*object.Object) {})
			p.batch(time.Duration(i+1)*time.Minute, feed.Batch{Objects: []*object.Object{d}})
		}
	}
	p := newPlay(t, opt)
	if change(p); explained < 5 || len(p.m.Playback.begun) > 0 {
		t.Errorf("%d explanations, and %d causes kept for nobody", explained, len(p.m.Playback.begun))
	}
	explained = 0
	notes := &noting{}
	opt.Feed = notes
	p = newPlay(t, opt)
	notes.p = p
	change(p)
	times := map[string]int{}
	for _, k := range notes.marks {
		if k.Cause != "" {
			times[k.Cause]++
		}
	}
	if times["lasts"] != 1 || len(times) != explained+1 {
		t.Errorf("after %d explanations are marked %v", explained, times)
	}
}
