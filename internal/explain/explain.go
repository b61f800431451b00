package explain

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fold"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/general"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Explanation is the result of one pass.
type Explanation struct {
	// Causes are what keeps roots from being Current, and remarks about those
	// that are, most important first.
	Causes []fold.Cause
	// Needs are what detectors asked for and is not known: worth fetching, in
	// stable order, at most a few hundred objects and events each.
	Needs []inspect.Need
	// Reading are the logs and templates that would say more about the causes, in their
	// order. Each cause asks by its exemplar, the finding that stands for all of its kind.
	Reading []inspect.Need
	// DependsOn are the objects that the explanation depends on beside those that it
	// explains: what detectors asked for, found or known to be absent. What the causes'
	// exemplars asked for comes first, at most a few hundred in all. An ID without a name
	// means all objects of the kind in the namespace. Keep them up to date: without one
	// of them the next explanation may differ, and need it again.
	DependsOn []object.ID
	// Due is when the causes may change with time alone; zero if they do not.
	Due time.Time
	// Faults are detectors that panicked: errors in this program, to be logged.
	// The findings of all other detectors stand.
	Faults []inspect.Fault
}

// Explain inspects the roots, their descendants, and the objects that findings
// link to, and returns the causes.
func Explain(s inspect.Snapshot, roots []object.ID) Explanation {
	p := &pass{
		s: &s, roots: make(map[object.ID]bool, len(roots)),
		entries: map[object.ID]*inspect.Entry{}, needs: map[inspect.Need]bool{}, uses: map[object.ID]bool{},
	}
	for _, id := range roots {
		p.roots[id] = true
	}
	seen := make(map[*object.Object]bool, len(roots))
	for _, id := range roots {
		if s.Object(id) != nil {
			p.walk(id, seen)
		} else {
			p.entry(id)
		}
	}
	x := fold.Fold(fold.Input{Snapshot: &s, Roots: p.roots, Entries: p.broken, Inspect: p.entry})
	for _, n := range x.Asked {
		n.ForCause = false
		p.needs[n] = true
	}
	return Explanation{
		Causes: x.Causes, Reading: x.Reading, DependsOn: p.dependencies(x.DependsOn),
		Needs: p.needed(), Due: p.due, Faults: p.faults,
	}
}

// ForObject returns the findings on one object, without regard to other
// objects' findings that explain them.
func ForObject(s inspect.Snapshot, id object.ID) (out []inspect.Finding) {
	if e := (&pass{s: &s}).at(id, s.Object(id)); e != nil {
		for _, f := range e.Found {
			out = append(out, *f)
		}
	}
	return out
}

// pass is one explanation in progress.
type pass struct {
	s       *inspect.Snapshot
	roots   map[object.ID]bool
	entries map[object.ID]*inspect.Entry // inspected objects with findings
	broken  []*inspect.Entry             // those with findings, in order
	needs   map[inspect.Need]bool
	uses    map[object.ID]bool // what detectors asked for and know
	due     time.Time
	faults  []inspect.Fault
	l       inspect.Inspector // reused for every object
	last    *ofKind           // of the object that was visited last
}

// walk inspects an object and its descendants. Of those that are Current, which are most, only
// those are inspected of which a detector may have something to tell: nothing else is asked of
// them.
func (p *pass) walk(id object.ID, seen map[*object.Object]bool) {
	p.s.Walk(id, func(o *object.Object, is status.Status, parent bool) bool {
		if parent {
			if seen[o] {
				return false // a root, or an object with several parents
			}
			seen[o] = true
		}
		if is != status.Current || p.detectorsOf(o).mayTell(o) {
			p.look(o.ID, o)
		}
		return true
	})
}

// detectorsOf are the detectors for an object. Siblings are of one kind.
func (p *pass) detectorsOf(o *object.Object) *ofKind {
	if p.last == nil || p.last.Kind != o.Kind || p.last.Group != o.Group {
		p.last = detectors(o.Group, o.Kind)
	}
	return p.last
}

// entry returns an object's findings, and inspects it first if necessary. An
// unknown object that is not followed can only have the finding that its kind
// may not be read.
func (p *pass) entry(id object.ID) *inspect.Entry {
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
func (p *pass) look(id object.ID, o *object.Object) *inspect.Entry {
	e := p.at(id, o)
	if e != nil && p.entries[id] == nil {
		p.broken = append(p.broken, e)
		p.entries[id] = e
	}
	p.faults = append(p.faults, p.l.Faults[:min(len(p.l.Faults), inspect.MaxObjects-len(p.faults))]...)
	for _, n := range p.l.Needs {
		p.needs[n] = true
	}
	for _, id := range p.l.Uses {
		p.uses[id] = true
	}
	if t := p.l.RecheckAt; !t.IsZero() && (p.due.IsZero() || t.Before(p.due)) {
		p.due = t
	}
	return e
}

// mostReasons bounds how many objects that may explain one finding are asked for.
const mostReasons = 8

// mostNeeds bounds the needs of a pass, for objects and for events each.
const mostNeeds = 300

// needed lists the needs, without those that are only for exemplars.
func (p *pass) needed() (out []inspect.Need) {
	for n := range p.needs {
		if !n.Template && n.Log == "" && !n.ForCause {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b inspect.Need) int {
		return cmp.Or(a.ID.Compare(b.ID), fold.TrueLast(a.Events)-fold.TrueLast(b.Events))
	})
	count := map[bool]int{} // of events, and of objects
	return slices.DeleteFunc(out, func(n inspect.Need) bool {
		count[n.Events]++
		return count[n.Events] > mostNeeds
	})
}

// dependencies are the objects that the exemplars depend on, and the others that were used: lists
// first, which many share.
func (p *pass) dependencies(exemplars []object.ID) []object.ID {
	for _, id := range exemplars {
		delete(p.uses, id)
	}
	others := slices.SortedFunc(maps.Keys(p.uses), func(a, b object.ID) int {
		return cmp.Or(min(len(a.Name), 1)-min(len(b.Name), 1), a.Compare(b))
	})
	return slices.Concat(exemplars, others[:min(len(others), mostNeeds-len(exemplars))])
}

// at inspects one object. It returns nil if nothing was found.
func (p *pass) at(id object.ID, o *object.Object) *inspect.Entry {
	in, s := &p.l, p.s
	in.Reset(s)
	in.Roots = p.roots
	if o == nil {
		in.Object = &object.Object{ID: id}
		assessed, _ := s.Assessment(id) // an inventory's follower has looked in more than one place
		// A kind that is not served has no objects: that says more.
		if (s.Absent(id) || assessed.Rule == "inventory" && assessed.Status == status.NotFound) &&
			in.Snapshot.Hidden(id.Group, id.Kind, id.Namespace) != string(feed.NotServed) {
			in.Guard(absent)
		} else {
			in.Guard(unseen)
		}
		if len(in.Found)+len(in.Needs) == 0 {
			in.Reset(s) // deleted, and not followed
			return nil
		}
	} else {
		in.Object = o
		in.Assessment, _ = s.Assessment(id)
		detect(in)
	}
	if len(in.Found) == 0 {
		return nil
	}
	e := &inspect.Entry{ID: id, Workload: in.Workload(id), Outdated: outdated(in)}
	in.Found = inspect.Settle(in.Found)
	for _, f := range in.Found {
		for _, blamed := range f.Because {
			if !p.roots[blamed] && len(s.Parents(blamed)) == 0 {
				in.Get(blamed) // nobody follows it, and its findings are what matters
			}
		}
		if strings.HasPrefix(f.Title(), "is ") { // a title must name its object
			f.Say("%s %s %s", id.Kind, id.Name, f.Title())
		}
		f.Dated(in.Object.Changed)
		in.Guard(func(in *inspect.Inspector) { f.Changed = changed(in, f) })
		if d := in.Kubectl("describe", wording.Resource(id), id.Name); o != nil && !slices.Contains(f.Next, d) {
			f.Next = append(f.Next, d)
		}
		f.Detail = message.Clip(f.Detail, 4096)
		for _, id := range f.Because[:min(len(f.Because), mostReasons)] { // nobody else may follow them
			in.Get(id)
		}
	}
	e.Ancestors = in.Ancestors()
	e.Followed = p.roots[id] || slices.ContainsFunc(e.Ancestors, func(a object.ID) bool { return p.roots[a] })
	e.Found, e.Uses, e.Needs = in.Found, slices.Concat(in.Uses, in.CauseUses), slices.Clone(in.Needs)
	return e
}

// detect runs the detectors of the object's kind; for a Current object only
// those that have remarks about such.
func detect(in *inspect.Inspector) {
	fine, of := in.Assessment.Status == status.Current, detectors(in.Object.Group, in.Object.Kind)
	if !fine && in.Object.LookedUp { // those of what is followed are read anyway
		in.Need(inspect.Need{ID: in.Object.ID, Events: true})
	}
	for _, d := range of.all {
		if !fine || d.MayTell(in.Object) {
			in.Guard(d.Find)
		}
	}
	if !fine {
		in.Guard(general.Parts)
		in.Guard(general.Warnings)
		for _, find := range lastResorts {
			if len(in.Found) == 0 {
				in.Guard(find)
			}
		}
	}
	if !fine && !explained(in) {
		in.Guard(fallback)
	}
	if !fine {
		in.Guard(general.FailedBefore)
		in.Guard(general.Queued)
		in.Guard(general.Unfollowed)
		in.Guard(general.GonePods)
		in.Guard(general.Beside)
		in.Guard(general.Addresses)
		in.Guard(general.Links)
		in.Guard(general.ControllersLog)
		in.Guard(general.Makers)
		in.Guard(general.Patience)
	}
}

// explained reports whether a finding explains the object's status. What only takes time does not
// explain that a condition calls the object failed: a Pod whose init container runs and that another
// controller has marked Stalled.
func explained(in *inspect.Inspector) bool {
	failedByCondition := in.Assessment.Status == status.Failed && in.Assessment.Deciding >= 0
	return slices.ContainsFunc(in.Found, func(f *inspect.Finding) bool {
		return !f.Remark && (f.Class != codes.Waits || !failedByCondition || len(f.Because) > 0)
	})
}

// lastResorts are run while nothing else has been found.
var lastResorts = []func(*inspect.Inspector){fought, flapping}
