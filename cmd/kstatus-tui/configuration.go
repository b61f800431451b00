package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// configuration is the user's configuration file: kstatus-tui/config.yaml in
// the user's configuration folder ($XDG_CONFIG_HOME or ~/.config on Linux).
// docs/dashboard.md describes its keys.
type configuration struct {
	file string // "" if the file does not exist
	// default values of flags, by flag name
	flags   map[string]configured
	record  configured // recordTo: the file or folder for recordings
	group   configured
	sort    configured
	columns configured
	keys    map[model.Action][]string
	keysAt  map[model.Action]int // the line of each key binding
}

// configured is a value and its line in the file; 0 if it is not set.
type configured struct {
	value string
	line  int
}

// flagKeys maps the file's keys to the flags they set defaults for.
var flagKeys = map[string]string{
	"healthRules": "health-rules", "children": "children", "expand": "expand", "poll": "poll", "stallAfter": "stall-after",
	"theme": "theme", "ascii": "ascii", "noMouse": "no-mouse", "noMotion": "no-motion", "plain": "plain", "exitStatus": "exit-status",
}

// columnNames are the tree's columns that can be hidden.
var columnNames = []string{"status", "reason", "since"}

// readConfiguration reads the configuration file, if it exists.
func readConfiguration() (*configuration, error) {
	c := newConfiguration()
	folder, err := os.UserConfigDir()
	if err != nil {
		return c, nil // without a home folder there is no configuration
	}
	name := filepath.Join(folder, "kstatus-tui", "config.yaml")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	c.file = name
	if err != nil {
		return nil, problemf("check the file, or remove it", "cannot read the configuration: %w", err)
	}
	if err := c.read(text); err != nil {
		return nil, err
	}
	return c, nil
}

func newConfiguration() *configuration {
	return &configuration{flags: map[string]configured{}, keys: map[model.Action][]string{}, keysAt: map[model.Action]int{}}
}

// read parses the file.
func (c *configuration) read(text []byte) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return c.noYAML(err)
	}
	if len(doc.Content) == 0 {
		return nil // the file is empty or holds only comments
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return c.wrong(top, "", "theme: light", "it holds no keys")
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key := top.Content[i]
		if line := seen[key.Value]; line > 0 {
			return c.wrong(key, key.Value, "leave one of them", "line %d says it already", line)
		}
		seen[key.Value] = key.Line
		if err := c.take(key, top.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// noYAML is the error of a file that is not YAML. The library names the line in
// its message, except for the first line.
func (c *configuration) noYAML(err error) error {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), "1"
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		line, text, _ = strings.Cut(rest, ": ")
	}
	return problemf("it is YAML: key: value", "%s:%s: %s", c.file, line, text)
}

// wrong is an error that names the file, line and key.
func (c *configuration) wrong(at *yaml.Node, key, hint, format string, args ...any) error {
	if key != "" {
		key += ": "
	}
	return problemf(hint, "%s:%d: %s%s", c.file, at.Line, key, fmt.Sprintf(format, args...))
}

// take reads the value of one key.
func (c *configuration) take(key, value *yaml.Node) error {
	scalar := func(allowed []string) (configured, error) {
		if value.Kind != yaml.ScalarNode {
			return configured{}, c.wrong(value, key.Value, "write it on one line", "it takes one value")
		}
		if allowed != nil && !slices.Contains(allowed, value.Value) {
			return configured{}, c.wrong(value, key.Value, "it takes "+strings.Join(allowed, ", "), "%q is no choice", value.Value)
		}
		return configured{value.Value, value.Line}, nil
	}
	var err error
	switch flag := flagKeys[key.Value]; {
	case flag != "":
		var allowed []string
		switch flag {
		case "theme":
			allowed = views.ThemeNames
		case "children":
			allowed = []string{"auto", "all", "none"}
		case "expand":
			allowed = []string{"auto", "none"}
		}
		v, err := scalar(allowed)
		if err != nil {
			return err
		}
		switch flag {
		case "health-rules":
			v.value = c.path(v.value)
			if _, err := os.Stat(v.value); err != nil {
				return c.wrong(value, key.Value, "name a file, relative to this one", "cannot read it: %v", err)
			}
		case "poll", "stall-after":
			if d, err := time.ParseDuration(v.value); err == nil && d < 0 {
				return c.wrong(value, key.Value, "as in 60s", "%q is less than no time", v.value)
			}
		}
		c.flags[flag] = v
	case key.Value == "recordTo", key.Value == "record_to":
		if c.record, err = scalar(nil); err == nil {
			c.record.value = c.path(c.record.value)
		}
	case key.Value == "group":
		c.group, err = scalar(texts(model.Groupings))
	case key.Value == "sort":
		c.sort, err = scalar(texts(model.Sortings))
	case key.Value == "columns":
		names, e := c.list(key.Value, value)
		for _, n := range names {
			if !slices.Contains(columnNames, n) {
				return c.wrong(value, key.Value, "there are "+joined(columnNames), "no column is called %q", n)
			}
		}
		c.columns, err = configured{joined(names), value.Line}, e
	case key.Value == "keys":
		err = c.takeKeys(value)
	default:
		known := []string{"group", "sort", "columns", "keys", "recordTo"}
		for k := range flagKeys {
			known = append(known, k)
		}
		slices.Sort(known)
		err = c.wrong(key, key.Value, "it knows "+joined(known), "no such key")
	}
	return err
}

// path resolves ~ and paths relative to the file's folder. A trailing slash is
// kept.
func (c *configuration) path(p string) string {
	rest, home := strings.CutPrefix(p, "~/")
	switch dir, err := os.UserHomeDir(); {
	case home && err == nil:
		return filepath.FromSlash(dir + "/" + rest)
	case p == "" || filepath.IsAbs(p):
		return p
	}
	return filepath.FromSlash(filepath.Dir(c.file) + "/" + p)
}

// list reads a single value or a list.
func (c *configuration) list(key string, value *yaml.Node) ([]string, error) {
	var out []string
	switch value.Kind {
	case yaml.ScalarNode:
		if value.Tag != "!!null" {
			out = append(out, value.Value)
		}
	case yaml.SequenceNode:
		for _, v := range value.Content {
			if v.Kind != yaml.ScalarNode {
				return nil, c.wrong(v, key, "[a, b]", "it takes a list of words")
			}
			out = append(out, v.Value)
		}
	default:
		return nil, c.wrong(value, key, "[a, b]", "it takes a list of words")
	}
	return out, nil
}

// takeKeys reads the key bindings.
func (c *configuration) takeKeys(value *yaml.Node) error {
	if value.Kind != yaml.MappingNode {
		return c.wrong(value, "keys", "next: [n, ctrl+n]", "it takes actions with their keys")
	}
	for i := 0; i+1 < len(value.Content); i += 2 {
		name, given := value.Content[i], value.Content[i+1]
		action := model.Action(name.Value)
		if !slices.ContainsFunc(model.Bindings, func(b model.Binding) bool { return b.Action == action }) {
			return c.wrong(name, "keys."+name.Value, "kstatus-tui config lists them", "no such action")
		}
		keys, err := c.list("keys."+name.Value, given)
		if err != nil {
			return err
		}
		if len(keys) == 0 && action == model.Quit {
			return c.wrong(given, "keys.quit", "quit: q", "without a key there is no way out")
		}
		for _, k := range keys {
			if !isKey(k) {
				return c.wrong(given, "keys."+name.Value, "as in ctrl+n, pgdown, space, G", "%q is no key", k)
			}
		}
		c.keys[action], c.keysAt[action] = keys, given.Line
	}
	if a, b, key := model.Clash(c.keys); key != "" {
		if c.keysAt[a] > c.keysAt[b] {
			a, b = b, a
		}
		at := &yaml.Node{Line: c.keysAt[b]}
		return c.wrong(at, "keys."+string(b), "choose another key for one of them", "%q is %s already", key, a)
	}
	return nil
}

// isKey reports whether k is the name of a key as Bubble Tea writes it.
func isKey(k string) bool {
	for _, m := range []string{"ctrl+", "alt+", "shift+", "meta+", "hyper+", "super+"} {
		k = strings.TrimPrefix(k, m)
	}
	if utf8.RuneCountInString(k) == 1 {
		return k != " "
	}
	n, function := strings.CutPrefix(k, "f")
	if _, err := strconv.ParseUint(n, 10, 8); function && err == nil {
		return true
	}
	return slices.Contains([]string{
		"up", "down", "left", "right", "enter", "esc", "space", "tab", "backspace", "delete", "insert", "home", "end", "pgup", "pgdown",
	}, k)
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// apply sets the defaults of a command's flags; values from the command line
// take precedence.
func (c *configuration) apply(flags *pflag.FlagSet) error {
	for _, name := range slices.Sorted(maps.Keys(c.flags)) {
		v := c.flags[name]
		flag := flags.Lookup(name)
		if flag == nil || flag.Changed {
			continue
		}
		if err := flag.Value.Set(v.value); err != nil {
			return problemf("--"+name+" takes it as well: see --help", "%s:%d: %s: %q is not valid", c.file, v.line, keyOf(name), v.value)
		}
	}
	return nil
}

// keyOf returns the file's key for a flag.
func keyOf(flag string) string {
	for key, f := range flagKeys {
		if f == flag {
			return key
		}
	}
	return flag
}

// arrange sets the model's options for keys and layout.
func (c *configuration) arrange(opt *model.Options) {
	opt.Keys = c.keys
	opt.Group, opt.Sort = model.Grouping(c.group.value), model.Sorting(c.sort.value)
}

// hidden returns the columns that the file hides.
func (c *configuration) hidden() views.Hidden {
	if c.columns.line == 0 {
		return views.Hidden{}
	}
	shown := strings.Split(c.columns.value, ", ")
	return views.Hidden{
		Word:   !slices.Contains(shown, "status"),
		Reason: !slices.Contains(shown, "reason"),
		Since:  !slices.Contains(shown, "since"),
	}
}

// origin names the source of a value: the file's line, or the default.
func (c *configuration) origin(v configured) string {
	if v.line == 0 {
		return "default"
	}
	return fmt.Sprintf("%s:%d", c.file, v.line)
}
