package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// resolves checks every claim of a cause against the objects: a field has the
// value, an event or log contains it, an absent object does not exist.
func (w *world) resolves(t *testing.T, c Cause) {
	t.Helper()
	for _, e := range c.Evidence {
		if why := w.refute(e); why != "" {
			t.Errorf("%s: evidence %s %s %s = %q does not hold: %s", c.Code, e.Type, e.Ref, e.Path, e.Value, why)
		}
	}
}

func (w *world) refute(e Evidence) string {
	switch e.Type {
	case inspect.EventEvidence:
		reason := strings.TrimPrefix(e.Path, "event:")
		for _, x := range w.events[e.Ref] {
			if x.Reason == reason && message.Clip(x.Message, 1024) == e.Value {
				return ""
			}
		}
		return "there is no such event"
	case inspect.LogEvidence:
		if line := w.logs[e.Ref.Name+"/"+strings.TrimPrefix(e.Path, "log:")]; line == "" || !strings.Contains(message.Line(line), strings.TrimSuffix(e.Value, "…")) {
			return "the log says " + line
		}
	case inspect.ObservedEvidence:
		_, gone := w.gone[e.Ref]
		if e.Path == "assessment" && e.Value != "" {
			return "" // how it is judged, where no field of a typed view is named
		}
		if !gone && w.lost[e.Ref] == 0 && w.written[e.Ref] == 0 && w.trouble[e.Ref.Kind] == "" && w.hidden[e.Ref.Kind] == "" {
			return "nothing of the sort was observed"
		}
	case inspect.AbsenceEvidence:
		if e.Path == "" {
			if w.raw[e.Ref] != nil {
				return "it exists"
			}
			return ""
		}
		if w.raw[e.Ref] == nil {
			return "the object does not exist"
		}
		for _, v := range at(w.raw[e.Ref], e.Path) {
			list, isList := v.([]any)
			m, isMap := v.(map[string]any)
			if v != nil && v != "" && (!isList || len(list) > 0) && (!isMap || len(m) > 0) {
				return fmt.Sprint("it is ", v)
			}
		}
	case inspect.FieldEvidence:
		raw := w.raw[e.Ref]
		if raw == nil {
			return "the object does not exist"
		}
		if e.Value == "" && !strings.HasPrefix(e.Path, "metadata.managedFields[") {
			return "it has no value"
		}
		found := at(raw, e.Path)
		if len(found) == 0 && (e.Value == "0" || e.Value == "false") {
			return "" // what the API omits
		}
		if len(found) == 0 {
			return "the path leads nowhere"
		}
		var sum int64
		for _, v := range found {
			if slices.ContainsFunc(written(v), func(s string) bool { return says(object.Clean(s), e.Value) }) {
				return ""
			}
			n, _ := object.ParseAmount(fmt.Sprint(v))
			sum += n
		}
		// Of every entry, of quantities: their sum.
		if n, ok := object.ParseAmount(e.Value); ok && n == sum && strings.Contains(e.Path, "[*]") {
			return ""
		}
		return fmt.Sprint("it is ", found)
	default:
		return "it has no type"
	}
	return ""
}

// says reports whether a text contains a value, in which an ellipsis stands for
// omitted parts.
func says(s, quoted string) bool {
	if !strings.Contains(quoted, "…") {
		return s == quoted
	}
	for part := range strings.SplitSeq(quoted, "…") {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

// written is how evidence may write a value: a scalar as it is, a list of scalars
// with commas, a map as a selector, a condition as its status and reason, a taint
// as kubectl does.
func written(v any) []string {
	switch t := v.(type) {
	case []any:
		var parts []string
		for _, x := range t {
			parts = append(parts, written(x)[0])
		}
		return []string{strings.Join(parts, ",")}
	case map[string]any:
		if typ, ok := t["type"].(string); ok && typ != "" {
			s := fmt.Sprint(t["status"])
			if r, _ := t["reason"].(string); r != "" {
				s += "/" + r
			}
			return []string{s}
		}
		var parts []string
		for k, x := range t {
			parts = append(parts, k+"="+fmt.Sprint(x))
		}
		slices.Sort(parts)
		return []string{strings.Join(parts, ","), wording.Plural(len(t), "key")}
	case float64:
		return []string{strconv.FormatFloat(t, 'f', -1, 64)}
	}
	return []string{fmt.Sprint(v)}
}

// at follows a path as evidence writes it: fields with dots between them, entries
// of lists by index, by what names them or "*" for each, keys with dots in brackets.
func at(v any, path string) []any {
	if path == "" {
		return []any{v}
	}
	if s, ok := v.(string); ok { // kubectl's last applied configuration
		var m map[string]any
		if json.Unmarshal([]byte(s), &m) != nil {
			return nil
		}
		return at(m, path)
	}
	if rest, ok := strings.CutPrefix(path, "["); ok {
		key, rest, _ := strings.Cut(rest, "]")
		rest = strings.TrimPrefix(rest, ".")
		switch t := v.(type) {
		case map[string]any:
			if x, ok := t[key]; ok {
				return at(x, rest)
			}
		case []any:
			var out []any
			for i, x := range t {
				if key == "*" || key == strconv.Itoa(i) || slices.Contains(namesOf(x), key) {
					out = append(out, at(x, rest)...)
				}
			}
			return out
		}
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	// A resource's name may hold dots, and be the last.
	if x, ok := m[path]; ok {
		return []any{x}
	}
	x, ok := m[path[:end]]
	if !ok {
		return nil
	}
	return at(x, strings.TrimPrefix(path[end:], "."))
}

// namesOf is what tells one entry of a list from the others.
func namesOf(v any) (out []string) {
	m, _ := v.(map[string]any)
	for _, k := range [...]string{"name", "type", "manager", "port", "key", "secretName", "topologyKey"} {
		if x, ok := m[k]; ok {
			out = append(out, fmt.Sprint(x))
		}
	}
	if ref, ok := m["parentRef"].(map[string]any); ok {
		out = append(out, fmt.Sprint(ref["name"]))
	}
	if kind, ok := m["kind"]; ok { // a resource in the status of an Application
		out = append(out, fmt.Sprint(kind, "/", m["namespace"], "/", m["name"]), fmt.Sprint(kind, "/", m["name"]))
	}
	return out
}
