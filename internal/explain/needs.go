package explain

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// mostNeeds bounds what is asked for at a time, of objects and of events each.
const mostNeeds = 300

// Needs lists what detectors asked for in vain: what is worth fetching, in
// stable order, the first few hundred of it. The list is not the caller's to
// change.
func (x *Explainer) Needs() []Need {
	if x.needed != nil {
		return x.needed
	}
	var objects, events []Need
	for n := range x.needs {
		list := &objects
		switch {
		case n.Events:
			list = &events
		case n.Template || n.Log != "":
			continue // only those of exemplars are read: see Reading
		}
		if len(*list) == mostNeeds {
			if compareNeeds(n, (*list)[mostNeeds-1]) > 0 {
				continue
			}
			*list = (*list)[:mostNeeds-1]
		}
		i, _ := slices.BinarySearchFunc(*list, n, compareNeeds)
		*list = slices.Insert(*list, i, n)
	}
	x.needed = append(append(make([]Need, 0, len(objects)+len(events)), objects...), events...)
	slices.SortFunc(x.needed, compareNeeds)
	return x.needed
}

func compareNeeds(a, b Need) int {
	if c := a.ID.Compare(b.ID); c != 0 {
		return c
	}
	if a.Events != b.Events {
		if b.Events {
			return -1
		}
		return 1
	}
	if a.Template != b.Template {
		if b.Template {
			return -1
		}
		return 1
	}
	return strings.Compare(a.Log, b.Log)
}

// Reading lists the logs and templates that would tell more about the causes
// of the last update: those that the exemplar of each asks for, in the order of
// the causes.
func (x *Explainer) Reading() []Need { return x.reading }

// Resting lists what the causes of the last update rest on beside the objects
// that show them: what their exemplars asked for, found or known to be absent.
// An ID without a name is all objects of the kind in the namespace. It is worth
// keeping up to date for as long as the causes last.
func (x *Explainer) Resting() []object.ID { return x.resting }

// need and unneed count the entries that ask for something.
func (x *Explainer) need(list []Need) {
	for _, n := range list {
		if x.needs[n]++; x.needs[n] == 1 {
			x.needed = nil
		}
	}
}

func (x *Explainer) unneed(list []Need) {
	for _, n := range list {
		if x.needs[n]--; x.needs[n] == 0 {
			delete(x.needs, n)
			x.needed = nil
		}
	}
}
