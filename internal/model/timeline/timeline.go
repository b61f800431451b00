// Package timeline is the history of an object and of everything below it: its
// entries, the moment that the user looks at, and what differs between two.
package timeline

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Timeline is the user's place in the history. Entries are counted from the
// beginning, so that forgetting old ones moves none.
type Timeline struct {
	Form  Form
	Whole bool // of everything, not of the selected object

	moment int // 1 + the entry's number; 0 is the present
	marked int // the entry to compare with; like moment, 0 is none
}

// Form says what is listed.
type Form uint8

// The forms.
const (
	LanesAndList Form = iota
	LanesAlone
	ListAlone
	forms
)

// View is what is to be seen.
type View struct {
	Timeline

	Entries    []world.Transition // oldest first
	Moment     *Moment            // nil in the present
	Comparison *Comparison        // nil unless two moments are chosen
	Dates      []Date
}

// Moment is the entry that the user has chosen: an object as it was then, and
// what had changed since its previous entry.
type Moment struct {
	world.Transition
	No, Of int            // number of the entry, from 1, of so many
	Object *object.Object // as it was; nil if it did not exist, or has been forgotten
	Before time.Time      // its previous entry; zero if there is none
	// Changed are the fields that differ from the previous entry.
	Changed []explain.Change
}

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

// Of is what is to be seen of an object and its descendants, of everything if it
// is nil. The dates are those before a time.
func (t *Timeline) Of(w *world.World, n *world.Node, before time.Time) View {
	places := t.places(w, n)
	v := View{Timeline: *t, Moment: t.chosen(w, places), Comparison: t.compared(w, places)}
	for _, i := range places {
		v.Entries = append(v.Entries, w.Records.History.List[i])
	}
	if n != nil && !t.Whole {
		v.Dates = dates(n, before)
	}
	return v
}

// places are the entries' indices in the world's history, oldest first.
func (t *Timeline) places(w *world.World, n *world.Node) (places []int) {
	if t.Whole {
		n = nil
	}
	of := w.Records.HistoryBelow(n)
	for i, x := range w.Records.History.List {
		if of(x.ID) {
			places = append(places, i)
		}
	}
	return places
}

// Move moves through the entries; after the newest comes the present.
func (t *Timeline) Move(w *world.World, n *world.Node, by int) (answer string) {
	places := t.places(w, n)
	if len(places) == 0 {
		return "nothing has changed"
	}
	at := slices.Index(places, t.moment-1-w.Records.History.Lost)
	switch {
	case at < 0 && by > 0:
		return "this is the present"
	case at < 0:
		at = len(places) // the present
	case at == 0 && by < 0:
		return "this is the first change"
	}
	t.moment = 0
	if at = max(at+by, 0); at < len(places) {
		t.moment = 1 + w.Records.History.Lost + places[at]
	}
	return ""
}

// Mark marks the moment for a comparison, or removes the mark.
func (t *Timeline) Mark(w *world.World) (answer string) {
	at := t.moment
	if at == 0 { // what is now has been so since the newest entry
		at = w.Records.History.Lost + len(w.Records.History.List)
	}
	if t.marked == at {
		t.marked = 0
		return "the mark is gone"
	}
	t.marked = at
	return "marked: go to another moment to compare"
}

// NextForm changes what is listed.
func (t *Timeline) NextForm() { t.Form = (t.Form + 1) % forms }

// ToggleWhole switches between everything and the selected object.
func (t *Timeline) ToggleWhole() { t.Whole, t.moment = !t.Whole, 0 }

// Forget goes to the present, with nothing marked.
func (t *Timeline) Forget() { t.moment, t.marked = 0, 0 }

func (t *Timeline) chosen(w *world.World, places []int) *Moment {
	no := slices.Index(places, t.moment-1-w.Records.History.Lost)
	if no < 0 {
		return nil
	}
	at := places[no]
	out := &Moment{Transition: w.Records.History.List[at], No: no + 1, Of: len(places), Object: w.Records.Past(at)}
	for _, i := range slices.Backward(places[:no]) {
		if before := w.Records.History.List[i]; before.ID == out.ID {
			out.Before = before.At
			out.Changed = differences(w.Records.Past(i), out.Object)
			break
		}
	}
	return out
}

// compared compares the moment with the marked one.
func (t *Timeline) compared(w *world.World, places []int) *Comparison {
	list := w.Records.History.List
	a, b := t.marked-1-w.Records.History.Lost, t.moment-1-w.Records.History.Lost
	if b < 0 { // the present, or forgotten
		b = len(list)
	}
	if a < 0 || a == b { // not marked, or forgotten
		return nil
	}
	a, b = min(a, b), max(a, b)
	// The state of an object at a moment is that of its newest entry by then.
	newest := func(at int) map[object.ID]int {
		out := map[object.ID]int{}
		for _, i := range places {
			if i <= at {
				out[list[i].ID] = i
			}
		}
		return out
	}
	out := &Comparison{From: list[a].At}
	if b < len(list) {
		out.To = list[b].At
	}
	then, now := newest(a), newest(b)
	for _, i := range places {
		id := list[i].ID
		at, ok := now[id]
		if !ok {
			continue // later, or known already
		}
		delete(now, id)
		d, was, is := Difference{ID: id, After: list[at].To}, (*object.Object)(nil), w.Records.Past(at)
		if k := w.Tree.Nodes[id]; b == len(list) && k != nil {
			d.After, is = k.Assess.Status, k.Object
		}
		if i, known := then[id]; known {
			d.Before, was = list[i].To, w.Records.Past(i)
		}
		if d.Changed = differences(was, is); d.Before != d.After || len(d.Changed) > 0 {
			out.Objects = append(out.Objects, d)
		}
	}
	return out
}
