package status

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// registryText is the curated registry of custom kinds; its head explains how
// a row is written.
//
//go:embed registry.txt
var registryText string

// row is what the registry knows of one or several kinds of a group.
type row struct {
	group   string   // "*.crossplane.io" stands for crossplane.io and every group below
	kinds   []string // ["*"] for every kind
	source  string
	root    string                   // the condition that must be there and sums the others up
	senses  map[string]conditionKind // what condition types mean
	ignored map[string]bool          // condition types that do not count
	data    bool                     // objects carry no status
	clauses []clause
}

// clause gives an outcome where all its atoms hold.
type clause struct {
	outcome string
	atoms   []atom
	text    string
	rule    string
	paths   []string // what all the atoms read
}

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
	values     []string // alternatives, lower-case globs, or ~class
	reasons    []string // of a condition
	number     int64    // the right side of a comparison
	numberPath []string // what the right side is read from, where it is a path
	def        int64    // of the path on the right
}

var registry = sync.OnceValue(func() *rowIndex {
	rows, err := parseRegistry(registryText)
	if err != nil {
		panic("status: registry.txt: " + err.Error())
	}
	return indexRows(rows)
})

type rowIndex struct {
	rows   []*row
	kinds  map[[2]string]*row // group and kind
	groups map[string]*row
	suffix []*row
}

func indexRows(rows []*row) *rowIndex {
	x := &rowIndex{rows: rows, kinds: map[[2]string]*row{}, groups: map[string]*row{}}
	for _, r := range rows {
		switch {
		case strings.HasPrefix(r.group, "*"):
			x.suffix = append(x.suffix, r)
		case r.kinds[0] == "*":
			x.groups[r.group] = r
		default:
			for _, k := range r.kinds {
				x.kinds[[2]string{r.group, k}] = r
			}
		}
	}
	return x
}

// rowFor returns the row for a kind: its own before its group's before that
// of a family of groups. Nil when there is none.
func rowFor(group, kind string) *row {
	x := registry()
	if r := x.kinds[[2]string{group, kind}]; r != nil {
		return r
	}
	if r := x.groups[group]; r != nil {
		return r
	}
	for _, r := range x.suffix {
		if (group == r.group[2:] || strings.HasSuffix(group, r.group[1:])) && (r.kinds[0] == "*" || slices.Contains(r.kinds, kind)) {
			return r
		}
	}
	return nil
}

func (r *row) id() string {
	return "registry:" + r.group + "/" + strings.Join(r.kinds, ",")
}

func (r *row) ignores(typ string) bool { return r != nil && r.ignored[typ] }

// outcomes of clauses, and what the documentation says of them.
var outcomes = map[string]string{
	"failed":      "Failed, once it has lasted the grace",
	"terminal":    "Failed at once, and for good",
	"progress":    "InProgress",
	"paused":      "InProgress, paused",
	"idle":        "Current; suspended, with nothing left to do",
	"current":     "Current",
	"unknown":     "Unknown",
	"silent":      "no status yet: InProgress, after a while Unknown",
	"conventions": "left to the conventions",
}

// judge applies the clauses in order; false when none applies.
func (r *row) judge(c *custom) (signal, bool) {
	if r.data && len(c.o.Conditions) == 0 && empty(c.o.Tree["status"]) {
		return signal{status: Current, rule: ruleID(c.o.Group, c.o.Kind, "data"), message: "Objects of this kind carry no status"}, true
	}
	for i := range r.clauses {
		cl := &r.clauses[i]
		sig := signal{}
		if !cl.holds(c, &sig) {
			if c.t.on() {
				c.t.not(c.o.GroupKind()+"."+cl.rule, cl.text)
			}
			continue
		}
		if c.t.on() && cl.text != "" {
			c.t.note(c.o.GroupKind()+"."+cl.rule, cl.text)
		}
		sig.rule, sig.paths = ruleID(c.o.Group, c.o.Kind, cl.rule), slices.Clip(cl.paths)
		switch cl.outcome {
		case "failed":
			sig.status, sig.heals, sig.retrying = Failed, true, c.retrying()
		case "terminal":
			sig.status, sig.terminal = Failed, true
		case "progress":
			sig.status = InProgress
		case "paused":
			sig.status, sig.paused = InProgress, true
		case "idle":
			sig.status, sig.note = Current, "suspended; nothing is left to do"
		case "current":
			sig.status = Current
		case "unknown":
			sig.status = Unknown
		case "silent":
			sig.silent = true
		case "conventions":
			return signal{}, false
		}
		if sig.cond == 0 && sig.status != Current && !sig.silent && c.fieldMessage() == "" {
			c.explained(&sig)
		}
		if sig.message == "" && !sig.silent {
			sig.message = c.fieldMessage()
			switch {
			case sig.message != "":
			case len(cl.atoms) > 0:
				sig.message = strings.Join(cl.texts(), ", ")
			case sig.status == Current:
				sig.message = "Nothing speaks against it"
			default:
				sig.message = "Nothing shows that it is ready"
			}
		}
		return sig, true
	}
	return signal{}, false
}

// explained takes the reason, the text and the date from a condition where the
// clause saw no more than a word and the controller explains itself in its
// conditions: the root's where it is not True, else the first that is bad.
func (c *custom) explained(sig *signal) {
	best := -1
	if i := c.root(); i >= 0 && !isTrue(&c.o.Conditions[i]) && c.o.Conditions[i].Message != "" {
		best = i
	}
	for i := range c.o.Conditions {
		cond := &c.o.Conditions[i]
		kind, _ := c.sense(cond.Type)
		if best < 0 && cond.Message != "" && !c.staleCondition(cond) && !c.row.ignores(cond.Type) &&
			(kind == kindState && isFalse(cond) || kind == kindFault && isTrue(cond)) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	cond := &c.o.Conditions[best]
	sig.message, sig.cond, sig.since = describe(cond), best+1, cond.LastTransitionTime
	if cond.Reason != "" {
		sig.reason = cond.Reason
	}
}

// fieldMessage is what the controller says about the object as a whole.
func (c *custom) fieldMessage() string {
	status, _ := c.o.Tree["status"].(map[string]any)
	return phaseText(status, "")
}

func (cl *clause) texts() []string {
	list := make([]string, len(cl.atoms))
	for i := range cl.atoms {
		list[i] = cl.atoms[i].text
	}
	return list
}

// holds reports whether every atom holds, and writes down what they say.
func (cl *clause) holds(c *custom, sig *signal) bool {
	for i := range cl.atoms {
		if !cl.atoms[i].holds(c, sig) {
			return false
		}
	}
	return true
}

func (a *atom) holds(c *custom, sig *signal) bool {
	ok := a.test(c, sig)
	return ok != a.not
}

// allConditions reports whether the atom asks for conditions of any type.
func (a *atom) allConditions() bool {
	return len(a.path) == 2 && a.path[1] == "conditions" && a.path[0] == "status"
}

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

func (a *atom) test(c *custom, sig *signal) bool {
	switch {
	case a.cond != "" && a.path == nil:
		for i := range c.o.Conditions {
			cond := &c.o.Conditions[i]
			if c.staleCondition(cond) || !a.matchesCondition(cond) {
				continue
			}
			if sig.cond == 0 && !a.not {
				sig.cond, sig.since = i+1, cond.LastTransitionTime
				sig.reason, sig.message = cond.Reason, describe(cond)
			}
			return true
		}
		return false
	case a.cond != "":
		found := false
		visit(c.o.Tree, a.path, func(v any) bool {
			m, ok := v.(map[string]any)
			if !ok {
				return true
			}
			list, _ := m["conditions"].([]any)
			if a.op == "!" {
				has := slices.ContainsFunc(list, func(el any) bool {
					cm, ok := el.(map[string]any)
					return ok && cm["type"] == a.cond
				})
				found = len(list) > 0 && !has
				return !found
			}
			for _, el := range list {
				cm, ok := el.(map[string]any)
				if !ok {
					continue
				}
				cond := conditionOf(cm)
				if c.staleCondition(&cond) || !a.matchesCondition(&cond) {
					continue
				}
				found = true
				if sig.message == "" && !a.not {
					sig.reason, sig.message, sig.since = cond.Reason, describe(&cond), cond.LastTransitionTime
				}
				return false
			}
			return true
		})
		return found
	case a.label != "":
		v, ok := c.o.Label(a.label)
		return a.matchesString(v, ok)
	case a.annotation != "":
		v, ok := c.o.Annotation(a.annotation)
		return a.matchesString(v, ok)
	}
	if a.op == "<" || a.op == ">" {
		return a.compares(c.o.Tree)
	}
	if a.allConditions() {
		return len(c.o.Conditions) > 0
	}
	if a.numberPath != nil {
		return a.differs(c.o.Tree) == (a.op == "!=")
	}
	if a.op == "=" && a.values[0] == "~varies" {
		return varies(c.o.Tree, a.path)
	}
	found := false
	visit(c.o.Tree, a.path, func(v any) bool {
		text, scalar := scalarText(v)
		if a.op == "" {
			found = !empty(v) && v != false
		} else if scalar {
			found = a.matchesString(text, true)
		}
		if found && scalar && sig.reason == "" && sig.cond == 0 && !a.not {
			if _, word := v.(string); word {
				sig.reason = reasonWord(text)
			}
			if sig.message == "" {
				status, _ := c.o.Tree["status"].(map[string]any)
				sig.message = phaseMessage(a.where, text, status)
			}
		}
		return !found
	})
	return found
}

// varies reports whether the elements of a list differ in a field.
func varies(tree map[string]any, path []string) bool {
	first, n, found := "", 0, false
	visit(tree, path, func(v any) bool {
		text, _ := scalarText(v)
		if n++; n == 1 {
			first = text
		}
		found = text != first
		return !found
	})
	return found
}

// differs reports whether the fields at the two paths hold different text, in
// some element where both paths go through the same list.
func (a *atom) differs(tree map[string]any) bool {
	prefix, left, right := 0, a.path, a.numberPath
	if i := slices.Index(a.path, "[]"); i >= 0 && slices.Index(a.numberPath, "[]") == i {
		prefix, left, right = i+1, a.path[i+1:], a.numberPath[i+1:]
	}
	found := false
	visit(tree, a.path[:prefix], func(el any) bool {
		x, _ := scalarText(treeAt(el, left...))
		y, _ := scalarText(treeAt(el, right...))
		found = x != y
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
			left, _ := integer(treeAt(el, a.path[i+1:]...))
			right, ok := integer(treeAt(el, a.numberPath[i+1:]...))
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
			if n, ok := integer(v); ok {
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
		left, _ := integer(v)
		found, there = holds(left, right), true
		return !found
	})
	if !there && !slices.Contains(a.path, "[]") {
		return holds(0, right)
	}
	return found
}

func (a *atom) matchesCondition(cond *Condition) bool {
	if !glob(a.cond, cond.Type) {
		return false
	}
	if a.op == "" {
		return true
	}
	if a.matchAny(a.values, cond.Status) != (a.op == "=") {
		return false
	}
	return len(a.reasons) == 0 || a.matchAny(a.reasons, cond.Reason)
}

func (a *atom) matchesString(v string, ok bool) bool {
	switch a.op {
	case "=":
		return ok && a.matchAny(a.values, v)
	case "!=":
		return ok && !a.matchAny(a.values, v)
	}
	return ok && v != ""
}

func (a *atom) matchAny(values []string, v string) bool {
	for _, want := range values {
		if class, ok := strings.CutPrefix(want, "~"); ok {
			got := classify(v)
			switch class {
			case "bad":
				ok = got == wordBad
			case "wait":
				ok = got == wordProgress || got == wordPending
			case "good":
				ok = got == wordGood
			case "paused":
				ok = got == wordPaused
			}
			if ok {
				return true
			}
			continue
		}
		if glob(want, v) {
			return true
		}
	}
	return false
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

func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}

func pathText(path []string) string {
	return strings.ReplaceAll(strings.Join(path, "."), ".[]", "[]")
}

// parseRegistry reads the registry's text.
func parseRegistry(text string) ([]*row, error) {
	var rows []*row
	var r *row
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
			r = &row{group: group, kinds: strings.Fields(kinds), senses: map[string]conditionKind{}, ignored: map[string]bool{}}
			rows = append(rows, r)
			continue
		}
		if r == nil {
			return nil, fail("before the first kind")
		}
		switch word {
		case "source":
			r.source = rest
		case "root":
			r.root = rest
		case "data":
			r.data = true
		case "ignore":
			for typ := range strings.FieldsSeq(rest) {
				r.ignored[typ] = true
			}
		case "sense":
			for f := range strings.FieldsSeq(rest) {
				typ, sense, ok := cutLast(f, "=")
				k, known := senseNames[sense]
				if !ok || !known {
					return nil, fail("unknown sense")
				}
				r.senses[typ] = k
			}
		default:
			if _, ok := outcomes[word]; !ok {
				return nil, fail("unknown word")
			}
			cl := clause{outcome: word, text: rest, rule: word}
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
				cl.atoms = append(cl.atoms, a)
				cl.paths = append(cl.paths, a.paths()...)
			}
			r.clauses = append(r.clauses, cl)
		}
	}
	for _, r := range rows {
		if r.source == "" {
			return nil, fmt.Errorf("%s has no source", r.id())
		}
	}
	return rows, nil
}

var senseNames = map[string]conditionKind{
	"state": kindState, "info": kindInfo, "fault": kindFault, "soft": kindSoft,
	"activity": kindActivity, "pause": kindPause, "other": kindOther,
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
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

// parseAtom reads one test; see the head of registry.txt.
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
		if typ, ok := strings.CutPrefix(s, "!"); ok {
			a.cond, a.op = typ, "!"
			return a, nil
		}
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
