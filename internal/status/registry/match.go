package registry

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// atom is one test. Exactly one of cond, path, label and annotation is set;
// with cond a path names where the list of conditions stands.
type atom struct {
	text       string
	where      string // the path, as people read it
	not        bool
	cond       string // glob of the condition type
	path       []string
	label      string
	annotation string
	op         string   // "", "=", "!=", "<", ">"
	values     []string // alternatives, globs
	reasons    []string // of a condition
	number     int64    // the right side of a comparison
	numberPath []string // what the right side is read from, where it is a path
	def        int64    // of the path on the right
}

func (a *atom) holds(o *object.Object, m *Match) bool {
	ok := a.test(o, m)
	return ok != a.not
}

// allConditions reports whether the atom asks for conditions of any type.
func (a *atom) allConditions() bool {
	return len(a.path) == 2 && a.path[1] == "conditions" && a.path[0] == "status"
}

// wholeStatus reports whether the atom asks for a status of any kind: the
// conditions are kept apart from the rest of it.
func (a *atom) wholeStatus() bool { return len(a.path) == 1 && a.path[0] == "status" && a.op == "" }

// paths are the fields that the atom reads.
func (a *atom) paths() []string {
	switch {
	case a.cond != "" && a.path == nil:
		return []string{"status.conditions"}
	case a.cond != "":
		return []string{a.where}
	case a.label != "":
		return []string{"metadata.labels[" + a.label + "]"}
	case a.annotation != "":
		return []string{"metadata.annotations[" + a.annotation + "]"}
	case a.numberPath != nil && (a.op == "<" || a.op == ">" || !a.allConditions()):
		return []string{a.where, pathText(a.numberPath)}
	}
	return []string{a.where}
}

func (a *atom) test(o *object.Object, m *Match) bool {
	switch {
	case a.cond != "" && a.path == nil:
		for i := range o.Conditions {
			cond := &o.Conditions[i]
			if o.Stale(cond) || !a.matchesCondition(cond) {
				continue
			}
			if m.Index < 0 && !a.not {
				m.Index, m.Condition = i, *cond
			}
			return true
		}
		return false
	case a.cond != "":
		found := false
		visit(o.Tree, a.path, func(v any) bool {
			list, _ := object.At(v, "conditions").([]any)
			for _, el := range list {
				cm, ok := el.(map[string]any)
				if !ok {
					continue
				}
				cond := object.ConditionOf(cm)
				if o.Stale(&cond) || !a.matchesCondition(&cond) {
					continue
				}
				found = true
				if m.Condition.Statement == nil && m.Field == "" && !a.not {
					m.Condition = cond
				}
				return false
			}
			return true
		})
		return found
	case a.label != "":
		v, ok := o.Label(a.label)
		return a.matchesString(v, ok)
	case a.annotation != "":
		v, ok := o.Annotation(a.annotation)
		return a.matchesString(v, ok)
	}
	if a.op == "<" || a.op == ">" {
		return a.compares(o.Tree)
	}
	if a.allConditions() {
		return len(o.Conditions) > 0
	}
	if a.wholeStatus() && len(o.Conditions) > 0 {
		return true
	}
	if a.numberPath != nil {
		left, _ := object.Text(object.At(o.Tree, a.path...))
		right, _ := object.Text(object.At(o.Tree, a.numberPath...))
		return (left == right) == (a.op == "=")
	}
	found := false
	visit(o.Tree, a.path, func(v any) bool {
		text, scalar := object.Text(v)
		if a.op == "" {
			found = !object.Empty(v) && v != false
		} else if scalar {
			found = a.matchesString(text, true)
		}
		if found && scalar && !a.not && m.Condition.Statement == nil {
			if m.Field == "" {
				m.Field, m.Value = a.where, text
			}
			if _, word := v.(string); word && m.Word == "" {
				m.Word = text
			}
		}
		return !found
	})
	return found
}

// compares compares numbers; a missing left side is zero.
func (a *atom) compares(tree map[string]any) bool {
	holds := func(left, right int64) bool {
		return a.op == "<" && left < right || a.op == ">" && left > right
	}
	if i := slices.Index(a.path, "[]"); i >= 0 && slices.Index(a.numberPath, "[]") == i {
		found := false
		visit(tree, a.path[:i+1], func(el any) bool {
			left, _ := object.Integer(object.At(el, a.path[i+1:]...))
			right, ok := object.Integer(object.At(el, a.numberPath[i+1:]...))
			if !ok {
				right = a.def
			}
			found = holds(left, right)
			return !found
		})
		return found
	}
	right := a.number
	if a.numberPath != nil {
		right = 0
		known := false
		visit(tree, a.numberPath, func(v any) bool {
			if n, ok := object.Integer(v); ok {
				right, known = right+n, true
			}
			return true
		})
		if !known {
			right = a.def
		}
	}
	found, there := false, false
	visit(tree, a.path, func(v any) bool {
		left, _ := object.Integer(v)
		found, there = holds(left, right), true
		return !found
	})
	if !there && !slices.Contains(a.path, "[]") {
		return holds(0, right)
	}
	return found
}

// told is the test with the numbers that it has found, or as the row has it.
func (a *atom) told(o *object.Object) string {
	word := " is less than "
	switch {
	case a.not, slices.Contains(a.path, "[]"), slices.Contains(a.numberPath, "[]"):
		return a.text
	case a.op == ">":
		word = " is more than "
	case a.op != "<":
		return a.text
	}
	left, _ := object.Integer(object.At(o.Tree, a.path...))
	text := a.where + " (" + strconv.FormatInt(left, 10) + ")" + word
	if a.numberPath == nil {
		return text + strconv.FormatInt(a.number, 10)
	}
	right, ok := object.Integer(object.At(o.Tree, a.numberPath...))
	if !ok {
		right = a.def
	}
	return text + pathText(a.numberPath) + " (" + strconv.FormatInt(right, 10) + ")"
}

func (a *atom) matchesCondition(cond *object.Condition) bool {
	if !glob(a.cond, cond.Type) {
		return false
	}
	if a.op == "" {
		return true
	}
	if matchAny(a.values, cond.Status) != (a.op == "=") {
		return false
	}
	return len(a.reasons) == 0 || matchAny(a.reasons, cond.Reason)
}

func (a *atom) matchesString(v string, ok bool) bool {
	switch a.op {
	case "=":
		return ok && matchAny(a.values, v)
	case "!=":
		return ok && !matchAny(a.values, v)
	}
	return ok && v != ""
}

func matchAny(globs []string, v string) bool {
	return slices.ContainsFunc(globs, func(want string) bool { return glob(want, v) })
}

// glob matches without regard to case; "*" stands for anything.
func glob(pattern, s string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return strings.EqualFold(pattern, s)
	}
	if len(s) < len(first) || !strings.EqualFold(s[:len(first)], first) {
		return false
	}
	s = s[len(first):]
	for {
		part, more, again := strings.Cut(rest, "*")
		if !again {
			return len(s) >= len(part) && strings.EqualFold(s[len(s)-len(part):], part)
		}
		at := indexFold(s, part)
		if at < 0 {
			return false
		}
		s, rest = s[at+len(part):], more
	}
}

func indexFold(s, part string) int {
	for i := 0; i+len(part) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// visit calls f with each value at a path, in which "[]" stands for every
// element of a list or field of an object; f returns false to stop.
func visit(v any, path []string, f func(any) bool) bool {
	for i, field := range path {
		if field == "[]" {
			switch t := v.(type) {
			case []any:
				for _, el := range t {
					if !visit(el, path[i+1:], f) {
						return false
					}
				}
			case map[string]any:
				for _, k := range slices.Sorted(maps.Keys(t)) {
					if !visit(t[k], path[i+1:], f) {
						return false
					}
				}
			}
			return true
		}
		m, ok := v.(map[string]any)
		if !ok {
			return true
		}
		if v, ok = m[field]; !ok {
			return true
		}
	}
	return f(v)
}

func pathText(path []string) string {
	return strings.ReplaceAll(strings.Join(path, "."), ".[]", "[]")
}
