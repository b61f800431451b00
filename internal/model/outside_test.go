package model

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// An answer that was on its way when the dashboard turned to something else.
func TestAnAnswerToTheSessionBeforeIsDropped(t *testing.T) {
	p := screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	late := p.m.ask.command(func() tea.Msg { return BatchArrived{feed.Batch{Seq: 9, At: t0, Objects: b.Objects, Roots: b.Roots}} })
	left := false
	p.m.opt.Reopen = func(context.Context, Other) (*Session, error) {
		return &Session{
			Begin: func(before Model) (Model, tea.Cmd) {
				return New(Options{Now: t0, Title: "another", Screen: true, Feed: before.opt.Feed})
			},
			Left: func() error { left = true; return nil },
		}, nil
	}
	p.send(BackgroundKnown{Dark: false})
	p.keys(":")
	p.typesIn("source helm/other")
	rev := p.m.Revision()
	p.keys("enter")
	if w, h := p.m.Size(); p.m.Options().Title != "another" || w != 120 || h != 36 || p.m.Dark() || !left || p.m.Session() != 1 {
		t.Fatalf("the dashboard did not turn to it: %+v, %dx%d, the one before ended: %v", p.m.Options().Title, w, h, left)
	}
	if p.m.Revision() <= rev {
		t.Error("it is not drawn anew")
	}
	p.send(late())
	if n := p.m.Known(); n != 0 {
		t.Errorf("%d objects of the session before", n)
	}
}

func TestAPanicOfACommandIsOneOfUpdate(t *testing.T) {
	p := screen(t)
	msg := p.m.ask.command(func() tea.Msg { panic("the feed has no idea") })()
	defer func() {
		if recover() == nil {
			t.Error("it is not told")
		}
	}()
	p.send(msg)
}

// Whatever a cluster says: a terminal receives only the sequences of
// internal/escapes.
func FuzzANotificationsBytes(f *testing.F) {
	f.Add("4;3", "x")
	f.Add("deploy/web: failed", "\x1b]52;c;aGk=\a\x1b[6n\x1b]8;;http://x\a\x1bP+q\x1b\\\u009b2J\u202e")
	f.Fuzz(func(t *testing.T, title, text string) {
		raw, ok := notify(title, text)().(tea.RawMsg)
		if !ok {
			t.Fatal("nothing is written")
		}
		if err := escapes.Check([]byte(raw.Msg.(string))); err != nil {
			t.Fatal(err)
		}
	})
}
