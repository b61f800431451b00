package model

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// copies are the parts of the selected object that can be copied.
var copies = []string{"name", "command", "reason", "yaml", "report"}

// copied copies one of them to the clipboard. An object is fetched first if
// necessary.
func (m Model) copied(what string) tea.Cmd {
	if what == "report" {
		text, err := m.report("md")
		if err != nil {
			return m.notice("error", err.Error())
		}
		return m.copyText("the report", text)
	}
	n := m.selectedNode()
	if n == nil {
		return m.say("nothing is selected")
	}
	switch what {
	case "name":
		return m.copyText("the name: "+n.ID.Name, n.ID.Name)
	case "command":
		next := m.nextCommand(n)
		return m.copyText("the command: "+next, next)
	case "reason":
		return m.copyText("the reason", m.reasonOf(n))
	}
	if n.Object == nil {
		return m.say("nothing is selected that is there")
	}
	text, load := m.yaml.copy(n)
	if load != nil {
		m.say("fetching the object")
		return load
	}
	return m.copyText("the YAML", text)
}

// fetched copies the object that was fetched for the clipboard.
func (m Model) fetched(err error) tea.Cmd {
	if err != nil {
		return m.say("cannot copy: " + err.Error())
	}
	return m.copyText("the YAML", m.yaml.text)
}

// copyText puts text into the terminal's clipboard.
func (t *terminal) copyText(what, text string) tea.Cmd {
	t.say("copied " + what)
	return tea.SetClipboard(text)
}

// nextCommand is the next step of an object's first cause, or a command that
// shows the object.
func (f *facts) nextCommand(n *world.Node) string {
	for _, c := range f.CausesOf(*n.ID) {
		if len(c.Next) > 0 {
			return c.Next[0]
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
func (f *facts) reasonOf(n *world.Node) string {
	a := n.Assess
	parts := []string{n.ID.String(), string(a.Status), a.Reason, a.Message}
	lines := []string{strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")}
	for _, c := range f.CausesOf(*n.ID) {
		lines = append(lines, strings.TrimSuffix(c.Title+": "+c.Detail, ": "))
	}
	return strings.Join(lines, "\n")
}
