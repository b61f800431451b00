package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
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
func (w *world) memory(seq uint64) status.Memory {
	m := status.Memory{At: w.now, Seq: seq, Verdict: w.verdict, Since: w.verdictSince, Moving: w.moving}
	s := &m.State
	s.At, s.Synced, s.Skew = w.now, w.synced, status.Duration(w.skew)
	for _, n := range w.roots {
		s.Roots = append(s.Roots, *n.root)
	}
	s.Absent = slices.Collect(maps.Keys(w.missing))
	nodes := slices.SortedFunc(maps.Values(w.nodes), byID)
	s.Objects = make([]*status.Object, 0, len(nodes))
	for _, n := range nodes {
		if n.obj != nil {
			s.Objects = append(s.Objects, n.obj)
		} else if n.absent && !w.missing[n.id] {
			s.Absent = append(s.Absent, n.id)
		}
		if r := w.remembered(n); r != (status.Remembered{ID: n.id}) {
			m.Objects = append(m.Objects, r)
		}
		s.Events = append(s.Events, w.events[n.id]...)
		for _, o := range w.ghosts[n.id] {
			m.Deleted = append(m.Deleted, status.Deleted{Parent: n.id, Object: o})
		}
	}
	slices.SortFunc(s.Absent, status.ID.Compare)
	s.Sources = slices.SortedFunc(maps.Values(w.sources), func(a, b status.SourceState) int { return strings.Compare(a.Key, b.Key) })
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
func (w *world) remembered(n *node) status.Remembered {
	r := status.Remembered{ID: n.id, Gone: ago(w.now, n.gone)}
	if n.lost > 0 && w.now.Sub(n.lostSince) <= lostWindow {
		r.Lost, r.LostAt = n.lost, ago(w.now, n.lostSince)
	}
	if n.obj == nil && n.root == nil {
		return r
	}
	if !n.seen.Equal(w.first) {
		r.Seen = ago(w.now, n.seen)
	}
	a := n.assess
	if a.Status != status.Current {
		r.Status, r.Reason, r.Retries = a.Status, a.Reason, a.Retrying
	} else if !n.current.Equal(n.seen) {
		r.Current = ago(w.now, n.current)
	}
	if !tellsSince(n) {
		r.Since = ago(w.now, n.since)
	}
	r.Fault = ago(w.now, a.FaultSince)
	if !n.changed.Equal(lastChange(n.obj, w.now)) {
		r.Changed = ago(w.now, n.changed)
	}
	if !n.moved.Equal(n.changed) {
		r.Moved = ago(w.now, n.moved)
	}
	if n.took >= time.Second && (n.current.IsZero() || n.took != n.current.Sub(w.opt.Now)) {
		r.Took = int64(n.took)
	}
	if r.Current != 0 && n.current.Equal(n.changed) {
		r.Current = status.SinceChanged
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
func lastChange(o *status.Object, now time.Time) time.Time {
	if o == nil {
		return time.Time{}
	}
	if t := cmp.Or(o.Changed, o.Created); !t.After(now) {
		return t
	}
	return now
}

// restore makes an empty world the one that a memory was taken of.
func (w *world) restore(m *status.Memory) {
	w.now, w.heard, w.first = m.At, true, w.opt.Now
	w.verdict, w.verdictSince, w.moving = m.Verdict, m.Since, m.Moving
	for _, t := range m.History {
		w.record(t, nil)
	}
	w.take(&m.State)
	for i := range m.Objects {
		w.recall(&m.Objects[i])
	}
	w.restoring = true
	w.settle()
	w.restoring = false
	for _, n := range w.nodes {
		n.changed = lastChange(n.obj, w.now)
		n.moved, n.took = n.changed, 0
		if !n.current.IsZero() {
			n.current = n.seen
			n.took = max(n.current.Sub(w.opt.Now), 0)
		}
	}
	for i := range m.Objects {
		r := &m.Objects[i]
		n := w.nodes[r.ID]
		if n == nil {
			continue
		}
		if r.Changed != 0 {
			n.changed = whenAgo(w.now, r.Changed)
			n.moved = n.changed
		}
		if r.Moved != 0 {
			n.moved = whenAgo(w.now, r.Moved)
		}
		switch {
		case r.Current == 0 || n.current.IsZero():
		case r.Current == status.SinceChanged:
			n.current = n.changed
		default:
			n.current = whenAgo(w.now, r.Current)
		}
		if n.took = time.Duration(r.Took); r.Took == 0 && !n.current.IsZero() {
			n.took = max(n.current.Sub(w.opt.Now), 0)
		}
		if r.Lost != 0 {
			n.own().lost = r.Lost
		}
		if r.LostAt != 0 {
			n.own().lostSince = whenAgo(w.now, r.LostAt)
		}
	}
	for _, d := range m.Deleted {
		w.ghosts[d.Parent] = append(w.ghosts[d.Parent], d.Object)
	}
}

// recall makes what is remembered of an object the judgement before the one that
// is to come.
func (w *world) recall(r *status.Remembered) {
	n := w.nodes[r.ID]
	if n == nil {
		return
	}
	n.seen = w.first
	if r.Seen != 0 {
		n.seen = whenAgo(w.now, r.Seen)
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
	w.live = map[kindIn][]status.SourceState{}
	for _, s := range w.sources {
		if s.Phase == status.Live && s.Name == "" {
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
		covers := func(s status.SourceState) bool { return s.Selector == "" || s.Selector == edges.Format(need.Selector) }
		if !slices.ContainsFunc(w.live[kindIn{need.Group, need.Kind, need.Namespace}], covers) &&
			!slices.ContainsFunc(w.live[kindIn{need.Group, need.Kind, ""}], covers) && !w.sees(edges.Instead(need)) {
			return false
		}
	}
	return true
}
