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
