package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// file is a parsed file of rules, before its expressions are checked.
type file struct {
	exprs []exprsEntry
	conds []condsEntry
}

// exprsEntry is one entry of healthCheckExprs.
type exprsEntry struct {
	where            string // "health.yaml: line 2, column 3"
	apiVersion, kind string
	exprs            [len(exprFields)]located // indexed as exprFields
}

// located is a text and its place in the file.
type located struct{ text, where string }

// condsEntry is one entry of conditions.
type condsEntry struct {
	where            string
	apiVersion, kind string
	polarity         []pair
	ready            []string
}

// pair is a key and its value, with the value's place.
type pair struct{ key, value, where string }

// shape reads YAML and collects an error for every value of the wrong type,
// with what is expected and where. It goes on, so that all errors are reported
// at once.
type shape struct {
	name string
	errs []error
}

func (s *shape) at(n *yaml.Node) string {
	return fmt.Sprintf("%s: line %d, column %d", s.name, n.Line, n.Column)
}

func (s *shape) wrong(n *yaml.Node, format string, args ...any) {
	s.errs = append(s.errs, fmt.Errorf("%s: %s", s.at(n), fmt.Sprintf(format, args...)))
}

// what names a value's type.
func what(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!bool":
		return n.Value + " without quotes"
	case "!!null":
		return "nothing"
	case "!!timestamp":
		return "a date"
	}
	return fmt.Sprintf("the text %q", n.Value)
}

// follow resolves an alias.
func follow(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// fields returns the fields of a map, and reports unknown ones.
func (s *shape) fields(n *yaml.Node, owner string, known ...string) map[string]*yaml.Node {
	n = follow(n)
	if n.Kind != yaml.MappingNode {
		if n.Tag != "!!null" {
			s.wrong(n, "%s is %s, not a map with %s", owner, what(n), strings.Join(known, ", "))
		}
		return nil
	}
	m := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], follow(n.Content[i+1])
		switch {
		case !slices.Contains(known, key.Value):
			s.wrong(key, "%s has no %q; it takes %s", owner, key.Value, strings.Join(known, ", "))
		case m[key.Value] != nil:
			s.wrong(key, "%s has %s twice", owner, key.Value)
		default:
			m[key.Value] = value
		}
	}
	return m
}

// items returns the elements of a list.
func (s *shape) items(n *yaml.Node, owner string) []*yaml.Node {
	switch {
	case n == nil || n.Tag == "!!null":
		return nil
	case n.Kind != yaml.SequenceNode:
		s.wrong(n, "%s is %s, not a list", owner, what(n))
		return nil
	}
	return n.Content
}

// text returns a string; "" if there is none.
func (s *shape) text(n *yaml.Node, owner string) string {
	switch {
	case n == nil || n.Tag == "!!null":
		return ""
	case n.Kind != yaml.ScalarNode:
		s.wrong(n, "%s is %s, not a text", owner, what(n))
		return ""
	case n.Tag != "!!str":
		s.wrong(n, "%s is %s, not a text: put it in quotes", owner, what(n))
		return ""
	}
	return n.Value
}

// readFile parses a file of rules.
func readFile(name string, data []byte) (f file, err error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return f, fmt.Errorf("%s: %s", name, strings.TrimPrefix(oneLine(err.Error()), "yaml: "))
	}
	if len(document.Content) == 0 {
		return f, nil
	}
	s := &shape{name: name}
	top := s.fields(document.Content[0], "the file", "healthCheckExprs", "conditions")
	for i, n := range s.items(top["healthCheckExprs"], "healthCheckExprs") {
		owner := fmt.Sprintf("rule %d", i+1)
		m := s.fields(n, owner, "apiVersion", "kind", "current", "inProgress", "failed")
		e := exprsEntry{
			where: s.at(n), apiVersion: s.text(m["apiVersion"], owner+": apiVersion"),
			kind: s.text(m["kind"], owner+": kind"),
		}
		for k, field := range exprFields {
			e.exprs[k].text = s.text(m[field], owner+": "+field)
			if m[field] != nil {
				e.exprs[k].where = s.at(m[field])
			}
		}
		f.exprs = append(f.exprs, e)
	}
	for i, n := range s.items(top["conditions"], "conditions") {
		owner := fmt.Sprintf("conditions %d", i+1)
		m := s.fields(n, owner, "apiVersion", "kind", "polarity", "ready")
		c := condsEntry{
			where: s.at(n), apiVersion: s.text(m["apiVersion"], owner+": apiVersion"),
			kind: s.text(m["kind"], owner+": kind"),
		}
		if p := m["polarity"]; p != nil && p.Kind == yaml.MappingNode {
			for k := 0; k+1 < len(p.Content); k += 2 {
				typ, value := p.Content[k].Value, follow(p.Content[k+1])
				c.polarity = append(c.polarity, pair{typ, s.text(value, owner+": polarity of "+typ), s.at(value)})
			}
		} else if p != nil && p.Tag != "!!null" {
			s.wrong(p, "%s: polarity is %s, not a map from condition types to normal-true, abnormal-true or unknown",
				owner, what(p))
		}
		for k, r := range s.items(m["ready"], owner+": ready") {
			c.ready = append(c.ready, s.text(follow(r), fmt.Sprintf("%s: ready %d", owner, k+1)))
		}
		f.conds = append(f.conds, c)
	}
	return f, errors.Join(s.errs...)
}

// exprFields are the expressions of a rule in evaluation order.
var exprFields = [...]string{"inProgress", "failed", "current"}
