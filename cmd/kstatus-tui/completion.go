package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/wait"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// How long a completion waits for the cluster, unless the environment sets
// another limit.
const (
	answerWithin    = 2 * time.Second
	answerWithinEnv = "KSTATUS_TUI_COMPLETION_TIMEOUT"
)

// completer completes the values of arguments and flags. After any error it
// completes nothing: a shell has no place to show one. Shells choose what begins
// with the text that is typed.
type completer struct{ followOptions }

// files are the flags whose value is a file name.
var files = []string{
	"filename", "from", "record", "replay", "report", "log", "health-rules", "template", "kubeconfig",
	"certificate-authority", "client-certificate", "client-key",
}

// forValues are the values of --for.
var forValues = []cobra.Completion{
	string(wait.Current) + "\tthe default",
	string(wait.Deleted) + "\tit no longer exists", string(wait.Exists) + "\tit exists",
	string(wait.Known) + "\tits status is known",
	"condition=Ready\tits condition is True", "condition=Available\tits condition is True",
	"condition=Complete\tits condition is True",
	"jsonpath=\tjsonpath='{.status.phase}'=Running",
}

// complete registers the completions of every command.
func complete(root *cobra.Command, f followOptions) {
	x := completer{f}
	functions := map[string]cobra.CompletionFunc{
		"namespace": func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return x.names(cmd, "namespaces", "")
		},
		"context": x.kubeconfig(func(c clientcmdapi.Config) []cobra.Completion {
			return slices.Collect(maps.Keys(c.Contexts))
		}),
		"cluster": x.kubeconfig(func(c clientcmdapi.Config) []cobra.Completion {
			return slices.Collect(maps.Keys(c.Clusters))
		}),
		"user": x.kubeconfig(func(c clientcmdapi.Config) []cobra.Completion {
			return slices.Collect(maps.Keys(c.AuthInfos))
		}),
		"kustomize": cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		"owner":     x.typeName, "optional": x.typeName, "at": x.moments,
		"for": cobra.FixedCompletions(forValues, cobra.ShellCompDirectiveNoFileComp),
	}
	for _, cmd := range append(root.Commands(), root) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if slices.Contains(files, f.Name) {
				return
			}
			function := functions[f.Name]
			if words, ok := f.Value.(choice); ok {
				function = cobra.FixedCompletions(words.of, cobra.ShellCompDirectiveNoFileComp)
			} else if function == nil {
				function = cobra.NoFileCompletions
			}
			_ = cmd.RegisterFlagCompletionFunc(f.Name, function)
		})
		switch cmd.Name() {
		case root.Name(), "status", "wait", "why", "rbac":
			cmd.ValidArgsFunction = x.sources
		case "members":
			cmd.ValidArgsFunction = x.members
		case "diff":
			cmd.ValidArgsFunction = x.recordings
		case "replay", "help": // a file: the shell completes it; commands: cobra does
		default:
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
}

// ask runs a query against the cluster within the time limit.
func (x completer) ask(
	cmd *cobra.Command, what func(ctx context.Context, f *find.Finder, namespace string) []cobra.Completion,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	within, err := time.ParseDuration(os.Getenv(answerWithinEnv))
	if err != nil {
		within = answerWithin
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), within)
	defer cancel()
	words, _ := leavable(ctx, func() (words []cobra.Completion, err error) {
		err = x.withFinder(ctx, func(ctx context.Context, f *find.Finder, c connection) error {
			words = what(ctx, f, c.namespace)
			return nil
		})
		return words, err
	})
	return words, cobra.ShellCompDirectiveNoFileComp
}

// sources completes SOURCE: types, names of objects, inventories.
func (x completer) sources(
	cmd *cobra.Command, args []string, typed string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	typ := "" // whose names the following words are
	for _, arg := range slices.Backward(args) {
		if strings.Contains(arg, "/") {
			break
		}
		typ = arg
	}
	if typ != "" && !strings.Contains(typed, "/") {
		return x.names(cmd, typ, "")
	}
	if word, _, slash := strings.Cut(typed, "/"); slash && slices.Contains(inventory.Schemes(), word) {
		return x.members(cmd, args, typed)
	}
	words, directive := x.typeName(cmd, args, typed)
	if !strings.Contains(typed, "/") {
		words = append(words, schemes()...)
	}
	return words, directive
}

// schemes completes the schemes of inventories.
func schemes() []cobra.Completion {
	out := []cobra.Completion{"kpt/\ta package's directory"}
	for _, s := range inventory.Known {
		if s.Scheme != nil {
			out = append(out, s.Short+"/\t"+s.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// typeName completes TYPE, and TYPE/NAME.
func (x completer) typeName(
	cmd *cobra.Command, _ []string, typed string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if typ, _, slash := strings.Cut(typed, "/"); slash {
		return x.names(cmd, typ, typ+"/")
	}
	before := typed[:strings.LastIndex(typed, ",")+1] // of a list of types
	words, directive := x.ask(cmd, func(ctx context.Context, f *find.Finder, _ string) (out []cobra.Completion) {
		for _, t := range f.Types(ctx) {
			if t.Kind != "Event" { // they have no status
				out = append(out, before+t.Plural+"\t"+t.Kind)
			}
		}
		return out
	})
	if len(words) == 0 { // no cluster, or a slow one: the types that every cluster has
		for _, t := range resolve.Builtins {
			if t.Kind != "Event" {
				words = append(words, before+t.Plural+"\t"+t.Kind)
			}
		}
	}
	return words, directive | cobra.ShellCompDirectiveNoSpace
}

// names completes the names of a type's objects.
func (x completer) names(cmd *cobra.Command, typ, before string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return x.ask(cmd, func(ctx context.Context, f *find.Finder, namespace string) []cobra.Completion {
		found, _ := f.Names(ctx, typ, namespace)
		slices.SortFunc(found, func(a, b *object.Object) int { return strings.Compare(a.Name, b.Name) })
		// of several namespaces
		found = slices.CompactFunc(found, func(a, b *object.Object) bool { return a.Name == b.Name })
		var out []cobra.Completion
		for _, o := range found {
			out = append(out, before+o.Name+"\t"+ageOf(o.Created, time.Now())+" old")
		}
		return out
	})
}

// members completes the names of a scheme's inventories.
func (x completer) members(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return x.ask(cmd, func(ctx context.Context, f *find.Finder, namespace string) []cobra.Completion {
		found, _, _ := f.List(ctx, namespace)
		var out []cobra.Completion
		for _, x := range found {
			out = append(out, x.Target.Source+"\t"+x.Name)
		}
		return out
	})
}

// kubeconfig completes contexts, clusters and users.
func (x completer) kubeconfig(names func(clientcmdapi.Config) []cobra.Completion) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		raw, _ := x.connection.ToRawKubeConfigLoader().RawConfig()
		return names(raw), cobra.ShellCompDirectiveNoFileComp
	}
}

// moments completes --at with the recording's marks: where the verdict changes
// or a cause begins.
func (x completer) moments(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file := ""
	if f := cmd.Flags().Lookup("replay"); f != nil {
		file = f.Value.String()
	} else if len(args) > 0 {
		file = args[0]
	}
	return marks(file, ""), cobra.ShellCompDirectiveNoFileComp
}

// recordings completes FILE and FILE@TIME.
func (x completer) recordings(
	_ *cobra.Command, args []string, typed string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, _, at := strings.Cut(typed, "@")
	if !at {
		return nil, cobra.ShellCompDirectiveNoSpace
	}
	before := file + "@"
	if file == "" && len(args) > 0 {
		file, _ = fileAndMoment(args[0])
	}
	return marks(file, before), cobra.ShellCompDirectiveNoFileComp
}

func marks(file, before string) []cobra.Completion {
	p, err := recording.Open(file)
	if err != nil {
		return nil
	}
	defer p.Close()
	var out []cobra.Completion
	for _, m := range p.Playback().Marks {
		out = append(out, fmt.Sprintf("%s%s\t%s", before,
			m.At.Sub(p.Start()).Truncate(time.Second), cmp.Or(string(m.Verdict), m.Title)))
	}
	return out
}

const kubectlLong = `Print the script by which kubectl completes "kubectl kstatus-tui". kubectl looks for it on
the PATH by its name, kubectl_complete-kstatus_tui, beside kubectl-kstatus_tui:

  ln -s "$(command -v kstatus-tui)" ~/bin/kubectl-kstatus_tui
  kstatus-tui completion kubectl > ~/bin/kubectl_complete-kstatus_tui
  chmod +x ~/bin/kubectl_complete-kstatus_tui`

// addKubectlCompletion adds "completion kubectl", which installs the completion
// of the kubectl plugin.
func addKubectlCompletion(root *cobra.Command, s genericiooptions.IOStreams) {
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	completion.AddCommand(&cobra.Command{
		Use: "kubectl", Short: "Print the script by which kubectl completes the plugin",
		Long: kubectlLong, Args: takes(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(s.Out, "#!/bin/sh\nexec kubectl-kstatus_tui __complete \"$@\"\n")
			return err
		},
	})
	var shells []string
	for _, c := range completion.Commands() {
		shells = append(shells, c.Name())
		c.Args = takes(0)
	}
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return problem.New(
			didYouMean(args[0], "", shells)+"kstatus-tui completion "+shells[0]+" --help says how to load it",
			"no completion for %q (one of: %s)", args[0], joined(shells))
	}
}
