package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

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
		return ownRules{}, problemf("correct the file given with "+origin, "%w", err)
	}
	return ownRules{judge: set, wants: set.Wants}, nil
}

// configuration is the user's configuration file: config.yaml in the folder
// kstatus-tui of the place where the system keeps configurations
// ($XDG_CONFIG_HOME, or ~/.config).
type configuration struct {
	// HealthRules is a file of the user's own rules, relative to the
	// configuration file's folder.
	HealthRules string `json:"healthRules"`
}

// rulesFile says which file of health rules is used, "" for none, and who named
// it: a flag or the configuration file.
func rulesFile(flag string) (file, origin string, err error) {
	if flag != "" {
		return flag, "--health-rules", nil
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", "", nil // no home, no configuration
	}
	name := filepath.Join(folder, "kstatus-tui", "config.yaml")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", problemf("check the file, or take it away", "cannot read the configuration: %w", err)
	}
	var c configuration
	if err := yaml.UnmarshalStrict(text, &c); err != nil {
		return "", "", problemf("it knows one key: healthRules, a file", "cannot read the configuration %s: %w", name, err)
	}
	if c.HealthRules == "" {
		return "", "", nil
	}
	if !filepath.IsAbs(c.HealthRules) {
		c.HealthRules = filepath.Join(filepath.Dir(name), c.HealthRules)
	}
	return c.HealthRules, name, nil
}
