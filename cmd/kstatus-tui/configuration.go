package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// configuration is the user's configuration file: kstatus-tui/config.yaml in
// the user's configuration folder ($XDG_CONFIG_HOME or ~/.config on Linux).
// docs/configuration.md describes its keys.
type configuration struct {
	file   string                // "" if the file does not exist
	looked string                // where the file would be; "" without a home directory
	values map[string]configured // by key
	keys   map[model.Action][]string
	themes map[string]views.UserTheme
	// commands are the user's, by their order in the file.
	commands []model.UserCommand
	// screen says that the command has a screen; without one, errors in settings of the
	// screen are ignored.
	screen  bool
	ignored []error
}

// screenSettings are the settings that mean nothing to a command without a screen,
// beside "keys".
var screenSettings = []string{
	"theme", "ascii", "noMouse", "noMotion", "plain", "exitStatus", "group",
	"sort", "columns", "commands",
}

// configured is a value and its line in the file; 0 if it is not set.
type configured struct {
	value string
	line  int
}

// settings returns the settings of the file as flags, all but keys, themes and commands. Most are a
// flag of the dashboard with a camelCase name: noMouse is --no-mouse. The value in the file is the
// default of that flag.
func settings() *pflag.FlagSet {
	var o dashboardOptions
	all, f := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("configuration", pflag.ContinueOnError)
	o.addFlags(all)
	o.addScreen(all)
	f.SortFlags = false
	for _, key := range []string{
		"children", "expand", "poll", "stallAfter", "theme", "ascii", "noMouse",
		"noMotion", "plain", "exitStatus", "healthRules", "recordTo",
	} {
		flag := *all.Lookup(flagName(key))
		flag.Name = key
		f.AddFlag(&flag)
	}
	choose(f, new(string), "group", "", string(rows.GroupNone), "", texts(rows.Groupings))
	choose(f, new(string), "sort", "", string(rows.SortProblems), "", texts(rows.Sortings))
	choose(f, new(string), "columns", "", joined(layout.DefaultColumns), "", layout.ColumnNames())
	return f
}

var capital = regexp.MustCompile("[A-Z]")

// flagName is the flag that a key of the file is the default of.
func flagName(key string) string {
	return strings.ToLower(capital.ReplaceAllString(strings.TrimSuffix(key, "To"), "-$0"))
}

// readConfiguration reads the configuration file, if it exists, and gives the
// flags the defaults of it.
func readConfiguration(flags *pflag.FlagSet) (*configuration, error) {
	c := &configuration{screen: flags.Lookup("theme") != nil}
	folder, err := os.UserConfigDir()
	if err != nil {
		return c, nil // without a home folder there is no configuration
	}
	name := filepath.Join(folder, "kstatus-tui", "config.yaml")
	c.looked = name
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
	for key, v := range c.values {
		// A run is recorded where it is followed: see followOptions.
		if f := flags.Lookup(flagName(key)); f != nil && !f.Changed && key != "recordTo" {
			_ = f.Value.Set(v.value) // read has tried it
		}
	}
	return c, nil
}

// read parses the file.
func (c *configuration) read(text []byte) error {
	type document struct { // errors print its name
		Keys   map[string]yaml.Node
		Themes map[string]yaml.Node
		// Commands are a list.
		Commands []userCommand
		Others   map[string]yaml.Node `yaml:",inline"`
	}
	var doc document
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return problem.New(itsForm, "%s", c.file+shapeWords(err))
	}
	nodes := map[string]yaml.Node{}
	maps.Copy(nodes, doc.Others)
	for action, node := range doc.Keys {
		nodes["keys."+action] = node
	}
	c.values, c.keys, c.themes = map[string]configured{}, map[model.Action][]string{}, map[string]views.UserTheme{}
	for _, name := range slices.Sorted(maps.Keys(doc.Themes)) {
		if err := c.addTheme(name, doc.Themes[name]); err != nil && !c.ignores("theme", err) {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(nodes)) {
		if err := c.set(key, nodes[key]); err != nil && !c.ignores(key, err) {
			return err
		}
	}
	for _, u := range doc.Commands {
		if err := c.addCommand(u); err != nil && !c.ignores("commands", err) {
			return err
		}
	}
	if a, b, key := model.Clash(c.keys); key != "" {
		name := "keys." + string(b)
		err := c.wrong(c.values[name].line, name, "choose another key for one of them", "%q is %s already", key, a)
		if !c.ignores(name, err) {
			return err
		}
	}
	return nil
}

// userCommand is a command of the user's in the file.
type userCommand struct {
	Name, Key  string
	Kinds, Run []string
	line       int
}

func (u *userCommand) UnmarshalYAML(node *yaml.Node) error {
	type plain userCommand
	u.line = node.Line
	return node.Decode((*plain)(u))
}

// addCommand checks a command of the user's.
func (c *configuration) addCommand(u userCommand) error {
	const key = "commands"
	taken := func(b model.Binding) bool {
		return b.Context != model.InText && u.Key != "" && slices.Contains(b.Keys(), u.Key)
	}
	bound := model.Bound(c.keys)
	switch i := slices.IndexFunc(bound, taken); {
	case u.Name == "" || len(u.Run) == 0:
		return c.wrong(u.line, key,
			"as in {name: stern, key: ctrl+t, kinds: [Pod], run: [stern, -n, '{namespace}', '{name}']}",
			"each needs a name and what to run")
	case strings.ContainsFunc(u.Name, unicode.IsSpace):
		return c.wrong(u.line, key, "as in "+strings.Join(strings.Fields(u.Name), "-"),
			"the name %q has a blank", u.Name)
	case u.Key != "" && !keyName.MatchString(u.Key):
		return c.wrong(u.line, key, "as in ctrl+n, pgdown, space, G", "%q is no key", u.Key)
	case i >= 0:
		return c.wrong(u.line, key, "choose another key, or bind that action to another one",
			"%q is %s already", u.Key, bound[i].Action)
	}
	c.commands = append(c.commands, model.UserCommand{Name: u.Name, Key: u.Key, Kinds: u.Kinds, Run: u.Run})
	return nil
}

// addTheme reads a theme of the user's.
func (c *configuration) addTheme(name string, node yaml.Node) error {
	key := "themes." + name
	form := "as in " + name + `: {base: dark, ok: "#7fd962"}`
	if node.Kind != yaml.MappingNode {
		return c.wrong(node.Line, key, form, "it is not a list of colours")
	}
	colours := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		role, colour := node.Content[i], node.Content[i+1]
		switch {
		case colour.Kind != yaml.ScalarNode:
			return c.wrong(role.Line, key, form, "%s is not one colour", role.Value)
		case colour.Value == "":
			return c.wrong(role.Line, key, "write it in quotes, or # begins a comment: "+role.Value+`: "#7fd962"`,
				"%s has no value", role.Value)
		}
		colours[role.Value] = colour.Value
	}
	theme := views.UserTheme{Base: cmp.Or(colours["base"], "auto"), Colours: colours}
	delete(colours, "base")
	if slices.Contains(views.ThemeNames, name) {
		return c.wrong(node.Line, key, "give it another name, with base: "+name, "this theme exists already")
	}
	if err := theme.Check(); err != nil {
		return c.wrong(node.Line, key, pagesURL+"configuration.md lists the colours", "%w", err)
	}
	c.themes[name] = theme
	return nil
}

// themeNames are all themes, the user's last.
func (c *configuration) themeNames() []string {
	return append(slices.Clone(views.ThemeNames), slices.Sorted(maps.Keys(c.themes))...)
}

// themeError is the error of a name that no theme has, or nil.
func (c *configuration) themeError(name string) *choiceError {
	if names := c.themeNames(); !slices.Contains(names, name) {
		return &choiceError{given: name, near: didYouMean(name, "", names), words: names}
	}
	return nil
}

// ignores notes an error in a setting of the screen for a command that has none: a
// pipeline does not fail by a colour.
func (c *configuration) ignores(key string, err error) bool {
	ignored := !c.screen && (strings.HasPrefix(key, "keys.") || slices.Contains(screenSettings, key))
	if ignored {
		c.ignored = append(c.ignored, err)
	}
	return ignored
}

// set reads one setting.
func (c *configuration) set(key string, node yaml.Node) error {
	known := settings()
	flag := known.Lookup(key)
	action, binds := strings.CutPrefix(key, "keys.")
	var values []string
	err := node.Decode(&values)
	if node.Kind == yaml.ScalarNode && node.Tag != "!!null" { // a word is a list of one
		values, err = []string{node.Value}, nil
	}
	switch {
	case binds && !slices.ContainsFunc(model.Bindings, func(b model.Binding) bool {
		return string(b.Action) == action
	}):
		return c.wrong(node.Line, key, "kstatus-tui config lists them", "no such action")
	case !binds && flag == nil:
		names := []string{"keys", "themes", "commands"}
		known.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		return c.wrong(node.Line, key, didYouMean(key, "", names)+"it knows "+joined(names), "no such key")
	case err != nil:
		return c.wrong(node.Line, key, itsForm, "it takes a value, or a list of values, and not key: value")
	case !binds && len(values) != 1 && key != "columns":
		return c.wrong(node.Line, key, "write it on one line", "it takes one value")
	case len(values) == 0 && action == string(model.Quit):
		return c.wrong(node.Line, key, "quit: q", "without a key there is no way out")
	}
	for i, v := range values {
		check := func() error { return c.flagValue(flag, v, node.Line) }
		if binds {
			check = func() error { return c.keyValue(key, v, node.Line) }
		}
		if err := check(); err != nil {
			return err
		}
		if key == "healthRules" || key == "recordTo" {
			values[i] = c.path(v)
		}
	}
	c.values[key] = configured{joined(values), node.Line}
	if binds {
		c.keys[model.Action(action)] = values
	}
	return nil
}

// keyValue checks a key that an action is bound to.
func (c *configuration) keyValue(key, v string, line int) error {
	if !keyName.MatchString(v) {
		return c.wrong(line, key, "as in ctrl+n, pgdown, space, G", "%q is no key", v)
	}
	return nil
}

// flagValue checks the value of a setting that is a flag.
func (c *configuration) flagValue(flag *pflag.Flag, v string, line int) error {
	err := flag.Value.Set(v)
	if wrong := c.themeError(v); flag.Name == "theme" && wrong != nil {
		err = wrong
	}
	if err != nil {
		if wrong, ok := errors.AsType[*choiceError](err); ok {
			return c.wrong(line, flag.Name, cmp.Or(wrong.near, configurationHelp), "%w", err)
		}
		return c.wrong(line, flag.Name+" "+v, problem.Hint(err, configurationHelp), "%w", err)
	}
	if flag.Value.Type() == "duration" && strings.HasPrefix(v, "-") {
		return c.wrong(line, flag.Name, "as in 60s", "%q is less than no time", v)
	}
	return nil
}

// configurationHelp is the hint of a wrong value.
const configurationHelp = pagesURL + "configuration.md has the values"

// itsForm is the hint of a file, or of a value, that YAML cannot read.
const itsForm = "it is YAML, key: value; the keys: " + pagesURL + "configuration.md"

// misshapen is what the YAML library says of a value of another shape, with Go's types.
var misshapen = regexp.MustCompile("cannot unmarshal !!(\\w+)(?: `[^`]*`)? into (.+)")

// shapeWords is an error of the YAML library without Go's types, behind the name of the file:
// ":3: a list instead of key: value", or ": yaml: " and what else is wrong.
func shapeWords(err error) string {
	text := strings.NewReplacer("yaml: ", "", "unmarshal errors:\n  ", "").Replace(err.Error())
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		text = ":" + rest
	} else {
		text = ": yaml: " + text
	}
	return misshapen.ReplaceAllStringFunc(text, func(found string) string {
		parts := misshapen.FindStringSubmatch(found)
		is := cmp.Or(map[string]string{"map": "key: value", "seq": "a list"}[parts[1]], "a single value")
		wanted := "key: value"
		if strings.HasPrefix(parts[2], "[]") {
			wanted = "a list"
		}
		return is + " instead of " + wanted
	})
}

func (c *configuration) wrong(line int, key, hint, format string, args ...any) error {
	return problem.New(hint, "%s:%d: %s: %w", c.file, line, key, fmt.Errorf(format, args...))
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

// keyName is the name of a key as Bubble Tea writes it.
var keyName = regexp.MustCompile(
	`^((ctrl|alt|shift|meta|hyper|super)\+)*(\S|f\d{1,2}|up|down|left|right|enter|esc|space|tab|backspace|delete|insert|home|end|pgup|pgdown)$`)

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// arrange sets the model's options for keys and layout.
func (c *configuration) arrange(opt *model.Options) {
	opt.Keys, opt.Commands = c.keys, c.commands
	opt.Group, opt.Sort = rows.Grouping(c.values["group"].value), rows.Sorting(c.values["sort"].value)
}

// columns are those that the file chooses, nil if it does not.
func (c *configuration) columns() []string {
	columns, given := c.values["columns"]
	if !given {
		return nil
	}
	return strings.Split(columns.value, ", ")
}

// origin names the source of a key's value: the file's line, or the default.
func (c *configuration) origin(key string) string {
	if v, ok := c.values[key]; ok {
		return fmt.Sprintf("%s:%d", c.file, v.line)
	}
	return "default"
}
