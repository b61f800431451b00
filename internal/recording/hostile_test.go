package recording

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const headLine = `{"schema":"kstatus-tui/recording/v2"}` + "\n"

func zipped(text ...string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, t := range text {
		_, _ = z.Write([]byte(t))
	}
	_ = z.Close()
	return b.Bytes()
}

// bomb is a compressed recording whose text is long beyond what its file is: a
// beginning, a part that comes again and again, and an end.
func bomb(begin, again string, times int, end string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(headLine + begin))
	block := []byte(strings.Repeat(again, 1000))
	for range times / 1000 {
		_, _ = z.Write(block)
	}
	_, _ = z.Write([]byte(end + "\n"))
	_ = z.Close()
	return b.Bytes()
}

// chaptered is a small recording with three chapters, details and logs.
func chaptered(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(nopCloser{&out}, Header{Program: "test", Started: t0, Sources: []string{"pod/a"}})
	w.Tap(&script{})
	s := &script{detail: "kind: Pod\n", lines: []string{"one", "two"}}
	source := w.Tap(s).(*tap)
	var objects []*object.Object
	for i := range 12 {
		at := t0.Add(time.Duration(i) * time.Second)
		o := pod("a", fmt.Sprint("Phase", i))
		b := feed.Batch{Seq: uint64(i + 1), At: at, Objects: []*object.Object{o}, Synced: true}
		if i == 0 {
			b.Roots = []feed.Root{{ID: o.ID, Source: "pod/a"}}
			b.Objects = append(b.Objects, pod("b", "Running"))
		}
		objects = []*object.Object{o, pod("b", "Running")}
		w.add(b)
		if i%4 == 3 {
			w.changes = 1 << 20 // as if there had been many
			if !w.bookmark(b.Seq) {
				t.Fatal("no chapter begins")
			}
			source.Mark(feed.Mark{At: at, Verdict: status.Failed})
			source.Remember(feed.Memory{
				At: at, Seq: b.Seq, Verdict: status.Failed, Since: at,
				State:   feed.Batch{At: at, Objects: objects, Synced: true, Roots: []feed.Root{{ID: o.ID, Source: "pod/a"}}},
				Objects: []feed.Remembered{{ID: o.ID, Seen: 3}, {ID: objects[1].ID, Status: status.Failed}},
				Causes:  []feed.Began{{ID: "x", Found: 1}},
			})
		}
		w.add(line{Logs: &logs{At: at, Key: feed.LogKey{Pod: o.ID, Container: "app"}, Chunk: feed.LogChunk{Lines: []feed.LogLine{{Text: "hello"}}}}})
	}
	if err := w.Close(t0.Add(12 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if p := open(t, out.Bytes()); len(p.file.places) != 4 {
		t.Fatalf("%d chapters", len(p.file.places))
	}
	return out.Bytes()
}

// Every cut leaves a file that plays up to it, from the beginning and after a
// jump, and says that it was cut off.
func TestARecordingWithChaptersCutAnywherePlaysUpToTheCut(t *testing.T) {
	t.Parallel()
	data := chaptered(t)
	played := cuts(t, data, func(cut int, p *Player) {
		var phases []string
		said := false
		each := func(b feed.Batch) {
			for _, o := range b.Objects {
				if o.Name == "a" {
					phases = append(phases, o.Pod.Phase)
				}
			}
			for _, n := range b.Notices {
				said = said || n.From == "recording"
			}
		}
		got, _ := play(t, p)
		for _, b := range got {
			each(b)
		}
		for i, phase := range phases {
			if phase != fmt.Sprint("Phase", i) {
				t.Fatalf("cut at %d of %d: %q", cut, len(data), phases)
			}
		}
		if !said && len(phases) < 12 {
			t.Fatalf("cut at %d of %d: nothing says so after %d", cut, len(data), len(phases))
		}
		n := len(phases)

		p, _ = NewPlayer(bytes.NewReader(data[:cut]))
		p.Speed = 0
		p.Seek(p.End())
		phases = nil
		got, _ = play(t, p)
		for _, b := range got {
			for _, part := range parts(b) {
				each(part)
			}
		}
		if len(phases) == 0 || phases[len(phases)-1] != fmt.Sprint("Phase", n-1) {
			t.Fatalf("cut at %d of %d: jumping to the end shows %q, playing %d phases", cut, len(data), phases, n)
		}
	})
	if tried := len(data) / cutStep(); played < tried/2 {
		t.Errorf("only %d of %d cuts left anything to play", played, tried)
	}
}

// cuts hands over a player of every beginning of a recording that can be played
// at all, and says how many those are. The others are refused in a line.
func cuts(t *testing.T, data []byte, f func(cut int, p *Player)) (played int) {
	t.Helper()
	for cut := 0; cut < len(data); cut += cutStep() {
		p, err := NewPlayer(bytes.NewReader(data[:cut]))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("cut at %d: %q is more than a line", cut, err)
			}
			continue
		}
		p.Speed = 0
		f(cut, p)
		played++
	}
	return played
}

// cutStep is from which cut to which next: the race detector sees no more at every byte.
func cutStep() int {
	if testing.Short() {
		return 7
	}
	return 1
}

// parts are a batch with everything that a jump in it brings, in order.
func parts(b feed.Batch) []feed.Batch {
	var out []feed.Batch
	if j := b.Jump; j != nil {
		for _, m := range j.Memory {
			out = append(out, m.State)
		}
		out = append(out, j.Past...)
	}
	return append(out, b)
}

// peak is how much the heap has held at most while f ran, beyond what it held.
func peak(f func()) uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 { metrics.Read(sample); return sample[0].Value.Uint64() }
	begin, most := read(), uint64(0)
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most = max(most, read())
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	f()
	close(done)
	<-stopped
	return most - min(begin, most)
}

// A small file that expands to gigabytes ends with an error, without filling
// the memory. The bounds are a fraction of the real ones here.
func TestACompressionBombIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("reads files of a gigabyte in one goroutine: make test does that, without the race detector")
	}
	line, total, values, heap := maxLine, maxTotal, maxValues, maxHeap
	t.Cleanup(func() {
		maxLine, maxTotal, maxValues, maxHeap = line, total, values, heap
		debug.SetMemoryLimit(math.MaxInt64)
	})
	maxLine, maxTotal, maxValues = line/16, total/16, values/8
	const room = 32 << 20
	first := `{"batch":{"seq":1,"at":"2000-01-01T00:00:00Z","objects":[{"kind":"Pod","name":"a"}]}}` + "\n"
	many := func(key, element string) string {
		return `{"batch":{"seq":2,"at":"2000-01-01T00:00:01Z","` + key + `":[` + element
	}
	full := `{"kind":"Pod","name":"a","conditions":[{"type":"Ready"}],"pod":{"phase":"Running","containers":[{"name":"x"}]}}`
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"a line of spaces":          {bomb(first, "          ", 200_000, ""), "longer than"},
		"a line of brackets":        {bomb(first+`{"x":`, "[", 1_000_000, ""), "more than"},
		"objects like the first":    {bomb(first+many("objects", full), `,{}`, 200_000, "]}}"), "more than"},
		"objects of nothing":        {bomb(first+many("objects", "{}"), `,{"kind":""}`, 70_000, "]}}"), "more than"},
		"deletions of nothing":      {bomb(first+many("gone", `{"id":{"kind":"Pod","name":"a"}}`), `,{}`, 200_000, "]}}"), "more than"},
		"events":                    {bomb(first+many("events", `{"uid":"e","message":"hello"}`), `,{}`, 200_000, "]}}"), "more than"},
		"conditions of nothing":     {bomb(first+many("objects", `{"kind":"Pod","name":"b","conditions":[{}`), `,{}`, 200_000, "]}]}}"), "more than"},
		"a tree of empty lists":     {bomb(first+many("objects", `{"kind":"X","name":"b","tree":{"a":[0`), `,[]`, 200_000, "]}}]}}"), "more than"},
		"a line for ever":           {bomb(first, `{"x":"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"}`+"\n", 1200_000, ""), "is larger than"},
		"objects in many lines":     {manyLines(first), "of memory"},
		"parts of one endless time": {endless(first), "of memory"},
		"text in many objects":      {longTexts(first), "of memory"},
	} {
		t.Run(name, func(t *testing.T) {
			if len(test.data) > 30<<20 {
				t.Fatalf("the file itself has %d bytes", len(test.data))
			}
			var said error
			runtime.GC()
			maxHeap = liveHeap() + room
			limitMemory()
			most := peak(func() {
				p, err := NewPlayer(bytes.NewReader(test.data))
				if err != nil {
					said = err
					return
				}
				p.Speed = 0
				var shown []*object.Object // the player keeps them
				for seq := uint64(0); ; {
					b, err := p.Next(t.Context(), seq)
					if err != nil {
						if !errors.Is(err, io.EOF) {
							said = err
						}
						return
					}
					seq = b.Seq
					shown = append(shown, b.Objects...)
					runtime.KeepAlive(shown)
					for _, n := range b.Notices {
						said = errors.New(n.Text)
					}
				}
			})
			if said == nil || !strings.Contains(said.Error(), test.want) {
				t.Errorf("it says %v, want %q", said, test.want)
			}
			if most > 4*room {
				t.Errorf("%d MB were held at once", most>>20)
			}
		})
	}
}

// manyLines are lines each of which holds a fair number of objects.
func manyLines(first string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(headLine + first))
	for i := range 100 {
		fmt.Fprintf(z, `{"batch":{"seq":%d,"at":"2000-01-01T00:00:01Z","objects":[{"kind":"Pod","name":"p"}`, i+2)
		for j := range 1000 {
			fmt.Fprintf(z, `,{"name":"p%d-%d","conditions":[{},{},{},{},{},{},{},{},{},{}]}`, i, j)
		}
		_, _ = z.Write([]byte("]}}\n"))
	}
	_ = z.Close()
	return b.Bytes()
}

// longTexts are objects each of which holds a fair amount of text.
func longTexts(first string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(headLine + first))
	texts := strings.Repeat(`"`+strings.Repeat("x", 4000)+`",`, 100)
	for i := range 120 {
		fmt.Fprintf(z, `{"batch":{"seq":%d,"at":"2000-01-01T00:00:01Z","objects":[{"kind":"X","name":"x%d","tree":{"a":[%s0]}}]}}`+"\n", i+2, i, texts)
	}
	_ = z.Close()
	return b.Bytes()
}

// endless is a moment that never ends.
func endless(first string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(headLine + first))
	part := []byte(`{"batch":{"seq":2,"at":"2000-01-01T00:00:01Z","more":true,"events":[{"uid":"e"}` +
		strings.Repeat(",{}", 10_000) + "]}}\n")
	for range 100 {
		_, _ = z.Write(part)
	}
	_ = z.Close()
	return b.Bytes()
}

func TestACutFilePlaysUpToTheCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		batches := sample()
		data := record(t, batches)
		played := cuts(t, data, func(cut int, p *Player) {
			got, _ := play(t, p)
			last := got[len(got)-1]
			if len(last.Notices) != 1 || !strings.Contains(last.Notices[0].Text, "cut off") {
				t.Fatalf("cut at %d of %d: nothing says so: %+v", cut, len(data), last)
			}
			want := numbered(batches)[:len(got)-1]
			if diff := cmp.Diff(want, got[:len(got)-1]); diff != "" {
				t.Fatalf("cut at %d: %s", cut, diff)
			}
		})
		if played == 0 {
			t.Error("no cut left anything to play")
		}
	})
}

func TestForeignFilesAreRefusedInALine(t *testing.T) {
	header := headLine
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":          {nil, "is empty"},
		"a picture":        {[]byte("\x89PNG\r\n"), "not a recording"},
		"another gzip":     {zipped("hello\n"), "not a recording"},
		"another JSON":     {[]byte(`{"kind":"List"}` + "\n"), "not a recording"},
		"an older one":     {zipped(`{"schema":"kstatus-tui/recording/v1","program":"kstatus-tui v0.0.9"}` + "\n"), "another version: kstatus-tui/recording/v1, written by kstatus-tui v0.0.9, which plays it; this program plays kstatus-tui/recording/v2"},
		"a newer one":      {zipped(`{"schema":"kstatus-tui/recording/v3"}` + "\n"), "another version: kstatus-tui/recording/v3"},
		"a header alone":   {zipped(header), "is empty"},
		"a broken line":    {zipped(header + "{\"batch\":\n"), "damaged in line 2"},
		"a list of nulls":  {zipped(header + `{"batch":{"objects":[null]}}` + "\n"), "damaged in line 2"},
		"a wrong type":     {zipped(header + `{"batch":{"seq":"x"}}` + "\n"), "damaged in line 2: json: cannot unmarshal string"},
		"an endless line":  {zipped(header + strings.Repeat("x", maxLine+1)), "longer than"},
		"broken gzip":      {[]byte("\x1f\x8bnothing"), "compression is broken"},
		"not quite a time": {zipped(header + `{"batch":{"at":"noon"}}` + "\n"), `parsing time "noon"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewPlayer(bytes.NewReader(test.data))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want it to say %q", err, test.want)
			}
		})
	}
}

func TestAHostileFileCannotTouchTheScreenOrTheClock(t *testing.T) {
	lines := []string{
		`{"schema":"kstatus-tui/recording/v2","title":"\u001b[2Jx"}`,
		`{"batch":{"at":"2000-01-01T00:00:00Z","objects":[{"kind":"Pod","name":"a\u001b]0;x\u0007","tree":{"a\u009b":"\u202eb"}}]}}`,
		`{"batch":{"at":"1900-01-01T00:00:00Z"}}`,
		`{"batch":{"at":"9999-01-01T00:00:00Z"}}`,
		`{"future":{"at":1}}`,
	}
	p := open(t, []byte(strings.Join(lines, "\n")+"\n"))
	p.Speed = 0
	got, _ := play(t, p)
	for _, b := range got {
		if !b.At.Equal(t0) {
			t.Errorf("a batch at %v", b.At)
		}
	}
	text := fmt.Sprintf("%q %q %q", p.Header().Title, got[0].Objects[0].Name, got[0].Objects[0].Tree)
	if strings.Contains(text, `\x1b`) || strings.Contains(text, `\u009b`) ||
		strings.Contains(text, `\u202e`) || strings.Contains(text, `\a`) {
		t.Errorf("control characters came through: %s", text)
	}
}

// Any file plays, forwards, back and by jumps, or reports its damage; its clock
// never runs back, and no object is nil.
func FuzzPlayer(f *testing.F) {
	var b []byte
	for _, s := range sample() {
		text, err := encode(line{Batch: &batch{Batch: s}})
		if err != nil {
			f.Fatal(err)
		}
		b = append(b, text...)
	}
	f.Add([]byte(headLine + string(b)))
	f.Add([]byte(headLine + `{"batch":{"more":true}}` + "\n" + `{"logs":{"chunk":{"lines":[{}]}}}` + "\n"))
	f.Add([]byte(headLine + `{"batch":{"seq":1,"objects":[{"kind":"Pod","name":"a"},{"name":"b"},{"group":"apps","kind":"Deployment"},{"kind":"Pod"}]}}` + "\n" +
		`{"batch":{"seq":2,"objects":[{"kind":"Pod","name":"a","pod":{"phase":"x","containers":[{}]}},{"name":"b","conditions":[{}]}]}}` + "\n"))
	f.Add([]byte("\x1f\x8b"))
	chapters := chaptered(f)
	f.Add(chapters)
	for _, cut := range []int{3, 2, 1} {
		f.Add(chapters[:len(chapters)*cut/4])
	}
	// The chapters' lines without compression, which a fuzzer cannot mutate.
	for _, member := range bytes.SplitAfter(chapters, []byte("KT")) {
		f.Add(member)
	}
	if plain, err := gzip.NewReader(bytes.NewReader(chapters)); err == nil {
		text, _ := io.ReadAll(plain)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := NewPlayer(bytes.NewReader(data))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q is more than a line", err)
			}
			return
		}
		defer p.Close()
		p.Speed = 0
		last := p.Start()
		seq := uint64(0)
		check := func(b feed.Batch) {
			if b.Seq != seq+1 {
				t.Fatalf("batch %d after %d", b.Seq, seq)
			}
			seq = b.Seq
			if b.Jump != nil {
				last = time.Time{}
			}
			if b.At.Before(last) {
				t.Fatalf("batch %d at %v after one at %v", b.Seq, b.At, last)
			}
			last = b.At
			for _, part := range parts(b) {
				if slices.Contains(part.Objects, nil) {
					t.Fatal("a nil object")
				}
			}
		}
		for range 10_000 {
			b, err := p.Next(context.Background(), seq)
			if err != nil {
				break
			}
			check(b)
		}
		half := p.Start().Add(p.End().Sub(p.Start()) / 2)
		for _, order := range []func(){
			func() { p.Seek(half) }, func() { p.Step(-1) }, func() { p.Step(2) }, func() { p.Seek(p.End()) }, func() { p.Seek(p.Start()) },
		} {
			order()
			for more := true; more; {
				b, err := p.Next(context.Background(), seq)
				if err != nil {
					return
				}
				check(b)
				more = b.Jump != nil && b.Jump.More
			}
		}
	})
}

func TestANullInAListIsReadAsAnEmptyElement(t *testing.T) {
	for _, part := range []string{"batch", "state"} {
		var l line
		if err := decode([]byte(`{"`+part+`":{"objects":[{"kind":"Pod","name":"a","conditions":[null,{"type":"Ready"}],"pod":{"containers":[null,{"name":"x"}]}}]}}`), &l); err != nil {
			t.Fatal(err)
		}
		var o *object.Object
		if l.Batch != nil {
			o = l.Batch.Objects[0]
		} else {
			o = l.State.Objects[0]
		}
		if len(o.Conditions) != 2 || o.Conditions[0].Statement == nil || o.Conditions[1].Type != "Ready" {
			t.Errorf("the conditions are %+v", o.Conditions)
		}
		if c := o.Pod.Containers; o.Pod.PodTemplate == nil || len(c) != 2 || c[0].ContainerSpec == nil || c[1].Name != "x" {
			t.Errorf("the containers are %+v", c)
		}
	}
}

// A recording may give an object the view of another kind. Nine rules read the
// view of the kind that they judge.
func TestAViewOfAnotherKindIsDropped(t *testing.T) {
	views := []string{"pod", "workload", "job", "cronJob", "service", "endpoints", "claim"}
	for kind, own := range map[string]string{
		`"kind":"Pod"`: "pod", `"group":"apps","kind":"Deployment"`: "workload", `"group":"apps","kind":"ReplicaSet"`: "workload",
		`"group":"apps","kind":"StatefulSet"`: "workload", `"group":"apps","kind":"DaemonSet"`: "workload", `"kind":"ReplicationController"`: "workload",
		`"group":"batch","kind":"Job"`: "job", `"group":"batch","kind":"CronJob"`: "cronJob", `"kind":"Service"`: "service",
		`"group":"discovery.k8s.io","kind":"EndpointSlice"`: "endpoints", `"kind":"PersistentVolumeClaim"`: "claim", `"kind":"ConfigMap"`: "",
	} {
		for _, view := range views {
			var objects []*object.Object
			if err := json.Unmarshal([]byte(`[{`+kind+`,"name":"x","`+view+`":{}}]`), &objects); err != nil {
				t.Fatal(err)
			}
			if err := complete(objects); err != nil || objects[0].HasView() != (view == own) {
				t.Errorf("%s with the view %s: %v, %v", kind, view, err, objects[0].HasView())
			}
		}
	}
}
