package explain

import (
	"math"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Explainer keeps what was found on every object, so that after a change only
// what the change touches is looked at again. Of what is quiet, and that nobody
// has read, it keeps nothing. It is not safe for concurrent use. The zero value is
// not ready; see [NewExplainer].
type Explainer struct {
	held   map[object.ID]*held
	broken []*entry // those with findings
	due    deadlines
	todo   []*held // to be looked at, the last first
	lists  int     // how many reads are of a whole kind
	round  uint32  // counts the times that it was told something
	work   *work   // what Begin has begun; nil when it is done

	needs  map[Need]int // how many looks have them
	needed []Need       // needs as a list; nil when it has to be made anew
	// reading is what the exemplars of the last causes ask for beside objects.
	reading []Need
	// resting is what the causes' exemplars asked for, known or not.
	resting []object.ID

	roots map[object.ID]bool
	asked []object.ID // the roots as they were last given
	// shape counts the changes that may have moved something in the tree: while
	// it stays, so do the lineages.
	shape      uint64
	lineages   map[uint64]*lineage
	lineagesOf uint64 // the shape that they are of
	runs       uint64
	eye        look // used for every look
	desk       desk
}

// held is what is kept of an object, or of all objects of a kind where there is no
// name: what was found there, what was read for that, and who has read it. What
// has none of these is not kept.
type held struct {
	id    object.ID
	entry *entry // nil where nothing was found
	reads []reading
	needs []Need
	by    reader // the first of its readers
	more  []reader
	n     int32 // how many there are

	round   uint32 // in which marked is so
	marked  uint8  // the kinds of reads whose readers have been queued
	queued  bool   // it is in todo
	awaited bool   // it has a deadline
}

// reading is a read as its reader keeps it: what was read, and where the reader
// stands among those who did. The two refer to each other, so that one of ten
// thousand readers goes without being looked for.
type reading struct {
	of  *held
	at  int32 // among the readers of that
	how readKind
}

// reader is who has read something. Mostly there is one.
type reader struct {
	by  *held
	nth int32 // of by.reads
	how readKind
}

func (h *held) reader(i int32) *reader {
	if i == 0 {
		return &h.by
	}
	return &h.more[i-1]
}

// News is what has become of an object since the explanation was last told.
type News struct {
	// ID is not written to as long as the news is not taken in.
	ID *object.ID
	// Changed says that the object, its judgement or the events about it are not
	// what they were, Moved that it came, went, or hangs under other parents than
	// before, Beneath that one of the two is true of something that hangs, or hung,
	// directly beneath it.
	Changed, Moved, Beneath bool
	// Quiet says that it is known, Current and [Quiet] now, or that nothing is
	// known of it yet.
	Quiet bool
	// Leaf says that nothing hangs beneath it.
	Leaf bool
}

// NewExplainer returns an Explainer that knows nothing.
func NewExplainer() *Explainer {
	return &Explainer{
		held:  map[object.ID]*held{},
		due:   deadlines{of: map[object.ID]*deadline{}},
		needs: map[Need]int{},
		roots: map[object.ID]bool{},
		shape: 1,
	}
}

// Update looks again at what changed and returns all causes. The news is of every
// object about which there is some since the last call, in any order, also more
// than once. What is reachable from a root that was not among the roots before is
// looked at whether there is news of it or not. A call without news looks at what
// is due by time alone. Roots and news are not to be changed afterwards: the same
// list is taken for the same roots.
func (x *Explainer) Update(s Snapshot, roots []object.ID, news []News) []Cause {
	x.Begin(s, roots, news)
	causes, _ := x.Step(math.MaxInt)
	return causes
}

// Begin is the first part of Update, for whoever must not be kept long: it is
// told what changed, and Step does the rest. What was begun before and is not done
// is taken over.
func (x *Explainer) Begin(s Snapshot, roots []object.ID, news []News) {
	w := &work{x: x, s: s, news: news}
	if x.work != nil && len(x.work.news) > 0 {
		w.news = append(slices.Clip(x.work.news), news...)
	}
	x.work = w
	x.round++
	if !sameList(roots, x.asked) {
		x.ask(w, roots)
	}
	w.stages = []stage{w.hear, w.overdue, w.look, w.collate}
}

// ask takes in what is asked for, and has a look at everything that stands beneath
// what was not asked for before.
func (x *Explainer) ask(w *work, roots []object.ID) {
	fresh := roots
	if n := len(x.asked); n <= len(roots) && len(x.roots) == n && slices.Equal(roots[:n], x.asked) {
		if fresh = roots[n:]; n == 0 {
			x.roots = make(map[object.ID]bool, len(roots))
		}
		for _, r := range fresh {
			x.roots[r] = true
		}
	} else {
		fresh = slices.DeleteFunc(slices.Clone(roots), func(r object.ID) bool { return x.roots[r] })
		x.roots = make(map[object.ID]bool, len(roots))
		for _, r := range roots {
			x.roots[r] = true
		}
	}
	x.asked = roots
	x.shape++
	if w.s.Beneath == nil {
		seen := make(map[object.ID]struct{}, len(fresh))
		for _, r := range fresh {
			for _, id := range beneath(&w.s, r, seen) {
				x.queue(x.hold(id))
			}
		}
		return
	}
	for _, r := range fresh {
		w.s.Beneath(r, func(id object.ID, quiet bool) bool {
			if quiet {
				return true // and if it was not, there is news of it
			}
			if h := x.hold(id); !h.looked() {
				x.queue(h)
			}
			return true
		})
	}
}

// Due is when the causes may change by time alone; zero when they do not.
func (x *Explainer) Due() time.Time { return x.due.first() }

// Findings returns what was found on one object at the last update.
func (x *Explainer) Findings(id object.ID) []Finding { return x.entry(id).findings() }

// sameList reports whether two lists hold the same, at once where they are one.
func sameList(a, b []object.ID) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// entry is what was found on an object, or nil.
func (x *Explainer) entry(id object.ID) *entry {
	if h := x.held[id]; h != nil {
		return h.entry
	}
	return nil
}

// hold is what is kept of an object, from now on.
func (x *Explainer) hold(id object.ID) *held {
	h := x.held[id]
	if h == nil {
		h = &held{id: id}
		x.held[h.id] = h
	}
	return h
}

// release keeps nothing of what there is nothing to keep of.
func (x *Explainer) release(h *held) {
	if !h.looked() && h.n == 0 && !h.queued {
		delete(x.held, h.id)
	}
}

// looked reports whether a look at it had an outcome.
func (h *held) looked() bool { return h.entry != nil || len(h.reads)+len(h.needs) > 0 || h.awaited }

// queue has a look at it.
func (x *Explainer) queue(h *held) {
	if !h.queued {
		h.queued = true
		x.todo = append(x.todo, h)
	}
}

// mark queues those that have read something in one way. It is done once in a
// round, however many are the reason.
func (x *Explainer) mark(h *held, how readKind) {
	if h.round != x.round {
		h.round, h.marked = x.round, 0
	}
	if h.marked&(1<<how) != 0 {
		return
	}
	h.marked |= 1 << how
	for i := range h.n {
		if r := h.reader(i); r.how == how {
			x.queue(r.by)
		}
	}
}

// hear takes in one piece of news.
func (x *Explainer) hear(w *work, n *News) (cost int) {
	if x.lists > 0 && (n.Changed || n.Moved) {
		w.ofKind(n.ID)
	}
	h := x.held[*n.ID]
	if n.Moved && (n.ID.Kind != "Pod" || !n.Leaf) {
		x.shape++ // lineages may be of it; but pods come and go all the time
	}
	if h == nil && n.Quiet && (!n.Moved || n.Leaf || len(x.broken) == 0) {
		return quietCost
	}
	if h != nil && n.Beneath {
		x.mark(h, readChildren)
	}
	if h != nil && (n.Changed || n.Moved) {
		x.mark(h, readObject)
	}
	if n.Moved {
		if h != nil {
			x.mark(h, readExists)
		}
		if !n.Leaf {
			x.moved(w, *n.ID)
		}
	}
	if !n.Changed && !n.Moved {
		return quietCost
	}
	switch {
	case h != nil && (h.looked() || !n.Quiet):
		x.queue(h)
	case !n.Quiet:
		x.queue(x.hold(*n.ID))
	}
	return hearCost
}

// moved sees to it that what is broken beneath an object is looked at again, which
// now hangs elsewhere.
func (x *Explainer) moved(w *work, id object.ID) {
	again := func(id object.ID) {
		if h := x.held[id]; h != nil && h.entry != nil {
			x.queue(h)
		}
	}
	if w.s.Beneath == nil {
		for _, b := range beneath(&w.s, id, map[object.ID]struct{}{}) {
			again(b)
		}
		return
	}
	w.s.Beneath(id, func(b object.ID, quiet bool) bool {
		if !quiet {
			again(b)
		}
		return true
	})
}

// ofKind queues those that have read all of a kind. News mostly comes one kind
// after the other.
func (w *work) ofKind(id *object.ID) {
	if k := &w.kind; k.Kind == id.Kind && k.Group == id.Group && k.Namespace == id.Namespace {
		return
	}
	w.kind = object.ID{Group: id.Group, Kind: id.Kind, Namespace: id.Namespace}
	if h := w.x.held[w.kind]; h != nil {
		w.x.mark(h, readList)
	}
	if id.Namespace == "" {
		return
	}
	if h := w.x.held[object.ID{Group: id.Group, Kind: id.Kind}]; h != nil {
		w.x.mark(h, readList)
	}
}

// beneath lists an object and everything beneath it, apart from what has been seen.
func beneath(s *Snapshot, id object.ID, seen map[object.ID]struct{}) (all []object.ID) {
	stack := []object.ID{id}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, ok := seen[id]; ok {
			continue
		}
		seen[id] = struct{}{}
		all = append(all, id)
		if s.Children == nil {
			continue
		}
		for _, c := range s.Children(id) {
			if c != nil {
				stack = append(stack, c.ID)
			}
		}
	}
	return all
}

// look looks at an object and keeps what comes of it.
func (x *Explainer) look(s *Snapshot, h *held) *entry {
	was, l := h.entry, &x.eye
	e := at(l, s, h.id)
	h.entry = e
	if !h.hasRead(l.reads) {
		x.unread(h)
		x.read(h, l.reads)
	}
	if !slices.Equal(h.needs, l.needs) {
		x.need(l.needs)
		x.unneed(h.needs)
		h.needs = slices.Clone(l.needs)
	}
	if h.awaited || !l.recheck.IsZero() {
		x.due.set(h.id, l.recheck)
		h.awaited = !l.recheck.IsZero()
	}
	switch {
	case was != nil && e != nil:
		if !slices.Equal(was.parents, e.parents) {
			x.shape++ // it hangs elsewhere now
		}
		if f := e.found[0]; f.print == was.found[0].print {
			f.place = was.found[0].place
		}
		e.place = was.place
		x.broken[e.place] = e
	case e != nil:
		e.place = len(x.broken)
		x.broken = append(x.broken, e)
	case was != nil:
		last := x.broken[len(x.broken)-1]
		x.broken[was.place], last.place = last, was.place
		x.broken[len(x.broken)-1] = nil
		x.broken = x.broken[:len(x.broken)-1]
	}
	x.release(h)
	return e
}

// hasRead reports whether the reads are those that are kept.
func (h *held) hasRead(reads []read) bool {
	return slices.EqualFunc(h.reads, reads, func(a reading, b read) bool { return a.how == b.how && a.of.id == b.ID })
}

func (x *Explainer) read(h *held, reads []read) {
	if len(reads) == 0 {
		return
	}
	h.reads = make([]reading, len(reads))
	for i, r := range reads {
		of := x.hold(r.ID)
		h.reads[i] = reading{of, of.n, r.how}
		if of.n++; of.n > 1 {
			of.more = append(of.more, reader{})
		}
		*of.reader(of.n - 1) = reader{h, int32(i), r.how}
		if r.how == readList {
			x.lists++
		}
	}
}

func (x *Explainer) unread(h *held) {
	for _, r := range h.reads {
		of := r.of
		of.n--
		last := of.reader(of.n)
		last.by.reads[last.nth].at = r.at
		*of.reader(r.at) = *last
		*last = reader{}
		if of.n == 0 && of != h {
			x.release(of)
		}
		if of.n <= 1 {
			of.more = nil
		} else {
			of.more = of.more[:of.n-1]
		}
		if r.how == readList {
			x.lists--
		}
	}
	h.reads = nil
}
