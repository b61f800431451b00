// Package filter is the language in which a user says which rows of the tree to
// see.
package filter

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Filter is a parsed filter: all of its terms must hold. A term is a word
// found in the kind, name, reason or cause, or made of the beginnings of the parts of a
// name (chda finds checkout-database); or field, operator and value:
//
//	status=failed,unknown   kind=pod   ns=shop   name~web   reason~image   age<10m
//	app=web,tier!=db with -l before it: labels
//
// = compares whole words without regard to case (status also by its beginning,
// kind also by kubectl's short name), ~ finds a part, != and !~ deny. A word that begins with !
// must not be found.
type Filter struct {
	Text string
	Err  error // of its first invalid term

	terms []term
}

// term reports whether a node passes.
type term func(w *world.World, x *world.Causes, n *world.Node) bool

// Active reports whether it has a term.
func (f *Filter) Active() bool { return len(f.terms) > 0 }

// Matches reports whether a node passes.
func (f *Filter) Matches(w *world.World, x *world.Causes, n *world.Node) bool {
	return !slices.ContainsFunc(f.terms, func(t term) bool { return !t(w, x, n) })
}

// fieldNames are the fields, in the order in which they are proposed.
var fieldNames = []string{"status", "kind", "ns", "name", "reason", "message", "age"}

// fieldTerm is a term with a field; anything else is a word.
var fieldTerm = regexp.MustCompile(`^([^!=~<>:/@"']+)(!=|!~|<=|>=|=|~|<|>)(.*)$`)

// Parse parses a filter. A term that is invalid is reported and ignored.
func Parse(text string) (f Filter) {
	f.Text = text
	words := strings.Fields(strings.ToLower(text))
	for i := 0; i < len(words); i++ {
		var t term
		var wrong error
		if m := fieldTerm.FindStringSubmatch(words[i]); m != nil {
			t, wrong = parseTerm(m[1], m[2], m[3])
		} else if words[i] == "-l" && i+1 < len(words) {
			i++
			for _, label := range strings.FieldsFunc(words[i], func(r rune) bool { return r == ',' }) {
				f.terms = append(f.terms, labelTerm(label))
			}
		} else if word, deny := strings.CutPrefix(words[i], "!"); word != "" {
			t = func(_ *world.World, x *world.Causes, n *world.Node) bool { return hasWord(x, n, word) != deny }
		}
		f.Err = cmp.Or(f.Err, wrong)
		if t != nil {
			f.terms = append(f.terms, t)
		}
	}
	return f
}

// Completions are the texts that the last term of a filter may become.
func Completions(w *world.World, text string) (out []string) {
	i := strings.LastIndexByte(text, ' ') + 1
	field, values, valued := strings.Cut(text[i:], "=")
	if !valued {
		for _, f := range fieldNames {
			out = append(out, text[:i]+strings.Replace(f+"=", "age=", "age<", 1))
		}
		return out
	}
	known := map[string]bool{}
	switch strings.TrimRight(strings.ToLower(field), "!") {
	case "status":
		for _, s := range status.Statuses {
			known[string(s)] = true
		}
	case "kind":
		for id, n := range w.Tree.Nodes {
			if n.InTree {
				known[id.Kind] = true
			}
		}
	case "ns", "namespace":
		for _, ns := range w.Tree.Spaces {
			known[ns] = true
		}
	}
	last := len(text) - len(values) + strings.LastIndexByte(values, ',') + 1
	for _, v := range slices.Sorted(maps.Keys(known)) {
		out = append(out, text[:last]+v)
	}
	return out
}

// parseTerm parses a term with a field; nil if it is still being typed.
func parseTerm(field, op, value string) (term, error) {
	if field == "namespace" {
		field = "ns"
	}
	op, deny := strings.CutPrefix(op, "!")
	values := strings.Split(value, ",")
	switch {
	case !slices.Contains(fieldNames, field):
		return nil, fmt.Errorf("%q is none of %s; a label: -l %s=value", field, strings.Join(fieldNames, ", "), field)
	case values[0] == "":
		return nil, nil
	case field == "age":
		age, err := parseAge(value)
		if err != nil {
			return nil, fmt.Errorf("%s%s%s: not a duration such as 10m or 2d", field, op, value)
		}
		return func(w *world.World, _ *world.Causes, n *world.Node) bool {
			if n.Object == nil || n.Object.Created.IsZero() {
				return false
			}
			return (w.Tree.Now.Sub(n.Object.Created) > age) == (op[0] == '>') != deny
		}, nil
	case op != "=" && op != "~":
		return nil, fmt.Errorf("%s takes = or ~", field)
	case field == "status":
		for i, v := range values {
			values[i] = strings.NewReplacer("-", "", "_", "").Replace(v) // in-progress
			// A filter that cannot match anything looks like a set without problems.
			if op == "=" && !slices.ContainsFunc(status.Statuses,
				func(s status.Status) bool { return startsWith(string(s), values[i]) }) {
				return nil, fmt.Errorf("no status begins with %q", v)
			}
		}
	}
	return func(_ *world.World, x *world.Causes, n *world.Node) bool {
		return slices.ContainsFunc(values, func(v string) bool {
			if op == "~" {
				return slices.ContainsFunc(texts(x, n, field), func(s string) bool { return contains(s, v) })
			}
			return equals(x, n, field, v)
		}) != deny
	}, nil
}

// texts are the values of a field.
func texts(x *world.Causes, n *world.Node, field string) []string {
	switch field {
	case "status":
		return []string{string(n.Assess.Status)}
	case "kind":
		return []string{n.ID.Kind}
	case "ns":
		return []string{n.ID.Namespace}
	case "name":
		return []string{n.ID.Name}
	case "reason":
		return []string{n.Assess.Reason, n.Lead.Reason, cause(x, n)}
	}
	return []string{n.Assess.Message}
}

func equals(x *world.Causes, n *world.Node, field, v string) bool {
	switch {
	case field == "status" && v != "":
		return startsWith(string(n.Assess.Status), v)
	case field == "kind" &&
		(v == world.ShortKind(n.ID.Kind) || strings.EqualFold(strings.TrimSuffix(v, "s"), n.ID.Kind)):
		return true
	}
	return slices.ContainsFunc(texts(x, n, field), func(s string) bool { return strings.EqualFold(s, v) })
}

func labelTerm(text string) term {
	key, want, valued := strings.Cut(text, "=")
	key, deny := strings.CutSuffix(key, "!")
	return func(_ *world.World, _ *world.Causes, n *world.Node) bool {
		return n.Object != nil && deny != slices.ContainsFunc(n.Object.Labels, func(l object.Label) bool {
			return strings.EqualFold(l.Key, key) &&
				(!valued || strings.EqualFold(l.Value, strings.TrimPrefix(want, "=")))
		})
	}
}

// cause is what the row of n names as its cause.
func cause(x *world.Causes, n *world.Node) string {
	if c, _ := x.Why(n); c != nil {
		return c.Title
	}
	return ""
}

func hasWord(x *world.Causes, n *world.Node, word string) bool {
	asShown := world.ShortKind(n.ID.Kind) + "/" + n.ID.Name
	return contains(n.ID.Kind, word) || contains(n.ID.Name, word) ||
		contains(n.Assess.Reason, word) || contains(cause(x, n), word) ||
		Initials(strings.ToLower(n.ID.Name), word) ||
		strings.Contains(word, "/") && (contains(n.ID.String(), word) || contains(asShown, word))
}

// parseAge is time.ParseDuration with days.
func parseAge(s string) (time.Duration, error) {
	if v, ok := strings.CutSuffix(s, "d"); ok {
		d, err := time.ParseDuration(v + "h")
		return d * 24, err
	}
	return time.ParseDuration(s)
}

// Initials reports whether want consists of prefixes of the parts of name, in
// order.
func Initials(name, want string) bool {
	for want != "" && name != "" {
		part, rest, _ := strings.Cut(name, "-")
		for n := min(len(part), len(want)); n > 0; n-- {
			if part[:n] == want[:n] && Initials(rest, want[n:]) {
				return true
			}
		}
		name = rest
	}
	return want == ""
}

// contains is strings.Contains, ignoring case; part is in lower case.
func contains(have, part string) bool { return strings.Contains(strings.ToLower(have), part) }

// startsWith is strings.HasPrefix, ignoring case; part is in lower case.
func startsWith(have, part string) bool { return strings.HasPrefix(strings.ToLower(have), part) }
