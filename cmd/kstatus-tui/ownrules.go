package main

import (
	"github.com/kstatus-tui/kstatus-tui/internal/rules"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// ownRules are the user's own rules, as the rooms take them; both fields are nil
// when there are none.
type ownRules struct {
	judge status.UserRules
	wants func(groupKind string) bool
}

// loadRules reads the file of --health-rules; "" means no rules.
func loadRules(file string) (ownRules, error) {
	if file == "" {
		return ownRules{}, nil
	}
	set, err := rules.Load(file)
	if err != nil {
		return ownRules{}, problemf("correct the file given with --health-rules", "%w", err)
	}
	return ownRules{judge: set, wants: set.Wants}, nil
}
