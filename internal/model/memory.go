package model

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

// A recording is played from the middle by beginning with what its recorder
// knew there. This file takes that down and brings it back. The objects alone
// would not do: since when something is as it is, what happened before, and how
// an undated fault is to be judged is known only to who was there.

const (
	historyKept = 2000
	noticesKept = 50
)

// ago is a moment as a memory holds it: one more than the nanoseconds before
// the memory's, so that 0 can stand for none.
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

// memory takes down everything that is known after the batch numbered seq.
func (w *world) memory(seq uint64) feed.Memory {
	m := feed.Memory{At: w.now, Seq: seq, Verdict: w.verdict, Since: w.verdictSince, Moving: w.moving, Began: w.began}
	s := &m.State
	s.At, s.Synced, s.Skew = w.now, w.synced, feed.Duration(w.skew)
	for _, n := range w.roots {
		s.Roots = append(s.Roots, *n.root)
	}
	s.Absent = slices.Collect(maps.Keys(w.missing))
	nodes := slices.SortedFunc(maps.Values(w.nodes), byID)
	s.Objects = make([]*object.Object, 0, len(nodes))
	for _, n := range nodes {
		if n.obj != nil {
			s.Objects = append(s.Objects, n.obj)
		} else if n.absent && !w.missing[*n.id] {
			s.Absent = append(s.Absent, *n.id)
		}
		if r := w.remembered(n); r != (feed.Remembered{ID: *n.id}) {
			m.Objects = append(m.Objects, r)
		}
		s.Events = append(s.Events, w.events[*n.id]...)
		for _, o := range w.ghosts[*n.id] {
			m.Deleted = append(m.Deleted, feed.Deleted{Parent: *n.id, Object: o})
		}
	}
	slices.SortFunc(s.Absent, object.ID.Compare)
	s.Sources = slices.SortedFunc(maps.Values(w.sources), func(a, b feed.SourceState) int { return strings.Compare(a.Key, b.Key) })
	for i := max(0, w.notices.len()-noticesKept); i < w.notices.len(); i++ {
		s.Notices = append(s.Notices, w.notices.at(i))
	}
	for i := max(0, w.history.len()-historyKept); i < w.history.len(); i++ {
		m.History = append(m.History, w.history.at(i))
	}
	return m
}

// remembered is what is known of n beside its object, as far as who sees the
// object for the first time would think otherwise.
func (w *world) remembered(n *node) feed.Remembered {
	r := feed.Remembered{ID: *n.id, Gone: ago(w.now, n.gone)}
	if n.lost > 0 && w.now.Sub(n.lostSince) <= lostWindow {
		r.Lost, r.LostAt = n.lost, ago(w.now, n.lostSince)
	}
	if n.obj == nil && n.root == nil {
		return r
	}
	if !n.seen().Equal(w.first) {
		r.Seen = ago(w.now, n.seen())
	}
	a := n.assess
	if a.Status != status.Current {
		r.Status, r.Reason, r.Retries = a.Status, a.Reason, a.Retrying
	} else if n.currentAt != n.seenAt {
		r.Current = ago(w.now, n.current())
	}
	if !tellsSince(n) {
		r.Since = ago(w.now, n.since)
	}
	r.Fault = ago(w.now, a.FaultSince)
	if len(a.Crashes) > 0 {
		r.Crashes = &a.Crashes
	}
	if !n.changed().Equal(lastChange(n.obj, w.now)) {
		r.Changed = ago(w.now, n.changed())
	}
	if n.movedAt != n.changedAt {
		r.Moved = ago(w.now, n.moved())
	}
	if n.took >= time.Second && (n.currentAt == 0 || n.took != n.current().Sub(w.opt.Now)) {
		r.Took = int64(n.took)
	}
	if r.Current != 0 && n.currentAt == n.changedAt {
		r.Current = feed.SinceChanged
	}
	return r
}

// tellsSince reports whether a pod says itself since when it is fine: there are
// many of them.
func tellsSince(n *node) bool {
	o := n.obj
	if o == nil || o.Pod == nil || n.assess.Status != status.Current {
		return false
	}
	c := o.Condition("Ready")
	return c != nil && c.LastTransitionTime.Equal(n.since)
}

// lastChange is when an object changed as far as it tells itself.
func lastChange(o *object.Object, now time.Time) time.Time {
	if o == nil {
		return time.Time{}
	}
	if t := cmp.Or(o.Changed, o.Created); !t.After(now) {
		return t
	}
	return now
}

// Restoring is done in place: the objects of one moment are mostly those of
// another, in other versions, and the tree of them, its indexes and their room
// stay as they are. It begins with forgetting everything but that, takes in the
// parts of a memory, drops what was in none of them, and judges the whole once.

// recalled is what is remembered of a node.
type recalled struct {
	node *node
	*feed.Remembered
}

// renew begins to restore: everything is void but the tree, whose objects are
// still those of before.
func (w *world) renew() {
	fresh := newWorld(w.opt)
	fresh.nodes, fresh.uids, fresh.owners, fresh.waiting, fresh.pointed, fresh.pointing = w.nodes, w.uids, w.owners, w.waiting, w.pointed, w.pointing
	fresh.rootless, fresh.top, fresh.kinds, fresh.sorted = w.rootless, w.top, w.kinds, w.sorted
	fresh.counts, fresh.required, fresh.generated, fresh.assumed = w.counts, w.required, w.generated, w.assumed
	fresh.open, fresh.openRoots, fresh.opened = w.open, w.openRoots, w.opened
	fresh.said, fresh.scratch, fresh.levels = w.said, w.scratch, w.levels
	fresh.epoch, fresh.structure, fresh.topReorder, fresh.topsChanged = w.epoch+1, w.structure+1, true, true
	fresh.restoring, fresh.unmetRoots = true, len(w.roots)
	for _, nodes := range w.kinds {
		fresh.unmetObjects += len(nodes)
	}
	*w = *fresh
	for i := range w.levels {
		clear(w.levels[i])
		w.levels[i] = w.levels[i][:0]
	}
	for _, n := range w.nodes {
		n.past, n.absent, n.rootMet, n.objMet = noPast, false, false, false
		n.since, n.changedAt, n.movedAt, n.currentAt, n.took = time.Time{}, 0, 0, 0, 0
		n.judged, n.objJudged, n.dirty, n.objDirty = false, false, false, false // the status stays until then: it is counted
		n.lead = lead{node: n}
		n.wanted, n.arranged = 0, 0
		n.reorder, n.grouped, n.gauged, n.autoOpen, n.place = true, false, false, false, 0
	}
}

// restore takes in a part of a memory.
func (w *world) restore(m *feed.Memory) {
	w.now, w.heard, w.first = m.At, true, w.opt.Now
	w.verdict, w.verdictSince, w.moving, w.began = m.Verdict, m.Since, m.Moving, m.Began
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
		if n := w.nodes[m.Objects[i].ID]; n != nil {
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

// restoreRoot is applyRoot onto what may have been a root before.
func (w *world) restoreRoot(r *feed.Root) {
	n := w.nodes[r.ID]
	if n != nil && n.root != nil && !n.rootMet {
		n.rootMet = true
		w.unmetRoots--
		if *n.root == *r {
			w.rootSeq++
			n.seq = w.rootSeq
			i, _ := slices.BinarySearchFunc(w.roots, n, asAsked)
			w.roots = slices.Insert(w.roots, i, n)
			w.slow = nil
			w.stamp(n)
			w.touch(n)
			return
		}
		was := *n.root
		was.Removed = true
		w.applyRoot(&was) // nothing of what it was is to be left
	}
	w.applyRoot(r)
	w.nodes[r.ID].rootMet = true
}

// restoreObject is applyObject, quick where only the version is another one.
func (w *world) restoreObject(o *object.Object) {
	n := w.nodes[o.ID]
	if n != nil && n.obj != nil && !n.objMet {
		w.unmetObjects--
	}
	if n != nil && n.obj != nil && n.obj.UID == o.UID && sameOffers(n.obj, o) && sameReferences(n.obj, o) {
		n.is(o)
		n.objDirty = true
		w.candidates = append(w.candidates, n)
		w.touch(n)
	} else {
		w.applyObject(o)
		n = w.nodes[o.ID]
		n.past = noPast
	}
	n.seenAt, n.objMet = momentOf(w.first), true
}

// restoreEvents takes over lists that are not ours: see applyEvent.
func (w *world) restoreEvents(list []feed.Event) {
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].About == list[0].About {
			n++
		}
		about := list[0].About
		run := list[max(0, n-eventsHeld):n:n]
		if was := w.events[about]; len(was) > 0 {
			run = append(slices.Clip(was), run...)
			run = run[max(0, len(run)-eventsHeld):]
		}
		w.events[about] = run
		list = list[n:]
	}
}

// restored ends restoring: what was in no part goes, and the rest is judged.
func (w *world) restored() {
	if w.unmetRoots != 0 || w.unmetObjects != 0 {
		w.dropUnmet()
	}
	w.resettle()
	w.settle()
	for _, r := range w.recalled {
		if w.stands(r.node) || w.nodes[*r.node.id] == r.node {
			w.date(r.node, r.Remembered)
		}
	}
	w.restoring, w.respecs, w.wantsChanged, w.recalled = false, nil, true, nil
	w.unexplained = true
}

// dropUnmet drops what no part has spoken of.
func (w *world) dropUnmet() {
	for _, n := range w.nodes {
		if n.root != nil && !n.rootMet {
			was := *n.root
			was.Removed = true
			w.applyRoot(&was)
		}
		if n.obj != nil && !n.objMet {
			w.forget(n)
			w.prune(n)
		}
	}
}

// undated gives n, which has just been judged, the moments of who sees it for the
// first time and it has not changed since it was first seen.
func (w *world) undated(n *node) {
	n.changedAt = momentOf(lastChange(n.obj, w.now))
	n.movedAt, n.took = n.changedAt, 0
	w.movedKnown, w.slow = false, nil
	if n.currentAt != 0 {
		n.currentAt = n.seenAt
		n.took = max(n.current().Sub(w.opt.Now), 0)
	}
}

// date gives an object the moments that are remembered of it.
func (w *world) date(n *node, r *feed.Remembered) {
	w.movedKnown, w.slow = false, nil
	if r.Changed != 0 {
		n.changedAt = momentOf(whenAgo(w.now, r.Changed))
		n.movedAt = n.changedAt
	}
	if r.Moved != 0 {
		n.movedAt = momentOf(whenAgo(w.now, r.Moved))
	}
	switch {
	case r.Current == 0 || n.currentAt == 0:
	case r.Current == feed.SinceChanged:
		n.currentAt = n.changedAt
	default:
		n.currentAt = momentOf(whenAgo(w.now, r.Current))
	}
	if n.took = time.Duration(r.Took); r.Took == 0 && n.currentAt != 0 {
		n.took = max(n.current().Sub(w.opt.Now), 0)
	}
	if r.Lost != 0 {
		n.own().lost = r.Lost
	}
	if r.LostAt != 0 {
		n.own().lostSince = whenAgo(w.now, r.LostAt)
	}
}

// recall makes what is remembered of an object the judgement before the one that
// is to come.
func (w *world) recall(n *node, r *feed.Remembered) {
	if r.Seen != 0 {
		n.seenAt = momentOf(whenAgo(w.now, r.Seen))
	}
	if r.Gone != 0 {
		n.own().gone = whenAgo(w.now, r.Gone)
	}
	a := status.Assessment{Status: cmp.Or(r.Status, status.Current), Reason: r.Reason, Retrying: r.Retries, Deciding: -1}
	if r.Since != 0 {
		a.Since = whenAgo(w.now, r.Since)
	}
	if r.Fault != 0 {
		a.FaultSince = whenAgo(w.now, r.Fault)
	}
	if r.Crashes != nil {
		a.Crashes = *r.Crashes
	}
	w.count(n, -1)
	was := n.rank()
	w.decide(n, &a)
	n.judged, n.objJudged = true, n.obj != nil
	w.count(n, 1)
	if is := n.rank(); is != was {
		w.shift(n, was, is)
	}
}

// pass lets time pass up to a moment: what is judged anew by the passing of
// time is judged at its own moment, whenever somebody looks.
func (w *world) pass(until time.Time) {
	for len(w.recheck) > 0 && w.recheck[0].at.Before(until) {
		w.tick(w.recheck[0].at)
	}
}

// replayed reports whether a recording is behind it all.
func (w *world) replayed() bool { return w.opt.Recording != "" }

// findLive sorts the live sources by what they tell about. A recording cannot be
// asked for anything: whether all children of something are known depends on
// what was followed while it was made.
func (w *world) findLive() {
	if !w.replayed() {
		return
	}
	w.live = map[kindIn][]feed.SourceState{}
	for _, s := range w.sources {
		if s.Phase == feed.Live && s.Name == "" {
			k := kindIn{s.Group, s.Kind, s.Namespace}
			w.live[k] = append(w.live[k], s)
		}
	}
}

// followed reports whether all children of n were followed.
func (w *world) followed(n *node) bool {
	if n.obj == nil {
		return false
	}
	for _, need := range edges.Needs(n.obj) {
		if n.obj.Service != nil && need.Kind == "Pod" {
			continue // the endpoints tell
		}
		covers := func(s feed.SourceState) bool { return s.Selector == "" || s.Selector == edges.Format(need.Selector) }
		if !slices.ContainsFunc(w.live[kindIn{need.Group, need.Kind, need.Namespace}], covers) &&
			!slices.ContainsFunc(w.live[kindIn{need.Group, need.Kind, ""}], covers) && !w.sees(edges.Instead(need)) {
			return false
		}
	}
	return true
}
