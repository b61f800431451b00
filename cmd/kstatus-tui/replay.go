package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
)

const demoLong = `Open the dashboard on a recording of two minutes of a real cluster: a release goes wrong
in three ways (a mistyped image, a version that crashes, a probe of the wrong port) and
is repaired. No cluster and no configuration are needed.

A short tour: } goes to the next mark, where the verdict changes or a cause begins.
n selects the next problem; 1 says why it is one, 3 shows its events, 4 its log, 6 what
happened when. . stops the clock, , and ; go from change to change, > is faster. ! is the
first failure, $ the end. / filters, : knows every command, ? every key, q leaves.`

// demoRecording is a release that goes wrong and is repaired, on a cluster with
// a genuine kubelet. internal/e2e/demo made it, and makes it again.
//
//go:embed demo.rec.gz
var demoRecording []byte

// playOptions are the options of the commands that play a recording.
type playOptions struct {
	genericiooptions.IOStreams
	lookOptions
	screen screenOptions
	speed  float64
}

func (o *playOptions) addFlags(flags *pflag.FlagSet) {
	flags.Float64Var(&o.speed, "speed", 1, "how fast to play it")
	flags.StringVar(&o.at, "at", "", "begin at a moment, and stay there: how long after its beginning (90s), or a time")
	o.screen.addFlags(flags)
}

func (o *playOptions) Complete(cmd *cobra.Command, _ []string) error {
	_, err := readConfiguration(cmd.Flags())
	return err
}

func (o *playOptions) Validate() error {
	if o.speed <= 0 || o.speed > 1000 {
		return problem.New("as in --speed 4", "--speed %v is not a speed", o.speed)
	}
	return nil
}

type replayOptions struct {
	playOptions
	file   string
	record string
	redact bool
}

func newReplayCommand(s genericiooptions.IOStreams) *cobra.Command {
	o := &replayOptions{playOptions: playOptions{IOStreams: s}}
	cmd := &cobra.Command{
		Use: "replay FILE", Short: "Open the dashboard on a recording", Args: takes(1),
		Long:    "Open the dashboard on a recording made with --record FILE. Ages and times are the\nrecording's. status, why and wait judge a recording with --replay FILE.\n\n--record OTHER writes it to another file, with --redact one that can leave the house.",
		Example: "  kstatus-tui replay night.rec.gz --at 2m\n  kstatus-tui replay night.rec.gz --record report.rec.gz --redact",
		RunE:    runs(o),
	}
	o.addFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.record, "record", "", "write the recording to another file instead of showing it")
	cmd.Flags().BoolVar(&o.redact, "redact", false, "with --record: without names, logs and YAML")
	return cmd
}

func (o *replayOptions) Complete(cmd *cobra.Command, args []string) error {
	o.file = args[0]
	return o.playOptions.Complete(cmd, args)
}

func (o *replayOptions) Validate() error {
	if o.redact && o.record == "" {
		return problem.New("add --record FILE", "--redact needs a recording")
	}
	return o.playOptions.Validate()
}

func (o *replayOptions) Run(ctx context.Context) error {
	if o.record != "" {
		return copyOf(ctx, o.file, o.record, o.redact, o.Out)
	}
	p, err := atKeyboard(ctx, o.IOStreams, o.screen, func(ctx context.Context) (*recording.Player, error) {
		return openRecording(ctx, o.file)
	})
	if err != nil {
		return err
	}
	return o.play(ctx, p, o.file)
}

type demoOptions struct{ playOptions }

func newDemoCommand(s genericiooptions.IOStreams) *cobra.Command {
	o := &demoOptions{playOptions{IOStreams: s}}
	cmd := &cobra.Command{
		Use: "demo", Short: "Open the dashboard on a recording of a real rollout: no cluster needed", Args: takes(0),
		Long: demoLong, Example: "  kstatus-tui demo\n  kstatus-tui demo --at 1m --speed 4",
		RunE: runs(o),
	}
	o.addFlags(cmd.Flags())
	return cmd
}

func (o *demoOptions) Run(ctx context.Context) error {
	p, err := recording.NewPlayer(bytes.NewReader(demoRecording))
	if err != nil {
		return fmt.Errorf("the embedded recording: %w", err)
	}
	return o.play(ctx, p, "demo")
}

// play shows a recording on the screen, or prints its last moment if there is
// no terminal.
func (o *playOptions) play(ctx context.Context, p *recording.Player, name string) error {
	ses := &session{}
	o.playIn(ses, p, name)
	if err := ses.openLog(""); err != nil {
		return err
	}
	p.Speed = o.speed
	if isTerminal(o.Out) || o.screen.plain {
		if err := o.cue(ses, o.screen); err != nil {
			_ = ses.close()
			return err
		}
		return o.screen.run(ctx, o.IOStreams, ses.alone(), o.writeReport)
	}
	defer func() { _ = ses.close() }()
	m, err := o.look(ctx, ses, 0)
	if err != nil {
		return err
	}
	if err := somethingFound(m, o.IOStreams); err != nil {
		return err
	}
	code := verdictCode(m.Verdict())
	if err := printTable(screenOf(o.Out), m, code); err != nil {
		return err
	}
	return exitWith(code)
}

// plainPath removes the name of the system call from a file error.
func plainPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return err
}

// copyOf writes a recording without names, and prints what the copy is for.
func copyOf(ctx context.Context, from, to string, redact bool, out io.Writer) error {
	p, err := openRecording(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	if _, err := leavable(ctx, func() (struct{}, error) { return struct{}{}, p.Copy(to, redact) }); err != nil {
		return problem.New("choose another file for --record", "cannot record: %w", plainPath(err))
	}
	lasts := p.End().Sub(p.Start()).Round(time.Second)
	if redact || p.Header().Redacted {
		fmt.Fprintf(out, "%s: %s without names, logs and YAML; kinds, reasons, numbers and times are as they were\n", to, lasts)
		return nil
	}
	fmt.Fprintf(out, "%s: %s\n", to, lasts)
	return nil
}
