package model

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// copies are the parts of the selected object that can be copied.
var copies = []string{"name", "command", "reason", "yaml", "report"}

// copied copies one of them to the clipboard. An object is fetched first if
// necessary.
func (m *Model) copied(what string) tea.Cmd {
	if what == "report" {
		text, err := m.report("md")
		if err != nil {
			return m.Display.notice("error", err.Error())
		}
		return m.Display.copyText("the report", text)
	}
	n := m.Tree.selectedNode()
	if n == nil {
		return m.Display.answer("nothing is selected")
	}
	switch what {
	case "name":
		return m.Display.copyText("the name: "+n.ID.Name, n.ID.Name)
	case "command":
		next := m.Intake.nextCommand(n)
		return m.Display.copyText("the command: "+next, next)
	case "reason":
		return m.Display.copyText("the reason", m.Intake.reasonOf(n))
	}
	if n.Object == nil {
		return m.Display.answer("nothing is selected that is there")
	}
	text, load := m.Panes.yaml.Copy(n)
	if load != nil {
		m.Display.answer("fetching the object")
		return load
	}
	return m.Display.copyText("the YAML", text)
}

// beginCopy waits for the digit of a command to copy. Where there is none, the key
// shows the YAML, as it does in k9s. Where the commands are not on the screen, the
// answer names them.
func (m *Model) beginCopy() tea.Cmd {
	steps := m.selectedSteps()
	if len(steps) == 0 {
		m.Panes.showPane(PaneYAML)
		return nil
	}
	m.Keyboard.copying = true
	if m.Panes.shows(PaneWhy) {
		last := ""
		if n := len(steps); n > 1 {
			last = " to y" + strconv.Itoa(n)
		}
		return m.Display.answer("y1" + last + " copies a command, yy shows the YAML")
	}
	keys := []string{"yy shows the YAML"}
	for i, s := range steps {
		keys = append(keys, "y"+strconv.Itoa(i+1)+" "+s.Command)
	}
	return m.Display.answer(strings.Join(keys, "  "))
}

// copyStep copies the command whose digit is pressed. It reports whether the key
// was meant for it.
func (m *Model) copyStep(key string) (bool, tea.Cmd) {
	steps := m.selectedSteps()
	switch no, err := strconv.Atoi(key); {
	case key == "y":
		m.Panes.showPane(PaneYAML)
		return true, nil
	case key == "esc":
		return true, nil
	case err != nil || no < 1:
		return false, nil
	case no > len(steps):
		return true, m.Display.answer("there is no command " + key)
	default:
		what := "the command: "
		if steps[no-1].Mutates {
			what = "a command that changes the cluster: "
		}
		return true, m.Display.copyText(what+steps[no-1].Command, steps[no-1].Command)
	}
}

// selectedSteps are the commands to copy for the selected row.
func (m *Model) selectedSteps() []known.NextStep {
	if n := m.Tree.selectedNode(); n != nil {
		return m.Facts.NextSteps(m.Facts.CausesOf(*n.ID), *n.ID)
	}
	return m.Facts.NextSteps(m.Facts.Causes(), object.ID{})
}

// copyText puts text into the terminal's clipboard.
func (t *Display) copyText(what, text string) tea.Cmd {
	t.answer("copied " + what)
	return tea.SetClipboard(text)
}

// nextCommand is the next step of an object's first cause, or a command that
// shows the object.
func (f *Intake) nextCommand(n *world.Node) string {
	for _, c := range f.facts.CausesOf(*n.ID) {
		if steps := c.StepsFor(*n.ID); len(steps) > 0 {
			return steps[0].Command
		}
	}
	command := "kubectl"
	if n.ID.Namespace != "" {
		command += " -n " + wording.Quote(n.ID.Namespace)
	}
	return command + " describe " + wording.Quote(typed(*n.ID))
}

// typed is an object's name on the command line: TYPE.GROUP/NAME.
func typed(id object.ID) string {
	return strings.TrimSuffix(strings.ToLower(id.Kind)+"."+id.Group, ".") + "/" + id.Name
}

// reasonOf says why an object is not Current, in a few lines.
func (f *Intake) reasonOf(n *world.Node) string {
	a := n.Assess
	parts := []string{n.ID.String(), string(a.Status), a.Reason, a.Message}
	lines := []string{strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")}
	for _, c := range f.facts.CausesOf(*n.ID) {
		lines = append(lines, strings.TrimSuffix(c.Title+": "+c.Detail, ": "))
	}
	return strings.Join(lines, "\n")
}
