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

// Between the causes that are found and those that are shown stands time: a line
// must neither blink nor jump, and says since when.

// shown is the causes that are shown, and what is remembered of them.
type shown struct {
	Causes   []explain.Cause
	Standing []*standing // of causes
	Unmarked []int       // of causes: those whose beginning has not been noted
	known    map[string]*standing
	More     int    // causes that were found and are not shown: see causesShown
	Runs     uint64 // grows whenever others are shown
	Settled  bool   // once all children that were asked for had been answered

	// held are the causes that are still shown though they are not found any
	// more, by id, and since when.
	held map[string]time.Time
	// healed are those that have been gone for longer, struck through.
	Healed []explain.Cause
	// unsettled is since when the order of causes is another than the shown one.
	unsettled time.Time

	Told   []explain.Cause // see Model.Told
	ToldOf int
}

// standing is what is remembered of a cause for as long as it is found or shown.
type standing struct {
	found, since time.Time // when it was first found; since when it lasts, as far as anything ever told
	Marked       bool      // its beginning has been noted
	early        bool      // it was found before everything was known: since when it lasts is a guess till then
	Traces       Trace     // of the objects that it names
}

// Trace is a set of objects that may hold others too: it tells quickly that a
// cause has nothing to do with an object.
type Trace uint64

func traceOf(id *object.ID) Trace {
	h := uint(len(id.Kind))
	for i := max(len(id.Name)-4, 0); i < len(id.Name); i++ {
		h = h*31 + uint(id.Name[i])
	}
	return 1 << (h % 64)
}

// TracesOf are those of n and everything below it.
func TracesOf(n *Node) (t Trace) {
	Walk(n, func(k *Node) bool {
		t |= traceOf(k.ID)
		return t != ^Trace(0)
	})
	return t
}

// holdFor is how long a cause stays on the screen after it was last found: a
// container that crashes runs for a moment in between, and the line must not
// blink with it.
const holdFor = 2 * time.Second

// struckFor is how long a cause that has gone is still shown, struck through.
const struckFor = 10 * time.Second

func newShown() shown {
	return shown{known: map[string]*standing{}, held: map[string]time.Time{}}
}

// causesShown is how many causes a screen shows; of the rest it tells the number.
const causesShown = 200

// show makes other causes the ones that are shown.
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
			x.known[all[i].ID] = &standing{found: w.Now, early: !x.Settled}
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
	if w.opt.Screen && len(x.Causes) > 0 && x.Settled { // the first picture grows
		all = x.line(w, all)
	} else {
		x.unsettled = time.Time{}
	}
	x.Causes, x.Standing, x.Unmarked = all, make([]*standing, len(all)), nil
	x.Runs++
	known := make(map[string]*standing, len(all))
	for i := range all {
		s := x.known[all[i].ID]
		x.remember(&all[i], s)
		x.Standing[i], known[all[i].ID] = s, s
		if !s.Marked && all[i].Class != explain.Waits {
			x.Unmarked = append(x.Unmarked, i)
		}
	}
	x.known = known
	told := all
	if x.More > 0 {
		told = fresh
	}
	x.Told, x.ToldOf = SaidOnce(told, titles), len(titles)
}

// hold finds out what becomes of the causes that are shown and have just gone: one
// stays where it was for as long as something that it kept from Current still is
// not. What has gone for good is healed. A blink is neither: while children are
// still on their way, a parent's word is taken for a cause for a moment.
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

// line puts causes into the order in which they are shown: a new one does not push
// another down, and none pass each other, unless the order has been another for
// two seconds. Only what waits makes room at once.
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
// found, and the earliest onset that anything told. A crash loop's own fields
// tell only of its last turns.
func (x *shown) remember(c *explain.Cause, s *standing) {
	if s.early || s.since.IsZero() || !c.Since.IsZero() && c.Since.Before(s.since) {
		s.since = c.Since
	}
	s.early = s.early && !x.Settled
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

// echo is what another cause says of an object beside itself.
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

// folded reports whether a cause has not gone, but been explained by another.
func folded(echoes map[echo]struct{}, c *explain.Cause) bool {
	return slices.ContainsFunc(c.Objects, func(id object.ID) bool {
		_, ok := echoes[echo{c.Code, id}]
		return ok
	})
}

func (w *World) unwell(id object.ID) bool {
	n := w.Nodes[id]
	return n != nil && n.Object != nil && n.Assess.Status != status.Current
}

// Memory is what is known of the causes beside the world, in a fixed order.
func (x *shown) Memory(now time.Time) []feed.Began {
	out := make([]feed.Began, 0, len(x.known))
	for id, s := range x.known {
		out = append(out, feed.Began{ID: id, Found: ago(now, s.found), Since: ago(now, s.since)})
	}
	slices.SortFunc(out, func(a, b feed.Began) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Recall takes in what was known of the causes at a moment.
func (x *shown) Recall(at time.Time, causes []feed.Began) {
	for _, c := range causes {
		s := &standing{found: whenAgo(at, c.Found)}
		if c.Since != 0 {
			s.since = whenAgo(at, c.Since)
		}
		x.known[c.ID] = s
	}
}

// toldMost is how many causes one line can tell.
const toldMost = 16

// SaidOnce sums causes up, of which so many have each title: what is said in the
// same words of several objects is said once, counts together, and blocks together.
// It returns the first few.
func SaidOnce(causes []explain.Cause, titles map[string]int) []explain.Cause {
	var told []explain.Cause
	at := map[string]int{}
	left := 0 // of those that are said in the same words as one that is told
	for i := range causes {
		c := &causes[i]
		if len(told) == toldMost && left == 0 {
			break
		}
		if j, ok := at[c.Title]; ok {
			t := &told[j]
			t.Count = max(t.Count, 1) + max(c.Count, 1)
			if len(t.Blocks)+len(c.Blocks) > cap(t.Blocks) {
				t.Blocks = slices.Grow(t.Blocks, titles[c.Title]) // most keep one
			}
			t.Blocks = append(t.Blocks, c.Blocks...)
			left--
		} else if len(told) < toldMost {
			at[c.Title] = len(told)
			told = append(told, *c)
			t := &told[len(told)-1]
			t.Blocks = slices.Clip(t.Blocks) // the first addition copies: the list is the cause's
			left += titles[c.Title] - 1
		}
	}
	return told
}
