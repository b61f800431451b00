package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

const statusLong = `Fetch once, judge, print, exit. Exit codes: 0 everything is Current, 2 something Failed,
3 neither yet, 1 error or nothing found.`

func newStatusCommand(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "status [SOURCE…]", Short: "Fetch once, judge and print", Long: statusLong,
		Example: "  kstatus-tui status deploy/web\n  kstatus-tui status -n shop --all -o json\n" +
			"  kstatus-tui status deploy/web -o jsonpath='{.resources[0].reason}'\n" +
			"  kstatus-tui status -n shop --all -o custom-columns=NAME:.name,STATUS:.status",
	}
	f := addFollow(cmd, c)
	printing := addPrintFlags(cmd)
	cmd.Flags().DurationVar(&timeout, "timeout", onceTimeout, "how long to wait for the cluster's answers; 0 for ever")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := printing.validate(); err != nil {
			return err
		}
		m, err := once(cmd.Context(), f, s, args, timeout)
		if err != nil {
			return err
		}
		code := verdictCode(m.Verdict())
		if err := printing.print(screenOf(s.Out), m, code); err != nil {
			return err
		}
		if err := f.writeReport(m); err != nil {
			return err
		}
		return exitWith(code)
	}
	return cmd
}

// onceTimeout bounds a single look. After it, what is known by then is printed.
const onceTimeout = 30 * time.Second

// once follows until every source has been answered, and returns the state: for
// a recording, the last one or the one of --at. Nothing found is an error.
func once(ctx context.Context, f *followFlags, s genericiooptions.IOStreams, args []string, timeout time.Duration) (model.Model, error) {
	f.login = timeout
	ses, err := f.open(ctx, s, args)
	if err != nil {
		return model.Model{}, err
	}
	defer func() {
		if e := ses.close(); e != nil {
			printError(s.ErrOut, e) // a failed recording does not keep the answer back
		}
	}()
	m, err := f.look(ctx, ses, timeout)
	if err != nil {
		return m, err
	}
	return m, somethingFound(m, s)
}
