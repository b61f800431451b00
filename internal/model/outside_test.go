package model

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// An answer that was on its way when the dashboard turned to something else.
func TestAnAnswerToTheSessionBeforeIsDropped(t *testing.T) {
	p := screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	late := p.m.Intake.ask.command(func() tea.Msg { return BatchArrived{feed.Batch{Seq: 9, At: t0, Objects: b.Objects, Roots: b.Roots}} })
	left := false
	p.m.Intake.opt.Reopen = func(context.Context, Other) (*Session, error) {
		return &Session{
			Begin: func(before *Model) (*Model, tea.Cmd) {
				return New(Options{Now: t0, Title: "another", Screen: true, Feed: before.Intake.opt.Feed})
			},
			Left: func() error { left = true; return nil },
		}, nil
	}
	p.send(BackgroundKnown{Dark: false})
	p.keys(":")
	p.typesIn("source helm/other")
	rev := p.m.Revision()
	p.keys("enter")
	if w, h := p.m.Panes.Size(); p.m.Options().Title != "another" || w != 120 || h != 28 || p.m.Display.Dark() || !left || p.m.Session() != 1 {
		t.Fatalf("the dashboard did not turn to it: %+v, %dx%d, the one before ended: %v", p.m.Options().Title, w, h, left)
	}
	if p.m.Revision() <= rev {
		t.Error("it is not drawn anew")
	}
	p.send(late())
	if n := p.m.Facts.Known(); n != 0 {
		t.Errorf("%d objects of the session before", n)
	}
}

func TestAPanicOfACommandIsOneOfUpdate(t *testing.T) {
	p := screen(t)
	msg := p.m.Intake.ask.command(func() tea.Msg { panic("the feed has no idea") })()
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

func TestTheNotificationFollowsTheVerdictOnTheScreen(t *testing.T) {
	cluster := &feedStub{}
	p := newPlay(t, Options{Screen: true, Title: "x", Feed: cluster})
	cluster.p, p.late = p, true
	steps := func(want int, what string) {
		t.Helper()
		notified := 0
		for _, msg := range p.told {
			if raw, ok := msg.(tea.RawMsg); ok && strings.Contains(fmt.Sprint(raw.Msg), "x: done") {
				notified++
			}
		}
		if notified != want {
			t.Errorf("%s: notified %d times, want %d", what, notified, want)
		}
	}
	source := feed.SourceState{Key: "a", Kind: "Deployment", Group: "apps", Namespace: "shop", Phase: feed.Live, Objects: 2}
	web, db := deployment("web", 1), deployment("db", 1)
	well := func(o *object.Object) *object.Object { return again(deployment(o.Name, 2), func(*object.Object) {}) }
	p.keys("m")
	p.batch(0, feed.Batch{
		Roots: []feed.Root{root(web), root(db)}, Objects: []*object.Object{web, db}, Synced: true,
		Sources: []feed.SourceState{source, {Key: "b", Phase: feed.Live}},
	})
	p.batch(time.Second, feed.Batch{Objects: []*object.Object{well(web), well(db)}})
	steps(0, "their children are awaited")
	p.batch(2*time.Second, feed.Batch{Answered: p.wants.Gen})
	steps(1, "all is known")
	source.Phase = feed.Stale
	p.batch(3*time.Second, feed.Batch{Sources: []feed.SourceState{source}})
	source.Phase = feed.Live
	p.batch(4*time.Second, feed.Batch{Sources: []feed.SourceState{source}})
	steps(1, "an outage is over")
	p.batch(5*time.Second, feed.Batch{Objects: []*object.Object{again(well(db), func(o *object.Object) { o.Workload.Ready, o.Workload.Available = object.IntOf(1), object.IntOf(1) })}})
	source.Phase = feed.Stale
	p.batch(6*time.Second, feed.Batch{Sources: []feed.SourceState{source}})
	p.batch(7*time.Second, feed.Batch{Roots: []feed.Root{{ID: db.ID, Removed: true}}, Answered: p.wants.Gen})
	steps(1, "what was not ready is left, in an outage")
	source.Phase = feed.Live
	p.batch(8*time.Second, feed.Batch{Sources: []feed.SourceState{source}})
	steps(2, "that outage is over")
}
