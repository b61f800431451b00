package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Explanation is the result of one pass.
type Explanation struct {
	// Causes are what keeps roots from being Current, and remarks about those
	// that are, most important first.
	Causes []Cause
	// Needs are what detectors asked for and is not known: worth fetching, in
	// stable order, at most a few hundred objects and events each.
	Needs []Need
	// Reading are the logs and templates that would tell more: those that each
	// cause's exemplar asks for, in the order of the causes.
	Reading []Need
	// Resting are the objects that causes depend on beside those that show
	// them: what their exemplars asked for, found or known to be absent. An ID
	// without a name means all objects of the kind in the namespace. Keep them
	// up to date while the causes last.
	Resting []object.ID
	// Due is when the causes may change with time alone; zero if they do not.
	Due time.Time
	// Faults are detectors that panicked: errors in this program, to be logged.
	// The findings of all other detectors stand.
	Faults []Fault
}

// Explain inspects the roots, their descendants, and the objects that findings
// link to, and returns the causes.
func Explain(s Snapshot, roots []object.ID) Explanation {
	p := &pass{
		s: &s, roots: make(map[object.ID]bool, len(roots)),
		entries: map[object.ID]*entry{}, needs: map[Need]bool{},
	}
	for _, id := range roots {
		p.roots[id] = true
	}
	seen := make(map[*object.Object]bool, len(roots))
	for _, id := range roots {
		if o := s.Object(id); o != nil {
			p.walk(o, seen)
		} else {
			p.entry(id)
		}
	}
	out := p.collate()
	out.Needs, out.Due, out.Faults = p.needed(), p.due, p.faults
	return out
}

// ForObject returns the findings on one object, without regard to other
// objects' findings that explain them.
func ForObject(s Snapshot, id object.ID) (out []Finding) {
	if e := (&pass{s: &s}).at(id, s.Object(id)); e != nil {
		for _, f := range e.found {
			out = append(out, *f)
		}
	}
	return out
}

// pass is one explanation in progress.
type pass struct {
	s       *Snapshot
	roots   map[object.ID]bool
	entries map[object.ID]*entry // inspected objects with findings
	broken  []*entry             // those with findings, in order
	needs   map[Need]bool
	due     time.Time
	faults  []Fault
	l       look // reused for every object
}

// walk inspects an object and its descendants.
func (p *pass) walk(o *object.Object, seen map[*object.Object]bool) {
	children := p.s.Children(o.ID)
	if len(children) > 0 {
		if seen[o] {
			return // a root, or an object with several parents
		}
		seen[o] = true
	}
	p.look(o.ID, o)
	for _, c := range children {
		if c != nil {
			p.walk(c, seen)
		}
	}
}

// entry returns an object's findings, and inspects it first if necessary. An
// unknown object that is not followed can only have the finding that its kind
// may not be read.
func (p *pass) entry(id object.ID) *entry {
	if e := p.entries[id]; e != nil {
		return e
	}
	o := p.s.Object(id)
	if o == nil && !p.roots[id] && p.s.Hidden(id.Group, id.Kind, id.Namespace) == "" {
		return nil
	}
	return p.look(id, o)
}

// look inspects an object and stores its findings. One without children may be
// inspected again, below another parent.
func (p *pass) look(id object.ID, o *object.Object) *entry {
	e := p.at(id, o)
	if e != nil && p.entries[id] == nil {
		p.broken = append(p.broken, e)
		p.entries[id] = e
	}
	p.faults = append(p.faults, p.l.faults[:min(len(p.l.faults), MaxObjects-len(p.faults))]...)
	for _, n := range p.l.needs {
		p.needs[n] = true
	}
	if t := p.l.recheck; !t.IsZero() && (p.due.IsZero() || t.Before(p.due)) {
		p.due = t
	}
	return e
}

// mostNeeds bounds the needs of a pass, for objects and for events each.
const mostNeeds = 300

// needed lists the needs, without those that are only for exemplars.
func (p *pass) needed() (out []Need) {
	for n := range p.needs {
		if !n.Template && n.Log == "" {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b Need) int {
		return cmp.Or(a.ID.Compare(b.ID), boolRank(a.Events)-boolRank(b.Events))
	})
	count := map[bool]int{} // of events, and of objects
	return slices.DeleteFunc(out, func(n Need) bool {
		count[n.Events]++
		return count[n.Events] > mostNeeds
	})
}

func boolRank(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// entry holds the findings on an object.
type entry struct {
	id    object.ID
	found []*Finding // at least one
	past  bool       // of an older revision or run: only relevant if it is a root
	needs []Need
	uses  []object.ID

	up      []object.ID // its ancestors, the nearest first
	under   bool        // it is a root or below one
	reached bool        // it concerns a root
	counted *group      // the group that has counted it
}

// at inspects one object. It returns nil if nothing was found.
func (p *pass) at(id object.ID, o *object.Object) *entry {
	l, s := &p.l, p.s
	l.reuse(s)
	if o == nil {
		l.o = &object.Object{ID: id}
		told, _ := s.Assessment(id) // an inventory's follower has looked in more than one place
		// A kind that is not served has no objects: that says more.
		if (s.Absent(id) || told.Rule == "inventory" && told.Status == status.NotFound) && l.s.Hidden(id.Group, id.Kind, id.Namespace) != string(feed.NotServed) {
			l.guard(absent)
		} else {
			l.guard(unseen)
		}
		if len(l.found)+len(l.needs) == 0 {
			l.reuse(s) // deleted, and not followed
			return nil
		}
	} else {
		l.o = o
		l.a, _ = s.Assessment(id)
		l.detect()
	}
	if len(l.found) == 0 {
		return nil
	}
	e := &entry{id: id, past: l.outdated()}
	settleOrder(l)
	for _, f := range l.found {
		if strings.HasPrefix(f.Title, "is ") { // a title must name its object
			f.Title = id.Kind + " " + id.Name + " " + f.Title
		}
		f.Title = clip(headline(f.Title), 240)
		f.dated(l.o.Changed)
		l.guard(func(l *look) { f.Changed = l.changed(f) })
		if d := l.kubectl("describe", resource(id), id.Name); o != nil && !slices.Contains(f.Next, d) {
			f.Next = append(f.Next, d)
		}
		f.Detail = clip(f.Detail, 4096)
		w := object.ID{}
		if !f.Shared {
			w = l.workload(id)
			w.Namespace = id.Namespace
		}
		f.print = fingerprint(f.Code, f.Key, w.Group, w.Kind, w.Namespace, w.Name)
		f.entry = e
	}
	e.up = append(make([]object.ID, 0, 4), s.Parents(id)...)
	for i := 0; i < len(e.up); i++ {
		for _, a := range s.Parents(e.up[i]) {
			if len(e.up) < 64 && !slices.Contains(e.up, a) {
				e.up = append(e.up, a)
			}
		}
	}
	e.under = p.roots[id] || slices.ContainsFunc(e.up, func(a object.ID) bool { return p.roots[a] })
	e.found, e.uses, e.needs = l.found, slices.Clone(l.uses), slices.Clone(l.needs)
	return e
}

// detect runs the detectors of the object's kind; for a Current object only
// those that have remarks about such.
func (l *look) detect() {
	fine := l.a.Status == status.Current
	for _, list := range [2][]*detector{byKind[l.o.GroupKind()], anyKind} {
		for _, d := range list {
			if !fine || d.current {
				l.guard(d.find)
			}
		}
	}
	if !fine && !slices.ContainsFunc(l.found, func(f *Finding) bool { return !f.aside }) {
		l.guard(fallback)
	}
}

// workload is the workload that a Pod's cause belongs to: the top of its chain
// of controllers among the kinds that make Pods.
func (l *look) workload(id object.ID) object.ID {
	for range 4 {
		p := l.s.Parents(id)
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

// settleOrder removes findings that others hide: a finding about the whole
// object hides those about its containers, and within one container (or among
// those about the whole) the one closest to the physical cause hides the rest.
func settleOrder(l *look) {
	if len(l.found) < 2 || l.o.Pod == nil {
		return
	}
	slices.SortStableFunc(l.found, func(a, b *Finding) int { return a.order - b.order })
	whole := false
	var seen []string
	l.found = slices.DeleteFunc(l.found, func(f *Finding) bool {
		if f.order == 0 {
			return false // without an order: independent of the others
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
