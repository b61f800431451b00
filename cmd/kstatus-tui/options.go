package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// options are a command in kubectl's three steps. Its flags set their fields.
type options interface {
	// Complete takes over the arguments, and what the configuration says where
	// no flag is given.
	Complete(cmd *cobra.Command, args []string) error
	// Validate refuses what contradicts itself, before anything is opened.
	Validate() error
	Run(ctx context.Context) error
}

// runs makes options the action of a command.
func runs(o options) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		if err := oneDash(cmd); err != nil {
			return err
		}
		if err := givenOnce(cmd.Flags()); err != nil {
			return err
		}
		if err := o.Complete(cmd, args); err != nil {
			return err
		}
		if err := o.Validate(); err != nil {
			return err
		}
		if err := keepsInputs(cmd.Flags()); err != nil {
			return err
		}
		if name := cmd.Flags().Lookup("log"); name != nil && name.Value.String() != "" {
			file, err := openLog(name.Value.String())
			if err != nil {
				return err
			}
			defer func() {
				if err := file.Close(); err != nil {
					printError(cmd.ErrOrStderr(), err)
				}
			}()
		}
		// before the log is closed
		_, err = guarded(func() (struct{}, error) { return struct{}{}, o.Run(cmd.Context()) })
		return err
	}
}

// once is the value of a flag that says what to follow. kubectl takes the last of several values
// and drops the others silently, so that it looks at other objects than those that were meant.
type once struct {
	value *string
	next  string // what to do instead
	given int
}

// addOnce adds a flag that may be given once; next is what to do instead of giving it twice.
func addOnce(flags *pflag.FlagSet, value *string, name, short, usage, next string) {
	*value = ""
	flags.VarP(&once{value: value, next: next}, name, short, usage)
}

func (o *once) String() string { return *o.value }
func (o *once) Type() string   { return "string" }

// Set refuses nothing: cobra reads a line twice to complete it.
func (o *once) Set(text string) error {
	*o.value = text
	o.given++
	return nil
}

// givenOnce refuses a flag that was given more than once.
func givenOnce(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if o, ok := f.Value.(*once); ok && o.given > 1 && err == nil {
			err = problem.New(o.next, "--%s is given more than once", f.Name)
		}
	})
	return err
}

// choice is the value of a flag that takes one of a few words. A word may carry
// its meaning after a tab, for the completion of a shell.
type choice struct {
	value    *string
	of       []cobra.Completion
	argument bool // WORD=ARGUMENT is allowed, too
	open     bool // other words are checked later: the configuration may define them
}

// choiceError is a value that a flag does not take.
type choiceError struct {
	given, near string
	words       []string
}

func (e *choiceError) Error() string {
	return fmt.Sprintf("invalid value %q (one of: %s)", e.given, joined(e.words))
}

// about is the error of a flag.
func (e *choiceError) about(flag, help string) error {
	return problem.New(strings.TrimSpace(cmp.Or(e.near, help)), "invalid value %q for --%s (one of: %s)",
		e.given, flag, joined(e.words))
}

func (c choice) String() string { return *c.value }
func (c choice) Type() string   { return "string" }

func (c choice) Set(text string) error {
	word := text
	if c.argument {
		word, _, _ = strings.Cut(text, "=")
	}
	var words []string
	for _, completion := range c.of {
		w, _, _ := strings.Cut(completion, "\t")
		words = append(words, w)
	}
	if !c.open && !slices.Contains(words, word) {
		return &choiceError{given: text, near: didYouMean(word, "", words), words: words}
	}
	*c.value = text
	return nil
}

// choose adds a flag that takes one of a few words.
func choose(flags *pflag.FlagSet, value *string, name, short, preset, usage string, of []cobra.Completion) {
	*value = preset
	flags.VarP(choice{value: value, of: of}, name, short, usage)
}

// joined lists choices.
func joined(names []string) string { return strings.Join(names, ", ") }

// didYouMean begins a hint with the choice that word may be a typing error of; it is empty if
// there is none.
func didYouMean(word, prefix string, choices []string) string {
	near := problem.Near(word, choices)
	if near == "" {
		return ""
	}
	return "did you mean " + prefix + near + "? "
}

// kubectlFlag is the command to use for kubectl's -o and -w where there is no such
// flag, or "".
func kubectlFlag(cmd *cobra.Command, err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return ""
	}
	root, dashboard := cmd.Root().CommandPath(), cmd == cmd.Root()
	typed, _ := cmd.Context().Value(typedKey{}).([]string)
	if !dashboard {
		typed = without(typed, cmd.CalledAs())
	} else if at := slices.IndexFunc(typed, func(w string) bool {
		return slices.Contains(commandNames(cmd), w)
	}); at > 0 && !isName(typed[at-1]) {
		// -w status deploy/web: cobra took the command for the value of -w
		typed = slices.Concat(typed[:at], typed[at+1:])
	}
	of := func(name string) string {
		target, _, _ := cmd.Root().Find([]string{name})
		words, named := flagsAndNames(target, splitSwitches(typed))
		if name == "wait" { // its formats are others
			words = withoutOutput(words)
		}
		if len(named) == 0 && !slices.ContainsFunc(words, namesObjects) {
			words = append([]string{"SOURCE"}, words...)
		}
		return strings.TrimSpace(root+" "+name) + " " + quoted(words)
	}
	switch unknown.GetSpecifiedName() {
	case "f", "filename":
		if cmd.Name() == "diff" {
			return "this compares recordings and saved clusters; for manifests there is kubectl diff -f FILE"
		}
	case "o", "output":
		if dashboard {
			format := ""
			if n := len(typed); n > 0 && (typed[n-1] == "-o" || typed[n-1] == "--output") { // without a value
				format = " json"
			}
			return "use " + of("status") + format
		}
	case "w", "watch", "watch-only":
		if dashboard {
			return "leave it out: the dashboard already watches; for scripts there is " + of("wait")
		}
		return of("") + " follows it live, and " + of("wait") + " until it is done"
	case "client", "short":
		return root + " version prints the version of this program, which has no server part"
	case "version":
		return root + " version prints the version of this program"
	case "ns":
		return "did you mean --namespace? or -n"
	case "verbose", "debug":
		return "--log FILE writes a debug log; -v 6 says more in it"
	case "q", "quiet", "silent":
		return "the exit code says it all: " + cmd.CommandPath() + " … > /dev/null"
	case "ignore-not-found":
		return "a missing object is a row with the status NotFound, and the exit code is 3"
	case "sort-by":
		return "the rows are sorted, the worst first; for another order: -o custom-columns=NAME:.name --no-headers | sort"
	}
	return ""
}

// longForms suggests the flags that a letter begins: kubectl and other tools have a
// shorthand for some that have none here (-t for --timeout). The connection flags, which
// every command has, are left out.
func longForms(cmd *cobra.Command, letter string) string {
	var names []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, letter) && !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	if len(names) == 0 || len(names) > 3 {
		return ""
	}
	return "did you mean " + strings.Join(names, " or ") + "? "
}

// commandsWith are the commands that have a flag which this one has not.
func commandsWith(cmd *cobra.Command, flag string) (names []string) {
	for _, other := range append([]*cobra.Command{cmd.Root()}, cmd.Root().Commands()...) {
		if f := other.LocalNonPersistentFlags().Lookup(flag); f != nil && !f.Hidden && !other.Hidden && other != cmd {
			names = append(names, other.CommandPath())
		}
	}
	return names
}

// oneDash is the error of a flag that is written with one dash, as in -timeout=5s: pflag
// takes its letters for flags, and those after -n for a namespace.
func oneDash(cmd *cobra.Command) error {
	typed, _ := cmd.Context().Value(typedKey{}).([]string)
	for _, word := range typed {
		if word == "--" {
			break
		}
		name, short := strings.CutPrefix(word, "-")
		name, _, _ = strings.Cut(name, "=")
		if short && len(name) > 1 && cmd.Flags().Lookup(name) != nil {
			return problem.New("did you mean --"+name+"?", "unknown flag: -%s", name)
		}
	}
	return nil
}

// flagProblem rewords pflag's errors and adds the next step.
func flagProblem(cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " --help lists the flags"
	if cmd == cmd.Root() {
		if verb := kubectlVerb(cmd, cmd.Flags().Args()); verb != nil {
			return verb
		}
	}
	if cmd == cmd.Root() { // wiat deploy/web --settle 5s: the flag is one of the command that was meant
		typed, _ := cmd.Context().Value(typedKey{}).([]string)
		if _, names := flagsAndNames(cmd, splitSwitches(typed)); len(names) > 0 {
			if near := nearCommand(cmd, names[0]); near != "" {
				return problem.New("did you mean "+cmd.CommandPath()+" "+near+"?", "no command %q", names[0])
			}
		}
	}
	if err := oneDash(cmd); err != nil {
		return err
	}
	if next := kubectlFlag(cmd, err); next != "" {
		return problem.New(next, "%w", err)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if others := commandsWith(cmd, unknown.GetSpecifiedName()); len(others) > 0 {
			of := others[0]
			if len(others) > 1 {
				of += " and others"
			}
			return problem.New("that is a flag of "+of+"; "+help, "%w", err)
		}
		return problem.New(didYouMean(unknown.GetSpecifiedName(), "--", names)+help, "%w", err)
	} else if ok {
		return problem.New(longForms(cmd, unknown.GetSpecifiedName())+help, "%w", err)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return invalidValue(invalid, help)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		switch missing.GetFlag().Name {
		case "v": // often meant as --version
			return problem.New("as in -v 6; "+cmd.Root().CommandPath()+" version prints the version", "%w", err)
		case "namespace":
			return problem.New("as in -n shop", "%w", err)
		}
		return problem.New("--"+missing.GetFlag().Name+": "+missing.GetFlag().Usage, "%w", err)
	}
	return problem.New(help, "%w", err)
}

// invalidValue says what a flag takes.
func invalidValue(invalid *pflag.InvalidValueError, help string) error {
	flag, given := invalid.GetFlag(), invalid.GetValue()
	if wrong, ok := errors.AsType[*choiceError](invalid); ok {
		return wrong.about(flag.Name, help)
	}
	expected, example := "", ""
	switch flag.Value.Type() {
	case "duration":
		expected, example = "not a duration", "90s"
		days, inDays := strings.CutSuffix(given, "d")
		if _, err := strconv.ParseUint(given, 10, 32); err == nil {
			expected, example = "the unit is missing", given+"s"
		} else if n, err := strconv.ParseUint(days, 10, 16); inDays && err == nil {
			expected, example = "its units are h, m and s", strconv.FormatUint(24*n, 10)+"h"
		}
	case "bool":
		expected, example = "neither true nor false", "true"
	case "float64":
		expected, example = "not a number", "2"
	default:
		return problem.New(problem.Hint(invalid, help), "invalid value %q for --%s: %w", given,
			flag.Name, invalid.Unwrap())
	}
	return problem.New("as in --"+flag.Name+"="+example, "invalid value %q for --%s: %s", given, flag.Name, expected)
}

// keepsInputs refuses to write a file that is read, or that is written twice. A
// link to a file is that file.
func keepsInputs(flags *pflag.FlagSet) error {
	values := func(name string) []string {
		f := flags.Lookup(name)
		if f == nil {
			return nil
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			return list.GetSlice()
		}
		return []string{f.Value.String()}
	}
	used := map[string][]string{}
	for _, name := range []string{"replay", "filename", "from", "health-rules", "kubeconfig"} {
		used["--"+name] = values(name)
	}
	for _, name := range []string{"log", "record", "report"} {
		for _, file := range values(name) {
			info, err := os.Stat(file)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			for _, by := range slices.Sorted(maps.Keys(used)) {
				for _, other := range used[by] {
					if o, err := os.Stat(other); err == nil && os.SameFile(info, o) {
						return problem.New("give --"+name+" another name",
							"--%s %s: it is the file of %s, and would be overwritten", name, file, by)
					}
				}
			}
			used["--"+name] = []string{file}
		}
	}
	return nil
}
