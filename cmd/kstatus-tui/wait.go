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
)

const waitLong = `Follow until the goal is reached, a failure that cannot heal, or the timeout. What does
not exist yet is waited for; an old success of an object that was applied anew is none.

The last thing printed is what is not Current, and why. Exit codes: 0 reached, 2 something
Failed, 3 out of time, 4 what was named was deleted, recreated or applied again, 1 error.`

// waiting holds the flags of wait.
type waiting struct {
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
	var w waiting
	cmd := &cobra.Command{
		Use: "wait [SOURCE…]", Short: "Follow until done, failed or out of time", Long: waitLong,
		Example: "  kubectl apply -f app.yaml -o yaml | kstatus-tui wait -f -\n" +
			"  kstatus-tui wait deploy/web --timeout 10m --settle 30s\n" +
			"  kstatus-tui wait job/migrate --for deleted\n" +
			"  kstatus-tui wait pods -l app=web --for condition=Ready --for jsonpath='{.status.phase}'=Running",
	}
	f := addFollow(cmd, c)
	flags := cmd.Flags()
	flags.StringArrayVar(&w.goals, "for", []string{forCurrent}, "current, deleted, exists, known, condition=NAME[=VALUE] or jsonpath=PATH[=VALUE] (repeatable: all must hold)")
	flags.DurationVar(&w.timeout, "timeout", 5*time.Minute, "how long to wait; 0 for ever")
	flags.StringVar(&w.failFast, "fail-fast", failTerminal, "stop on a failure: terminal (that cannot heal), any, never")
	flags.DurationVar(&w.settle, "settle", 0, "how long the goal must hold")
	flags.BoolVar(&w.strict, "strict", false, "do not take for Current what is so by the confidence assumed")
	flags.StringArrayVar(&w.optional, "optional", nil, "TYPE/NAME that may fail without failing the wait (repeatable)")
	flags.StringVarP(&w.output, "output", "o", "text", "text, jsonl, json, junit or github (annotations)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := w.validate(); err != nil {
			return err
		}
		return w.run(cmd.Context(), f, s, args)
	}
	return cmd
}

func (w *waiting) validate() (err error) {
	if w.aims, err = parseAims(w.goals); err != nil {
		return err
	}
	if err := oneOf("--fail-fast", w.failFast, failTerminal, failAny, failNever); err != nil {
		return err
	}
	if err := oneOf("-o", w.output, waitFormats...); err != nil {
		return err
	}
	switch {
	case w.timeout < 0:
		return problemf("0 waits forever", "--timeout %s is not a duration", w.timeout)
	case w.settle < 0:
		return problemf("as in --settle 30s", "--settle %s is not a duration", w.settle)
	}
	for _, name := range w.optional {
		if !isTypeName(name) {
			return problemf("as in --optional job/smoke-test", "--optional %q is not TYPE/NAME", name)
		}
	}
	return nil
}

func (w waiting) run(ctx context.Context, f *followFlags, s genericiooptions.IOStreams, args []string) (err error) {
	f.login = w.timeout
	f.whole = slices.ContainsFunc(w.aims, func(a aim) bool { return a.what == forJSONPath })
	f.ofObjects = slices.ContainsFunc(w.aims, aim.ofObject)
	ses, err := f.open(ctx, s, args)
	if err != nil {
		return err
	}
	defer func() {
		if e := ses.close(); err == nil {
			err = e
		}
	}()
	if _, err := f.moment(ses); err != nil {
		return err
	}
	g := &goal{aims: w.aims, failFast: w.failFast, settle: w.settle, strict: w.strict, played: ses.player != nil}
	if w.timeout > 0 {
		g.deadline = ses.opt.Now.Add(w.timeout)
	}
	progress := newProgress(w.output, s, ses.opt.Now, g.end(outcome{}))
	var ended *outcome
	optional := optionalFeed{ses.feed, w.optional, new(sync.Map)}
	h := headless{feed: optional, now: ses.now, played: ses.player != nil}
	m, err := h.run(ctx, ses.opt, func(m model.Model) (bool, time.Time) {
		o, wake := g.look(m)
		ended = o
		progress.show(m)
		return o != nil, wake
	})
	switch {
	case errors.Is(err, errEnded):
		ended = g.timedOut(m)
		ended.why = "the recording has ended"
	case ctx.Err() != nil:
		ended = &outcome{exitInterrupted, "interrupted"}
	case err != nil:
		progress.clear()
		return err
	}
	progress.clear()
	tellDamage(m, s, "")
	tellRefusals(m, s)
	optional.tellUnmet(s.ErrOut)
	if err := progress.end(m, g.end(*ended)); err != nil {
		return err
	}
	if err := f.writeReport(m); err != nil {
		return err
	}
	return exitWith(ended.code)
}
