package views

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// replay is the model as it was at a moment of the embedded recording of a
// genuine rollout, on a screen of that size, after some keys.
func replay(t testing.TB, after time.Duration, w, h int, keys ...string) *model.Model {
	t.Helper()
	return replayOf(t, "../../cmd/kstatus-tui/demo.rec.gz", after, w, h, keys...)
}

// replayOf does so with another recording.
func replayOf(t testing.TB, file string, after time.Duration, w, h int, keys ...string) *model.Model {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	source, err := recording.NewPlayer(f)
	if err != nil {
		t.Fatal(err)
	}
	source.Speed, source.Until = 0, source.Start().Add(after)
	head := source.Header()
	m, begin := model.New(model.Options{
		Feed: source,
		Now:  source.Start(), Sources: head.Sources, Title: head.Title, Context: head.Context, Namespace: head.Namespace,
		Recording: "demo", Children: model.ChildrenAll, Screen: true,
	})
	todo := []tea.Cmd{begin}
	send := func(msg model.Msg) {
		var cmd tea.Cmd
		m, cmd = m.Update(msg)
		if cmd != nil {
			todo = append(todo, cmd)
		}
	}
	settle := func() {
		for len(todo) > 0 {
			cmd := todo[0]
			todo = todo[1:]
			msg, batch := viewstest.Answer(cmd)
			todo = append(batch, todo...)
			if b, ok := msg.(model.BatchArrived); ok {
				for wake := m.Intake.NextWake(); !wake.IsZero() && wake.Before(b.Batch.At); wake = m.Intake.NextWake() {
					send(model.ClockTicked{Now: wake})
					if !m.Intake.NextWake().After(wake) {
						break
					}
				}
			}
			if l, ok := msg.(logs.Arrived); ok && len(l.Chunk.Lines) == 0 && l.Err == nil {
				continue // the log would be asked for more for ever
			}
			if _, ended := msg.(model.FeedEnded); msg != nil && !ended { // it would have gone on
				send(msg)
			}
		}
	}
	send(tea.WindowSizeMsg{Width: w, Height: h})
	settle()
	played := source.Playback()
	played.Speed, played.Paused = 1, true
	send(model.BatchArrived{Batch: feed.Batch{Seq: 1 << 40, At: m.Facts.Now(), Synced: m.Facts.Synced(), Playback: played}})
	todo = nil
	for wake := m.Intake.NextWake(); !wake.IsZero() && wake.Before(source.Until); {
		send(model.ClockTicked{Now: wake})
		next := m.Intake.NextWake()
		if !next.After(wake) {
			break
		}
		wake = next
	}
	send(model.ClockTicked{Now: source.Until})
	for _, k := range keys {
		msg := viewstest.Press(k)
		if len([]rune(k)) == 1 {
			msg.Text = k
		}
		send(msg)
		settle()
	}
	return m
}

func TestTheRecordedRolloutFromHealthToFailureAndBack(t *testing.T) {
	for _, c := range []struct {
		at         time.Duration
		want       []string
		wide, tiny string // the reason
	}{
		{1 * time.Second, []string{"✓ DONE", "9/9"}, "", ""},
		{21 * time.Second, []string{"◌ NOT DONE", "8/9"}, "» tag 2.O does not ex", "ImagePull"},
		{85 * time.Second, []string{"✗ FAILED", "6/9", " 3/4 "}, "» tag 2.O does not ex", "» Ima"},
		{108 * time.Second, []string{"✓ DONE", "9/9"}, "", ""},
	} {
		for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 15}, {33, 8}} {
			screen := drawn(t, replay(t, c.at, size[0], size[1]), theme(t, "dark")).Plain()
			reason := c.wide
			if size[0] < 50 {
				reason = c.tiny
			}
			for _, want := range append(slices.Clip(c.want), reason) {
				if !strings.Contains(screen, want) {
					t.Errorf("after %v, %v: no %q on the screen:\n%s", c.at, size, want, screen)
				}
			}
			if size[0] >= 80 && !strings.Contains(screen, "RECORDING") {
				t.Errorf("after %v, %v: the label is missing:\n%s", c.at, size, screen)
			}
		}
	}
}

func TestEveryKeyOnTheRecordingDrawsAScreen(t *testing.T) {
	var keys []string
	for _, b := range model.Bindings {
		keys = append(keys, b.Keys()...)
	}
	r := rand.New(rand.NewPCG(7, 7))
	for range 6 {
		var pressed []string
		for range 60 {
			k := keys[r.IntN(len(keys))]
			if k == "q" || k == "ctrl+c" || k == "ctrl+z" {
				continue
			}
			pressed = append(pressed, k)
		}
		size := [][2]int{{120, 36}, {80, 24}, {60, 15}, {33, 8}, {200, 60}}[r.IntN(5)]
		m := replay(t, 85*time.Second, size[0], size[1], pressed...)
		drawn(t, m, theme(t, "dark"))
		if key, at := m.Tree.Selected(); m.Tree.RowCount() > 0 && m.Keyboard.Mode() == model.Browsing {
			if rows := m.Panes.Layout().Tree.H; rows > 0 && (at < m.Tree.Top() || at >= m.Tree.Top()+rows) {
				t.Errorf("after %v the selected row %d (%v) is not among rows %d to %d", pressed, at, key, m.Tree.Top(), m.Tree.Top()+rows)
			}
		}
	}
}

// The time line has the recording's clock: one that stops when all is done, or
// another beside it, would be read as the same.
func TestAReplayHasOneClock(t *testing.T) {
	clock := regexp.MustCompile(`\b\d\d:\d\d\b`)
	for _, at := range []time.Duration{85 * time.Second, 111 * time.Second} {
		for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 15}, {33, 8}, {60, 7}} {
			m := replay(t, at, size[0], size[1])
			text := drawn(t, m, theme(t, "dark")).Plain()
			head := strings.Join(strings.Split(text, "\n")[:2], "\n")
			has, alone := clock.MatchString(head), size[1] < 8                                // there is no time line
			if has && !alone || !has && alone && m.Facts.Verdict().Status == status.Current { // the cause goes before the clock
				t.Errorf("after %v, %v: a clock in the header is %v:\n%s", at, size, has, text)
			}
		}
	}
}

// The next problem is seen with its owners, and the rows do not move for one that is in sight.
func TestTheNextProblemIsSeenBelowItsOwners(t *testing.T) {
	for _, h := range []int{16, 18, 24, 30} {
		for n := 1; n <= 4; n++ {
			m := replay(t, 62*time.Second, 80, h, slices.Repeat([]string{"n"}, n)...)
			_, at := m.Tree.Selected()
			seen, owner := 0, -1
			for r := range m.Tree.InSight(m.Tree.RowCount()) {
				if r.Depth == 0 && seen+m.Tree.Top() <= at {
					owner = seen
				}
				seen++
			}
			window := m.Panes.Layout().Tree.H
			if owner < 0 || at-m.Tree.Top() >= window || n == 1 && at < window && m.Tree.Top() != 0 {
				t.Errorf("%d lines, problem %d: row %d of a window of %d from row %d:\n%s", h, n, at, window, m.Tree.Top(), textOfScreen(t, m))
			}
		}
	}
}
