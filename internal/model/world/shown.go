package world

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Between the causes that are found and those that are shown there is time: a
// line must neither blink nor jump, and says since when.

// shown holds the causes on the screen, and their history.
type shown struct {
	Causes   []explain.Cause
	Standing []*standing // indexed as Causes
	unmarked []int       // causes whose beginning has not been marked
	known    map[string]*standing
	More     int    // number of causes that are not shown: see causesShown
	Runs     uint64 // grows whenever the shown causes change
	settled  bool   // set once all wanted children have been delivered

	// held are shown causes that are no longer found, by id, and since when.
	held map[string]time.Time
	// Healed are those that have been gone for longer, shown struck through.
	Healed []explain.Cause
	// unsettled is since when the shown order has been out of date.
	unsettled time.Time

	Told   []explain.Cause // see Model.Told
	ToldOf int
}

// standing is the history of a cause while it is found or shown.
type standing struct {
	found, since time.Time // when it was first found; its earliest known onset
	marked       bool      // its beginning has been marked
	early        bool      // found before everything was known: its onset is a guess until then
	Traces       Trace     // of the objects that it names
}

// Trace is a Bloom filter of objects: it quickly excludes a cause that has
// nothing to do with an object.
type Trace uint64

func traceOf(id *object.ID) Trace {
	h := uint(len(id.Kind))
	for i := max(len(id.Name)-4, 0); i < len(id.Name); i++ {
		h = h*31 + uint(id.Name[i])
	}
	return 1 << (h % 64)
}

// TracesOf covers n and its descendants.
func TracesOf(n *Node) (t Trace) {
	Walk(n, func(k *Node) bool {
		t |= traceOf(k.ID)
		return t != ^Trace(0)
	})
	return t
}

// holdFor is how long a cause stays on the screen after it was last found: a
// crashing container runs for a moment in between, and the line must not blink.
const holdFor = 2 * time.Second

// struckFor is how long a healed cause is shown, struck through.
const struckFor = 10 * time.Second

func newShown() shown {
	return shown{known: map[string]*standing{}, held: map[string]time.Time{}}
}

// causesShown bounds the causes on a screen; the others are counted.
const causesShown = 200

// show updates the shown causes to the found ones.
func (x *shown) show(w *World, fresh []explain.Cause) {
	found := make(map[string]bool, len(fresh))
	titles := make(map[string]int, len(fresh))
	for i := range fresh {
		found[fresh[i].ID] = true
		titles[fresh[i].Title]++
	}
	w.remarkAll(fresh)
	all := fresh
	if w.opt.Screen && len(all) > causesShown {
		all = slices.Clip(all[:causesShown])
	}
	x.More = len(fresh) - len(all)
	for i := range all {
		if x.known[all[i].ID] == nil {
			x.known[all[i].ID] = &standing{found: w.Now, early: !x.settled}
		}
	}
	maps.DeleteFunc(x.held, func(id string, _ time.Time) bool { return found[id] })
	if w.opt.Screen {
		all = x.hold(w, all, fresh, found)
		for i := range all {
			if !found[all[i].ID] {
				titles[all[i].Title]++
			}
		}
	}
	if w.opt.Screen && len(x.Causes) > 0 && x.settled { // during the first sync causes only grow
		all = x.line(w, all)
	} else {
		x.unsettled = time.Time{}
	}
	x.Causes, x.Standing, x.unmarked = all, make([]*standing, len(all)), nil
	x.Runs++
	known := make(map[string]*standing, len(all))
	for i := range all {
		s := x.known[all[i].ID]
		x.remember(&all[i], s)
		x.Standing[i], known[all[i].ID] = s, s
		if !s.marked && all[i].Class != explain.Waits {
			x.unmarked = append(x.unmarked, i)
		}
	}
	x.known = known
	told := all
	if x.More > 0 {
		told = fresh
	}
	x.Told, x.ToldOf = SaidOnce(told, titles), len(titles)
}

// hold decides about shown causes that are no longer found: one stays as long
// as an object that it blocked is not Current. A cause that stays away has
// healed, with two exceptions: a short interruption, and a parent's symptom
// that was taken for a cause while its children were not known.
func (x *shown) hold(w *World, all, fresh []explain.Cause, found map[string]bool) []explain.Cause {
	x.Healed = slices.DeleteFunc(x.Healed, func(c explain.Cause) bool {
		return found[c.ID] || w.Now.Sub(c.Healed) >= struckFor
	})
	var echoes map[echo]struct{}
	for i := range x.Causes {
		c, s := &x.Causes[i], x.Standing[i]
		if found[c.ID] {
			continue
		}
		since, was := x.held[c.ID]
		if !was {
			since = w.Now
		}
		if c.Class != explain.Waits && since.Sub(s.found) >= holdFor {
			if echoes == nil {
				echoes = echoesOf(fresh)
			}
			switch {
			case folded(echoes, c):
			case w.Now.Sub(since) < holdFor && slices.ContainsFunc(c.Blocks, w.unwell):
				x.held[c.ID] = since
				all = slices.Insert(slices.Clip(all), min(i, len(all)), *c)
				continue
			case len(x.Healed) < mostHealed:
				h := *c
				h.Healed = since
				x.Healed = append(x.Healed, h)
			}
		}
		delete(x.held, c.ID)
	}
	return all
}

// line orders the shown causes: a new one does not push another down, and none
// are swapped, unless the order has been different for two seconds. Only a
// cause that is waiting yields at once.
func (x *shown) line(w *World, all []explain.Cause) []explain.Cause {
	places := make(map[string]int, len(x.Causes))
	for i := range x.Causes {
		places[x.Causes[i].ID] = i
	}
	place := func(c *explain.Cause) int {
		if i, ok := places[c.ID]; ok {
			return i
		}
		return len(places)
	}
	waits := func(c *explain.Cause) int {
		if c.Class == explain.Waits {
			return 1
		}
		return 0
	}
	kept := slices.Clone(all)
	slices.SortStableFunc(kept, func(a, b explain.Cause) int {
		return cmp.Or(cmp.Compare(waits(&a), waits(&b)), cmp.Compare(place(&a), place(&b)))
	})
	switch {
	case slices.EqualFunc(kept, all, func(a, b explain.Cause) bool { return a.ID == b.ID }):
	case x.unsettled.IsZero():
		x.unsettled = w.Now
		return kept
	case w.Now.Sub(x.unsettled) < holdFor:
		return kept
	}
	x.unsettled = time.Time{}
	return all
}

// remember keeps what is older than the explanation: when a cause was first
// found, and its earliest known onset. A crash loop's fields only show its last
// iterations.
func (x *shown) remember(c *explain.Cause, s *standing) {
	if s.early || s.since.IsZero() || !c.Since.IsZero() && c.Since.Before(s.since) {
		s.since = c.Since
	}
	s.early = s.early && !x.settled
	c.Since = s.since
	s.Traces = traceOf(&c.Subject.ID)
	for _, list := range [3][]object.ID{c.Blocks, c.Chain, c.Objects} {
		for i := range list {
			s.Traces |= traceOf(&list[i])
		}
	}
}

// overdue reports whether time alone changes what is shown.
func (x *shown) overdue(w *World) bool {
	for _, since := range x.held {
		if w.Now.Sub(since) >= holdFor {
			return true
		}
	}
	for i := range x.Healed {
		if w.Now.Sub(x.Healed[i].Healed) >= struckFor {
			return true
		}
	}
	return !x.unsettled.IsZero() && w.Now.Sub(x.unsettled) >= holdFor
}

const mostHealed = 20

// echo is a symptom that another cause explains.
type echo struct {
	code string
	id   object.ID
}

func echoesOf(causes []explain.Cause) map[echo]struct{} {
	out := map[echo]struct{}{}
	for i := range causes {
		for _, s := range causes[i].Symptoms {
			out[echo{s.Code, s.Ref}] = struct{}{}
		}
	}
	return out
}

// folded reports whether a missing cause has become another's symptom.
func folded(echoes map[echo]struct{}, c *explain.Cause) bool {
	return slices.ContainsFunc(c.Objects, func(id object.ID) bool {
		_, ok := echoes[echo{c.Code, id}]
		return ok
	})
}

func (t *tree) unwell(id object.ID) bool {
	n := t.Nodes[id]
	return n != nil && n.Object != nil && n.Assess.Status != status.Current
}

// Memory is the causes' history, in a fixed order.
func (x *shown) Memory(now time.Time) []feed.Began {
	out := make([]feed.Began, 0, len(x.known))
	for id, s := range x.known {
		out = append(out, feed.Began{ID: id, Found: ago(now, s.found), Since: ago(now, s.since)})
	}
	slices.SortFunc(out, func(a, b feed.Began) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Recall restores the history of a moment.
func (x *shown) Recall(at time.Time, causes []feed.Began) {
	for _, c := range causes {
		s := &standing{found: whenAgo(at, c.Found)}
		if c.Since != 0 {
			s.since = whenAgo(at, c.Since)
		}
		x.known[c.ID] = s
	}
}

// Begun returns the causes that have begun to be shown since the last call.
func (x *shown) Begun() (begun []*explain.Cause) {
	for _, i := range x.unmarked {
		x.Standing[i].marked = true
		begun = append(begun, &x.Causes[i])
	}
	x.unmarked = nil
	return begun
}

// toldMost bounds the causes in one line.
const toldMost = 16

// SaidOnce merges causes with equal titles: their counts are added and their
// blocked objects joined. titles counts the causes by title. It returns the
// first few.
func SaidOnce(causes []explain.Cause, titles map[string]int) []explain.Cause {
	var told []explain.Cause
	at := map[string]int{}
	left := 0 // causes with a title that is already included
	for i := range causes {
		c := &causes[i]
		if len(told) == toldMost && left == 0 {
			break
		}
		if j, ok := at[c.Title]; ok {
			t := &told[j]
			t.Count = max(t.Count, 1) + max(c.Count, 1)
			if len(t.Blocks)+len(c.Blocks) > cap(t.Blocks) {
				t.Blocks = slices.Grow(t.Blocks, titles[c.Title]) // most have one
			}
			t.Blocks = append(t.Blocks, c.Blocks...)
			left--
		} else if len(told) < toldMost {
			at[c.Title] = len(told)
			told = append(told, *c)
			t := &told[len(told)-1]
			t.Blocks = slices.Clip(t.Blocks) // the next append copies: the list is the cause's
			left += titles[c.Title] - 1
		}
	}
	return told
}
