package model

import (
	"slices"
	"strconv"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Moment is the timeline's entry that the user has chosen: an object as it was
// then, and what had changed since its previous entry.
type Moment struct {
	world.Transition
	No, Of int            // number of the entry, from 1, of so many
	Object *object.Object // as it was; nil if it did not exist, or has been forgotten
	Before time.Time      // its previous entry; zero if there is none
	// Changed are the fields that differ from the previous entry.
	Changed []explain.Change
}

// timeline is the user's position in the timeline.
type timeline struct {
	*tree

	moment int // 1 + the entry's number since the beginning; 0 is now
	marked int // the entry to compare with; like moment, 0 is none
	form   TimelineForm
	whole  bool // of everything, not of the selected object
}

// moments are the numbers of the timeline's entries, oldest first. They count
// from the beginning, so that forgetting old ones moves none.
func (t *timeline) moments() []int {
	w, n := t.seen(), t.timelineOf()
	of := w.HistoryBelow(n)
	var out []int
	for i, x := range w.History.All() {
		if of(x.ID) {
			out = append(out, w.History.Lost+i)
		}
	}
	return out
}

// along moves through the timeline; after the newest entry comes the present.
func (t *timeline) along(by int) (said string) {
	all := t.moments()
	if len(all) == 0 {
		return "nothing has changed"
	}
	at := len(all) // the present
	for i, place := range all {
		if place == t.moment-1 {
			at = i
		}
	}
	t.moment = 0
	if at = max(at+by, 0); at < len(all) {
		t.moment = all[at] + 1
	}
	return ""
}

// Moment is the chosen entry; false in the present.
func (t *timeline) Moment() (Moment, bool) {
	if t.moment == 0 {
		return Moment{}, false
	}
	w := t.seen()
	all := t.moments()
	for i, place := range all {
		if place != t.moment-1 {
			continue
		}
		at := place - w.History.Lost
		out := Moment{Transition: w.History.At(at), No: i + 1, Of: len(all), Object: w.Past(at)}
		for j := at - 1; j >= 0; j-- {
			if before := w.History.At(j); before.ID == out.ID {
				out.Before = before.At
				out.Changed = differences(w.Past(j), out.Object)
				break
			}
		}
		return out, true
	}
	return Moment{}, false
}

// timelineOf is the node whose timeline is shown; nil means everything.
func (t *timeline) timelineOf() *world.Node {
	if t.whole {
		return nil
	}
	return t.seenNode()
}

// Timeline returns the history of the selected object and its descendants (of
// everything if none is selected), oldest first.
func (t *timeline) Timeline() []world.Transition {
	w := t.seen()
	of := w.HistoryBelow(t.timelineOf())
	return slices.DeleteFunc(w.History.List(), func(x world.Transition) bool { return !of(x.ID) })
}

// TimelineForm says what the timeline lists.
type TimelineForm uint8

// The forms.
const (
	LanesAndList TimelineForm = iota
	LanesAlone
	ListAlone
	timelineForms
)

// TimelineForm is the current form, and whether the timeline is of everything
// instead of the selected object.
func (t *timeline) TimelineForm() (form TimelineForm, whole bool) { return t.form, t.whole }

// Comparison holds the differences between two chosen moments.
type Comparison struct {
	From, To time.Time // To is zero for the present
	Objects  []Difference
}

// Difference is what differs in one object.
type Difference struct {
	ID            object.ID
	Before, After status.Status // "" if it did not exist, or is not known
	Changed       []explain.Change
}

// markMoment marks the chosen entry for a comparison, or removes the mark.
func (t *timeline) markMoment() (said string) {
	at := t.moment
	if at == 0 {
		at = 1 + t.seen().History.Lost + t.seen().History.Len() // the present
	}
	if t.marked == at {
		t.marked = 0
		return "the mark is gone"
	}
	t.marked = at
	return "marked: go to another moment to compare"
}

// Comparison compares the chosen entry with the marked one; false if they are
// the same or none is marked.
func (t *timeline) Comparison() (Comparison, bool) {
	w, n := t.seen(), t.timelineOf()
	present := w.History.Lost + w.History.Len()
	a, b := t.marked-1, t.moment-1
	if b < 0 {
		b = present
	}
	if a < 0 || a == b {
		return Comparison{}, false
	}
	if a > b {
		a, b = b, a
	}
	// The state of an object at a moment is that of its newest entry by then.
	type state struct {
		to  status.Status
		obj *object.Object
	}
	then, now := map[object.ID]state{}, map[object.ID]state{}
	var order []object.ID
	var out Comparison
	of := w.HistoryBelow(n)
	for i, x := range w.History.All() {
		place := w.History.Lost + i
		if place == a {
			out.From = x.At
		}
		if place == b {
			out.To = x.At
		}
		if place > b || !of(x.ID) {
			continue
		}
		if place <= a {
			then[x.ID] = state{x.To, w.Past(i)}
		}
		if _, known := now[x.ID]; !known {
			order = append(order, x.ID)
		}
		now[x.ID] = state{x.To, w.Past(i)}
	}
	for _, id := range order {
		before, after := then[id], now[id]
		if k := w.Nodes[id]; b == present && k != nil {
			after = state{k.Assess.Status, k.Object}
		}
		d := Difference{ID: id, Before: before.to, After: after.to, Changed: differences(before.obj, after.obj)}
		if d.Before != d.After || len(d.Changed) > 0 {
			out.Objects = append(out.Objects, d)
		}
	}
	return out, true
}

// differences are the fields in which two states of an object differ.
func differences(a, b *object.Object) []explain.Change {
	if a == nil || b == nil || a == b {
		return nil
	}
	var out []explain.Change
	was := telling(a)
	at := map[string]int{}
	for i, f := range was {
		at[f.Path] = i
	}
	for _, f := range telling(b) {
		i, ok := at[f.Path]
		switch {
		case !ok:
			out = append(out, explain.Change{Path: f.Path, Before: "-", After: f.After})
		case was[i].After != f.After:
			out = append(out, explain.Change{Path: f.Path, Before: was[i].After, After: f.After})
		}
		delete(at, f.Path)
	}
	for _, f := range was {
		if _, left := at[f.Path]; left {
			out = append(out, explain.Change{Path: f.Path, Before: f.After, After: "-"})
		}
	}
	return out
}

// telling are the fields of an object that describe its state, in After.
func telling(o *object.Object) []explain.Change {
	var out []explain.Change
	add := func(path, value string) {
		if value != "" {
			out = append(out, explain.Change{Path: path, After: value})
		}
	}
	number := func(path string, v object.Int) {
		if v.Set {
			add(path, strconv.FormatInt(v.V, 10))
		}
	}
	number("metadata.generation", o.Generation)
	number("status.observedGeneration", o.Observed)
	if !o.Deleted.IsZero() {
		add("metadata.deletionTimestamp", o.Deleted.UTC().Format(time.TimeOnly))
	}
	if w := o.Workload; w != nil {
		number("spec.replicas", w.Replicas)
		number("status.replicas", w.StatusReplicas)
		number("status.updatedReplicas", w.Updated)
		number("status.readyReplicas", w.Ready)
		number("status.availableReplicas", w.Available)
		add("revision", w.Revision)
	}
	if j := o.Job; j != nil {
		number("status.active", j.Active)
		number("status.failed", j.Failed)
		number("status.succeeded", j.Succeeded)
	}
	if p := o.Pod; p != nil {
		add("status.phase", p.Phase)
		add("spec.nodeName", p.Node)
		for i := range p.Containers {
			c := &p.Containers[i]
			add(c.Name+" image", c.Image)
			state := c.State.Kind
			if c.State.Reason != "" {
				state += " " + c.State.Reason
			}
			add(c.Name+" state", state)
			if c.Restarts > 0 {
				add(c.Name+" restarts", strconv.FormatInt(c.Restarts, 10))
			}
		}
	}
	for _, c := range o.Conditions {
		value := c.Status
		if c.Reason != "" {
			value += " " + c.Reason
		}
		add(c.Type, value)
	}
	return out
}
