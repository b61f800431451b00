package model

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/model/filter"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
)

// Suggestion is a line of the palette: a command to choose.
type Suggestion struct {
	Text string // the whole command
	Hint string // what it does
	Key  string // a key with the same effect, or ""
	// Whole says that all of the hint must be read before the command runs.
	Whole bool

	meant bool // what is typed is another name of it
	run   func(*Model) tea.Cmd
}

// Palette is the content of the palette.
type Palette struct {
	Suggestions []Suggestion
	Chosen      int    // index in Suggestions
	Previews    bool   // the screen shows what is chosen
	Error       string // why the command is not possible
}

// verb is a command of the palette with an argument.
type verb struct {
	name, hint string
	args       func(k *Keyboard) []string // completions; nil if anything is valid
	run        func(m *Model, arg string) tea.Cmd
	free       bool // args are only proposals
}

// verbs are the commands with an argument. All actions of the table of keys are
// commands without one.
var verbs = []verb{
	{
		"filter", "show only what matches, as with /", nil,
		func(m *Model, arg string) tea.Cmd { m.Tree.setFilter(arg); return nil }, false,
	},
	{
		"namespace", "show only one namespace, or all", (*Keyboard).namespaces,
		func(m *Model, arg string) tea.Cmd {
			switch {
			case arg == "all":
				m.Tree.setFilter("")
			case slices.Contains(m.Facts.Namespaces(), arg):
				m.Tree.setFilter("ns=" + arg)
			default:
				return m.otherNamespace(arg)
			}
			return nil
		}, true,
	},
	{
		"group", "group rows by …", always(words(rows.Groupings)),
		func(m *Model, arg string) tea.Cmd { return m.Display.answer(m.Tree.groupBy(rows.Grouping(arg))) }, false,
	},
	{
		"sort", "sort rows by …", always(words(rows.Sortings)),
		func(m *Model, arg string) tea.Cmd {
			return m.Display.answer(m.Tree.sortBy(rows.Sorting(arg), m.Tree.settings.Reversed))
		}, false,
	},
	{
		"report", "save a report", always([]string{"md", "json", "svg", "html"}), (*Model).saveReport, false,
	},
	{
		"copy", "copy to the clipboard", always(copies), (*Model).copied, false,
	},
	{
		"context", "follow the same in another context", func(m *Keyboard) []string { return m.intake.opt.Contexts },
		func(m *Model, arg string) tea.Cmd { return m.reopen(Other{Context: arg}) }, false,
	},
	{
		"source", "follow something else, named as on the command line", (*Keyboard).followable,
		func(m *Model, arg string) tea.Cmd { return m.reopen(Other{Source: arg}) }, true,
	},
	{
		"theme", "the colours", func(m *Keyboard) []string { return m.intake.opt.Themes },
		func(m *Model, arg string) tea.Cmd {
			m.Display.theme, m.Intake.opt.Theme = arg, arg
			return m.Display.answer("theme " + arg)
		}, false,
	},
	{
		"run", "run a command of the configuration file", func(k *Keyboard) (names []string) {
			for _, c := range k.fitting() {
				names = append(names, c.Name)
			}
			return names
		}, (*Model).runUserCommand, false,
	},
	{
		"pane", "open a pane about the selected object", always(PaneNames()),
		func(m *Model, arg string) tea.Cmd { m.Panes.showPane(Pane(panes.Index(arg))); return nil }, false,
	},
}

func always(args []string) func(*Keyboard) []string {
	return func(*Keyboard) []string { return args }
}

func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// Palette is the palette's content while Mode is Commanding.
func (k *Keyboard) Palette() Palette {
	p := Palette{Error: k.commandError, Suggestions: k.suggestions()}
	p.Chosen = min(max(k.chosen, 0), max(len(p.Suggestions)-1, 0))
	v, arg := verbOf(k.input.Value())
	if v != nil && arg == "" && k.chosen == atPresent {
		p.Chosen = max(slices.IndexFunc(p.Suggestions, func(s Suggestion) bool { return s.Hint == inEffect }), 0)
	}
	p.Previews = v != nil && v.name == "theme" && len(p.Suggestions) > 0
	return p
}

// inEffect is the hint of the argument that is in effect. It is chosen before the user
// chooses: the list begins where the user is.
const inEffect = "now"

// atPresent says that the user has not chosen yet.
const atPresent = -1

// aliases are other names of some verbs: k9s' short ones, and kubectl's names of the resources.
var aliases = map[string]string{
	"ns": "namespace", "namespaces": "namespace", "ctx": "context", "contexts": "context", "export": "report",
}

// verbOf splits a line into a verb and its argument.
func verbOf(line string) (v *verb, arg string) {
	name, arg, spaced := strings.Cut(strings.TrimLeft(line, " "), " ")
	name = cmp.Or(aliases[strings.ToLower(name)], name)
	for i := range verbs {
		if spaced && strings.EqualFold(verbs[i].name, name) {
			return &verbs[i], strings.TrimSpace(arg)
		}
	}
	return nil, ""
}

// suggestions are the commands that match the input, the likeliest first.
func (k *Keyboard) suggestions() []Suggestion {
	var all []Suggestion
	if v, arg := verbOf(k.input.Value()); v != nil {
		if v.args != nil {
			for _, a := range v.args(k) {
				all = append(all, v.with(a, k.argHint(v.name, a)))
			}
		}
		all = likely(all, arg, len(v.name)+1)
		if typed := v.with(arg, "as typed"); v.free && arg != "" &&
			!slices.ContainsFunc(all, func(s Suggestion) bool { return s.Text == typed.Text }) {
			at := 0
			if v.name == "namespace" { // a part of a name is completed
				at = len(all)
			}
			all = slices.Insert(all, at, typed)
		}
		return all
	}
	for _, v := range verbs { // their arguments are still missing
		text := v.name + " "
		all = append(all, Suggestion{Text: text, Hint: v.hint, run: do(func(m *Model) { m.Keyboard.command(text) })})
	}
	for _, b := range k.Keys() {
		covered := func(s Suggestion) bool { return strings.TrimSpace(s.Text) == string(b.Action) }
		if b.Context == InText || b.Action == Commands || slices.ContainsFunc(all, covered) {
			continue
		}
		s := Suggestion{Text: string(b.Action), Hint: b.Help().Desc, run: b.run}
		if keys := b.Keys(); len(keys) > 0 {
			s.Key = keys[0]
		}
		all = append(all, s)
	}
	all = likely(all, k.input.Value(), 0)
	if kind := k.typedKind(!slices.ContainsFunc(all, func(s Suggestion) bool {
		return s.begins(k.input.Value())
	})); kind != "" {
		v, arg := verbOf("filter kind=" + strings.ToLower(kind))
		s := v.with(arg, "show only "+wording.Kinds(kind))
		s.meant = true
		all = slices.Insert(all, 0, s)
	}
	return all
}

// typedKind is the kind of known objects whose name, plural or short name is typed, as k9s
// takes :pods; if part is set, also one whose name alone begins so. It is empty if there are
// none.
func (k *Keyboard) typedKind(part bool) string {
	typed := strings.ToLower(strings.TrimSpace(k.input.Value()))
	if typed == "" || aliases[typed] != "" {
		return ""
	}
	typed, group, grouped := strings.Cut(typed, ".") // deployments.apps
	seen := map[string]bool{}
	var named, begun []string
	for id := range k.facts.World.Tree.Nodes {
		if seen[id.Kind] || grouped && id.Group != group {
			continue
		}
		seen[id.Kind] = true
		kind, plural := strings.ToLower(id.Kind), strings.ToLower(wording.Kinds(id.Kind))
		switch {
		case slices.Contains([]string{kind, plural, world.ShortKind(id.Kind)}, typed):
			named = append(named, id.Kind)
		case part && strings.HasPrefix(kind, typed):
			begun = append(begun, id.Kind)
		}
	}
	for _, found := range [][]string{named, begun} {
		if len(found) == 1 {
			return found[0]
		}
	}
	return ""
}

// with is the command with an argument.
func (v *verb) with(arg, hint string) Suggestion {
	run := func(m *Model) tea.Cmd { return v.run(m, arg) }
	return Suggestion{Text: v.name + " " + arg, Hint: hint, Whole: v.name == "run", run: run}
}

// argHint describes an argument, or says that it is in effect.
func (k *Keyboard) argHint(verb, arg string) string {
	if verb == "copy" {
		if n := k.tree.selectedNode(); n != nil && arg == "name" {
			return n.ID.Name
		} else if n != nil && arg == "command" {
			return k.intake.nextCommand(n)
		}
		return ""
	}
	if verb == "run" {
		var words []string // in which an argument with blanks is seen to be one
		for _, word := range k.userCommand(arg) {
			words = append(words, wording.Quote(word))
		}
		return strings.Join(words, " ")
	}
	now := map[string]string{
		"group": string(k.tree.settings.Group), "sort": string(k.tree.settings.Sort), "context": k.intake.opt.Context,
		"pane":  PaneNames()[k.panes.pane],
		"theme": cmp.Or(k.intake.opt.Theme, "auto"),
	}[verb]
	if now != "" && now == arg {
		return inEffect
	}
	return ""
}

// likely sorts suggestions: first those whose text, after from, begins with the
// input, then those with a part that does, then those that contain it.
func likely(all []Suggestion, typed string, from int) []Suggestion {
	typed = strings.ToLower(strings.TrimSpace(typed))
	rank := func(s Suggestion) int {
		text := strings.ToLower(s.Text[from:])
		switch {
		case strings.HasPrefix(text, typed), from == 0 && aliases[typed]+" " == s.Text:
			return 0
		case filter.Initials(text, typed):
			return 1
		case strings.Contains(text, typed):
			return 2
		case strings.Contains(strings.ToLower(s.Hint), typed):
			return 3
		}
		return 4
	}
	all = slices.DeleteFunc(all, func(s Suggestion) bool { return rank(s) == 4 })
	slices.SortStableFunc(all, func(a, b Suggestion) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// otherNamespace switches to a namespace without rows. If everything in one
// namespace is followed, everything in that one is; otherwise the user has to
// agree to it.
func (m *Model) otherNamespace(name string) tea.Cmd {
	source := "--all -n " + name
	if m.Intake.opt.Fixed == "" && !slices.Equal(m.Intake.opt.Sources, []string{"--all"}) {
		m.Keyboard.mode, m.Keyboard.commandError, m.Keyboard.chosen = Commanding, "nothing here is in it", atPresent
		m.Keyboard.input.SetValue("source " + source)
		m.Keyboard.input.CursorEnd()
		return nil
	}
	return m.reopen(Other{Source: source})
}

// namespaces are those of the rows, all, and the cluster's others.
func (k *Keyboard) namespaces() []string {
	names := append(slices.Clone(k.facts.Namespaces()), "all")
	for _, ns := range k.spaces {
		if !slices.Contains(names, ns) {
			names = append(names, ns)
		}
	}
	return names
}

// proposals bounds the objects in followable.
const proposals = 400

// followable are proposals for other sources: inventories, and the objects on
// the screen.
func (k *Keyboard) followable() []string {
	out := slices.Clone(k.sources)
	for i := range k.tree.list.Refs {
		r := &k.tree.list.Refs[i]
		if r.Kind != rows.Object || len(out) >= proposals {
			continue
		}
		s := typed(*r.Node.ID)
		if ns := r.Node.ID.Namespace; ns != "" && ns != k.intake.opt.Namespace {
			s += " -n " + ns
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// previews is the theme that is chosen in the palette while its name is typed, or "".
func (k *Keyboard) previews() string {
	if k.mode != Commanding {
		return ""
	}
	if p := k.Palette(); p.Previews {
		return strings.TrimPrefix(p.Suggestions[p.Chosen].Text, "theme ")
	}
	return ""
}

// complete puts the chosen suggestion into the input.
func (k *Keyboard) complete() {
	if p := k.Palette(); len(p.Suggestions) > 0 {
		k.begin(Commanding, p.Suggestions[p.Chosen].Text)
	}
}

// begins reports whether a suggestion begins with what is typed, or is meant by it.
func (s Suggestion) begins(typed string) bool {
	typed = strings.ToLower(strings.TrimSpace(typed))
	return s.meant || strings.HasPrefix(strings.ToLower(s.Text), typed) || aliases[typed]+" " == s.Text
}

// runCommand runs the chosen suggestion, or what is typed if there is none.
func (m *Model) runCommand() tea.Cmd {
	var run func(*Model) tea.Cmd
	v, arg := verbOf(m.Keyboard.input.Value())
	switch p := m.Keyboard.Palette(); {
	case len(p.Suggestions) > 0 && p.Chosen == 0 && v == nil && !p.Suggestions[0].begins(m.Keyboard.input.Value()):
		// Text within a name is a proposal. It must not run anything.
		m.Keyboard.begin(Commanding, p.Suggestions[0].Text)
		return m.Display.answer("enter again runs " + strings.TrimSpace(p.Suggestions[0].Text))
	case len(p.Suggestions) > 0:
		run = p.Suggestions[p.Chosen].run
	case v == nil:
		m.Keyboard.commandError = "no such command, and no such kind is followed"
		return nil
	case arg == "":
		return nil
	case v.args == nil:
		run = v.with(arg, "").run
	default:
		m.Keyboard.commandError = "there is no " + v.name + " " + arg
		return nil
	}
	m.Keyboard.mode = Browsing
	return run(m)
}
