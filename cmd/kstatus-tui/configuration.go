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
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
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

// flagKey is a key of the file that sets a flag's default. of are the choices,
// if it takes one of a few.
type flagKey struct {
	flag string
	of   []string
}

var flagKeys = map[string]flagKey{
	"healthRules": {flag: "health-rules"}, "children": {"children", wordsOf(childrenChoices)}, "expand": {"expand", wordsOf(expandChoices)},
	"poll": {flag: "poll"}, "stallAfter": {flag: "stall-after"}, "theme": {"theme", views.ThemeNames}, "ascii": {flag: "ascii"},
	"noMouse": {flag: "no-mouse"}, "noMotion": {flag: "no-motion"}, "plain": {flag: "plain"}, "exitStatus": {flag: "exit-status"},
}

// columnNames are the tree's columns that can be hidden.
var columnNames = []string{"status", "reason", "since"}

// readConfiguration reads the configuration file, if it exists, and gives the
// flags the defaults of it.
func readConfiguration(flags *pflag.FlagSet) (*configuration, error) {
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
		return nil, problem.New("check the file, or remove it", "cannot read the configuration: %w", err)
	}
	if err := c.read(text); err != nil {
		return nil, err
	}
	return c, c.apply(flags)
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
	return problem.New("it is YAML: key: value", "%s:%s: %s", c.file, line, text)
}

// wrong is an error that names the file, line and key.
func (c *configuration) wrong(at *yaml.Node, key, hint, format string, args ...any) error {
	if key != "" {
		key += ": "
	}
	return problem.New(hint, "%s:%d: %s%s", c.file, at.Line, key, fmt.Sprintf(format, args...))
}

// take reads the value of one key.
func (c *configuration) take(key, value *yaml.Node) (err error) {
	of, isFlag := flagKeys[key.Value]
	switch {
	case isFlag:
		c.flags[of.flag], err = c.flagDefault(key.Value, of, value)
	case key.Value == "recordTo", key.Value == "record_to":
		c.record, err = c.scalar(key.Value, value, nil)
		c.record.value = c.path(c.record.value)
	case key.Value == "group":
		c.group, err = c.scalar(key.Value, value, texts(model.Groupings))
	case key.Value == "sort":
		c.sort, err = c.scalar(key.Value, value, texts(model.Sortings))
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
		known := append(slices.Collect(maps.Keys(flagKeys)), "group", "sort", "columns", "keys", "recordTo")
		slices.Sort(known)
		err = c.wrong(key, key.Value, "it knows "+joined(known), "no such key")
	}
	return err
}

// scalar reads a single value, one of a few if there are choices.
func (c *configuration) scalar(key string, value *yaml.Node, of []string) (configured, error) {
	switch {
	case value.Kind != yaml.ScalarNode:
		return configured{}, c.wrong(value, key, "write it on one line", "it takes one value")
	case of != nil && !slices.Contains(of, value.Value):
		return configured{}, c.wrong(value, key, "it takes "+joined(of), "%q is no choice", value.Value)
	}
	return configured{value.Value, value.Line}, nil
}

func (c *configuration) flagDefault(key string, of flagKey, value *yaml.Node) (configured, error) {
	v, err := c.scalar(key, value, of.of)
	if err != nil {
		return v, err
	}
	switch of.flag {
	case "health-rules":
		v.value = c.path(v.value)
		if _, err := os.Stat(v.value); err != nil {
			return v, c.wrong(value, key, "name a file, relative to this one", "cannot read it: %v", err)
		}
	case "poll", "stall-after":
		if d, err := time.ParseDuration(v.value); err == nil && d < 0 {
			return v, c.wrong(value, key, "as in 60s", "%q is less than no time", v.value)
		}
	}
	return v, nil
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
	for _, key := range slices.Sorted(maps.Keys(flagKeys)) {
		name := flagKeys[key].flag
		v, flag := c.flags[name], flags.Lookup(name)
		if v.line == 0 || flag == nil || flag.Changed {
			continue
		}
		if err := flag.Value.Set(v.value); err != nil {
			return problem.New("--"+name+" takes it as well: see --help", "%s:%d: %s: %q is not valid", c.file, v.line, key, v.value)
		}
	}
	return nil
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
