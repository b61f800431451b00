package main

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

const statusLong = `Fetch once, judge, print, exit. Exit codes: 0 everything is Current, 2 something Failed,
3 neither yet, 1 error or nothing found.`

type statusOptions struct {
	followOptions
	statusOutput
	labels bool
}

func newStatusCommand(f followOptions) *cobra.Command {
	o := &statusOptions{followOptions: f}
	cmd := &cobra.Command{
		Use: "status [SOURCE…]", Short: "Fetch once, judge and print", Long: statusLong,
		Example: "  kstatus-tui status deploy/web\n  kstatus-tui status -n shop --all -o json\n" +
			"  kstatus-tui status deploy/web -o jsonpath='{.resources[0].reason}'\n" +
			"  kstatus-tui status -n shop --all -o custom-columns=NAME:.name,STATUS:.status",
		RunE: runs(o),
	}
	o.followOptions.addFlags(cmd.Flags())
	o.statusOutput.addFlags(cmd, report.StatusFormats...)
	cmd.Flags().BoolVar(&o.labels, "show-labels", false, "a table with the labels as its last column")
	addTimeout(cmd.Flags(), &o.timeout)
	return cmd
}

func (o *statusOptions) Validate() error {
	if err := o.followOptions.Validate(); err != nil {
		return err
	}
	return o.statusOutput.Validate()
}

func (o *statusOptions) Run(ctx context.Context) error {
	return o.answer(ctx, func(w io.Writer, m *known.Facts, code int) error {
		own := map[string]func(io.Writer) error{}
		for _, format := range report.StatusFormats {
			own[format] = func(w io.Writer) error {
				return report.Status(w, m, format, code, report.Table{NoHeaders: o.noHeaders, Labels: o.labels})
			}
		}
		return o.printModel(w, o.ErrOut, m, own)
	})
}

// addTimeout adds --timeout to a command that looks once.
func addTimeout(flags *pflag.FlagSet, timeout *time.Duration) {
	flags.DurationVar(timeout, "timeout", onceTimeout, "how long to wait for the cluster's answers; 0 means no limit")
}

// onceTimeout bounds a single look. After it, what is known by then is printed.
const onceTimeout = 30 * time.Second

// answer follows until every source has been answered, or until a recording's
// end or the moment of --at, and prints what is known then. Nothing found is an
// error. The exit code is the verdict's.
func (o *followOptions) answer(ctx context.Context, print func(w io.Writer, m *known.Facts, code int) error) error {
	ses, m, err := o.once(ctx)
	if err != nil {
		return err
	}
	missing := missingNamespace(ctx, o, ses, m)
	if err := somethingFound(m, o.ErrOut); err != nil {
		return cmp.Or(missing, err)
	}
	if missing != nil {
		printError(o.ErrOut, missing)
	}
	code := verdictCode(m.Facts.Verdict(), m.Facts.Whole())
	// A template may take long, and a pipe may take nothing.
	_, err = leavable(ctx, func() (struct{}, error) { return struct{}{}, print(screenOf(o.Out), m.Facts, code) })
	if err != nil {
		return err
	}
	return cmp.Or(o.writeReport(m), exitWith(code))
}
