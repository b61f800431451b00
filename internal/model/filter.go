package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// completions are the texts that the last term of a filter may become.
func (t *tree) completions(text string) (out []string) {
	i := strings.LastIndexByte(text, ' ') + 1
	field, values, valued := strings.Cut(text[i:], "=")
	if !valued {
		for _, f := range fieldNames {
			if f == "age" {
				f += "<"
			} else {
				f += "="
			}
			out = append(out, text[:i]+f)
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
		for id, n := range t.w.Nodes {
			if n.InTree {
				known[id.Kind] = true
			}
		}
	case "ns", "namespace":
		for _, ns := range t.Namespaces() {
			known[ns] = true
		}
	}
	last := len(text) - len(values) + strings.LastIndexByte(values, ',') + 1
	for _, v := range slices.Sorted(maps.Keys(known)) {
		out = append(out, text[:last]+v)
	}
	return out
}

// filter is a parsed filter: all of its terms must hold. A term is a word
// found in the kind, name or reason, or made of the beginnings of the parts of a
// name (cdb finds checkout-database); or field, operator and value:
//
//	status=failed,unknown   kind=pod   ns=shop   name~web   reason~image   age<10m
//	app=web with -l before it: a label
//
// = compares whole words without regard to case (status also by its beginning,
// kind also by kubectl's short name), ~ finds a part, != and !~ deny. A word that begins with !
// must not be found.
type filter struct {
	text  string
	terms []term
}

type term struct {
	field  string // "" is a plain word
	op     string
	values []string // lower case
	age    time.Duration
	deny   bool
}

// setFilter filters the rows by a text, which may still be being typed.
func (t *tree) setFilter(text string) {
	t.filter, t.filterErr = parseFilter(text)
	if t.touched && t.home == (RowKey{}) {
		t.home = t.sel
	}
	t.stale = true
	t.touched = t.touched || text != ""
}

// FilterText is the filter, complete or being typed, and its error.
func (t *tree) FilterText() (string, error) { return t.filter.text, t.filterErr }

func (f *filter) active() bool { return len(f.terms) > 0 }

var filterFields = []string{"status", "kind", "ns", "namespace", "name", "reason", "message", "age", "label"}

// parseFilter parses a filter. A term that is invalid is reported and ignored.
func parseFilter(text string) (f filter, err error) {
	f.text = text
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "-l" && i+1 < len(words) {
			i++
			f.terms = append(f.terms, term{field: "label", op: "=", values: []string{words[i]}})
			continue
		}
		t, e := parseTerm(word)
		if e != nil {
			if err == nil {
				err = e
			}
			continue
		}
		if len(t.values) > 0 {
			f.terms = append(f.terms, t)
		}
	}
	return f, err
}

func parseTerm(word string) (term, error) {
	lower := strings.ToLower(word)
	for _, field := range filterFields {
		rest, ok := strings.CutPrefix(lower, field)
		if !ok || rest == "" {
			continue
		}
		t := term{field: field}
		for _, op := range []string{"!=", "!~", "<=", ">=", "=", "~", "<", ">"} {
			if v, ok := strings.CutPrefix(rest, op); ok {
				t.op, t.values = op, strings.Split(v, ",")
				break
			}
		}
		if t.op == "" {
			continue // a word that only begins like a field
		}
		if t.values[0] == "" {
			return term{}, nil // still being typed
		}
		switch t.op {
		case "!=":
			t.op, t.deny = "=", true
		case "!~":
			t.op, t.deny = "~", true
		case "<", ">", "<=", ">=":
			if field != "age" {
				return term{}, fmt.Errorf("%s takes = or ~", field)
			}
		}
		switch field {
		case "status":
			if v := unknownStatus(&t); v != "" {
				return term{}, fmt.Errorf("no status begins with %q", v)
			}
		case "namespace":
			t.field = "ns"
		case "age":
			d, err := parseAge(t.values[0])
			if err != nil {
				return term{}, fmt.Errorf("%s: not a duration such as 10m or 2d", word)
			}
			t.age = d
		}
		return t, nil
	}
	if v, ok := strings.CutPrefix(lower, "!"); ok {
		if v == "" {
			return term{}, nil
		}
		return term{values: []string{v}, deny: true}, nil
	}
	if i := strings.IndexAny(lower, "=~<>"); i > 0 && !strings.ContainsAny(lower[:i], ":/@\"'") {
		field := strings.TrimRight(lower[:i], "!")
		return term{}, fmt.Errorf("%q is none of %s; a label: -l %s=value", field, strings.Join(fieldNames, ", "), field)
	}
	return term{values: []string{lower}}, nil
}

// fieldNames are the fields of filterFields that are proposed.
var fieldNames = []string{"status", "kind", "ns", "name", "reason", "message", "age"}

// unknownStatus returns the first value that is no prefix of a status: a filter
// that cannot match anything looks like a set without problems.
func unknownStatus(t *term) string {
	if t.op != "=" {
		return ""
	}
	for _, v := range t.values {
		word := plainStatus(v)
		if !slices.ContainsFunc(status.Statuses, func(s status.Status) bool { return strings.HasPrefix(strings.ToLower(string(s)), word) }) {
			return v
		}
	}
	return ""
}

// plainStatus normalises a status, such as in-progress, to one word.
func plainStatus(v string) string { return strings.NewReplacer("-", "", "_", "").Replace(v) }

// parseAge is time.ParseDuration with days.
func parseAge(s string) (time.Duration, error) {
	if v, ok := strings.CutSuffix(s, "d"); ok {
		d, err := time.ParseDuration(v + "h")
		return d * 24, err
	}
	return time.ParseDuration(s)
}

func (f *filter) matches(w *world.World, n *world.Node) bool {
	for i := range f.terms {
		if f.terms[i].holds(w, n) == f.terms[i].deny {
			return false
		}
	}
	return true
}

func (t *term) holds(w *world.World, n *world.Node) bool {
	for _, v := range t.values {
		if t.holdsFor(w, n, v) {
			return true
		}
	}
	return false
}

func (t *term) holdsFor(w *world.World, n *world.Node, v string) bool {
	switch t.field {
	case "":
		if contains(n.ID.Kind, v) || contains(n.ID.Name, v) || contains(n.Assess.Reason, v) || initials(strings.ToLower(n.ID.Name), v) {
			return true
		}
		return strings.Contains(v, "/") && contains(n.ID.String(), v)
	case "status":
		return t.text(string(n.Assess.Status), plainStatus(v), true)
	case "kind":
		return t.text(n.ID.Kind, v, false) || t.op == "=" && (strings.EqualFold(strings.TrimSuffix(v, "s"), n.ID.Kind) || v == world.ShortKind(n.ID.Kind))
	case "ns":
		return t.text(n.ID.Namespace, v, false)
	case "name":
		return t.text(n.ID.Name, v, false)
	case "reason":
		return t.text(n.Assess.Reason, v, false) || t.text(n.Lead.Reason, v, false)
	case "message":
		return t.text(n.Assess.Message, v, false)
	case "age":
		if n.Object == nil || n.Object.Created.IsZero() {
			return false
		}
		age := w.Now.Sub(n.Object.Created)
		switch t.op {
		case "<":
			return age < t.age
		case "<=", "=":
			return age <= t.age
		case ">":
			return age > t.age
		}
		return age >= t.age
	case "label":
		if n.Object == nil {
			return false
		}
		key, want, valued := strings.Cut(v, "=")
		for _, l := range n.Object.Labels {
			if strings.EqualFold(l.Key, key) && (!valued || strings.EqualFold(l.Value, want)) {
				return true
			}
		}
	}
	return false
}

func (t *term) text(have, want string, prefix bool) bool {
	if t.op == "~" {
		return contains(have, want)
	}
	if prefix && len(want) >= 2 && len(have) >= len(want) {
		return strings.EqualFold(have[:len(want)], want)
	}
	return strings.EqualFold(have, want)
}

// initials reports whether want consists of prefixes of the parts of name, in
// order.
func initials(name, want string) bool {
	if want == "" {
		return true
	}
	for name != "" {
		part, rest, _ := strings.Cut(name, "-")
		for n := min(commonPrefix(part, want), len(want)); n > 0; n-- {
			if initials(rest, want[n:]) {
				return true
			}
		}
		name = rest
	}
	return false
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// contains is strings.Contains, ignoring case; lowerPart is in lower case.
func contains(have, lowerPart string) bool {
	upper := false
	for i := range len(have) {
		if have[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(have), lowerPart)
		}
		upper = upper || 'A' <= have[i] && have[i] <= 'Z'
	}
	if !upper {
		return strings.Contains(have, lowerPart)
	}
	for i := 0; i+len(lowerPart) <= len(have); i++ { // without a copy: it is called for thousands of rows
		n := 0
		for n < len(lowerPart) && lower(have[i+n]) == lowerPart[n] {
			n++
		}
		if n == len(lowerPart) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
