package custom

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The part of a status that reports a problem, on any kind.

// Part adds the part of a status that reports a problem, at any depth: a
// condition of a component, an entry that is not ready, an error; unless the
// title has said it already.
func Part(in *inspect.Inspector, f *inspect.Finding, title string) {
	p := failingPart(in.Object.Map("status"), "status", "", "", 0)
	message := message.Line(p.message)
	if message == "" || strings.Contains(title, message) && strings.Contains(title, p.name) ||
		title != "" && strings.Contains(message, title) {
		return
	}
	if p.state && strings.HasSuffix(p.path, "."+p.name) && !strings.HasPrefix(title, "status.") {
		return // a field's state says less than any message
	}
	if p.name != "" && strings.HasPrefix(title, "status.") && strings.HasSuffix(title, " is "+message) {
		f.Say("%s is %s", p.name, message) // whose state it is says more than the path of the state
		return
	}
	message = Tail(in, message, 160)
	if strings.Contains(title, message) && strings.Contains(title, p.name) {
		return
	}
	message = strings.TrimPrefix(p.name+": ", ": ") + message
	if title == "" {
		f.Why("%s", message)
	} else {
		f.Note("%s", message)
	}
	f.Prove(p.path, p.message)
}

// statusPart is a part of a status that reports a problem.
type statusPart struct {
	path, name, message string
	state               bool // the message is a mere state
}

// weight orders parts: those that say why, then the deepest.
func (p statusPart) weight() int {
	w := strings.Count(p.path, "[") + strings.Count(p.path, ".")
	switch {
	case p.message == "":
		return -1
	case p.state:
		return w
	}
	return w + 100
}

// errorKeys and messageKeys are the fields that hold an error, whatever else
// there is, and those that explain a state.
var (
	errorKeys   = []string{"error", "errors", "lastError", "errorMessage", "errorDescription", "failureMessage"}
	messageKeys = append(slices.Clone(errorKeys), "message", "reason", "description")
)

// failingPart is the deepest failing part of a value under a key, the first of
// several. In a map of maps the keys are names.
func failingPart(v any, path, key, name string, depth int) (best statusPart) {
	better := func(p statusPart) {
		if p.weight() > best.weight() {
			best = p
		}
	}
	if depth > 12 {
		return
	}
	switch t := v.(type) {
	case string:
		switch {
		case slices.Contains(errorKeys, key):
			return statusPart{path: path, message: t}
		case failed(t) &&
			(strings.HasSuffix(key, "Status") || strings.HasSuffix(key, "State") || strings.HasSuffix(key, "Phase")):
			return statusPart{path: path, name: key, message: t, state: true}
		}
	case map[string]any:
		named := depth > 0
		for _, v := range t {
			_, isMap := v.(map[string]any)
			named = named && isMap
		}
		for _, k := range slices.Sorted(maps.Keys(t)) {
			if depth == 0 && k == "conditions" || wording.HasAny(strings.ToLower(k), "history", "previous") {
				continue // the object's own conditions, and what is over
			}
			entry := ""
			if named {
				entry = k
			}
			better(failingPart(t[k], path+"."+k, k, entry, depth+1))
		}
		if at := fails(t, key); at != "" {
			for _, k := range messageKeys {
				if m, _ := t[k].(string); m != "" {
					at = k
					break
				}
			}
			// A mere state says something of what has a name.
			isMessage := slices.Contains(messageKeys, at)
			if m, _ := t[at].(string); isMessage || depth > 0 && nameOf(t, name) != "" {
				better(statusPart{path: path + "." + at, message: m, state: !isMessage})
			}
		}
		if best.name == "" {
			best.name = nameOf(t, name)
		}
	case []any:
		for i, x := range t {
			better(failingPart(x, fmt.Sprintf("%s[%d]", path, i), key, "", depth+1))
		}
	}
	return best
}

// fails is the field with which a part of a status reports a problem by itself,
// or "". Entries of a list of failures report one by being there.
func fails(m map[string]any, key string) string {
	if m["type"] != nil && m["status"] != nil { // a condition
		if c := object.ConditionOf(m); !reportsFault(&c) {
			return ""
		}
		return "message"
	}
	for _, k := range [...]string{"ready", "healthy", "available", "success"} {
		if m[k] == false {
			return k
		}
	}
	for _, k := range [...]string{"phase", "state", "status", "health"} {
		if s, _ := m[k].(string); failed(s) {
			return k
		}
	}
	if low := strings.ToLower(key); strings.HasPrefix(low, "failed") || strings.HasPrefix(low, "unhealthy") {
		return "message"
	}
	return ""
}

// failed reports whether a state is one of failure.
func failed(state string) bool {
	return wording.HasAny(strings.ToLower(state), "fail", "error", "degraded", "unhealthy", "notready", "rejected")
}

// nameOf is the name of a part of a status: its own, or the one it goes by.
func nameOf(m map[string]any, otherwise string) string {
	for _, k := range [...]string{"name", "component", "id", "domain", "namespace"} {
		if s, _ := m[k].(string); s != "" {
			return s
		}
	}
	return otherwise
}
