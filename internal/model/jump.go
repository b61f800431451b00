package model

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// UserCommand is a command of the configuration file, as k9s' plugins are: a program and
// its arguments, in which {name}, {namespace}, {kind}, {group} and {context} stand for the
// selected object's. There is no shell in between: a name is an argument and nothing else.
type UserCommand struct {
	Name  string
	Key   string   // "" if only the palette has it
	Kinds []string // none means every kind
	Run   []string
}

// Leave asks the screen to give the terminal to another program until that ends.
type Leave struct {
	Run []string
	// Name and Text are a file for it, which is written before and removed afterwards;
	// with a file and no program the user's pager or editor reads it.
	Name, Text string
}

// Returned says that the other program has ended.
type Returned struct{ Err error }

// leave asks the screen for a program.
func leave(what Leave) tea.Cmd { return func() tea.Msg { return what } }

// fitting are the user's commands for an object.
func (k *Keyboard) fitting() (all []UserCommand) {
	n := k.tree.selectedNode()
	for _, c := range k.intake.opt.Commands {
		if n != nil && (len(c.Kinds) == 0 || slices.ContainsFunc(c.Kinds,
			func(kind string) bool { return strings.EqualFold(kind, n.ID.Kind) })) {
			all = append(all, c)
		}
	}
	return all
}

// line is the command for an object.
func (c *UserCommand) line(id object.ID, context string) (run []string) {
	values := strings.NewReplacer("{name}", id.Name, "{namespace}",
		id.Namespace, "{kind}", id.Kind, "{group}", id.Group, "{context}", context)
	for _, word := range c.Run {
		run = append(run, values.Replace(word))
	}
	return run
}

// userCommand is the user's command with a name for the selected object: what it runs; nil
// if there is none.
func (k *Keyboard) userCommand(name string) []string {
	for _, c := range k.fitting() {
		if c.Name == name {
			return c.line(*k.tree.selectedNode().ID, k.intake.opt.Context)
		}
	}
	return nil
}

// offersCommand opens the palette with the user's command that a key is bound to. Enter
// runs it: until then it can be read.
func (k *Keyboard) offersCommand(key string) bool {
	for _, c := range k.fitting() {
		if c.Key == key && k.mode == Browsing {
			k.command("run " + c.Name)
			return true
		}
	}
	return false
}

// runUserCommand leaves the screen for a command of the user's.
func (m *Model) runUserCommand(name string) tea.Cmd {
	run := m.Keyboard.userCommand(name)
	if run == nil {
		return m.Display.answer("no command of the configuration is for this")
	}
	return leave(Leave{Run: run})
}

// openK9s leaves the screen for k9s at the selected object.
func openK9s(m *Model) tea.Cmd {
	n := m.Tree.selectedNode()
	switch {
	case n == nil:
		return m.Display.answer("nothing is selected")
	case m.Intake.opt.Recording != "" || m.Intake.opt.Still:
		return m.Display.answer("this is no living cluster")
	}
	run := []string{"k9s"}
	if m.Intake.opt.Context != "" {
		run = append(run, "--context", m.Intake.opt.Context)
	}
	if n.ID.Namespace != "" {
		run = append(run, "--namespace", n.ID.Namespace)
	}
	// k9s' command line takes a kind and, behind a slash, what its rows must match.
	return leave(Leave{Run: append(run, "--command", strings.ToLower(n.ID.Kind)+" /"+n.ID.Name)})
}

// viewYAML leaves the screen for the user's pager with a copy of the selected object.
func viewYAML(m *Model) tea.Cmd {
	n := m.Tree.selectedNode()
	if n == nil || n.Object == nil {
		return m.Display.answer("nothing is selected that is there")
	}
	id := *n.ID
	m.Display.answer("fetching the object")
	return m.Intake.ask.view(id)
}
