package wait

import (
	"fmt"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// FailFast is what ends a wait before its deadline.
type FailFast string

// The values of --fail-fast.
const (
	Never    FailFast = "never"
	Terminal FailFast = "terminal" // a failure that cannot heal, or a deadline of its user that has passed
	Action   FailFast = "action"   // as Terminal, and once all that is not done is blocked until somebody acts
	Any      FailFast = "any"      // any failure
)

// failed is rule 5.
func (w *Waiter) failed(v View) *Outcome {
	if !w.waitsFor(Current) || w.FailFast == Never {
		return nil
	}
	for r := range mandatory(v) {
		switch {
		case r.Assessment.Status != status.Failed:
		case w.outdated(v, r): // it failed with an earlier revision
		case r.Assessment.Terminal:
			return &Outcome{Failed, fmt.Sprintf("%s has failed; it cannot recover by itself", r.ID)}
		case r.Assessment.Overdue:
			return &Outcome{Failed, fmt.Sprintf("%s has failed; its deadline has passed", r.ID)}
		case w.FailFast == Any:
			return &Outcome{Failed, fmt.Sprintf("%s has failed", r.ID)}
		}
	}
	if w.FailFast == Action {
		return w.stuck(v)
	}
	return nil
}

// stuck ends the wait once everything that is not done has been blocked for
// StallAfter by proven causes that need action.
func (w *Waiter) stuck(v View) *Outcome {
	open := 0
	for r := range mandatory(v) {
		if w.Done(r) {
			continue
		}
		open++
		if w.outdated(v, r) || !slices.ContainsFunc(v.CausesOf(r.ID), needsAction) {
			w.blocked = time.Time{}
			return nil
		}
	}
	if open == 0 {
		w.blocked = time.Time{}
		return nil
	}
	if w.blocked.IsZero() {
		w.blocked = v.Now()
	}
	if v.Now().Before(w.unblocks()) {
		return nil
	}
	result := Pending
	if v.Verdict().Status == status.Failed {
		result = Failed
	}
	return &Outcome{result, fmt.Sprintf("stopped; everything that is not Current has needed action for %s", w.StallAfter)}
}

// needsAction reports whether a cause lasts until somebody acts, with proof.
func needsAction(c explain.Cause) bool {
	return c.Healed.IsZero() && c.Certainty == inspect.Proven && (c.Class == codes.Action || c.Class == codes.Terminal)
}

// unblocks is when everything will have been blocked for StallAfter; zero while
// something is not blocked.
func (w *Waiter) unblocks() time.Time {
	if w.blocked.IsZero() {
		return time.Time{}
	}
	return w.blocked.Add(w.StallAfter)
}

// outdated reports whether an inventory's root, or that of a member, has not taken up
// what it was asked to apply.
func (w *Waiter) outdated(v View, r known.Resource) bool {
	for range 8 { // inventories may be nested
		if r.Root.Outdated {
			return true
		}
		in, ok := v.Resource(r.Root.In)
		if r.Root.In.IsZero() || !ok || in.Root == nil {
			return false
		}
		r = in
	}
	return false
}
