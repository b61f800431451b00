package model

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
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
	shown
	needs   []explain.Need
	resting []object.ID // what the causes rest on
	at      time.Time   // when it was last begun
	stepped time.Time   // when something was last done about it
	ran     bool        // it has been begun
	roots   []object.ID
	rootSeq int32
	needsAt time.Time

	// fresh are the causes that have been found and are not shown yet, while news
	// says so.
	fresh []Cause
	news  bool
	of    causesOf
}

// explainEvery is the least time between two explanations: causes need not be
// quicker than the eye.
const explainEvery = 100 * time.Millisecond

// A screen must not wait for an explanation: so much of it is done with a batch
// or a tick (about half a millisecond's work), of which one comes after stepEvery where
// nothing else happens.
const (
	stepEffort = 7000
	rowCost    = 1 // of making a row, in the same measure
	stepEvery  = 16 * time.Millisecond
)

func newExplaining(w *world) *explaining {
	return &explaining{x: explain.NewExplainer(), snapshot: w.snapshot(), shown: newShown()}
}

// pending reports whether something calls for another explanation.
func (x *explaining) pending(w *world) bool {
	if !x.ran {
		return len(w.roots) > 0
	}
	if w.hasNews() || x.overdue(w) {
		return true
	}
	due := x.x.Due()
	return !due.IsZero() && !due.After(w.now)
}

// busy reports whether an explanation is under way.
func (x *explaining) busy() bool { return x.news || x.turn != nil || x.x.Working() }

// begin takes in what has changed.
func (x *explaining) begin(w *world) {
	if x.roots == nil || len(x.roots) != len(w.roots) || x.rootSeq != w.rootSeq {
		x.roots, x.rootSeq = make([]object.ID, len(w.roots)), w.rootSeq
		for i, n := range w.roots {
			x.roots[i] = *n.id
		}
	}
	news := w.tidings(!x.ran)
	w.untell()
	x.at, x.ran = w.now, true
	if w.opt.Explain != nil {
		x.fresh, x.news = w.opt.Explain(), true
		return
	}
	s := x.snapshot
	s.Now = w.now
	x.x.Begin(s, x.roots, news)
}

// step goes on with what begin has begun, and reports whether that is done: the
// causes are the new ones then.
func (x *explaining) step(w *world, effort int) (done bool) {
	x.stepped = w.now
	if !x.news && x.turn == nil {
		if x.fresh, x.news = x.x.Step(effort); !x.news {
			return false
		}
		if rest := x.x.Resting(); !slices.Equal(rest, x.resting) {
			x.resting = slices.Clone(rest)
			w.wantsChanged = true
		}
		if len(x.fresh) > effort/settleCost/2 {
			return false // enough for once
		}
	}
	if x.news {
		x.turnTo(w, x.fresh)
		x.fresh, x.news = nil, false
	}
	if !x.goOn(w, &effort) {
		return false
	}
	if x.settled && w.now.Sub(x.needsAt) < time.Second {
		return true
	}
	x.needsAt = w.now
	if needs := x.x.Needs(); !sameSlice(needs, x.needs) {
		x.needs = needs
		w.wantsChanged = true
	}
	return true
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
func (x *explaining) refs(w *world, limit int) []object.ID {
	var ids []object.ID
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
func (w *world) follows(id object.ID) bool {
	if n := w.nodes[id]; n != nil && n.inTree {
		return true
	}
	for key, s := range w.sources {
		if s.Group == id.Group && s.Kind == id.Kind && s.Phase == feed.Live && s.Selector == "" && s.Name == "" &&
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

// causesOf is an answer of CausesOf, which is asked for several times a frame.
type causesOf struct {
	key    causesKey
	causes []Cause
}

type causesKey struct {
	id     object.ID
	runs   uint64
	frozen *picture
}

// CausesOf are the causes that the object itself shows, or that keep it from
// Current, most important first. The list is not the caller's to change.
func (m Model) CausesOf(id object.ID) []Cause {
	n := m.seen().nodes[id]
	if n == nil {
		return nil
	}
	key := causesKey{id, m.x.runs, m.frozen}
	if m.x.of.key != key || key.runs == 0 {
		m.x.of = causesOf{key, m.findCausesOf(n)}
	}
	return m.x.of.causes
}

func (m Model) findCausesOf(n *node) []Cause {
	var out []Cause
	all := m.Causes()
	traces := ^trace(0)
	if m.frozen == nil {
		traces = tracesOf(n)
	}
	for i := range all {
		if m.frozen == nil && m.x.standing[i].traces&traces == 0 {
			continue
		}
		if m.seen().shows(n, &all[i]) {
			out = append(out, all[i])
		}
	}
	if len(out) > 0 {
		return append(out, m.healedOf(n)...)
	}
	// One of the many that a cause counts but does not list.
	for _, f := range m.x.x.Findings(*n.id) {
		for i := range all {
			if c := &all[i]; c.Code == f.Code && c.Count > len(c.Objects) {
				out = append(out, *c)
				break
			}
		}
	}
	return append(out, m.healedOf(n)...)
}

// healedOf are the causes that kept the object from Current until a moment ago.
func (m Model) healedOf(n *node) (out []Cause) {
	for i := range m.x.healed {
		if m.w.shows(n, &m.x.healed[i]) {
			out = append(out, m.x.healed[i])
		}
	}
	return out
}

func (w *world) shows(n *node, c *Cause) bool {
	if c.Subject.ID == *n.id || slices.Contains(c.Blocks, *n.id) || slices.Contains(c.Chain, *n.id) {
		return true
	}
	if len(n.kids) == 0 { // nothing stands below it
		return slices.Contains(c.Objects, *n.id)
	}
	for _, id := range c.Objects {
		if k := w.nodes[id]; k != nil && k.below(n) {
			return true
		}
	}
	return false
}
