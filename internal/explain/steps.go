package explain

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Ten thousand things that are broken each in its own way take a tenth of a
// second to explain: too long for a screen that draws sixty times in one. So the
// work is a row of stages, each of which does a little whenever it is called, and
// whoever is in a hurry comes back for the rest. Objects that change in between
// are told with the next Begin; what is said until then is of different moments,
// and never of one that has not been.

// stage does a piece of work and says how much it was, in units of what it takes
// to visit one finding (some hundred nanoseconds); 0 says that nothing is left.
type stage func() int

// work is an update that is under way.
type work struct {
	x      *Explainer
	s      Snapshot
	news   []News    // not heard yet
	kind   object.ID // of the last that was heard
	stages []stage
	causes []Cause
	ask    func(id object.ID, quiet bool) bool // see silent
	answer bool
}

// What the pieces of work cost, in a stage's units, as measured among ten thousand
// causes: then nothing that is touched is in the processor's cache any more.
const (
	hearCost   = 8
	lookCost   = 120
	quietCost  = 2
	placeCost  = 6
	absorbCost = 12
	divideCost = 13
	foldCost   = 13
	causeCost  = 48
	singleCost = 20
	linkCost   = 3
	restCost   = 1
	moveCost   = 10
)

// Step goes on with what Begin has begun, for as long as that many findings take
// to be visited (some 100 ns each). Once all is done it returns the causes, the
// most important first, as Update would have.
func (x *Explainer) Step(effort int) (causes []Cause, done bool) {
	w := x.work
	if w == nil {
		return nil, false
	}
	for len(w.stages) > 0 {
		switch cost := w.stages[0](); {
		case cost == 0:
			w.stages = w.stages[1:]
		case effort <= cost:
			return nil, false
		default:
			effort -= cost
		}
	}
	x.work = nil
	return w.causes, true
}

// Working reports whether something is left of what Begin has begun.
func (x *Explainer) Working() bool { return x.work != nil }

// hear takes in the news.
func (w *work) hear() int {
	if len(w.news) == 0 {
		w.news = nil
		return 0
	}
	n := &w.news[0]
	w.news = w.news[1:]
	return w.x.hear(w, n)
}

// overdue takes in what has to be looked at by the passing of time: after a
// rollout of thousands that may be all of them at once.
func (w *work) overdue() int {
	id, ok := w.x.due.pass(w.s.Now)
	if !ok {
		return 0
	}
	if h := w.x.held[id]; h != nil {
		h.awaited = false
		w.x.queue(h)
	}
	return hearCost
}

// look looks at one object, and sees to it that what explains it is looked at: a
// node, a claim may itself not have been.
func (w *work) look() int {
	x := w.x
	if len(x.todo) == 0 {
		x.todo = emptied(x.todo)
		return 0
	}
	h := x.todo[len(x.todo)-1]
	x.todo = x.todo[:len(x.todo)-1]
	h.queued = false
	e := x.look(&w.s, h)
	if e == nil || !e.tied {
		return lookCost
	}
	for _, f := range e.found {
		for _, list := range f.links() {
			for _, b := range list {
				if t := x.held[b]; t != nil && (t.queued || t.looked()) || w.silent(b) {
					continue
				}
				x.queue(x.hold(b))
			}
		}
	}
	return lookCost
}

// collate makes causes of what has been found, if that is something.
func (w *work) collate() int {
	x := w.x
	if len(x.broken) > 0 {
		w.stages = append(w.stages, x.collate(&w.s)...)
		return 0
	}
	if x.lineages = nil; len(x.desk.list) > roomy {
		x.desk = desk{}
	}
	x.reading, x.resting = x.reading[:0], x.resting[:0]
	return 0
}

// silent reports that a look at an object would find nothing: see Quiet.
func (w *work) silent(id object.ID) (quiet bool) {
	if w.s.Beneath == nil {
		return false
	}
	if w.ask == nil {
		w.ask = func(_ object.ID, quiet bool) bool {
			w.answer = quiet
			return false // what is beneath is no matter
		}
	}
	w.answer = false
	w.s.Beneath(id, w.ask)
	return w.answer
}

// each is a stage that does one thing after the other, also those that the list
// grows by meanwhile.
func each[T any](list *[]T, cost int, do func(T)) stage {
	next := 0
	return func() int {
		if next >= len(*list) {
			return 0
		}
		do((*list)[next])
		next++
		return cost
	}
}

// eachOf is each with a cost of its own for each; one that costs nothing is the
// last.
func eachOf[T any](list *[]T, do func(*T) int) stage {
	next := 0
	return func() int {
		if next >= len(*list) {
			return 0
		}
		next++
		return do(&(*list)[next-1])
	}
}

// once is a stage that does all it has to do when it is first called.
func once(do func() int) stage {
	done := false
	return func() int {
		if done {
			return 0
		}
		done = true
		return max(do(), 1)
	}
}

// sorted is a stage that sorts a list, by merging its runs: first those that it
// has, then ever longer ones. Equal ones stay as they are. It takes as much room
// again, which is kept in spare where there is one.
func sorted[T any](list, spare *[]T, compare func(a, b T) int) stage {
	const piece = 512
	var from, to []T
	var ends []int           // of the runs of from
	var next []int           // of those of to, as far as they have been made
	seen, run := 0, 0        // how far runs have been looked for; which of them is the left one
	at, i, j := 0, 0, 0      // what comes next of the result, of the left run and of the right
	end := func(r int) int { // of a run; those beyond the last are empty
		if r < 0 {
			return 0
		}
		return ends[min(r, len(ends)-1)]
	}
	return func() int {
		n := len(*list)
		if n < 2 {
			return 0
		}
		if seen < n {
			until := min(seen+2*piece, n)
			cost := until - seen
			for ; seen < until; seen++ {
				if seen > 0 && compare((*list)[seen-1], (*list)[seen]) > 0 {
					ends = append(ends, seen)
				}
			}
			if seen == n {
				ends = append(ends, n)
			}
			return cost
		}
		if len(ends) == 1 {
			if from != nil {
				if *list = from; spare != nil {
					*spare = to
				}
				from = nil
			}
			return 0
		}
		if from == nil {
			from = *list
			if spare != nil {
				to = *spare
			}
			to = slices.Grow(to[:0], n)[:n]
			j = end(0)
		}
		until := min(at+piece, n)
		cost := 2 * (until - at)
		for ; at < until; at++ {
			if at == end(run+1) {
				next = append(next, at)
				run += 2
				i, j = at, end(run)
			}
			if i < end(run) && (j >= end(run+1) || compare(from[i], from[j]) <= 0) {
				to[at] = from[i]
				i++
			} else {
				to[at] = from[j]
				j++
			}
		}
		if at == n {
			from, to = to, from
			ends, next = append(next, n), ends[:0]
			run, at, i, j = 0, 0, 0, ends[0]
		}
		return cost
	}
}
