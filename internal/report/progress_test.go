package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// film is a model whose objects are as a test says, moment by moment.
type film struct {
	m   *model.Model
	seq uint64
	is  map[string]status.Status
}

func newFilm(names ...string) *film {
	f := &film{is: map[string]status.Status{}}
	f.m, _ = model.New(model.Options{
		Now: t0, Namespace: "shop", Explain: func() []explain.Cause { return nil },
		Judge: func(o *object.Object, _ status.World, _ time.Time) status.Assessment {
			return status.Assessment{Status: f.is[o.Name], Message: "it is so", Rule: "x", Deciding: -1}
		},
	})
	b := feed.Batch{Synced: true, Answered: 9}
	for i, name := range names {
		id := object.ID{Kind: "ConfigMap", Namespace: "shop", Name: name}
		b.Roots = append(b.Roots, feed.Root{ID: id, Source: "cm/" + name, Order: i + 1})
		b.Absent = append(b.Absent, id)
	}
	f.batch(0, b)
	return f
}

func (f *film) batch(at time.Duration, b feed.Batch) {
	f.seq++
	b.Seq, b.At, b.Synced, b.Answered = f.seq, t0.Add(at), true, 9
	f.m, _ = f.m.Update(model.BatchArrived{Batch: b})
}

// becomes puts an object into a state at a moment.
func (f *film) becomes(at time.Duration, name string, s status.Status) {
	f.is[name] = s
	f.batch(at, feed.Batch{Objects: []*object.Object{{
		ID:  object.ID{Kind: "ConfigMap", Namespace: "shop", Name: name},
		UID: "u-" + name, ResourceVersion: fmt.Sprint(f.seq + 1),
	}}})
}

func (f *film) link(at time.Duration, p feed.Phase, err string) {
	f.batch(at, feed.Batch{Sources: []feed.SourceState{{Key: "cm", Kind: "ConfigMap", Resource: "configmaps", Namespace: "shop", Mode: feed.ModeWatch, Phase: p, Error: err}}})
}

// paper is a terminal that supports only what the block of a wait uses: text,
// line feeds, moving up and clearing. Anything else fails the test.
type paper struct {
	t     *testing.T
	width int
	lines []string
	at    int
}

func (p *paper) Size() (width, height int) { return p.width, 8 }

var upAndClear = regexp.MustCompile(`^\r\x1b\[(\d+)A\x1b\[J`)

func (p *paper) Write(b []byte) (int, error) {
	s := string(b)
	if f := upAndClear.FindStringSubmatch(s); f != nil {
		n, _ := strconv.Atoi(f[1])
		if p.at -= n; p.at < 0 {
			p.t.Fatalf("went up %d lines, %d too many", n, -p.at)
		}
		p.lines, s = p.lines[:p.at], s[len(f[0]):]
	}
	for line := range strings.Lines(s) {
		text, whole := strings.CutSuffix(line, "\n")
		if !whole || strings.ContainsAny(text, "\x1b\r") || len([]rune(text)) >= p.width {
			p.t.Errorf("wrote %q", line)
		}
		p.lines = append(p.lines, text)
		p.at++
	}
	return len(b), nil
}

func TestProgressOnATerminalIsOneBlockThatIsRewritten(t *testing.T) {
	p := &paper{t: t, width: 60}
	e := End{}
	w := &blockProgress{w: p, result: p, open: e.Open}
	f := newFilm("a", "b", "c-with-a-long-name-"+strings.Repeat("x", 80), "d", "e", "f", "g")
	w.Show(f.m.Facts)
	if len(p.lines) != 7 || !strings.HasPrefix(p.lines[0], "waiting 0s  7 NotFound") ||
		!strings.Contains(p.lines[6], "and 2 more") {
		t.Errorf("at first:\n%s", strings.Join(p.lines, "\n"))
	}
	before := p.at
	f.becomes(time.Second, "a", status.InProgress)
	w.Show(f.m.Facts)
	if p.at != before || !strings.Contains(strings.Join(p.lines, "\n"), "ConfigMap/a  InProgress: it is so") {
		t.Errorf("then:\n%s", strings.Join(p.lines, "\n"))
	}
	// Nothing new, and too soon after: nothing is written.
	f.becomes(time.Second+20*time.Millisecond, "a", status.Failed)
	was := strings.Join(p.lines, "\n")
	w.Show(f.m.Facts)
	if now := strings.Join(p.lines, "\n"); now != was {
		t.Errorf("a picture 20 ms after the last:\n%s", now)
	}
	f.link(2*time.Second, feed.Stale, "the connection broke off")
	w.Show(f.m.Facts)
	if !slices.Contains(p.lines, "connection lost: the connection broke off") {
		t.Errorf("a lost connection:\n%s", strings.Join(p.lines, "\n"))
	}
	f.link(3*time.Second, feed.Live, "")
	for i, name := range []string{"a", "b", "c-with-a-long-name-" + strings.Repeat("x", 80), "d", "e", "f", "g"} {
		f.becomes(time.Duration(4+i)*time.Second, name, status.Current)
		w.Show(f.m.Facts)
	}
	if err := w.End(f.m.Facts, End{Code: 0, Why: "done", Done: func(r known.Resource) bool { return r.Assessment.Status == status.Current }}); err != nil {
		t.Fatal(err)
	}
	// Only the outcome remains on the screen, nothing of the block.
	if diff := cmp.Diff([]string{"7 of 7 Current after 10s"}, p.lines); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

func TestProgressInAPipeIsALineForEachChange(t *testing.T) {
	var b bytes.Buffer
	w := newLineProgress(&b, &b)
	f := newFilm("a", "b")
	w.Show(f.m.Facts)
	f.becomes(time.Second, "a", status.InProgress)
	w.Show(f.m.Facts)
	w.Show(f.m.Facts)
	f.becomes(2*time.Second, "a", status.InProgress) // the same again is no change
	w.Show(f.m.Facts)
	f.link(3*time.Second, feed.Stale, "broke off")
	w.Show(f.m.Facts)
	f.link(3*time.Second+time.Millisecond, feed.Stale, "cannot reach it")
	w.Show(f.m.Facts)
	f.link(3*time.Second+2*time.Millisecond, feed.Stale, "broke off") // which is known
	w.Show(f.m.Facts)
	f.link(4*time.Second, feed.Live, "")
	w.Show(f.m.Facts)
	f.becomes(5*time.Second, "a", status.Current)
	w.Show(f.m.Facts)
	done := func(r known.Resource) bool { return r.Assessment.Status == status.Current }
	if err := w.End(f.m.Facts, End{Code: 3, Why: "out of time", Done: done}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"0.0s  ConfigMap/a  NotFound", "0.0s  ConfigMap/b  NotFound", "1.0s  ConfigMap/a  InProgress: it is so",
		"3.0s  connection lost: broke off", "3.0s  connection lost: cannot reach it", "4.0s  connected again", "5.0s  ConfigMap/a  Current",
		"out of time after 5s; 1 of 2 Current", "NAME", "ConfigMap/b",
	}
	got := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !strings.HasPrefix(strings.TrimSpace(got[i]), want[i]) {
			t.Fatalf("line %d of\n%s\nwant %q", i+1, b.String(), want)
		}
	}
}

// A reason that alternates while its cause stays is printed once; a line says the cause.
func TestProgressInAPipeDoesNotRepeatACause(t *testing.T) {
	var b bytes.Buffer
	w := newLineProgress(&b, &b)
	id := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	reason, number := "", 0
	cause := explain.Cause{
		ID: "c1", Code: "ImageNotFound", Title: "tag 9 does not exist in registry/app", Class: explain.Action,
		Blocks: []object.ID{id}, Objects: []object.ID{id}, Count: 1,
	}
	cause.Subject.ID = id
	m, _ := model.New(model.Options{
		Now: t0, Namespace: "shop", Explain: func() []explain.Cause { return []explain.Cause{cause} },
		Judge: func(*object.Object, status.World, time.Time) status.Assessment {
			return status.Assessment{
				Status: status.InProgress, Reason: reason, Rule: "x", Deciding: -1,
				Message: "0 of 1 replicas available; container app: " + strings.Repeat("a message of two hundred characters ", 6),
			}
		},
	})
	for _, reason = range []string{"ErrImagePull", "ImagePullBackOff", "ErrImagePull", "ImagePullBackOff"} {
		number++
		batch := feed.Batch{Seq: uint64(number), At: t0.Add(time.Duration(number) * time.Second), Synced: true, Answered: 9}
		if number == 1 {
			batch.Roots = []feed.Root{{ID: id, Source: "deploy/web", Order: 1}}
		}
		batch.Objects = []*object.Object{{ID: id, UID: "u", ResourceVersion: fmt.Sprint(number)}}
		m, _ = m.Update(model.BatchArrived{Batch: batch})
		w.Show(m.Facts)
	}
	if want := "   1.0s  Deployment/web  InProgress: ErrImagePull: tag 9 does not exist in registry/app\n"; b.String() != want {
		t.Errorf("it printed\n%swant\n%s", &b, want)
	}
}

// A missing object is only reported once everything has answered.
func TestProgressInAPipeForgetsNothingThatWasTooEarly(t *testing.T) {
	var b bytes.Buffer
	w := newLineProgress(&b, &b)
	m, _ := model.New(model.Options{Now: t0, Namespace: "shop"})
	id := func(name string) object.ID { return object.ID{Kind: "ConfigMap", Namespace: "shop", Name: name} }
	for seq, batch := range []feed.Batch{
		{Roots: []feed.Root{{ID: id("a"), Order: 1}, {ID: id("b"), Order: 2}}, Absent: []object.ID{id("a")}},
		{Absent: []object.ID{id("b")}, Synced: true},
	} {
		batch.Seq, batch.At = uint64(seq+1), t0.Add(time.Duration(seq)*time.Second)
		m, _ = m.Update(model.BatchArrived{Batch: batch})
		w.Show(m.Facts)
	}
	for _, want := range []string{"ConfigMap/a  NotFound", "ConfigMap/b  NotFound"} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("%s is said %d times:\n%s", want, strings.Count(b.String(), want), &b)
		}
	}
}

func TestPlainPrintsALineForEachChange(t *testing.T) {
	var b bytes.Buffer
	p := NewPlain(&b, time.UTC, false)
	f := newFilm()
	said := func() string {
		b.Reset()
		if err := p.Show(f.m.Facts); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	f.m, _ = model.New(*f.m.Options())
	roots := feed.Batch{Seq: 1, At: t0, Answered: 9}
	for _, name := range []string{"a", "b"} {
		roots.Roots = append(roots.Roots, feed.Root{ID: object.ID{Kind: "ConfigMap", Namespace: "shop", Name: name}})
	}
	f.m, _ = f.m.Update(model.BatchArrived{Batch: roots})
	if got := said(); got != "" {
		t.Errorf("nothing is known: %q", got)
	}
	f.seq = 1
	f.becomes(time.Second, "a", status.Current)
	f.becomes(time.Second, "b", status.InProgress)
	if got := said(); !strings.Contains(got, "connected, following") || strings.Contains(got, "/a") || !strings.Contains(got, "ConfigMap/b InProgress: it is so") || !strings.Contains(got, "verdict: InProgress, 1 of 2 Current") {
		t.Errorf("at first: %q", got)
	}
	if got := spelled.Replace("a → b…"); got != "a -> b..." {
		t.Errorf("in ASCII: %q", got)
	}
	f.becomes(2*time.Second, "a", status.Failed)
	f.becomes(2*time.Second, "b", status.Current)
	if got := said(); !strings.Contains(got, "ConfigMap/a Failed: it is so") ||
		!strings.Contains(got, "ConfigMap/b Current") {
		t.Errorf("then: %q", got)
	}
	f.batch(2*time.Second, feed.Batch{Sources: []feed.SourceState{{Key: "p", Kind: "Pod", Resource: "pods", Namespace: "shop", Phase: feed.Forbidden, Children: true}}})
	if got := said(); !strings.Contains(got, "cannot list pods in shop: forbidden") {
		t.Errorf("of what may not be seen: %q", got)
	}
	if got := said(); got != "" {
		t.Errorf("said again: %q", got)
	}
	var gone feed.Batch
	for _, root := range roots.Roots {
		gone.Gone = append(gone.Gone, feed.Gone{ID: root.ID, UID: "u-" + root.ID.Name})
	}
	f.batch(3*time.Second, gone)
	if got := said(); !strings.Contains(got, "verdict: gone") {
		t.Errorf("at the end: %q", got)
	}
}
