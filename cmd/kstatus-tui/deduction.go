package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// fieldValue is a field that a rule read, with its value; "absent" if the field
// does not exist.
type fieldValue struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// deduction prints the steps of an object's judgement: rejected rules, observed
// values and conclusions, with the rule's id in a column of its own.
func deduction(w io.Writer, l computed) {
	type line struct{ mark, text, rule string }
	var lines []line
	widest := 0
	for _, s := range l.Explain {
		switch {
		case s.Hit:
			text := string(l.Status)
			if l.Reason != "" {
				text += ", " + l.Reason
			}
			lines = append(lines, line{"so", text + ": " + cmp.Or(l.Message, l.Error), s.Rule})
		case s.Asks != "":
			lines = append(lines, line{"no", s.Asks, s.Rule})
		default:
			lines = append(lines, line{"yes", s.Found, s.Rule})
		}
		if n := utf8.RuneCountInString(lines[len(lines)-1].text); n <= 72 {
			widest = max(widest, n)
		}
	}
	for i, line := range lines {
		fmt.Fprintf(w, "    %-3s  %-*s  %s\n", line.mark, widest, line.text, line.rule)
		if line.mark == "no" {
			continue // a rule that did not apply needs no evidence
		}
		for _, v := range l.Explain[i].Read {
			fmt.Fprintf(w, "           %s: %s\n", v.Path, v.Value)
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, "    sure?  %s\n", sureness(l.Confidence))
	}
}

// sureness explains a confidence in a sentence.
func sureness(c status.Confidence) string {
	switch c {
	case status.Exact:
		return "exact: there is a rule for this very kind"
	case status.Registry:
		return "registry: the kind is known, and a curated row says how to read it"
	case status.User:
		return "user: your own rule says so"
	case status.Convention:
		return "convention: the kind is not known; it was read as controllers use to write"
	case status.Assumed:
		return "assumed: nothing that it says is known to mean ready or not"
	}
	return string(c)
}

// read looks up the fields of a step. Fields with more than one value are
// omitted, because they would not fit a line.
func (o *computeOptions) read(obj *object.Object, s status.Step) []fieldValue {
	whole := o.whole[obj]
	if whole == nil {
		return nil
	}
	var list []fieldValue
	for _, path := range s.Paths {
		if value, ok := quote(whole, path); ok {
			list = append(list, fieldValue{path, value})
		}
	}
	return list
}

// quote returns the value at a path such as status.replicas,
// status.conditions[0].reason or status.conditions[Ready]; ok is false if it is
// not a scalar.
func quote(o *object.Object, path string) (value string, ok bool) {
	field, rest, _ := strings.Cut(path, "[")
	if field == "status.conditions" && rest != "" {
		name, after, _ := strings.Cut(rest, "]")
		i, err := strconv.Atoi(name)
		if err != nil {
			return condition(o, name), true
		}
		if i >= len(o.Conditions) {
			return "", false
		}
		x := &o.Conditions[i]
		switch after {
		case ".status":
			return x.Type + " is " + x.Status, true
		case ".reason":
			return x.Reason, x.Reason != ""
		}
		return "", false
	}
	if field == "metadata.annotations" {
		return o.Annotation(strings.TrimSuffix(rest, "]"))
	}
	if rest != "" {
		return "", false
	}
	v, found := o.Get(strings.Split(path, ".")...)
	switch v := v.(type) {
	case string:
		return v, utf8.RuneCountInString(v) <= 100
	case bool, int64, float64:
		return fmt.Sprint(v), true
	case nil:
		if !found {
			return "absent", true
		}
		return "null", true
	}
	return "", false
}

func condition(o *object.Object, typ string) string {
	x := o.Condition(typ)
	switch {
	case x == nil:
		return "absent"
	case x.Reason == "":
		return x.Status
	}
	return x.Status + ", " + x.Reason
}
