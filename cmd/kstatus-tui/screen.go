package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/tui"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// screenOptions are the options of every command that opens the dashboard.
type screenOptions struct {
	exitStatus bool
	theme      string
	ascii      bool
	noMouse    bool
	noMotion   bool
	plain      bool
}

func (o *screenOptions) addFlags(flags *pflag.FlagSet) {
	grouped(flags, screenGroup, func(flags *pflag.FlagSet) {
		flags.BoolVar(&o.exitStatus, "exit-status", false, "exit with the code of the verdict")
		choose(flags, &o.theme, "theme", "", "auto", "the colours: "+joined(views.ThemeNames), views.ThemeNames)
		flags.BoolVar(&o.ascii, "ascii", false, "draw with ASCII alone")
		flags.BoolVar(&o.noMouse, "no-mouse", false, "leave the mouse to the terminal")
		flags.BoolVar(&o.noMotion, "no-motion", false, "no animation")
		flags.BoolVar(&o.plain, "plain", false, "no screen, but a line for each change: for screen readers")
	})
}

// stage holds the session that a dashboard shows first, and how to switch to
// another one.
type stage struct {
	first *session
	// others returns the contexts to switch to, or why the sources are fixed.
	others func() (contexts []string, fixed string)
	// reopen begins a session with other sources, inventories lists what can be
	// followed. Both are nil if the sources are fixed.
	reopen      func(ctx context.Context, other model.Other) (*model.Session, error)
	inventories func(ctx context.Context) ([]string, error)
	// close ends the session that is shown last.
	close func() error
	// dress returns a session's options for the screen; run sets it.
	dress func(*session) model.Options
}

// ofOneSet says why a recording's dashboard cannot switch to other sources.
const ofOneSet = "a recording is of one set: nothing else can be followed"

// alone is the stage of a recording.
func (ses *session) alone() *stage {
	return &stage{first: ses, others: func() ([]string, string) { return nil, ofOneSet }, close: ses.close}
}

// run shows a session on the screen until the user quits, and closes it or the
// session that replaced it. atEnd gets the last state.
func (o screenOptions) run(ctx context.Context, s genericiooptions.IOStreams, on *stage, atEnd func(model.Model) error) (err error) {
	defer func() {
		if e := on.close(); err == nil || isOutcome(err) {
			if e != nil {
				err = e
			}
		}
	}()
	conf, err := readConfiguration(&pflag.FlagSet{})
	if err != nil {
		return err
	}
	on.dress = func(ses *session) model.Options {
		opt := ses.opt
		opt.Feed = ses.feed
		opt.Screen, opt.Theme, opt.Themes = true, o.theme, views.ThemeNames
		opt.Contexts, opt.Fixed = on.others()
		opt.Outside = model.Outside{
			Report: func(m model.Model, format string) ([]byte, error) { return o.report(m, format, conf.hidden()) },
			Save:   saveText, Reopen: on.reopen, Inventories: on.inventories,
		}
		conf.arrange(&opt)
		return opt
	}
	opt := on.dress(on.first)
	var m model.Model
	if o.plain || os.Getenv("TERM") == "dumb" {
		m, err = headless{feed: on.first.feed, now: on.first.now}.lines(ctx, opt, keyboard(s.In), s.Out)
	} else {
		m, err = tui.Run(ctx, opt, tui.Options{
			ASCII: o.ascii, NoMouse: o.noMouse, NoMotion: o.noMotion, Hidden: conf.hidden(), Now: on.first.now,
			Input: file(s.In), Output: file(s.Out), Errors: file(s.ErrOut),
		})
	}
	if _, ok := errors.AsType[tui.Interrupted](err); ok {
		return exitWith(exitInterrupted)
	}
	if err != nil {
		return err
	}
	if err := m.Connection().Err; err != nil && m.Connection().Link == world.LinkEnded && on.first.player == nil && ctx.Err() == nil {
		return err
	}
	if err := atEnd(m); err != nil {
		return err
	}
	if o.exitStatus {
		return exitWith(verdictCode(m.Verdict()))
	}
	return nil
}

// report is a report of what is on the screen; a picture is in its colours.
func (o screenOptions) report(m model.Model, format string, hidden views.Hidden) ([]byte, error) {
	th, err := views.NewTheme(m.Theme(), m.Dark(), o.ascii)
	if err != nil {
		return nil, err
	}
	return finding(m, format, views.Look{Theme: th, Zone: time.Local, Hidden: hidden})
}

func isOutcome(err error) bool {
	_, ok := errors.AsType[exitCode](err)
	return ok
}
