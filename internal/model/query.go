package model

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Options returns the model's settings, with defaults filled in.
func (m Model) Options() Options { return *m.opt }

// Session counts how often something else has been followed.
func (m Model) Session() int { return m.session }

// Now is the time of the last tick or batch; all ages are measured from it.
func (m Model) Now() time.Time { return m.w.Now }

// Elapsed is the time since following began.
func (m Model) Elapsed() time.Duration { return m.w.Now.Sub(m.opt.Now) }

// Revision grows whenever the screen may have changed.
func (m Model) Revision() uint64 { return m.rev }

// NextWake is when the next [ClockTicked] is needed, beside the regular ones:
// when a judgement changes with time, or a delayed Wants is due. Zero means
// never.
func (m Model) NextWake() time.Time {
	at := m.w.Due()
	if m.x.Ran && !m.x.Busy() && m.w.Unexplained {
		if t := m.x.At.Add(m.x.Every()); at.IsZero() || t.Before(at) {
			at = t
		}
	}
	if due := m.x.Found.Due; !m.x.Busy() && !due.IsZero() && (at.IsZero() || due.Before(at)) {
		at = due
	}
	if m.wants.dirty {
		if t := m.wants.at.Add(m.patience()); at.IsZero() || t.Before(at) {
			at = t
		}
	}
	return at
}

// Verdict is the verdict over the followed objects.
func (m Model) Verdict() Verdict {
	if m.frozen != nil {
		return m.frozen.verdict
	}
	w := m.w
	v := Verdict{Status: w.Verdict, Empty: len(w.Roots) == 0, Gone: w.Gone(), Since: w.VerdictSince}
	if v.Status == "" || v.Status == status.Current && (!w.Synced || len(w.Awaited) > 0) {
		v.Status = status.Unknown // more objects may still arrive
	}
	link := m.Connection().Link
	v.Lost = link == world.LinkStale || (link == world.LinkEnded && m.opt.Recording == "") || w.OutOfTouch()
	moved, waiting := w.Movement()
	v.Moved = m.opt.Now
	if moved.After(v.Moved) {
		v.Moved = moved
	}
	v.Stalled = waiting && w.Now.Sub(v.Moved) >= m.opt.StallAfter
	return v
}

// Counts counts the followed objects by status, including optional ones.
func (m Model) Counts() world.Counts {
	if m.frozen != nil {
		return m.frozen.counts
	}
	return m.w.Counts.Counts()
}

// Assumed counts the followed objects that are Current with the confidence
// assumed.
func (m Model) Assumed() int {
	if m.frozen != nil {
		return m.frozen.assumed
	}
	return int(m.w.Assumed)
}

// GeneratedCounts counts the known generated objects by status.
func (m Model) GeneratedCounts() world.Counts {
	if m.frozen != nil {
		return m.frozen.generated
	}
	return m.w.Generated.Counts()
}

// Known counts all objects in the tree.
func (m Model) Known() int { return m.seen().Counts.Total() + m.seen().Generated.Total() }

// Connection summarises the sources.
func (m Model) Connection() world.Connection {
	if m.frozen != nil {
		return m.frozen.connection
	}
	return m.w.Connection(m.ended, m.err)
}

// Sources returns the state of every source, by key.
func (m Model) Sources() []feed.SourceState {
	return slices.SortedFunc(maps.Values(m.seen().Sources), func(a, b feed.SourceState) int { return strings.Compare(a.Key, b.Key) })
}

// Synced reports whether every source needed for the roots has answered.
func (m Model) Synced() bool { return m.w.Synced }

// Quiesced reports whether all requests have been answered: the roots are
// synced, and the wanted children and events have arrived. A one-shot command
// may print then.
func (m Model) Quiesced() bool {
	return m.ended || m.answered() && m.w.ToldGen >= m.wants.sent.Gen && !m.w.Reads() && !m.x.Busy() && !m.x.Pending(m.w)
}

// Answered reports whether the roots and everything needed to judge them has
// arrived: until then a Current may rest on partial data.
func (m Model) Answered() bool { return m.answered() }

func (m Model) answered() bool {
	return m.w.Synced && m.w.Answered >= m.wants.sent.Gen && !m.wants.dirty
}

// Namespaces are the followed objects' namespaces, sorted. The caller must not
// modify the list.
func (m Model) Namespaces() []string { return m.w.Spaces() }

// Roots are the followed objects, in the order of the command line.
func (m Model) Roots() []object.ID {
	ids := make([]object.ID, len(m.w.Roots))
	for i, n := range m.w.Roots {
		ids[i] = *n.ID
	}
	return ids
}

// ChangedSince returns the objects that may have changed after a stamp, and the
// stamp for the next call; 0 returns all. They are in the order of Roots, each
// followed by its descendants to that depth; some may appear twice. Its cost
// depends on the number of changes and of roots.
func (m Model) ChangedSince(stamp uint64, depth int) ([]object.ID, uint64) {
	var ids []object.ID
	var visit func(n *world.Node, left int)
	visit = func(n *world.Node, left int) {
		if n.Newest <= stamp || left < 0 {
			return
		}
		if n.Stamp > stamp {
			ids = append(ids, *n.ID)
		}
		for _, k := range n.Kids {
			visit(k, left-1)
		}
	}
	for _, n := range m.w.Roots {
		visit(n, depth)
	}
	return ids, m.w.Epoch
}

// Resource is what is known of one object; false if nothing is.
func (m Model) Resource(id object.ID) (Resource, bool) {
	w := m.seen()
	n := w.Nodes[id]
	if n == nil {
		return Resource{}, false
	}
	r := Resource{
		ID: *n.ID, Object: n.Object, Root: n.Root, Assessment: n.Assessment(),
		Generated: n.Root == nil, Changed: n.Moved(), OwnChange: n.Changed(),
		Stalled: w.Stalled(n), Stale: w.Stale(n), FirstSeen: n.Seen(),
		Lead: *n.Lead.Node.ID, LeadReason: n.Lead.Reason, LeadCount: int(n.Lead.Count), Note: note(n),
		ChildrenKnown: n.Object != nil && w.ChildrenKnown(n),
	}
	if w.Awaits(n) {
		r.Assessment = status.Assessment{Status: status.Unknown, Reason: world.ReasonWaiting, Message: world.WaitingBelow, Rule: "watch", Deciding: -1, Confidence: status.Exact}
	}
	if again := restartsOf(n.Object); again > 0 {
		r.Note += "  ↻" + strconv.FormatInt(again, 10)
	}
	if n.Parent != nil {
		r.Parent = *n.Parent.ID
	}
	r.Children = make([]object.ID, len(n.Kids))
	for i, k := range n.Kids {
		r.Children[i] = *k.ID
	}
	below := n.Sub
	below[n.Rank()]--
	r.Known = below.Counts()
	return r, true
}

// Object returns a known object, or nil.
func (m Model) Object(id object.ID) *object.Object { return m.seen().Lookup(id) }

// Slowest returns up to n roots that took longest to become Current, slowest
// first. Those that were Current from the start are left out.
func (m Model) Slowest(n int) []world.Slow {
	return m.seen().Slowest(n)
}

// RowCount is the number of rows after folding and filtering.
func (m Model) RowCount() int {
	if m.frozen != nil {
		return len(m.frozen.rows)
	}
	return len(m.t.rows)
}

// Rows returns up to n rows beginning with row from. Its cost depends on n
// alone.
func (m Model) Rows(from, n int) []Row {
	from = max(from, 0)
	to := min(from+n, m.RowCount())
	if from >= to {
		return nil
	}
	out := make([]Row, 0, to-from)
	for i := from; i < to; i++ {
		if m.frozen != nil {
			r := m.frozen.rows[i]
			if r.node != nil {
				r.node = m.frozen.world.Nodes[*r.node.ID]
			}
			out = append(out, r.row(m.frozen.world, i == m.t.selIndex))
			continue
		}
		out = append(out, m.t.rows[i].row(m.w, i == m.t.selIndex))
	}
	return out
}

// Top is the number of the first visible row, such that the selected row is
// visible in the height of [Fit].
func (m Model) Top() int { return m.t.topRow(m.fit.TreeRows) }

// Selected is the key of the selected row, zero if there is none, and its row
// number or -1.
func (m Model) Selected() (RowKey, int) {
	if r := m.selectedRow(); r != nil {
		return r.key(), m.t.selIndex
	}
	return RowKey{}, -1
}

// SelectedObject is the object that the panes show: the selected one, or the
// parent of a row that stands for several; zero if there is none.
func (m Model) SelectedObject() object.ID {
	if n := m.seenNode(); n != nil {
		return *n.ID
	}
	return object.ID{}
}

func (m Model) selectedNode() *world.Node {
	r := m.selectedRow()
	if r == nil || r.node == nil {
		return nil
	}
	if m.w.Nodes[*r.node.ID] != r.node {
		return nil
	}
	return r.node
}

// Problems are the objects that n and N move between, in display order.
func (m Model) Problems() []object.ID {
	p := m.problems()
	ids := make([]object.ID, len(p))
	for i, n := range p {
		ids[i] = *n.ID
	}
	return ids
}

// Path is the chain of ancestors from a root to the object, both included.
func (m Model) Path(id object.ID) []object.ID {
	var ids []object.ID
	for n := m.seen().Nodes[id]; n != nil && n.InTree; n = n.Parent {
		ids = append(ids, *n.ID)
	}
	slices.Reverse(ids)
	return ids
}

// WarningsOnly reports whether the events pane shows only warnings.
func (p panes) WarningsOnly() bool { return p.warnings }

// Pane is the chosen pane.
func (p panes) Pane() Pane { return p.pane }

// PaneSize is the size of the pane.
func (p panes) PaneSize() PaneSize { return p.paneSize }

// Scroll is the scroll position of the chosen pane. A followed log is at its
// end.
func (m Model) Scroll() Scroll {
	top := m.scroll[m.pane]
	if m.pane == PaneLogs && m.logs.follow {
		top = max(m.fit.PaneLines-m.fit.PaneRows, 0)
	}
	s := Scroll{Top: top, Wrap: m.wrap}
	if m.pane == PaneLogs && !m.wrap {
		s.Left = m.logLeft
	}
	return s
}

// Focus is the focused part.
func (m Model) Focus() Focus { return m.focus }

// Mode is the input mode.
func (p prompt) Mode() Mode { return p.mode }

// Input is the text input of a Mode that has one.
func (p prompt) Input() textinput.Model { return p.input }

// FilterText is the filter, complete or being typed, and its error.
func (p prompt) FilterText() (string, error) { return p.filterText, p.filterErr }

// SearchText is the search in the pane, complete or being typed.
func (p prompt) SearchText() Search { return p.search }

// HelpScroll is the first visible line of the help. The view limits it to the
// help's length.
func (p prompt) HelpScroll() int { return p.helpTop }

// Keys is the table of keys as they are bound. Those of a replay are only
// included while one is played; it is paused instead of frozen.
func (m Model) Keys() []Binding {
	return slices.DeleteFunc(slices.Clone(m.keys), func(b Binding) bool { return !m.offers(&b) })
}

func (m Model) offers(b *Binding) bool {
	if m.play.played == nil {
		return b.Context != InReplay
	}
	return b.Action != Pause
}

// Paused reports whether the picture is frozen, and how many updates it has
// missed.
func (m Model) Paused() (bool, int) {
	if m.frozen == nil {
		return false, 0
	}
	return true, m.frozen.missed
}

// Following reports whether the selection follows the newest problem.
func (m Model) Following() bool { return m.following }

// Notifying reports whether the user is notified when the verdict is final.
func (m Model) Notifying() bool { return m.notifying }

// Scoping says what the tree shows.
type Scoping uint8

// The scopes of the tree.
const (
	WithGenerated Scoping = iota
	WithReferences
	AppliedOnly
)

// Scoped is the scope: followed objects only, generated ones, or references,
// too.
func (m Model) Scoped() Scoping { return m.t.scope }

// Size is the size of the screen.
func (s size) Size() (w, h int) { return s.width, s.height }

// Dark reports whether the terminal's background is dark; true until known.
func (t terminal) Dark() bool { return !t.light }

// Focused reports whether the terminal window has the focus; true until known.
func (t terminal) Focused() bool { return !t.unfocused }

// Theme is the name of the theme; "" is auto.
func (t terminal) Theme() string { return t.theme }

// Flash is the short message that answers the last key, or "".
func (t terminal) Flash() string { return t.flash }

// Done reports whether every followed object is Current, and how long that took
// since the verdict last was Current, or since following began; 0 if it was
// from the start.
func (m Model) Done() (bool, time.Duration) {
	if m.w.Verdict != status.Current || !m.w.Synced || len(m.w.Awaited) > 0 {
		return false, 0
	}
	if !m.w.Moving {
		return true, 0
	}
	began := m.opt.Now
	if !m.w.Began.IsZero() {
		began = m.w.Began
	}
	return true, m.w.VerdictSince.Sub(began)
}
