package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// addDashboard makes the dashboard the action of the root command.
func addDashboard(root *cobra.Command, s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) {
	f := addFollow(root, c)
	var screen screenFlags
	screen.add(root.Flags())
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--theme", screen.theme, views.ThemeNames...); err != nil {
			return err
		}
		if !isTerminal(s.Out) && !screen.plain {
			// Without a terminal, print what status prints.
			m, err := once(cmd.Context(), f, s, args, onceTimeout)
			if err != nil {
				return suggest(cmd, args, err)
			}
			code := verdictCode(m.Verdict())
			if err := report.Status(screenOf(s.Out), m, "table", code, report.Table{}); err != nil {
				return err
			}
			if err := f.writeReport(m); err != nil {
				return err
			}
			return exitWith(code)
		}
		if f.namesNothing(args) && isTerminal(s.In) && isTerminal(s.Out) {
			if chosen, err := f.pick(cmd.Context(), s, screen); err != nil || !chosen {
				return err
			}
		}
		ses, err := atKeyboard(cmd.Context(), s, screen, func(ctx context.Context) (*session, error) {
			return f.open(ctx, s, args)
		})
		if err != nil {
			return suggest(cmd, args, err)
		}
		if err := f.cue(ses, screen); err != nil {
			_ = ses.close()
			return err
		}
		return screen.run(cmd.Context(), s, (&sessions{f: *f, s: s, args: args, first: ses, shown: ses}).stage(), f.writeReport)
	}
}

// suggest proposes a command if the first argument is not a valid SOURCE and
// resembles a command's name.
func suggest(root *cobra.Command, args []string, err error) error {
	if len(args) == 0 || kube.KnownType(args[0]) {
		return err
	}
	root.SuggestionsMinimumDistance = min(2, len(args[0])/3) // "web" must not suggest "why"
	if names := root.SuggestionsFor(args[0]); len(names) > 0 {
		return problemf(fmt.Sprintf("did you mean: %s %s", root.CommandPath(), names[0]), "%w", err)
	}
	return err
}
