package tui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What changes right after something else did is explained a tenth of a second
// later, and not with the next second's tick.
func TestATickComesEarlierWhenTheModelHasAnEarlierDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{opts: Options{Now: time.Now}}
		p.m, _ = model.New(model.Options{Now: time.Now(), Screen: true})
		change := func(seq uint64) {
			o := &object.Object{
				ID: object.ID{Kind: "Pod", Namespace: "shop", Name: "web"}, UID: "1", Created: time.Now(),
				Pod: &object.Pod{PodTemplate: &object.PodTemplate{}, Phase: "Running"}, Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "False"}}},
			}
			b := feed.Batch{Seq: seq, At: time.Now(), Synced: true, Roots: []feed.Root{{ID: o.ID}}, Objects: []*object.Object{o}}
			p.m, _ = p.m.Update(model.BatchArrived{Batch: b})
		}
		change(1)
		p.tick()
		first := p.tickNo
		time.Sleep(20 * time.Millisecond)
		change(2)
		if cmd := p.rewind(); cmd == nil || p.tickNo == first || time.Until(p.due) > 200*time.Millisecond {
			t.Errorf("the next tick comes in %s", time.Until(p.due))
		}
		if cmd := p.rewind(); cmd != nil {
			t.Error("and another one")
		}
		rev := p.m.Revision()
		if p.handle(ticked{first}); p.m.Revision() != rev {
			t.Error("the tick that was put off comes too")
		}
	})
}

func TestAPausedRecordingTicksOnceASecondAndAtOnceWhenItIsPlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		p := &program{opts: Options{Now: func() time.Time { return began.Add(995 * time.Millisecond) }}}
		p.m, _ = model.New(model.Options{Now: began, Screen: true, Recording: "demo"})
		played := func(speed float64, paused bool) {
			b := feed.Batch{At: began, Synced: true, Playback: &feed.Playback{Start: began, End: began.Add(time.Hour), Speed: speed, Paused: paused}}
			p.m, _ = p.m.Update(model.BatchArrived{Batch: b})
		}
		for _, speed := range []float64{0.25, 1, 64} {
			played(speed, true)
			p.tick()
			if wait := time.Until(p.due); wait != time.Second {
				t.Errorf("paused at %g×, the next tick comes in %s", speed, wait)
			}
			if p.rewind() != nil {
				t.Errorf("paused at %g×, and a tick earlier", speed)
			}
		}
		played(64, false)
		if p.rewind(); time.Until(p.due) > 2*frame {
			t.Errorf("played at 64×, the next tick comes in %s", time.Until(p.due))
		}
	})
}

// A recording's clock may stand or race: it does not say when something was read.
func TestAMessageIsShownForAWhileOfRealTime(t *testing.T) {
	p := &program{opts: Options{Now: time.Now}}
	p.m, _ = model.New(model.Options{Screen: true})
	say := func() int {
		p.send(tea.KeyPressMsg{Code: 'm', Text: "m"})
		if p.fade() == nil || p.fade() != nil {
			t.Fatalf("the end of %q is not awaited once", p.m.Display.Flash())
		}
		return p.flashNo
	}
	first, second := say(), say()
	p.send(model.ClockTicked{Now: time.Now().Add(time.Hour)})
	if p.handle(faded{first}); p.m.Display.Flash() == "" {
		t.Error("the end of another text has taken it away")
	}
	if p.handle(faded{second}); p.m.Display.Flash() != "" {
		t.Errorf("%q is still shown", p.m.Display.Flash())
	}
}

func TestPrintedTextOfLibrariesIsDatedByTheRecording(t *testing.T) {
	began := time.Date(2026, 7, 1, 14, 0, 0, 0, time.UTC)
	p := &program{opts: Options{Now: func() time.Time { return began }}}
	p.m, _ = model.New(model.Options{Now: began, Screen: true, Recording: "demo"})
	p.send(model.NoticeArrived{Notice: noticed("W0701 14:00:00.000000       1 reflector.go:1] it broke")})
	want := []feed.Notice{{At: began, Level: "warning", From: "stderr", Text: "it broke"}}
	if got := p.m.Facts.Notices(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestTheWheelDoesNotReachThroughThePalette(t *testing.T) {
	p := &program{opts: Options{Now: time.Now}}
	p.m, _ = model.New(model.Options{Now: time.Now(), Screen: true})
	p.m, _ = p.m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	b := feed.Batch{Seq: 1, At: time.Now(), Synced: true}
	for _, name := range []string{"a", "b"} {
		o := &object.Object{ID: object.ID{Kind: "ConfigMap", Namespace: "shop", Name: name}, UID: name}
		b.Roots, b.Objects = append(b.Roots, feed.Root{ID: o.ID}), append(b.Objects, o)
	}
	p.m, _ = p.m.Update(model.BatchArrived{Batch: b})
	turned := tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: 3, Y: 6}
	if p.pointed(turned) == nil {
		t.Error("the wheel does nothing to the tree")
	}
	p.m, _ = p.m.Update(tea.KeyPressMsg{Code: ':', Text: ":"})
	if hit := p.pointed(turned); hit != nil {
		t.Errorf("below the palette it does something: %v", hit)
	}
}

func TestAPanicAtAClickEndsItInOrder(t *testing.T) {
	p := newStage(time.Unix(0, 0), "x", "dark", 80, 24).p
	p.redraw()
	p.m = &model.Model{} // which nothing can be looked up in
	click := tea.MouseClickMsg{Button: tea.MouseLeft, X: 3, Y: 6}
	if onMouse := p.View().OnMouse; onMouse != nil { // Bubble Tea calls it before Update
		onMouse(click)
	}
	_, cmd := p.Update(click)
	if p.crash == nil {
		t.Fatal("the panic is lost")
	}
	if got := cmd(); got != tea.Quit() {
		t.Errorf("it goes on with %v", got)
	}
}

func TestTheThemeFollowsTheColoursThatTheTerminalHas(t *testing.T) {
	for _, x := range []struct {
		theme   string
		profile colorprofile.Profile
		want    string
	}{
		{"light", colorprofile.Unknown, "light"},
		{"light", colorprofile.TrueColor, "light"},
		{"light", colorprofile.ANSI256, "light"},
		{"light", colorprofile.ANSI, "ansi"},
		{"high-contrast", colorprofile.ANSI, "ansi"},
		{"mono", colorprofile.ANSI, "mono"},
		{"ascii", colorprofile.ANSI, "ascii"},
		{"light", colorprofile.ASCII, "mono"},
		{"ascii", colorprofile.NoTTY, "ascii"},
	} {
		s := newStage(time.Unix(0, 0), "x", x.theme, 80, 24)
		s.p.profile = x.profile
		s.p.dress()
		if s.p.theme.Name != x.want {
			t.Errorf("%s with %s: %s, want %s", x.theme, x.profile, s.p.theme.Name, x.want)
		}
		if dark := x.theme != "light"; s.p.theme.Dark != dark { // its bright names would be white on white
			t.Errorf("%s with %s: dark is %v", x.theme, x.profile, s.p.theme.Dark)
		}
	}
}

func TestATerminalWithoutColoursGetsNone(t *testing.T) {
	for env, want := range map[string]bool{
		"TERM=xterm-mono": true, "TERM=vt100": true, "TERM=vt52": true, "TERM=vt220-w": true, "TERM=xterm-256color NO_COLOR=yes": true,
		"TERM=xterm": false, "TERM=linux": false, "TERM=screen": false, "TERM=vt340": false, "TERM=vt100 COLORTERM=truecolor": false,
	} {
		if got := colourless(strings.Fields(env)); got != want {
			t.Errorf("%s: %v, want %v", env, got, want)
		}
	}
}
