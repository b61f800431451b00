package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// t0 is the moment at which a bubble's clock begins.
var t0 = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// script is a feed that hands over given batches at their moments.
type script struct {
	batches []feed.Batch
	detail  string
	lines   []string
}

func (s *script) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	if since >= uint64(len(s.batches)) {
		return feed.Batch{}, io.EOF
	}
	b := s.batches[since]
	select {
	case <-time.After(time.Until(b.At)):
	case <-ctx.Done():
		return feed.Batch{}, ctx.Err()
	}
	b.Seq = since + 1
	return b, nil
}
func (s *script) Want(feed.Wants) {}
func (s *script) Detail(_ context.Context, id object.ID) (feed.Detail, error) {
	return feed.Detail{ID: id, YAML: s.detail, At: time.Now()}, nil
}

func (s *script) Logs(_ context.Context, _ feed.LogKey, since uint64) (feed.LogChunk, error) {
	c := feed.LogChunk{Cursor: uint64(len(s.lines))}
	for _, l := range s.lines[since:] {
		c.Lines = append(c.Lines, feed.LogLine{At: time.Now(), Text: l})
	}
	return c, nil
}

func pod(name, phase string) *object.Object {
	return &object.Object{
		ID: object.ID{Kind: "Pod", Namespace: "shop", Name: name}, Version: "v1", UID: "u-" + name,
		Generation: object.IntOf(1), Pod: &object.Pod{PodTemplate: &object.PodTemplate{}, Phase: phase},
	}
}

func sample() []feed.Batch {
	return []feed.Batch{
		{At: t0, Roots: []feed.Root{{ID: object.ID{Kind: "Pod", Namespace: "shop", Name: "a"}, Source: "pod/a"}}, Objects: []*object.Object{pod("a", "Pending")}, Synced: true},
		{At: t0.Add(5 * time.Second), Objects: []*object.Object{pod("a", "Running")}, Synced: true},
		{At: t0.Add(65 * time.Second), Gone: []feed.Gone{{ID: object.ID{Kind: "Pod", Namespace: "shop", Name: "a"}, UID: "u-a"}}, Synced: true},
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// record runs batches through a writer at their moments.
func record(t *testing.T, batches []feed.Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(nopCloser{&out}, Header{Program: "test", Started: batches[0].At, Sources: []string{"pod/a"}})
	source := w.Tap(&script{batches: batches})
	for seq := uint64(0); ; seq++ {
		if _, err := source.Next(t.Context(), seq); err != nil {
			break
		}
	}
	if err := w.Close(batches[len(batches)-1].At); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// play takes everything from a player, with the moments of the real clock.
func play(t testing.TB, p *Player) (out []feed.Batch, at []time.Duration) {
	t.Helper()
	begin := time.Now()
	for seq := uint64(0); ; {
		b, err := p.Next(t.Context(), seq)
		if errors.Is(err, io.EOF) {
			return out, at
		}
		if err != nil {
			t.Fatal(err)
		}
		seq = b.Seq
		out = append(out, b)
		at = append(at, time.Since(begin))
	}
}

func numbered(batches []feed.Batch) []feed.Batch {
	out := make([]feed.Batch, len(batches))
	for i, b := range batches {
		b.Seq, b.Known = uint64(i+1), feed.KnownBySources
		out[i] = b
	}
	return out
}

func TestARecordingPlaysAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := record(t, sample())
		got, at := play(t, open(t, data))
		if diff := cmp.Diff(numbered(sample()), got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]time.Duration{0, 5 * time.Second, 65 * time.Second}, at); diff != "" {
			t.Error("moments:", diff)
		}
	})
}

func TestAReplayKeepsItsSpeedAndBeginsAtItsMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := record(t, sample())
		p := open(t, data)
		p.Speed = 10
		if _, at := play(t, p); at[2] != 6500*time.Millisecond {
			t.Errorf("at ten times the speed the end came after %v", at[2])
		}
		p = open(t, data)
		p.Speed = 0
		p.Until, _ = p.Moment("30s")
		got, at := play(t, p)
		if len(got) != 2 || at[1] != 0 {
			t.Errorf("%d batches up to 30 s, the last after %v of waiting", len(got), at[1])
		}
		if want := t0.Add(30 * time.Second); !p.Now().Equal(want) {
			t.Errorf("the clock stands at %v, want %v", p.Now(), want)
		}
		if _, err := p.Moment("yesterday"); err == nil {
			t.Error("yesterday is a moment?")
		}
		for text, ok := range map[string]bool{"0s": true, p.End().Sub(p.Start()).String(): true, "1000h": false, "2100-01-01T00:00:00Z": false} {
			if _, err := p.Moment(text); (err == nil) != ok {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}

func TestTheClockIsTheRecordings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := record(t, sample())
		time.Sleep(24 * time.Hour)
		p := open(t, data)
		if !p.Now().Equal(t0) {
			t.Errorf("before it plays: %v", p.Now())
		}
		if _, err := p.Next(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if want := t0.Add(3 * time.Second); !p.Now().Equal(want) {
			t.Errorf("after 3 s: %v", p.Now())
		}
	})
}

func TestWantIsAnsweredWithoutWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, record(t, sample()))
		b, err := p.Next(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(time.Second)
			p.Want(feed.Wants{Gen: 7})
		}()
		b, err = p.Next(t.Context(), b.Seq)
		if err != nil || b.Answered != 7 || len(b.Objects) != 0 || !b.Synced {
			t.Errorf("got %+v, %v; want an empty batch that answers 7", b, err)
		}
		if b, err = p.Next(t.Context(), b.Seq); err != nil || len(b.Objects) != 1 || b.Answered != 7 {
			t.Errorf("the batch after it: %+v, %v", b, err)
		}
		again, err := p.Next(t.Context(), b.Seq-1)
		if err != nil || again.Seq != b.Seq {
			t.Errorf("asked again: %+v, %v", again, err)
		}
	})
}

// atTheEnd plays a recording that stays at its end.
func atTheEnd(t *testing.T, data []byte) (p *Player, next func() feed.Batch) {
	p = open(t, data)
	p.Hold = true
	return p, func() feed.Batch {
		t.Helper()
		b, err := p.Next(t.Context(), p.read.last.Seq)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

func TestTheUserHoldsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, next := atTheEnd(t, record(t, sample()))
		if b := next(); b.Playback == nil || b.Playback.Paused || b.Playback.Speed != 1 || !b.Playback.End.Equal(t0.Add(65*time.Second)) {
			t.Fatalf("the first batch says %+v", b.Playback)
		}
		p.PlayOrPause()
		if b := next(); b.Playback == nil || !b.Playback.Paused || len(b.Objects) > 0 {
			t.Fatalf("after pausing: %+v", b)
		}
		time.Sleep(time.Hour)
		if !p.Now().Equal(t0) {
			t.Errorf("the clock went on to %v", p.Now())
		}
		p.Faster(-1)
		next()
		p.PlayOrPause()
		next()
		began := time.Now()
		if b := next(); len(b.Objects) != 1 || time.Since(began) != 10*time.Second {
			t.Errorf("at half the speed the change of 5 s came after %v: %+v", time.Since(began), b)
		}
		p.Faster(7)
		next()
		if b := next(); len(b.Gone) != 1 {
			t.Errorf("then came %+v", b)
		}
		if b := next(); b.Playback == nil || !b.Playback.Paused {
			t.Errorf("at the end it stops and says so: %+v", b)
		}
		p.PlayOrPause()
		if b := next(); b.Jump == nil || !b.Jump.Anew || !b.At.Equal(t0) {
			t.Errorf("playing on at the end begins again: %+v", b)
		}
	})
}

// The answer to a key may come after the next key.
func TestKeysPressedBeforeAnAnswerCountEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, next := atTheEnd(t, record(t, sample()))
		next()
		p.PlayOrPause()
		p.PlayOrPause()
		for range 3 {
			p.Faster(1)
		}
		if b := next(); b.Playback == nil || b.Playback.Paused || b.Playback.Speed != 8 {
			t.Errorf("paused and played, and three times faster: %+v", b.Playback)
		}
		for range 9 {
			p.Faster(-1)
		}
		if b := next(); b.Playback.Speed != 0.25 {
			t.Errorf("the slowest is %g", b.Playback.Speed)
		}
		p.Skip(20 * time.Second)
		p.Skip(20 * time.Second)
		if b := next(); !b.At.Equal(t0.Add(40 * time.Second)) {
			t.Errorf("twice 20 s on is %v", b.At)
		}
	})
}

func TestStepsGoFromChangeToChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, next := atTheEnd(t, record(t, sample()))
		next()
		p.Step(1)
		if b := next(); len(b.Objects) != 1 || !p.Now().Equal(t0.Add(5*time.Second)) || !b.Playback.Paused {
			t.Errorf("one on: %+v at %v", b, p.Now())
		}
		p.Step(1)
		if b := next(); len(b.Gone) != 1 || !p.Now().Equal(t0.Add(65*time.Second)) {
			t.Errorf("two on: %+v at %v", b, p.Now())
		}
		p.Step(-1)
		if b := next(); b.Jump == nil || len(b.Jump.Past) != 2 || !p.Now().Equal(t0.Add(5*time.Second)) {
			t.Errorf("one back: %+v at %v", b, p.Now())
		}
		p.Step(-2)
		if next(); !p.Now().Equal(t0) {
			t.Errorf("before the first there is none: %v", p.Now())
		}
		p.Seek(t0.Add(30 * time.Second))
		if b := next(); len(b.Jump.Past) != 1 || b.Jump.Anew || !p.Now().Equal(t0.Add(30*time.Second)) {
			t.Errorf("a little ahead is read through: %+v", b)
		}
		p.Step(-1)
		if next(); !p.Now().Equal(t0.Add(5 * time.Second)) {
			t.Errorf("from between two, back to the first: %v", p.Now())
		}
		p.Seek(t0.Add(-time.Hour))
		if next(); !p.Now().Equal(t0) {
			t.Errorf("before the beginning: %v", p.Now())
		}
		p.Seek(t0.Add(time.Hour))
		if next(); !p.Now().Equal(t0.Add(65 * time.Second)) {
			t.Errorf("after the end: %v", p.Now())
		}
	})
}

// Nothing takes back the time that has passed since the last change: what was
// then is built anew.
func TestSteppingBackBetweenTwoChangesGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, next := atTheEnd(t, record(t, sample()))
		next()
		for _, back := range []struct {
			key  func()
			want time.Duration
		}{
			{func() { p.Skip(-20 * time.Second) }, 40 * time.Second},
			{func() { p.Seek(t0.Add(20 * time.Second)) }, 20 * time.Second},
			{func() { p.Step(-1) }, 5 * time.Second},
		} {
			p.Seek(t0.Add(60 * time.Second))
			next()
			back.key()
			if b := next(); b.Jump == nil || !b.Jump.Anew || !p.Now().Equal(t0.Add(back.want)) {
				t.Errorf("to %v: %+v at %v", back.want, b, p.Now())
			}
		}
	})
}

// A batch of the player's own says of the whole what the last recorded one said.
func TestBetweenTwoBatchesTheWholeIsAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		batches := sample()
		batches[1].Skew, batches[1].Synced = feed.Duration(-time.Hour), false
		p, next := atTheEnd(t, record(t, batches))
		next()
		for at, want := range map[time.Duration]feed.Batch{3 * time.Second: batches[0], 30 * time.Second: batches[1], time.Hour: batches[2]} {
			p.Seek(t0.Add(at))
			if b := next(); b.Skew != want.Skew || b.Synced != want.Synced {
				t.Errorf("after %s: skew %v, synced %v", at, time.Duration(b.Skew), b.Synced)
			}
		}
	})
}

func TestRecordingAReplayGivesTheSameLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := record(t, sample())
		p := open(t, data)
		var out bytes.Buffer
		w := NewWriter(nopCloser{&out}, p.Header())
		source := w.Tap(p)
		for seq := uint64(0); ; seq++ {
			if _, err := source.Next(t.Context(), seq); err != nil {
				break
			}
		}
		if err := w.Close(p.Now()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(unzip(t, data), unzip(t, out.Bytes())); diff != "" {
			t.Error(diff)
		}
	})
}

func unzip(t testing.TB, data []byte) string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fill sets every field to something that is not its zero value.
func fill(v reflect.Value, depth int) {
	switch v.Type() {
	case timeType:
		v.Set(reflect.ValueOf(t0.Add(time.Duration(depth) * time.Millisecond)))
		return
	case treeType:
		v.Set(reflect.ValueOf(map[string]any{
			"i": int64(1), "f": 1.5, "big": 1e300, "s": "x\ny", "b": false, "n": nil,
			"l": []any{int64(2), "z", map[string]any{}}, "m": map[string]any{"q\"": []any{}},
		}))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(`a "b" <c> ü`)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(depth) + 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(depth) + 1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), depth+1)
		fill(v.Index(1), depth+2)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i), depth+1)
			}
		}
	default:
		panic("cannot fill a " + v.Type().String())
	}
}

// makeKind makes the objects below v objects of a kind, with the one view that
// the kind has.
func makeKind(v reflect.Value, group, kind string) {
	switch v.Kind() {
	case reflect.Pointer:
		if o, ok := v.Interface().(*object.Object); ok {
			o.Group, o.Kind = group, kind
			o.DropForeignViews()
			return
		}
		makeKind(v.Elem(), group, kind)
	case reflect.Slice:
		for i := range v.Len() {
			makeKind(v.Index(i), group, kind)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				makeKind(v.Field(i), group, kind)
			}
		}
	}
}

func TestEveryFieldThatIsObservedSurvives(t *testing.T) {
	kinds := map[any][]object.ID{
		&Header{}: {{}}, &marker{}: {{}},
		&line{}: {
			{Kind: "ConfigMap"},
			{Kind: "Pod"},
			{Kind: "Service"},
			{Kind: "Endpoints"},
			{Kind: "PersistentVolumeClaim"},
			{Group: "apps", Kind: "Deployment"},
			{Group: "batch", Kind: "Job"},
			{Group: "batch", Kind: "CronJob"},
		},
	}
	for shape, ids := range kinds {
		for _, id := range ids {
			t.Run(fmt.Sprintf("%T %s", shape, id.Kind), func(t *testing.T) {
				fill(reflect.ValueOf(shape).Elem(), 0)
				makeKind(reflect.ValueOf(shape), id.Group, id.Kind)
				survives(t, shape)
			})
		}
	}
}

func survives(t *testing.T, shape any) {
	t.Helper()
	text, err := encode(shape)
	if err != nil {
		t.Fatal(err)
	}
	got := reflect.New(reflect.TypeOf(shape).Elem()).Interface()
	if err := decode(text, got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if diff := cmp.Diff(shape, got); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyFieldsAreNotWrittenAndEmptyViewsStay(t *testing.T) {
	o := &object.Object{ID: object.ID{Kind: "Pod", Name: "a"}, Pod: &object.Pod{PodTemplate: &object.PodTemplate{}}, Tree: map[string]any{}}
	want := `{"batch":{"objects":[{"group":"","kind":"Pod","name":"a","pod":{},"tree":{}}]}}` + "\n"
	got, err := encode(line{Batch: &batch{Batch: feed.Batch{Objects: []*object.Object{o}}}})
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	var back line
	if err := decode(got, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(o, back.Batch.Objects[0]); diff != "" {
		t.Error("a view that is there must stay there: ", diff)
	}
}

func TestALargeBatchIsSplitAndJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		batches := sample()
		for i := range 1000 {
			batches[0].Objects = append(batches[0].Objects, pod(fmt.Sprint("p", i), "Running"))
		}
		batches[0].Events = []object.Event{{UID: "e", Reason: "Pulled"}}
		data := record(t, batches)
		if n := strings.Count(unzip(t, data), "\n"); n != 1+6+2+1 {
			t.Errorf("%d lines, want a header, six parts, two batches and an end", n)
		}
		got, _ := play(t, open(t, data))
		if diff := cmp.Diff(numbered(batches), got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAKillLosesASecondAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		w := NewWriter(nopCloser{&out}, Header{Started: t0})
		source := w.Tap(&script{batches: sample()})
		for seq := range uint64(2) {
			if _, err := source.Next(t.Context(), seq); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(flushEvery + time.Millisecond)
		synctest.Wait()
		killed := bytes.Clone(out.Bytes())
		p := open(t, killed)
		p.Speed = 0
		got, _ := play(t, p)
		if len(got) != 3 || len(got[2].Notices) != 1 {
			t.Errorf("%d batches were left, want two and a notice", len(got))
		}
		if err := w.Close(t0); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDetailsAndLogsComeBackAtTheirMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		w := NewWriter(nopCloser{&out}, Header{Started: t0})
		s := &script{batches: sample(), detail: "kind: Pod\nspec:\n  containers:\n  - env:\n    - name: A\n      value: hunter2\n", lines: []string{"one", "two"}}
		source := w.Tap(s)
		id := object.ID{Kind: "Pod", Namespace: "shop", Name: "a"}
		key := feed.LogKey{Pod: id, Container: "app"}
		next := func(seq uint64) {
			t.Helper()
			if _, err := source.Next(t.Context(), seq); err != nil {
				t.Fatal(err)
			}
		}
		next(0)
		next(1)
		time.Sleep(time.Second)
		live, err := source.Detail(t.Context(), id)
		if err != nil || !strings.Contains(live.YAML, "hunter2") {
			t.Fatalf("the reader itself sees everything: %+v, %v", live, err)
		}
		for range 2 { // the pane is opened twice: the lines are written once
			if _, err := source.Logs(t.Context(), key, 0); err != nil {
				t.Fatal(err)
			}
		}
		next(2)
		if err := w.Close(time.Now()); err != nil {
			t.Fatal(err)
		}

		p := open(t, out.Bytes())
		if _, err := p.Detail(t.Context(), id); err == nil {
			t.Error("the YAML is there before it was fetched")
		} else if _, ok := errors.AsType[*NotRecorded](err); !ok {
			t.Errorf("got %v", err)
		}
		if _, err := p.Logs(t.Context(), key, 0); err == nil || !strings.Contains(err.Error(), "log of container app of Pod/a before 00:0") {
			t.Errorf("the log before it was fetched: %v", err)
		}
		other := feed.LogKey{Pod: id, Container: "app", Previous: true}
		_, noRevision := p.Revision(object.ID{Kind: "ReplicaSet", Namespace: "shop", Name: "a"})
		_, noLog := p.LinesBy(p.Now(), other)
		for err, what := range map[error]string{
			noRevision: "the YAML of ReplicaSet/a", noLog: "the log of the previous instance of container app of Pod/a",
		} {
			want := "this recording does not have " + what + ": nobody had read it by then"
			if err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if _, err := p.Logs(t.Context(), other, 0); err == nil || !strings.Contains(err.Error(), "previous instance of container app of Pod/a: nobody opened it") {
			t.Errorf("a log that was never fetched: %v", err)
		}
		play(t, p)
		d, err := p.Detail(t.Context(), id)
		if err != nil || strings.Contains(d.YAML, "hunter2") || !strings.Contains(d.YAML, "name: A") {
			t.Errorf("got %q, %v", d.YAML, err)
		}
		c, err := p.Logs(t.Context(), key, 0)
		if err != nil || len(c.Lines) != 2 || c.Cursor != 2 || c.Lines[1].Text != "two" {
			t.Errorf("got %+v, %v", c, err)
		}
		if strings.Contains(unzip(t, out.Bytes()), "hunter2") {
			t.Error("an environment value stands in the file")
		}
	})
}

func TestSecretValuesAreMaskedInEveryPlace(t *testing.T) {
	for name, text := range map[string]string{
		"a Secret":        "kind: Secret\ndata:\n  a: hunter2\nstringData: {b: hunter2}\n",
		"a ConfigMap":     "kind: ConfigMap\ndata:\n  a: |\n    hunter2\n",
		"a pod template":  "kind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - env:\n        - {name: A, value: hunter2}\n",
		"a custom kind":   "kind: App\nspec:\n  env:\n    A: hunter2\n",
		"kubectl's copy":  "kind: Pod\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"env\":\"hunter2\"}\n",
		"a list of pairs": "kind: X\nspec:\n- steps:\n  - env:\n    - value: [hunter2]\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := withoutValues(text, false)
			if err != nil || strings.Contains(got, "hunter2") || !strings.Contains(got, hidden) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	kept, err := withoutValues("status:\n  a: 1\nspec:\n  b: 2\n", false)
	if err != nil || kept != "status:\n  a: 1\nspec:\n  b: 2\n" {
		t.Errorf("the order is the recorder's: %q, %v", kept, err)
	}
}

func TestAFileThatIsNoRecordingIsNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(precious, []byte("years of work\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(precious, Header{}); err == nil || !strings.Contains(err.Error(), "is not a recording") {
		t.Errorf("got %v", err)
	}
	name := filepath.Join(dir, "a.rec.gz")
	for range 2 {
		w, err := Create(name, Header{Started: t0})
		if err != nil {
			t.Fatal(err)
		}
		w.batch(feed.Batch{At: t0})
		if err := w.Close(t0); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode: %v, %v", info.Mode(), err)
	}
}

type fullDisk struct{ left int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}
func (*fullDisk) Close() error { return nil }

func TestAFullDiskEndsTheRecordingAndNotTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWriter(&fullDisk{}, Header{Started: t0})
		source := w.Tap(&script{batches: sample()})
		time.Sleep(flushEvery + time.Millisecond)
		synctest.Wait()
		b, err := source.Next(t.Context(), 0)
		if err != nil || len(b.Objects) != 1 || len(b.Notices) != 1 || !strings.Contains(b.Notices[0].Text, "no space left") {
			t.Errorf("got %+v, %v", b, err)
		}
		if err := w.Close(t0); err == nil {
			t.Error("Close says that all is well")
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	w := NewWriter(nopCloser{bufio.NewWriter(io.Discard)}, Header{})
	defer w.Close(t0)
	o := pod("a", "Running")
	o.Labels = []object.Label{{Key: "app", Value: "a"}, {Key: "pod-template-hash", Value: "5d4f8c7b9"}}
	for range 4 {
		o.Conditions = append(o.Conditions, object.Condition{Statement: &object.Statement{Type: "Ready", Status: "False", Reason: "ContainersNotReady", Message: "containers with unready status: [app]"}, LastTransitionTime: t0})
	}
	o.Pod.Containers = []object.Container{{ContainerSpec: &object.ContainerSpec{Name: "app", Image: "registry.example/app:1"}, State: object.ContainerState{Kind: "waiting", Reason: "CrashLoopBackOff", Message: "back-off 5m0s restarting failed container"}}}
	batch := feed.Batch{At: t0, Objects: []*object.Object{o}}
	for b.Loop() {
		w.add(batch)
	}
}

// A recording of another version counts as one, and may be overwritten.
func TestAnOlderRecordingIsWrittenOver(t *testing.T) {
	name := filepath.Join(t.TempDir(), "old.rec.gz")
	if err := os.WriteFile(name, []byte(`{"schema":"kstatus-tui/recording/v1"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Create(name, Header{Started: t0})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t0); err != nil {
		t.Fatal(err)
	}
}

// Times of this machine's clock are written in UTC everywhere.
func TestTimesAreWrittenInUTC(t *testing.T) {
	var out bytes.Buffer
	at := t0.In(time.FixedZone("east", 2*3600))
	w := NewWriter(nopCloser{&out}, Header{Started: at})
	id := object.ID{Kind: "Pod", Name: "a"}
	w.add(feed.Batch{
		At: at, Roots: []feed.Root{{ID: id}}, Notices: []feed.Notice{{At: at}}, Events: []object.Event{{First: at, Last: at}},
		Sources: []feed.SourceState{{Since: at, LastData: at, Retry: at}},
	})
	w.Tap(&script{}).(*tap).Mark(feed.Mark{At: at})
	w.add(line{Detail: &feed.Detail{At: at}})
	w.add(line{Logs: &logs{At: at, Chunk: feed.LogChunk{Lines: []feed.LogLine{{At: at}}}}})
	w.requested = 1
	w.Tap(&script{}).(*tap).Remember(feed.Memory{Seq: 1, At: at, Since: at, State: feed.Batch{At: at}, History: []feed.Transition{{At: at}}})
	if err := w.Close(at); err != nil {
		t.Fatal(err)
	}
	if text := unzip(t, out.Bytes()) + out.String(); strings.Contains(text, "+02:00") || strings.Count(text, t0.Format(time.RFC3339)) < 15 {
		t.Error(text)
	}
}

// Large objects get a line each: a line stays far below the reader's bound.
func TestALineOfLargeObjectsIsSplit(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := NewWriter(nopCloser{&out}, Header{Started: t0})
	b := feed.Batch{At: t0, Synced: true}
	for i := range 10 {
		b.Objects = append(b.Objects, &object.Object{ID: object.ID{Kind: "App", Name: fmt.Sprint(i)}, Tree: map[string]any{"status": strings.Repeat("x", 300_000)}})
	}
	w.add(b)
	if err := w.Close(t0); err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(unzip(t, out.Bytes())) {
		if len(text) > partBytes {
			t.Errorf("a line of %d bytes", len(text))
		}
	}
	p := open(t, out.Bytes())
	p.Speed = 0
	if got, _ := play(t, p); len(got) != 1 || len(got[0].Objects) != 10 {
		t.Errorf("%d moments", len(got))
	}
}

func TestARecordingMayBeClosedTwiceAtOnce(t *testing.T) {
	w := NewWriter(nopCloser{io.Discard}, Header{Started: time.Unix(1e9, 0)})
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := w.Close(time.Unix(1e9, 0)); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
}
