package model

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// wanting is the last Wants, and what the next one depends on.
type wanting struct {
	sent     feed.Wants
	children world.Wanted
	dirty    bool // the wants may have changed
	expire   bool // on a tick: long-Current parents may be dropped
	at       time.Time
}

const (
	eventsWanted = 300 // bound on objects with wanted events
	// patience is how long changed Wants are delayed if nothing waits for them,
	// so that a busy rollout does not send them with every batch.
	patience = 250 * time.Millisecond
)

// want compares what is wanted with the last Wants, and sends new ones if they
// differ.
func (m Model) want() tea.Cmd {
	w, x := m.w, &m.wants
	x.dirty = w.TakeWantsChanged() || x.dirty
	grown := m.wantChildren(m.pane == PaneWhy || m.pane == PaneEvents || m.pane == PaneLogs)
	if x.expire {
		x.expire = false
		x.dirty = m.dropChildren() || x.dirty
	}
	if !grown && (!x.dirty || x.sent.Gen > 0 && w.Now.Sub(x.at) < m.patience()) {
		return nil
	}
	x.dirty, x.at = false, w.Now
	next := feed.Wants{Gen: x.sent.Gen + 1, Children: x.children.IDs(), Events: m.wantEvents(), Refs: m.wantRefs(), Logs: m.logs.wanted()}
	if m.opt.Screen && !m.Synced() {
		next.Visible = m.visible()
	}
	if sameWants(&next, &x.sent) {
		return nil
	}
	x.children.Sent(w, next.Gen)
	x.sent = next
	return m.ask.sendWants(next)
}

// visible are the objects in the window.
func (t *tree) visible() (ids []object.ID) {
	top := t.Top()
	for i := top; i < min(top+t.window, len(t.rows)); i++ {
		if n := t.rows[i].node; n != nil && t.rows[i].kind == RowObject {
			ids = append(ids, *n.ID)
		}
	}
	return ids
}

func (f *facts) patience() time.Duration {
	if f.opt.Screen {
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

// wantChildren adds the parents whose children are wanted from now on; opened
// says that the open pane shows those of the selected object.
func (t *tree) wantChildren(opened bool) bool {
	x := &t.wants.children
	grown := x.Grow(t.w, t.opt.Children == ChildrenAll)
	if t.opt.Screen && t.opt.Children == ChildrenAuto {
		for k, open := range t.folds {
			if n := t.w.Nodes[k.ID]; open && k.Kind == RowObject && n != nil {
				grown = x.Add(t.w, n) || grown
			}
		}
		if n := t.selectedNode(); n != nil && opened {
			grown = x.Add(t.w, n) || grown
		}
	}
	return grown
}

// dropChildren drops the children of parents that have been Current for a while
// and are not open.
func (t *tree) dropChildren() bool {
	sel := t.selectedNode()
	return t.opt.Children != ChildrenAll && t.wants.children.Drop(t.w, func(n *world.Node) bool {
		return t.folds[RowKey{ID: *n.ID}] || sel != nil && sel.Below(n)
	})
}

// wantRefs are the objects that judgements and explanations look up without
// following them.
func (t *tree) wantRefs() []object.ID {
	ids := t.x.Refs(t.w, world.RefsWanted)
	for id := range t.w.Dependents {
		ids = append(ids, id)
	}
	if t.volumes {
		ids = append(ids, attachments)
	}
	slices.SortFunc(ids, object.ID.Compare)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), world.RefsWanted)]
}

// wantEvents are the objects whose events are wanted: the selected one with its
// descendants, and all that are not Current, worst first.
func (t *tree) wantEvents() []object.ID {
	list := t.w.WorstOpen(eventsWanted)
	add := func(n *world.Node) bool {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
		return len(list) < eventsWanted
	}
	for _, x := range t.x.Needs {
		if n := t.w.Nodes[x.ID]; x.Events && n != nil && len(list) < eventsWanted {
			add(n)
		}
	}
	if t.opt.Screen {
		if n := t.selectedNode(); n != nil {
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
