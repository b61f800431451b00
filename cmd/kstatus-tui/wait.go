package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

const waitLong = `Follow until the goal is reached, a failure that cannot heal, or the timeout. What does
not exist yet is waited for; an old success of an object that was applied anew is none.

The last thing printed is what is not Current, and why. With -o text it goes to standard
output, and the progress before it to standard error. Exit codes: 0 reached, 2 something
Failed, 3 out of time, 4 what was named was deleted, recreated or applied again, 1 error.`

type waitOptions struct {
	followOptions
	goals    []string
	aims     []aim
	failFast string
	settle   time.Duration
	strict   bool
	output   string
}

func newWaitCommand(f followOptions) *cobra.Command {
	o := &waitOptions{followOptions: f}
	cmd := &cobra.Command{
		Use: "wait [SOURCE…]", Short: "Follow until done, failed or out of time", Long: waitLong,
		Example: "  kubectl apply -f app.yaml -o yaml | kstatus-tui wait -f -\n" +
			"  kstatus-tui wait deploy/web --timeout 10m --settle 30s\n" +
			"  kstatus-tui wait job/migrate --for deleted\n" +
			"  kstatus-tui wait pods -l app=web --for condition=Ready --for jsonpath='{.status.phase}'=Running",
		RunE: runs(o),
	}
	o.addFlags(cmd.Flags())
	flags := cmd.Flags()
	flags.StringArrayVar(&o.goals, "for", []string{forCurrent}, "current, deleted, exists, known, condition=NAME[=VALUE] or jsonpath=PATH[=VALUE] (repeatable: all must hold)")
	flags.DurationVar(&o.timeout, "timeout", 5*time.Minute, "how long to wait; 0 for ever")
	choose(flags, &o.failFast, "fail-fast", "", failTerminal, "stop on a failure: terminal (that cannot heal), any, never", failFastChoices)
	flags.DurationVar(&o.settle, "settle", 0, "how long the goal must hold")
	flags.BoolVar(&o.strict, "strict", false, "do not take for Current what is so by the confidence assumed")
	flags.StringArrayVar(&o.optional, "optional", nil, "TYPE/NAME that may fail without failing the wait (repeatable)")
	choose(flags, &o.output, "output", "o", "text", "text, jsonl, json, junit or github (annotations)", report.WaitFormats)
	return cmd
}

func (o *waitOptions) Complete(cmd *cobra.Command, args []string) (err error) {
	if o.aims, err = parseAims(o.goals); err != nil {
		return err
	}
	o.whole = slices.ContainsFunc(o.aims, func(a aim) bool { return a.what == forJSONPath })
	o.ofObjects = slices.ContainsFunc(o.aims, aim.ofObject)
	o.beginsAt = true
	return o.followOptions.Complete(cmd, args)
}

func (o *waitOptions) Validate() error {
	if o.settle < 0 {
		return problem.New("as in 90s, 5m or 1h30m", "--settle takes no negative duration")
	}
	for _, name := range o.optional {
		if !isTypeName(name) {
			return problem.New("as in --optional job/smoke-test", "--optional %q is not TYPE/NAME", name)
		}
	}
	return o.followOptions.Validate()
}

func (o *waitOptions) Run(ctx context.Context) (err error) {
	g := &goal{aims: o.aims, failFast: o.failFast, settle: o.settle, strict: o.strict}
	progress := report.NewProgress(o.Out, screenOf(o.ErrOut), o.output, g.end(exitOK, "").Open)
	failed := func(m model.Model, err error) error { // programs that read the output learn it there
		if o.output == "text" {
			return err
		}
		return cmp.Or(progress.End(m.Facts, *g.end(exitError, "%v", err)), err)
	}
	ses, err := o.open(ctx)
	switch {
	case err != nil && ctx.Err() == nil && ses.feed != nil:
		m, _ := model.New(ses.opt)
		return failed(m, err)
	case err != nil:
		return err
	}
	defer func() { err = cmp.Or(err, ses.close()) }()
	g.played = ses.played
	if o.timeout > 0 {
		g.deadline = cmp.Or(ses.opt.From, ses.opt.Now).Add(o.timeout)
	}
	var ended *report.End
	m, err := ses.run(ctx, ses.opt, func(m model.Model) (bool, time.Time) {
		end, wake := g.look(m)
		ended = end
		progress.Show(m.Facts)
		return end != nil, wake
	})
	progress.Clear()
	switch {
	case errors.Is(err, errEnded):
		ended = g.timedOut(m)
		ended.Why = "the recording has ended"
	case ctx.Err() != nil:
		ended = g.end(exitInterrupted, "interrupted")
	case err != nil:
		return failed(m, err)
	}
	tellDamage(m.Facts, o.ErrOut, "")
	tellRefusals(m.Facts, o.ErrOut)
	tellUnmet(m.Roots(), o.optional, o.ErrOut)
	if err := progress.End(m.Facts, *ended); err != nil {
		return err
	}
	if err := o.writeReport(m); err != nil {
		return err
	}
	return exitWith(ended.Code)
}

// isOptional reports whether --optional names a root.
func (o *followOptions) isOptional(id object.ID) bool {
	return slices.ContainsFunc(o.optional, func(arg string) bool { return resolve.Named(arg, id) })
}

// tellUnmet warns of values of --optional that name no root: a typing error would
// leave the intended root in the verdict.
func tellUnmet(roots []object.ID, named []string, w io.Writer) {
	for _, arg := range named {
		if !slices.ContainsFunc(roots, func(id object.ID) bool { return resolve.Named(arg, id) }) {
			fmt.Fprintf(w, "kstatus-tui: --optional %s: nothing of that name was asked for\n", arg)
		}
	}
}
