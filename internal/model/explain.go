package model

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The types of causes, under the names that views use.
type (
	Cause    = explain.Cause
	Subject  = explain.Subject
	Evidence = explain.Evidence
	Change   = explain.Change
	Symptom  = explain.Symptom
	Step     = explain.Step
)

// MoreCauses is how many causes [Model.Causes] leaves out.
func (m Model) MoreCauses() int {
	if m.frozen != nil {
		return m.frozen.more
	}
	return m.x.More
}

// Causes are the causes of everything, most important first; on a screen a
// bounded number.
func (m Model) Causes() []Cause {
	if m.frozen != nil {
		return m.frozen.causes
	}
	return m.x.Causes
}

// causesOf caches an answer of CausesOf, which is called several times per
// frame.
type causesOf struct {
	key    causesKey
	causes []Cause
}

type causesKey struct {
	id     object.ID
	runs   uint64
	frozen *picture
}

// CausesOf are the causes that an object shows or that block it, most important
// first. The caller must not modify the list.
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
	// Its cause may be one of those left out.
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
	// A cause counts it without listing it.
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

// Told merges the causes with equal titles (see [SaidOnce]): the first few, and
// how many there are. The caller must not modify the lists.
func (m Model) Told() (first []Cause, of int) {
	if m.frozen != nil {
		return m.frozen.told, m.frozen.toldOf
	}
	return m.x.Told, m.x.ToldOf
}
