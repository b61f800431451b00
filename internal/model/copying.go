package model

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// copies are the parts of the selected object that can be copied.
var copies = []string{"name", "command", "reason", "yaml", "report"}

// copied copies one of them to the clipboard.
func (m Model) copied(what string) (Model, tea.Cmd) {
	switch what {
	case "name":
		return m.copyName()
	case "command":
		return m.copyNext()
	case "reason":
		return m.copyReason()
	case "yaml":
		return m.copyYAML()
	}
	return m.copyReport()
}

func (m Model) copyName() (Model, tea.Cmd) {
	n := m.seenNode()
	if n == nil {
		return m.say("nothing is selected"), nil
	}
	return m.copyText("the name: "+n.ID.Name, n.ID.Name)
}

// copyNext copies the next step of the object's first cause, or a command that
// shows the object.
func (m Model) copyNext() (Model, tea.Cmd) {
	n := m.seenNode()
	if n == nil {
		return m.say("nothing is selected"), nil
	}
	next := m.nextCommand(n)
	return m.copyText("the command: "+next, next)
}

func (m Model) nextCommand(n *world.Node) string {
	for _, c := range m.CausesOf(*n.ID) {
		if len(c.Next) > 0 {
			return c.Next[0]
		}
	}
	command := "kubectl"
	if n.ID.Namespace != "" {
		command += " -n " + explain.Quote(n.ID.Namespace)
	}
	return command + " describe " + explain.Quote(typed(*n.ID))
}

// typed is an object's name on the command line: TYPE.GROUP/NAME.
func typed(id object.ID) string {
	kind := strings.ToLower(id.Kind)
	if id.Group != "" {
		kind += "." + id.Group
	}
	return kind + "/" + id.Name
}

// copyReason copies why the object is not Current, in a few lines.
func (m Model) copyReason() (Model, tea.Cmd) {
	n := m.seenNode()
	if n == nil {
		return m.say("nothing is selected"), nil
	}
	a := n.Assess
	parts := []string{n.ID.String(), string(a.Status), a.Reason, a.Message}
	lines := []string{strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")}
	for _, c := range m.CausesOf(*n.ID) {
		line := c.Title
		if c.Detail != "" {
			line += ": " + c.Detail
		}
		lines = append(lines, line)
	}
	return m.copyText("the reason", strings.Join(lines, "\n"))
}

// copyYAML copies the whole object, and fetches it first if necessary.
func (m Model) copyYAML() (Model, tea.Cmd) {
	n := m.seenNode()
	if n == nil || n.Object == nil {
		return m.say("nothing is selected that is there"), nil
	}
	if m.detail.id == *n.ID && len(m.detail.lines) > 0 && m.detail.version == n.Object.ResourceVersion {
		return m.copyDetail()
	}
	m.detail = detailState{gen: m.detail.gen + 1, id: *n.ID, version: n.Object.ResourceVersion, loading: true, clip: true}
	return m.say("fetching the object"), m.ask.loadDetail(*n.ID, m.detail.gen)
}

// copyDetail copies the loaded detail.
func (m Model) copyDetail() (Model, tea.Cmd) {
	return m.copyText("the YAML", strings.Join(m.detail.lines, "\n")+"\n")
}
