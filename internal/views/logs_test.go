package views

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// mergedLogs are the logs of three pods of a workload.
func mergedLogs(w, h int) *scene {
	s := badImage(w, h)
	s.pane, s.focus, s.size = model.PaneLogs, model.FocusPane, layout.Full
	web := id("Deployment/web")
	s.logs = logs.View{Merged: true, Of: web, Read: 3, Pods: 3, Follow: true}
	for _, name := range []string{"2xkqz", "9qdlm", "lm4tp"} {
		s.logs.Streams = append(s.logs.Streams, logs.Stream{Key: feed.LogKey{Pod: id("Pod/web-7c88bd5f4-" + name), Container: "web"}})
	}
	s.logs.Key = s.logs.Streams[0].Key
	for i := range 80 {
		text := fmt.Sprintf("GET /checkout/%d 200 in %d ms", 1000+i, 3+i*7%40)
		if i%9 == 4 {
			text = `level=error msg="upstream timed out (110: Connection timed out) while reading response header from upstream" upstream="http://10.96.0.12:8080/cart" request_id=7f3a9c0e`
		}
		s.logLines(feed.LogLine{At: s.now.Add(time.Duration(i-80) * 300 * time.Millisecond), Text: text})
	}
	return s
}

// pouring is a model whose log pane is open on a pod, and a way to let lines
// arrive.
func pouring(tb testing.TB, w, h int) (m *model.Model, pour func(n int)) {
	now := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	batch := viewstest.ShopBatch(now)
	m, _ = model.New(model.Options{Now: now, Screen: true, Children: model.ChildrenAll, Feed: noFeed{}})
	var key feed.LogKey
	gen, cursor := uint64(0), uint64(0)
	send := func(msgs ...model.Msg) {
		for _, msg := range msgs {
			var cmd tea.Cmd
			_, cmd = m.Update(msg)
			for _, answer := range viewstest.Answers(cmd) {
				if l, ok := answer.(logs.Arrived); ok {
					key, gen = l.Key, l.Gen
				}
			}
		}
	}
	send(tea.WindowSizeMsg{Width: w, Height: h}, model.BatchArrived{Batch: batch})
	for _, k := range []string{"G", "4", "+", "+"} {
		send(viewstest.Press(k))
	}
	if key.Pod.Name == "" {
		tb.Fatal("no log was asked for")
	}
	lines := make([]feed.LogLine, 0, 1000)
	return m, func(n int) {
		lines = lines[:0]
		for range n {
			cursor++
			text := fmt.Sprintf(`{"level":"info","n":%d,"msg":"handled a request","path":"/checkout/cart/items","ms":%d}`, cursor, cursor%97)
			if cursor%10 == 0 {
				text += strings.Repeat(" and a stack that goes on", 12)
			}
			lines = append(lines, feed.LogLine{At: now.Add(time.Duration(cursor) * 100 * time.Microsecond), Text: text})
		}
		send(logs.Arrived{Gen: gen, Key: key, Chunk: feed.LogChunk{Lines: slices.Clone(lines), Cursor: cursor}})
	}
}

func TestAFloodOfLinesIsHeldToTheRingAndTheNewestAreSeen(t *testing.T) {
	m, pour := pouring(t, 200, 60)
	th := theme(t, "dark")
	look := Look{Theme: th}
	for range 300 {
		pour(167)
	}
	c := NewCanvas(0, 0, nil)
	Draw(c, of(m), look)
	if l := m.Panes.Logs(); len(l.Lines) != 20000 || l.Lost != 300*167-20000 {
		t.Errorf("%d lines are held, %d made room", len(l.Lines), l.Lost)
	}
	if newest := fmt.Sprintf(`"n":%d,`, 300*167); !strings.Contains(c.Plain(), newest) {
		t.Errorf("%s is not in sight:\n%s", newest, c.Plain())
	}
}

// robinovitch61/wander#128: a match jumped to another when the text was read again.
func TestAMatchStaysWhileLinesCome(t *testing.T) {
	m, pour := pouring(t, 200, 60)
	press := func(keys ...string) {
		for _, k := range keys {
			m, _ = m.Update(viewstest.Press(k))
		}
	}
	pour(50) // each tenth has a stack
	press("/", "s", "t", "a", "c", "k", "enter", "N")
	entry := func() int {
		content, _ := m.Panes.Content()
		return content.Entry(m.Panes.Match().Line)
	}
	before, line := m.Panes.Match(), entry()
	if before.No != 5 || before.Of != 5 {
		t.Fatalf("the last of five is %+v", before)
	}
	pour(100)
	if got := m.Panes.Match(); got.No != 5 || got.Of != 15 || got.Line != before.Line {
		t.Errorf("it was %+v, and is %+v", before, got)
	}
	press("w") // not wrapped: the same line of the log
	if got := m.Panes.Match(); got.No != 5 || got.Line == before.Line || entry() != line {
		t.Errorf("not wrapped it is %+v of line %d, was %+v of %d", got, entry(), before, line)
	}
	if press("n"); m.Panes.Match().No != 6 {
		t.Errorf("the next is %+v", m.Panes.Match())
	}
}

// BenchmarkLogFlood is a frame while ten thousand lines a second arrive at a
// log that is full, wrapped, at 200x60; with and without a search in it.
func BenchmarkLogFlood(b *testing.B) {
	for _, needle := range []string{"", "request"} {
		b.Run("search "+needle, func(b *testing.B) {
			m, pour := pouring(b, 200, 60)
			look := Look{Theme: theme(b, "dark")}
			for range 150 {
				pour(167)
			}
			if needle != "" {
				for _, k := range []string{"/"} {
					_, _ = m.Update(viewstest.Press(k))
				}
				_, _ = m.Update(tea.PasteMsg{Content: needle})
			}
			c := NewCanvas(0, 0, nil)
			tty := viewstest.NewTerminalWriter()
			var took []time.Duration
			bytes, n := 0, 0
			for b.Loop() {
				began := time.Now()
				pour(167)
				Draw(c, of(m), look)
				out := tty.Show(c.Render(), 200, 60)
				took = append(took, time.Since(began))
				bytes += len(out)
				n++
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(bytes)/float64(n), "bytes/frame")
		})
	}
}

func TestUnwrappedLogLinesScrollSideways(t *testing.T) {
	m, pour := pouring(t, 80, 24)
	th := theme(t, "dark")
	look := Look{Theme: th}
	pour(10) // the last of them is long
	seen := func(keys ...string) string {
		for _, k := range keys {
			_, _ = m.Update(viewstest.Press(k))
		}
		c := NewCanvas(0, 0, nil)
		Draw(c, of(m), look)
		return c.Plain()
	}
	if got := seen("right"); !strings.Contains(got, "wrapped (w)") || !strings.Contains(got, `"n":10,`) {
		t.Errorf("wrapped lines are moved:\n%s", got)
	}
	if got := seen("w", "right", "right"); !strings.Contains(got, "from column 33") || strings.Contains(got, `"level"`) || !strings.Contains(got, " …led a request") {
		t.Errorf("two steps to the right:\n%s", got)
	}
	// The end of the longest line is as far as it goes.
	if got := seen(strings.Split(strings.Repeat("right ", 99)+"right", " ")...); !strings.Contains(got, "that goes on") {
		t.Errorf("the end of the line is out of reach:\n%s", got)
	}
	if got := seen("left"); !strings.Contains(got, "…oes on and a stack") {
		t.Errorf("one step back:\n%s", got)
	}
	if got := seen(strings.Split(strings.Repeat("left ", 99)+"left", " ")...); !strings.Contains(got, `{"level"`) || strings.Contains(got, "from column") {
		t.Errorf("the beginning is out of reach:\n%s", got)
	}
}

func TestTimesOfALogAreShownAtEveryWidth(t *testing.T) {
	for _, w := range []int{33, 60, 80, 120, 200} {
		s := mergedLogs(w, 24)
		s.logs.Merged = false
		if got := strings.Join(paneOf(t, s), "\n"); !strings.Contains(got, s.logs.Lines[0].At.Format("15:04:05")) {
			t.Errorf("%d columns: no time:\n%s", w, got)
		}
	}
}

// A line may be longer than a screen: what is searched for is in sight, wherever in the line
// it is, and with it the time of an unwrapped line.
func TestAMatchFarInALongLogLineIsInSight(t *testing.T) {
	for _, w := range []int{60, 80, 120, 200} {
		for _, wrap := range []bool{false, true} {
			for _, at := range []int{1, 20, 700, 1500} {
				s := mergedLogs(w, 24)
				s.logs.Merged, s.wrap, s.search.Text = false, wrap, "needle"
				for i := range s.logs.Lines {
					s.logs.Lines[i].Text = fmt.Sprint("request ", i)
				}
				line := &s.logs.Lines[len(s.logs.Lines)/2]
				line.Text = strings.Repeat("abc ", at) + "the Needle in it " + strings.Repeat("xyz ", 200)
				got := strings.Join(paneOf(t, s), "\n")
				if !strings.Contains(got, "Needle") {
					t.Errorf("%d columns, wrapped %v, word %d: no match in sight:\n%s", w, wrap, at, got)
				}
				found := regexp.MustCompile(line.At.Format("15:04:05") + ".*Needle in it")
				if !wrap && !found.MatchString(got) {
					t.Errorf("%d columns, word %d: when was it?\n%s", w, at, got)
				}
			}
		}
	}
}

// The namespace of a log tells it apart from that of a Pod of the same name. It has a line of
// its own where names are long.
func TestTheHeadOfALogNamesItsNamespaceAndItsInstance(t *testing.T) {
	for _, name := range []string{"web-7c88bd5f4-9qdlm", "a-deployment-with-an-extraordinarily-long-name-7c88bd5f4-9qdlm"} {
		for w := 50; w <= 200; w++ {
			for _, merged := range []bool{false, true} {
				s := mergedLogs(w, 36)
				s.logs.Merged, s.logs.Of.Name = merged, name
				s.logs.Key.Pod.Name, s.logs.Key.Previous = name, true
				if !merged {
					s.logs.Streams = s.logs.Streams[:1]
				}
				head := strings.Join(paneOf(t, s)[:4], "\n")
				for _, want := range []string{"in shop", "previous instance", name[len(name)-3:]} {
					if !strings.Contains(head, want) {
						t.Errorf("%d columns, merged %v: no %q:\n%s", w, merged, want, head)
					}
				}
			}
		}
	}
}

// A container that has not started has no log to follow.
func TestTheLogOfAContainerThatNeverStartedShowsTheReason(t *testing.T) {
	m := replay(t, 85*time.Second, 146, 36, "4")
	got := strings.Join(paneOf(t, m), "\n")
	if !strings.Contains(got, "has not started: tag 2.O does not exist") || !strings.Contains(got, "ImagePull") || strings.Contains(got, "following") {
		t.Errorf("why is there no log?\n%s", got)
	}
}

// enter on such a container does so, too, before the API has refused its log.
func TestEnterOnAContainerThatNeverStartedShowsTheReason(t *testing.T) {
	s := mergedLogs(120, 36)
	s.logs = logs.View{Key: feed.LogKey{Pod: s.rows[4].Key.ID, Container: "web"}, Containers: []string{"web"}, Streams: make([]logs.Stream, 1), Loading: true, Follow: true}
	r := s.resources[s.logs.Key.Pod]
	r.Object.Pod = &object.Pod{Containers: []object.Container{{ContainerSpec: &object.ContainerSpec{Name: "web"}, State: object.ContainerState{Kind: "waiting", Reason: "ImagePullBackOff"}}}}
	for _, loading := range []bool{true, false} {
		s.logs.Loading = loading
		if got := strings.Join(paneOf(t, s), "\n"); !strings.Contains(got, "container web has not started: ImagePullBackOff") {
			t.Errorf("loading %v:\n%s", loading, got)
		}
	}
}

// Who may not read logs sees nothing of the next container's either: that is said,
// whatever keeps this one from starting.
func TestAMissingPermissionForLogsIsShownBeforeTheContainerStarts(t *testing.T) {
	const refused = "user dev cannot get pods/log in shop (RBAC)"
	m := replay(t, 85*time.Second, 146, 36, "4")
	view := m.Panes.Logs()
	view.Streams = slices.Clone(view.Streams)
	view.Err = errors.New(refused)
	view.Streams[0].Err = view.Err
	var got string
	for _, l := range (&panes.Page{W: 60, Facts: m.Facts}).Logs(view, nil).Head {
		got += l.String() + " "
	}
	got = strings.Join(strings.Fields(got), " ")
	if !strings.Contains(got, "cannot read the log: "+refused) {
		t.Errorf("who may not read the log?\n%s", got)
	}
}

func TestThePreviousInstanceIsNamedHoweverLongTheNames(t *testing.T) {
	for w := 33; w <= 200; w++ {
		s := badImage(w, 24)
		s.pane, s.size = model.PaneLogs, layout.Full
		s.logs.Key.Pod.Name = "a-deployment-with-an-extraordinarily-long-name-7c88bd5f4-9qdlm"
		s.logs.Key.Container = "main-container-with-a-long-name"
		s.focus = model.FocusPane
		if got := strings.Join(paneOf(t, s), "\n"); !strings.Contains(got, "previous instance") {
			t.Errorf("%d columns: an old log looks new:\n%s", w, got)
		}
	}
}

func TestASearchBeginsAtTheLinesInSight(t *testing.T) {
	s := mergedLogs(120, 24)
	s.scroll = 40
	s.search = panes.Search{Text: "upstream timed out", From: 40}
	if m := s.Match(); m != (panes.Match{Line: 40, No: 5, Of: 9}) {
		t.Errorf("%+v", m)
	}
	s.search.From = 79 // there is none below: the last one
	if m := s.Match(); m.Line != 76 || m.No != 9 {
		t.Errorf("%+v", m)
	}
	s.search.Step = 1
	if m := s.Match(); m.Line != 4 || m.No != 1 {
		t.Errorf("the next: %+v", m)
	}
	if got := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(got, "search 1/9 upstream timed out") {
		t.Errorf("which of how many?\n%s", got)
	}
}

// Enter on a cause's line in a recording leads to the log, or to a sentence that says why there is
// none and when there will be: it waited for a first line for ever.
func TestEnterOnACauseOfARecordingLeadsToItsLog(t *testing.T) {
	for _, c := range []struct {
		at   time.Duration
		want string
	}{
		{62 * time.Second, "02:51:57 panic: DATABASE_URL is not set"},
		{35 * time.Second, "this recording does not have the log of container worker of Pod/worker-5bf86d8b7-fsj5s before 00:41"},
	} {
		m := replay(t, c.at, 80, 24, "n", "j", "j", "w", "enter")
		for m.Facts.CausesOf(selectedID(m))[0].Subject.Container != "worker" {
			t.Fatalf("after %v another problem is selected", c.at)
		}
		got := strings.Join(paneOf(t, m), " ")
		if !strings.Contains(got, c.want) || strings.Contains(got, "cannot read") {
			t.Errorf("after %v: no %q in\n%s", c.at, c.want, got)
		}
	}
}

func selectedID(m *model.Model) object.ID {
	key, _ := m.Tree.Selected()
	return key.ID
}

// Nothing follows a log that has no further lines.
func TestThePreviousInstancesLogIsNotFollowed(t *testing.T) {
	for w := 110; w <= 200; w += 10 {
		s := badImage(w, 40)
		s.pane, s.focus = model.PaneLogs, model.FocusPane
		got := strings.Join(paneOf(t, s), "\n")
		if !strings.Contains(got, "previous instance") || strings.Contains(got, " following") {
			t.Errorf("%d columns:\n%s", w, got)
		}
	}
}

// Pods whose names end alike keep as much of their names as tells them apart.
func TestPodsOfMergedLogsAreToldApart(t *testing.T) {
	for _, names := range [][]string{
		{"web-7c88bd5f4-2xkqz", "web-7c88bd5f4-9qdlm", "web-7c88bd5f4-lm4tp"},
		{"database-0", "database-1", "cache-0"},
		{"a-release-web-0", "a-release-worker-0", "web"},
	} {
		for w := 50; w <= 200; w += 10 {
			s := mergedLogs(w, 36)
			for i := range s.logs.Streams {
				s.logs.Streams[i].Key.Pod.Name = names[i]
			}
			seen := map[string]bool{}
			for _, line := range paneOf(t, s) {
				if before, _, ok := strings.Cut(line, " 14:04:"); ok {
					seen[strings.TrimSpace(before)] = true
				}
			}
			if len(seen) != len(names) {
				t.Errorf("%d columns: %v are shown as %v", w, names, seen)
			}
			if w >= 200 && !seen[names[0]] {
				t.Errorf("%d columns have room for %s: %v", w, names[0], seen)
			}
		}
	}
}
