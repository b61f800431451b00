package registry

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// readFiles parses the files of rows, in the order of their names. A row stands in
// the file that is named after its group or after a parent domain of it; where
// both have a file, in the more specific one.
func readFiles(files fs.FS) ([]*Row, error) {
	names, err := fs.Glob(files, "groups/*.txt")
	if err != nil {
		return nil, err
	}
	var rows []*Row
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		inFile, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, r := range inFile {
			if want := fileOf(r.Group, names); want != name {
				return nil, fmt.Errorf("%s: the row of %s belongs in %s",
					name, r.ID(), cmp.Or(want, "a file named after its group"))
			}
		}
		rows = append(rows, inFile...)
	}
	return rows, nil
}

// fileOf is the file that the rows of a group stand in, or "".
func fileOf(group string, files []string) string {
	if group == "" {
		group = "core"
	}
	for domain := strings.TrimPrefix(group, "*."); domain != ""; _, domain, _ = strings.Cut(domain, ".") {
		if name := "groups/" + domain + ".txt"; slices.Contains(files, name) {
			return name
		}
	}
	return ""
}

// parse parses the rows of one file; the package comment is the grammar.
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
			r = &Row{
				Group: strings.Trim(group, "-"), Kinds: strings.Fields(kinds),
				Senses: map[string]Sense{}, Ignored: map[string]bool{},
			}
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
		case "lags":
			r.Lags = true
		case "foreign":
			r.Foreign = true
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
			tests, says, _ := strings.Cut(rest, "| ")
			cl := Clause{Outcome: Outcome(word), Text: strings.TrimSpace(tests), Says: says}
			if !slices.Contains(outcomes[:], cl.Outcome) {
				return nil, fail("unknown word")
			}
			fields, err := quotedFields(cl.Text)
			if err != nil {
				return nil, fail(err.Error())
			}
			for _, f := range fields {
				t, err := parseTest(f)
				if err != nil {
					return nil, fail(err.Error())
				}
				cl.tests = append(cl.tests, t)
				cl.Paths = append(cl.Paths, t.paths...)
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

// quotedFields splits at blanks outside double quotes, and removes those.
func quotedFields(s string) ([]string, error) {
	if s != "" && !strings.Contains(s, `"`) { // most have none, and a reader takes 4 KB
		return strings.Split(s, " "), nil
	}
	r := csv.NewReader(strings.NewReader(s))
	r.Comma = ' '
	switch fields, err := r.Read(); err {
	case nil:
		return fields, nil
	case io.EOF: // a clause without tests
		return nil, nil
	default:
		return nil, errors.New("a quote at the wrong place, or without end")
	}
}

// parseTest parses one test.
func parseTest(text string) (test, error) {
	s, not := strings.CutPrefix(text, "!")
	t := test{text: text, not: not}
	for _, prefix := range [...]string{"label:", "annotation:"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			key, v := parseValues(rest)
			label := &labelTest{annotation: prefix == "annotation:", key: key, values: v}
			t.form, t.paths = label, []string{"metadata." + strings.TrimSuffix(prefix, ":") + "s[" + key + "]"}
			if v.op != "" && strings.HasPrefix(v.globs[0].text, ".") {
				label.field = parsePath(v.globs[0].text)
				t.fields, t.paths = [][]string{label.field}, append(t.paths, pathText(label.field))
			}
			return t, nil
		}
	}
	if below, s, ok := strings.Cut(s, "@"); ok {
		c := &conditionTest{}
		t.form, t.paths = c, []string{"status.conditions"}
		if below != "" {
			c.below = parsePath(below)
			t.fields, t.paths = [][]string{c.below}, []string{pathText(c.below) + ".conditions"}
		}
		if head, reasons, ok := strings.Cut(strings.TrimSuffix(s, ")"), "("); ok {
			s, c.reasons.op = head, "="
			if some, not := strings.CutPrefix(reasons, "!"); not {
				reasons, c.reasons.op = some, "!="
			}
			c.reasons.globs = parseGlobs(reasons)
		}
		typ, status := parseValues(s)
		c.typ, c.status = newGlob(typ), status
		return t, nil
	}
	if !strings.HasPrefix(s, ".") {
		return t, fmt.Errorf("%q is not a .path, an @Condition, a label:KEY or an annotation:KEY", text)
	}
	if i := strings.IndexAny(s, "<>"); i >= 0 {
		c, err := parseComparison(parsePath(s[:i]), s[i:i+1], s[i+1:])
		t.compares(c)
		return t, err
	}
	name, v := parseValues(s)
	path := parsePath(name)
	if v.op == "" || !strings.HasPrefix(v.globs[0].text, ".") {
		t.form, t.fields, t.paths = &fieldTest{path: path, name: pathText(path), values: v},
			[][]string{path}, []string{pathText(path)}
		return t, nil
	}
	t.compares(&comparison{op: v.op, left: path, right: parsePath(v.globs[0].text)})
	if strings.Contains(s, "[]") {
		return t, fmt.Errorf("only numbers are compared in lists")
	}
	return t, nil
}

func (t *test) compares(c *comparison) {
	t.form = c
	for _, path := range [][]string{c.left, c.right} {
		if path != nil {
			t.fields, t.paths = append(t.fields, path), append(t.paths, pathText(path))
		}
	}
}

// parseComparison parses the right side of "<" or ">": a number, or a path with
// an optional number after "?".
func parseComparison(left []string, op, right string) (*comparison, error) {
	c := &comparison{op: op, left: left}
	number := right
	if strings.HasPrefix(right, ".") {
		path, def, ok := strings.Cut(right, "?")
		if c.right = parsePath(path); !ok {
			return c, nil
		}
		number = def
	}
	n, err := strconv.ParseInt(number, 10, 64)
	c.number = n
	return c, err
}

// parseValues parses NAME, NAME=A|B or NAME!=A|B.
func parseValues(s string) (name string, v values) {
	name, list, ok := strings.Cut(s, "=")
	if !ok {
		return s, values{}
	}
	v = values{op: "=", globs: parseGlobs(list)}
	if before, not := strings.CutSuffix(name, "!"); not {
		name, v.op = before, "!="
	}
	return name, v
}

// parseGlobs parses A|B.
func parseGlobs(list string) (globs []glob) {
	for text := range strings.SplitSeq(list, "|") {
		globs = append(globs, newGlob(text))
	}
	return globs
}

// parsePath parses ".status.racks[].members".
func parsePath(s string) []string {
	s = strings.TrimPrefix(s, ".")
	return strings.Split(strings.ReplaceAll(s, "[]", ".[]"), ".")
}
