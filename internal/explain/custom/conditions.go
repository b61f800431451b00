package custom

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What a summary stands for. "Ready: 1 of 3 components failed" names nothing:
// the condition behind it does, or a part of the status (parts.go).

// summaries are conditions that summarise others.
var summaries = []string{"Ready", "Available", "Succeeded", "Healthy", "Synced", "Reconciled", "Degraded"}

// deepest follows a failing condition to the one behind it: the one whose type
// its reason or message names or, for a summary, the one that has failed
// longest. One that had failed for minutes while the summary was good is not the
// cause, unless there is no other.
func deepest(in *inspect.Inspector, x *object.Condition) *object.Condition {
	seen := []string{x.Type}
	before := func(a, b *object.Condition) bool {
		recent := func(c *object.Condition) bool { return x.LastTransitionTime.Sub(c.LastTransitionTime) < 5*time.Minute }
		if recent(a) != recent(b) {
			return recent(a)
		}
		return a.LastTransitionTime.Before(b.LastTransitionTime)
	}
	for {
		var next *object.Condition
		for i := range in.Object.Conditions {
			y := &in.Object.Conditions[i]
			if !Bad(y) || y.Severity != "" || y.Message == "" || slices.Contains(seen, y.Type) {
				continue
			}
			// DatabaseNotReady names DatabaseReady, and the summary Ready only in another summary.
			if named := strings.ReplaceAll(x.Reason+" "+x.Message, "NotReady", "Ready"); strings.Contains(named, y.Type) &&
				(slices.Contains(summaries, x.Type) || !slices.Contains(summaries, y.Type)) {
				next = y
				break
			}
			if telling(y) && (x.Message == "" || slices.Contains(summaries, x.Type) && !slices.Contains(summaries, y.Type)) &&
				(next == nil || before(y, next)) {
				next = y
			}
		}
		if next == nil {
			return x
		}
		x, seen = next, append(seen, next.Type)
	}
}

// deepestLine is the first leaf of a message that is a nested list, as Cluster
// API writes them: "* Machine m1:⏎  * InfrastructureReady: no capacity".
func deepestLine(message string) string {
	var path []string
	depth := -1
	for line := range strings.SplitSeq(message, "⏎") {
		text := strings.TrimLeft(line, " ")
		item, ok := strings.CutPrefix(text, "* ")
		if !ok {
			continue
		}
		if len(line)-len(text) <= depth {
			break
		}
		path, depth = append(path, strings.TrimSuffix(item, ":")), len(line)-len(text)
	}
	if path == nil {
		return message
	}
	return strings.Join(path, ": ")
}
