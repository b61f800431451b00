package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
)

// How long a completion waits for the cluster, unless the environment sets
// another limit.
const (
	answerWithin    = 250 * time.Millisecond
	answerWithinEnv = "KSTATUS_TUI_COMPLETION_TIMEOUT"
)

// completer completes the values of arguments and flags. After any error it
// completes nothing: a shell has no place to show one.
type completer struct {
	connection *genericclioptions.ConfigFlags
}

// files are the flags whose value is a file name.
var files = []string{
	"filename", "record", "replay", "report", "log", "health-rules", "template", "kubeconfig", "certificate-authority", "client-certificate", "client-key",
}

// goals are the values of --for.
var goals = []cobra.Completion{
	forCurrent + "\tthe default", forDeleted, forExists, forKnown, "condition=Ready", "condition=Available", "condition=Complete",
	"jsonpath=\tjsonpath='{.status.phase}'=Running",
}

// complete registers the completions of every command.
func complete(root *cobra.Command, c *genericclioptions.ConfigFlags) {
	x := completer{c}
	functions := map[string]cobra.CompletionFunc{
		"namespace": x.namespaces,
		"context":   x.kubeconfig(func(c clientcmdapi.Config) []string { return slices.Collect(maps.Keys(c.Contexts)) }),
		"cluster":   x.kubeconfig(func(c clientcmdapi.Config) []string { return slices.Collect(maps.Keys(c.Clusters)) }),
		"user":      x.kubeconfig(func(c clientcmdapi.Config) []string { return slices.Collect(maps.Keys(c.AuthInfos)) }),
		"owner":     x.typeName, "optional": x.typeName, "at": x.moments, "for": fixed(goals),
	}
	for _, cmd := range append(root.Commands(), root) {
		add := func(f *pflag.Flag) {
			if _, done := cmd.GetFlagCompletionFunc(f.Name); done || slices.Contains(files, f.Name) {
				return
			}
			function := functions[f.Name]
			if words, ok := f.Value.(choice); ok {
				function = fixed(words.of)
			} else if function == nil {
				function = cobra.NoFileCompletions
			}
			_ = cmd.RegisterFlagCompletionFunc(f.Name, function)
		}
		cmd.LocalFlags().VisitAll(add)
		cmd.PersistentFlags().VisitAll(add)
		if cmd.Flags().Lookup("kustomize") != nil {
			_ = cmd.MarkFlagDirname("kustomize")
		}
		switch cmd.Name() {
		case root.Name(), "status", "wait", "why", "rbac":
			cmd.ValidArgsFunction = x.sources
		case "members":
			cmd.ValidArgsFunction = x.members
		case "diff":
			cmd.ValidArgsFunction = x.recordings
		case "replay": // a file: the shell completes it
		default:
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
}

// ask runs a query against the cluster within the time limit.
func (x completer) ask(cmd *cobra.Command, what func(ctx context.Context, f *find.Finder, namespace string) []cobra.Completion) []cobra.Completion {
	within, err := time.ParseDuration(os.Getenv(answerWithinEnv))
	if err != nil {
		within = answerWithin
	}
	answer := make(chan []cobra.Completion, 1)
	go func() { // a credential plugin may block longer than the limit
		ctx, cancel := context.WithTimeout(cmd.Context(), within*4/5) // leave time to print what has been found
		defer cancel()
		var words []cobra.Completion
		_ = (&followOptions{connection: x.connection}).withFinder(ctx, func(ctx context.Context, f *find.Finder, namespace string) error {
			words = what(ctx, f, namespace)
			return nil
		})
		answer <- words
	}()
	select {
	case words := <-answer:
		return words
	case <-time.After(within):
		return nil
	}
}

// fixed completes one of a few words.
func fixed(words []cobra.Completion) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return beginning(slices.Clone(words), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// beginning returns the words that start with the given text.
func beginning(words []cobra.Completion, with string) []cobra.Completion {
	words = slices.DeleteFunc(words, func(w cobra.Completion) bool { return !strings.HasPrefix(w, with) })
	slices.Sort(words)
	return slices.Compact(words)
}

// sources completes SOURCE: types, names of objects, inventories.
func (x completer) sources(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if typ := openType(args); typ != "" && !strings.Contains(typed, "/") {
		return beginning(x.names(cmd, typ, ""), typed), cobra.ShellCompDirectiveNoFileComp
	}
	if word, _, slash := strings.Cut(typed, "/"); slash && isScheme(word) {
		return x.members(cmd, args, typed)
	}
	words, directive := x.typeName(cmd, args, typed)
	if !strings.Contains(typed, "/") {
		words = append(words, beginning(schemes(), typed)...)
	}
	return words, directive
}

// openType returns the TYPE whose names the following words are.
func openType(args []string) string {
	typ := ""
	for _, arg := range args {
		switch {
		case strings.Contains(arg, "/"):
			typ = ""
		case typ == "":
			typ = arg
		}
	}
	return typ
}

// schemes completes the schemes of inventories.
func schemes() []cobra.Completion {
	out := []cobra.Completion{"kpt/\ta package's folder"}
	for _, s := range inventory.Known {
		if s.Scheme != nil {
			out = append(out, s.Short+"/\t"+s.Name)
		}
	}
	return out
}

func isScheme(word string) bool {
	return slices.ContainsFunc(schemes(), func(s cobra.Completion) bool { return strings.HasPrefix(s, word+"/") })
}

// typeName completes TYPE, and TYPE/NAME.
func (x completer) typeName(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if typ, _, slash := strings.Cut(typed, "/"); slash {
		return beginning(x.names(cmd, typ, typ+"/"), typed), cobra.ShellCompDirectiveNoFileComp
	}
	before, last := "", typed // the part before the last comma of a list of types
	if i := strings.LastIndex(typed, ","); i >= 0 {
		before, last = typed[:i+1], typed[i+1:]
	}
	words := x.ask(cmd, func(ctx context.Context, f *find.Finder, _ string) []cobra.Completion {
		var out []cobra.Completion
		for _, t := range f.Types(ctx) {
			name := ""
			for _, word := range append(t.Words, t.Name) {
				if name == "" && strings.HasPrefix(word, last) {
					name = word
				}
			}
			if name != "" {
				out = append(out, before+name+"\t"+t.Kind)
			}
		}
		return out
	})
	return beginning(words, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// names completes the names of a type's objects.
func (x completer) names(cmd *cobra.Command, typ, before string) []cobra.Completion {
	return x.ask(cmd, func(ctx context.Context, f *find.Finder, namespace string) []cobra.Completion {
		found, _ := f.Names(ctx, typ, namespace)
		var out []cobra.Completion
		for name, created := range found {
			out = append(out, before+name+"\t"+ageOf(created, time.Now())+" old")
		}
		return out
	})
}

func (x completer) namespaces(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return beginning(x.names(cmd, "namespaces", ""), typed), cobra.ShellCompDirectiveNoFileComp
}

// members completes the names of a scheme's inventories.
func (x completer) members(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := x.ask(cmd, func(ctx context.Context, f *find.Finder, namespace string) []cobra.Completion {
		found, _, _ := f.List(ctx, namespace)
		var out []cobra.Completion
		for _, x := range found {
			out = append(out, x.Target.Source+"\t"+x.Name)
		}
		return out
	})
	return beginning(words, typed), cobra.ShellCompDirectiveNoFileComp
}

// kubeconfig completes contexts, clusters and users.
func (x completer) kubeconfig(names func(clientcmdapi.Config) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		raw, err := x.connection.ToRawKubeConfigLoader().RawConfig()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return beginning(names(raw), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// moments completes --at with the recording's marks: where the verdict changes
// or a cause begins.
func (x completer) moments(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file := ""
	if f := cmd.Flags().Lookup("replay"); f != nil {
		file = f.Value.String()
	} else if len(args) > 0 {
		file = args[0]
	}
	return beginning(marks(file, ""), typed), cobra.ShellCompDirectiveNoFileComp
}

// recordings completes FILE and FILE@TIME.
func (x completer) recordings(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, _, at := strings.Cut(typed, "@")
	if !at {
		return nil, cobra.ShellCompDirectiveNoSpace
	}
	before := file + "@"
	if file == "" && len(args) > 0 {
		file, _ = fileAndMoment(args[0])
	}
	return beginning(marks(file, before), typed), cobra.ShellCompDirectiveNoFileComp
}

func marks(file, before string) []cobra.Completion {
	p, err := recording.Open(file)
	if err != nil {
		return nil
	}
	defer p.Close()
	var out []cobra.Completion
	for _, m := range p.Playback().Marks {
		what := m.Title
		if m.Verdict != "" {
			what = string(m.Verdict)
		}
		out = append(out, fmt.Sprintf("%s%s\t%s", before, m.At.Sub(p.Start()).Truncate(time.Second), what))
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
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	completion.AddCommand(&cobra.Command{
		Use: "kubectl", Short: "Print the script by which kubectl completes the plugin", Long: kubectlLong, Args: takes(0),
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
		return notOneOf("completion", args[0], shells)
	}
}
