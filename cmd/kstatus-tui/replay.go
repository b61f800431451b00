package main

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

const demoLong = `Open the dashboard on a recording of two minutes of a real cluster: a release goes wrong
in three ways (a mistyped image, a version that crashes, a probe of the wrong port) and
is repaired. No cluster and no configuration are needed.

A short tour:

  }       go to the next mark, where the verdict changes or a cause begins
  n       select the next problem
  1 3 4 6 why it is one, its events, its log, what happened when
  .       stop and start the clock; > is faster, < is slower
  , ;     go to the change before, or after
  ! $     go to the first failure, or to the end
  / : ?   filter, all commands, all keys
  q       leave`

// demoRecording is a release that goes wrong and is repaired, on a cluster with
// a genuine kubelet. internal/e2e/demo made it, and makes it again.
//
//go:embed demo.rec.gz
var demoRecording []byte

// replayOptions open the dashboard on a recording.
type replayOptions struct{ dashboardOptions }

func newReplayOptions(f followOptions, cmd *cobra.Command) *replayOptions {
	o := &replayOptions{dashboardOptions{followOptions: f}}
	flags := cmd.Flags()
	flags.Float64Var(&o.speed, "speed", 1, "how fast to play it")
	flags.StringVar(&o.at, "at", "",
		"begin at a moment and stay there, or with --plain play on from it: a duration since the beginning (90s), or a time")
	o.addScreen(flags)
	o.addOptional(flags)
	cmd.RunE = runs(o)
	return o
}

func newReplayCommand(f followOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use: "replay FILE", Short: "Open the dashboard on a recording", Args: takes(1),
		Long:    "Open the dashboard on a recording made with --record FILE. Ages and times are the\nrecording's. status, why and wait judge a recording with --replay FILE.\n\nWith --record OTHER, copy the recording to OTHER. Add --redact to make a copy that is safe to\nshare.",
		Example: "  kstatus-tui replay night.rec.gz --at 2m\n  kstatus-tui replay night.rec.gz --record report.rec.gz --redact",
	}
	o := newReplayOptions(f, cmd)
	cmd.Flags().StringVar(&o.record, "record", "", "write the recording to another file instead of showing it")
	cmd.Flags().BoolVar(&o.redact, "redact", false, "with --record: without names, logs and YAML")
	return cmd
}

func newDemoCommand(f followOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use: "demo", Short: "Open the dashboard on a recording of a real rollout: no cluster needed", Args: takes(0),
		Long: demoLong, Example: "  kstatus-tui demo\n  kstatus-tui demo --at 1m --speed 4",
	}
	newReplayOptions(f, cmd).embedded = demoRecording
	return cmd
}

func (o *replayOptions) Complete(cmd *cobra.Command, args []string) error {
	o.replay = append(args, "demo")[0]
	return o.dashboardOptions.Complete(cmd, nil)
}

func (o *replayOptions) Validate() error {
	switch {
	case o.redact && o.record == "":
		return problem.New("add --record FILE", "--redact needs a recording")
	case o.speed <= 0 || o.speed > 1000:
		return problem.New("as in --speed 4", "--speed %v is not a speed", o.speed)
	}
	return nil
}

func (o *replayOptions) Run(ctx context.Context) error {
	if o.record != "" {
		_, err := leavable(ctx, func() (struct{}, error) { return struct{}{}, o.copy() })
		return err
	}
	return o.dashboardOptions.Run(ctx)
}

// copy writes the recording to another file, and prints what the copy is for.
func (o *replayOptions) copy() error {
	p, err := openRecording(o.replay)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	if err := p.Copy(o.record, o.redact); err != nil {
		return problem.New("choose another file for --record", "cannot record: %w", err)
	}
	without := ""
	if o.redact || p.Header().Redacted {
		without = " without names, logs and YAML; kinds, reasons, numbers and times are as they were"
	}
	fmt.Fprintf(o.Out, "%s: %s%s\n", o.record, p.End().Sub(p.Start()).Round(time.Second), without)
	return nil
}
