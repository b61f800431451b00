package custom

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// What a summary stands for. "Ready: 1 of 3 components failed" names nothing:
// the condition behind it does, or a part of the status (parts.go).

// deepest follows a failing condition to the one behind it, by the chooser that the
// row's message uses, too.
func deepest(in *inspect.Inspector, x *object.Condition) *object.Condition {
	for i := range in.Object.Conditions {
		if &in.Object.Conditions[i] == x {
			healthy := func(c *object.Condition) bool { return Bad(c) && !slices.Contains(neutral, c.Type) }
			return &in.Object.Conditions[status.Behind(in.Object, i, healthy)]
		}
	}
	return x
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
