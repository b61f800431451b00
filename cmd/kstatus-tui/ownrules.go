package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/rules"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// healthRules names the file of the user's health rules, "" for none, and where
// it was set: by the flag or in the configuration file.
type healthRules struct{ file, origin string }

// ownRules are the user's health rules as the packages take them; both fields
// are nil if there are none.
type ownRules struct {
	judge status.UserRules
	wants func(groupKind string) bool
}

func (h *healthRules) addFlag(flags *pflag.FlagSet) {
	flags.StringVar(&h.file, "health-rules", "", "a file of your own rules, in CEL")
}

// complete takes the file of the configuration where the flag names none.
func (h *healthRules) complete(c *configuration, flags *pflag.FlagSet) {
	h.origin = "--health-rules"
	if !flags.Changed("health-rules") {
		v := c.flags["health-rules"]
		h.file, h.origin = v.value, c.origin(v)
	}
}

func (h healthRules) load() (ownRules, error) {
	if h.file == "" {
		return ownRules{}, nil
	}
	set, err := rules.Load(h.file)
	if err != nil {
		return ownRules{}, problem.New("correct the file given with "+h.origin, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return ownRules{judge: set, wants: set.Wants}, nil
}
