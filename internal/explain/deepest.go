package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What a summary stands for. "Ready: 1 of 3 components failed" names nothing:
// the condition behind it does, or the part of the status that reports the
// problem.

// summaries are conditions that summarise others.
var summaries = []string{"Ready", "Available", "Succeeded", "Healthy", "Synced", "Reconciled"}

// deepest follows a failing condition to the one behind it: the one whose type
// its reason or message names or, for a summary, the one that has failed
// longest.
func (l *look) deepest(x *object.Condition) *object.Condition {
	seen := []string{x.Type}
	for {
		var next *object.Condition
		for i := range l.o.Conditions {
			y := &l.o.Conditions[i]
			if !bad(y) || y.Severity != "" || y.Message == "" || slices.Contains(seen, y.Type) {
				continue
			}
			if strings.Contains(x.Reason+" "+x.Message, y.Type) {
				next = y
				break
			}
			if slices.Contains(summaries, x.Type) && !slices.Contains(summaries, y.Type) &&
				(next == nil || y.LastTransitionTime.Before(next.LastTransitionTime)) {
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

// part adds the part of a status that reports a problem, at any depth: a
// condition of a component, or an entry with a message that is not ready;
// unless the condition has said it already.
func (l *look) part(f *Finding, said string) {
	path, name, message := failingPart(l.o.Map("status"), "status", 0)
	if message == "" || strings.Contains(said, headline(message)) {
		return
	}
	f.Title += " (" + strings.TrimPrefix(name+": ", ": ") + tail(headline(message)) + ")"
	l.proof(f, path, message)
}

// failingPart is the deepest failing part, the first of several.
func failingPart(v any, path string, depth int) (at, name, message string) {
	best := -1
	better := func(p, n, m string) {
		if d := strings.Count(p, "[") + strings.Count(p, "."); m != "" && d > best {
			at, name, message, best = p, n, m, d
		}
	}
	if depth > 12 {
		return
	}
	switch t := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(t)) {
			if depth == 0 && k == "conditions" {
				continue // the object's own conditions
			}
			better(failingPart(t[k], path+"."+k, depth+1))
		}
		if m, _ := t["message"].(string); m != "" && depth > 0 && fails(t) {
			better(path+".message", nameOf(t), m)
		}
		if n := nameOf(t); n != "" && name == "" {
			name = n
		}
	case []any:
		for i, x := range t {
			better(failingPart(x, fmt.Sprintf("%s[%d]", path, i), depth+1))
		}
	}
	return at, name, message
}

// fails reports whether a part of a status reports a problem by itself.
func fails(m map[string]any) bool {
	if m["type"] != nil { // a condition
		c := object.Condition{Statement: &object.Statement{}}
		c.Type, _ = m["type"].(string)
		c.Status, _ = m["status"].(string)
		return bad(&c)
	}
	for _, k := range [...]string{"ready", "healthy", "available"} {
		if m[k] == false {
			return true
		}
	}
	for _, k := range [...]string{"phase", "state", "status", "health"} {
		if s, _ := m[k].(string); slices.Contains([]string{"failed", "error", "degraded", "unhealthy", "notready"}, strings.ToLower(s)) {
			return true
		}
	}
	return false
}

// nameOf is the name of a part of a status.
func nameOf(m map[string]any) string {
	for _, k := range [...]string{"name", "component", "id"} {
		if s, _ := m[k].(string); s != "" {
			return s
		}
	}
	return ""
}
