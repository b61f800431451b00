package main

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

const diffLong = `Print what differs between two recordings, or two moments of one: the verdict, the causes,
and what was asked for. FILE is its end, FILE@TIME a moment: how long after its beginning
(90s), or a time. @TIME alone is a moment of the first file.`

func newDiffCommand(s genericiooptions.IOStreams) *cobra.Command {
	var output string
	f := &followFlags{lookFlags: lookFlags{stallAfter: time.Minute}}
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Say what differs between two recordings or moments", Long: diffLong, Args: takes(2),
		Example: "  kstatus-tui diff good.rec.gz bad.rec.gz\n  kstatus-tui diff release.rec.gz@10s @2m30s",
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json or markdown")
	cmd.Flags().StringVar(&f.health, "health-rules", "", "a file of your own rules, in CEL")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("-o", output, report.DiffFormats...); err != nil {
			return err
		}
		file, _ := fileAndMoment(args[0])
		if strings.HasPrefix(args[1], "@") {
			args[1] = file + args[1]
		}
		var sides [2]report.Moment
		for i, arg := range args {
			m, err := f.stateOf(cmd.Context(), arg)
			if err != nil {
				return err
			}
			tellDamage(m, s, arg+": ")
			sides[i] = report.Moment{Name: arg, Model: m}
		}
		return report.Diff(s.Out, sides[0], sides[1], output)
	}
	return cmd
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
func (f *followFlags) stateOf(ctx context.Context, arg string) (model.Model, error) {
	name, at := fileAndMoment(arg)
	own, err := loadRules(f.health)
	if err != nil {
		return model.Model{}, err
	}
	p, err := openRecording(ctx, name)
	if err != nil {
		return model.Model{}, err
	}
	defer func() { _ = p.Close() }()
	moment := *f
	moment.at = at
	ses := moment.replaySession(p, name, slog.New(slog.DiscardHandler))
	ses.opt.Rules = own.judge
	return moment.look(ctx, ses, 0)
}
