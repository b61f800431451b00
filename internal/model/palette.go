package model

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Suggestion is a line of the palette: a command to choose.
type Suggestion struct {
	Text string // the whole command
	Hint string // what it does
	Key  string // a key with the same effect, or ""
}

// Palette is the content of the palette.
type Palette struct {
	Suggestions []Suggestion
	Chosen      int    // index in Suggestions
	Error       string // why the command is not possible
}

// verb is a command of the palette with an argument.
type verb struct {
	name, hint string
	args       func(k *keyboard) []string // completions; nil if anything is valid
	run        func(m Model, arg string) tea.Cmd
	free       bool // args are only proposals
}

// verbs are the commands with an argument. All actions of the table of keys are
// commands without one.
var verbs = []verb{
	{
		"filter", "show only what matches, as with /", nil,
		func(m Model, arg string) tea.Cmd { m.setFilter(arg); return nil }, false,
	},
	{
		"namespace", "show only one namespace, or all", func(m *keyboard) []string { return append(m.Namespaces(), "all") },
		func(m Model, arg string) tea.Cmd {
			if arg == "all" {
				m.setFilter("")
			} else {
				m.setFilter("ns=" + arg)
			}
			return nil
		}, false,
	},
	{
		"group", "put the rows together", func(*keyboard) []string { return words(Groupings) },
		func(m Model, arg string) tea.Cmd { return m.say(m.groupBy(Grouping(arg))) }, false,
	},
	{
		"sort", "the order of the rows", func(*keyboard) []string { return words(Sortings) },
		func(m Model, arg string) tea.Cmd { return m.say(m.sortBy(Sorting(arg), m.reversed)) }, false,
	},
	{
		"report", "save what has been found, as a file", func(*keyboard) []string { return []string{"md", "json", "svg"} },
		func(m Model, arg string) tea.Cmd { return m.saveReport(arg) }, false,
	},
	{
		"copy", "put something into the clipboard", func(*keyboard) []string { return copies },
		func(m Model, arg string) tea.Cmd { return m.copied(arg) }, false,
	},
	{
		"context", "follow the same in another context", func(m *keyboard) []string { return m.opt.Contexts },
		func(m Model, arg string) tea.Cmd { return m.reopen(Other{Context: arg}) }, false,
	},
	{
		"source", "follow something else, named as on the command line", (*keyboard).followable,
		func(m Model, arg string) tea.Cmd { return m.reopen(Other{Source: arg}) }, true,
	},
	{
		"theme", "the colours", func(m *keyboard) []string { return m.opt.Themes },
		func(m Model, arg string) tea.Cmd {
			m.theme = arg
			return m.say("theme " + arg)
		}, false,
	},
	{
		"pane", "what to see of the selected object", func(*keyboard) []string { return PaneNames[:] },
		func(m Model, arg string) tea.Cmd {
			i := slices.IndexFunc(PaneNames[:], func(s string) bool { return strings.EqualFold(s, arg) })
			m.showPane(Pane(i))
			return nil
		}, false,
	},
}

func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// Palette is the palette's content while Mode is Commanding.
func (k *keyboard) Palette() Palette {
	p := Palette{Error: k.commandError, Suggestions: k.suggestions()}
	p.Chosen = min(max(k.chosen, 0), max(len(p.Suggestions)-1, 0))
	return p
}

// aliases are k9s' short names of some verbs.
var aliases = map[string]string{"ns": "namespace", "ctx": "context", "export": "report"}

// verbOf splits a line into a verb and its argument.
func verbOf(line string) (v *verb, arg string) {
	name, arg, spaced := strings.Cut(strings.TrimLeft(line, " "), " ")
	name = cmp.Or(aliases[name], name)
	for i := range verbs {
		if spaced && verbs[i].name == name {
			return &verbs[i], strings.TrimSpace(arg)
		}
	}
	return nil, ""
}

// suggestions are the commands that match the input, the likeliest first.
func (k *keyboard) suggestions() []Suggestion {
	line := strings.ToLower(strings.TrimLeft(k.input.Value(), " "))
	if v, arg := verbOf(line); v != nil {
		var all []Suggestion
		if v.args != nil {
			for _, a := range v.args(k) {
				all = append(all, Suggestion{Text: v.name + " " + a, Hint: k.argHint(v.name, a)})
			}
		}
		all = likely(all, arg, len(v.name)+1)
		if _, as := verbOf(k.input.Value()); v.free && as != "" && !slices.ContainsFunc(all, func(s Suggestion) bool { return s.Text == v.name+" "+as }) {
			all = slices.Insert(all, 0, Suggestion{Text: v.name + " " + as, Hint: "as typed"})
		}
		return all
	}
	var all []Suggestion
	for _, v := range verbs {
		all = append(all, Suggestion{Text: v.name + " ", Hint: v.hint})
	}
	for _, b := range k.Keys() {
		if b.Context == InText || b.Context == InHelp || hasVerb(b.Action) || slices.ContainsFunc(all, func(s Suggestion) bool { return s.Text == string(b.Action) }) {
			continue
		}
		s := Suggestion{Text: string(b.Action), Hint: b.Help().Desc}
		if keys := b.Keys(); len(keys) > 0 {
			s.Key = keys[0]
		}
		all = append(all, s)
	}
	return likely(all, line, 0)
}

// argHint describes an argument, or says that it is in effect.
func (k *keyboard) argHint(verb, arg string) string {
	if verb == "copy" {
		if n := k.seenNode(); n != nil && arg == "name" {
			return n.ID.Name
		} else if n != nil && arg == "command" {
			return k.nextCommand(n)
		}
		return ""
	}
	now := map[string]string{
		"group": string(cmp.Or(k.tree.group, GroupNone)), "sort": string(cmp.Or(k.tree.sort, SortProblems)), "context": k.opt.Context, "pane": PaneNames[k.pane],
	}[verb]
	if now != "" && now == arg {
		return "now"
	}
	return ""
}

// hasVerb reports whether an action is covered by a verb, which takes its
// argument.
func hasVerb(a Action) bool {
	return a == Commands || slices.ContainsFunc(verbs, func(v verb) bool { return v.name == string(a) })
}

// likely sorts suggestions: first those whose text, after from, begins with the
// input, then those with a part that does, then those that contain it.
func likely(all []Suggestion, typed string, from int) []Suggestion {
	typed = strings.TrimSpace(typed)
	rank := func(s Suggestion) int {
		text := strings.ToLower(s.Text[from:])
		switch {
		case strings.HasPrefix(text, typed), from == 0 && aliases[typed]+" " == s.Text:
			return 0
		case initials(text, typed):
			return 1
		case strings.Contains(text, typed):
			return 2
		case contains(s.Hint, typed):
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
// name a source.
func (m Model) otherNamespace(name string) tea.Cmd {
	source := "--all -n " + name
	if !slices.Equal(m.opt.Sources, []string{"--all"}) {
		m.commandError = "nothing here is in it; :source " + source
		return nil
	}
	m.mode = Browsing
	return m.reopen(Other{Source: source})
}

// proposals bounds the objects in followable.
const proposals = 400

// followable are proposals for other sources: inventories, and the objects on
// the screen.
func (k *keyboard) followable() []string {
	out := slices.Clone(k.sources)
	for i := range k.tree.rows {
		r := &k.tree.rows[i]
		if r.kind != RowObject || len(out) >= proposals {
			continue
		}
		s := typed(*r.node.ID)
		if ns := r.node.ID.Namespace; ns != "" && ns != k.opt.Namespace {
			s += " -n " + ns
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// complete puts the chosen suggestion into the input.
func (k *keyboard) complete() {
	if p := k.Palette(); len(p.Suggestions) > 0 {
		k.begin(Commanding, p.Suggestions[p.Chosen].Text)
	}
}

// runCommand runs the chosen suggestion, or the input if there is none.
func (m Model) runCommand() tea.Cmd {
	line := strings.TrimSpace(m.input.Value())
	if p := m.Palette(); len(p.Suggestions) > 0 {
		line = p.Suggestions[p.Chosen].Text
	}
	if line == "" {
		m.mode = Browsing
		return nil
	}
	if v, arg := verbOf(line); v != nil {
		switch {
		case arg == "" && line != m.input.Value():
			m.complete() // its argument is still missing
			return nil
		case arg == "" && v.args != nil:
			return nil
		case v.args != nil && !v.free && !slices.Contains(v.args(m.keyboard), arg):
			if v.name == "namespace" {
				return m.otherNamespace(arg)
			}
			m.commandError = "there is no " + v.name + " " + arg
			return nil
		}
		m.mode = Browsing
		return v.run(m, arg)
	}
	for _, b := range m.Keys() {
		if string(b.Action) == line && b.Context != InText {
			m.mode = Browsing
			return m.act(b.Action)
		}
	}
	m.commandError = "no such command"
	return nil
}
