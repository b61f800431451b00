package registry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// parse reads the registry's text; the package comment is its grammar.
func parse(text string) ([]*Row, error) {
	var rows []*Row
	var r *Row
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		fail := func(problem string) error { return fmt.Errorf("line %d: %s: %s", number, problem, line) }
		if word == "kind" {
			group, kinds, ok := strings.Cut(rest, " ")
			if !ok {
				return nil, fail("no kinds")
			}
			r = &Row{Group: group, Kinds: strings.Fields(kinds), Senses: map[string]Sense{}, Ignored: map[string]bool{}}
			rows = append(rows, r)
			continue
		}
		if r == nil {
			return nil, fail("before the first kind")
		}
		switch word {
		case "source":
			r.Source = rest
		case "read":
			r.Read = rest
		case "root":
			r.Root = rest
		case "data":
			r.Data = true
		case "ignore":
			for typ := range strings.FieldsSeq(rest) {
				r.Ignored[typ] = true
			}
		case "sense":
			for f := range strings.FieldsSeq(rest) {
				typ, name, _ := strings.Cut(f, "=")
				k := slices.Index(senseNames[:], name)
				if k < 0 {
					return nil, fail("unknown sense")
				}
				r.Senses[typ] = Sense(k)
			}
		default:
			cl := Clause{Outcome: Outcome(word), Text: rest}
			if !slices.Contains(outcomes[:], cl.Outcome) {
				return nil, fail("unknown word")
			}
			fields, err := quotedFields(rest)
			if err != nil {
				return nil, fail(err.Error())
			}
			for _, f := range fields {
				a, err := parseAtom(f)
				if err != nil {
					return nil, fail(err.Error())
				}
				if a.where = pathText(a.path); a.cond != "" {
					a.where += ".conditions"
				}
				cl.tests = append(cl.tests, a)
				cl.Paths = append(cl.Paths, a.paths()...)
			}
			r.Clauses = append(r.Clauses, cl)
		}
	}
	for _, r := range rows {
		if r.Source == "" {
			return nil, fmt.Errorf("%s has no source", r.ID())
		}
	}
	return rows, nil
}

// quotedFields splits at blanks outside double quotes, which it takes away.
func quotedFields(s string) ([]string, error) {
	var fields []string
	var b strings.Builder
	quoted := false
	for _, ch := range s {
		switch {
		case ch == '"':
			quoted = !quoted
		case ch == ' ' && !quoted:
			if b.Len() > 0 {
				fields = append(fields, b.String())
				b.Reset()
			}
		default:
			b.WriteRune(ch)
		}
	}
	if quoted {
		return nil, fmt.Errorf("quote without end")
	}
	if b.Len() > 0 {
		fields = append(fields, b.String())
	}
	return fields, nil
}

// parseAtom reads one test.
func parseAtom(text string) (atom, error) {
	a := atom{text: text}
	s, not := strings.CutPrefix(text, "!")
	a.not = not
	if key, ok := strings.CutPrefix(s, "label:"); ok {
		return a, a.parseValue(key, func(name string) { a.label = name })
	}
	if key, ok := strings.CutPrefix(s, "annotation:"); ok {
		return a, a.parseValue(key, func(name string) { a.annotation = name })
	}
	if i := strings.IndexByte(s, '@'); i >= 0 {
		if i > 0 {
			a.path = parsePath(s[:i])
		}
		s = s[i+1:]
		if open := strings.IndexByte(s, '('); open >= 0 && strings.HasSuffix(s, ")") {
			a.reasons = strings.Split(s[open+1:len(s)-1], "|")
			s = s[:open]
		}
		return a, a.parseValue(s, func(name string) { a.cond = name })
	}
	if !strings.HasPrefix(s, ".") {
		return a, fmt.Errorf("%q is not a .path, an @Condition, a label:KEY or an annotation:KEY", text)
	}
	if i := strings.IndexAny(s, "<>"); i >= 0 {
		a.path, a.op = parsePath(s[:i]), s[i:i+1]
		right := s[i+1:]
		right, def, hasDef := strings.Cut(right, "?")
		if hasDef {
			n, err := strconv.ParseInt(def, 10, 64)
			if err != nil {
				return a, err
			}
			a.def = n
		}
		if strings.HasPrefix(right, ".") {
			a.numberPath = parsePath(right)
			return a, nil
		}
		n, err := strconv.ParseInt(right, 10, 64)
		a.number = n
		return a, err
	}
	return a, a.parseValue(s, func(name string) { a.path = parsePath(name) })
}

func (a *atom) parseValue(s string, name func(string)) error {
	i := strings.IndexByte(s, '=')
	if i < 0 {
		name(s)
		return nil
	}
	a.op = "="
	a.values = strings.Split(s[i+1:], "|")
	if i > 0 && s[i-1] == '!' {
		a.op = "!="
		i--
	}
	name(s[:i])
	if a.path != nil && a.cond == "" && strings.HasPrefix(a.values[0], ".") {
		a.numberPath = parsePath(a.values[0])
	}
	return nil
}

// parsePath reads ".status.racks[].members".
func parsePath(s string) []string {
	s = strings.TrimPrefix(s, ".")
	return strings.Split(strings.ReplaceAll(s, "[]", ".[]"), ".")
}
