package logline

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Which object a line is about. Controllers name it in many ways:
//
//	"namespace":"shop","name":"db"       Database="shop/db"        key="shop/db"
//	"Database":{"name":"db","namespace":"shop"}                    [shop/db] message
//	failed to create database "db"       Reconciliation #1(timer) Database(shop/db): message

// Named is the object that lines are looked for of.
type Named struct {
	Group, Kind, Namespace, Name string
	Plural                       string // the resource
}

// About reports whether a line is about an object: it names the object, and no other namespace.
func (c *Complaint) About(o Named) bool {
	if !strings.Contains(c.line, o.Name) {
		return false
	}
	n := name{Named: o, kind: squash(o.Kind), plural: squash(o.Plural), group: squash(o.Group)}
	if o.Namespace != "" && n.elsewhere(c.Fields, c.text) {
		return false
	}
	if n.byKind(c.text) {
		return true
	}
	for _, f := range c.Fields {
		switch f.Key {
		case "controllerkind", "kind", "resourcekind", "involvedobject.kind", "reconcilerkind":
			if kind := squash(f.Value); kind != "" && kind != n.kind && kind != n.plural {
				return false
			}
		}
	}
	return n.byFields(c.Fields) || n.qualified(c.text)
}

type name struct {
	Named
	kind, plural, group string
}

// subjects are the keys of a line's object, whatever its kind.
var subjects = []string{
	"", "name", "object", "resource", "resourcename", "request", "req", "key", "item", "namespacedname", "obj", "cr",
	"crname", "instance", "reconcilerequest", "objectname", "objectkey", "objectref", "resourcekey", "id",
}

// elsewhere reports whether a line names another namespace for its object.
func (n *name) elsewhere(fields []Field, text string) bool {
	other := false
	for _, m := range namespaceNamed().FindAllStringSubmatch(text, -1) {
		if m[1] == n.Namespace {
			return false
		}
		other = true
	}
	for _, f := range fields {
		base, ok := "", f.Key == "namespace" || f.Key == "ns"
		if !ok {
			base, ok = strings.CutSuffix(f.Key, ".namespace")
		}
		if !ok {
			base, ok = strings.CutSuffix(f.Key, "_namespace")
		}
		if ok = ok && f.Value != "" && (n.isKind(base) || slices.Contains(subjects, squash(base))); !ok {
			continue
		}
		if f.Value == n.Namespace {
			return false
		}
		other = true
	}
	return other
}

// namespaceNamed matches a namespace in a sentence.
var namespaceNamed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bnamespace[:=]? ["'\[]?([a-z0-9][a-z0-9-]*)["'\]]?`)
})

// byFields reports whether a field is the object's name.
func (n *name) byFields(fields []Field) bool {
	here := n.Namespace == ""
	for _, f := range fields {
		here = here || f.Value == n.Namespace && (f.Key == "ns" || strings.HasSuffix(squash(f.Key), "namespace"))
	}
	for _, f := range fields {
		base := strings.TrimSuffix(f.Key, ".name")
		kind := n.isKind(base)
		if !kind && !slices.Contains(subjects, squash(base)) {
			continue
		}
		value := f.Value
		if before, rest, ok := strings.Cut(value, "/"); ok && n.isKind(before) {
			value, kind = rest, true
		}
		switch {
		case n.Namespace != "" && value == n.Namespace+"/"+n.Name, n.Namespace == "" && value == "/"+n.Name:
			return true
		case value == n.Name && (kind || here):
			return true
		}
	}
	return false
}

// isKind reports whether a word means the object's kind: "eventSource", "event_sources", "eventBusName".
func (n *name) isKind(word string) bool {
	w := squash(word)
	return w != "" && slices.Contains([]string{n.kind, n.plural, n.kind + "name", n.kind + n.group, n.plural + n.group}, w)
}

// qualified reports whether a text has NAMESPACE/NAME, which is not of another kind.
func (n *name) qualified(text string) bool {
	if n.Namespace == "" {
		return false
	}
	full := n.Namespace + "/" + n.Name
	for i := range occurrences(text, full) {
		kind, ok := strings.CutSuffix(text[:i], "/")
		if !ok {
			kind, ok = strings.CutSuffix(text[:i], "(")
		}
		if word := lastWord(kind); !ok || word == "" || n.isKind(word) {
			return true
		}
	}
	return false
}

// byKind reports whether a text has the object's name behind its kind: database "db", databases.lab.io
// "db", Database(shop/db).
func (n *name) byKind(text string) bool {
	for _, written := range [...]string{n.Name, n.Namespace + "/" + n.Name} {
		for i := range occurrences(text, written) {
			before := text[:i]
			if strings.HasSuffix(before, "/") && !n.isKind(lastWord(strings.TrimSuffix(before, "/"))) {
				continue // of a namespace
			}
			words := strings.FieldsFunc(before[max(0, len(before)-120):], func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r)
			})
			last := ""
			for k := len(words) - 1; k >= 0 && k >= len(words)-7; k-- {
				last = words[k] + last
				if n.isKind(last) {
					return true
				}
			}
		}
	}
	return false
}

// occurrences are the places of a name in a text, where it is no part of a longer one.
func occurrences(text, name string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for from := 0; name != ""; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				return
			}
			i += from
			from = i + 1
			if i > 0 && (isNameByte(text[i-1]) || text[i-1] == '.') {
				continue
			}
			rest := text[i+len(name):]
			if rest != "" && (isNameByte(rest[0]) || rest[0] == '/' || rest[0] == '.' && len(rest) > 1 && isNameByte(rest[1])) {
				continue
			}
			if !yield(i) {
				return
			}
		}
	}
}

func isNameByte(b byte) bool {
	return b == '-' || b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func lastWord(text string) string {
	ends := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' }
	return text[strings.LastIndexFunc(text, ends)+1:]
}

// squash is a word in lower case without what stands between its parts.
func squash(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, word)
}
