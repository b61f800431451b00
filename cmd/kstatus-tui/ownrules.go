//go:build !nocluster

package main

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/rules"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// ownRules are the user's own rules, as the rooms take them; both fields are nil
// when there are none.
type ownRules struct {
	judge status.UserRules
	wants func(groupKind string) bool
}

// loadRules reads the file of --health-rules, or else the one that the
// configuration file names.
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

// rulesFile says which file of health rules is used, "" for none, and who named
// it: a flag or the configuration file.
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
