package model

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// What causes are made of, under the names by which screens know them.
type (
	Cause    = explain.Cause
	Subject  = explain.Subject
	Evidence = explain.Evidence
	Change   = explain.Change
	Symptom  = explain.Symptom
)

// explaining keeps the causes.
type explaining struct {
	x        *explain.Explainer
	snapshot explain.Snapshot
	causes   []Cause
	needs    []explain.Need
	resting  []status.ID // what the causes rest on
	at       time.Time
	ran      bool
	settled  bool // once everything that was wanted had been answered
	roots    []status.ID
	rootSeq  int32
	needsAt  time.Time
	// held are the causes that are still shown though they are not found any
	// more, by id, and since when.
	held map[string]time.Time
	// healed are those that have been gone for longer, struck through.
	healed []Cause
	// began is when a cause was first found, and since when it lasts as far as
	// anything ever told.
	began map[string]begin
	// unsettled is since when the order of causes is another than the shown one.
	unsettled time.Time
}

type begin struct{ found, since time.Time }

// holdFor is how long a cause stays on the screen after it was last found: a
// container that crashes runs for a moment in between, and the line must not
// blink with it.
const holdFor = 2 * time.Second

// struckFor is how long a cause that has gone is still shown, struck through.
const struckFor = 10 * time.Second

// explainEvery is the least time between two explanations: causes need not be
// quicker than the eye.
const explainEvery = 100 * time.Millisecond

func newExplaining(w *world) *explaining {
	return &explaining{x: explain.NewExplainer(), snapshot: w.snapshot(), held: map[string]time.Time{}, began: map[string]begin{}}
}

// pending reports whether something calls for another explanation.
func (x *explaining) pending(w *world) bool {
	if !x.ran {
		return len(w.roots) > 0
	}
	if len(w.affected) > 0 {
		return true
	}
	for _, since := range x.held {
		if w.now.Sub(since) >= holdFor {
			return true
		}
	}
	for i := range x.healed {
		if w.now.Sub(x.healed[i].Healed) >= struckFor {
			return true
		}
	}
	if !x.unsettled.IsZero() && w.now.Sub(x.unsettled) >= holdFor {
		return true
	}
	due := x.x.Due()
	return !due.IsZero() && !due.After(w.now)
}

// hold adds to the causes those that were shown and have just gone, each where
// it was, for as long as something that it kept from Current still is not. What
// has gone for good is healed. A blink is neither: while children are still on
// their way, a parent's word is taken for a cause for a moment.
func (x *explaining) hold(w *world, fresh []Cause) []Cause {
	if len(x.causes)+len(x.healed) == 0 {
		return fresh
	}
	known := make(map[string]struct{}, len(fresh))
	for i := range fresh {
		known[fresh[i].ID] = struct{}{}
	}
	there := func(id string) bool { _, ok := known[id]; return ok }
	x.healed = slices.DeleteFunc(x.healed, func(c Cause) bool { return there(c.ID) || w.now.Sub(c.Healed) >= struckFor })
	for i, c := range x.causes {
		if there(c.ID) {
			delete(x.held, c.ID)
			continue
		}
		since, held := x.held[c.ID]
		if !held {
			since = w.now
		}
		b := x.began[c.ID]
		switch {
		case c.Class == explain.Waits || since.Sub(b.found) < holdFor || folded(fresh, &c):
			delete(x.held, c.ID)
		case w.now.Sub(since) < holdFor && slices.ContainsFunc(c.Blocks, w.unwell):
			x.held[c.ID] = since
			fresh = slices.Insert(fresh, min(i, len(fresh)), c)
		default:
			delete(x.held, c.ID)
			if len(x.healed) < mostHealed {
				c.Healed = since
				x.healed = append(x.healed, c)
			}
		}
	}
	return fresh
}

const mostHealed = 20

// folded reports whether a cause has not gone, but been explained by another.
func folded(fresh []Cause, c *Cause) bool {
	return slices.ContainsFunc(fresh, func(f Cause) bool {
		return slices.ContainsFunc(f.Symptoms, func(s explain.Symptom) bool { return s.Code == c.Code && slices.Contains(c.Objects, s.Ref) })
	})
}

// remember keeps what is older than the explanation: when a cause was first
// found, and the earliest onset that anything told. A crash loop's own fields
// tell only of its last turns.
func (x *explaining) remember(w *world, causes []Cause) {
	began := make(map[string]begin, len(causes))
	for i := range causes {
		c := &causes[i]
		b, ok := x.began[c.ID]
		if !ok {
			b.found = w.now
		}
		if b.since.IsZero() || !c.Since.IsZero() && c.Since.Before(b.since) {
			b.since = c.Since
		}
		c.Since = b.since
		began[c.ID] = b
	}
	x.began = began
}

// memory is what is known of the causes beside the world, in a fixed order.
func (x *explaining) memory(now time.Time) []status.Began {
	out := make([]status.Began, 0, len(x.began))
	for id, b := range x.began {
		out = append(out, status.Began{ID: id, Found: ago(now, b.found), Since: ago(now, b.since)})
	}
	slices.SortFunc(out, func(a, b status.Began) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// recall takes in what was known of the causes at a moment.
func (x *explaining) recall(at time.Time, causes []status.Began) {
	for _, c := range causes {
		b := begin{found: whenAgo(at, c.Found)}
		if c.Since != 0 {
			b.since = whenAgo(at, c.Since)
		}
		x.began[c.ID] = b
	}
}

// steady gives the causes the order in which they are shown: a new one does not
// push another down, and none pass each other, unless the order has been another
// for two seconds. Only what waits makes room at once.
func (x *explaining) steady(w *world, causes []Cause) []Cause {
	if len(x.causes) == 0 || !x.settled {
		x.unsettled = time.Time{}
		return causes // the first picture grows
	}
	place := make(map[string]int, len(x.causes))
	for i := range x.causes {
		place[x.causes[i].ID] = i
	}
	rank := func(c *Cause) int {
		if p, ok := place[c.ID]; ok {
			return p
		}
		return len(place)
	}
	shown := slices.Clone(causes)
	slices.SortStableFunc(shown, func(a, b Cause) int {
		if (a.Class == explain.Waits) != (b.Class == explain.Waits) {
			return 0 - cmpBool(b.Class == explain.Waits, a.Class == explain.Waits)
		}
		return rank(&a) - rank(&b)
	})
	same := slices.EqualFunc(shown, causes, func(a, b Cause) bool { return a.ID == b.ID })
	switch {
	case same:
		x.unsettled = time.Time{}
	case x.unsettled.IsZero():
		x.unsettled = w.now
	case w.now.Sub(x.unsettled) >= holdFor:
		x.unsettled = time.Time{}
		return causes
	}
	return shown
}

func (w *world) unwell(id status.ID) bool {
	n := w.nodes[id]
	return n != nil && n.obj != nil && n.assess.Status != status.Current
}

// update explains again what changed.
func (x *explaining) update(w *world) {
	if x.roots == nil || len(x.roots) != len(w.roots) || x.rootSeq != w.rootSeq {
		x.roots, x.rootSeq = make([]status.ID, len(w.roots)), w.rootSeq
		for i, n := range w.roots {
			x.roots[i] = n.id
		}
	}
	var changed []status.ID
	if x.ran { // the first time, everything below the roots is looked at anyway
		changed = make([]status.ID, 0, len(w.affected))
		for id := range w.affected {
			changed = append(changed, id)
		}
	}
	if len(w.affected) > roomy {
		w.affected = map[status.ID]struct{}{}
	} else {
		clear(w.affected)
	}
	if w.opt.Explain != nil {
		x.causes, x.at, x.ran = w.opt.Explain(), w.now, true
		return
	}
	s := x.snapshot
	s.Now = w.now
	fresh := x.x.Update(s, x.roots, changed)
	if rest := x.x.Resting(); !slices.Equal(rest, x.resting) {
		x.resting = slices.Clone(rest)
		w.wantsChanged = true
	}
	if w.opt.Screen {
		fresh = x.steady(w, x.hold(w, fresh))
	}
	x.remember(w, fresh)
	x.causes = fresh
	x.at, x.ran = w.now, true
	if x.settled && w.now.Sub(x.needsAt) < time.Second {
		return
	}
	x.needsAt = w.now
	if needs := x.x.Needs(); !sameSlice(needs, x.needs) {
		x.needs = needs
		w.wantsChanged = true
	}
}

// reading lists the logs and templates that would tell more.
func (x *explaining) reading() []explain.Need {
	if x.x == nil || len(x.causes) == 0 {
		return nil
	}
	return x.x.Reading()
}

// refs are the objects that an explanation asked for and nobody follows: what it
// lacks, and what a cause rests on, so that it heals when that changes.
func (x *explaining) refs(w *world, limit int) []status.ID {
	var ids []status.ID
	for _, id := range x.resting {
		if !w.follows(id) {
			ids = append(ids, id)
		}
	}
	for _, n := range x.needs {
		if !n.Events && !n.Template && n.Log == "" && len(ids) < limit && (len(ids) == 0 || ids[len(ids)-1] != n.ID) {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// follows reports whether an object, or all of a kind, comes by a source that is
// not a reference's.
func (w *world) follows(id status.ID) bool {
	if n := w.nodes[id]; n != nil && n.inTree {
		return true
	}
	for key, s := range w.sources {
		if s.Group == id.Group && s.Kind == id.Kind && s.Phase == status.Live && s.Selector == "" && s.Name == "" &&
			(s.Namespace == "" || s.Namespace == id.Namespace) && !strings.HasPrefix(key, "reference ") {
			return true
		}
	}
	return false
}

// Causes are the causes over everything, most important first.
func (m Model) Causes() []Cause {
	if m.frozen != nil {
		return m.frozen.causes
	}
	return m.x.causes
}

// CausesOf are the causes that the object itself shows, or that keep it from
// Current, most important first.
func (m Model) CausesOf(id status.ID) []Cause {
	n := m.seen().nodes[id]
	if n == nil {
		return nil
	}
	var out []Cause
	for _, c := range m.Causes() {
		if m.seen().shows(n, &c) {
			out = append(out, c)
		}
	}
	if len(out) > 0 {
		return append(out, m.healedOf(n)...)
	}
	// One of the many that a cause counts but does not list.
	for _, f := range m.x.x.Findings(id) {
		for _, c := range m.Causes() {
			if c.Code == f.Code && c.Count > len(c.Objects) {
				out = append(out, c)
				break
			}
		}
	}
	return append(out, m.healedOf(n)...)
}

// healedOf are the causes that kept the object from Current until a moment ago.
func (m Model) healedOf(n *node) (out []Cause) {
	for _, c := range m.x.healed {
		if m.w.shows(n, &c) {
			out = append(out, c)
		}
	}
	return out
}

func (w *world) shows(n *node, c *Cause) bool {
	if c.Subject.ID == n.id || slices.Contains(c.Blocks, n.id) || slices.Contains(c.Chain, n.id) {
		return true
	}
	if len(n.kids) == 0 { // nothing stands below it
		return slices.Contains(c.Objects, n.id)
	}
	for _, id := range c.Objects {
		if k := w.nodes[id]; k != nil && k.below(n) {
			return true
		}
	}
	return false
}
