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

	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
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

// playFlags are the flags of the commands that play a recording.
type playFlags struct {
	lookFlags
	screen screenFlags
	speed  float64
}

func (f *playFlags) add(flags *pflag.FlagSet) {
	flags.Float64Var(&f.speed, "speed", 1, "how fast to play it")
	flags.StringVar(&f.at, "at", "", "begin at a moment, and stay there: how long after its beginning (90s), or a time")
	f.screen.add(flags)
}

func newReplayCommand(s genericiooptions.IOStreams) *cobra.Command {
	var f playFlags
	var record string
	var redact bool
	cmd := &cobra.Command{
		Use: "replay FILE", Short: "Open the dashboard on a recording", Args: takes(1),
		Long:    "Open the dashboard on a recording made with --record FILE. Ages and times are the\nrecording's. status, why and wait judge a recording with --replay FILE.\n\n--record OTHER writes it to another file, with --redact one that can leave the house.",
		Example: "  kstatus-tui replay night.rec.gz --at 2m\n  kstatus-tui replay night.rec.gz --record report.rec.gz --redact",
	}
	f.add(cmd.Flags())
	cmd.Flags().StringVar(&record, "record", "", "write the recording to another file instead of showing it")
	cmd.Flags().BoolVar(&redact, "redact", false, "with --record: without names, logs and YAML")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		if record != "" {
			return copyOf(cmd.Context(), args[0], record, redact, s.Out)
		}
		if redact {
			return problemf("add --record FILE", "--redact needs a recording")
		}
		p, err := atKeyboard(cmd.Context(), s, f.screen, func(ctx context.Context) (*recording.Player, error) {
			return openRecording(ctx, args[0])
		})
		if err != nil {
			return err
		}
		return f.play(cmd, s, p, args[0])
	}
	return cmd
}

func newDemoCommand(s genericiooptions.IOStreams) *cobra.Command {
	var f playFlags
	cmd := &cobra.Command{
		Use: "demo", Short: "Open the dashboard on a recording of a real rollout: no cluster needed", Args: takes(0),
		Long: demoLong,
	}
	f.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.check(); err != nil {
			return err
		}
		p, err := recording.NewPlayer(bytes.NewReader(demoRecording))
		if err != nil {
			return fmt.Errorf("the embedded recording: %w", err)
		}
		return f.play(cmd, s, p, "demo")
	}
	return cmd
}

func (f *playFlags) check() error {
	if err := oneOf("--theme", f.screen.theme, views.ThemeNames...); err != nil {
		return err
	}
	if f.speed <= 0 || f.speed > 1000 {
		return problemf("as in --speed 4", "--speed %v is not a speed", f.speed)
	}
	return nil
}

// play shows a recording on the screen, or prints its last moment if there is
// no terminal.
func (f *playFlags) play(cmd *cobra.Command, s genericiooptions.IOStreams, p *recording.Player, name string) error {
	logger, closeLog, err := openLog(f.logFile)
	if err != nil {
		return err
	}
	ses := f.replaySession(p, name, logger)
	ses.close = func() error {
		_ = closeLog()
		return p.Close()
	}
	p.Speed = f.speed
	if isTerminal(s.Out) || f.screen.plain {
		if err := f.cue(ses, f.screen); err != nil {
			_ = ses.close()
			return err
		}
		return f.screen.run(cmd.Context(), s, ses.alone(), f.writeReport)
	}
	defer func() { _ = ses.close() }()
	m, err := f.look(cmd.Context(), ses, 0)
	if err != nil {
		return err
	}
	if err := somethingFound(m, s); err != nil {
		return err
	}
	code := verdictCode(m.Verdict())
	if err := report.Status(screenOf(s.Out), m, "table", code, report.Table{}); err != nil {
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
		return problemf("choose another file for --record", "cannot record: %w", plainPath(err))
	}
	lasts := p.End().Sub(p.Start()).Round(time.Second)
	if redact || p.Header().Redacted {
		fmt.Fprintf(out, "%s: %s without names, logs and YAML; kinds, reasons, numbers and times are as they were\n", to, lasts)
		return nil
	}
	fmt.Fprintf(out, "%s: %s\n", to, lasts)
	return nil
}
