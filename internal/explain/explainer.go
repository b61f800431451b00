package explain

import (
	"maps"
	"slices"
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
	e := at(&s, id)
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
	reads   []read
	needs   []Need
	recheck time.Time
}

// at looks at one object.
func at(s *Snapshot, id status.ID) *entry {
	l := &look{s: s}
	var o *status.Object
	if s.Object != nil {
		o = s.Object(id)
	}
	e := &entry{id: id, parents: l.parents(id)}
	if o == nil {
		if s.Absent != nil && s.Absent(id) {
			l.o = &status.Object{ID: id}
			absent(l)
		}
	} else {
		l.o = o
		if s.Assessment != nil {
			l.a, l.known = s.Assessment(id)
		}
		l.detect()
	}
	if len(l.found) > 0 && l.outdated() {
		l.found = nil
	}
	settleOrder(l)
	for _, f := range l.found {
		f.Title = clip(headline(f.Title), 240)
		f.Detail = clip(f.Detail, 4096)
		f.print = f.Code + "\x00" + f.Key
		if !f.Shared {
			f.print += "\x00" + l.workload(id).GroupKind() + "\x00" + id.Namespace + "\x00" + l.workload(id).Name
		}
	}
	e.found, e.reads, e.needs, e.recheck = l.found, l.reads, l.needs, l.recheck
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
	if !fine && len(l.found) == 0 {
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
	readers map[read]map[status.ID]struct{}
	broken  map[status.ID]*entry // those with findings
	due     map[status.ID]time.Time
	roots   map[status.ID]bool
}

// NewExplainer returns an Explainer that knows nothing.
func NewExplainer() *Explainer {
	return &Explainer{
		entries: map[status.ID]*entry{},
		readers: map[read]map[status.ID]struct{}{},
		broken:  map[status.ID]*entry{},
		due:     map[status.ID]time.Time{},
		roots:   map[status.ID]bool{},
	}
}

// Update looks again at what changed and returns all causes. Changed lists the
// objects that appeared, changed, vanished or were judged anew, and those that
// events arrived about, since the last call. What is reachable from a root
// that was not among the roots before is looked at whether it changed or not.
// A call without changes looks at what is due by time alone.
func (x *Explainer) Update(s Snapshot, roots, changed []status.ID) []Cause {
	dirty := map[status.ID]struct{}{}
	fresh := make(map[status.ID]bool, len(roots))
	for _, r := range roots {
		fresh[r] = true
	}
	for r := range x.roots {
		if !fresh[r] {
			dirty[r] = struct{}{}
		}
	}
	for _, r := range roots {
		if !x.roots[r] {
			x.reach(&s, r, dirty)
		}
	}
	x.roots = fresh
	for _, id := range changed {
		x.touch(&s, id, dirty)
	}
	for id, t := range x.due {
		if !t.After(s.Now) {
			dirty[id] = struct{}{}
		}
	}
	// What explains may itself not have been looked at: a node, a claim.
	todo := slices.Collect(maps.Keys(dirty))
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		e := x.look(&s, id)
		for _, f := range e.found {
			for _, list := range [2][]status.ID{f.Because, f.Absorbs} {
				for _, b := range list {
					if _, ok := x.entries[b]; !ok {
						if _, ok := dirty[b]; !ok {
							dirty[b] = struct{}{}
							todo = append(todo, b)
						}
					}
				}
			}
		}
	}
	return collate(&s, x.roots, x.broken)
}

// Due is when the causes may change by time alone; zero when they do not.
func (x *Explainer) Due() time.Time {
	var first time.Time
	for _, t := range x.due {
		if first.IsZero() || t.Before(first) {
			first = t
		}
	}
	return first
}

// Needs lists what detectors asked for in vain: what is worth fetching, in
// stable order.
func (x *Explainer) Needs() []Need {
	seen := map[Need]struct{}{}
	for _, e := range x.entries {
		for _, n := range e.needs {
			seen[n] = struct{}{}
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b Need) int { return a.ID.Compare(b.ID) })
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

// reach marks a root and everything beneath it.
func (x *Explainer) reach(s *Snapshot, id status.ID, dirty map[status.ID]struct{}) {
	stack := []status.ID{id}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, ok := dirty[id]; ok {
			continue
		}
		dirty[id] = struct{}{}
		if s.Children == nil {
			continue
		}
		for _, c := range s.Children(id) {
			if c != nil {
				stack = append(stack, c.ID)
			}
		}
	}
}

// touch marks what a change of one object makes out of date.
func (x *Explainer) touch(s *Snapshot, id status.ID, dirty map[status.ID]struct{}) {
	dirty[id] = struct{}{}
	mark := func(r read) {
		for reader := range x.readers[r] {
			dirty[reader] = struct{}{}
		}
	}
	mark(read{id, readObject})
	kind := status.ID{Group: id.Group, Kind: id.Kind}
	mark(read{kind, readList})
	if id.Namespace != "" {
		kind.Namespace = id.Namespace
		mark(read{kind, readList})
	}
	if s.Parents != nil {
		for _, p := range s.Parents(id) {
			mark(read{p, readChildren})
		}
	}
	if old := x.entries[id]; old != nil {
		for _, p := range old.parents {
			mark(read{p, readChildren})
		}
	}
}

func (x *Explainer) look(s *Snapshot, id status.ID) *entry {
	if old := x.entries[id]; old != nil {
		for _, r := range old.reads {
			delete(x.readers[r], id)
			if len(x.readers[r]) == 0 {
				delete(x.readers, r)
			}
		}
	}
	delete(x.due, id)
	delete(x.broken, id)
	e := at(s, id)
	x.entries[id] = e
	for _, r := range e.reads {
		m := x.readers[r]
		if m == nil {
			m = map[status.ID]struct{}{}
			x.readers[r] = m
		}
		m[id] = struct{}{}
	}
	if !e.recheck.IsZero() {
		x.due[id] = e.recheck
	}
	if len(e.found) > 0 {
		x.broken[id] = e
	}
	return e
}
