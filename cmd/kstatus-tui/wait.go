package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kstatus-tui/kstatus-tui/internal/mask"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/wait"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

const waitLong = `Wait until the goal is reached, something has failed for good, or the time is over. Resources
that do not exist yet are waited for. If an object was applied again, its earlier success does
not count.

The last lines list what is not Current, and why. With -o text they go to standard output, and
the progress before them to standard error.

Exit codes: 0 reached, 2 something Failed, 3 out of time, 4 a named object was deleted,
recreated or applied again, 1 error.`

const waitExample = `  kubectl apply -f app.yaml -o yaml | kstatus-tui wait -f -
  kstatus-tui wait deploy/web --timeout 10m --settle 30s
  kstatus-tui wait job/migrate --for deleted
  kstatus-tui wait pods -l app=web --for jsonpath='{.status.phase}'=Running`

var failFastChoices = []cobra.Completion{
	string(wait.Terminal) + "\tstop on what cannot recover, or is past its deadline",
	string(wait.Action) + "\talso when all that is left needs somebody to act",
	string(wait.Any) + "\tstop on any failure",
	string(wait.Never),
}

type waitOptions struct {
	followOptions
	forFlags   []string
	conditions []wait.Condition
	failFast   string
	settle     time.Duration
	strict     bool
	output     string
}

func newWaitCommand(f followOptions) *cobra.Command {
	o := &waitOptions{followOptions: f}
	cmd := &cobra.Command{
		Use: "wait [SOURCE…]", Short: "Follow until done, failed or out of time",
		Long: waitLong, Example: waitExample, RunE: runs(o),
	}
	o.addFlags(cmd.Flags())
	flags := cmd.Flags()
	flags.StringArrayVar(&o.forFlags, "for", []string{string(wait.Current)},
		"current, deleted, exists, known, condition=NAME[=VALUE] or jsonpath=PATH[=VALUE] (repeatable: all must hold)")
	flags.DurationVar(&o.timeout, "timeout", 5*time.Minute, "how long to wait; 0 means no limit")
	choose(flags, &o.failFast, "fail-fast", "", string(wait.Terminal),
		"stop early on: terminal (a failure that cannot recover, or a deadline that has passed), "+
			"action (also when all that is left has needed somebody to act for --stall-after), any (failure), never",
		failFastChoices)
	flags.DurationVar(&o.settle, "settle", 0, "how long the goal must hold")
	flags.BoolVar(&o.strict, "strict", false,
		`do not count resources as Current when no rule matched them (confidence "assumed")`)
	flags.StringArrayVar(&o.optional, "optional", nil, "TYPE/NAME that may fail without failing the wait (repeatable)")
	choose(flags, &o.output, "output", "o", "text",
		"text, jsonl, json, junit or github (annotations)", report.WaitFormats)
	return cmd
}

func (o *waitOptions) Complete(cmd *cobra.Command, args []string) (err error) {
	if o.conditions, err = parseConditions(o.forFlags); err != nil {
		return err
	}
	o.whole = slices.ContainsFunc(o.conditions, func(c wait.Condition) bool { return c.Kind == wait.JSONPath })
	o.ofObjects = slices.ContainsFunc(o.conditions, wait.Condition.OfObject)
	o.beginsAt = true
	return o.followOptions.Complete(cmd, args)
}

// parseConditions reads all values of --for.
func parseConditions(texts []string) ([]wait.Condition, error) {
	var conditions []wait.Condition
	for _, text := range texts {
		c, err := wait.ParseCondition(text)
		if err != nil {
			const all = "it takes current, deleted, exists, known, condition=Ready[=VALUE] and jsonpath='{.status.phase}'[=VALUE]"
			const eitherOf = "give --for once for each, and all must hold; " +
				"without --for, a failure that is final ends the wait, too"
			switch {
			case errors.Is(err, wait.ErrKind):
				return nil, problem.New(conditionMeant(text)+all, "invalid value %q for --for", text)
			case errors.Is(err, wait.ErrSeveral), strings.Contains(text, "||"), strings.Contains(text, "&&"):
				return nil, problem.New(eitherOf, "--for %s: %w", text, err)
			}
			return nil, problem.New(conditionMeant(text)+all, "--for %s: %w", text, err)
		}
		conditions = append(conditions, c)
	}
	if len(conditions) > 1 && slices.ContainsFunc(conditions,
		func(c wait.Condition) bool { return c.Kind == wait.Deleted }) {
		return nil, problem.New("wait for it alone", "--for deleted and another goal exclude each other")
	}
	return conditions, nil
}

// conditionMeant begins a hint for a wrong value of --for.
func conditionMeant(text string) string {
	word, _, _ := strings.Cut(text, "=")
	for _, name := range []string{"Ready", "Available", "Complete", "Healthy", "Established"} {
		if strings.EqualFold(word, name) {
			return "did you mean condition=" + name + "? "
		}
	}
	for _, phase := range []string{"Running", "Bound", "Active"} {
		if strings.EqualFold(word, phase) {
			return "did you mean jsonpath='{.status.phase}'=" + phase + "? "
		}
	}
	if slices.Contains([]string{"done", "finished", "success", "succeeded", "rollout"}, strings.ToLower(word)) {
		return "did you mean current? "
	}
	return didYouMean(word, "", wait.Kinds)
}

func (o *waitOptions) Validate() error {
	if err := notNegative("settle", o.settle); err != nil {
		return err
	}
	if err := o.checkOptional(); err != nil {
		return err
	}
	return o.followOptions.Validate()
}

// checkOptional checks the values of --optional.
func (o *followOptions) checkOptional() error {
	for _, name := range o.optional {
		if !isTypeName(name) {
			return problem.New("as in --optional job/smoke-test", "--optional %q is not TYPE/NAME", name)
		}
	}
	return nil
}

func (o *waitOptions) Run(ctx context.Context) (err error) {
	w := &wait.Waiter{
		Conditions: o.conditions, FailFast: wait.FailFast(o.failFast),
		Settle: o.settle, StallAfter: o.stallAfter, Strict: o.strict,
	}
	progress := report.NewProgress(screenOf(o.Out), screenOf(o.ErrOut), o.output, endOf(w, nil).Open)
	failed := func(m *model.Model, err error) error { // programs that read the output find the error there
		if o.output == "text" {
			return err
		}
		return cmp.Or(progress.End(m.Facts,
			*endOf(w, &wait.Outcome{Result: wait.Error, Reason: mask.Credentials(err.Error())})), err)
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
	w.Played, w.Saved = ses.played, ses.opt.Still
	if o.timeout > 0 {
		w.Deadline = cmp.Or(ses.opt.From, ses.opt.Now).Add(o.timeout)
	}
	var outcome *wait.Outcome
	m, err := ses.run(ctx, ses.opt, func(m *model.Model) (bool, time.Time) {
		var wake time.Time
		outcome, wake = w.Observe(seenOf(m))
		progress.Show(m.Facts)
		if outcome == nil && ses.opt.Still && m.Intake.Quiesced() { // nothing more will come
			outcome = w.Ended(seenOf(m))
			outcome.Reason = "not reached; a saved cluster does not change"
		}
		return outcome != nil, wake
	})
	progress.Clear()
	switch {
	case errors.Is(err, errEnded):
		outcome = w.Ended(seenOf(m))
	case ctx.Err() != nil:
		outcome = nil
	case err != nil:
		return failed(m, err)
	}
	end := endOf(w, outcome)
	if outcome == nil {
		end.Code, end.Why = exitInterrupted, "interrupted"
	}
	if end.Code != exitOK {
		if missing := missingNamespace(ctx, &o.followOptions, ses, m); missing != nil {
			printError(o.ErrOut, missing)
		}
	}
	tellDamage(m.Facts, o.ErrOut, "")
	tellRefusals(m.Facts, o.ErrOut)
	tellLate(m.Facts, o.ErrOut)
	tellUnmet(m.Facts.Roots(), o.optional, o.ErrOut)
	if err := progress.End(m.Facts, *end); err != nil {
		return err
	}
	if end.Gone && end.Code == exitError && o.output == "text" {
		fmt.Fprintln(o.ErrOut,
			"hint: it may be gone already, or the selector may be wrong; a TYPE/NAME that does not exist counts as deleted")
	}
	if err := o.writeReport(m); err != nil {
		return err
	}
	return exitWith(end.Code)
}

// waitCodes are the exit codes of a wait's results.
var waitCodes = map[wait.Result]int{
	wait.Reached: exitOK, wait.Error: exitError, wait.Failed: exitFailed,
	wait.Pending: exitPending, wait.Moved: exitMoved,
}

// endOf is what a report needs of the end of a wait; of one that goes on, with nil.
func endOf(w *wait.Waiter, outcome *wait.Outcome) *report.End {
	_, tally := w.Words()
	end := &report.End{Word: tally, Done: w.Done, Gone: w.ForDeletion()}
	if outcome != nil {
		end.Code, end.Why = waitCodes[outcome.Result], outcome.Reason
	}
	if n := w.RemovedByTTL(); n > 0 {
		end.Note = fmt.Sprintf("%d completed and removed by their TTL", n)
	}
	return end
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

// seen is a model as a wait reads it.
type seen struct {
	*known.Facts
	*model.Intake
}

func seenOf(m *model.Model) wait.View { return seen{m.Facts, m.Intake} }
