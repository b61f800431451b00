package main

import (
	"cmp"
	"fmt"
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
	otherGroup      = "Flags"
	connectionGroup = "Connection"
)

const groupAnnotation = "group"

// grouped adds flags that stand together in the help.
func grouped(flags *pflag.FlagSet, group string, add func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(group, pflag.ContinueOnError)
	add(set)
	set.VisitAll(func(f *pflag.Flag) { _ = set.SetAnnotation(f.Name, groupAnnotation, []string{group}) })
	flags.AddFlagSet(set)
}

// helpTemplate is cobra's help in kubectl's order: description, examples, grouped
// flags, usage.
const helpTemplate = `{{or .Long .Short | trimTrailingWhitespaces}}
{{with .Example}}
Examples:
{{.}}
{{end}}{{if .Commands}}
Commands:
{{range .Commands}}{{if or .IsAvailableCommand (eq .Name "help")}}  {{rpad .Name .NamePadding}}  {{.Short}}
{{end}}{{end}}{{end}}{{range flagGroups .}}
{{.Name}}:
{{.FlagUsages}}{{end}}
Usage:
  {{.UseLine}}
{{if .HasAvailableSubCommands}}
"{{.CommandPath}} COMMAND --help" tells more about a command.
{{end}}`

func init() { cobra.AddTemplateFunc("flagGroups", flagGroups) }

// flagGroups are a command's flags by the groups that they stand in.
func flagGroups(cmd *cobra.Command) (groups []*pflag.FlagSet) {
	for _, group := range []string{sourceGroup, otherGroup, recordingGroup, screenGroup, connectionGroup} {
		set := pflag.NewFlagSet(group, pflag.ContinueOnError)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if of := append(f.Annotations[groupAnnotation], otherGroup); of[0] == group {
				set.AddFlag(f)
			}
		})
		// A command without a log talks to no cluster, and accepts the flags of
		// the connection all the same.
		if set.HasAvailableFlags() && (group != connectionGroup || cmd.Flags().Lookup("log") != nil) {
			groups = append(groups, set)
		}
	}
	return groups
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
	hint := ""
	if near := cmd.Root().SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + near[0] + "? "
	}
	return problem.New(hint+cmd.Root().CommandPath()+" --help lists the commands", "no command %q", strings.Join(args, " "))
}
