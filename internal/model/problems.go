package model

import (
	"maps"
	"slices"
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// next moves to the next problem, or in a pane with a search to the next match.
func (m Model) next(by int) Model {
	if m.focus == FocusPane && m.search.Text != "" {
		m.search.Step += by
		m.search.Left = false
		return m
	}
	problems := m.problems()
	if len(problems) == 0 {
		return m.say("no problem")
	}
	at := -1
	if r := m.selectedRow(); r != nil && r.node != nil && r.kind == RowObject {
		at = slices.Index(problems, r.node)
	}
	switch {
	case at >= 0:
		at = (at + by + len(problems)) % len(problems)
	case by < 0:
		at = len(problems) - 1
	default:
		at = 0
	}
	m = m.reveal(problems[at])
	return m.say("problem " + strconv.Itoa(at+1) + " of " + strconv.Itoa(len(problems)))
}

// reveal selects n, and opens its ancestors.
func (m Model) reveal(n *world.Node) Model {
	if m.frozen == nil {
		for p := n.Parent; p != nil; p = p.Parent {
			if open, set := m.t.folds[RowKey{ID: *p.ID}]; set && !open {
				delete(m.t.folds, RowKey{ID: *p.ID})
			}
		}
		maps.DeleteFunc(m.t.folds, func(k RowKey, open bool) bool { return k.Kind == RowGroup && !open })
		m.t.sel, m.t.touched, m.t.home = RowKey{ID: *n.ID}, true, RowKey{}
		m.t.stale = true
		m.t.arrangeRows(m.w, false)
	}
	for i := range m.t.rows {
		if m.t.rows[i].kind == RowObject && m.t.rows[i].node == n {
			was := m.t.selIndex
			m.t.selIndex = i
			m.t.sel, m.t.touched = m.t.rows[i].key(), true
			if was != i && (i < m.t.topRow(m.fit.TreeRows) || i >= m.t.topRow(m.fit.TreeRows)+m.fit.TreeRows) {
				m.t.anchor = m.fit.TreeRows / 2
			}
			break
		}
	}
	return m
}

// follow keeps the selection on the worst problem, if that is switched on.
func (m Model) follow() Model {
	if !m.following {
		return m
	}
	p := m.problems()
	if len(p) == 0 {
		return m
	}
	newest := p[0]
	for _, n := range p {
		if n.Rank() == newest.Rank() && n.Since.After(newest.Since) {
			newest = n
		}
	}
	if m.t.sel != (RowKey{ID: *newest.ID}) {
		m = m.reveal(newest)
	}
	return m
}

// problems are the nodes that n and N move between: the deepest ones that are
// not Current, in display order, one per reason below each parent; then Current
// ones with a cause that needs action.
func (m Model) problems() []*world.Node {
	var out []*world.Node
	var walk func(list []*world.Node, newest *world.Node, below bool)
	walk = func(list []*world.Node, newest *world.Node, below bool) {
		said := map[string]bool{}
		for _, n := range list {
			if below && m.t.group != GroupNone && m.t.group != "" && n.Root != nil && !n.Root.Kept {
				continue // its row is at the top: see lifts
			}
			if n.Sub.Problems() == 0 || (newest != nil && n.ID.Kind == "ReplicaSet" && n != newest) {
				continue
			}
			if n.Lead.Node == n {
				if n.Assess.Status != status.Current && (n.IsTop() || !said[n.Assess.Reason]) {
					said[n.Assess.Reason] = true
					out = append(out, n)
				}
				if n.Assess.Status != status.Current {
					continue
				}
			}
			kids := n.Kids
			if len(n.Shown) == len(n.Kids) {
				kids = n.Shown
			}
			walk(kids, world.NewestRevision(n), true)
		}
	}
	top := m.w.Top
	if !m.opt.Screen {
		top = nil
		for _, n := range m.w.Roots {
			if n.IsTop() {
				top = append(top, n)
			}
		}
	}
	walk(top, nil, false)
	return append(out, m.w.Remarked()...)
}
