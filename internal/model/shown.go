package model

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Between the causes that are found and those that are shown stands time: a line
// must neither blink nor jump, and says since when.

// shown is the causes that are shown, and what is remembered of them.
type shown struct {
	causes   []Cause
	standing []*standing // of causes
	unmarked []int       // of causes: those whose beginning has not been noted
	known    map[string]*standing
	turn     *turn   // to other causes, under way
	was      []Cause // what was shown before the last turn
	runs     uint64  // grows whenever others are shown
	settled  bool    // once all children that were asked for had been answered

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
	shown        uint64    // the run that it was last shown for
	place        int       // among the causes that were shown then
	marked       bool      // its beginning has been noted
	early        bool      // it was found before everything was known: since when it lasts is a guess till then
	traces       trace     // of the objects that it names
	subject      *node     // what it is about, where it keeps nothing from Current
}

// trace is a set of objects that may hold others too: it tells quickly that a
// cause has nothing to do with an object.
type trace uint64

func traceOf(id *object.ID) trace {
	h := uint(len(id.Kind))
	for i := max(len(id.Name)-4, 0); i < len(id.Name); i++ {
		h = h*31 + uint(id.Name[i])
	}
	return 1 << (h % 64)
}

// tracesOf are those of n and everything below it.
func tracesOf(n *node) (t trace) {
	walkNodes(n, func(k *node) bool {
		t |= traceOf(k.id)
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

const mostHealed = 20

// echo is what another cause says of an object beside itself.
type echo struct {
	code string
	id   object.ID
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
	return slices.ContainsFunc(c.Objects, func(id object.ID) bool {
		_, ok := echoes[echo{c.Code, id}]
		return ok
	})
}

func (w *world) unwell(id object.ID) bool {
	n := w.nodes[id]
	return n != nil && n.obj != nil && n.assess.Status != status.Current
}

// memory is what is known of the causes beside the world, in a fixed order.
func (x *shown) memory(now time.Time) []feed.Began {
	out := make([]feed.Began, 0, len(x.known))
	for id, s := range x.known {
		out = append(out, feed.Began{ID: id, Found: ago(now, s.found), Since: ago(now, s.since)})
	}
	slices.SortFunc(out, func(a, b feed.Began) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// recall takes in what was known of the causes at a moment.
func (x *shown) recall(at time.Time, causes []feed.Began) {
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
