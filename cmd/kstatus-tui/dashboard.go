package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/dump"
	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/tui"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// dashboardOptions are the options of the commands that open the dashboard.
type dashboardOptions struct {
	followOptions
	exitStatus bool
	theme      string
	tui        tui.Options
	plain      bool
	cmd        *cobra.Command
}

// addDashboard makes the dashboard the action of the root command.
func addDashboard(root *cobra.Command, f followOptions) {
	o := &dashboardOptions{followOptions: f}
	o.speed = 1
	o.addFlags(root.Flags())
	o.addScreen(root.Flags())
	o.addOptional(root.Flags())
	root.RunE = runs(o)
}

func (o *dashboardOptions) addScreen(flags *pflag.FlagSet) {
	grouped(flags, screenGroup, func(flags *pflag.FlagSet) {
		flags.BoolVar(&o.exitStatus, "exit-status", false, "exit with the code of the verdict")
		o.theme = "auto"
		flags.Var(choice{value: &o.theme, of: views.ThemeNames, open: true}, "theme",
			"the colours: "+joined(views.ThemeNames)+", or a theme of the configuration file")
		flags.BoolVar(&o.tui.ASCII, "ascii", false, "draw with ASCII alone")
		flags.BoolVar(&o.tui.NoMouse, "no-mouse", false, "leave the mouse to the terminal")
		flags.BoolVar(&o.tui.NoMotion, "no-motion", false, "no animation")
		flags.BoolVar(&o.plain, "plain", false, "no screen, but a line for each change: for screen readers")
	})
}

// addOptional adds --optional, as wait has it.
func (o *dashboardOptions) addOptional(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.optional, "optional", nil, "TYPE/NAME that does not count for the verdict (repeatable)")
}

func (o *dashboardOptions) Validate() error {
	if err := o.conf.themeError(o.theme); err != nil { // it may name one of the configuration file
		return err.about("theme", o.cmd.CommandPath()+" --help lists the flags")
	}
	return cmp.Or(o.checkOptional(), o.followOptions.Validate())
}

func (o *dashboardOptions) Complete(cmd *cobra.Command, args []string) error {
	o.cmd = cmd
	return o.followOptions.Complete(cmd, args)
}

func (o *dashboardOptions) Run(ctx context.Context) error {
	if !isTerminal(o.Out) && !o.plain { // what status prints
		o.speed = 0
		return o.suggest(o.answer(ctx, func(w io.Writer, m *known.Facts, code int) error {
			return report.Status(w, m, "table", code, report.Table{})
		}))
	}
	if !o.namesSource() && o.replay == "" && len(o.from) == 0 && isTerminal(o.In) && isTerminal(o.Out) {
		if chosen, err := o.pick(ctx, themeOf(o)); err != nil || !chosen {
			return err
		}
	}
	o.plain = o.plain || os.Getenv("TERM") == "dumb"
	o.hold, o.beginsAt = !o.plain, o.plain // without a screen nobody can seek: it plays on from --at
	o.timeout = 0
	// Not within open, which a signal leaves at once: the terminal is restored first.
	o.keys = !o.plain
	_, err := o.readSaved(ctx)
	if o.keys = false; err != nil && !errors.Is(err, dump.ErrRecording) {
		return o.suggest(err)
	}
	ses, err := o.open(ctx)
	if err != nil {
		return o.suggest(err)
	}
	return (&dashboard{dashboardOptions: *o, shown: ses}).run(ctx)
}

// themeOf makes the theme on a background, for what is shown before the dashboard.
func themeOf(o *dashboardOptions) func(dark, few bool) *views.Theme {
	return func(dark, few bool) *views.Theme {
		th, err := views.Themes{User: o.conf.themes, Few: few}.New(o.theme, dark, o.tui.ASCII)
		if err != nil { // the name has been checked
			th, _ = views.NewTheme("mono", dark, true)
		}
		return th
	}
}

// suggest proposes a command if the first argument is not a valid SOURCE and
// resembles a command's name.
func (o *dashboardOptions) suggest(err error) error {
	if err == nil || isOutcome(err) || len(o.Args) == 0 {
		return err
	}
	if near := nearCommand(o.cmd, o.Args[0]); near != "" {
		return problem.New("did you mean "+o.cmd.CommandPath()+" "+near+"?", "%w", err)
	}
	if !errors.Is(err, errNoBuiltinType) && !errors.Is(err, resolve.ErrUnknownType) {
		return err
	}
	hint := problem.Hint(err, "")
	if strings.Contains(err.Error()+hint, "did you mean") { // a type
		return err
	}
	if next := nearVerb(o.cmd, o.Args); next != "" {
		return problem.New(next, "%w", err)
	}
	if word := o.Args[0]; len(word) == 3 { // it may as well be a type of a cluster
		if near := problem.Near(word, commandNames(o.cmd)); near != "" {
			return problem.New("did you mean "+o.cmd.CommandPath()+" "+near+"? "+hint, "%w", err)
		}
	}
	return err
}

// nearVerb is what to use instead of kubectl's verb that the first argument is a typing error away
// from, or "".
func nearVerb(root *cobra.Command, args []string) string {
	verb := problem.Near(args[0], []string{"watch", "describe", "logs", "events", "rollout"})
	if len(args[0]) < 4 || verb == "" {
		return ""
	}
	ctx := root.Context()
	typed, _ := ctx.Value(typedKey{}).([]string)
	typed = slices.Clone(typed)
	if i := slices.Index(typed, args[0]); i >= 0 {
		typed[i] = verb
	}
	root.SetContext(withTypedWords(ctx, typed))
	defer root.SetContext(ctx)
	next := problem.Hint(kubectlVerb(root, append([]string{verb}, args[1:]...)), "")
	if next == "" {
		return ""
	}
	return "did you mean " + verb + "? " + next
}

// nearCommand is the command that a word is a typing error away from, or "". "web" does not
// mean "why".
func nearCommand(root *cobra.Command, word string) string {
	if len(word) < 4 || resolve.KnownType(word) || strings.Contains(word, "/") {
		return ""
	}
	near := didYouMean(word, "", commandNames(root))
	return strings.TrimSuffix(strings.TrimPrefix(near, "did you mean "), "? ")
}

// dashboard is the screen with the session that it shows. The palette's context
// and source commands switch to other sources: the current session goes on until
// the next one has begun.
type dashboard struct {
	dashboardOptions
	mu    sync.Mutex // guards followOptions and shown
	shown *session
}

// current returns the session that is shown, and what began it.
func (d *dashboard) current() (followOptions, *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.followOptions, d.shown
}

// run shows the session until the user quits, and closes it or the one that
// replaced it.
func (d *dashboard) run(ctx context.Context) (err error) {
	ses := d.shown
	defer func() {
		_, ses := d.current()
		if closing := ses.close(); err == nil || isOutcome(err) {
			err = cmp.Or(closing, err)
		}
	}()
	opt := d.options(ses)
	var m *model.Model
	if d.plain {
		m, err = ses.lines(ctx, opt, d.In, d.Out)
	} else {
		d.tui.Themes = d.conf.themes
		d.tui.Columns, d.tui.Now, d.tui.Input, d.tui.Output = d.conf.columns(), ses.now, terminal(d.In), terminal(d.Out)
		m, err = tui.Run(ctx, opt, d.tui)
	}
	if _, ok := errors.AsType[tui.Interrupted](err); ok {
		return exitWith(exitInterrupted)
	}
	if err != nil {
		return err
	}
	if err := m.Facts.Connection().Err; err != nil &&
		m.Facts.Connection().Link == world.LinkEnded && ses.player == nil && ctx.Err() == nil {
		return err
	}
	if err := d.writeReport(m); err != nil || !d.exitStatus {
		return err
	}
	return exitWith(verdictCode(m.Facts.Verdict(), m.Facts.Whole()))
}

// options are the model's for a session.
func (d *dashboard) options(ses *session) model.Options {
	opt := ses.opt
	opt.Feed = ses.feed
	opt.Screen, opt.Theme, opt.Themes = true, d.theme, d.conf.themeNames()
	opt.Contexts, opt.Fixed = d.contexts()
	opt.Outside = model.Outside{
		Report: func(m *model.Model, format string) ([]byte, error) {
			th, err := views.Themes{User: d.conf.themes}.New(m.Display.Theme(), m.Display.Dark(), d.tui.ASCII)
			if err != nil {
				return nil, err
			}
			return finding(m, format, views.Look{Theme: th})
		},
		Save: saveText, Reopen: d.reopen, Inventories: d.inventories, Namespaces: d.namespaces,
	}
	d.conf.arrange(&opt)
	return opt
}

// contexts returns the contexts of the kubeconfig, or why nothing else can be
// followed.
func (d *dashboard) contexts() (names []string, fixed string) {
	switch {
	case d.replay != "":
		return nil, "a recording is of one set: nothing else can be followed"
	case d.record != "" && d.recordedBy == "":
		return nil, "what is recorded is of one set: nothing else can be followed"
	}
	if len(d.from) > 0 {
		return nil, ""
	}
	// it could be read at start: a later error is ignored here
	raw, _ := d.connection.ToRawKubeConfigLoader().RawConfig()
	return slices.Sorted(maps.Keys(raw.Contexts)), ""
}

// reopen begins a session with other sources.
func (d *dashboard) reopen(ctx context.Context, other model.Other) (*model.Session, error) {
	o, before := d.current()
	if other.Context != "" {
		o.connection = inContext(o.connection, other.Context, *o.connection.Namespace)
	}
	if other.Source != "" {
		var err error
		if o, err = o.withSource(other.Source); err != nil {
			return nil, err
		}
	}
	o.In = strings.NewReader("") // the dashboard reads the keyboard
	next, err := o.open(ctx)
	if err != nil && other.Context != "" { // another one is still on the screen
		err = fmt.Errorf("context %s: %w", other.Context, err)
	}
	if err != nil {
		return nil, err
	}
	return &model.Session{
		Begin: func(was *model.Model) (*model.Model, tea.Cmd) {
			d.mu.Lock()
			d.followOptions, d.shown = o, next
			d.mu.Unlock()
			opt := d.options(next)
			opt.Ctx = was.Options().Ctx
			opt.Group, opt.Sort = was.Tree.Settings().Group, was.Tree.Settings().Sort
			return model.New(opt)
		},
		Left: before.close,
	}, nil
}

// withSource returns the options with what the palette's source command names,
// which is parsed as a command line.
func (o followOptions) withSource(line string) (followOptions, error) {
	o.chosen = nil
	expand := o.expand
	o.connection = inContext(o.connection, *o.connection.Context, *o.connection.Namespace)
	flags := pflag.NewFlagSet("source", pflag.ContinueOnError)
	o.addSource(flags)
	flags.StringVarP(o.connection.Namespace, "namespace", "n", *o.connection.Namespace, "")
	flags.StringVar(o.connection.Context, "context", *o.connection.Context, "")
	if err := flags.Parse(strings.Fields(line)); err != nil {
		return o, err
	}
	if !flags.Changed("expand") {
		o.expand = expand
	}
	o.Args = flags.Args()
	if slices.Contains(o.Files, "-") {
		return o, problem.New("name a file", "standard input is the keyboard here")
	}
	if !o.namesSource() {
		return o, problem.New("as in deploy/web, or TYPE -l app=web", "%q names nothing to follow", line)
	}
	return o, nil
}

// namespaces lists those of the cluster, for the palette.
func (d *dashboard) namespaces(ctx context.Context) (out []string, err error) {
	o, _ := d.current()
	err = o.withFinder(ctx, func(ctx context.Context, finder *find.Finder, _ connection) error {
		found, err := finder.Names(ctx, "namespaces", "")
		for _, ns := range found {
			out = append(out, ns.Name)
		}
		return err
	})
	return out, err
}

// inventories lists them by the names that the source command accepts.
func (d *dashboard) inventories(ctx context.Context) (out []string, err error) {
	o, _ := d.current()
	o.AllNamespaces, o.ErrOut = false, io.Discard
	found, _, err := o.findInventories(ctx)
	for _, x := range found {
		out = append(out, x.Target.Source)
	}
	return out, err
}
