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
func (f *facts) MoreCauses() int {
	if f.frozen != nil {
		return f.frozen.more
	}
	return f.x.More
}

// Causes are the causes of everything, most important first; on a screen a
// bounded number.
func (f *facts) Causes() []Cause {
	if f.frozen != nil {
		return f.frozen.causes
	}
	return f.x.Causes
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
func (f *facts) CausesOf(id object.ID) []Cause {
	n := f.seen().Nodes[id]
	if n == nil {
		return nil
	}
	key := causesKey{id, f.x.Runs, f.frozen}
	if f.of.key != key || key.runs == 0 {
		*f.of = causesOf{key, f.findCausesOf(n)}
	}
	return f.of.causes
}

func (f *facts) findCausesOf(n *world.Node) []Cause {
	var out []Cause
	all := f.Causes()
	traces := ^world.Trace(0)
	if f.frozen == nil {
		traces = world.TracesOf(n)
	}
	for i := range all {
		if f.frozen == nil && f.x.Standing[i].Traces&traces == 0 {
			continue
		}
		if f.seen().Shows(n, &all[i]) {
			out = append(out, all[i])
		}
	}
	if len(out) > 0 {
		return append(out, f.x.HealedOf(f.w, n)...)
	}
	// Its cause may be one of those left out.
	if f.x.More > 0 && f.frozen == nil {
		for i := range f.x.Found.Causes {
			if f.w.Shows(n, &f.x.Found.Causes[i]) {
				out = append(out, f.x.Found.Causes[i])
			}
		}
		if len(out) > 0 {
			return append(out, f.x.HealedOf(f.w, n)...)
		}
	}
	// A cause counts it without listing it.
	for _, f := range explain.ForObject(f.seen().Snapshot(), *n.ID) {
		for i := range all {
			if c := &all[i]; c.Code == f.Code && c.Count > len(c.Objects) {
				out = append(out, *c)
				break
			}
		}
	}
	return append(out, f.x.HealedOf(f.w, n)...)
}

// Told merges the causes with equal titles (see [SaidOnce]): the first few, and
// how many there are. The caller must not modify the lists.
func (f *facts) Told() (first []Cause, of int) {
	if f.frozen != nil {
		return f.frozen.told, f.frozen.toldOf
	}
	return f.x.Told, f.x.ToldOf
}

func (f *facts) headline() string {
	if c := f.Causes(); len(c) > 0 {
		return c[0].Title
	}
	return ""
}
