package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// The groups that a command's flags stand in, in this order.
const (
	sourceGroup     = "What to follow"
	recordingGroup  = "Recordings and reports"
	screenGroup     = "Screen"
	connectionGroup = "Connection"
)

const groupAnnotation = "group"

// connectsAnnotation marks the commands that talk to a cluster: the help of the
// others omits the connection flags, which they accept as well.
const connectsAnnotation = "connects"

func connects(cmd *cobra.Command) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[connectsAnnotation] = "true"
}

// grouped adds flags that stand together in the help.
func grouped(flags *pflag.FlagSet, group string, add func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(group, pflag.ContinueOnError)
	add(set)
	set.VisitAll(func(f *pflag.Flag) { _ = set.SetAnnotation(f.Name, groupAnnotation, []string{group}) })
	flags.AddFlagSet(set)
}

// help prints a command's help in kubectl's order: description, examples,
// grouped flags, usage.
func help(cmd *cobra.Command, _ []string) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)))
	section := func(name, text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			fmt.Fprintf(&b, "\n%s:\n%s\n", name, text)
		}
	}
	section("Examples", cmd.Example)
	var commands strings.Builder
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			fmt.Fprintf(&commands, "  %-*s  %s\n", c.NamePadding(), c.Name(), c.Short)
		}
	}
	section("Commands", commands.String())
	groups := map[string]*pflag.FlagSet{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		group := ""
		if of := f.Annotations[groupAnnotation]; len(of) > 0 {
			group = of[0]
		}
		if group == connectionGroup && cmd.Annotations[connectsAnnotation] == "" {
			return
		}
		if groups[group] == nil {
			groups[group] = pflag.NewFlagSet(group, pflag.ContinueOnError)
		}
		groups[group].AddFlag(f)
	})
	for _, group := range []string{sourceGroup, "", recordingGroup, screenGroup, connectionGroup} {
		if set := groups[group]; set != nil {
			section(cmp.Or(group, "Flags"), set.FlagUsages())
		}
	}
	section("Usage", "  "+cmd.UseLine())
	if slices.ContainsFunc(cmd.Commands(), (*cobra.Command).IsAvailableCommand) {
		fmt.Fprintf(&b, "\n\"%s COMMAND --help\" tells more about a command.\n", cmd.CommandPath())
	}
	fmt.Fprint(cmd.OutOrStdout(), b.String())
}

// takes requires a fixed number of arguments.
func takes(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		want := map[int]string{0: "no argument", 1: "1 argument"}[n]
		return problem.New("usage: "+cmd.UseLine(), "%s takes %s, not %d", cmd.Name(), cmp.Or(want, fmt.Sprint(n, " arguments")), len(args))
	}
}

// helpTopic requires the name of a command.
func helpTopic(cmd *cobra.Command, args []string) error {
	if _, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Root().Commands() {
		names = append(names, c.Name())
	}
	return problem.New(didYouMean(args[0], "", names)+cmd.Root().CommandPath()+" --help lists the commands", "no command %q", strings.Join(args, " "))
}
