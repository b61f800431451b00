package recording

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// town is a feed of so many Deployments of ten pods each, in which something
// always crashes and comes back: ten pods change every tenth of a second. In a
// large one they come back within two seconds, in a small one by chance.
type town struct {
	deployments, sets, pods []*object.Object
	ready                   []int64 // by deployment
	r                       *rand.Rand
	now, end                time.Time
	seq                     uint64
	gen                     uint64
	changes                 int
	last                    feed.Batch
	down                    []int // in a large town: the pods that are down, in order
}

func newTown(deployments int, lasts time.Duration) *town {
	t := &town{r: rand.New(rand.NewPCG(1, 2)), now: t0.Add(time.Hour), ready: make([]int64, deployments)}
	t.end = t.now.Add(lasts)
	labels := func(i int) []object.Label {
		return []object.Label{{Key: "app.kubernetes.io/name", Value: fmt.Sprintf("web-%04d", i)}, {Key: "pod-template-hash", Value: "7c88bd5f"}}
	}
	for i := range deployments {
		t.ready[i] = 10
		d := &object.Object{
			ID: object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: fmt.Sprintf("web-%04d", i)}, Version: "v1",
			UID: fmt.Sprintf("d0000000-%04d-4000-8000-000000000000", i), ResourceVersion: "1",
			Generation: object.IntOf(1), Observed: object.IntOf(1), Created: t0,
			Workload: &object.Workload{
				Replicas: object.IntOf(10), StatusReplicas: object.IntOf(10),
				Updated: object.IntOf(10), Strategy: "RollingUpdate", HasSelector: true,
				Selector: object.Selector{Match: labels(i)[:1]}, Revision: "1",
				Images: []object.Image{{Container: "web", Image: "registry.example/shop/web:1.4"}},
			},
			Conditions: []object.Condition{
				{Statement: &object.Statement{Type: "Available", Status: "True", Reason: "MinimumReplicasAvailable", Message: "Deployment has minimum availability.", LastUpdateTime: t0}, LastTransitionTime: t0},
				{Statement: &object.Statement{Type: "Progressing", Status: "True", Reason: "NewReplicaSetAvailable", Message: fmt.Sprintf("ReplicaSet \"web-%04d-7c88bd5f\" has successfully progressed.", i), LastUpdateTime: t0}, LastTransitionTime: t0},
			},
		}
		s := &object.Object{
			ID: object.ID{Group: "apps", Kind: "ReplicaSet", Namespace: "shop", Name: d.Name + "-7c88bd5f"}, Version: "v1",
			UID: fmt.Sprintf("e0000000-%04d-4000-8000-000000000000", i), ResourceVersion: "1",
			Generation: object.IntOf(1), Observed: object.IntOf(1), Created: t0,
			Owners:   []object.Owner{{Group: "apps", Kind: "Deployment", Name: d.Name, UID: d.UID, Controller: true}},
			Workload: &object.Workload{Replicas: object.IntOf(10), StatusReplicas: object.IntOf(10), FullyLabeled: object.IntOf(10), HasSelector: true, Selector: object.Selector{Match: labels(i)}, Revision: "1"},
		}
		t.deployments, t.sets = append(t.deployments, t.counted(d, i)), append(t.sets, t.counted(s, i))
		for j := range 10 {
			p := &object.Object{
				ID:              object.ID{Kind: "Pod", Namespace: "shop", Name: fmt.Sprintf("%s-%05x", s.Name, t.r.Uint32()&0xfffff)},
				Version:         "v1",
				UID:             fmt.Sprintf("f0000000-%04d-4000-8000-%012x", i, t.r.Uint64()>>16),
				ResourceVersion: "1", Created: t0, Labels: labels(i),
				Owners: []object.Owner{{Group: "apps", Kind: "ReplicaSet", Name: s.Name, UID: s.UID, Controller: true}},
				Pod: &object.Pod{
					Node: fmt.Sprintf("node-%03d", t.r.IntN(200)), Started: t0,
					PodTemplate: &object.PodTemplate{
						RestartPolicy: "Always", ServiceAccount: "default", QOS: "Burstable",
						Requests: []object.Amount{{Name: "cpu", Milli: 100}, {Name: "memory", Milli: 128 << 30}},
						Uses:     []object.Use{{Kind: "ServiceAccount", Name: "default"}},
					},
				},
			}
			t.pods = append(t.pods, t.podIn(p, i*10+j, true, 0))
		}
	}
	return t
}

// next is o as it comes the next time: a copy that may be written to.
func (t *town) next(o *object.Object) *object.Object {
	c := *o
	t.changes++
	c.ResourceVersion = fmt.Sprint(1_000_000 + t.changes)
	c.Changed = t.now.Truncate(time.Second)
	return &c
}

func (t *town) counted(o *object.Object, i int) *object.Object {
	c := t.next(o)
	w := *c.Workload
	w.Ready, w.Available = object.IntOf(t.ready[i]), object.IntOf(t.ready[i])
	c.Workload = &w
	return c
}

func (t *town) podIn(o *object.Object, _ int, ready bool, restarts int64) *object.Object {
	c := t.next(o)
	at := t.now.Truncate(time.Second)
	p := *c.Pod
	p.Phase = "Running"
	truth, reason, message := "True", "", ""
	k := object.Container{ContainerSpec: &object.ContainerSpec{Name: "web", Image: "registry.example/shop/web:1.4"}, Ready: ready, Started: ready, Restarts: restarts, Place: 1, State: object.ContainerState{Kind: "running", Started: at}}
	if !ready {
		truth, reason, message = "False", "ContainersNotReady", "containers with unready status: [web]"
		k.State = object.ContainerState{Kind: "waiting", Reason: "CrashLoopBackOff", Message: "back-off 10s restarting failed container=web pod=" + c.Name}
		k.Prior = &object.ContainerState{Kind: "terminated", Reason: "Error", ExitCode: 1, Started: at.Add(-5 * time.Second), Finished: at}
	}
	p.Containers = []object.Container{k}
	c.Pod = &p
	c.Conditions = []object.Condition{
		{Statement: &object.Statement{Type: "Initialized", Status: "True"}, LastTransitionTime: t0},
		{Statement: &object.Statement{Type: "PodScheduled", Status: "True"}, LastTransitionTime: t0},
		{Statement: &object.Statement{Type: "Ready", Status: truth, Reason: reason, Message: message}, LastTransitionTime: at},
		{Statement: &object.Statement{Type: "ContainersReady", Status: truth, Reason: reason, Message: message}, LastTransitionTime: at},
	}
	return c
}

func (t *town) Next(_ context.Context, since uint64) (feed.Batch, error) {
	if since < t.seq {
		return t.last, nil
	}
	if !t.now.Before(t.end) {
		return feed.Batch{}, io.EOF
	}
	b := feed.Batch{Seq: since + 1, At: t.now, Synced: true, Answered: t.gen, EventsAnswered: t.gen}
	if t.seq++; t.seq == 1 {
		for i, d := range t.deployments {
			b.Roots = append(b.Roots, feed.Root{ID: d.ID, Version: "v1", Source: "deploy --all", Order: i + 1})
		}
		b.Objects = append(append(append(b.Objects, t.deployments...), t.sets...), t.pods...)
		for _, k := range [][3]string{{"apps", "deployments", "Deployment"}, {"apps", "replicasets", "ReplicaSet"}, {"", "pods", "Pod"}} {
			b.Sources = append(b.Sources, feed.SourceState{
				Key: k[1], Group: k[0], Version: "v1", Resource: k[1], Kind: k[2], Namespace: "shop",
				Mode: feed.ModeWatch, Phase: feed.Live, Since: t.now, LastData: t.now, Children: k[1] != "deployments",
			})
		}
	} else {
		for len(b.Objects) < 10 {
			i := t.r.IntN(len(t.pods))
			if len(t.deployments) >= 100 {
				if len(t.down) > 100 {
					i, t.down = t.down[0], t.down[1:]
				} else if t.pods[i].Pod.Containers[0].Ready {
					t.down = append(t.down, i)
				} else {
					continue
				}
			}
			was := &t.pods[i].Pod.Containers[0]
			o := t.podIn(t.pods[i], i, !was.Ready, was.Restarts+1)
			t.pods[i] = o
			if o.Pod.Containers[0].Ready {
				t.ready[i/10]++
			} else {
				t.ready[i/10]--
			}
			t.sets[i/10], t.deployments[i/10] = t.counted(t.sets[i/10], i/10), t.counted(t.deployments[i/10], i/10)
			b.Objects = withNewest(b.Objects, o)
			if t.r.IntN(3) == 0 {
				b.Objects = withNewest(b.Objects, t.sets[i/10], t.deployments[i/10])
			}
			if !was.Ready && t.r.IntN(4) == 0 {
				b.Events = append(b.Events, object.Event{UID: fmt.Sprint("ev", t.changes), About: o.ID, AboutUID: o.UID, Type: "Warning", Reason: "BackOff", Message: "Back-off restarting failed container", Last: t.now, Count: 1})
			}
		}
	}
	t.now = t.now.Add(100 * time.Millisecond)
	t.last = b
	return b, nil
}

// withNewest adds objects to those of a batch, each once.
func withNewest(list []*object.Object, objects ...*object.Object) []*object.Object {
	for _, o := range objects {
		list = slices.DeleteFunc(list, func(x *object.Object) bool { return x.ID == o.ID })
		list = append(list, o)
	}
	return list
}

func (t *town) Want(w feed.Wants) { t.gen = max(t.gen, w.Gen) }
func (t *town) Detail(context.Context, object.ID) (feed.Detail, error) {
	return feed.Detail{}, errors.New("nothing")
}

func (t *town) Logs(context.Context, feed.LogKey, uint64) (feed.LogChunk, error) {
	return feed.LogChunk{}, errors.New("nothing")
}

// watched runs a model on a feed until the feed ends, and lets the time pass
// up to a moment.
func watched(t testing.TB, source feed.Feed, opt model.Options, until time.Time) *model.Model {
	t.Helper()
	opt.Feed = source
	m, begin := model.New(opt)
	todo := []tea.Cmd{begin}
	send := func(msg model.Msg) {
		var cmd tea.Cmd
		m, cmd = m.Update(msg)
		if cmd != nil {
			todo = append(todo, cmd)
		}
	}
	pass := func(to time.Time) {
		for range 10_000 {
			wake := m.Intake.NextWake()
			if wake.IsZero() || !wake.Before(to) || !wake.After(m.Facts.Now()) {
				return
			}
			send(model.ClockTicked{Now: wake})
		}
	}
	for len(todo) > 0 {
		cmd := todo[0]
		todo = todo[1:]
		answer, batch := viewstest.Answer(cmd)
		todo = append(batch, todo...)
		switch msg := answer.(type) {
		case nil:
		case model.BatchArrived:
			if msg.Batch.Jump == nil {
				pass(msg.Batch.At)
			}
			send(msg)
		case model.FeedEnded:
			if !errors.Is(msg.Err, io.EOF) {
				t.Fatal(msg.Err)
			}
		default:
			send(msg)
		}
	}
	pass(until)
	send(model.ClockTicked{Now: until})
	return m
}

// recorded is the recording of a town, and the model that saw it live.
func recorded(t testing.TB, out io.WriteCloser, deployments int, lasts time.Duration) *model.Model {
	t.Helper()
	source := newTown(deployments, lasts)
	h := Header{Program: "test", Started: source.now, Sources: []string{"deploy --all"}, Children: "all"}
	w := NewWriter(out, h)
	m := watched(t, w.Tap(source), model.Options{Now: source.now, Sources: h.Sources, Children: model.ChildrenAll}, source.end)
	if err := w.Close(source.end); err != nil {
		t.Fatal(err)
	}
	return m
}

// aTown is a minute of a town of 120 Pods: its recording, of several chapters, and how it ended live. Nobody writes to it.
func aTown(t testing.TB) (data []byte, verdict status.Status) {
	t.Helper()
	townOnce.Do(func() {
		var out bytes.Buffer
		live := recorded(t, nopCloser{&out}, 12, time.Minute)
		townData, townVerdict = out.Bytes(), live.Facts.Verdict().Status
	})
	return townData, townVerdict
}

var (
	townOnce    sync.Once
	townData    []byte
	townVerdict status.Status
)

var causeSince = regexp.MustCompile(`(?m)^ +"since": .*$`)

// summaryOf is everything that is said of a model.
func summaryOf(t testing.TB, m *model.Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.JSON(&b, m.Facts); err != nil {
		t.Fatal(err)
	}
	// Since when a cause lasts the model remembers from one explanation to the
	// next; after a jump it begins anew.
	resources, causes, _ := strings.Cut(b.String(), "\n  \"causes\": [")
	b.Reset()
	b.WriteString(resources + causeSince.ReplaceAllString(causes, ""))
	for _, id := range m.Facts.Roots() {
		r, _ := m.Facts.Resource(id)
		fmt.Fprintln(&b, id, r.Changed, r.OwnChange, r.Stalled, r.Known, r.Lead, r.LeadReason)
	}
	v := m.Facts.Verdict()
	fmt.Fprintln(&b, v, m.Facts.Counts(), m.Facts.GeneratedCounts(), m.Facts.Known(), m.Facts.Connection())
	history := m.Facts.World.Records.History.List
	for _, h := range history[max(0, len(history)-1000):] {
		fmt.Fprintln(&b, h)
	}
	return b.String()
}

func replayOptions(p *Player) model.Options {
	h := p.Header()
	return model.Options{Now: p.Start(), Sources: h.Sources, Children: model.Children(h.Children), Recording: "test"}
}

// lived is a recording played up to a moment; jumped begins there.
func lived(t testing.TB, data []byte, at time.Time) *model.Model {
	p := open(t, data)
	p.Speed, p.Until = 0, at
	return watched(t, p, replayOptions(p), at)
}

func jumped(t testing.TB, data []byte, at time.Time) *model.Model {
	p := open(t, data)
	p.Speed, p.Until = 0, at
	p.Seek(at)
	return watched(t, p, replayOptions(p), at)
}

func open(t testing.TB, data []byte) *Player {
	t.Helper()
	p, err := NewPlayer(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAJumpShowsTheSameStateAsPlaying(t *testing.T) {
	t.Parallel()
	data, live := aTown(t)
	p := open(t, data)
	if len(p.file.places) < 4 {
		t.Fatalf("%d chapters: this tests nothing", len(p.file.places))
	}
	moments := []time.Duration{
		50*time.Second + time.Millisecond, 0, 50 * time.Millisecond, 14*time.Second + 950*time.Millisecond,
		31 * time.Second, 59*time.Second + 930*time.Millisecond,
	}
	if testing.Short() {
		moments = moments[:1]
	}
	for _, after := range moments {
		at := p.Start().Add(after)
		if diff := cmp.Diff(strings.Split(summaryOf(t, lived(t, data, at)), "\n"), strings.Split(summaryOf(t, jumped(t, data, at)), "\n")); diff != "" {
			t.Fatalf("after %v (-played +jumped):\n%s", after, diff)
		}
	}
	if replayed := lived(t, data, p.End()).Facts.Verdict().Status; live != replayed {
		t.Errorf("live it was %s, replayed %s", live, replayed)
	}
	if len(p.marks) == 0 || p.marks[0].Verdict == "" {
		t.Errorf("the marks are missing: %+v", p.marks)
	}
}

// Wherever a jump comes from: what was there before leaves no trace.
func TestManyJumpsShowTheSameStateAsPlaying(t *testing.T) {
	t.Parallel()
	data, _ := aTown(t)
	p := open(t, data)
	defer p.Close()
	p.Speed, p.Hold = 0, true
	m, _ := model.New(replayOptions(p))
	r, jumps := rand.New(rand.NewPCG(5, 6)), 25
	if testing.Short() {
		jumps = 2
	}
	for i := range jumps {
		at := p.Start().Add(time.Duration(r.Int64N(int64(p.End().Sub(p.Start())))))
		p.Seek(at)
		for more := true; more; more = m.Playback.Jumping() {
			b, err := p.Next(t.Context(), p.read.last.Seq)
			if err != nil {
				t.Fatal(err)
			}
			m, _ = m.Update(model.BatchArrived{Batch: b})
		}
		m, _ = m.Update(model.ClockTicked{Now: at})
		if diff := cmp.Diff(strings.Split(summaryOf(t, lived(t, data, at)), "\n"), strings.Split(summaryOf(t, m), "\n")); diff != "" {
			t.Fatalf("jump %d, to %v after the beginning (-played +jumped):\n%s", i, at.Sub(p.Start()), diff)
		}
	}
}

// With a model that marks and remembers, too.
func TestRecordingAReplayGivesTheSameFile(t *testing.T) {
	t.Parallel()
	var first, second bytes.Buffer
	recorded(t, nopCloser{&first}, 6, 40*time.Second)
	p := open(t, first.Bytes())
	p.Speed = 0
	w := NewWriter(nopCloser{&second}, p.Header())
	watched(t, w.Tap(p), replayOptions(p), p.End())
	if err := w.Close(p.Now()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(unzip(t, first.Bytes()), "\n"), strings.Split(unzip(t, second.Bytes()), "\n")); diff != "" {
		t.Errorf("-recorded +recorded again:\n%.3000s", diff)
	}
}

var (
	minutes = flag.Int("minutes", 2, "how long BenchmarkHour's recording lasts: 60 for the hour, which takes ten minutes to make")
	kept    = flag.String("recording", "", "the file of BenchmarkHour: made where it does not exist, and kept")
)

// BenchmarkHour records an hour of ten thousand Pods with a hundred changes of
// pods a second, then opens the file and jumps about in it.
func BenchmarkHour(b *testing.B) {
	name := *kept
	if name == "" {
		name = filepath.Join(b.TempDir(), "hour.rec.gz")
	}
	if _, err := os.Stat(name); err != nil {
		f, err := os.Create(name)
		if err != nil {
			b.Fatal(err)
		}
		recorded(b, f, 1000, time.Duration(*minutes)*time.Minute)
	}
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	p, err := Open(name)
	if err != nil {
		b.Fatal(err)
	}
	lasts := p.End().Sub(p.Start())
	b.Logf("%v of 10,000 Pods with 100 changes a second (-minutes 60 makes the hour): %d chapters, %.1f MB, %.0f bytes for each change of a pod", lasts, len(p.file.places), float64(info.Size())/1e6, float64(info.Size())/(lasts.Seconds()*100))
	end := p.End()
	_ = p.Close()
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			p, m := shown(b, name, time.Time{})
			if m.Facts.Known() == 0 {
				b.Fatal("nothing is shown")
			}
			_ = p.Close()
		}
	})
	b.Run("jump", func(b *testing.B) {
		p, m := shown(b, name, time.Time{})
		defer p.Close()
		seq := p.read.last.Seq
		r := rand.New(rand.NewPCG(3, 4))
		var worst time.Duration
		used, jumps := processorTime(), 0 // with what was put off
		for b.Loop() {
			began := time.Now()
			jumps++
			p.Seek(p.Start().Add(time.Duration(r.Int64N(int64(end.Sub(p.Start()))))))
			for more := true; more; more = m.Playback.Jumping() {
				batch, err := p.Next(b.Context(), seq)
				if err != nil {
					b.Fatal(err)
				}
				seq = batch.Seq
				m, _ = m.Update(model.BatchArrived{Batch: batch})
			}
			worst = max(worst, time.Since(began))
			// Who has jumped looks at where they are: the next batch is asked for, and
			// there is time for what was put off.
			b.StopTimer()
			wait, enough := context.WithTimeout(b.Context(), 50*time.Millisecond)
			if batch, err := p.Next(wait, seq); err == nil {
				seq = batch.Seq
				m, _ = m.Update(model.BatchArrived{Batch: batch})
			}
			enough()
			p.leaping.Wait()
			b.StartTimer()
		}
		b.ReportMetric(float64((processorTime()-used).Milliseconds())/float64(jumps), "cpu-ms/op")
		b.ReportMetric(float64(worst.Milliseconds()), "ms-worst")
		var mem runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&mem)
		b.ReportMetric(float64(mem.HeapAlloc)/1e6, "MB-held")
		b.ReportMetric(float64(mem.HeapSys-mem.HeapReleased)/1e6, "MB-heap")
		runtime.KeepAlive(m)
	})
}

// shown opens a recording and takes its first moment, or that of a jump, as the
// dashboard does.
func shown(t testing.TB, name string, at time.Time) (*Player, *model.Model) {
	p, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p.Hold = true
	if !at.IsZero() {
		p.Seek(at)
	}
	opt := replayOptions(p)
	opt.Screen = true
	m, _ := model.New(opt)
	m, _ = m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	b, err := p.Next(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	m, _ = m.Update(model.BatchArrived{Batch: b})
	return p, m
}

// What recording costs beside following: the processor's time for a minute of
// ten thousand Pods with a hundred changes of pods a second, the beginnings of
// the chapters that come due in it included, as a part of a core.
func BenchmarkRecord(b *testing.B) {
	for b.Loop() {
		source := newTown(1000, time.Minute)
		opt := model.Options{Now: source.now, Sources: []string{"deploy --all"}, Children: model.ChildrenAll}
		var mem feed.Memory
		w := NewWriter(nopCloser{io.Discard}, Header{Started: source.now})
		tapped := w.Tap(source).(*tap)
		// What the reader knows is made once: to make it is the reader's work, and
		// measured with it.
		book := notebook{take: func(m feed.Memory) { mem = m }}
		opt.Feed = &book
		m, _ := model.New(opt)
		first, err := tapped.Next(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		marked := first
		marked.Bookmark = true
		m, cmd := m.Update(model.BatchArrived{Batch: marked})
		used := processorTime()
		viewstest.Answers(cmd)
		chapters, changes := 0, 0
		for seq := first.Seq; ; {
			batch, err := tapped.Next(b.Context(), seq)
			if err != nil {
				break
			}
			seq = batch.Seq
			changes += len(batch.Objects)
			if batch.Bookmark {
				chapters++
				own := mem
				own.Seq = batch.Seq
				tapped.Remember(own)
			}
		}
		spent := processorTime() - used
		if err := w.Close(source.end); err != nil {
			b.Fatal(err)
		}
		runtime.KeepAlive(m)
		b.ReportMetric(100*spent.Seconds()/time.Minute.Seconds(), "%-of-a-core")
		b.ReportMetric(float64(chapters), "chapters")
		b.ReportMetric(float64(spent.Nanoseconds())/float64(changes), "ns/change")
	}
}

// notebook is a feed that only notes marks and memories.
type notebook struct {
	town
	take func(feed.Memory)
}

func (n *notebook) Next(context.Context, uint64) (feed.Batch, error) {
	return feed.Batch{}, io.EOF
}
func (n *notebook) Remember(m feed.Memory) { n.take(m) }
func (n *notebook) Mark(feed.Mark)         {}
