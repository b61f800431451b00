package world

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A Memory is a checkpoint of a World in a recording. Playing from the middle begins with one. The
// objects alone are not enough: only a program that has watched them knows since when a status has
// lasted, what happened before, and how long an undated fault has been there.

// The newest entries of each that a Memory holds.
const (
	historyKept = 2000
	noticesKept = 50
)

// ago encodes t for a Memory of the time at: the nanoseconds from t to at, plus one. Zero is no
// time. If t is later, it is minus the nanoseconds from at to t.
func ago(at, t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	if d := at.Sub(t); d >= 0 {
		return int64(d) + 1
	}
	return int64(at.Sub(t))
}

// whenAgo is the inverse of ago.
func whenAgo(at time.Time, v int64) time.Time {
	switch {
	case v == 0:
		return time.Time{}
	case v > 0:
		v--
	}
	return at.Add(-time.Duration(v))
}

// Memory returns the state after the batch numbered seq.
func (w *World) Memory(seq uint64) feed.Memory {
	m := feed.Memory{
		At: w.Tree.Now, Seq: seq, Verdict: w.Verdict, Since: w.VerdictSince, Moving: w.Moving,
		Began: w.Began, Synced: w.Sources.Synced, Left: w.Tree.unfollowedExists,
	}
	s := &m.State
	s.At, s.Synced, s.Skew = w.Tree.Now, w.Sources.Whole, feed.Duration(w.Sources.skew)
	for _, n := range w.Tree.Roots {
		s.Roots = append(s.Roots, *n.Root)
	}
	s.Absent = slices.Collect(maps.Keys(w.Tree.missing))
	nodes := slices.SortedFunc(maps.Values(w.Tree.Nodes), ByID)
	s.Objects = make([]*object.Object, 0, len(nodes))
	for _, n := range nodes {
		if n.Object != nil {
			s.Objects = append(s.Objects, n.Object)
		}
		if r := w.remembered(n); r != (feed.Remembered{ID: *n.ID}) {
			m.Objects = append(m.Objects, r)
		}
		s.Events = append(s.Events, w.Records.events[*n.ID]...)
		for _, o := range w.Tree.deletedPods[*n.ID] {
			m.Deleted = append(m.Deleted, feed.Deleted{Parent: *n.ID, Object: o})
		}
	}
	for _, g := range w.Records.gone {
		if w.Tree.Nodes[g.id] == nil {
			s.Events = append(s.Events, w.Records.events[g.id]...)
		}
	}
	slices.SortFunc(s.Absent, object.ID.Compare)
	s.Sources = slices.SortedFunc(maps.Values(w.Sources.States), func(a, b feed.SourceState) int {
		return strings.Compare(a.Key, b.Key)
	})
	s.Notices = slices.Clone(w.Records.Notices.List[max(0, len(w.Records.Notices.List)-noticesKept):])
	m.History = slices.Clone(w.Records.History.List[max(0, len(w.Records.History.List)-historyKept):])
	return m
}

// remembered returns what cannot be seen in n's object. A field is zero where a program that sees
// the object for the first time would find the same.
func (w *World) remembered(n *Node) feed.Remembered {
	r := feed.Remembered{ID: *n.ID, Gone: ago(w.Tree.Now, n.gone)}
	if lost, since := n.lost.within(w.Tree.Now, lostWindow); lost > 0 {
		r.Lost, r.LostAt = lost, ago(w.Tree.Now, since)
	}
	if !n.Seen.Equal(w.first) {
		r.Seen = ago(w.Tree.Now, n.Seen)
	}
	a := n.Assess
	if a.Status != status.Current {
		r.Status, r.Reason, r.Retries = a.Status, a.Reason, a.Retrying
	} else if !n.Current.Equal(n.Seen) {
		r.Current = ago(w.Tree.Now, n.Current)
	}
	if !datedByReady(n) {
		r.Since = ago(w.Tree.Now, n.Since)
	}
	r.Fault, r.What = ago(w.Tree.Now, a.FaultSince), a.Fault
	if len(a.Crashes) > 0 {
		r.Crashes = &a.Crashes
	}
	if !n.Changed.Equal(lastChange(n.Object, w.Tree.Now)) {
		r.Changed = ago(w.Tree.Now, n.Changed)
	}
	if !n.Moved.Equal(n.Changed) {
		r.Moved = ago(w.Tree.Now, n.Moved)
	}
	if n.untilCurrent >= time.Second && (n.Current.IsZero() || n.untilCurrent != n.Current.Sub(w.opt.Now)) {
		r.Took = int64(n.untilCurrent)
	}
	if r.Current != 0 && n.Current.Equal(n.Changed) {
		r.Current = feed.SinceChanged
	}
	return r
}

// datedByReady reports whether the Ready condition of a Current Pod already has n.Since. It is not
// stored then: most objects are Pods.
func datedByReady(n *Node) bool {
	o := n.Object
	if o == nil || o.Pod == nil || n.Assess.Status != status.Current {
		return false
	}
	c := o.Condition("Ready")
	return c != nil && c.LastTransitionTime.Equal(n.Since)
}

// lastChange is an object's last change, by its own dates.
func lastChange(o *object.Object, now time.Time) time.Time {
	if o == nil {
		return time.Time{}
	}
	if t := cmp.Or(o.Changed, o.Created); !t.After(now) {
		return t
	}
	return now
}

// Restore takes in a part of a memory. The world must be new before the first
// part, and is judged after the last: see Restored.
func (w *World) Restore(m *feed.Memory) {
	w.Restoring = true
	w.Tree.Now = m.At
	w.Verdict = m.Verdict
	w.VerdictSince = m.Since
	w.Moving = m.Moving
	w.Began = m.Began
	w.Sources.Synced = m.Synced
	w.Tree.unfollowedExists = m.Left
	rest := m.State
	w.update(&rest)
	w.first = w.opt.Now
	for _, o := range rest.Objects {
		n := w.Tree.Nodes[o.ID]
		n.Seen = w.first
		w.recall(n, &feed.Remembered{})
	}
	for i := range m.Objects {
		if n := w.Tree.Nodes[m.Objects[i].ID]; n != nil {
			w.recall(n, &m.Objects[i])
		}
	}
	for _, t := range m.History {
		w.Records.record(t, nil)
	}
	for _, d := range m.Deleted {
		w.Tree.deletedPods[d.Parent] = append(w.Tree.deletedPods[d.Parent], d.Object)
	}
}

// Restored ends restoring: everything is judged.
func (w *World) Restored() {
	w.settle()
	w.Tree.firstArrived = w.Sources.Synced && !w.Awaiting()
	w.Restoring, w.Records.respecs, w.Tree.wantsChanged, w.Tree.Unexplained = false, nil, true, true
}

// recall sets a node's times. A time that r lacks becomes what a first look would find. The
// assessment in r becomes the Prior of the next judgement.
func (w *World) recall(n *Node, r *feed.Remembered) {
	when := func(v int64) time.Time { return whenAgo(w.Tree.Now, v) }
	a := status.Assessment{
		Status: cmp.Or(r.Status, status.Current), Reason: r.Reason, Retrying: r.Retries, Deciding: -1,
		Since: when(r.Since), FaultSince: when(r.Fault), Fault: r.What,
	}
	if r.Crashes != nil {
		a.Crashes = *r.Crashes
	}
	w.judging.store(n, &a)
	n.objJudged = n.Object != nil
	n.Seen = cmp.Or(when(r.Seen), n.Seen)
	n.Changed = cmp.Or(when(r.Changed), lastChange(n.Object, w.Tree.Now))
	n.Moved = cmp.Or(when(r.Moved), n.Changed)
	n.Current, n.untilCurrent = time.Time{}, time.Duration(r.Took)
	if a.Status == status.Current {
		n.Current = cmp.Or(when(r.Current), n.Seen)
		if r.Current == feed.SinceChanged {
			n.Current = n.Changed
		}
		n.untilCurrent = cmp.Or(n.untilCurrent, max(n.Current.Sub(w.opt.Now), 0))
	}
	if r.Gone != 0 || r.Lost != 0 {
		p := n.Own()
		p.gone, p.lost = when(r.Gone), recently{r.Lost, when(r.LostAt)}
	}
}

// TickUntil judges every node that is due before until, each at the time at which it is due.
func (w *World) TickUntil(until time.Time) {
	for !w.Due.IsZero() && w.Due.Before(until) {
		w.Tick(w.Due)
	}
}
