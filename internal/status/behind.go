package status

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// summaries are the conditions that summarise others. What one of them says is often only that
// something is not ready.
var summaries = []string{"Ready", "Available", "Succeeded", "Healthy", "Synced", "Reconciled", "Degraded"}

// Behind follows a failing condition of an object to the one that says why, and returns its index.
// It is the one chooser of conditions: a row's message and an explanation quote the same one.
//
// It is the condition whose type the reason or the message names; or, for a summary, another one
// that reports a problem by a type that is known to be about health: one that names an error or
// something missing rather than one that restates, then the one that has failed longest. One that
// had failed for minutes while the summary was good is not the cause, unless there is no other. An
// activity says why if its message is an error: Progressing=True/Retrying beside Installed=False
// (operator-framework/operator-controller#1297).
func Behind(o *object.Object, from int, bad func(*object.Condition) bool) int {
	seen := []string{o.Conditions[from].Type}
	for {
		next := -1
		for i := range o.Conditions {
			y := &o.Conditions[i]
			if !bad(y) || y.Severity == "Info" || y.Severity == "Warning" ||
				y.Message == "" || slices.Contains(seen, y.Type) || o.Stale(y) || o.Superseded(i) {
				continue
			}
			x := &o.Conditions[from]
			// DatabaseNotReady names DatabaseReady, and the summary Ready only in another summary.
			named := strings.ReplaceAll(x.Reason+" "+x.Message, "NotReady", "Ready")
			if strings.Contains(named, y.Type) &&
				(slices.Contains(summaries, x.Type) || !slices.Contains(summaries, y.Type)) {
				next = i
				break
			}
			below := slices.Contains(summaries, x.Type) && !slices.Contains(summaries, y.Type)
			activity := conditionSense(y.Type) == registry.Activity
			beside := (slices.Contains(summaries, x.Type) || activity) && saysWhy(y) > saysWhy(x)
			if activity && (!beside || !activityFails(y)) {
				continue // what is being done is no reason for what is not there, but an error of it is
			}
			if health := PolarityByName(y.Type) != UnknownPolarity; health &&
				(x.Message == "" || below || beside) && (next < 0 || comesFirst(y, &o.Conditions[next], x)) {
				next = i
			}
		}
		if next < 0 {
			return from
		}
		from, seen = next, append(seen, o.Conditions[next].Type)
	}
}

// activityFails reports whether a condition about what is being done says that it fails: only its
// message may tell that, as "applying resource limits" does not.
func activityFails(c *object.Condition) bool {
	return saysWhy(c) > 0 && message.ReportsFailure(c.Message)
}

// saysWhy is 1 for a condition whose message names an error with its subject, 0 for one that
// restates.
func saysWhy(c *object.Condition) int {
	if message.Weight(c.Message) >= message.SaysWhyOfWhat {
		return 1
	}
	return 0
}

// comesFirst reports whether one of two conditions is closer to the cause of a third.
func comesFirst(a, b, of *object.Condition) bool {
	recent := func(c *object.Condition) bool { return of.LastTransitionTime.Sub(c.LastTransitionTime) < 5*time.Minute }
	switch {
	case recent(a) != recent(b):
		return recent(a)
	case saysWhy(a) != saysWhy(b):
		return saysWhy(a) > saysWhy(b)
	}
	return a.LastTransitionTime.Before(b.LastTransitionTime)
}
