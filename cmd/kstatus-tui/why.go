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
	statusOutput
}

func newWhyCommand(f followOptions) *cobra.Command {
	o := &whyOptions{followOptions: f}
	cmd := &cobra.Command{
		Use: "why [SOURCE…]", Short: "Say what blocks, with the proof and the next step", Long: whyLong,
		Example: "  kstatus-tui why deploy/web\n  kstatus-tui why -n shop --all -o markdown",
		RunE:    runs(o),
	}
	o.followOptions.addFlags(cmd.Flags())
	o.statusOutput.addFlags(cmd, report.WhyFormats...)
	addTimeout(cmd.Flags(), &o.timeout)
	return cmd
}

func (o *whyOptions) Validate() error {
	if err := o.followOptions.Validate(); err != nil {
		return err
	}
	return o.statusOutput.Validate()
}

func (o *whyOptions) Run(ctx context.Context) error {
	return o.answer(ctx, func(_ io.Writer, m *known.Facts, _ int) error {
		own := map[string]func(io.Writer) error{}
		for _, format := range report.WhyFormats {
			own[format] = func(w io.Writer) error { return report.Why(screenOf(w), m, format) }
		}
		own["html"] = func(w io.Writer) error { return report.HTML(w, m, "kstatus-tui "+programVersion()) }
		return o.printModel(o.Out, o.ErrOut, m, own)
	})
}
