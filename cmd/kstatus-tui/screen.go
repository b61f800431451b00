package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/tui"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// screenFlags are the flags of every command that opens the dashboard.
type screenFlags struct {
	exitStatus bool
	theme      string
	ascii      bool
	noMouse    bool
	noMotion   bool
	plain      bool
}

func (f *screenFlags) add(flags *pflag.FlagSet) { grouped(flags, screenGroup, f.addTo) }

func (f *screenFlags) addTo(flags *pflag.FlagSet) {
	flags.BoolVar(&f.exitStatus, "exit-status", false, "exit with the code of the verdict")
	flags.StringVar(&f.theme, "theme", "auto", "the colours: "+joined(views.ThemeNames))
	flags.BoolVar(&f.ascii, "ascii", false, "draw with ASCII alone")
	flags.BoolVar(&f.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	flags.BoolVar(&f.noMotion, "no-motion", false, "no animation")
	flags.BoolVar(&f.plain, "plain", false, "no screen, but a line for each change: for screen readers")
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
func (f screenFlags) run(ctx context.Context, s genericiooptions.IOStreams, on *stage, atEnd func(model.Model) error) (err error) {
	defer func() {
		if e := on.close(); err == nil || isOutcome(err) {
			if e != nil {
				err = e
			}
		}
	}()
	conf, err := readConfiguration()
	if err != nil {
		return err
	}
	on.dress = func(ses *session) model.Options {
		opt := ses.opt
		opt.Feed = ses.feed
		opt.Screen, opt.Theme, opt.Themes = true, f.theme, views.ThemeNames
		opt.Contexts, opt.Fixed = on.others()
		opt.Outside = model.Outside{
			Report: func(m model.Model, format string) ([]byte, error) { return f.report(m, format, conf.hidden()) },
			Save:   saveText, Reopen: on.reopen, Inventories: on.inventories,
		}
		conf.arrange(&opt)
		return opt
	}
	opt := on.dress(on.first)
	var m model.Model
	if f.plain || os.Getenv("TERM") == "dumb" {
		m, err = headless{feed: on.first.feed, now: on.first.now}.lines(ctx, opt, keyboard(s.In), s.Out)
	} else {
		m, err = tui.Run(ctx, opt, tui.Options{
			ASCII: f.ascii, NoMouse: f.noMouse, NoMotion: f.noMotion, Hidden: conf.hidden(), Now: on.first.now,
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
	if f.exitStatus {
		return exitWith(verdictCode(m.Verdict()))
	}
	return nil
}

// report is a report of what is on the screen; a picture is in its colours.
func (f screenFlags) report(m model.Model, format string, hidden views.Hidden) ([]byte, error) {
	th, err := views.NewTheme(m.Theme(), m.Dark(), f.ascii)
	if err != nil {
		return nil, err
	}
	return finding(m, format, views.Look{Theme: th, Zone: time.Local, Hidden: hidden})
}

func isOutcome(err error) bool {
	_, ok := errors.AsType[exitCode](err)
	return ok
}

// file returns the stream as a file, or nil for the default if it is none. A
// piped input has already been read; the keyboard is then the terminal.
func file(stream any) *os.File {
	f, _ := stream.(*os.File)
	if f != nil && !isTerminal(f) {
		return nil
	}
	return f
}

// keyboard is where the user types: the stream, or else standard input, if that
// is a terminal; nil if neither is.
func keyboard(stream any) io.Reader {
	if f := file(stream); f != nil {
		return f
	}
	if isTerminal(os.Stdin) {
		return os.Stdin
	}
	return nil
}

// joined lists choices in a flag's help.
func joined(names []string) string { return strings.Join(names, ", ") }

// oneOf refuses values that a flag does not accept.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return problemf(didYouMean(value, "", allowed)+"it takes "+strings.Join(allowed, ", "), "%s %s: no such choice", flag, value)
}
