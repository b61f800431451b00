package model

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// loadPane requests the data that the open pane lacks.
func (m Model) loadPane() (Model, tea.Cmd) {
	var cmds tea.Cmd
	n := m.seenNode()
	if m.pane == PaneYAML && n != nil && n.Object != nil && m.paneOpen() {
		if m.detail.id != *n.ID || (!m.detail.loading && m.detail.version != n.Object.ResourceVersion && m.w.Now.Sub(m.detail.at) >= time.Second) {
			if m.detail.id != *n.ID {
				m.detail = detailState{gen: m.detail.gen}
				m.scroll[PaneYAML] = 0
				m.yamlLine, m.yamlLoose = 0, false
			}
			m.detail.gen++
			m.detail.id, m.detail.version, m.detail.loading = *n.ID, n.Object.ResourceVersion, true
			cmds = m.ask.loadDetail(*n.ID, m.detail.gen)
		}
	}
	if m.pane == PaneLogs && n != nil && m.paneOpen() {
		var more tea.Cmd
		m, more = m.loadLogs(n)
		cmds = tea.Batch(cmds, more)
	} else if m.logs.open {
		// The pane is closed: end the streams.
		m.logs = logState{gen: m.logs.gen + 1, follow: true}
		m.wants.dirty = true
	}
	return m, cmds
}

// paneOpen reports whether the pane is on the screen.
func (m Model) paneOpen() bool {
	return m.width >= sideBySide || m.paneSize != PaneNormal
}

// topConditions are the conditions that summarise an object, in order of
// precedence.
var topConditions = []string{"Ready", "Available", "Succeeded", "Complete", "Established", "Healthy", "Synced", "Programmed", "Accepted", "Bound"}

// polarity is the polarity of a condition type on an object's kind.
func (m Model) polarity(o *object.Object, typ string) (p status.Polarity, by status.Confidence) {
	if typ == "Progressing" && o.Group == "apps" {
		return status.NormalTrue, status.Exact // a Deployment's Progressing stays True after success
	}
	return status.PolarityFor(o, m.opt.Rules, typ)
}

// ConditionsOf are an object's conditions, the summarising one first.
func (m Model) ConditionsOf(id object.ID) []ConditionRow {
	n := m.seen().Nodes[id]
	if n == nil || n.Object == nil {
		return nil
	}
	top := -1
	for _, t := range topConditions {
		if top = slices.IndexFunc(n.Object.Conditions, func(c object.Condition) bool { return c.Type == t }); top >= 0 {
			break
		}
	}
	rows := make([]ConditionRow, 0, len(n.Object.Conditions))
	for i, c := range n.Object.Conditions {
		r := ConditionRow{Condition: c, Top: i == top, Deciding: i == n.Assess.Deciding}
		r.Polarity, r.KnownBy = m.polarity(n.Object, c.Type)
		switch r.Polarity {
		case status.NormalTrue:
			r.Good = c.Status == "True"
		case status.AbnormalTrue:
			r.Good = c.Status == "False"
		default:
			r.Good = true
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b ConditionRow) int {
		return cmp.Or(-cmpBool(a.Top, b.Top), -cmpBool(a.Deciding, b.Deciding))
	})
	return rows
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Conditions are the selected object's conditions, the summarising one first.
func (m Model) Conditions() []ConditionRow {
	if n := m.seenNode(); n != nil {
		return m.ConditionsOf(*n.ID)
	}
	return nil
}

// Timeline returns the history of the selected object and its descendants (of
// everything if none is selected), oldest first.
func (m Model) Timeline() []world.Transition {
	w := m.seen()
	of := w.HistoryBelow(m.timelineOf())
	var out []world.Transition
	for i := range w.History.Len() {
		if t := w.History.At(i); of(t.ID) {
			out = append(out, t)
		}
	}
	return out
}

// History returns the whole history in memory, oldest first.
func (m Model) History() []world.Transition {
	out := make([]world.Transition, m.w.History.Len())
	for i := range out {
		out[i] = m.w.History.At(i)
	}
	return out
}

// HistoryOf returns one object's own history, oldest first.
func (m Model) HistoryOf(id object.ID) []world.Transition {
	var out []world.Transition
	for i := range m.seen().History.Len() {
		if t := m.seen().History.At(i); t.ID == id {
			out = append(out, t)
		}
	}
	return out
}

// Notices are the newest messages that are not about an object, oldest first.
func (m Model) Notices() []feed.Notice {
	out := make([]feed.Notice, m.seen().Notices.Len())
	for i := range out {
		out[i] = m.seen().Notices.At(i)
	}
	return out
}
