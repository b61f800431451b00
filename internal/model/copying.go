package model

import (
	"strings"
)

func (m Model) copyName() (Model, []Cmd) {
	r := m.selectedRow()
	if r == nil || r.node == nil {
		return m, nil
	}
	return m, []Cmd{tell(CopyAsked{What: "the name", Text: r.node.id.Name})}
}

func (m Model) copyNext() (Model, []Cmd) {
	r := m.selectedRow()
	if r == nil || r.node == nil {
		return m, nil
	}
	for _, c := range m.CausesOf(r.node.id) {
		if len(c.Next) > 0 {
			return m, []Cmd{tell(CopyAsked{What: "the command", Text: c.Next[0]})}
		}
	}
	id := r.node.id
	text := "kubectl"
	if id.Namespace != "" {
		text += " -n " + id.Namespace
	}
	kind := strings.ToLower(id.Kind)
	if id.Group != "" {
		kind += "." + id.Group
	}
	return m, []Cmd{tell(CopyAsked{What: "the command", Text: text + " describe " + kind + "/" + id.Name})}
}
