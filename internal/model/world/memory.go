package world

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A recording is played from the middle by restoring what its recorder knew
// there. Objects alone are not enough: since when a state lasts, what happened
// before, and how an undated failure is judged is only known to a program that
// observed it.

const (
	historyKept = 2000
	noticesKept = 50
)

// ago encodes a time as the nanoseconds before the memory's, plus one, so that
// 0 means none.
func ago(at, t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	if d := at.Sub(t); d >= 0 {
		return int64(d) + 1
	}
	return int64(at.Sub(t))
}

func whenAgo(at time.Time, v int64) time.Time {
	if v > 0 {
		v--
	}
	return at.Add(-time.Duration(v))
}

// Memory returns the state after the batch numbered seq.
func (w *World) Memory(seq uint64) feed.Memory {
	m := feed.Memory{At: w.Now, Seq: seq, Verdict: w.Verdict, Since: w.VerdictSince, Moving: w.Moving, Began: w.Began}
	s := &m.State
	s.At, s.Synced, s.Skew = w.Now, w.Synced, feed.Duration(w.skew)
	for _, n := range w.Roots {
		s.Roots = append(s.Roots, *n.Root)
	}
	s.Absent = slices.Collect(maps.Keys(w.missing))
	nodes := slices.SortedFunc(maps.Values(w.Nodes), ByID)
	s.Objects = make([]*object.Object, 0, len(nodes))
	for _, n := range nodes {
		if n.Object != nil {
			s.Objects = append(s.Objects, n.Object)
		} else if n.absent && !w.missing[*n.ID] {
			s.Absent = append(s.Absent, *n.ID)
		}
		if r := w.remembered(n); r != (feed.Remembered{ID: *n.ID}) {
			m.Objects = append(m.Objects, r)
		}
		s.Events = append(s.Events, w.events[*n.ID]...)
		for _, o := range w.ghosts[*n.ID] {
			m.Deleted = append(m.Deleted, feed.Deleted{Parent: *n.ID, Object: o})
		}
	}
	slices.SortFunc(s.Absent, object.ID.Compare)
	s.Sources = slices.SortedFunc(maps.Values(w.Sources), func(a, b feed.SourceState) int { return strings.Compare(a.Key, b.Key) })
	for i := max(0, w.Notices.Len()-noticesKept); i < w.Notices.Len(); i++ {
		s.Notices = append(s.Notices, w.Notices.At(i))
	}
	for i := max(0, w.History.Len()-historyKept); i < w.History.Len(); i++ {
		m.History = append(m.History, w.History.At(i))
	}
	return m
}

// remembered is what a first look at n's object would not reveal.
func (w *World) remembered(n *Node) feed.Remembered {
	r := feed.Remembered{ID: *n.ID, Gone: ago(w.Now, n.gone)}
	if n.lost > 0 && w.Now.Sub(n.lostSince) <= lostWindow {
		r.Lost, r.LostAt = n.lost, ago(w.Now, n.lostSince)
	}
	if n.Object == nil && n.Root == nil {
		return r
	}
	if !n.Seen().Equal(w.first) {
		r.Seen = ago(w.Now, n.Seen())
	}
	a := n.Assess
	if a.Status != status.Current {
		r.Status, r.Reason, r.Retries = a.Status, a.Reason, a.Retrying
	} else if n.currentAt != n.seenAt {
		r.Current = ago(w.Now, n.Current())
	}
	if !tellsSince(n) {
		r.Since = ago(w.Now, n.Since)
	}
	r.Fault = ago(w.Now, a.FaultSince)
	if len(a.Crashes) > 0 {
		r.Crashes = &a.Crashes
	}
	if !n.Changed().Equal(lastChange(n.Object, w.Now)) {
		r.Changed = ago(w.Now, n.Changed())
	}
	if n.movedAt != n.changedAt {
		r.Moved = ago(w.Now, n.Moved())
	}
	if n.took >= time.Second && (n.currentAt == 0 || n.took != n.Current().Sub(w.opt.Now)) {
		r.Took = int64(n.took)
	}
	if r.Current != 0 && n.currentAt == n.changedAt {
		r.Current = feed.SinceChanged
	}
	return r
}

// tellsSince reports whether a Pod's own fields say since when it is Current:
// there are many of them.
func tellsSince(n *Node) bool {
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

// Restoring works in place: most objects of one moment exist at another, in
// other versions, so the tree and its indexes are kept. It first forgets
// everything but those, takes in the parts of a memory, drops what none of them
// contains, and judges everything once.

// recalled is what is restored of a node.
type recalled struct {
	node *Node
	*feed.Remembered
}

// Renew begins to restore: everything is invalid but the tree, whose objects
// are still the old ones.
func (w *World) Renew() {
	fresh := New(w.opt)
	fresh.Nodes, fresh.uids, fresh.owners, fresh.waiting, fresh.pointed, fresh.pointing = w.Nodes, w.uids, w.owners, w.waiting, w.pointed, w.pointing
	fresh.rootless, fresh.kinds, fresh.sorted = w.rootless, w.kinds, w.sorted
	fresh.Counts, fresh.required, fresh.Generated, fresh.Assumed = w.Counts, w.required, w.Generated, w.Assumed
	fresh.open, fresh.openRoots, fresh.opened = w.open, w.openRoots, w.opened
	fresh.said, fresh.scratch, fresh.levels = w.said, w.scratch, w.levels
	fresh.Epoch, fresh.Structure, fresh.topReorder, fresh.topsChanged = w.Epoch+1, w.Structure+1, true, true
	fresh.Restoring, fresh.unmetRoots = true, len(w.Roots)
	for _, nodes := range w.kinds {
		fresh.unmetObjects += len(nodes)
	}
	*w = *fresh
	for i := range w.levels {
		clear(w.levels[i])
		w.levels[i] = w.levels[i][:0]
	}
	for _, n := range w.Nodes {
		n.past, n.absent, n.rootMet, n.objMet = noPast, false, false, false
		n.Since, n.changedAt, n.movedAt, n.currentAt, n.took = time.Time{}, 0, 0, 0, 0
		n.judged, n.objJudged, n.dirty, n.objDirty = false, false, false, false // the status stays until then: it is in the tallies
		n.Lead = lead{Node: n}
		n.wanted, n.Arranged = 0, 0
		n.Reorder, n.Grouped, n.Gauged, n.AutoOpen, n.Place = true, false, false, false, 0
	}
}

// Restore takes in a part of a memory.
func (w *World) Restore(m *feed.Memory) {
	w.Now, w.heard, w.first = m.At, true, w.opt.Now
	w.Verdict, w.VerdictSince, w.Moving, w.Began = m.Verdict, m.Since, m.Moving, m.Began
	rest := m.State
	for i := range rest.Roots {
		w.restoreRoot(&rest.Roots[i])
	}
	for _, o := range rest.Objects {
		if o != nil {
			w.restoreObject(o)
		}
	}
	w.restoreEvents(rest.Events)
	rest.Roots, rest.Objects, rest.Events = nil, nil, nil
	if len(rest.Absent)+len(rest.Sources)+len(rest.Notices) > 0 || rest.Synced || rest.Skew != 0 {
		w.take(&rest)
	}
	for i := range m.Objects {
		if n := w.Nodes[m.Objects[i].ID]; n != nil {
			w.recall(n, &m.Objects[i])
			w.recalled = append(w.recalled, recalled{n, &m.Objects[i]})
		}
	}
	for _, t := range m.History {
		w.record(t, nil)
	}
	for _, d := range m.Deleted {
		w.ghosts[d.Parent] = append(w.ghosts[d.Parent], d.Object)
	}
}

// restoreRoot is applyRoot for a node that may have been a root.
func (w *World) restoreRoot(r *feed.Root) {
	n := w.Nodes[r.ID]
	if n != nil && n.Root != nil && !n.rootMet {
		n.rootMet = true
		w.unmetRoots--
		if *n.Root == *r {
			w.rootSeq++
			n.seq = w.rootSeq
			i, _ := slices.BinarySearchFunc(w.Roots, n, asAsked)
			w.Roots = slices.Insert(w.Roots, i, n)
			w.slow = nil
			w.stamp(n)
			w.touch(n)
			return
		}
		was := *n.Root
		was.Removed = true
		w.applyRoot(&was) // reset every field of the old root
	}
	w.applyRoot(r)
	w.Nodes[r.ID].rootMet = true
}

// restoreObject is applyObject with a fast path for an unchanged version.
func (w *World) restoreObject(o *object.Object) {
	n := w.Nodes[o.ID]
	if n != nil && n.Object != nil && !n.objMet {
		w.unmetObjects--
	}
	if n != nil && n.Object != nil && n.Object.UID == o.UID && sameOffers(n.Object, o) && sameReferences(n.Object, o) {
		n.is(o)
		n.objDirty = true
		w.candidates = append(w.candidates, n)
		w.touch(n)
	} else {
		w.applyObject(o)
		n = w.Nodes[o.ID]
		n.past = noPast
	}
	n.seenAt, n.objMet = momentOf(w.first), true
}

// restoreEvents takes lists that it must not modify: see applyEvent.
func (r *records) restoreEvents(list []feed.Event) {
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].About == list[0].About {
			n++
		}
		about := list[0].About
		run := list[max(0, n-eventsHeld):n:n]
		if was := r.events[about]; len(was) > 0 {
			run = append(slices.Clip(was), run...)
			run = run[max(0, len(run)-eventsHeld):]
		}
		r.events[about] = run
		list = list[n:]
	}
}

// Restored ends restoring: what no part contained is dropped, and the rest is
// judged.
func (w *World) Restored() {
	if w.unmetRoots != 0 || w.unmetObjects != 0 {
		w.dropUnmet()
	}
	w.resettle()
	w.settle()
	for _, r := range w.recalled {
		if w.stands(r.node) || w.Nodes[*r.node.ID] == r.node {
			w.date(r.node, r.Remembered)
		}
	}
	w.Restoring, w.respecs, w.wantsChanged, w.recalled = false, nil, true, nil
	w.Unexplained = true
}

// dropUnmet drops what no part contained.
func (w *World) dropUnmet() {
	for _, n := range w.Nodes {
		if n.Root != nil && !n.rootMet {
			was := *n.Root
			was.Removed = true
			w.applyRoot(&was)
		}
		if n.Object != nil && !n.objMet {
			w.forget(n)
			w.prune(n)
		}
	}
}

// undated sets the times of n, which has just been judged, to those of a first
// look.
func (w *World) undated(n *Node) {
	n.changedAt = momentOf(lastChange(n.Object, w.Now))
	n.movedAt, n.took = n.changedAt, 0
	w.movedKnown, w.slow = false, nil
	if n.currentAt != 0 {
		n.currentAt = n.seenAt
		n.took = max(n.Current().Sub(w.opt.Now), 0)
	}
}

// date sets the remembered times of an object.
func (w *World) date(n *Node, r *feed.Remembered) {
	w.movedKnown, w.slow = false, nil
	if r.Changed != 0 {
		n.changedAt = momentOf(whenAgo(w.Now, r.Changed))
		n.movedAt = n.changedAt
	}
	if r.Moved != 0 {
		n.movedAt = momentOf(whenAgo(w.Now, r.Moved))
	}
	switch {
	case r.Current == 0 || n.currentAt == 0:
	case r.Current == feed.SinceChanged:
		n.currentAt = n.changedAt
	default:
		n.currentAt = momentOf(whenAgo(w.Now, r.Current))
	}
	if n.took = time.Duration(r.Took); r.Took == 0 && n.currentAt != 0 {
		n.took = max(n.Current().Sub(w.opt.Now), 0)
	}
	if r.Lost != 0 {
		n.Own().lost = r.Lost
	}
	if r.LostAt != 0 {
		n.Own().lostSince = whenAgo(w.Now, r.LostAt)
	}
}

// recall makes the remembered assessment the previous one of the next
// judgement.
func (w *World) recall(n *Node, r *feed.Remembered) {
	if r.Seen != 0 {
		n.seenAt = momentOf(whenAgo(w.Now, r.Seen))
	}
	if r.Gone != 0 {
		n.Own().gone = whenAgo(w.Now, r.Gone)
	}
	a := status.Assessment{Status: cmp.Or(r.Status, status.Current), Reason: r.Reason, Retrying: r.Retries, Deciding: -1}
	if r.Since != 0 {
		a.Since = whenAgo(w.Now, r.Since)
	}
	if r.Fault != 0 {
		a.FaultSince = whenAgo(w.Now, r.Fault)
	}
	if r.Crashes != nil {
		a.Crashes = *r.Crashes
	}
	w.count(n, -1)
	was := n.Rank()
	w.decide(n, &a)
	n.judged, n.objJudged = true, n.Object != nil
	w.count(n, 1)
	if is := n.Rank(); is != was {
		w.shift(n, was, is)
	}
}

// Pass advances the time: judgements that change with time are made at their
// own times.
func (w *World) Pass(until time.Time) {
	for len(w.recheck) > 0 && w.recheck[0].at.Before(until) {
		w.Tick(w.recheck[0].at)
	}
}

// Replayed reports whether a recording is played.
func (l *link) Replayed() bool { return l.replayed }

// findLive indexes the live sources. A recording cannot be asked: whether all
// children of an object are known depends on what was followed when it was
// made.
func (l *link) findLive() {
	if !l.Replayed() {
		return
	}
	l.live = map[kindIn][]feed.SourceState{}
	for _, s := range l.Sources {
		if s.Phase == feed.Live && s.Name == "" {
			k := kindIn{s.Group, s.Kind, s.Namespace}
			l.live[k] = append(l.live[k], s)
		}
	}
}

// followed reports whether all children of n were followed.
func (l *link) followed(n *Node) bool {
	if n.Object == nil {
		return false
	}
	for _, need := range edges.Needs(n.Object) {
		if n.Object.Service != nil && need.Kind == "Pod" {
			continue // the endpoints suffice
		}
		covers := func(s feed.SourceState) bool { return s.Selector == "" || s.Selector == edges.Format(need.Selector) }
		if !slices.ContainsFunc(l.live[kindIn{need.Group, need.Kind, need.Namespace}], covers) &&
			!slices.ContainsFunc(l.live[kindIn{need.Group, need.Kind, ""}], covers) && !l.sees(edges.Instead(need)) {
			return false
		}
	}
	return true
}
