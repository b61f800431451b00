package model

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// wanting is what has been asked of the feed, and what is to be asked next.
type wanting struct {
	sent     feed.Wants
	children []*node     // those whose children are followed
	ids      []object.ID // of children; nil when they have changed
	dirty    bool        // something may have to be asked
	expire   bool        // a tick: what has been well for long may be let go
	at       time.Time
	dropAt   time.Time
}

const (
	// eventsWanted and refsWanted bound how many objects' events, and which
	// other objects, are asked for.
	eventsWanted = 300
	refsWanted   = 200
	// patience is how long wishes that nobody waits for are held back, so that
	// a busy rollout does not send one with every batch.
	patience = 250 * time.Millisecond
	// wellFor is how long something must have been Current before its children
	// are let go.
	wellFor = 30 * time.Second
)

// want compares what is wanted with what was asked for last, and asks anew
// where that differs.
func (m Model) want() (Model, []Cmd) {
	w := m.w
	if w.wantsChanged {
		w.wantsChanged = false
		m.wants.dirty = true
	}
	grown := m.wantChildren()
	if m.wants.expire {
		m.wants.expire = false
		m = m.dropChildren()
	}
	if !grown && (!m.wants.dirty || (m.wants.sent.Gen > 0 && w.now.Sub(m.wants.at) < m.patience())) {
		return m, nil
	}
	m.wants.dirty = false
	m.wants.at = w.now
	next := feed.Wants{Gen: m.wants.sent.Gen + 1}
	if m.wants.ids == nil {
		m.wants.ids = make([]object.ID, len(m.wants.children))
		for i, n := range m.wants.children {
			m.wants.ids[i] = *n.id
		}
	}
	next.Children = m.wants.ids
	next.Events = m.wantEvents()
	next.Refs = m.wantRefs()
	if m.logs.open {
		for i := range m.logs.streams {
			if s := &m.logs.streams[i]; !s.ended {
				next.Logs = append(next.Logs, s.key)
			}
		}
	}
	if m.opt.Screen && !m.Synced() {
		top := m.t.topRow(m.treeRows)
		for i := top; i < min(top+m.treeRows, len(m.t.rows)); i++ {
			if n := m.t.rows[i].node; n != nil && m.t.rows[i].kind == RowObject {
				next.Visible = append(next.Visible, *n.id)
			}
		}
	}
	if sameWants(&next, &m.wants.sent) {
		return m, nil
	}
	for _, n := range m.wants.children {
		if n.wanted == asked {
			n.wanted = next.Gen
			m.w.awaited = append(m.w.awaited, n)
		}
	}
	m.wants.sent = next
	return m, []Cmd{sendWants(next)}
}

// asked marks a node whose children are about to be asked for.
const asked = 1<<64 - 1

func (m Model) patience() time.Duration {
	if m.opt.Screen {
		return patience
	}
	return patience / 5
}

func sameWants(a, b *feed.Wants) bool {
	return sameSlice(a.Children, b.Children) && slices.Equal(a.Events, b.Events) &&
		slices.Equal(a.Logs, b.Logs) && slices.Equal(a.Refs, b.Refs) && slices.Equal(a.Visible, b.Visible)
}

// sameSlice is slices.Equal, at once where both are one.
func sameSlice[T comparable](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// wantChildren takes in the parents whose children are wanted from now on.
func (m *Model) wantChildren() bool {
	w := m.w
	if m.opt.Children == ChildrenNone || w.replayed() { // a recording has what it has
		w.candidates = nil
		return false
	}
	grown := false
	consider := func(n *node) {
		if n.wanted != 0 || n.obj == nil || w.nodes[*n.id] != n {
			return
		}
		if p := n.parent; p != nil && p.obj != nil && p.wanted != 0 && edges.Covered(p.obj, n.obj) {
			return
		}
		if len(edges.Needs(n.obj)) == 0 {
			return
		}
		n.wanted = asked
		m.wants.children, m.wants.ids = append(m.wants.children, n), nil
		grown = true
	}
	// Parents first: what they find covers some of their children's needs.
	slices.SortStableFunc(w.candidates, func(a, b *node) int { return a.depth() - b.depth() })
	later := w.candidates[:0]
	for _, n := range w.candidates {
		if !n.inTree && n.obj != nil && w.nodes[*n.id] == n {
			later = append(later, n)
			continue
		}
		if m.opt.Children == ChildrenAll || n.assess.Status != status.Current || status.NeedsChildren(n.obj) {
			consider(n)
		}
	}
	clear(w.candidates[len(later):])
	w.candidates = later
	if m.opt.Screen && m.opt.Children == ChildrenAuto {
		for k, open := range m.t.folds {
			if n := w.nodes[k.ID]; open && k.Kind == RowObject && n != nil {
				consider(n)
			}
		}
		if n := m.selectedNode(); n != nil && (m.pane == PaneWhy || m.pane == PaneEvents || m.pane == PaneLogs) {
			consider(n)
		}
	}
	return grown
}

// dropChildren lets go of children whose parents have been well for a while
// and are not looked at.
func (m Model) dropChildren() Model {
	if m.opt.Children == ChildrenAll || m.w.replayed() || m.w.now.Sub(m.wants.dropAt) < wellFor/6 {
		return m
	}
	m.wants.dropAt = m.w.now
	sel := m.selectedNode()
	kept := slices.DeleteFunc(m.wants.children, func(n *node) bool {
		if m.w.nodes[*n.id] != n || n.obj == nil {
			return true
		}
		if n.currentAt == 0 || m.w.now.Sub(n.current()) < wellFor || n.sub.problems() > 0 || status.NeedsChildren(n.obj) ||
			m.t.folds[RowKey{ID: *n.id}] || (sel != nil && sel.below(n)) {
			return false
		}
		n.wanted = 0
		return true
	})
	if len(kept) != len(m.wants.children) {
		m.wants.dirty, m.wants.ids = true, nil
	}
	m.wants.children = kept
	return m
}

// wantRefs are the objects that a judgement or an explanation looks up, and
// that need not be followed.
func (m Model) wantRefs() []object.ID {
	ids := m.x.refs(m.w, refsWanted)
	for id := range m.w.dependents {
		ids = append(ids, id)
	}
	if m.t.volumes {
		ids = append(ids, attachments)
	}
	slices.SortFunc(ids, object.ID.Compare)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), refsWanted)]
}

// wantEvents are the objects whose events are wanted: the selected one with
// its descendants, and whatever is not Current, worst first.
func (m Model) wantEvents() []object.ID {
	list := m.w.worstOpen(eventsWanted)
	add := func(n *node) bool {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
		return len(list) < eventsWanted
	}
	for _, x := range m.x.needs {
		if n := m.w.nodes[x.ID]; x.Events && n != nil && len(list) < eventsWanted {
			add(n)
		}
	}
	if m.opt.Screen {
		if n := m.selectedNode(); n != nil {
			list = list[:min(len(list), eventsWanted/2)]
			walkNodes(n, add)
		}
	}
	ids := make([]object.ID, len(list))
	for i, n := range list {
		ids[i] = *n.id
	}
	slices.SortFunc(ids, object.ID.Compare)
	return ids
}

// worstOpen are the first of what is not Current, the worst first. Where that is
// more than are asked for, the same are for as long as they are open, or for
// worstFor: finding out which they are goes through all.
func (w *world) worstOpen(most int) []*node {
	if len(w.open) > most && w.now.Sub(w.worstAt) < worstFor {
		w.worst = slices.DeleteFunc(w.worst, func(n *node) bool {
			_, open := w.open[n]
			return !open
		})
		return slices.Clone(w.worst)
	}
	byWorst := func(a, b *node) int {
		if c := a.rank() - b.rank(); c != 0 {
			return c
		}
		return byID(a, b)
	}
	var list []*node
	for n := range w.open {
		if len(list) == most {
			if byWorst(n, list[most-1]) >= 0 {
				continue
			}
			list = list[:most-1]
		}
		i, _ := slices.BinarySearchFunc(list, n, byWorst)
		list = slices.Insert(list, i, n)
	}
	w.worst, w.worstAt = append(w.worst[:0], list...), w.now
	return list
}

// worstFor is how long the worst of many stay the same.
const worstFor = 2 * time.Second

// walkNodes visits n and everything below it until visit returns false.
func walkNodes(n *node, visit func(*node) bool) bool {
	if !visit(n) {
		return false
	}
	for _, k := range n.kids {
		if !walkNodes(k, visit) {
			return false
		}
	}
	return true
}
