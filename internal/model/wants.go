package model

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// wanting is the last Wants, and what the next one depends on.
type wanting struct {
	sent    feed.Wants
	parents []*world.Node // whose children are wanted
	dirty   bool          // the wants may have changed
	of      rows.Key      // the selection then
	at      time.Time
}

const (
	eventsWanted = 300 // bound on objects with wanted events
	// patience is how long changed Wants are delayed if nothing waits for them,
	// so that a busy rollout does not send them with every batch.
	patience = 250 * time.Millisecond
)

// want compares what is wanted with the last Wants, and sends new ones if they
// differ.
func (m *Model) want() tea.Cmd {
	w, x := m.Facts.World, &m.Intake.wants
	logs := m.Panes.logs.Pane.Wanted()
	x.dirty = w.Tree.TakeWantsChanged() || x.dirty || !slices.Equal(logs, x.sent.Logs)
	sel, grown := m.Tree.selectedNode(), false
	if sel != nil && x.of != m.Tree.sel {
		x.of, x.dirty = m.Tree.sel, true
		w.Tree.MayWant(sel)
	}
	if w.Tree.Growing || m.Intake.ticked {
		x.parents, grown = w.WantChildren(m.Intake.opt.Children == ChildrenAll, func(n *world.Node) bool {
			return m.Intake.opt.Screen && (m.Tree.settings.Folds[rows.Key{ID: *n.ID}] || sel != nil && sel.Below(n))
		})
		x.dirty = x.dirty || len(x.parents) < len(x.sent.Children)
	}
	if !grown && (!x.dirty || x.sent.Gen > 0 && m.Intake.clock().Sub(x.at) < m.Intake.patience()) {
		return nil
	}
	x.dirty, x.at = false, m.Intake.clock()
	next := feed.Wants{
		Gen: x.sent.Gen + 1, Children: world.IDs(x.parents), Events: m.Tree.wantEvents(),
		Refs: m.Tree.wantRefs(), Logs: logs,
	}
	if m.Intake.opt.Screen && !m.Facts.Synced() {
		next.Visible = m.Tree.visible()
	}
	if !grown && sameWants(&next, &x.sent) { // a parent that was created anew has its old name
		return nil
	}
	w.Sent(x.parents, next.Gen)
	w.EventsRequested(next.Events, next.Gen)
	x.sent = next
	return control(m.Intake.ask, func(f feed.Feed) { f.Want(next) })
}

// visible are the objects in the window.
func (t *Tree) visible() (ids []object.ID) {
	top := t.Top()
	for i := top; i < min(top+t.window, len(t.list.Refs)); i++ {
		if n := t.list.Refs[i].Node; n != nil && t.list.Refs[i].Kind == rows.Object {
			ids = append(ids, *n.ID)
		}
	}
	return ids
}

func (f *Intake) patience() time.Duration {
	if f.opt.Screen {
		return patience
	}
	return patience / 5
}

func sameWants(a, b *feed.Wants) bool {
	return slices.Equal(a.Children, b.Children) && slices.Equal(a.Events, b.Events) &&
		slices.Equal(a.Logs, b.Logs) && slices.Equal(a.Refs, b.Refs) && slices.Equal(a.Visible, b.Visible)
}

// wantRefs are the objects that judgements and explanations look up without
// following them.
func (t *Tree) wantRefs() []object.ID {
	ids := t.facts.Found.Refs(t.facts.World, world.RefsWanted)
	for id := range t.facts.World.Tree.Dependents {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, object.ID.Compare)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), world.RefsWanted)]
}

// wantEvents are the objects whose events are wanted, sorted by their IDs. Of too many it takes
// the worst. They are those that are Current only for want of an event, those that are not
// Current, what an explanation asks for, and on a screen the selected one with what is below it.
func (t *Tree) wantEvents() []object.ID {
	list := t.facts.World.Eventful()
	list = list[:min(len(list), eventsWanted/2)]
	list = append(list, t.facts.World.Tree.WorstOpen(eventsWanted-len(list))...)
	add := func(n *world.Node) bool {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
		return len(list) < eventsWanted
	}
	var gone []object.ID // whose events outlive them
	for _, x := range t.facts.Found.Found.Needs {
		switch n := t.facts.World.Tree.Nodes[x.ID]; {
		case !x.Events || len(list)+len(gone) >= eventsWanted:
		case n != nil:
			add(n)
		default:
			gone = append(gone, x.ID)
		}
	}
	if t.intake.opt.Screen {
		if n := t.selectedNode(); n != nil {
			list = list[:min(len(list), eventsWanted/2)]
			world.Walk(n, add)
		}
	}
	return slices.SortedFunc(slices.Values(append(world.IDs(list), gone...)), object.ID.Compare)
}
