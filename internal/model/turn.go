package model

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// turn is the change from the causes that are shown to others. With ten thousand
// it takes longer than a frame may last, and is made in steps: what is shown stays
// whole until all of it is replaced.
type turn struct {
	now    time.Time
	run    uint64 // of the causes that are to be shown
	causes []Cause
	met    []*standing
	steady bool // what is shown keeps its order, if only for two seconds
	stage  int
	next   int // of what the stage goes through

	gone   []int // places of causes that were shown and have just gone, to be held where they were
	places []int // where they are to be put
	echoes map[echo]struct{}
	healed []Cause

	// at are the causes in the order of those that are shown, and then the new
	// ones: where they are, from 1, negative where they wait. order is the same with
	// those that wait last, from 0.
	at, order []int
	unsorted  bool

	hole, start int // of a cycle of causes that change places: what is to be filled, with whose cause the last
	cause       Cause
	stands      *standing

	remarkRun uint64
	remarks   []*node
	unmarked  []int // causes whose beginning has not been noted
}

// What it takes to go on by one, in the measure of an explanation's effort.
const (
	passCost   = 1
	meetCost   = 14
	lineCost   = 2
	shiftCost  = 6
	settleCost = 6
)

// show makes other causes the ones that are shown.
func (x *shown) show(w *world, fresh []Cause) {
	x.turnTo(w, fresh)
	for effort := math.MaxInt; !x.goOn(w, &effort); {
	}
}

func (x *shown) turnTo(w *world, fresh []Cause) {
	t := &turn{
		now: w.now, run: x.runs + 1, causes: fresh, met: make([]*standing, 0, len(fresh)+len(fresh)/8), hole: -1,
		steady: w.opt.Screen && len(x.causes) > 0 && x.settled, // the first picture grows
	}
	w.remarkRun++
	t.remarkRun = w.remarkRun
	x.turn = t
}

// goOn makes as much of the change as there is effort for. It reports whether the
// causes are the new ones.
func (x *shown) goOn(w *world, effort *int) (done bool) {
	t := x.turn
	for {
		var left bool
		switch t.stage {
		case 0:
			left = t.each(effort, meetCost, len(t.causes), func(i int) { x.meet(w, &t.causes[i]) })
		case 1:
			if w.opt.Screen {
				left = t.each(effort, passCost, len(x.standing), func(i int) { x.hold(w, i) })
			}
		case 2:
			left = x.insert(effort)
		case 3:
			if t.steady {
				left = x.line(effort)
			}
		case 4:
			left = t.each(effort, passCost, len(t.at), func(i int) { t.lineUp(t.at[i] - 1) })
		case 5:
			left = t.each(effort, passCost, len(t.at), func(i int) { t.lineUp(-t.at[i] - 1) })
		case 6:
			if t.next == 0 && t.hole < 0 {
				x.settle()
			}
			left = t.rearrange(effort)
		case 7:
			left = t.each(effort, settleCost, len(t.causes), func(i int) {
				x.remember(i)
				w.remark(t, i)
			})
		default:
			x.finish(w)
			return true
		}
		if left {
			return false
		}
		t.stage++
		t.next = 0
	}
}

// each does one thing after the other, and reports whether some are left.
func (t *turn) each(effort *int, cost, n int, do func(int)) (left bool) {
	for ; t.next < n; t.next++ {
		if *effort < cost {
			return true
		}
		*effort -= cost
		do(t.next)
	}
	return false
}

// meet recognizes a cause that has been found.
func (x *shown) meet(w *world, c *Cause) {
	s := x.known[c.ID]
	if s == nil {
		s = &standing{found: w.now, early: !x.settled}
		x.known[c.ID] = s
	}
	s.run = x.turn.run
	if s.subject = nil; len(c.Blocks) == 0 {
		s.subject = w.nodes[c.Subject.ID]
	}
	x.turn.met = append(x.turn.met, s)
	s.traces = traceOf(&c.Subject.ID)
	for _, list := range [3][]object.ID{c.Blocks, c.Chain, c.Objects} {
		for i := range list {
			s.traces |= traceOf(&list[i])
		}
	}
	x.titles[c.Title]++
}

// hold finds out what becomes of a cause that is shown and has just gone: it stays
// where it was for as long as something that it kept from Current still is not.
// What has gone for good is healed. A blink is neither: while children are still on
// their way, a parent's word is taken for a cause for a moment.
func (x *shown) hold(w *world, i int) {
	t, s := x.turn, x.standing[i]
	if s.run == t.run {
		return
	}
	c := &x.causes[i]
	since, was := x.held[c.ID]
	if !was {
		since = t.now
	}
	switch {
	case c.Class == explain.Waits || since.Sub(s.found) < holdFor:
	default:
		if t.echoes == nil {
			t.echoes = echoesOf(t.causes)
		}
		if folded(t.echoes, c) {
			break
		}
		if t.now.Sub(since) < holdFor && slices.ContainsFunc(c.Blocks, w.unwell) {
			x.held[c.ID] = since
			t.gone = append(t.gone, i)
			return
		}
		if len(t.healed) < mostHealed {
			h := *c
			h.Healed = since
			t.healed = append(t.healed, h)
		}
	}
	delete(x.held, c.ID)
	delete(x.known, c.ID)
}

// insert puts what is held where it was.
func (x *shown) insert(effort *int) (left bool) {
	t := x.turn
	if t.places == nil {
		if len(x.held) > len(t.gone) { // some are back
			maps.DeleteFunc(x.held, func(id string, _ time.Time) bool { return x.known[id].run == t.run })
		}
		if len(t.gone) == 0 {
			return false
		}
		n, last := len(t.causes), -1
		for k, i := range t.gone {
			last = max(last+1, min(i, n+k))
			t.places = append(t.places, last)
			x.titles[x.causes[i].Title]++
		}
		all := n + len(t.gone)
		t.causes, t.met = slices.Grow(t.causes, len(t.gone))[:all], slices.Grow(t.met, len(t.gone))[:all]
		t.next = all - 1
	}
	// From the end, so that each is moved once.
	for k := len(t.gone) - 1; k >= 0; t.next-- {
		if *effort < shiftCost {
			return true
		}
		*effort -= shiftCost
		to := t.next
		if to == t.places[k] {
			t.causes[to], t.met[to] = x.causes[t.gone[k]], x.standing[t.gone[k]]
			t.gone = t.gone[:k]
			k--
		} else {
			t.causes[to], t.met[to] = t.causes[to-k-1], t.met[to-k-1]
		}
	}
	return false
}

// line finds the order in which the causes are shown: a new one does not push
// another down, and none pass each other, unless the order has been another for
// two seconds. Only what waits makes room at once.
func (x *shown) line(effort *int) (left bool) {
	t := x.turn
	if t.at == nil {
		t.at = make([]int, len(x.causes), len(x.causes)+len(t.causes))
		t.order = make([]int, 0, len(t.causes))
	}
	return t.each(effort, lineCost, len(t.causes), func(i int) {
		at := i + 1
		if t.causes[i].Class == explain.Waits {
			at = -at
		}
		if s := t.met[i]; s.shown == x.runs && t.at[s.place] == 0 {
			t.at[s.place] = at
		} else {
			t.at = append(t.at, at)
		}
	})
}

func (t *turn) lineUp(i int) {
	if i < 0 {
		return
	}
	t.unsorted = t.unsorted || len(t.order) > 0 && t.order[len(t.order)-1] > i
	t.order = append(t.order, i)
}

// settle decides whether the causes take the order in which they were found.
func (x *shown) settle() {
	t := x.turn
	switch {
	case !t.unsorted:
		x.unsettled = time.Time{}
	case x.unsettled.IsZero():
		x.unsettled = t.now
		return
	case t.now.Sub(x.unsettled) >= holdFor:
		x.unsettled = time.Time{}
	default:
		return
	}
	t.order = nil
}

// rearrange brings the causes into order, each moved once.
func (t *turn) rearrange(effort *int) (left bool) {
	for t.next < len(t.order) || t.hole >= 0 {
		if *effort < shiftCost {
			return true
		}
		if t.hole < 0 {
			i := t.next
			t.next++
			if *effort -= passCost; t.order[i] != i {
				t.hole, t.start, t.cause, t.stands = i, i, t.causes[i], t.met[i]
			}
			continue
		}
		*effort -= shiftCost
		to, from := t.hole, t.order[t.hole]
		t.order[to] = to
		if from == t.start {
			t.causes[to], t.met[to], t.hole = t.cause, t.stands, -1
		} else {
			t.causes[to], t.met[to], t.hole = t.causes[from], t.met[from], from
		}
	}
	return false
}

// remember keeps what is older than the explanation: when a cause was first
// found, and the earliest onset that anything told. A crash loop's own fields
// tell only of its last turns.
func (x *shown) remember(i int) {
	t := x.turn
	c, s := &t.causes[i], t.met[i]
	if s.early || s.since.IsZero() || !c.Since.IsZero() && c.Since.Before(s.since) {
		s.since = c.Since
	}
	s.early = s.early && !x.settled
	c.Since, s.place, s.shown = s.since, i, t.run
	if !s.marked && c.Class != explain.Waits {
		t.unmarked = append(t.unmarked, i)
	}
}

// finish is the moment at which the others are shown.
func (x *shown) finish(w *world) {
	t := x.turn
	x.turn = nil
	x.runs = t.run
	x.was = x.causes
	x.causes, x.standing, x.unmarked = t.causes, t.met, t.unmarked
	x.healed = slices.DeleteFunc(x.healed, func(c Cause) bool {
		s := x.known[c.ID]
		return s != nil && s.run == t.run || t.now.Sub(c.Healed) >= struckFor
	})
	x.healed = append(x.healed, t.healed[:min(len(t.healed), max(mostHealed-len(x.healed), 0))]...)
	if !t.steady {
		x.unsettled = time.Time{}
	}
	if len(x.known) > len(x.causes) { // of what nothing is left to say
		maps.DeleteFunc(x.known, func(_ string, s *standing) bool { return s.shown != t.run })
	}
	w.unremark(t)
	x.told, x.toldOf = SaidOnce(x.causes, x.titles), len(x.titles)
	clear(x.titles)
}
