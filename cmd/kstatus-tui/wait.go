package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

const waitLong = `Follow until the goal is reached, a failure that cannot heal, or the timeout. What does
not exist yet is waited for; an old success of an object that was applied anew is none.

The last thing printed is what is not Current, and why. Exit codes: 0 reached, 2 something
Failed, 3 out of time, 4 what was named was deleted, recreated or applied again, 1 error.`

type waitOptions struct {
	followOptions
	goals    []string
	aims     []aim
	failFast string
	timeout  time.Duration
	settle   time.Duration
	strict   bool
	optional []string
	output   string
}

func newWaitCommand(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) *cobra.Command {
	o := &waitOptions{followOptions: newFollowOptions(s, c)}
	cmd := &cobra.Command{
		Use: "wait [SOURCE…]", Short: "Follow until done, failed or out of time", Long: waitLong,
		Example: "  kubectl apply -f app.yaml -o yaml | kstatus-tui wait -f -\n" +
			"  kstatus-tui wait deploy/web --timeout 10m --settle 30s\n" +
			"  kstatus-tui wait job/migrate --for deleted\n" +
			"  kstatus-tui wait pods -l app=web --for condition=Ready --for jsonpath='{.status.phase}'=Running",
		RunE: runs(o),
	}
	o.addFlags(cmd)
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
	o.login = o.timeout
	o.whole = slices.ContainsFunc(o.aims, func(a aim) bool { return a.what == forJSONPath })
	o.ofObjects = slices.ContainsFunc(o.aims, aim.ofObject)
	return o.followOptions.Complete(cmd, args)
}

func (o *waitOptions) Validate() error {
	switch {
	case o.timeout < 0:
		return problem.New("0 waits forever", "--timeout %s is not a duration", o.timeout)
	case o.settle < 0:
		return problem.New("as in --settle 30s", "--settle %s is not a duration", o.settle)
	}
	for _, name := range o.optional {
		if !isTypeName(name) {
			return problem.New("as in --optional job/smoke-test", "--optional %q is not TYPE/NAME", name)
		}
	}
	return o.followOptions.Validate()
}

func (o *waitOptions) Run(ctx context.Context) (err error) {
	ses, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if e := ses.close(); err == nil {
			err = e
		}
	}()
	if _, err := o.moment(ses); err != nil {
		return err
	}
	g := &goal{aims: o.aims, failFast: o.failFast, settle: o.settle, strict: o.strict, played: ses.player != nil}
	if o.timeout > 0 {
		g.deadline = ses.opt.Now.Add(o.timeout)
	}
	progress := report.NewProgress(screenOf(o.Out), o.output, g.end(outcome{}).Open)
	var ended *outcome
	optional := optionalFeed{ses.feed, o.optional, new(sync.Map)}
	h := headless{feed: optional, now: ses.now, played: ses.player != nil}
	m, err := h.run(ctx, ses.opt, func(m model.Model) (bool, time.Time) {
		end, wake := g.look(m)
		ended = end
		progress.Show(m)
		return end != nil, wake
	})
	switch {
	case errors.Is(err, errEnded):
		ended = g.timedOut(m)
		ended.why = "the recording has ended"
	case ctx.Err() != nil:
		ended = &outcome{exitInterrupted, "interrupted"}
	case err != nil:
		progress.Clear()
		return err
	}
	progress.Clear()
	tellDamage(m, o.IOStreams, "")
	tellRefusals(m, o.IOStreams)
	optional.tellUnmet(o.ErrOut)
	if err := progress.End(m, g.end(*ended)); err != nil {
		return err
	}
	if err := o.writeReport(m); err != nil {
		return err
	}
	return exitWith(ended.code)
}
