package main

import (
	"context"
	"errors"
	"slices"
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
	return func(cmd *cobra.Command, args []string) error {
		if err := o.Complete(cmd, args); err != nil {
			return err
		}
		if err := o.Validate(); err != nil {
			return err
		}
		return o.Run(cmd.Context())
	}
}

// choice is the value of a flag that takes one of a few words. A word may carry
// its meaning after a tab, for the completion of a shell.
type choice struct {
	value *string
	of    []cobra.Completion
	// argument allows WORD=ARGUMENT.
	argument bool
}

var errNoChoice = errors.New("no such choice")

func (c choice) String() string { return *c.value }
func (c choice) Type() string   { return "string" }

func (c choice) Set(text string) error {
	word := text
	if c.argument {
		word, _, _ = strings.Cut(text, "=")
	}
	if !slices.Contains(wordsOf(c.of), word) {
		return errNoChoice
	}
	*c.value = text
	return nil
}

// choose adds a flag that takes one of a few words.
func choose(flags *pflag.FlagSet, value *string, name, short, preset, usage string, of []cobra.Completion) {
	*value = preset
	flags.VarP(choice{value: value, of: of}, name, short, usage)
}

// wordsOf returns choices without their meanings.
func wordsOf(choices []cobra.Completion) []string {
	words := make([]string, len(choices))
	for i, c := range choices {
		words[i], _, _ = strings.Cut(c, "\t")
	}
	return words
}

// notOneOf is the error of a word that is none of the choices.
func notOneOf(what, word string, choices []cobra.Completion) error {
	words := wordsOf(choices)
	return problem.New(didYouMean(word, "", words)+"it takes "+joined(words), "%s %s: %w", what, word, errNoChoice)
}

// joined lists choices.
func joined(names []string) string { return strings.Join(names, ", ") }

// The choices of more than one command.
var (
	childrenChoices = []cobra.Completion{"auto\tof what is not Current, is opened, or needs them", "all\tevery one", "none\tjudge by the objects' own fields"}
	expandChoices   = []cobra.Completion{"auto\tfollow an inventory with its members", "none\tas any other object"}
	tableOrJSON     = []cobra.Completion{"table", "json"}
)
