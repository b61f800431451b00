package main

import (
	"errors"
	"fmt"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// didYouMean begins a hint with the choice that is one or two typing errors
// away from word; it is empty if there is none.
func didYouMean(word, prefix string, choices []string) string {
	best, least := "", 1+len(word)/4
	for _, c := range choices {
		if d := levenshtein.ComputeDistance(word, c); 0 < d && d <= least {
			best, least = c, d-1 // of equally near choices, the first
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + prefix + best + "? "
}

// flagProblem rewords pflag's errors and adds the next step.
func flagProblem(cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " --help lists the flags"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		return problem.New(didYouMean(unknown.GetSpecifiedName(), "--", names)+help, "%w", err)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		if c, ok := f.Value.(choice); ok {
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand
			}
			return notOneOf(name, invalid.GetValue(), c.of)
		}
		text := fmt.Sprintf("--%s %s", f.Name, invalid.GetValue())
		switch f.Value.Type() {
		case "duration":
			return problem.New("as in 90s, 5m or 1h30m", "%s is not a duration", text)
		case "float64":
			return problem.New("as in 4 or 0.5", "%s is not a number", text)
		case "bool":
			return problem.New("it is true or false", "%s: %w", text, errNoChoice)
		}
		return problem.New(help, "%s: %w", text, invalid.Unwrap())
	}
	return problem.New(help, "%w", err)
}
