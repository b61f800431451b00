package model

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Between the causes that are found and those that are shown stands time: a line
// must neither blink nor jump, and says since when.

// shown is the causes that are shown, and what is remembered of them.
type shown struct {
	causes   []Cause
	standing []*standing // of causes
	met      []*standing // of those that have been found, and are not shown yet
	known    map[string]*standing
	runs     uint64 // grows whenever others are shown
	settled  bool   // once everything that was wanted had been answered

	// held are the causes that are still shown though they are not found any
	// more, by id, and since when.
	held map[string]time.Time
	// healed are those that have been gone for longer, struck through.
	healed []Cause
	// unsettled is since when the order of causes is another than the shown one.
	unsettled time.Time

	titles map[string]int // how many of the causes have each
	told   []Cause        // see Model.Told
	toldOf int
}

// standing is what is remembered of a cause for as long as it is found or shown.
type standing struct {
	found, since time.Time // when it was first found; since when it lasts, as far as anything ever told
	run          uint64    // that it was last found for
	place        int       // among the causes that are shown; -1 where it is not
	marked       bool      // its beginning has been noted
	early        bool      // it was found before everything was known: since when it lasts is a guess till then
	traces       trace     // of the objects that it names
	subject      *node     // what it is about, where it keeps nothing from Current
}

// trace is a set of objects that may hold others too: it tells quickly that a
// cause has nothing to do with an object.
type trace uint64

func traceOf(id *status.ID) trace {
	h := uint(len(id.Kind))
	for i := max(len(id.Name)-4, 0); i < len(id.Name); i++ {
		h = h*31 + uint(id.Name[i])
	}
	return 1 << (h % 64)
}

// tracesOf are those of n and everything below it.
func tracesOf(n *node) (t trace) {
	walkNodes(n, func(k *node) bool {
		t |= traceOf(&k.id)
		return t != ^trace(0)
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
	return shown{known: map[string]*standing{}, held: map[string]time.Time{}, titles: map[string]int{}}
}

// overdue reports whether time alone changes what is shown.
func (x *shown) overdue(w *world) bool {
	for _, since := range x.held {
		if w.now.Sub(since) >= holdFor {
			return true
		}
	}
	for i := range x.healed {
		if w.now.Sub(x.healed[i].Healed) >= struckFor {
			return true
		}
	}
	return !x.unsettled.IsZero() && w.now.Sub(x.unsettled) >= holdFor
}

// meet recognizes some of the causes that have been found.
func (x *shown) meet(w *world, some []Cause) {
	for i := range some {
		c := &some[i]
		s := x.known[c.ID]
		if s == nil {
			s = &standing{found: w.now, place: -1, early: !x.settled}
			x.known[c.ID] = s
		}
		s.run = x.runs + 1
		if s.subject = nil; len(c.Blocks) == 0 {
			s.subject = w.nodes[c.Subject.ID]
		}
		x.met = append(x.met, s)
		s.traces = traceOf(&c.Subject.ID)
		for _, list := range [3][]status.ID{c.Blocks, c.Chain, c.Objects} {
			for i := range list {
				s.traces |= traceOf(&list[i])
			}
		}
		x.titles[c.Title]++
	}
}

// show makes causes that have been met the ones that are shown.
func (x *shown) show(w *world, fresh []Cause) {
	x.runs++
	if w.opt.Screen {
		fresh = x.steady(w, x.hold(w, fresh))
	}
	x.remember(fresh)
	w.remark(fresh, x.met)
	x.met = nil
	x.told, x.toldOf = SaidOnce(fresh, x.titles), len(x.titles)
	clear(x.titles)
}

// hold adds to the causes those that were shown and have just gone, each where
// it was, for as long as something that it kept from Current still is not. What
// has gone for good is healed. A blink is neither: while children are still on
// their way, a parent's word is taken for a cause for a moment.
func (x *shown) hold(w *world, fresh []Cause) []Cause {
	x.healed = slices.DeleteFunc(x.healed, func(c Cause) bool {
		s := x.known[c.ID]
		return s != nil && s.run == x.runs || w.now.Sub(c.Healed) >= struckFor
	})
	var held []int // places
	var echoes map[echo]struct{}
	for i, s := range x.standing {
		if s.run == x.runs {
			continue
		}
		c := &x.causes[i]
		since, was := x.held[c.ID]
		if !was {
			since = w.now
		}
		switch {
		case c.Class == explain.Waits || since.Sub(s.found) < holdFor:
		default:
			if echoes == nil {
				echoes = echoesOf(fresh)
			}
			if folded(echoes, c) {
				break
			}
			if w.now.Sub(since) < holdFor && slices.ContainsFunc(c.Blocks, w.unwell) {
				x.held[c.ID] = since
				held = append(held, i)
				continue
			}
			if len(x.healed) < mostHealed {
				h := *c
				h.Healed = since
				x.healed = append(x.healed, h)
			}
		}
		delete(x.held, c.ID)
		delete(x.known, c.ID)
	}
	if len(x.held) > len(held) { // some are back
		maps.DeleteFunc(x.held, func(id string, _ time.Time) bool { return x.known[id].run == x.runs })
	}
	if len(held) == 0 {
		return fresh
	}
	all := len(fresh) + len(held)
	out, met := make([]Cause, 0, all), make([]*standing, 0, all)
	for _, i := range held {
		n := max(min(i-len(out), len(fresh)), 0)
		out, met = append(append(out, fresh[:n]...), x.causes[i]), append(append(met, x.met[:n]...), x.standing[i])
		fresh, x.met = fresh[n:], x.met[n:]
		x.titles[x.causes[i].Title]++
	}
	x.met = append(met, x.met...)
	return append(out, fresh...)
}

const mostHealed = 20

// echo is what another cause says of an object beside itself.
type echo struct {
	code string
	id   status.ID
}

func echoesOf(causes []Cause) map[echo]struct{} {
	out := map[echo]struct{}{}
	for i := range causes {
		for _, s := range causes[i].Symptoms {
			out[echo{s.Code, s.Ref}] = struct{}{}
		}
	}
	return out
}

// folded reports whether a cause has not gone, but been explained by another.
func folded(echoes map[echo]struct{}, c *Cause) bool {
	return slices.ContainsFunc(c.Objects, func(id status.ID) bool {
		_, ok := echoes[echo{c.Code, id}]
		return ok
	})
}

// steady gives the causes the order in which they are shown: a new one does not
// push another down, and none pass each other, unless the order has been another
// for two seconds. Only what waits makes room at once.
func (x *shown) steady(w *world, causes []Cause) []Cause {
	if len(x.causes) == 0 || !x.settled {
		x.unsettled = time.Time{}
		return causes // the first picture grows
	}
	// What is shown in its order, then what is new; what waits after all others.
	at := make([]int, len(x.causes), len(x.causes)+len(causes)) // the index in causes, from 1
	for i := range causes {
		if s := x.met[i]; s.place >= 0 && at[s.place] == 0 {
			at[s.place] = i + 1
		} else {
			at = append(at, i+1)
		}
	}
	order := make([]int, 0, len(causes))
	for _, waits := range [2]bool{false, true} {
		for _, i := range at {
			if i > 0 && (causes[i-1].Class == explain.Waits) == waits {
				order = append(order, i-1)
			}
		}
	}
	switch {
	case slices.IsSorted(order):
		x.unsettled = time.Time{}
		return causes
	case x.unsettled.IsZero():
		x.unsettled = w.now
	case w.now.Sub(x.unsettled) >= holdFor:
		x.unsettled = time.Time{}
		return causes
	}
	out, met := make([]Cause, len(causes)), make([]*standing, len(causes))
	for to, i := range order {
		out[to], met[to] = causes[i], x.met[i]
	}
	x.met = met
	return out
}

func (w *world) unwell(id status.ID) bool {
	n := w.nodes[id]
	return n != nil && n.obj != nil && n.assess.Status != status.Current
}

// remember keeps what is older than the explanation: when a cause was first
// found, and the earliest onset that anything told. A crash loop's own fields
// tell only of its last turns.
func (x *shown) remember(causes []Cause) {
	for _, s := range x.standing {
		s.place = -1
	}
	x.causes, x.standing = causes, x.met
	for i, s := range x.standing {
		c := &causes[i]
		if s.early || s.since.IsZero() || !c.Since.IsZero() && c.Since.Before(s.since) {
			s.since = c.Since
		}
		s.early = s.early && !x.settled
		c.Since, s.place = s.since, i
	}
	if len(x.known) > len(causes) { // of what nothing is left to say
		maps.DeleteFunc(x.known, func(_ string, s *standing) bool { return s.place < 0 })
	}
}

// memory is what is known of the causes beside the world, in a fixed order.
func (x *shown) memory(now time.Time) []status.Began {
	out := make([]status.Began, 0, len(x.known))
	for id, s := range x.known {
		out = append(out, status.Began{ID: id, Found: ago(now, s.found), Since: ago(now, s.since)})
	}
	slices.SortFunc(out, func(a, b status.Began) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// recall takes in what was known of the causes at a moment.
func (x *shown) recall(at time.Time, causes []status.Began) {
	for _, c := range causes {
		s := &standing{found: whenAgo(at, c.Found), place: -1}
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
func SaidOnce(causes []Cause, titles map[string]int) []Cause {
	var told []Cause
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

// Told is the causes as one line tells them (see [SaidOnce]): the first few of
// that many. The lists are not the caller's to change.
func (m Model) Told() (first []Cause, of int) {
	if m.frozen != nil {
		return m.frozen.told, m.frozen.toldOf
	}
	return m.x.told, m.x.toldOf
}
