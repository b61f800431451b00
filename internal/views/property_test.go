package views

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/model/outline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// wild is a random state: any tree, any text in every field, any mode at any
// size.
func wild(r *rand.Rand) *scene {
	str := func() string {
		switch r.IntN(5) {
		case 0:
			return viewstest.Hostile[r.IntN(len(viewstest.Hostile))] + viewstest.Hostile[r.IntN(len(viewstest.Hostile))]
		case 1:
			return ""
		case 2:
			var s strings.Builder
			for range r.IntN(400) {
				s.WriteString(string(rune('a' + r.IntN(26))))
			}
			return s.String()
		default:
			return fmt.Sprintf("word-%d some: text/%d", r.IntN(1000), r.IntN(9))
		}
	}
	when := func() time.Time {
		if r.IntN(4) == 0 {
			return time.Time{}
		}
		return sceneStart.Add(time.Duration(r.Int64N(int64(800*24*time.Hour))) - 400*24*time.Hour)
	}
	oid := func() object.ID { return object.ID{Group: str(), Kind: str(), Namespace: str(), Name: str()} }
	st := func() status.Status { return append(status.Statuses, "", "Weird")[r.IntN(8)] }
	counts := func() world.Counts {
		c := world.Counts{}
		for range r.IntN(5) {
			c[st()] = r.IntN(100000)
		}
		return c
	}
	input := typing(str())
	input.SetCursor(r.IntN(20) - 5)
	s := &scene{
		opt: model.Options{Now: when(), Title: str(), Sources: []string{str(), str()}, Context: str(), Namespace: str(), Recording: str()},
		now: when(), w: r.IntN(220), h: r.IntN(70),
		verdict: known.Verdict{Status: st(), Empty: r.IntN(6) == 0, Stalled: r.IntN(2) == 0, Moved: when(), Lost: r.IntN(4) == 0},
		done:    r.IntN(3) == 0, doneIn: time.Duration(r.Int64N(1 << 45)),
		counts: counts(), generated: counts(), known: r.IntN(100000),
		conn: world.Connection{
			Link:     []world.Link{world.LinkConnecting, world.LinkEnded, world.LinkLive, world.LinkReconnecting, world.LinkStale, world.LinkSyncing, ""}[r.IntN(7)],
			LastData: when(), Error: str(), Retry: when(), Skew: time.Duration(r.Int64N(1 << 40)),
		},
		synced: r.IntN(2) == 0, spaces: []string{str(), str()},
		slowest: oid(), slowTook: time.Hour,
		pane:   model.Pane(r.IntN(6)),
		size:   layout.Size(r.IntN(3)),
		focus:  model.Focus(r.IntN(2)),
		scroll: r.IntN(200) - 10, wrap: r.IntN(2) == 0,
		mode:      model.Mode(r.IntN(5)),
		input:     input,
		filter:    str(),
		filterErr: errors.New(str()),
		search:    panes.Search{Text: str(), Step: r.IntN(20) - 10},
		help:      r.IntN(100) - 10,
		palette:   model.Palette{Error: str(), Suggestions: []model.Suggestion{{Text: str(), Hint: str(), Key: str()}, {Text: str()}}, Chosen: r.IntN(3)},
		paused:    r.IntN(4) == 0,
		missed:    r.IntN(1000),
		following: r.IntN(2) == 0, notifying: r.IntN(2) == 0, scoped: rows.Scope(r.IntN(3)), flash: str(),
		resources: map[object.ID]known.Resource{}, paths: map[object.ID][]object.ID{},
	}
	var lines []feed.LogLine
	for range r.IntN(4) {
		s.causes = append(s.causes, explain.Cause{
			Title: str(), Detail: str(), Class: explain.Class(str()),
			Certainty: explain.Certainty(str()), Since: when(), Count: r.IntN(5),
			Objects: []object.ID{oid(), oid()}, Blocks: []object.ID{oid(), oid()},
			Evidence: []explain.Evidence{{Ref: oid(), Path: str(), Value: str()}},
			Next:     []string{str()}, Until: when(), UntilWhat: str(),
			Changed: []explain.Change{{Path: str(), Before: str(), After: str()}},
			Missing: []string{str()}, Symptoms: []explain.Symptom{{Ref: oid(), Title: str()}},
		})
		s.notices = append(s.notices, feed.Notice{At: when(), Level: str(), From: str(), Text: str()})
		s.conds = append(s.conds, known.Condition{
			Condition: object.Condition{Statement: &object.Statement{Type: str(), Status: str(), Reason: str(), Message: str(), Severity: str()}, LastTransitionTime: when()},
			Polarity:  status.Polarity(str()), Top: r.IntN(2) == 0, Good: r.IntN(2) == 0, Deciding: r.IntN(2) == 0,
		})
		s.events = append(s.events, panes.EventRow{Event: object.Event{About: oid(), Type: str(), Reason: str(), Message: str(), First: when(), Last: when()}, Times: r.IntN(9)})
		s.history = append(s.history, world.Transition{At: when(), ID: oid(), From: st(), To: st(), Reason: str(), Message: str()})
		lines = append(lines, feed.LogLine{At: when(), Text: str()})
		s.detail.Shown = append(s.detail.Shown, outline.Line{Text: str(), Opens: r.IntN(2) == 0, Folded: r.IntN(3)})
	}
	s.logs = logs.View{
		Key:        feed.LogKey{Pod: oid(), Container: str(), Previous: r.IntN(2) == 0},
		Containers: []string{str(), str()}, Missed: r.IntN(3), Ended: r.IntN(2) == 0, None: str(),
	}
	for range r.IntN(4) {
		s.logs.Streams = append(s.logs.Streams,
			logs.Stream{Key: feed.LogKey{Pod: oid(), Container: str()}, Ended: r.IntN(2) == 0})
	}
	s.logLines(lines...)
	s.logs.Merged, s.logs.Of, s.logs.Pods, s.logs.Stamps = r.IntN(2) == 0, oid(), r.IntN(9), logs.Stamps(r.IntN(3))
	if r.IntN(2) == 0 {
		s.moment = &timeline.Moment{
			Transition: world.Transition{At: when(), ID: oid(), From: st(), To: st(), Reason: str(), Message: str()},
			No:         1, Of: 3, Before: when(),
			Changed: []explain.Change{{Path: str(), Before: str(), After: str()}},
		}
	}
	if r.IntN(2) == 0 {
		s.compared = &timeline.Comparison{From: when(), To: when(), Objects: []timeline.Difference{{ID: oid(), Before: st(), After: st(), Changed: []explain.Change{{Path: str(), Before: str(), After: str()}}}}}
	}
	s.form, s.whole = timeline.Form(r.IntN(3)), r.IntN(2) == 0
	for range r.IntN(80) {
		id := oid()
		s.rows = append(s.rows, rows.Row{
			Key: rows.Key{Kind: rows.Kind(r.IntN(5)), ID: id}, Depth: r.IntN(12), Guides: r.Uint64(), Last: r.IntN(2) == 0,
			Fold: rows.Fold(r.IntN(3)), Name: str(), Namespace: str(),
			Note: str(), Status: st(), Reason: str(), Carried: r.IntN(30),
			Message: str(), Since: when(), Stalled: r.IntN(3) == 0,
			Paused: r.IntN(3) == 0, Generated: r.IntN(2) == 0, Matched: r.IntN(2) == 0,
		})
		s.resources[id] = known.Resource{
			ID: id, Object: &object.Object{ID: id, Generation: object.IntOf(3), Observed: object.Int{V: r.Int64N(5), Set: r.IntN(2) == 0}},
			Known: counts(), Stalled: r.IntN(2) == 0, Changed: when(),
			Assessment: status.Assessment{
				Status: st(), Reason: str(), Message: str(), Since: when(),
				Rule: str(), Paths: []string{str()}, Confidence: status.Exact,
				Paused: r.IntN(2) == 0, Terminal: r.IntN(2) == 0, Deadline: when(), DeadlineWhat: str(), Note: str(), Child: oid(),
			},
		}
		s.paths[id] = []object.ID{oid(), id}
	}
	s.selected = r.IntN(82) - 1
	s.top = r.IntN(90) - 3
	return s
}

func TestAnyStateFitsItsScreenAndCommandsNothing(t *testing.T) {
	names := []string{"dark", "light", "mono", "ascii", "ansi"}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := wild(r)
		th := theme(t, names[r.IntN(len(names))])
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("seed %d, %dx%d, pane %d, mode %d: panic: %v", seed, s.w, s.h, s.pane, s.mode, p)
					panic(p)
				}
			}()
			drawn(t, s, th)
			newDrawing(of(s), Look{Theme: th}).hit(r.IntN(s.w+1), r.IntN(s.h+1))
			checkLine(t, WindowTitle(of(s)))
			Farewell(of(s), th)
		}()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkLine(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			t.Fatalf("control character %U in %q", r, s)
		}
	}
}

func TestRowsThatChangeTheirNumbersDoNotMoveTheColumns(t *testing.T) {
	for _, w := range []int{50, 60, 80, 120, 200} {
		s := badImage(w, 24)
		look := Look{Theme: theme(t, "dark")}
		before := placesOf(newDrawing(of(s), look))
		s.known, s.counts = 123456, world.Counts{status.Failed: 99999}
		if after := placesOf(newDrawing(of(s), look)); after != before {
			t.Errorf("width %d: %+v became %+v", w, before, after)
		}
	}
}

func TestAClickFindsTheDrawnRowFoldAndTab(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 15}} {
		s := badImage(size[0], size[1])
		d := newDrawing(of(s), Look{Theme: theme(t, "dark")})
		y := d.l.Tree.Y
		if msg, ok := d.hit(d.l.Tree.X+20, y+4).(model.RowClicked); !ok || msg.Key != s.rows[4].Key {
			t.Errorf("%v: a click on row 4 is %#v", size, msg)
		}
		if msg, ok := d.hit(d.l.Tree.X+1, y).(model.FoldClicked); !ok || msg.Key != s.rows[0].Key {
			t.Errorf("%v: a click on the first arrow is %#v", size, msg)
		}
		if msg, ok := d.hit(d.l.Tree.X+4, y+2).(model.FoldClicked); !ok || msg.Key != s.rows[2].Key {
			t.Errorf("%v: a click on the second arrow is %#v", size, msg)
		}
		if msg := d.hit(d.l.Tree.X+3, y+len(s.rows)); msg != nil {
			t.Errorf("%v: a click below the rows is %#v", size, msg)
		}
	}
	s := badImage(120, 36)
	d := newDrawing(of(s), Look{Theme: theme(t, "dark")})
	for _, tab := range d.tabsIn(d.l.Tabs) {
		if msg, ok := d.hit(tab.x+1, d.l.Tabs.Y).(model.TabClicked); !ok || msg.Pane != tab.pane {
			t.Errorf("a click on tab %d is %#v", tab.pane, msg)
		}
	}
}

// manyRows is a scene with n rows, drawn like any other.
func manyRows(n, w, h int) *scene {
	s := badImage(w, h)
	for i := range n {
		name := fmt.Sprintf("..Pod/web-7c88bd5f4-%05d", i)
		s.rows = append(s.rows, row(name, status.Failed, "ImagePullBackOff", time.Minute, s.now))
	}
	s.top, s.selected = n/2, n/2+3
	return s
}

func BenchmarkFrame(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}, {300, 100}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			s := manyRows(10000, size[0], size[1])
			th := theme(b, "dark")
			c := NewCanvas(0, 0, nil)
			b.ReportAllocs()
			for b.Loop() {
				s.top ^= 1 // a row further or back: all lines are new
				Draw(c, of(s), Look{Theme: th})
				c.Render()
			}
		})
	}
}
