package status

import (
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What an object does not say itself, its events may.

// obstructed is an object that waits for what it cannot get, according to its own
// events: a StatefulSet whose Pods are refused, a Pod whose volume cannot be mounted. Like
// a fault in a status it counts after its grace.
func (j *judge) obstructed(a Assessment) Assessment {
	if a.Status != InProgress || a.heals || a.silent || a.Paused || !a.FaultSince.IsZero() || j.w.Events == nil ||
		!kinds.Awaits(j.o) {
		return a
	}
	events, _ := j.w.Events()
	if len(events) == 0 {
		return a
	}
	var made time.Time
	if c := j.w.Children.newest(func(c *Child) bool { return c.Object.Pod != nil }); c != nil {
		made = c.Object.Created
	}
	e, began, until, hit := kinds.Obstructed(j.o, events, made, j.now)
	if !j.holds(hit, "events", "its events say that it cannot get what it waits for", "") {
		return a
	}
	b := j.fault(e.Reason, strings.TrimSuffix(a.Message, ".")+"; "+e.Message).since(began)
	b.Recheck = until
	return b
}

// missingReference is an object that this one needs by name and that is known not to
// exist, or nil.
func (j *judge) missingReference() *object.ID {
	if j.w.Lookup == nil || j.w.Absent == nil {
		return nil
	}
	for _, r := range edges.References(j.o) {
		if !r.Optional && j.w.Lookup(r.To) == nil && j.w.Absent(r.To) {
			return &r.To
		}
	}
	return nil
}

// lapsed judges an object whose controller may never report anything, after the time
// that one gets which does. Patience is no proof: the object is Current, with a note,
// unless something shows that it cannot work or that a controller has taken it up.
func (j *judge) lapsed(waits, silent Assessment) Assessment {
	still := func(why string) Assessment { return j.progress(waits.Reason, waits.Message+why).since(waits.Since) }
	missing := j.missingReference()
	if j.holds(missing != nil, "missing", "what it refers to does not exist", "") {
		return still("; " + missing.String() + " does not exist")
	}
	var events []object.Event
	complete := true
	if j.w.Events != nil {
		events, complete = j.w.Events()
	}
	e, until, repeats := kinds.Repeated(events, j.now)
	if j.holds(repeats, "events", "its Warning events repeat", "") {
		a := j.fault(e.Reason, waits.Message+"; "+e.Message).since(kinds.Began(j.o, e, events, time.Time{}))
		a.Recheck = until
		return a
	}
	if by := j.takenUp(events); j.holds(by != "", "takenUp", "a controller has taken it up",
		"metadata.finalizers status") {
		return still("; a controller has taken it up (" + by + ")")
	}
	if j.holds(!complete, "unread", "its events have not been read yet", "") {
		return still("")
	}
	return silent
}

// takenUp says by which sign a controller has taken an object up, or "".
func (j *judge) takenUp(events []object.Event) string {
	for _, f := range j.o.Finalizers {
		if strings.Contains(f, "/") { // Kubernetes' own, as foregroundDeletion, are anybody's
			return "finalizer " + f
		}
	}
	for _, w := range j.o.Writers {
		if w.Status {
			return "its status was written by " + w.Manager
		}
	}
	for i := range events {
		if e := &events[i]; e.Type == "Normal" {
			return "event " + e.Reason + " from " + e.From
		}
	}
	return ""
}
