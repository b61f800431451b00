package custom

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// What a summary stands for. "Ready: 1 of 3 components failed" names nothing:
// the condition behind it does, or a part of the status (parts.go).

// deepest follows a failing condition to the one behind it, by the chooser that the
// row's message uses, too.
func deepest(in *inspect.Inspector, x *object.Condition) *object.Condition {
	return behind(in.Object, x, func(c *object.Condition) bool {
		if slices.Contains(progressTypes, c.Type) {
			return c.Status == "True" && message.ReportsFailure(c.Message)
		}
		return Bad(c)
	})
}

// behind is the condition behind another one, among those of interest.
func behind(o *object.Object, x *object.Condition, ofInterest func(*object.Condition) bool) *object.Condition {
	for i := range o.Conditions {
		if &o.Conditions[i] == x {
			return &o.Conditions[status.Behind(o, i, ofInterest)]
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
