package model

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Options returns what the model was told once, defaults filled in.
func (m Model) Options() Options { return *m.opt }

// Now is the time of the last tick or batch. Everything that shows an age
// measures it from here.
func (m Model) Now() time.Time { return m.w.now }

// Elapsed is how long has been followed.
func (m Model) Elapsed() time.Duration { return m.w.now.Sub(m.opt.Now) }

// Revision grows whenever the screen may look different.
func (m Model) Revision() uint64 { return m.rev }

// NextWake is when a [ClockTicked] is due at the latest, beside the regular
// ones: a judgement changes then by the passing of time, or a wish has been
// held back until then. Zero means never.
func (m Model) NextWake() time.Time {
	var at time.Time
	if len(m.w.recheck) > 0 {
		at = m.w.recheck[0].at
	}
	if m.x.ran && !m.x.busy() && m.w.unexplained {
		if t := m.x.at.Add(m.x.every()); at.IsZero() || t.Before(at) {
			at = t
		}
	}
	if due := m.x.found.Due; !m.x.busy() && !due.IsZero() && (at.IsZero() || due.Before(at)) {
		at = due
	}
	if m.wants.dirty {
		if t := m.wants.at.Add(m.patience()); at.IsZero() || t.Before(at) {
			at = t
		}
	}
	return at
}

// Verdict is the word over everything that was asked for.
func (m Model) Verdict() Verdict {
	if m.frozen != nil {
		return m.frozen.verdict
	}
	w := m.w
	v := Verdict{Status: w.verdict, Empty: len(w.roots) == 0, Gone: w.gone(), Since: w.verdictSince}
	if v.Status == "" || v.Status == status.Current && (!w.synced || len(w.awaited) > 0) {
		v.Status = status.Unknown // the rest of the set may still be on its way
	}
	link := m.Connection().Link
	v.Lost = link == LinkStale || (link == LinkEnded && m.opt.Recording == "") || w.outOfTouch()
	moved, waiting := w.movement()
	v.Moved = m.opt.Now
	if moved.After(v.Moved) {
		v.Moved = moved
	}
	v.Stalled = waiting && w.now.Sub(v.Moved) >= m.opt.StallAfter
	return v
}

// gone reports whether all that was asked for was there, and has been deleted.
func (w *world) gone() bool {
	if !w.synced || w.left || w.rootSeq == 0 {
		return false
	}
	return !slices.ContainsFunc(w.roots, func(n *node) bool { return n.gone.IsZero() || n.assess.Status != status.NotFound })
}

// movement is when something last moved of what was asked for and is not Current,
// and whether any of that is still expected to.
func (w *world) movement() (moved time.Time, waiting bool) {
	if w.movedAt != w.epoch {
		w.movedAt = w.epoch
		if !w.movedKnown {
			w.moved, w.movedKnown = time.Time{}, true
			for _, n := range w.openRoots {
				if n.moved().After(w.moved) {
					w.moved = n.moved()
				}
			}
		}
		// Mostly the first one is.
		w.expected = slices.ContainsFunc(w.openRoots, func(n *node) bool { return !n.assess.Terminal && !n.assess.Paused })
	}
	return w.moved, w.expected
}

// hasMoved takes in when an open root has moved, as far as that is known of all of
// them.
func (w *world) hasMoved(n *node) {
	if n.openAt > 0 && n.moved().After(w.moved) {
		w.moved = n.moved()
	}
}

// Counts counts what was asked for by status, optional ones included.
func (m Model) Counts() Counts {
	if m.frozen != nil {
		return m.frozen.counts
	}
	return m.w.counts.counts()
}

// Assumed is how much of what was asked for counts as Current though nothing
// that it says is known to mean ready or not.
func (m Model) Assumed() int {
	if m.frozen != nil {
		return m.frozen.assumed
	}
	return int(m.w.assumed)
}

// GeneratedCounts counts the known generated objects by status.
func (m Model) GeneratedCounts() Counts {
	if m.frozen != nil {
		return m.frozen.generated
	}
	return m.w.generated.counts()
}

// Known is the number of all objects in the tree, asked for and generated.
func (m Model) Known() int { return m.seen().counts.total() + m.seen().generated.total() }

// Connection sums up the sources.
func (m Model) Connection() Connection {
	if m.frozen != nil {
		return m.frozen.connection
	}
	return m.w.connection(m.ended, m.err)
}

func (w *world) connection(ended bool, err error) Connection {
	c := Connection{Skew: w.skew, Err: err, Mode: feed.ModeWatch}
	c.Sources = len(w.sources)
	c.Ready = c.Sources
	bad, syncing := 0, 0
	for _, list := range w.trouble {
		for i := range list {
			s := &list[i]
			switch s.Phase {
			case feed.Waiting, feed.Syncing:
				c.Ready--
				syncing++
			case feed.Forbidden:
				// Refused from the start: the rows say so. Refused since: they
				// hold what was known, and that grows old.
				if !keptRows(s) {
					continue
				}
				bad++
				c.stale(s)
			case feed.Stale, feed.Throttled:
				bad++
				c.stale(s)
			}
		}
	}
	switch {
	case ended:
		c.Link = LinkEnded
	case !w.heard:
		c.Link = LinkConnecting
	case bad > 0 && w.liveSources() == 0:
		c.Link = LinkStale
	case bad > 0:
		c.Link = LinkReconnecting
	case !w.synced && (syncing > 0 || len(w.sources) == 0):
		c.Link = LinkSyncing
	default:
		c.Link = LinkLive
	}
	return c
}

// stale takes in a source that no longer tells what is: the oldest counts.
func (c *Connection) stale(s *feed.SourceState) {
	if c.Since.IsZero() || s.Since.Before(c.Since) {
		c.Since = s.Since
	}
	if !s.LastData.IsZero() && (c.LastData.IsZero() || s.LastData.Before(c.LastData)) {
		c.LastData = s.LastData
	}
	if !s.Retry.IsZero() && (c.Retry.IsZero() || s.Retry.Before(c.Retry)) {
		c.Retry = s.Retry
	}
	// Whoever knows what to do knows best what is wrong.
	if known, best := s.Hint != "", c.Hint != ""; s.Error != "" &&
		(c.Error == "" || known && !best || known == best && s.Error < c.Error) {
		c.Error, c.Hint = s.Error, s.Hint
	}
}

// Trouble is what is wrong with the connection, and what to do about it, in a
// line; "" while nothing is.
func (c Connection) Trouble() string {
	if c.Hint == "" {
		return c.Error
	}
	return c.Error + "; " + c.Hint
}

// keptRows reports whether a source of what was asked for holds rows from
// before it was refused.
func keptRows(s *feed.SourceState) bool { return !s.Children && s.Objects > 0 }

// outOfTouch reports whether the verdict rests on roots that nobody tells about
// any more, though other sources may be live. A refusal of rights that there
// were is no blip and counts for every verdict. A lost stream counts where all
// would be Current: a green that nobody can vouch for is none.
func (w *world) outOfTouch() bool {
	for _, list := range w.trouble {
		for i := range list {
			s := &list[i]
			switch s.Phase {
			case feed.Forbidden:
				if keptRows(s) {
					return true
				}
			case feed.Stale, feed.Throttled:
				if w.verdict == status.Current && (keptRows(s) || decides(s)) {
					return true
				}
			}
		}
	}
	return false
}

// decides reports whether a source tells of children that make the difference
// between Current and not, whatever the parents' own fields say.
func decides(s *feed.SourceState) bool {
	switch s.Kind {
	case "EndpointSlice", "Endpoints", "Pod", "ReplicaSet":
		return s.Children && s.Objects > 0
	}
	return false
}

func (w *world) liveSources() int {
	n := len(w.sources)
	for _, list := range w.trouble {
		n -= len(list)
	}
	return n
}

// Sources returns every source of data, by key.
func (m Model) Sources() []feed.SourceState {
	return slices.SortedFunc(maps.Values(m.seen().sources), func(a, b feed.SourceState) int { return strings.Compare(a.Key, b.Key) })
}

// Synced reports whether every source needed for the roots has answered.
func (m Model) Synced() bool { return m.w.synced }

// Quiesced reports whether nothing that was wanted is still on its way: the
// roots are synced, and the children and events that were asked for have been
// answered. A one-shot command may print then.
func (m Model) Quiesced() bool {
	return m.ended || m.answered() && m.w.toldGen >= m.wants.sent.Gen && !m.w.reads() && !m.x.busy() && !m.x.pending(m.w)
}

// Answered reports whether the roots and all that is needed to judge them have
// been answered: until then what looks Current may only be half known.
func (m Model) Answered() bool { return m.answered() }

func (m Model) answered() bool {
	return m.w.synced && m.w.answered >= m.wants.sent.Gen && !m.wants.dirty
}

// Namespaces are the namespaces of what was asked for, sorted. The list is not
// the caller's to change.
func (m Model) Namespaces() []string { return m.w.spaces() }

func (w *world) spaces() []string {
	if w.nsRoots != len(w.roots) || w.nsSeq != w.rootSeq {
		set := map[string]bool{}
		for _, n := range w.roots {
			if n.id.Namespace != "" {
				set[n.id.Namespace] = true
			}
		}
		w.nsRoots, w.nsSeq, w.namespaces = len(w.roots), w.rootSeq, slices.Sorted(maps.Keys(set))
	}
	return w.namespaces
}

// Roots are what was asked for, in the order of asking.
func (m Model) Roots() []object.ID {
	ids := make([]object.ID, len(m.w.roots))
	for i, n := range m.w.roots {
		ids[i] = *n.id
	}
	return ids
}

// ChangedSince returns the objects whose object or judgement may have changed
// after a stamp, and the stamp for the next call; 0 is before everything. They
// come in the order of Roots, each followed by what hangs below it down to that
// depth, and some may come twice. What it costs depends on what changed and on
// the number of roots.
func (m Model) ChangedSince(stamp uint64, depth int) ([]object.ID, uint64) {
	var ids []object.ID
	var visit func(n *node, left int)
	visit = func(n *node, left int) {
		if n.newest <= stamp || left < 0 {
			return
		}
		if n.stamp > stamp {
			ids = append(ids, *n.id)
		}
		for _, k := range n.kids {
			visit(k, left-1)
		}
	}
	for _, n := range m.w.roots {
		visit(n, depth)
	}
	return ids, m.w.epoch
}

// Resource is what is known of one object, and whether anything is.
func (m Model) Resource(id object.ID) (Resource, bool) {
	w := m.seen()
	n := w.nodes[id]
	if n == nil {
		return Resource{}, false
	}
	r := Resource{
		ID: *n.id, Object: n.obj, Root: n.root, Assessment: n.assessment(),
		Generated: n.root == nil, Changed: n.moved(), OwnChange: n.changed(),
		Stalled: w.stalled(n), Stale: w.stale(n), FirstSeen: n.seen(),
		Lead: *n.lead.node.id, LeadReason: n.lead.reason, LeadCount: int(n.lead.count), Note: note(n),
		ChildrenKnown: n.obj != nil && w.childrenKnown(n),
	}
	if w.awaits(n) {
		r.Assessment = status.Assessment{Status: status.Unknown, Reason: ReasonWaiting, Message: waitingBelow, Rule: "watch", Deciding: -1, Confidence: status.Exact}
	}
	if again := restartsOf(n.obj); again > 0 {
		r.Note += "  ↻" + strconv.FormatInt(again, 10)
	}
	if n.parent != nil {
		r.Parent = *n.parent.id
	}
	r.Children = make([]object.ID, len(n.kids))
	for i, k := range n.kids {
		r.Children[i] = *k.id
	}
	below := n.sub
	below[n.rank()]--
	r.Known = below.counts()
	return r, true
}

// Object returns a known object, or nil.
func (m Model) Object(id object.ID) *object.Object { return m.seen().lookup(id) }

// Slow is an object and how long it took to become Current.
type Slow struct {
	ID   object.ID
	Took time.Duration
}

// Slowest returns up to n roots that took longest to become Current, slowest
// first. What was Current when it was first seen took no time and is left out.
func (m Model) Slowest(n int) []Slow {
	if n <= 0 {
		return nil
	}
	w := m.seen()
	if w.slow == nil || w.slowOf < n {
		w.slow, w.slowOf = w.slowest(n), n
	}
	return slices.Clone(w.slow[:min(n, len(w.slow))])
}

// slowest finds them; never nil.
func (w *world) slowest(n int) []Slow {
	out := make([]Slow, 0, min(n, len(w.roots))+1)
	before := max(w.began.Sub(w.opt.Now), 0) // the change that they took it for
	for _, r := range w.roots {
		took := r.took - before
		if r.assess.Status != status.Current || took <= time.Second || len(out) == n && took <= out[n-1].Took {
			continue
		}
		i := slices.IndexFunc(out, func(s Slow) bool { return s.Took < took })
		if i < 0 {
			i = len(out)
		}
		out = slices.Insert(out, i, Slow{*r.id, took})
		out = out[:min(n, len(out))]
	}
	return out
}

// RowCount is the number of rows of the tree as it is folded and filtered.
func (m Model) RowCount() int {
	if m.frozen != nil {
		return len(m.frozen.rows)
	}
	return len(m.t.rows)
}

// Rows returns up to n rows from row number from on. Its cost depends on n,
// not on the number of rows.
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
				r.node = m.frozen.world.nodes[*r.node.id]
			}
			out = append(out, r.row(m.frozen.world, i == m.t.selIndex))
			continue
		}
		out = append(out, m.t.rows[i].row(m.w, i == m.t.selIndex))
	}
	return out
}

// Top is the number of the first row on the screen, so that the selected row
// is visible in the rows that [Measured] told.
func (m Model) Top() int { return m.t.topRow(m.treeRows) }

// Selected is the key of the selected row, zero when there is none, and its
// row number or -1.
func (m Model) Selected() (RowKey, int) {
	if r := m.selectedRow(); r != nil {
		return r.key(), m.t.selIndex
	}
	return RowKey{}, -1
}

// SelectedObject is the object that the panes are about: the selected one, or
// the parent of a row that stands for several. It is zero when there is none.
func (m Model) SelectedObject() object.ID {
	if n := m.seenNode(); n != nil {
		return *n.id
	}
	return object.ID{}
}

func (m Model) selectedNode() *node {
	r := m.selectedRow()
	if r == nil || r.node == nil {
		return nil
	}
	if m.w.nodes[*r.node.id] != r.node {
		return nil
	}
	return r.node
}

// Problems returns what n and N jump between, in display order.
func (m Model) Problems() []object.ID {
	p := m.problems()
	ids := make([]object.ID, len(p))
	for i, n := range p {
		ids[i] = *n.id
	}
	return ids
}

// Path is the way from what was asked for down to the object, both included.
func (m Model) Path(id object.ID) []object.ID {
	var ids []object.ID
	for n := m.seen().nodes[id]; n != nil && n.inTree; n = n.parent {
		ids = append(ids, *n.id)
	}
	slices.Reverse(ids)
	return ids
}

// WarningsOnly says that only warnings are wanted in the events pane.
func (m Model) WarningsOnly() bool { return m.warnings }

// Pane is the chosen pane.
func (m Model) Pane() Pane { return m.pane }

// PaneSize is how much room the pane takes.
func (m Model) PaneSize() PaneSize { return m.paneSize }

// Scroll is where the chosen pane stands. A log that is followed stands at its
// end.
func (m Model) Scroll() Scroll {
	top := m.scroll[m.pane]
	if m.pane == PaneLogs && m.logs.follow {
		top = max(m.paneLines-m.paneRows, 0)
	}
	s := Scroll{Top: top, Wrap: m.wrap}
	if m.pane == PaneLogs && !m.wrap {
		s.Left = m.logLeft
	}
	return s
}

// Focus is the part that keys go to.
func (m Model) Focus() Focus { return m.focus }

// Mode is what keys mean.
func (m Model) Mode() Mode { return m.mode }

// Input is the line that is being typed, in a Mode that has one.
func (m Model) Input() textinput.Model { return m.input }

// FilterText is the filter, typed or being typed, and what of it cannot be
// understood.
func (m Model) FilterText() (string, error) { return m.filterText, m.filterErr }

// SearchText is the search in the pane, typed or being typed.
func (m Model) SearchText() Search { return m.search }

// HelpScroll is the first line of the help on the screen. Whoever draws it
// keeps it within the help.
func (m Model) HelpScroll() int { return m.helpTop }

// Keys is the table of keys as they are bound: those of a replay only while
// one is played, which is paused instead of frozen.
func (m Model) Keys() []Binding {
	return slices.DeleteFunc(slices.Clone(m.keys), func(b Binding) bool { return !m.offers(&b) })
}

func (m Model) offers(b *Binding) bool {
	if m.play.played == nil {
		return b.Context != InReplay
	}
	return b.Action != Pause
}

// Footer returns the bindings to show in the footer now, in order.
func (m Model) Footer() []Binding {
	var out []Binding
	if m.mode == Commanding {
		return nil // the palette says what its keys do
	}
	for _, c := range m.contexts() {
		for i := range m.keys {
			if b := &m.keys[i]; b.Footer && b.Context == c && b.Enabled() && m.offers(b) {
				out = append(out, *b)
			}
		}
	}
	return out
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

// Notifying reports whether the user is to be called when done or failed.
func (m Model) Notifying() bool { return m.notifying }

// Scoping is what the tree shows.
type Scoping uint8

// The scopes of the tree.
const (
	WithGenerated Scoping = iota
	WithReferences
	AppliedOnly
)

// Scoped says what the tree shows: applied only, generated too, references too.
func (m Model) Scoped() Scoping { return m.t.scope }

// Size is the size of the screen.
func (m Model) Size() (w, h int) { return m.width, m.height }

// Dark reports whether the terminal's background is dark; true until known.
func (m Model) Dark() bool { return !m.light }

// Focused reports whether the terminal has the keyboard's focus; true until
// known.
func (m Model) Focused() bool { return !m.unfocused }

// Quitting reports whether the user has asked to quit.
func (m Model) Quitting() bool { return m.quitting }

// Flash is a short message that answers the last key, or "".
func (m Model) Flash() string { return m.flash }

// Done reports whether everything asked for is Current, and how long it took since
// it last was, or since following began: nothing where it was so already.
func (m Model) Done() (bool, time.Duration) {
	if m.w.verdict != status.Current || !m.w.synced || len(m.w.awaited) > 0 {
		return false, 0
	}
	if !m.w.moving {
		return true, 0
	}
	began := m.opt.Now
	if !m.w.began.IsZero() {
		began = m.w.began
	}
	return true, m.w.verdictSince.Sub(began)
}
