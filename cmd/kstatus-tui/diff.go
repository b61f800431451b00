package main

import (
	"context"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

const diffLong = `Print what differs between two recordings, or two moments of one: the verdict, the causes,
and what was asked for. FILE is its end, FILE@TIME a moment: how long after its beginning
(90s), or a time. @TIME alone is a moment of the first file.`

type diffOptions struct {
	genericiooptions.IOStreams
	args   []string
	health healthRules
	output string
}

func newDiffCommand(s genericiooptions.IOStreams) *cobra.Command {
	o := &diffOptions{IOStreams: s}
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Say what differs between two recordings or moments", Long: diffLong, Args: takes(2),
		Example: "  kstatus-tui diff good.rec.gz bad.rec.gz\n  kstatus-tui diff release.rec.gz@10s @2m30s",
		RunE:    runs(o),
	}
	choose(cmd.Flags(), &o.output, "output", "o", "text", "text, json or markdown", report.DiffFormats)
	o.health.addFlag(cmd.Flags())
	return cmd
}

func (o *diffOptions) Complete(cmd *cobra.Command, args []string) error {
	if o.args = args; strings.HasPrefix(args[1], "@") {
		file, _ := fileAndMoment(args[0])
		args[1] = file + args[1]
	}
	c, err := readConfiguration(cmd.Flags())
	if err != nil {
		return err
	}
	o.health.complete(c, cmd.Flags())
	return nil
}

func (o *diffOptions) Validate() error { return nil }

func (o *diffOptions) Run(ctx context.Context) error {
	own, err := o.health.load()
	if err != nil {
		return err
	}
	var sides [2]report.Moment
	for i, arg := range o.args {
		m, err := stateOf(ctx, arg, own)
		if err != nil {
			return err
		}
		tellDamage(m, o.IOStreams, arg+": ")
		sides[i] = report.Moment{Name: arg, Model: m}
	}
	return report.Diff(o.Out, sides[0], sides[1], o.output)
}

// fileAndMoment splits FILE@TIME. If a file with the whole name exists, the
// argument is that file.
func fileAndMoment(arg string) (file, at string) {
	if _, err := os.Stat(arg); err == nil {
		return arg, ""
	}
	if i := strings.LastIndexByte(arg, '@'); i > 0 {
		return arg[:i], arg[i+1:]
	}
	return arg, ""
}

// stateOf returns the state of a recording at a moment.
func stateOf(ctx context.Context, arg string, own ownRules) (model.Model, error) {
	name, at := fileAndMoment(arg)
	p, err := openRecording(ctx, name)
	if err != nil {
		return model.Model{}, err
	}
	o, ses := lookOptions{at: at}, &session{log: slog.New(slog.DiscardHandler)}
	o.playIn(ses, p, name)
	defer func() { _ = ses.close() }()
	ses.opt.Rules = own.judge
	return o.look(ctx, ses, 0)
}
