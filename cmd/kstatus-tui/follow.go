package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/rules"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// followOptions are the options of every command that follows resources.
type followOptions struct {
	genericiooptions.IOStreams
	inventory.Request // what to follow; targets completes it
	connection        *genericclioptions.ConfigFlags
	flags             *pflag.FlagSet // the command's, as they were typed

	owner      string
	children   string
	expand     string
	poll       time.Duration
	record     string
	recordedBy string // the line of the configuration that record comes from, or ""
	conf       *configuration
	redact     bool
	secrets    bool
	from       []string // saved clusters to read instead of a live one
	saved      *savedCluster
	keys       bool // q and ctrl+c end what is read before the first frame
	replay     string
	embedded   []byte  // the recording to play; nil for the one of replay
	speed      float64 // how fast to play it; 0 is as fast as it is taken
	hold       bool    // hold it at the moment of at, and at its end; else it ends there
	at         string
	atFlag     string // what stands before it on the command line; "" for --at
	beginsAt   bool   // at is where the command begins; else it ends there
	report     string
	stallAfter time.Duration
	health     string // the file of the user's rules, or ""

	timeout   time.Duration      // of the command, and so of a login; 0 means no bound
	whole     bool               // keep every field of every object, for --for=jsonpath
	ofObjects bool               // refuse sources that are no objects, for goals about conditions and fields
	optional  []string           // TYPE/NAME of roots that may fail
	chosen    []inventory.Target // replaces the sources of the command line
}

func newFollowOptions(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) followOptions {
	return followOptions{
		IOStreams: s, connection: c, children: "auto", expand: "auto",
		stallAfter: time.Minute, timeout: onceTimeout,
	}
}

// addFlags adds the flags of a command that follows, and can record, replay and
// report. A command that does less adds those of the parts below that it uses.
func (o *followOptions) addFlags(flags *pflag.FlagSet) {
	grouped(flags, sourceGroup, func(flags *pflag.FlagSet) {
		o.addSource(flags)
		o.addFrom(flags)
	})
	o.addReading(flags)
	o.addStallAfter(flags)
	grouped(flags, recordingGroup, o.addRecording)
}

func (o *followOptions) addStallAfter(flags *pflag.FlagSet) {
	flags.DurationVar(&o.stallAfter, "stall-after", time.Minute, "how long nothing may change before that is reported")
}

// addReading adds how a cluster is read and judged.
func (o *followOptions) addReading(flags *pflag.FlagSet) {
	choose(flags, &o.children, "children", "", "auto",
		"generated children to follow: auto (of what is not Current, is opened, or needs them to be judged), all, none",
		[]cobra.Completion{
			"auto\tof what is not Current, is opened, or needs them", "all\tevery one",
			"none\tjudge by the objects' own fields",
		})
	flags.DurationVar(&o.poll, "poll", 0, "poll at this interval instead of watching")
	addHealthRules(flags, &o.health)
	addLog(flags)
}

func (o *followOptions) addSource(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&o.Files, "filename", "f", nil,
		"manifests: a file, a directory, a URL, or - for standard input (repeatable)")
	addOnce(flags, &o.Kustomize, "kustomize", "k", "a directory with a kustomization",
		"build them one by one, or name both in one kustomization")
	addRecursive(flags, &o.Recursive)
	addOnce(flags, &o.Selector, "selector", "l", "a label selector, for a TYPE or the objects of -f",
		"join the terms: -l 'app=web,tier=cache'")
	addOnce(flags, &o.FieldSelector, "field-selector", "", "a field selector, for TYPE: status.phase=Running",
		"join the terms: --field-selector 'status.phase=Running,spec.nodeName=n1'")
	flags.BoolVar(&o.All, "all", false,
		"all of a TYPE; without a TYPE, everything in the namespace that nothing else owns")
	o.addAllNamespaces(flags)
	addOnce(flags, &o.owner, "owner", "", "the inventory that TYPE/NAME belongs to, by its labels and annotations",
		"name one of them as a SOURCE; kstatus-tui inventories lists them")
	choose(flags, &o.expand, "expand", "", "auto",
		"follow what holds an inventory (a Kustomization, an Application …) with its members: auto, none",
		[]cobra.Completion{
			"auto\tfollow an inventory with its members", "none\tas any other object",
		})
}

func (o *followOptions) addAllNamespaces(flags *pflag.FlagSet) {
	flags.BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "look in all namespaces")
}

func addLog(flags *pflag.FlagSet) {
	flags.String("log", "", "write a debug log to a file")
}

func addRecursive(flags *pflag.FlagSet, recursive *bool) {
	flags.BoolVarP(recursive, "recursive", "R", false, "process directories given with -f recursively")
}

func (o *followOptions) addRecording(flags *pflag.FlagSet) {
	flags.StringVar(&o.record, "record", "", "record to FILE for replay; if FILE is a directory, to a new file in it")
	flags.BoolVar(&o.redact, "redact", false, "replace names in the recording, and leave out logs and YAML")
	flags.BoolVar(&o.secrets, "record-secrets", false,
		"record the values of keys that look like secrets (password, token, …); otherwise they are recorded as ***")
	flags.StringVar(&o.replay, "replay", "", "play a recording instead of following a cluster")
	flags.StringVar(&o.at, "at", "", "a moment of the recording: a duration since its start (90s), or a time")
	flags.StringVar(&o.report, "report", "",
		"write a report to FILE when done; its ending is the format: .md, .json, .svg (a picture) or .html (a page)")
}

func (o *followOptions) Complete(cmd *cobra.Command, args []string) (err error) {
	o.Args, o.flags = args, cmd.Flags()
	if err := kubectlVerb(cmd, args); err != nil {
		return err
	}
	if o.conf, err = readConfiguration(cmd.Flags()); err != nil {
		return err
	}
	for _, ignored := range o.conf.ignored {
		fmt.Fprintf(o.ErrOut, "kstatus-tui: ignored, because this command has no screen: %s\n",
			report.Inert(problem.OneLine(ignored.Error())))
	}
	if ignored := ignoredWith(o.from, cmd.Flags()); len(ignored) > 0 {
		fmt.Fprintf(o.ErrOut, "kstatus-tui: ignored, because a saved cluster has no server: %s\n", joined(ignored))
	}
	if v, ok := o.conf.values["recordTo"]; ok && !cmd.Flags().Changed("record") &&
		cmd.Flags().Lookup("record") != nil && o.replay == "" {
		o.record, o.recordedBy = v.value, o.conf.origin("recordTo")
	}
	return nil
}

// notNegative refuses a duration below zero.
func notNegative(flag string, value time.Duration) error {
	if value < 0 {
		return problem.New("as in 90s, 5m or 1h30m", "invalid value %q for --%s: it is negative", value, flag)
	}
	return nil
}

// Validate refuses combinations that contradict themselves.
func (o *followOptions) Validate() error {
	if o.timeout < 0 { // kubectl's wait takes it for a week
		return problem.New("--timeout=0 waits without a limit",
			"invalid value %q for --timeout: it is negative", o.timeout)
	}
	if err := cmp.Or(notNegative("poll", o.poll), notNegative("stall-after", o.stallAfter)); err != nil {
		return err
	}
	switch {
	case o.at != "" && o.replay == "":
		return problem.New("add --replay FILE", "--at is a moment of a recording")
	case o.replay != "" && o.namesSource():
		return problem.New("leave out either",
			"a recording knows what was followed: --replay and a SOURCE exclude each other")
	case o.replay != "" && len(o.from) > 0:
		return problem.New("leave out either", "--replay and --from exclude each other")
	case o.redact && o.record == "":
		return problem.New("add --record FILE", "--redact needs a recording")
	case o.secrets && o.record == "":
		return problem.New("add --record FILE", "--record-secrets needs a recording")
	case o.secrets && o.redact:
		return problem.New("leave out either", "--redact and --record-secrets exclude each other")
	case o.replay != "" && o.record != "":
		return problem.New("kstatus-tui replay FILE --record OTHER --redact writes one without its names",
			"--replay and --record exclude each other")
	}
	return o.checkReport()
}

// namesSource reports whether the command line says what to follow in a cluster.
func (o *followOptions) namesSource() bool {
	return len(o.Args) > 0 || len(o.Files) > 0 || cmp.Or(o.Kustomize, o.Selector, o.FieldSelector, o.owner) != "" ||
		o.All
}

func addHealthRules(flags *pflag.FlagSet, file *string) {
	flags.StringVar(file, "health-rules", "", "a file of your own rules, in CEL")
}

// loadRules reads the user's health rules, and which kinds they need whole. Both
// are nil without a file.
func loadRules(file string) (judge status.UserRules, whole func(groupKind string) bool, err error) {
	if file == "" {
		return nil, nil, nil
	}
	set, err := rules.Load(file)
	if err != nil {
		next := "correct " + file
		if errors.Is(err, fs.ErrNotExist) {
			next = "check the path"
		}
		return nil, nil,
			problem.New(next+"; its form: "+pagesURL+"own-rules.md", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return set, set.Wants, nil
}
