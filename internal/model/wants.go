package model

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// wanting is the last Wants, and what the next one depends on.
type wanting struct {
	sent     feed.Wants
	children []*world.Node // parents whose children are followed
	ids      []object.ID   // their IDs; nil if they have changed
	dirty    bool          // the wants may have changed
	expire   bool          // on a tick: long-Current parents may be dropped
	at       time.Time
	dropAt   time.Time
}

const (
	eventsWanted = 300 // bound on objects with wanted events
	// patience is how long changed Wants are delayed if nothing waits for them,
	// so that a busy rollout does not send them with every batch.
	patience = 250 * time.Millisecond
	// wellFor is how long a parent must have been Current before its children
	// are dropped.
	wellFor = 30 * time.Second
)

// want compares what is wanted with the last Wants, and sends new ones if they
// differ.
func (m Model) want() (Model, tea.Cmd) {
	w := m.w
	if w.WantsChanged {
		w.WantsChanged = false
		m.wants.dirty = true
	}
	grown := m.wantChildren()
	if m.wants.expire {
		m.wants.expire = false
		m = m.dropChildren()
	}
	if !grown && (!m.wants.dirty || (m.wants.sent.Gen > 0 && w.Now.Sub(m.wants.at) < m.patience())) {
		return m, nil
	}
	m.wants.dirty = false
	m.wants.at = w.Now
	next := feed.Wants{Gen: m.wants.sent.Gen + 1}
	if m.wants.ids == nil {
		m.wants.ids = make([]object.ID, len(m.wants.children))
		for i, n := range m.wants.children {
			m.wants.ids[i] = *n.ID
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
		top := m.t.topRow(m.fit.TreeRows)
		for i := top; i < min(top+m.fit.TreeRows, len(m.t.rows)); i++ {
			if n := m.t.rows[i].node; n != nil && m.t.rows[i].kind == RowObject {
				next.Visible = append(next.Visible, *n.ID)
			}
		}
	}
	if sameWants(&next, &m.wants.sent) {
		return m, nil
	}
	for _, n := range m.wants.children {
		if n.Wanted == asked {
			n.Wanted = next.Gen
			m.w.Awaited = append(m.w.Awaited, n)
		}
	}
	m.wants.sent = next
	return m, m.ask.sendWants(next)
}

// asked marks a node whose children are about to be wanted.
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

// sameSlice is slices.Equal with a fast path for identical slices.
func sameSlice[T comparable](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// wantChildren adds the parents whose children are wanted from now on.
func (m *Model) wantChildren() bool {
	w := m.w
	if m.opt.Children == ChildrenNone || w.Replayed() { // a recording cannot be asked
		w.Candidates = nil
		return false
	}
	grown := false
	consider := func(n *world.Node) {
		if n.Wanted != 0 || n.Object == nil || w.Nodes[*n.ID] != n {
			return
		}
		if p := n.Parent; p != nil && p.Object != nil && p.Wanted != 0 && edges.Covered(p.Object, n.Object) {
			return
		}
		if len(edges.Needs(n.Object)) == 0 {
			return
		}
		n.Wanted = asked
		m.wants.children, m.wants.ids = append(m.wants.children, n), nil
		grown = true
	}
	// Parents first: their needs cover some of their children's.
	slices.SortStableFunc(w.Candidates, func(a, b *world.Node) int { return a.Depth() - b.Depth() })
	later := w.Candidates[:0]
	for _, n := range w.Candidates {
		if !n.InTree && n.Object != nil && w.Nodes[*n.ID] == n {
			later = append(later, n)
			continue
		}
		if m.opt.Children == ChildrenAll || n.Assess.Status != status.Current || status.NeedsChildren(n.Object) {
			consider(n)
		}
	}
	clear(w.Candidates[len(later):])
	w.Candidates = later
	if m.opt.Screen && m.opt.Children == ChildrenAuto {
		for k, open := range m.t.folds {
			if n := w.Nodes[k.ID]; open && k.Kind == RowObject && n != nil {
				consider(n)
			}
		}
		if n := m.selectedNode(); n != nil && (m.pane == PaneWhy || m.pane == PaneEvents || m.pane == PaneLogs) {
			consider(n)
		}
	}
	return grown
}

// dropChildren drops the children of parents that have been Current for a while
// and are not open.
func (m Model) dropChildren() Model {
	if m.opt.Children == ChildrenAll || m.w.Replayed() || m.w.Now.Sub(m.wants.dropAt) < wellFor/6 {
		return m
	}
	m.wants.dropAt = m.w.Now
	sel := m.selectedNode()
	kept := slices.DeleteFunc(m.wants.children, func(n *world.Node) bool {
		if m.w.Nodes[*n.ID] != n || n.Object == nil {
			return true
		}
		if n.Current().IsZero() || m.w.Now.Sub(n.Current()) < wellFor || n.Sub.Problems() > 0 || status.NeedsChildren(n.Object) ||
			m.t.folds[RowKey{ID: *n.ID}] || (sel != nil && sel.Below(n)) {
			return false
		}
		n.Wanted = 0
		return true
	})
	if len(kept) != len(m.wants.children) {
		m.wants.dirty, m.wants.ids = true, nil
	}
	m.wants.children = kept
	return m
}

// wantRefs are the objects that judgements and explanations look up without
// following them.
func (m Model) wantRefs() []object.ID {
	ids := m.x.Refs(m.w, world.RefsWanted)
	for id := range m.w.Dependents {
		ids = append(ids, id)
	}
	if m.t.volumes {
		ids = append(ids, attachments)
	}
	slices.SortFunc(ids, object.ID.Compare)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), world.RefsWanted)]
}

// wantEvents are the objects whose events are wanted: the selected one with its
// descendants, and all that are not Current, worst first.
func (m Model) wantEvents() []object.ID {
	list := m.w.WorstOpen(eventsWanted)
	add := func(n *world.Node) bool {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
		return len(list) < eventsWanted
	}
	for _, x := range m.x.Needs {
		if n := m.w.Nodes[x.ID]; x.Events && n != nil && len(list) < eventsWanted {
			add(n)
		}
	}
	if m.opt.Screen {
		if n := m.selectedNode(); n != nil {
			list = list[:min(len(list), eventsWanted/2)]
			world.Walk(n, add)
		}
	}
	ids := make([]object.ID, len(list))
	for i, n := range list {
		ids[i] = *n.ID
	}
	slices.SortFunc(ids, object.ID.Compare)
	return ids
}
