package explain

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Explain returns the causes that keep the roots from being Current, and what
// about them deserves a look though they are, the most important first. It
// starts from nothing; [Explainer] does the same with what changed alone.
func Explain(s Snapshot, roots []object.ID) []Cause {
	return NewExplainer().Update(s, roots, nil)
}

// ForObject returns what is found on one object, without regard to what
// explains it elsewhere.
func ForObject(s Snapshot, id object.ID) []Finding { return at(&look{}, &s, id).findings() }

// entry is what was found on an object.
type entry struct {
	id      object.ID
	found   []*Finding // at least one
	parents []object.ID
	past    bool // it is of a revision, or a run, that is over: of no interest unless asked for
	needs   []Need
	uses    []object.ID

	// current and failed are its status when it was looked at.
	current, failed bool
	tied            bool // some of what was found is tied to other objects
	asks            bool // it uses or needs others

	place   int      // among those with findings
	up      *lineage // everything it hangs under, as of shape
	root    bool     // it was asked for
	under   bool     // it is a root or hangs under one
	shape   uint64
	reached uint64 // the run of collate that reached it
	counted *group // the group that has counted it
}

func (e *entry) findings() []Finding {
	if e == nil {
		return nil
	}
	out := make([]Finding, len(e.found))
	for i, f := range e.found {
		out[i] = *f
	}
	return out
}

// at looks at one object, with a look that may have been used before and that
// says afterwards what was read. It returns nil where nothing was found.
func at(l *look, s *Snapshot, id object.ID) *entry {
	l.reuse(s)
	var o *object.Object
	if s.Object != nil {
		o = s.Object(id)
	}
	if o == nil {
		l.o = &object.Object{ID: id}
		// Of a kind that is not served nothing exists: that says more.
		if s.Absent != nil && s.Absent(id) && l.hidden(id.Group, id.Kind, id.Namespace) != string(feed.NotServed) {
			absent(l)
		} else {
			unseen(l)
		}
		if len(l.found)+len(l.needs) == 0 {
			l.reuse(s) // gone, and nobody's business
			return nil
		}
	} else {
		l.o = o
		if s.Assessment != nil {
			l.a, l.known = s.Assessment(id)
		}
		l.detect()
	}
	if len(l.found) == 0 {
		return nil
	}
	e := &entry{id: id, place: -1}
	e.current, e.failed = l.known && l.a.Status == status.Current, l.known && l.a.Status == status.Failed
	e.past = l.outdated()
	settleOrder(l)
	for _, f := range l.found {
		if strings.HasPrefix(f.Title, "is ") { // a line by itself says of what
			f.Title = id.Kind + " " + id.Name + " " + f.Title
		}
		f.Title = clip(headline(f.Title), 240)
		f.Detail = clip(f.Detail, 4096)
		w := object.ID{}
		if !f.Shared {
			w = l.workload(id)
			w.Namespace = id.Namespace
		}
		f.print = fingerprint(f.Code, f.Key, w.Group, w.Kind, w.Namespace, w.Name)
		f.entry = e
		e.tied = e.tied || len(f.Because)+len(f.Absorbs)+len(f.leads) > 0
	}
	e.parents = l.parents(id)
	for _, p := range e.parents {
		l.saw(p, readExists)
	}
	e.found, e.uses, e.needs = l.found, slices.Clone(l.uses), slices.Clone(l.needs)
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
func (l *look) workload(id object.ID) object.ID {
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
