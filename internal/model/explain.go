package model

import (
	"context"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
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

// explainWorld explains a copy of the world.
func explainWorld(still *world.World, gen uint64) Cmd {
	return func(context.Context, feed.Feed) Msg {
		return CausesFound{Gen: gen, Found: still.Explanation()}
	}
}

// MoreCauses is how many causes there are beside those of [Model.Causes].
func (m Model) MoreCauses() int {
	if m.frozen != nil {
		return m.frozen.more
	}
	return m.x.More
}

// Causes are the causes over everything, most important first; on a screen the
// first of them.
func (m Model) Causes() []Cause {
	if m.frozen != nil {
		return m.frozen.causes
	}
	return m.x.Causes
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
	n := m.seen().Nodes[id]
	if n == nil {
		return nil
	}
	key := causesKey{id, m.x.Runs, m.frozen}
	if m.of.key != key || key.runs == 0 {
		*m.of = causesOf{key, m.findCausesOf(n)}
	}
	return m.of.causes
}

func (m Model) findCausesOf(n *world.Node) []Cause {
	var out []Cause
	all := m.Causes()
	traces := ^world.Trace(0)
	if m.frozen == nil {
		traces = world.TracesOf(n)
	}
	for i := range all {
		if m.frozen == nil && m.x.Standing[i].Traces&traces == 0 {
			continue
		}
		if m.seen().Shows(n, &all[i]) {
			out = append(out, all[i])
		}
	}
	if len(out) > 0 {
		return append(out, m.x.HealedOf(m.w, n)...)
	}
	// Its cause is among those that are not shown.
	if m.x.More > 0 && m.frozen == nil {
		for i := range m.x.Found.Causes {
			if m.w.Shows(n, &m.x.Found.Causes[i]) {
				out = append(out, m.x.Found.Causes[i])
			}
		}
		if len(out) > 0 {
			return append(out, m.x.HealedOf(m.w, n)...)
		}
	}
	// One of the many that a cause counts but does not list.
	for _, f := range explain.ForObject(m.seen().Snapshot(), *n.ID) {
		for i := range all {
			if c := &all[i]; c.Code == f.Code && c.Count > len(c.Objects) {
				out = append(out, *c)
				break
			}
		}
	}
	return append(out, m.x.HealedOf(m.w, n)...)
}

// Told is the causes as one line tells them (see [SaidOnce]): the first few of
// that many. The lists are not the caller's to change.
func (m Model) Told() (first []Cause, of int) {
	if m.frozen != nil {
		return m.frozen.told, m.frozen.toldOf
	}
	return m.x.Told, m.x.ToldOf
}
