package main

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/rules"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// ownRules are the user's health rules as the packages take them; both fields
// are nil if there are none.
type ownRules struct {
	judge status.UserRules
	wants func(groupKind string) bool
}

// loadRules reads the file of --health-rules or of the configuration file.
func loadRules(file string) (ownRules, error) {
	file, origin, err := rulesFile(file)
	if err != nil || file == "" {
		return ownRules{}, err
	}
	set, err := rules.Load(file)
	if err != nil {
		return ownRules{}, problemf("correct the file given with "+origin, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return ownRules{judge: set, wants: set.Wants}, nil
}

// rulesFile returns the file of health rules, "" for none, and where it was
// set: by the flag or in the configuration file.
func rulesFile(flag string) (file, origin string, err error) {
	c, err := readConfiguration()
	switch v := c.healthRules(); {
	case err != nil:
		return "", "", err
	case flag != "" && flag != v.value:
		return flag, "--health-rules", nil
	case v.value != "":
		return v.value, c.origin(v), nil
	}
	return flag, "--health-rules", nil
}

func (c *configuration) healthRules() configured {
	if c == nil {
		return configured{}
	}
	return c.flags["health-rules"]
}
