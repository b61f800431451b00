package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// screenFlags are the flags of whatever opens the dashboard.
type screenFlags struct {
	exitStatus bool
	theme      string
	ascii      bool
	noMouse    bool
	noMotion   bool
	plain      bool
}

func (f *screenFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.exitStatus, "exit-status", false, "exit with the code of the verdict")
	flags.StringVar(&f.theme, "theme", "auto", "the colours: "+joined(views.ThemeNames))
	flags.BoolVar(&f.ascii, "ascii", false, "draw with ASCII alone")
	flags.BoolVar(&f.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	flags.BoolVar(&f.noMotion, "no-motion", false, "no animation")
	flags.BoolVar(&f.plain, "plain", false, "no screen, but a line for each change: for screen readers")
}

// addDashboard makes the command without a name the dashboard.
func addDashboard(root *cobra.Command, s streams) {
	f := addFollow(root)
	var screen screenFlags
	screen.add(root.Flags())
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--theme", screen.theme, views.ThemeNames...); err != nil {
			return err
		}
		if !isTerminal(s.Out) && !screen.plain {
			// Nobody watches: what status does is what can be done.
			m, err := once(cmd.Context(), f, s, args, onceTimeout)
			if err != nil {
				return suggest(cmd, args, err)
			}
			code := verdictCode(m.Verdict())
			if err := report.Status(s.Out, m, "table", code); err != nil {
				return err
			}
			if err := f.writeReport(m); err != nil {
				return err
			}
			return exitWith(code)
		}
		if f.namesNothing(args) && isTerminal(s.In) && isTerminal(s.Out) {
			if chosen, err := f.pick(cmd.Context(), s); err != nil || !chosen {
				return err
			}
		}
		ses, err := f.open(cmd.Context(), s, args)
		if err != nil {
			return suggest(cmd, args, err)
		}
		if err := f.cue(ses, screen); err != nil {
			_ = ses.close()
			return err
		}
		return screen.run(cmd.Context(), s, &sessions{f: *f, s: s, args: args, first: ses, shown: ses}, f.writeReport)
	}
}

// suggest asks whether a command was meant, where a single word could not be
// understood as a SOURCE.
func suggest(root *cobra.Command, args []string, err error) error {
	if len(args) != 1 || watch.KnownType(args[0]) {
		return err
	}
	if names := root.SuggestionsFor(args[0]); len(names) > 0 {
		return problemf(fmt.Sprintf("did you mean: %s %s", root.CommandPath(), names[0]), "%w", err)
	}
	return err
}

// run shows a session on the screen until the user quits, and closes it, or the
// one that it was changed to. atEnd gets the last state.
func (f screenFlags) run(ctx context.Context, s streams, x *sessions, atEnd func(model.Model) error) (err error) {
	defer func() {
		if e := x.close(); err == nil || isOutcome(err) {
			if e != nil {
				err = e
			}
		}
	}()
	conf, err := readConfiguration()
	if err != nil {
		return err
	}
	x.dress = func(opt model.Options) model.Options {
		opt.Screen, opt.Themes = true, views.ThemeNames
		opt.Contexts, opt.Fixed = x.contexts(), x.fixed()
		conf.arrange(&opt)
		return opt
	}
	m, commands := model.New(x.dress(x.first.opt))
	m, err = views.Run(ctx, x.first.feed, m, views.Options{
		Commands: commands, Theme: f.theme, ASCII: f.ascii, NoMouse: f.noMouse, NoMotion: f.noMotion, Plain: f.plain,
		Hidden: conf.hidden(),
		Report: finding, Save: saveText, Reopen: x.reopen, Sources: x.sources, Now: x.first.now,
		Input: file(s.In), Output: file(s.Out), Errors: file(s.Err),
	})
	if _, ok := errors.AsType[views.Interrupted](err); ok {
		return exitWith(exitInterrupted)
	}
	if err != nil {
		return err
	}
	if err := m.Connection().Err; err != nil && m.Connection().Link == model.LinkEnded && x.first.player == nil && ctx.Err() == nil {
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

func isOutcome(err error) bool {
	_, ok := errors.AsType[exitCode](err)
	return ok
}

// file is the stream as a file, or nil for the default where it is none. An
// input that is a pipe has been read; the keyboard is the terminal then.
func file(stream any) *os.File {
	f, _ := stream.(*os.File)
	if f != nil && !isTerminal(f) {
		return nil
	}
	return f
}
