package explain

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Explain returns the causes that keep the roots from being Current, and what
// about them deserves a look though they are, the most important first. It
// starts from nothing; [Explainer] does the same with what changed alone.
func Explain(s Snapshot, roots []status.ID) []Cause {
	return NewExplainer().Update(s, roots, nil)
}

// ForObject returns what is found on one object, without regard to what
// explains it elsewhere.
func ForObject(s Snapshot, id status.ID) []Finding {
	e := at(&look{}, &s, id)
	out := make([]Finding, len(e.found))
	for i, f := range e.found {
		out[i] = *f
	}
	return out
}

// entry is the outcome of one look.
type entry struct {
	id      status.ID
	found   []*Finding
	parents []status.ID
	exists  bool
	past    bool // it is of a revision, or a run, that is over: of no interest unless asked for
	reads   []read
	needs   []Need
	uses    []status.ID
	recheck time.Time

	// current and failed are its status when it was looked at.
	current, failed bool
	tied            bool // some of what was found is tied to other objects
	asks            bool // it uses or needs others

	up      *lineage // everything it hangs under, as of shape
	root    bool     // it was asked for
	under   bool     // it is a root or hangs under one
	shape   uint64
	reached uint64 // the run of collate that reached it
	counted *group // the group that has counted it
}

// nothing is the outcome of most looks: it is there, and there is nothing to
// say.
var nothing = &entry{exists: true}

// at looks at one object, with a look that may have been used before.
func at(l *look, s *Snapshot, id status.ID) *entry {
	*l = look{s: s}
	var o *status.Object
	if s.Object != nil {
		o = s.Object(id)
	}
	if o == nil {
		l.o = &status.Object{ID: id}
		// Of a kind that is not served nothing exists: that says more.
		if s.Absent != nil && s.Absent(id) && l.hidden(id.Group, id.Kind, id.Namespace) != string(status.NotServed) {
			absent(l)
		} else {
			unseen(l)
		}
	} else {
		l.o = o
		if s.Assessment != nil {
			l.a, l.known = s.Assessment(id)
		}
		l.detect()
	}
	if len(l.found)+len(l.reads)+len(l.needs) == 0 && l.recheck.IsZero() && o != nil {
		return nothing
	}
	e := &entry{id: id, exists: o != nil}
	e.current, e.failed = l.known && l.a.Status == status.Current, l.known && l.a.Status == status.Failed
	e.past = len(l.found) > 0 && l.outdated()
	settleOrder(l)
	for _, f := range l.found {
		if strings.HasPrefix(f.Title, "is ") { // a line by itself says of what
			f.Title = id.Kind + " " + id.Name + " " + f.Title
		}
		f.Title = clip(headline(f.Title), 240)
		f.Detail = clip(f.Detail, 4096)
		w := status.ID{}
		if !f.Shared {
			w = l.workload(id)
			w.Namespace = id.Namespace
		}
		f.print = fingerprint(f.Code, f.Key, w.Group, w.Kind, w.Namespace, w.Name)
	}
	if len(l.found) > 0 {
		e.parents = l.parents(id)
		for _, p := range e.parents {
			l.saw(p, readExists)
		}
	}
	for _, f := range l.found {
		f.entry = e
		e.tied = e.tied || len(f.Because)+len(f.Absorbs)+len(f.leads) > 0
	}
	e.found, e.reads, e.needs, e.recheck = l.found, l.reads, l.needs, l.recheck
	if len(l.found) > 0 {
		e.uses = l.uses
	}
	e.asks = len(e.uses)+len(e.needs) > 0
	return e
}

// detect runs the detectors of the object's kind. Objects that are Current are
// left to the few detectors that have something to say about those.
func (l *look) detect() {
	fine := l.known && l.a.Status == status.Current
	for _, list := range [2][]*detector{byKind[l.o.GroupKind()], anyKind} {
		for _, d := range list {
			if !fine || d.current {
				d.find(l)
			}
		}
	}
	if !fine && !slices.ContainsFunc(l.found, func(f *Finding) bool { return !f.aside }) {
		fallback(l)
	}
}

// workload is what a pod's cause belongs to beside its parameters: the top of
// its chain of controllers among the kinds that make pods.
func (l *look) workload(id status.ID) status.ID {
	for range 4 {
		p := l.parents(id)
		if len(p) == 0 {
			return id
		}
		switch p[0].GroupKind() {
		case "apps/ReplicaSet", "apps/Deployment", "apps/StatefulSet", "apps/DaemonSet", "batch/Job", "batch/CronJob", "ReplicationController":
			id = p[0]
			l.saw(id, readExists)
		default:
			return id
		}
	}
	return id
}

// settleOrder leaves of one object's findings those that no other hides: a
// finding about the whole object hides those about its containers, and within
// one container (or among those about the whole) the one closest to the
// physical cause hides the rest.
func settleOrder(l *look) {
	if len(l.found) < 2 || l.o.Pod == nil {
		return
	}
	slices.SortStableFunc(l.found, func(a, b *Finding) int { return a.order - b.order })
	whole := false
	var seen []string
	l.found = slices.DeleteFunc(l.found, func(f *Finding) bool {
		if f.order == 0 {
			return false // outside the order: stands beside the others
		}
		if whole || slices.Contains(seen, f.Subject.Container) {
			return true
		}
		if f.Subject.Container == "" {
			whole = len(seen) == 0
			return len(seen) > 0
		}
		seen = append(seen, f.Subject.Container)
		return false
	})
}

// Explainer keeps what was found on every object, so that after a change only
// what the change touches is looked at again. It is not safe for concurrent
// use. The zero value is not ready; see [NewExplainer].
type Explainer struct {
	entries map[status.ID]*entry
	readers map[read]readers
	broken  map[status.ID]*entry // those with findings
	due     deadlines
	work    *work // what Begin has begun; nil when it is done

	needs  map[Need]int // how many entries have them
	needed []Need       // needs as a list; nil when it has to be made anew
	// reading is what the exemplars of the last causes ask for beside objects.
	reading []Need
	// resting is what the causes' exemplars asked for, known or not.
	resting []status.ID

	roots map[status.ID]bool
	asked []status.ID // the roots as they were last given
	// shape counts the changes that may have moved something in the tree: while
	// it stays, so do the lineages.
	shape    uint64
	lineages map[uint64]*lineage
	runs     uint64
	eye      look // used for every look
	desk     desk
}

// NewExplainer returns an Explainer that knows nothing.
func NewExplainer() *Explainer {
	return &Explainer{
		entries: map[status.ID]*entry{},
		readers: map[read]readers{},
		broken:  map[status.ID]*entry{},
		due:     deadlines{of: map[status.ID]*deadline{}},
		needs:   map[Need]int{},
		roots:   map[status.ID]bool{},
		shape:   1,
	}
}

// Update looks again at what changed and returns all causes. Changed lists the
// objects that appeared, changed, vanished or were judged anew, and those that
// events arrived about, since the last call. What is reachable from a root
// that was not among the roots before is looked at whether it changed or not.
// A call without changes looks at what is due by time alone. Roots are not to be
// changed afterwards: the same list is taken for the same roots.
func (x *Explainer) Update(s Snapshot, roots, changed []status.ID) []Cause {
	x.Begin(s, roots, changed)
	causes, _ := x.Step(math.MaxInt)
	return causes
}

// Begin is the first part of Update, for whoever must not be kept long: it is
// told what changed, and Step does the rest. What was begun before and is not done
// is taken over.
func (x *Explainer) Begin(s Snapshot, roots, changed []status.ID) {
	w := &work{x: x, s: s, changed: changed, dirty: map[status.ID]struct{}{}}
	if x.work != nil {
		w.changed = append(slices.Clone(changed), x.work.changed...)
		maps.Copy(w.dirty, x.work.dirty)
		w.quiet = x.work.quiet
	}
	if !sameList(roots, x.asked) {
		visit := x.reach(w, roots)
		fresh := make(map[status.ID]bool, len(roots))
		for _, r := range roots {
			fresh[r] = true
			if !x.roots[r] {
				visit(r)
			}
		}
		x.roots, x.asked = fresh, roots
		x.shape++
	}
	x.work = w
	w.stages = append([]stage{
		each(&w.changed, touchCost, func(id status.ID) { x.touch(&w.s, id, w.dirty) }),
		w.overdue,
		once(w.list),
		w.look,
	}, x.collate(&w.s)...)
}

// Due is when the causes may change by time alone; zero when they do not.
func (x *Explainer) Due() time.Time { return x.due.first() }

// sameList reports whether two lists hold the same, at once where they are one.
func sameList(a, b []status.ID) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

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
func (x *Explainer) Resting() []status.ID { return x.resting }

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

// Findings returns what was found on one object at the last update.
func (x *Explainer) Findings(id status.ID) []Finding {
	e := x.entries[id]
	if e == nil {
		return nil
	}
	out := make([]Finding, len(e.found))
	for i, f := range e.found {
		out[i] = *f
	}
	return out
}

// reach returns what marks a root and everything beneath it as to be looked at,
// along the tree. What is quiet and has not been looked at needs no look.
func (x *Explainer) reach(w *work, roots []status.ID) func(root status.ID) {
	first := len(x.entries)+len(w.dirty) == 0
	if w.s.Beneath == nil {
		if first {
			w.dirty = make(map[status.ID]struct{}, min(10*len(roots), 1<<16)) // everything is looked at
		}
		return func(root status.ID) { w.along = beneath(&w.s, root, w.dirty, w.along) }
	}
	visit := func(id status.ID, quiet bool) bool {
		if quiet && (first || x.entries[id] == nil) {
			w.quiet = append(w.quiet, id)
			return true
		}
		known := len(w.dirty)
		if w.dirty[id] = struct{}{}; len(w.dirty) == known {
			return false
		}
		w.along = append(w.along, id)
		return true
	}
	return func(root status.ID) { w.s.Beneath(root, visit) }
}

// beneath adds an object and everything beneath it to a set, and what is new in
// that to a list along the tree.
func beneath(s *Snapshot, id status.ID, set map[status.ID]struct{}, along []status.ID) []status.ID {
	stack := []status.ID{id}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, ok := set[id]; ok {
			continue
		}
		set[id] = struct{}{}
		along = append(along, id)
		if s.Children == nil {
			continue
		}
		for _, c := range s.Children(id) {
			if c != nil {
				stack = append(stack, c.ID)
			}
		}
	}
	return along
}

// touch marks what a change of one object makes out of date.
func (x *Explainer) touch(s *Snapshot, id status.ID, dirty map[status.ID]struct{}) {
	dirty[id] = struct{}{}
	mark := func(r read) {
		list, ok := x.readers[r]
		if !ok {
			return
		}
		if list.one != nil {
			dirty[list.one.id] = struct{}{}
		}
		for e := range list.more {
			dirty[e.id] = struct{}{}
		}
	}
	mark(read{id, readObject})
	kind := status.ID{Group: id.Group, Kind: id.Kind}
	mark(read{kind, readList})
	if id.Namespace != "" {
		kind.Namespace = id.Namespace
		mark(read{kind, readList})
	}
	old := x.entries[id]
	if is := s.Object != nil && s.Object(id) != nil; is != (old != nil && old.exists) {
		x.shape++
		mark(read{id, readExists})
		below := map[status.ID]struct{}{}
		beneath(s, id, below, nil)
		for d := range below {
			if x.broken[d] != nil {
				dirty[d] = struct{}{}
			}
		}
	}
	if s.Parents != nil {
		for _, p := range s.Parents(id) {
			mark(read{p, readChildren})
		}
	}
	if old != nil {
		for _, p := range old.parents {
			mark(read{p, readChildren})
		}
	}
}

// readers are the entries that have read something: mostly one, and then no map
// is made for it.
type readers struct {
	one  *entry
	more map[*entry]struct{}
}

func (x *Explainer) read(r read, e *entry) {
	list := x.readers[r]
	_, known := list.more[e]
	switch {
	case known || list.one == e:
		return
	case list.one == nil:
		list.one = e
	default:
		if list.more == nil {
			list.more = map[*entry]struct{}{}
		}
		list.more[e] = struct{}{}
	}
	x.readers[r] = list
}

func (x *Explainer) unread(r read, e *entry) {
	list := x.readers[r]
	if list.one == e {
		list.one = nil
	} else {
		delete(list.more, e)
	}
	if list.one == nil && len(list.more) == 0 {
		delete(x.readers, r)
		return
	}
	x.readers[r] = list
}

func (x *Explainer) look(s *Snapshot, id status.ID) *entry {
	var was *entry
	old := x.entries[id]
	if old != nil && old != nothing {
		for _, r := range old.reads {
			x.unread(r, old)
		}
		was = x.broken[id]
		delete(x.broken, id)
	}
	e := at(&x.eye, s, id)
	x.need(e.needs)
	if old != nil {
		x.unneed(old.needs)
	}
	if len(e.found) > 0 && was != nil {
		if !slices.Equal(was.parents, e.parents) {
			x.shape++ // it hangs elsewhere now
		}
		if f := e.found[0]; f.print == was.found[0].print {
			f.place = was.found[0].place
		}
	}
	if !e.exists && len(e.found) == 0 && len(e.needs) == 0 {
		x.due.set(id, time.Time{})
		delete(x.entries, id) // gone, and nobody's business
		return e
	}
	x.due.set(id, e.recheck)
	x.entries[id] = e
	for _, r := range e.reads {
		x.read(r, e)
	}
	if len(e.found) > 0 {
		x.broken[id] = e
	}
	return e
}
