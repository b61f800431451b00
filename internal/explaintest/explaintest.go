// Package explaintest checks evidence against the objects that it names, for
// tests.
package explaintest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Refute says why a field of an object, as it was written, does not have the
// value that evidence claims; "" if it has.
func Refute(raw map[string]any, e inspect.Evidence) string {
	if raw == nil {
		return "the object does not exist"
	}
	if e.Value == "" && !strings.HasPrefix(e.Path, "metadata.managedFields[") {
		return "it has no value"
	}
	found := At(raw, e.Path)
	if len(found) == 0 && (e.Value == "0" || e.Value == "false") {
		return "" // what the API omits
	}
	if len(found) == 0 {
		return "the path leads nowhere"
	}
	var sum int64
	for _, v := range found {
		if slices.ContainsFunc(written(v), func(s string) bool { return matches(object.Clean(s), e.Value) }) {
			return ""
		}
		n, _ := object.ParseAmount(fmt.Sprint(v))
		sum += n
	}
	// A path with [*] may claim the sum of the quantities of all entries.
	if n, ok := object.ParseAmount(e.Value); ok && n == sum && strings.Contains(e.Path, "[*]") {
		return ""
	}
	return fmt.Sprint("it is ", found)
}

// matches reports whether a text is a value, in which an ellipsis stands for
// omitted parts.
func matches(s, quoted string) bool {
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

// At follows a path as evidence writes it: fields with dots between them, entries
// of lists by index, by what names them or "*" for each, keys with dots in brackets.
func At(v any, path string) []any {
	if path == "" {
		return []any{v}
	}
	if s, ok := v.(string); ok { // kubectl's last applied configuration
		var m map[string]any
		if json.Unmarshal([]byte(s), &m) != nil {
			return nil
		}
		return At(m, path)
	}
	if rest, ok := strings.CutPrefix(path, "["); ok {
		key, rest, _ := strings.Cut(rest, "]")
		rest = strings.TrimPrefix(rest, ".")
		switch t := v.(type) {
		case map[string]any:
			if x, ok := t[key]; ok {
				return At(x, rest)
			}
		case []any:
			var out []any
			for i, x := range t {
				if key == "*" || key == strconv.Itoa(i) || slices.Contains(namesOf(x), key) {
					out = append(out, At(x, rest)...)
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
	return At(x, strings.TrimPrefix(path[end:], "."))
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
