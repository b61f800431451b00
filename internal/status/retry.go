package status

import (
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// A retry does not restart the grace of a fault. The same reason for the same attempted
// revision is the same fault, also where the controller has written Ready=Unknown or
// Reconciling=True between two failures (kustomize-controller v1.9.6,
// internal/controller/kustomization_controller.go, does before every attempt).

// attemptFields are the status fields that say what a controller tries (Flux).
var attemptFields = [...]string{"lastAttemptedRevision", "lastAttemptedConfigDigest"}

// attempted identifies what the controller tries now: the generation, and the attempted
// revision where the status has one.
func attempted(o *object.Object) string {
	var text strings.Builder
	text.WriteString(strconv.FormatInt(o.Generation.V, 10))
	status := asMap(o.Tree["status"])
	for _, field := range attemptFields {
		if revision, _ := status[field].(string); revision != "" {
			text.WriteString(" " + revision)
		}
	}
	return text.String()
}

// sameFault reports whether a fault for this reason goes on from the prior assessment:
// that one was a fault, too, or a retry of the same fault.
func (x completion) sameFault(reason string) bool {
	p := x.prior
	before, attempt, _ := strings.Cut(p.Fault, "@")
	return p.Fault == "" || before == p.Reason || before == reason && attempt == attempted(x.o)
}

// retried keeps what is known of a fault while its controller tries the same again. What
// was Failed stays so until the attempt has ended.
func (x completion) retried(a Assessment) Assessment {
	p := x.prior
	switch {
	case a.heals && (a.Status == Failed || !a.FaultSince.IsZero()):
		a.Fault = a.Reason + "@" + attempted(x.o)
		return a
	case a.Status != InProgress || a.Paused || !x.trying():
		return a
	case p == nil || p.Fault == "":
		return x.triedAgain(a)
	}
	reason, attempt, _ := strings.Cut(p.Fault, "@")
	if attempt != attempted(x.o) {
		return a
	}
	a.Fault = p.Fault
	if p.Status == Failed && p.Retrying != nil && reconciling(x.o) != nil {
		a.Status, a.Reason, a.Message, a.Retrying, a.condition = Failed, reason, p.Retrying.LastError, p.Retrying, 0
		return a
	}
	a.FaultSince = p.FaultSince
	if p.Status == Failed {
		a.FaultSince = p.Since.Add(-healGrace)
	}
	return a
}

// triedAgain is an attempt whose predecessors failed before anybody looked: the condition that said
// so is overwritten, and the object's history has kept it.
func (x completion) triedAgain(a Assessment) Assessment {
	reason, since := lastAttempt(x.o)
	if reason == "" || !a.FaultSince.IsZero() {
		return a
	}
	fault := x.j.by("flux.history", "status.history status.lastAttemptedRevision").
		fault(reason, "its last attempt failed; "+a.Message)
	fault.Confidence = a.Confidence
	fault = x.grace(fault.since(since))
	fault.Fault, fault.Retrying = reason+"@"+attempted(x.o), &Retry{LastError: fault.Message}
	return fault
}

// trying reports whether a custom object's controller is in the middle of an attempt.
func (x completion) trying() bool {
	root := x.j.root()
	return x.j.sure != Exact && (reconciling(x.o) != nil || root >= 0 && x.o.Conditions[root].Status == "Unknown")
}

// faultBegan dates a fault that the condition at index i shows. Its transition may be the
// last of many: the fault is as old as another condition that says the same (Flux
// dates FetchFailed once, Ready at every retry), as the attempted revision, and as the attempts at
// it that the history has.
func (x completion) faultBegan(i int) time.Time {
	cond := &x.o.Conditions[i]
	began := cond.LastTransitionTime
	for k := range x.o.Conditions {
		c := &x.o.Conditions[k]
		sense := x.j.sense(c.Type)
		bad := sense == registry.Fault && isTrue(c) || sense == registry.State && isFalse(c)
		if bad && !x.o.Stale(c) && c.Reason == cond.Reason && c.Message == cond.Message &&
			!c.LastTransitionTime.IsZero() && c.LastTransitionTime.Before(began) {
			began = c.LastTransitionTime
		}
	}
	if there := revisionSince(x.o, x.j.w.Lookup); !there.IsZero() && there.Before(began) {
		began = newest(there, x.o.Created)
	}
	if reason, since := lastAttempt(x.o); reason == cond.Reason && !since.IsZero() && since.Before(began) {
		began = since
	}
	return began
}

// statedSince dates a message without a date by a condition that states the same: a Rollout's
// message is that of its condition Progressing, with the reason before it
// (argoproj/argo-rollouts#1008).
func statedSince(o *object.Object, message string) time.Time {
	for i := range o.Conditions {
		if c := &o.Conditions[i]; c.Message != "" && strings.Contains(message, c.Message) && !o.Stale(c) {
			return c.LastTransitionTime
		}
	}
	return time.Time{}
}
