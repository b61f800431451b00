package main

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

const diffLong = `Print what differs between two recordings, two moments of one, or two saved clusters: the
verdict, the causes, and what was asked for.

FILE is the end of a recording, FILE@TIME a moment of it: how long after its beginning
(90s), or a time. @TIME alone is a moment of the first file.`

type diffOptions struct {
	followOptions
	printer
}

func newDiffCommand(f followOptions) *cobra.Command {
	o := &diffOptions{followOptions: f}
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Say what differs between two recordings or moments", Long: diffLong, Args: takes(2),
		Example: "  kstatus-tui diff good.rec.gz bad.rec.gz\n  kstatus-tui diff release.rec.gz@10s @2m30s\n  kstatus-tui diff must-gather.monday must-gather.tuesday",
		RunE:    runs(o),
	}
	o.printer.addFlags(cmd, report.DiffFormats...)
	addHealthRules(cmd.Flags(), &o.health)
	return cmd
}

func (o *diffOptions) Complete(cmd *cobra.Command, args []string) error {
	if strings.HasPrefix(args[1], "@") {
		file, _ := fileAndMoment(args[0])
		args[1] = file + args[1]
	}
	return o.followOptions.Complete(cmd, args)
}

func (o *diffOptions) Validate() error {
	if err := o.followOptions.Validate(); err != nil {
		return err
	}
	return o.printer.Validate()
}

func (o *diffOptions) Run(ctx context.Context) error {
	var sides [2]report.Moment
	args := o.Args
	o.Args = nil // they are no SOURCE
	for i, arg := range args {
		o.replay, o.at = fileAndMoment(arg)
		o.atFlag = o.replay + "@"
		o.from, o.saved = nil, nil
		if o.at == "" { // a recording or a saved cluster
			o.from, o.replay = []string{o.replay}, ""
		}
		_, m, err := o.once(ctx)
		if err != nil {
			return err
		}
		tellDamage(m.Facts, o.ErrOut, arg+": ")
		sides[i] = report.Moment{Name: arg, Facts: m.Facts}
	}
	d := report.Compare(sides[0], sides[1])
	var ids []object.ID
	for _, changed := range d.Resources {
		ids = append(ids, changed.Ref)
	}
	own := map[string]func(io.Writer) error{}
	for _, format := range report.DiffFormats {
		own[format] = func(w io.Writer) error { return report.Diff(screenOf(w), d, format) }
	}
	return o.print(o.Out, o.ErrOut, printable{value: d, items: "resources", ids: ids, own: own})
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
