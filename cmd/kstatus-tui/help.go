package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
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
const helpTemplate = `{{fit (or .Long .Short | trimTrailingWhitespaces) $}}
{{with .Example}}
Examples:
{{.}}
{{end}}{{if .Commands}}
Commands:
{{range .Commands}}{{if or .IsAvailableCommand (eq .Name "help")}}{{fit (printf "  %s  %s" (rpad .Name .NamePadding) .Short) $}}
{{end}}{{end}}{{end}}{{range flagGroups .}}
{{.Name}}:
{{usages . $}}{{end}}{{with .Aliases}}
Aliases:
{{range .}}  {{.}}
{{end}}{{end}}
Usage:
  {{.UseLine}}
{{if .HasAvailableSubCommands}}
{{fit (printf "Use \"%s COMMAND --help\" for more about a command." .CommandPath) $}}
{{end}}{{if connects .}}
{{fit (printf "Use \"%s options\" for the connection flags, which are kubectl's." .Root.CommandPath) $}}
{{end}}`

func init() {
	cobra.AddTemplateFunc("flagGroups", flagGroups)
	cobra.AddTemplateFunc("connects", connects)
	cobra.AddTemplateFunc("fit", func(text string, cmd *cobra.Command) string {
		return fit(text, helpWidth(cmd.OutOrStdout()))
	})
	cobra.AddTemplateFunc("usages", func(set *pflag.FlagSet, cmd *cobra.Command) string {
		return set.FlagUsagesWrapped(helpWidth(cmd.OutOrStdout()))
	})
}

// helpWidth is the width of the terminal, or of COLUMNS, within what can be read: flags are
// indented by some thirty columns.
func helpWidth(w io.Writer) int {
	const least, most = 60, 100
	width := most
	if screen, ok := screenOf(w).(report.Screen); ok {
		width, _ = screen.Size()
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		width = columns
	}
	return min(max(width, least), most)
}

// firstColumn is what stands before the explanation in a line of two columns, or the
// indentation.
var firstColumn = regexp.MustCompile(`^(?: *\S+(?: \S+)* {2,}| *)`)

// fit wraps what is wider than a terminal: a paragraph as a whole, an indented line by
// itself, within the column of its explanation.
func fit(text string, width int) string {
	wide := func(line string) bool { return utf8.RuneCountInString(line) > width }
	var out, paragraph []string
	end := func() {
		if slices.ContainsFunc(paragraph, wide) {
			paragraph = wrapped(strings.Fields(strings.Join(paragraph, " ")), "", width)
		}
		out, paragraph = append(out, paragraph...), nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		end()
		if !wide(line) {
			out = append(out, line)
			continue
		}
		head := firstColumn.FindString(line)
		out = append(out, wrapped(strings.Fields(line[len(head):]), head, width)...)
	}
	end()
	return strings.Join(out, "\n")
}

// wrapped are words in lines of a width. The first line begins with head, the others are
// indented by as much.
func wrapped(words []string, head string, width int) (lines []string) {
	line, indent := head, strings.Repeat(" ", min(utf8.RuneCountInString(head), width/2))
	for i, w := range words {
		switch {
		case i == 0:
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width:
			lines, line = append(lines, line), indent
		default:
			line += " "
		}
		line += w
	}
	return append(lines, line)
}

// connects reports whether a command talks to a cluster: such a command has a log. The
// others accept the connection flags all the same, so that kubectl's arguments can be
// passed on.
func connects(cmd *cobra.Command) bool { return cmd.Flags().Lookup("log") != nil }

// newOptionsCommand prints the connection flags, as kubectl options does.
func newOptionsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "options", Short: "Print the connection flags, which every command has", Args: takes(0),
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n%s",
				fit("These flags can be passed to any command that talks to a cluster:", helpWidth(cmd.OutOrStdout())),
				groupOf(cmd, connectionGroup).FlagUsagesWrapped(helpWidth(cmd.OutOrStdout())))
		},
	}
}

// flagGroups are a command's flags by the groups that they stand in, without those of
// the connection.
func flagGroups(cmd *cobra.Command) (groups []*pflag.FlagSet) {
	for _, group := range []string{sourceGroup, otherGroup, recordingGroup, screenGroup} {
		if set := groupOf(cmd, group); set.HasAvailableFlags() {
			groups = append(groups, set)
		}
	}
	return groups
}

// groupOf are the flags of one group.
func groupOf(cmd *cobra.Command, group string) *pflag.FlagSet {
	set := pflag.NewFlagSet(group, pflag.ContinueOnError)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if of := append(f.Annotations[groupAnnotation], otherGroup); of[0] == group {
			set.AddFlag(f)
		}
	})
	return set
}

// takes requires a fixed number of arguments.
func takes(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		if n == 0 {
			next := "usage: " + cmd.UseLine()
			if file := args[0]; cmd.Flags().Lookup("filename") != nil {
				next = "a file is given with -f " + file
			}
			if cmd.Name() == "inventories" { // ls pods
				typed, _ := cmd.Context().Value(typedKey{}).([]string)
				words, _ := flagsAndNames(cmd.Root(), without(splitSwitches(typed), cmd.CalledAs()))
				next = "kstatus-tui status " + quoted(words)
				if form := toolForms[args[0]]; form != "" {
					next = "kstatus-tui " + form + " follows one"
				}
				next += "; " + cmd.CommandPath() +
					" lists Helm releases, Flux Kustomizations and the like"
			}
			return problem.New(next, "%s takes no argument, but was given %q", cmd.Name(), args[0])
		}
		want := map[int]string{1: "1 argument"}[n]
		next := "usage: " + cmd.UseLine()
		if example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n"); example != "" {
			next = "as in " + example
		}
		return problem.New(next, "%s takes %s, not %d",
			cmd.Name(), cmp.Or(want, fmt.Sprint(n, " arguments")), len(args))
	}
}

// helpTopic requires the name of a command.
func helpTopic(cmd *cobra.Command, args []string) error {
	if _, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
		return nil
	}
	if err := kubectlVerb(cmd, args); err != nil {
		return err
	}
	hint := didYouMean(args[0], "", commandNames(cmd.Root()))
	return problem.New(hint+cmd.Root().CommandPath()+" --help lists the commands",
		"no command %q", strings.Join(args, " "))
}

// commandNames are the names of the commands that a user may type.
func commandNames(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}
