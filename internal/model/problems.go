package model

import (
	"maps"
	"slices"
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// next goes to the next problem, or in a pane with a search to the next match.
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

// reveal selects n, opening whatever hides it.
func (m Model) reveal(n *node) Model {
	if m.frozen == nil {
		for p := n.parent; p != nil; p = p.parent {
			if open, set := m.t.folds[RowKey{ID: *p.id}]; set && !open {
				delete(m.t.folds, RowKey{ID: *p.id})
			}
		}
		maps.DeleteFunc(m.t.folds, func(k RowKey, open bool) bool { return k.Kind == RowGroup && !open })
		m.t.sel, m.t.touched, m.t.home = RowKey{ID: *n.id}, true, RowKey{}
		m.t.stale = true
		m.t.arrangeRows(m.w, false)
	}
	for i := range m.t.rows {
		if m.t.rows[i].kind == RowObject && m.t.rows[i].node == n {
			was := m.t.selIndex
			m.t.selIndex = i
			m.t.sel, m.t.touched = m.t.rows[i].key(), true
			if was != i && (i < m.t.topRow(m.treeRows) || i >= m.t.topRow(m.treeRows)+m.treeRows) {
				m.t.anchor = m.treeRows / 2
			}
			break
		}
	}
	return m
}

// follow keeps the selection on the worst problem, while that is wished.
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
		if n.rank() == newest.rank() && n.since.After(newest.since) {
			newest = n
		}
	}
	if m.t.sel != (RowKey{ID: *newest.id}) {
		m = m.reveal(newest)
	}
	return m
}

// problems are what n and N jump between: the deepest rows that are not
// Current, in display order, one for each reason below one parent; after them what
// is Current and has a cause that somebody should act on.
func (m Model) problems() []*node {
	var out []*node
	var walk func(list []*node, newest *node, below bool)
	walk = func(list []*node, newest *node, below bool) {
		said := map[string]bool{}
		for _, n := range list {
			if below && m.t.group != GroupNone && m.t.group != "" && n.root != nil && !n.root.Kept {
				continue // it stands at the top: see lifts
			}
			if n.sub.problems() == 0 || (newest != nil && n.id.Kind == "ReplicaSet" && n != newest) {
				continue
			}
			if n.lead.node == n {
				if n.assess.Status != status.Current && (n.isTop() || !said[n.assess.Reason]) {
					said[n.assess.Reason] = true
					out = append(out, n)
				}
				if n.assess.Status != status.Current {
					continue
				}
			}
			kids := n.kids
			if len(n.shown) == len(n.kids) {
				kids = n.shown
			}
			walk(kids, newestRevision(n), true)
		}
	}
	top := m.w.top
	if !m.opt.Screen {
		top = nil
		for _, n := range m.w.roots {
			if n.isTop() {
				top = append(top, n)
			}
		}
	}
	walk(top, nil, false)
	return append(out, m.w.remarked()...)
}
