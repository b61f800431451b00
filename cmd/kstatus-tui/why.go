package main

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

const whyLong = `Print only the causes: what keeps things from being Current, the proof, and what to do next.
Exit codes as for status.`

func newWhyCommand(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "why [SOURCE…]", Short: "Say what blocks, with the proof and the next step", Long: whyLong,
		Example: "  kstatus-tui why deploy/web\n  kstatus-tui why -n shop --all -o markdown",
	}
	f := addFollow(cmd, c)
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json or markdown")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("-o", output, report.WhyFormats...); err != nil {
			return err
		}
		m, err := once(cmd.Context(), f, s, args, onceTimeout)
		if err != nil {
			return err
		}
		if err := report.Why(s.Out, m, output); err != nil {
			return err
		}
		if err := f.writeReport(m); err != nil {
			return err
		}
		return exitWith(verdictCode(m.Verdict()))
	}
	return cmd
}
