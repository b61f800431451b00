package main

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// followOptions are the options of every command that follows resources.
type followOptions struct {
	genericiooptions.IOStreams
	lookOptions
	connection *genericclioptions.ConfigFlags
	args       []string // SOURCE…

	files         []string
	kustomize     string
	recursive     bool
	selector      string
	fields        string
	all           bool
	allNamespaces bool

	owner    string
	children string
	expand   string
	poll     time.Duration
	record   string
	// recordedBy is the line of the configuration that record comes from, or "".
	recordedBy string
	redact     bool
	secrets    bool
	replay     string
	health     healthRules

	// login bounds the wait for credentials; 0 means no bound.
	login time.Duration
	// whole keeps every field of every object, for --for=jsonpath.
	whole bool
	// ofObjects refuses sources that are no objects, for goals about conditions
	// and fields.
	ofObjects bool
	// chosen replaces the sources of the command line.
	chosen []inventory.Target
	logger *slog.Logger // replaces a log of its own
}

func newFollowOptions(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) followOptions {
	return followOptions{IOStreams: s, connection: c, children: "auto", expand: "auto", lookOptions: lookOptions{stallAfter: time.Minute}}
}

func (o *followOptions) addFlags(cmd *cobra.Command) {
	connects(cmd)
	flags := cmd.Flags()
	grouped(flags, sourceGroup, o.addSource)
	choose(flags, &o.children, "children", "", "auto", "generated children to follow: auto (of what is not Current, is opened, or needs them to be judged), all, none", childrenChoices)
	flags.DurationVar(&o.poll, "poll", 0, "ask every so often instead of watching")
	flags.DurationVar(&o.stallAfter, "stall-after", time.Minute, "say that nothing moves after so long")
	o.health.addFlag(flags)
	o.addLog(flags)
	grouped(flags, recordingGroup, o.addRecording)
}

func (o *followOptions) addSource(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&o.files, "filename", "f", nil, "a manifest: FILE, DIR, URL, or - for standard input (repeatable)")
	flags.StringVarP(&o.kustomize, "kustomize", "k", "", "a folder with a kustomization")
	addRecursive(flags, &o.recursive)
	flags.StringVarP(&o.selector, "selector", "l", "", "a label selector, for TYPE or for what -f holds")
	flags.StringVar(&o.fields, "field-selector", "", "a field selector, for TYPE: status.phase=Running")
	flags.BoolVar(&o.all, "all", false, "all of a TYPE; without a TYPE, everything in the namespace that nothing else owns")
	o.addAllNamespaces(flags)
	flags.StringVar(&o.owner, "owner", "", "the inventory that TYPE/NAME belongs to, by its labels and annotations")
	choose(flags, &o.expand, "expand", "", "auto", "follow what holds an inventory (a Kustomization, an Application …) with its members: auto, none", expandChoices)
}

func (o *followOptions) addAllNamespaces(flags *pflag.FlagSet) {
	flags.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "look in all namespaces")
}

func addRecursive(flags *pflag.FlagSet, recursive *bool) {
	flags.BoolVarP(recursive, "recursive", "R", false, "read the folders of -f with everything below them")
}

func (o *followOptions) addRecording(flags *pflag.FlagSet) {
	flags.StringVar(&o.record, "record", "", "write what is observed to a file, or to one of its own in a folder, for replay")
	flags.BoolVar(&o.redact, "redact", false, "record other names, and messages without what they name; no logs and no YAML")
	flags.BoolVar(&o.secrets, "record-secrets", false, "record, and show, the values under keys that look like secrets (password, token, …); else they are ***")
	flags.StringVar(&o.replay, "replay", "", "play a recording instead of following a cluster")
	flags.StringVar(&o.at, "at", "", "a moment of the recording: how long after its beginning (90s), or a time")
	flags.StringVar(&o.report, "report", "", "write the finding to a file at the end: Markdown, or what its name ends in: .json, .svg (a picture)")
}

func (o *followOptions) Complete(cmd *cobra.Command, args []string) error {
	o.args = args
	c, err := readConfiguration(cmd.Flags())
	if err != nil {
		return err
	}
	o.health.complete(c, cmd.Flags())
	if flag := cmd.Flags().Lookup("record"); flag != nil && !flag.Changed && o.replay == "" {
		o.record, o.recordedBy = c.record.value, c.origin(c.record)
	}
	return nil
}

// Validate refuses combinations that contradict themselves.
func (o *followOptions) Validate() error {
	switch {
	case o.poll < 0:
		return problem.New("as in --poll 10s", "--poll %s is not an interval", o.poll)
	case o.stallAfter < 0:
		return problem.New("as in --stall-after 60s", "--stall-after %s is not a duration", o.stallAfter)
	case o.at != "" && o.replay == "":
		return problem.New("add --replay FILE", "--at is a moment of a recording")
	case o.replay != "" && o.namesSource():
		return problem.New("leave out either", "a recording knows what was followed: --replay and a SOURCE exclude each other")
	case o.redact && o.record == "":
		return problem.New("add --record FILE", "--redact needs a recording")
	case o.secrets && o.record == "":
		return problem.New("add --record FILE", "--record-secrets needs a recording")
	case o.secrets && o.redact:
		return problem.New("leave out either", "--redact and --record-secrets exclude each other")
	case o.replay != "" && o.record != "":
		return problem.New("kstatus-tui replay FILE --record OTHER --redact writes one without its names", "--replay and --record exclude each other")
	}
	return nil
}

// namesSource reports whether the command line says what to follow in a cluster.
func (o *followOptions) namesSource() bool {
	return len(o.args) > 0 || len(o.files) > 0 || cmp.Or(o.kustomize, o.selector, o.fields, o.owner) != "" || o.all
}

// request is the part of the command line that names what to follow.
func (o *followOptions) request() inventory.Request {
	return inventory.Request{
		Args: o.args, Files: o.files, Kustomize: o.kustomize, Recursive: o.recursive,
		Selector: o.selector, FieldSelector: o.fields, All: o.all, AllNamespaces: o.allNamespaces,
		Namespace: namespaceOf(o.connection), NamespaceGiven: *o.connection.Namespace != "",
		Stdin: piped(o.In),
	}
}
