package wait

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/fieldpath"
	"github.com/kstatus-tui/kstatus-tui/internal/mask"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Kind is what a condition is about.
type Kind string

// The kinds. HasCondition and JSONPath have the same meaning as in kubectl wait.
const (
	Current      Kind = "current"
	Deleted      Kind = "deleted"
	Exists       Kind = "exists"
	Known        Kind = "known"
	HasCondition Kind = "condition"
	JSONPath     Kind = "jsonpath"
)

// Kinds are all kinds, as words of --for.
var Kinds = []string{
	string(Current), string(Deleted), string(Exists), string(Known), string(HasCondition), string(JSONPath),
}

// Condition is one value of --for.
type Condition struct {
	Kind Kind
	Text string // as typed, fit to print
	name string // of the condition of an object, for HasCondition
	path *path  // for JSONPath
	met  func(r known.Resource) bool
	// reached is printed when the condition holds; tally follows a number of objects.
	// If reached is "", both are Text.
	reached, tally string
}

// OfObject reports whether the condition is about a condition or a field of an
// object.
func (c Condition) OfObject() bool { return c.Kind == HasCondition || c.Kind == JSONPath }

// byStatus are the conditions without an argument.
var byStatus = map[Kind]Condition{
	Current: {reached: "all required resources are Current", met: func(r known.Resource) bool {
		return r.Assessment.Status == status.Current
	}},
	Deleted: {reached: "all resources are deleted", tally: "gone", met: func(r known.Resource) bool {
		return r.Object == nil && r.Assessment.Status == status.NotFound
	}},
	Exists: {reached: "all resources exist", tally: "there", met: func(r known.Resource) bool {
		return r.Object != nil
	}},
	Known: {reached: "the status of all resources is known", tally: "known", met: func(r known.Resource) bool {
		return r.Assessment.Status != status.Unknown && r.Assessment.Status != ""
	}},
}

// Errors of [ParseCondition].
var (
	ErrKind    = errors.New("no such goal") // the word is no kind
	ErrSeveral = errors.New("it names more than one condition")
)

// ParseCondition reads one value of --for. kubectl's delete and create mean Deleted
// and Exists.
func ParseCondition(text string) (c Condition, err error) {
	word, argument, _ := strings.Cut(text, "=")
	kind := Kind(strings.ToLower(word))
	switch kind {
	case "delete":
		kind = Deleted
	case "create":
		kind = Exists
	}
	switch simple, ok := byStatus[kind]; {
	case ok && argument == "":
		c = simple
	case kind == HasCondition:
		name, value, given := strings.Cut(argument, "=")
		if !given {
			value = "True"
		}
		switch {
		case name == "":
			return c, errors.New("the name of the condition is missing")
		case strings.Contains(name, ","):
			return c, ErrSeveral
		}
		c.name = name
		c.met = func(r known.Resource) bool { return r.Object != nil && hasCondition(r.Object, name, value) }
	case kind == JSONPath:
		if c.path, err = parsePath(argument); err == nil {
			c.met = func(r known.Resource) bool { return r.Object != nil && c.path.holds(r.Object) }
		}
	default:
		return c, ErrKind
	}
	c.Kind, c.Text = kind, object.Clean(text)
	return c, err
}

// hasCondition follows kubectl wait: a condition of an older generation does not
// count.
func hasCondition(o *object.Object, name, value string) bool {
	i := slices.IndexFunc(o.Conditions, func(c object.Condition) bool { return strings.EqualFold(c.Type, name) })
	if i < 0 {
		return false
	}
	observed := cmp.Or(o.Conditions[i].ObservedGeneration, o.Observed)
	if observed.Set && o.Generation.Set && observed.V < o.Generation.V {
		return false
	}
	return strings.EqualFold(o.Conditions[i].Status, value)
}

// unmet says in a few words why an object does not meet a condition about a condition or a
// field of it; "" if nothing is to be said.
func (c Condition) unmet(id object.ID, o *object.Object) string {
	if c.Kind == JSONPath {
		return c.path.unmet(id, o)
	}
	var types []string
	for _, is := range o.Conditions {
		if strings.EqualFold(is.Type, c.name) {
			text := fmt.Sprintf("%s has condition %s %s", id, is.Type, is.Status)
			switch observed := cmp.Or(is.ObservedGeneration, o.Observed); {
			case observed.Set && o.Generation.Set && observed.V < o.Generation.V:
				text += fmt.Sprintf(" of generation %d, and is at generation %d", observed.V, o.Generation.V)
			case is.Reason != "":
				text += " (" + is.Reason + ")"
			}
			return text
		}
		types = append(types, is.Type)
	}
	if len(types) == 0 { // the type may be mistyped, or not exist for the kind
		return fmt.Sprintf("%s has no condition %s", id, object.Clean(c.name))
	}
	return fmt.Sprintf("%s has no condition %s; it has %s", id, object.Clean(c.name), strings.Join(types, ", "))
}

// path is PATH, which any value meets, or PATH=VALUE.
type path struct {
	text  string
	value string
	given bool // a value
	find  func(tree any) ([][]reflect.Value, error)
}

func parsePath(text string) (*path, error) {
	text, value, given := splitPath(text)
	switch {
	case strings.HasSuffix(text, "!"):
		return nil, errors.New("a path may only be compared with =, not with !=")
	case given && (value == "" || value[0] == '='):
		return nil, errors.New("one equals sign and a value follow the path")
	}
	parsed, err := fieldpath.Parse(text)
	if err != nil {
		return nil, err
	}
	return &path{text: text, value: value, given: given, find: parsed.FindResults}, nil
}

// values are those that the path finds.
func (p *path) values(o *object.Object) []any { return p.valuesIn(o.Tree) }

func (p *path) valuesIn(tree any) (values []any) {
	found, err := p.find(tree)
	if err != nil {
		return nil
	}
	for _, list := range found {
		for _, v := range list {
			values = append(values, v.Interface())
		}
	}
	return values
}

func (p *path) holds(o *object.Object) bool {
	values := p.values(o)
	return len(values) == 1 && (!p.given || strings.TrimSpace(fmt.Sprint(values[0])) == p.value)
}

// unusable says why what the path finds cannot be compared with a value. kubectl wait ends
// with an error then, too.
func (p *path) unusable(o *object.Object) string {
	values := p.values(o)
	switch {
	case len(values) > 1:
		return fmt.Sprintf("it matches %d values", len(values))
	case len(values) == 1 && p.given && isNested(values[0]):
		return "it leads to an object or a list, which equals no value"
	}
	return ""
}

func isNested(value any) bool {
	switch reflect.ValueOf(value).Kind() {
	case reflect.Map, reflect.Slice:
		return true
	}
	return false
}

// unmet says what the path finds in an object.
func (p *path) unmet(id object.ID, o *object.Object) string {
	const most = 60
	values := p.values(o)
	switch {
	case len(values) == 1 && !isNested(values[0]):
		text := mask.Placeholder
		if shown := p.valuesIn(printable(o.Tree)); len(shown) == 1 {
			text = object.Clean(strings.TrimSpace(fmt.Sprint(shown[0])))
		}
		if len(text) > most {
			text = object.Clean(text[:most]) + "…"
		}
		return fmt.Sprintf("%s has %s %s", id, object.Clean(p.text), cmp.Or(text, `""`))
	case len(values) > 0:
		return ""
	case undotted.MatchString(p.text):
		return fmt.Sprintf(`%s has no %s; a dot within a key is written \.`, id, object.Clean(p.text))
	}
	return fmt.Sprintf("%s has no %s", id, object.Clean(p.text))
}

// printable is a copy of a tree without what looks like a secret, and without the values of
// environment variables, whose names may not tell.
func printable(tree any) any {
	masked, _ := mask.Value(tree)
	return withoutValues(masked, false)
}

// withoutValues masks the values of the environment variables in a tree. of says that it is the
// value of a key like env: a list of names and values, or a map.
func withoutValues(tree any, of bool) any {
	switch tree := tree.(type) {
	case map[string]any:
		out := make(map[string]any, len(tree))
		for key, value := range tree {
			_, nested := value.(map[string]any)
			switch {
			case of && !nested && key != "name":
				out[key] = mask.Placeholder
			default:
				out[key] = withoutValues(value, strings.HasSuffix(strings.ToLower(key), "env"))
			}
		}
		return out
	case []any:
		out := make([]any, len(tree))
		for i, value := range tree {
			out[i] = withoutValues(value, of)
		}
		return out
	}
	return tree
}

// undotted is a key in brackets with a dot that is not escaped, which jsonpath takes for the
// keys before and after it.
var undotted = regexp.MustCompile(`\['[^'\\]*\.[^']*'\]`)

// splitPath divides PATH=VALUE at its first equals sign outside of brackets: a filter
// within the path compares, too. Quotes around either are not a part of it: cmd.exe, and
// programs that start others without a shell, leave them there.
func splitPath(text string) (path, value string, given bool) {
	const quotes = `'"`
	depth := 0
	for i, r := range text {
		switch r {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case '=':
			if depth == 0 {
				return strings.Trim(text[:i], quotes), strings.Trim(text[i+1:], quotes), true
			}
		}
	}
	return strings.Trim(text, quotes), "", false
}
