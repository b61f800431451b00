package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

const statusLong = `Fetch once, judge, print, exit. Exit codes: 0 everything is Current, 2 something Failed,
3 neither yet, 1 error or nothing found.`

type statusOptions struct {
	followOptions
	printOptions
	timeout time.Duration
}

func newStatusCommand(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) *cobra.Command {
	o := &statusOptions{followOptions: newFollowOptions(s, c)}
	cmd := &cobra.Command{
		Use: "status [SOURCE…]", Short: "Fetch once, judge and print", Long: statusLong,
		Example: "  kstatus-tui status deploy/web\n  kstatus-tui status -n shop --all -o json\n" +
			"  kstatus-tui status deploy/web -o jsonpath='{.resources[0].reason}'\n" +
			"  kstatus-tui status -n shop --all -o custom-columns=NAME:.name,STATUS:.status",
		RunE: runs(o),
	}
	o.followOptions.addFlags(cmd)
	o.printOptions.addFlags(cmd)
	cmd.Flags().DurationVar(&o.timeout, "timeout", onceTimeout, "how long to wait for the cluster's answers; 0 for ever")
	return cmd
}

func (o *statusOptions) Validate() error {
	if err := o.followOptions.Validate(); err != nil {
		return err
	}
	return o.printOptions.Validate()
}

func (o *statusOptions) Run(ctx context.Context) error { return o.answer(ctx, o.timeout, o.print) }

// onceTimeout bounds a single look. After it, what is known by then is printed.
const onceTimeout = 30 * time.Second

// answer prints what one look finds. Its exit code is the verdict's.
func (o *followOptions) answer(ctx context.Context, timeout time.Duration, print func(w io.Writer, m model.Model, code int) error) error {
	m, err := o.once(ctx, timeout)
	if err != nil {
		return err
	}
	code := verdictCode(m.Verdict())
	if err := print(screenOf(o.Out), m, code); err != nil {
		return err
	}
	if err := o.writeReport(m); err != nil {
		return err
	}
	return exitWith(code)
}

// once follows until every source has been answered, and returns the state: for
// a recording, the last one or the one of --at. Nothing found is an error.
func (o *followOptions) once(ctx context.Context, timeout time.Duration) (model.Model, error) {
	o.login = timeout
	ses, err := o.open(ctx)
	if err != nil {
		return model.Model{}, err
	}
	defer func() {
		if e := ses.close(); e != nil {
			printError(o.ErrOut, e) // a failed recording does not keep the answer back
		}
	}()
	m, err := o.look(ctx, ses, timeout)
	if err != nil {
		return m, err
	}
	return m, somethingFound(m, o.IOStreams)
}
