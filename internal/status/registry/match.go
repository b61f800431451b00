package registry

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// test is one test of a clause: a form of the language, possibly negated.
type test struct {
	form
	text   string // as written
	not    bool
	fields [][]string // the paths in the tree that it reads
	paths  []string   // the fields that it reads, for people
}

// form is one of the forms of a test.
type form interface {
	// holds evaluates the test, and adds to the match what it found.
	holds(o *object.Object, m *Match) bool
}

func (t *test) holds(o *object.Object, m *Match) bool {
	if t.not {
		return !t.form.holds(o, nil) // an absent field is not what decided
	}
	return t.form.holds(o, m)
}

// addCondition notes the deciding condition: the first of status.conditions,
// otherwise the first that a test found.
func (m *Match) addCondition(index int, cond *object.Condition) {
	if m == nil || m.Index >= 0 || index < 0 && (m.Condition.Statement != nil || m.Field != "") {
		return
	}
	m.Index, m.Condition = index, *cond
}

func (m *Match) addField(name, value string, word bool) {
	if m == nil || m.Condition.Statement != nil {
		return
	}
	if m.Field == "" {
		m.Field, m.Value = name, value
	}
	if word && m.Word == "" {
		m.Word = value
	}
}

// described is the test as written, or a comparison with the numbers found.
func (t *test) described(o *object.Object) string {
	if c, ok := t.form.(*comparison); ok && !t.not {
		return c.described(o, t.text)
	}
	return t.text
}

// values are the permitted values of a field, label or condition.
type values struct {
	op    string // "=", "!=", or "" for anything
	globs []glob
}

func (v *values) match(s string) bool {
	return slices.ContainsFunc(v.globs, func(want glob) bool { return want.match(s) }) == (v.op == "=")
}

// conditionTest is @Type=Status(Reason).
type conditionTest struct {
	below   []string // the field with the list of conditions; nil for the status
	typ     glob
	status  values
	reasons values
}

func (t *conditionTest) holds(o *object.Object, m *Match) bool {
	if t.below == nil {
		for i := range o.Conditions {
			if t.matches(o, &o.Conditions[i]) && !o.Superseded(i) {
				m.addCondition(i, &o.Conditions[i])
				return true
			}
		}
		return false
	}
	found := false
	visit(o.Tree, t.below, func(v any) bool {
		list, _ := object.At(v, "conditions").([]any)
		for _, el := range list {
			of, _ := el.(map[string]any)
			typ, _ := of["type"].(string)
			is, _ := of["status"].(string)
			reason, _ := of["reason"].(string)
			if typ == "" || !t.says(typ, is, reason) {
				continue // before it is decoded, with its dates
			}
			if cond := object.ConditionOf(of); !o.Stale(&cond) {
				m.addCondition(-1, &cond)
				found = true
				break
			}
		}
		return !found
	})
	return found
}

func (t *conditionTest) matches(o *object.Object, cond *object.Condition) bool {
	return t.says(cond.Type, cond.Status, cond.Reason) && !o.Stale(cond)
}

func (t *conditionTest) says(typ, is, reason string) bool {
	return t.typ.match(typ) && (t.status.op == "" || t.status.match(is)) &&
		(t.reasons.op == "" || t.reasons.match(reason))
}

// labelTest is label:KEY=VALUE or annotation:KEY=VALUE, or compares with a field.
type labelTest struct {
	annotation bool
	key        string
	values     values
	field      []string // what it is compared with, instead of values
}

func (t *labelTest) holds(o *object.Object, _ *Match) bool {
	v, ok := o.Label(t.key)
	if t.annotation {
		v, ok = o.Annotation(t.key)
	}
	switch {
	case t.values.op == "":
		return v != ""
	case t.field != nil:
		text, known := object.Text(object.At(o.Tree, t.field...))
		return ok && known && (v == text) == (t.values.op == "=")
	}
	return ok && t.values.match(v)
}

// fieldTest is .path=Value.
type fieldTest struct {
	path   []string
	name   string // the path as written, but for the leading dot
	values values
}

func (t *fieldTest) holds(o *object.Object, m *Match) bool {
	if t.values.op == "" {
		switch t.name {
		case "status":
			return !o.NoStatus()
		case "status.conditions": // kept apart from the rest of the status
			return len(o.Conditions) > 0
		}
	}
	found := false
	visit(o.Tree, t.path, func(v any) bool {
		text, scalar := object.Text(v)
		if t.values.op == "" {
			found = !object.Empty(v) && v != false
		} else {
			found = (scalar || v != nil && t.values.op == "=") && t.values.match(text)
		}
		if found && scalar {
			_, word := v.(string)
			m.addField(t.name, text, word)
		}
		return !found
	})
	return found
}

// comparison is .left<.right?1, .left>3 or .left!=.right.
type comparison struct {
	op          string // "<", ">", "=" or "!="
	left, right []string
	number      int64 // the right side without a path; otherwise its default
}

func (t *comparison) compare(left, right int64) bool {
	return t.op == "<" && left < right || t.op == ">" && left > right
}

func (t *comparison) holds(o *object.Object, _ *Match) bool {
	if t.op == "=" || t.op == "!=" {
		left, _ := object.Text(object.At(o.Tree, t.left...))
		right, _ := object.Text(object.At(o.Tree, t.right...))
		return (left == right) == (t.op == "=")
	}
	if i := slices.Index(t.left, "[]"); i >= 0 && slices.Index(t.right, "[]") == i {
		found := false
		visit(o.Tree, t.left[:i+1], func(el any) bool {
			left, _ := object.Integer(object.At(el, t.left[i+1:]...))
			right, ok := object.Integer(object.At(el, t.right[i+1:]...))
			if !ok {
				right = t.number
			}
			found = t.compare(left, right)
			return !found
		})
		return found
	}
	right := t.sum(o)
	found, there := false, false
	visit(o.Tree, t.left, func(v any) bool {
		left, _ := object.Integer(v)
		found, there = t.compare(left, right), true
		return !found
	})
	if !there && !slices.Contains(t.left, "[]") {
		return t.compare(0, right)
	}
	return found
}

// sum is the number on the right: for a path, of all that it leads to.
func (t *comparison) sum(o *object.Object) int64 {
	sum, known := int64(0), false
	visit(o.Tree, t.right, func(v any) bool {
		n, ok := object.Integer(v)
		sum, known = sum+n, known || ok
		return true
	})
	switch {
	case known:
		return sum
	case pathText(t.right) == "metadata.generation": // no Tree has it
		return o.Generation.V
	}
	return t.number
}

func (t *comparison) described(o *object.Object, written string) string {
	word, known := map[string]string{"<": " is less than ", ">": " is more than "}[t.op]
	if !known || slices.Contains(t.left, "[]") || slices.Contains(t.right, "[]") {
		return written
	}
	left, _ := object.Integer(object.At(o.Tree, t.left...))
	text, right := pathText(t.left)+" ("+strconv.FormatInt(left, 10)+")"+word, strconv.FormatInt(t.sum(o), 10)
	if t.right == nil {
		return text + right
	}
	return text + pathText(t.right) + " (" + right + ")"
}

// glob is a pattern that ignores case; "*" matches anything.
type glob struct {
	text string
	star bool // it has one
}

func newGlob(text string) glob { return glob{text, strings.Contains(text, "*")} }

func (g glob) match(s string) bool {
	if !g.star {
		return strings.EqualFold(g.text, s)
	}
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "/", ":")) } // "*" is no "/" there
	ok, _ := path.Match(fold(literal.Replace(g.text)), fold(s))
	return ok
}

var literal = strings.NewReplacer(`\`, `\\`, "?", `\?`, "[", `\[`) // what path.Match knows beside "*"

// visit calls f with each value at a path, in which "[]" means every element of
// a list or field of an object; f returns false to stop.
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
		m, _ := v.(map[string]any)
		sub, ok := m[field]
		if !ok {
			return true
		}
		v = sub
	}
	return f(v)
}

func pathText(path []string) string {
	return strings.ReplaceAll(strings.Join(path, "."), ".[]", "[]")
}
