package wait

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/fieldpath"
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

// ErrKind is returned by [ParseCondition] for a word that is no kind.
var ErrKind = errors.New("no such goal")

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
		if name == "" {
			return c, errors.New("the name of the condition is missing")
		}
		c.name = name
		c.met = func(r known.Resource) bool { return r.Object != nil && hasCondition(r.Object, name, value) }
	case kind == JSONPath:
		c.met, err = pathHolds(argument)
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

// pathHolds reads PATH, which any value meets, or PATH=VALUE.
func pathHolds(text string) (func(known.Resource) bool, error) {
	text, value, given := splitPath(text)
	switch {
	case strings.HasSuffix(text, "!"):
		return nil, errors.New("a path may only be compared with =, not with !=")
	case given && (value == "" || value[0] == '='):
		return nil, errors.New("one equals sign and a value follow the path")
	}
	path, err := fieldpath.Parse(text)
	if err != nil {
		return nil, err
	}
	return func(r known.Resource) bool {
		if r.Object == nil {
			return false
		}
		found, err := path.FindResults(r.Object.Tree)
		if err != nil || len(found) != 1 || len(found[0]) != 1 {
			return false
		}
		return !given || strings.TrimSpace(fmt.Sprint(found[0][0].Interface())) == value
	}, nil
}

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
