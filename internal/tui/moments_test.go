package tui

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// deck is the program on a recording whose clock the user controls, in a synctest bubble: a minute
// of the recording takes no time.
type deck struct {
	t      *testing.T
	p      *program
	player *recording.Player
	in     chan tea.Msg
	ctx    context.Context
}

// newDeck opens a recording on a screen. The clock runs.
func newDeck(t *testing.T, data []byte, w, h int) *deck {
	t.Helper()
	player, err := recording.NewPlayer(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	d := &deck{t: t, player: player, in: make(chan tea.Msg), ctx: ctx}
	t.Cleanup(func() {
		cancel()
		time.Sleep(time.Minute) // the last ticks come
		if err := player.Close(); err != nil {
			t.Error(err)
		}
	})
	player.Speed, player.Hold = 1, true
	head := player.Header()
	d.p = newProgram(model.Options{
		Feed: player, Ctx: ctx, Now: player.Start(), Sources: head.Sources, Title: head.Title,
		Context: head.Context, Namespace: head.Namespace, Recording: "demo", Children: model.ChildrenAll, Screen: true,
	}, Options{Now: player.Now, Zone: time.UTC, NoMotion: true})
	d.p.profile = colorprofile.TrueColor
	d.p.dress()
	d.run(d.p.Init())
	d.tell(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

// run carries out a command beside everything else.
func (d *deck) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				d.run(c)
			}
		default:
			select {
			case d.in <- msg:
			case <-d.ctx.Done():
			}
		}
	}()
}

func (d *deck) tell(msg tea.Msg) {
	_, cmd := d.p.Update(msg)
	d.run(cmd)
}

// pass lets time pass on the user's watch.
func (d *deck) pass(t time.Duration) {
	timer := time.NewTimer(t)
	defer timer.Stop()
	for {
		select {
		case msg := <-d.in:
			d.tell(msg)
		case <-timer.C:
			return
		}
	}
}

func (d *deck) keys(keys ...string) {
	for _, k := range keys {
		d.tell(viewstest.Press(k))
		d.pass(10 * time.Millisecond)
	}
}

// screen is what stands on the screen after a while.
func (d *deck) screen(while time.Duration) []string {
	d.pass(while)
	return strings.Split(ansi.Strip(d.p.view.Content), "\n")
}

// What has been read for a cause, what has just healed and what is held for a while is known
// wherever a jump comes from, and at once.
func TestAMomentOfARecordingLooksTheSameWhicheverWayLeadsThere(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../cmd/kstatus-tui/demo.rec.gz")
	if err != nil {
		t.Fatal(err)
	}
	var moments []time.Time
	played := map[time.Time][]string{}
	synctest.Test(t, func(t *testing.T) {
		d := newDeck(t, data, 120, 36)
		for at := d.player.Start().Add(500 * time.Millisecond); at.Before(d.player.End()); at = at.Add(2900 * time.Millisecond) {
			d.pass(at.Sub(d.player.Now()))
			d.keys(".")
			moments, played[at] = append(moments, at), d.screen(10*time.Second)
			d.keys(".")
		}
	})
	compare := func(moments []time.Time) {
		synctest.Test(t, func(t *testing.T) {
			d := newDeck(t, data, 120, 36)
			d.pass(time.Second)
			d.keys("$")
			d.pass(time.Second)
			for _, at := range moments {
				d.tell(model.TimeClicked{At: at})
				if diff := cmp.Diff(played[at], d.screen(200*time.Millisecond)); diff != "" {
					t.Errorf("%v after the beginning (-played to +jumped to):\n%s", at.Sub(d.player.Start()), diff)
				}
			}
		})
	}
	compare(moments) // from the end to the beginning, and then on
	slices.Reverse(moments)
	compare(moments)
}

// The key that leads to a mark says what begins there. The cursor must be on that row, also after
// the user has moved it.
func TestAJumpToAMarkSelectsTheRowThatItAnnounces(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../cmd/kstatus-tui/demo.rec.gz")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		d := newDeck(t, data, 120, 36)
		d.pass(time.Second)
		d.keys(".", "j", "j", "j")
		reached := map[string]string{}
		for range 9 {
			d.keys("}")
			d.pass(time.Second)
			k, _ := d.p.m.Tree.Selected()
			reached[d.p.m.Display.Flash()] = k.ID.Name
			d.keys("G") // somewhere else
		}
		for announced, want := range map[string]string{
			"begins: tag 2.O does not exist in localhost:5000/shop/checkout":            "checkout",
			"begins: worker exited 1: panic: DATABASE_URL is not set":                   "worker",
			"the verdict becomes Failed":                                                "checkout",
			"begins: web: readiness probe failing: GET :8081/ready: connection refused": "web",
		} {
			if got := reached[announced]; got != want {
				t.Errorf("%q is announced, and %q selected, want %q", announced, got, want)
			}
		}
		d.keys("G", "!")
		d.pass(time.Second)
		if k, _ := d.p.m.Tree.Selected(); k.ID.Name != "checkout" {
			t.Errorf("%q, and %v is selected", d.p.m.Display.Flash(), k.ID)
		}
		if t.Failed() {
			t.Log(reached)
		}
	})
}

// A log is only followed while its container runs and the clock does.
func TestALogIsFollowedWhileItsContainerAndTheClockRun(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../cmd/kstatus-tui/demo.rec.gz")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		d := newDeck(t, data, 120, 36)
		d.pass(time.Second)
		d.keys(".", "Z", "4")
		d.tell(model.TimeClicked{At: d.player.Start().Add(51 * time.Second)})
		d.pass(time.Second)
		says := func(pod, want string, not ...string) {
			t.Helper()
			d.tell(model.RowClicked{Key: rows.Key{ID: object.ID{Kind: "Pod", Namespace: "shop", Name: pod}}})
			d.pass(time.Second)
			got := strings.Join(d.screen(0), "\n")
			if k, _ := d.p.m.Tree.Selected(); k.ID.Name != pod || !strings.Contains(got, want) {
				t.Errorf("%s: no %q:\n%s", pod, want, got)
			}
			for _, word := range not {
				if strings.Contains(got, word) {
					t.Errorf("%s: %q:\n%s", pod, word, got)
				}
			}
		}
		says("worker-5bf86d8b7-fsj5s", "panic: DATABASE_URL is not set", "following", "paused with")
		says("database-0", "paused with the recording", "following")
		d.keys(".")
		says("worker-5bf86d8b7-fsj5s", "panic: DATABASE_URL is not set", "following", "paused with")
		says("database-0", "● following", "paused with")
		d.keys("$")
		d.pass(time.Second)
		says("database-0", "paused with the recording", "following")
	})
}
