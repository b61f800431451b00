package model

import (
	"context"
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
	Step     = explain.Step
)

// explaining keeps the causes.
type explaining struct {
	found explain.Explanation // the last
	shown
	needs   []explain.Need
	resting []object.ID // what the causes rest on
	needsAt time.Time
	of      causesOf

	ran     bool      // there has been an explanation, or it is under way
	at      time.Time // when that was begun
	running uint64    // the answer that is waited for; 0 when none is
	asked   uint64    // how many have been asked for
	took    time.Duration
}

// explainEvery is the least time between two explanations: causes need not be
// quicker than the eye. One that takes long is made again after ten times as long.
const explainEvery = 100 * time.Millisecond

// inlineMost is how many nodes are explained at once: more take longer than a
// frame may wait, and are explained off the loop, on a copy of the world.
const inlineMost = 500

func newExplaining() *explaining { return &explaining{shown: newShown()} }

// every is the least time from one explanation to the next.
func (x *explaining) every() time.Duration { return max(explainEvery, 10*x.took) }

// pending reports whether something calls for another explanation.
func (x *explaining) pending(w *world) bool {
	if !x.ran {
		return len(w.roots) > 0
	}
	due := x.found.Due
	return w.unexplained || x.overdue(w) || !due.IsZero() && !due.After(w.now)
}

// busy reports whether an explanation is under way.
func (x *explaining) busy() bool { return x.running != 0 }

// explanation is what the world amounts to now.
func (w *world) explanation() explain.Explanation {
	if w.opt.Explain != nil {
		return explain.Explanation{Causes: w.opt.Explain()}
	}
	roots := make([]object.ID, len(w.roots))
	for i, n := range w.roots {
		roots[i] = *n.id
	}
	return explain.Explain(w.snapshot(), roots)
}

// begin notes that all that has changed is being explained.
func (x *explaining) begin(w *world) {
	x.at, x.ran, x.running = w.now, true, 0
	w.unexplained = false
}

// take shows what has been found.
func (x *explaining) take(w *world, found explain.Explanation) {
	x.found = found
	if !slices.Equal(found.Resting, x.resting) {
		x.resting = found.Resting
		w.wantsChanged = true
	}
	x.show(w, found.Causes)
	if x.settled && w.now.Sub(x.needsAt) < time.Second {
		return
	}
	x.needsAt = w.now
	if !slices.Equal(found.Needs, x.needs) {
		x.needs = found.Needs
		w.wantsChanged = true
	}
}

// explainWorld explains a copy of the world.
func explainWorld(still *world, gen uint64) Cmd {
	return func(context.Context, feed.Feed) Msg {
		return CausesFound{Gen: gen, Found: still.explanation()}
	}
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

// MoreCauses is how many causes there are beside those of [Model.Causes].
func (m Model) MoreCauses() int {
	if m.frozen != nil {
		return m.frozen.more
	}
	return m.x.more
}

// Causes are the causes over everything, most important first; on a screen the
// first of them.
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
	// Its cause is among those that are not shown.
	if m.x.more > 0 && m.frozen == nil {
		for i := range m.x.found.Causes {
			if m.w.shows(n, &m.x.found.Causes[i]) {
				out = append(out, m.x.found.Causes[i])
			}
		}
		if len(out) > 0 {
			return append(out, m.healedOf(n)...)
		}
	}
	// One of the many that a cause counts but does not list.
	for _, f := range explain.ForObject(m.seen().snapshot(), *n.id) {
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
