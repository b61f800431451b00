package status

import (
	"cmp"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// healGrace is how long a fault that may heal must last to count as Failed;
// silence is how long an object may be without a status before its controller
// counts as missing.
const (
	healGrace = 30 * time.Second
	silence   = 30 * time.Second
)

// completion adds to a rule's assessment what time does: patience here, retries in
// retry.go, and what is only a consequence of something under way in consequence.go.
type completion struct {
	j     *judge
	o     *object.Object
	prior *Assessment // World.Prior
}

func (j *judge) completion() completion { return completion{j: j, o: j.o, prior: j.w.Prior} }

// finish completes a rule's assessment: the grace period of faults, the
// patience with silent controllers, and the previous assessment.
func (x completion) finish(a Assessment) Assessment {
	a.Confidence = cmp.Or(a.Confidence, x.j.sure, Exact)
	p := x.prior
	if a.retries {
		a.Retrying = &Retry{LastError: a.Message}
		if p != nil && p.Retrying != nil {
			a.Retrying.Count = p.Retrying.Count
			if p.Retrying.LastError != a.Message && !x.j.w.Still {
				a.Retrying.Count++
			}
		}
	}
	if a.silent {
		a = x.patience(a)
	}
	if a.heals {
		a = x.awaiting(a)
	}
	if a.heals {
		a = x.grace(a)
	}
	if x.j.sure != Exact { // controllers of Kubernetes' own kinds write nothing before a retry
		a = x.retried(a)
	}
	switch {
	case p == nil || x.j.w.Offline || x.j.w.Still: // in what is of one moment, nothing came before
	case p.Status == a.Status: // unchanged as long as the status
		if remains := p.Status == Failed && !x.j.w.FirstLook; remains || !p.Since.IsZero() {
			a.Since = p.Since // a newer fault does not date one that nobody knows the beginning of
		}
	case x.j.w.FirstLook:
	case a.Since.IsZero() || a.Since.Before(p.Since): // the change was observed
		a.Since = x.j.now
	}
	if a.Since.After(x.j.now) { // the server's clock is ahead
		a.Since = x.j.now
	}
	undated := p != nil && p.Status == a.Status && p.Since.IsZero()
	if a.Since.Equal(x.j.now) && (undated || x.j.w.Still || p == nil && x.j.w.FirstLook) {
		a.Since = time.Time{} // it began before, nobody knows when
	}
	a.Deciding, a.Crashes = a.condition-1, x.j.crashes
	a.Overdue = a.Status == Failed && pastDeadline(x.o, a.Reason)
	a.heals, a.silent, a.retries, a.sums, a.condition = false, false, false, false, 0
	x.j.trace.hit(a)
	return a
}

// patience waits for a controller that has reported nothing.
func (x completion) patience(a Assessment) Assessment {
	first := x.j.w.FirstSeen
	if first.IsZero() || x.j.w.Offline {
		first = x.j.now
	}
	a.Reason = cmp.Or(a.Reason, "NoStatus")
	until := first.Add(silence)
	if !x.j.now.Before(until) {
		a.Status, a.Message, a.Since = Unknown, "no controller has reported a status", until
		return a
	}
	a.Status, a.Message = InProgress, cmp.Or(a.Message, "no status has been reported yet")
	a.Since = cmp.Or(a.Since, first)
	if !x.j.w.Offline {
		a.Recheck = until
	}
	return a
}

// grace gives a fault time to heal: InProgress for healGrace, then Failed. A
// fault without a date began no later than the object was last written, or was
// first seen.
func (x completion) grace(a Assessment) Assessment {
	if i := a.condition - 1; i >= 0 && x.j.sure != Exact && !a.Since.IsZero() &&
		a.Since.Equal(x.o.Conditions[i].LastTransitionTime) {
		a.Since = x.faultBegan(i)
	}
	began := a.Since
	if began.IsZero() && !x.j.w.Offline {
		began = x.o.Written
	}
	undated := a.Since.IsZero() && x.j.w.Offline || began.IsZero() && x.j.w.Still
	lasted := x.j.now.Add(-healGrace)
	switch p := x.prior; {
	case p != nil && p.Status == Failed && (began.IsZero() || !x.j.w.Still):
		// It was Failed before: a newer date does not start another grace
		// period. In a saved cluster it was so for want of what had not arrived yet.
		if known := p.Since.Add(-healGrace); !p.Since.IsZero() && (began.IsZero() || began.After(known)) {
			began = known
		}
		if began.IsZero() || began.After(lasted) {
			began = lasted
		}
	case p != nil && !p.FaultSince.IsZero() && (began.IsZero() || p.FaultSince.Before(began)) && x.sameFault(a.Reason):
		began = p.FaultSince
	}
	switch {
	case undated && began.IsZero():
		began = lasted
	case began.IsZero() || began.After(x.j.now):
		began = x.j.now
	}
	if end := began.Add(healGrace); x.j.now.Before(end) {
		a.Status, a.FaultSince, a.Recheck = InProgress, began, end
		return a
	}
	a.Status, a.Paused, a.Since = Failed, false, began.Add(healGrace)
	if undated {
		a.Since = time.Time{}
	}
	return a
}
