package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

type dashboardOptions struct {
	followOptions
	screen screenOptions
	root   *cobra.Command
}

// addDashboard makes the dashboard the action of the root command.
func addDashboard(root *cobra.Command, s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) {
	o := &dashboardOptions{followOptions: newFollowOptions(s, c)}
	o.addFlags(root)
	o.screen.addFlags(root.Flags())
	root.RunE = runs(o)
}

func (o *dashboardOptions) Complete(cmd *cobra.Command, args []string) error {
	o.root = cmd
	return o.followOptions.Complete(cmd, args)
}

func (o *dashboardOptions) Run(ctx context.Context) error {
	if !isTerminal(o.Out) && !o.screen.plain {
		return o.suggest(o.answer(ctx, onceTimeout, printTable)) // without a terminal, what status prints
	}
	if !o.namesSource() && o.replay == "" && isTerminal(o.In) && isTerminal(o.Out) {
		if chosen, err := o.pick(ctx, o.screen); err != nil || !chosen {
			return err
		}
	}
	ses, err := atKeyboard(ctx, o.IOStreams, o.screen, o.open)
	if err != nil {
		return o.suggest(err)
	}
	if err := o.cue(ses, o.screen); err != nil {
		_ = ses.close()
		return err
	}
	return o.screen.run(ctx, o.IOStreams, (&sessions{o: o.followOptions, first: ses, shown: ses}).stage(), o.writeReport)
}

func printTable(w io.Writer, m model.Model, code int) error {
	return report.Status(w, m, "table", code, report.Table{})
}

// suggest proposes a command if the first argument is not a valid SOURCE and
// resembles a command's name.
func (o *dashboardOptions) suggest(err error) error {
	if err == nil || isOutcome(err) || len(o.args) == 0 || kube.KnownType(o.args[0]) {
		return err
	}
	o.root.SuggestionsMinimumDistance = min(2, len(o.args[0])/3) // "web" must not suggest "why"
	if names := o.root.SuggestionsFor(o.args[0]); len(names) > 0 {
		return problem.New(fmt.Sprintf("did you mean: %s %s", o.root.CommandPath(), names[0]), "%w", err)
	}
	return err
}
