package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// look is the inspection of one object: detectors read facts and write findings
// through it. The snapshot answers with what is known; object, list and template
// also ask for what is not.
type look struct {
	s       *Snapshot
	o       *object.Object
	a       status.Assessment // zero if it is not judged
	found   []*Finding
	needs   []Need
	uses    []object.ID // the objects it asked for, known or not
	recheck time.Time
	faults  []Fault // detectors that panicked

	nodeChecks *nodeChecks // shared by all objects of a pass; nil until a Pod needs it
}

// reuse resets l and keeps its buffers, and what all objects of a pass share.
func (l *look) reuse(s *Snapshot) {
	*l = look{s: s, needs: l.needs[:0], uses: l.uses[:0], nodeChecks: l.nodeChecks}
}

func (l *look) now() time.Time { return l.s.Now }

// object returns a known object. One that is neither known nor known to be
// absent becomes a need.
func (l *look) object(id object.ID) *object.Object {
	l.use(id)
	if o := l.s.Object(id); o != nil {
		return o
	}
	if !l.absent(id) {
		l.need(Need{ID: id})
	}
	return nil
}

// use notes a dependency: it must be kept up to date as long as the finding
// lasts.
func (l *look) use(id object.ID) {
	if len(l.uses) < MaxObjects && !slices.Contains(l.uses, id) {
		l.uses = append(l.uses, id)
	}
}

// absent reports whether an object is known not to exist: by itself, or because
// all of its kind are known.
func (l *look) absent(id object.ID) bool {
	if !l.s.Absent(id) {
		list, complete := l.s.List(id.Group, id.Kind, id.Namespace)
		if !complete || slices.ContainsFunc(list, func(o *object.Object) bool { return o.ID == id }) {
			return false
		}
	}
	l.use(id)
	return true
}

// missing adds that an object that was said not to exist does not, or that it
// has been created since, for which somebody has to try again.
func (l *look) missing(f *Finding, id object.ID, again string) {
	if l.absent(id) {
		f.proveAbsent(id)
	} else if o := l.object(id); o != nil && !o.Created.IsZero() {
		f.prove(id, "metadata.creationTimestamp", o.Created)
		f.Class = Retries
		f.Title = id.Kind + " " + id.Name + " was missing and exists now" + again
	}
}

func (l *look) need(n Need) {
	if len(l.needs) < MaxObjects && !slices.Contains(l.needs, n) {
		l.needs = append(l.needs, n)
	}
}

// list returns the known objects of a kind. An incomplete list becomes a need,
// unless it is not permitted (RBAC).
func (l *look) list(group, kind, namespace string) (objects []*object.Object, complete bool) {
	id := object.ID{Group: group, Kind: kind, Namespace: namespace}
	l.use(id)
	objects, complete = l.s.List(group, kind, namespace)
	if !complete && l.s.Hidden(group, kind, namespace) == "" {
		l.need(Need{ID: id})
	}
	return objects, complete
}

// events returns an object's events with one of the reasons, newest first.
func (l *look) events(id object.ID, reasons ...string) (out []object.Event) {
	for _, e := range l.s.Events(id) {
		if slices.Contains(reasons, e.Reason) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b object.Event) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.UID, b.UID))
	})
	return out
}

// event returns the newest of them.
func (l *look) event(id object.ID, reasons ...string) (e object.Event, ok bool) {
	if list := l.events(id, reasons...); len(list) > 0 {
		return list[0], true
	}
	return e, false
}

// older reports whether t is at least d ago. If it is not yet, the object is
// inspected again when it is. An unknown time is not old.
func (l *look) older(t time.Time, d time.Duration) bool {
	if t.IsZero() {
		return false
	}
	if at := t.Add(d); at.After(l.now()) {
		l.again(at)
		return false
	}
	return true
}

// patience makes a finding wait as long as t is less than d ago.
func (l *look) patience(f *Finding, t time.Time, d time.Duration) {
	if !l.older(t, d) {
		f.Class = Waits
	}
}

// again requests another inspection at a later time.
func (l *look) again(at time.Time) {
	if at.After(l.now()) && (l.recheck.IsZero() || at.Before(l.recheck)) {
		l.recheck = at
	}
}

// find starts a finding with the catalogue's entry for the code, and a title as
// for fmt.Sprintf. The caller fills in the rest through the pointer.
func (l *look) find(code, title string, args ...any) *Finding {
	e := entryOf(code)
	f := &Finding{Object: l.o.ID, order: e.order}
	f.Code, f.Class, f.Certainty, f.Subject = code, e.Class, Proven, Subject{ID: l.o.ID}
	f.Title, f.Evidence = fmt.Sprintf(title, args...), make([]Evidence, 0, 4)
	l.found = append(l.found, f)
	return f
}

// byCondition starts a finding from a condition of the object.
func (l *look) byCondition(code string, x *object.Condition, title string, args ...any) *Finding {
	f := l.find(code, title, args...)
	f.Key = x.Reason
	f.proveCondition(l.o.ID, x)
	return f
}

// byEvent starts a finding from an event.
func (l *look) byEvent(code string, e object.Event, title string, args ...any) *Finding {
	f := l.find(code, title, args...)
	f.proveEvent(e)
	return f
}

// proof adds a field of the inspected object as evidence: a text, a number or a
// time.
func (l *look) proof(f *Finding, path string, value any) { f.prove(l.o.ID, path, value) }

// prove adds a field of an object as evidence.
func (f *Finding) prove(ref object.ID, path string, value any) {
	if t, ok := value.(time.Time); ok {
		value = stamp(t)
	}
	f.claim(FieldEvidence, ref, path, fmt.Sprint(value))
}

// proveAbsent adds as evidence that an object does not exist.
func (f *Finding) proveAbsent(ref object.ID) { f.claim(AbsenceEvidence, ref, "", "does not exist") }

// proveUnset adds as evidence that a field is not set, or empty.
func (f *Finding) proveUnset(ref object.ID, path string) {
	f.claim(AbsenceEvidence, ref, path, "not set")
}

// proveLog adds a line of a container's log as evidence.
func (f *Finding) proveLog(pod object.ID, container, line string) {
	f.claim(LogEvidence, pod, "log:"+container, line)
}

// proveObserved adds as evidence what was observed while following.
func (f *Finding) proveObserved(ref object.ID, what, value string) {
	f.claim(ObservedEvidence, ref, what, value)
}

// mostEvidence bounds the proof of a finding.
const mostEvidence = 12

func (f *Finding) claim(how EvidenceType, ref object.ID, path, value string) {
	if len(f.Evidence) < mostEvidence {
		f.Evidence = append(f.Evidence, Evidence{Type: how, Ref: ref, Path: path, Value: clip(value, 1024)})
	}
}

// dated is when a finding began, if its detector has not said so: the date of
// its first proof that has one, otherwise the object's last change.
func (f *Finding) dated(t time.Time) {
	if f.Since.IsZero() {
		f.Since = t
	}
}

// blame makes a finding the symptom of what is found on other objects.
func (f *Finding) blame(ids ...object.ID) {
	f.Symptom, f.Because = true, append(f.Because, ids...)
}

// because adds an object whose findings may explain this one.
func (f *Finding) because(id object.ID) {
	if len(f.Because) < MaxObjects {
		f.Because = append(f.Because, id)
	}
}

// offer adds a command that changes the cluster, and its effect. It is listed
// after those that only read.
func (f *Finding) offer(command, does string) {
	f.Changes = append(f.Changes, Step{Command: command, Mutates: true, Does: does})
}

// proveCondition adds a condition as evidence.
func (f *Finding) proveCondition(ref object.ID, c *object.Condition) {
	f.dated(c.LastTransitionTime)
	v := c.Status
	if c.Reason != "" {
		v += "/" + c.Reason
	}
	f.prove(ref, "status.conditions["+c.Type+"]", v)
	if c.Message != "" {
		f.prove(ref, "status.conditions["+c.Type+"].message", c.Message)
	}
}

// proveEvent adds an event as evidence.
func (f *Finding) proveEvent(e object.Event) {
	f.dated(e.First)
	f.claim(EventEvidence, e.About, "event:"+e.Reason, e.Message)
}

// lacks adds what may not be read, if it may not.
func (l *look) lacks(f *Finding, what string, id object.ID) {
	if why := l.s.Hidden(id.Group, id.Kind, id.Namespace); why != "" {
		f.Missing = append(f.Missing, what+": "+why)
	}
}

// id names an object in the inspected object's namespace.
func (l *look) id(group, kind, name string) object.ID {
	return object.ID{Group: group, Kind: kind, Namespace: l.o.Namespace, Name: name}
}

// cluster names a cluster-scoped object.
func cluster(group, kind, name string) object.ID {
	return object.ID{Group: group, Kind: kind, Name: name}
}

// kubectl returns a command to copy, with the object's namespace.
func (l *look) kubectl(args ...string) string {
	if l.o.GroupKind() == "helm.sh/Release" { // a Helm release is no object that kubectl could show
		return strings.Replace(command(l.o.Namespace, "history", l.o.Name), "kubectl", "helm", 1)
	}
	return command(l.o.Namespace, args...)
}
