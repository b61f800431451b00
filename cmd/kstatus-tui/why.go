package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

const whyLong = `Print only the causes: what keeps things from being Current, the proof, and what to do next.
Exit codes as for status.`

type whyOptions struct {
	followOptions
	output string
}

func newWhyCommand(f followOptions) *cobra.Command {
	o := &whyOptions{followOptions: f}
	cmd := &cobra.Command{
		Use: "why [SOURCE…]", Short: "Say what blocks, with the proof and the next step", Long: whyLong,
		Example: "  kstatus-tui why deploy/web\n  kstatus-tui why -n shop --all -o markdown",
		RunE:    runs(o),
	}
	o.addFlags(cmd.Flags())
	choose(cmd.Flags(), &o.output, "output", "o", "text", "text, json or markdown", report.WhyFormats)
	return cmd
}

func (o *whyOptions) Run(ctx context.Context) error {
	return o.answer(ctx, func(_ io.Writer, m *known.Facts, _ int) error { return report.Why(o.Out, m, o.output) })
}
