package inventory

import (
	"bytes"
	"unicode/utf8"
)

// Reading a document quickly.
//
// What is wanted of a manifest is its name. A YAML library makes tokens, nodes,
// maps and then JSON of all of it first: 25 µs of CPU for the smallest document
// and 240 µs for a usual Deployment, which for 3,000 objects was most of what
// happened before the first request. The quick reader goes through the text once,
// keeps what [manifest] has, and takes 1 and 10 µs
// (BenchmarkAManifestOf3000Documents has both readers).
//
// It is no YAML parser. It knows the part of YAML that manifests are written in,
// and for each construct of that part what the library does with it
// (go.yaml.in/yaml/v2 v2.4, below sigs.k8s.io/yaml; its scanner is libyaml's).
// Of a document it says either "the library accepts this, and this is what it
// finds", or nothing, and then the library reads the document, and it is the
// library that complains. So it has no errors, and may give up wherever it likes;
// what it may never do is to accept what the library refuses, or to find something
// else. What is skipped over is checked as closely as what is kept.
// FuzzManifestReadQuickly compares the two.
//
// It gives up on: anchors, aliases, tags, merge keys, directives, explicit keys
// ("? "), tabs outside of scalars, CR, NEL and the like, byte order marks, what is
// not UTF-8 or not printable, a scalar or a flow collection on the line below its
// key, empty entries of lists, indentation indicators, nesting deeper than
// quickDepth, infinity, and keys that are numbers or null. In a field that is
// wanted also on escapes, on more than one line, on whatever might be a number, a
// boolean or null, on a field that stands there twice, and on one that
// encoding/json takes for it (Kind, NAME).
//
// quick.go has the block style, quick_flow.go the flow style, quick_scalars.go
// scalars and what they mean, quick_fields.go what is kept.

const (
	quickDepth = 64 // of collections within collections
	// quickKey is how long a key may be, in bytes. The library looks for its colon
	// within 1,024 characters.
	quickKey = 1000

	localConfig = "config.kubernetes.io/local-config"
)

type quick struct {
	text  []byte
	at    int // the byte that is next
	line  int // where its line begins
	col   int // at-line for a token that next has found; -1 at the end
	depth int
	// labels says that somebody asks for them; they are checked in any case.
	labels bool
	words  map[string]string // what is the same in many documents
}

// quickly reads a document, if it is one that can be read quickly. labels says
// whether they are wanted; of the annotations it keeps the one that is asked for.
// words is used from document to document.
func quickly(text []byte, labels bool, words map[string]string) (manifest, bool) {
	var o manifest
	if !printable(text) {
		return o, false
	}
	q := quick{text: text, labels: labels, words: words}
	if !q.next() || q.col < 0 || !q.mapping(into{role: anObject, of: &o}, q.col) || q.col >= 0 {
		return manifest{}, false
	}
	return o, true
}

// printable says whether a text has nothing in it that the library's reader
// refuses, or takes for a line break that is not "\n".
func printable(text []byte) bool {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1, r < 0xa0, r == '\u2028', r == '\u2029', r == '\ufeff', r == '\ufffe', r == '\uffff':
			return false
		}
		i += size
	}
	return true
}

// next goes to the first token from the beginning of a line on.
func (q *quick) next() bool {
	for at := q.at; ; {
		line := at
		for at < len(q.text) && q.text[at] == ' ' {
			at++
		}
		if at == len(q.text) {
			q.at, q.col = at, -1
			return true
		}
		switch q.text[at] {
		case '\n':
			at++
		case '#':
			at = q.below(at)
		case '\t':
			return false
		default:
			q.at, q.line, q.col = at, line, at-line
			return true
		}
	}
}

// below is where the line after the one of a byte begins.
func (q *quick) below(at int) int {
	if i := bytes.IndexByte(q.text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(q.text)
}

// is says whether a byte of the text is c; there is none behind its end.
func (q *quick) is(at int, c byte) bool { return at < len(q.text) && q.text[at] == c }

// blank says whether a byte ends a word.
func (q *quick) blank(at int) bool {
	return at >= len(q.text) || q.text[at] == ' ' || q.text[at] == '\n'
}

// ended says whether nothing follows on the line, and goes to the next token.
func (q *quick) ended() bool {
	at := q.at
	for q.is(at, ' ') {
		at++
	}
	if at < len(q.text) && q.text[at] != '\n' && (q.text[at] != '#' || at == q.at) {
		return false
	}
	q.at = q.below(at)
	return q.next()
}

// spaces goes over what separates two words.
func (q *quick) spaces() {
	for q.is(q.at, ' ') {
		q.at++
	}
}

// entry says whether an entry of a list is next: a dash and a space.
func (q *quick) entry() bool { return q.text[q.at] == '-' && q.is(q.at+1, ' ') }

// mapping reads a mapping in block style whose first key is next, in a column.
// Behind it comes a token to the left of it, or the end.
func (q *quick) mapping(to into, col int) bool {
	if q.depth++; q.depth > quickDepth {
		return false
	}
	var seen fields
	for {
		key, ok := q.key(to.role)
		if !ok {
			return false
		}
		value, ok := to.field(key, &seen)
		if !ok || !q.value(value, col) || q.col > col {
			return false
		}
		if q.col < col {
			q.depth--
			return true
		}
	}
}

// key reads a key of a mapping in block style, and its colon.
func (q *quick) key(of role) ([]byte, bool) {
	n, key := 0, []byte(nil)
	t := q.text[q.at:]
	switch c := t[0]; {
	case c == '"' || c == '\'':
		n = bytes.IndexByte(t[1:], c) + 2
		if n < 2 || bytes.ContainsAny(t[:n], "\\\n\t") || !q.is(q.at+n, ':') {
			return nil, false
		}
		key = t[1 : n-1]
	case c == '-' && len(t) > 1 && starts[t[1]], starts[c] && (c != '.' || q.col > 0): // "..." ends a document
		for ; t[n] != ':' || !q.blank(q.at+n+1); n++ {
			if n+1 == len(t) || t[n] == '\n' || t[n] == '\t' || t[n] == ' ' && (t[n+1] == '#' || t[n+1] == ':') {
				return nil, false
			}
		}
		if key = t[:n]; !canBeKey(key, of) {
			return nil, false
		}
	default:
		return nil, false
	}
	if n > quickKey || !q.blank(q.at+n+1) {
		return nil, false
	}
	q.at += n + 1
	return key, true
}

// value reads what follows the colon of a key, in a mapping in block style at a
// column.
func (q *quick) value(to into, col int) bool {
	q.spaces()
	if q.at < len(q.text) && q.text[q.at] != '\n' && q.text[q.at] != '#' {
		return q.node(to, col)
	}
	q.at = q.below(q.at)
	switch {
	case !q.next():
		return false
	case q.col >= col && q.entry(): // also at the key's own column
		return q.sequence(to, col)
	case q.col > col:
		return to.role.nests() && q.mapping(to, q.col)
	}
	return q.give(to, nil, isNull)
}

// node reads a value that begins on the line of its key, or dash. The parent's
// column decides how far a scalar goes.
func (q *quick) node(to into, parent int) bool {
	switch c := q.text[q.at]; c {
	case '|', '>':
		return to.role == skipped && q.block(parent)
	case '{', '[':
		return q.flow(to) && q.ended()
	case '"', '\'':
		s, plain, ok := q.quoted()
		return ok && (plain || to.role == skipped) && q.give(to, s, isText) && q.ended()
	}
	return q.plain(to, parent)
}

// sequence reads a list in block style. Its dashes may stand in the column of
// the key that it is the value of.
func (q *quick) sequence(to into, parent int) bool {
	if q.depth++; q.depth > quickDepth || to.role != skipped && to.role != someItems {
		return false
	}
	col := q.col
	for {
		q.at++
		q.spaces()
		if q.at == len(q.text) || q.text[q.at] == '\n' || q.text[q.at] == '#' || !q.element(to, col) || q.col > col {
			return false
		}
		if q.col < col || !q.entry() {
			q.depth--
			return q.col < col || col == parent
		}
	}
}

// element reads what follows a dash in a column.
func (q *quick) element(to into, col int) bool {
	begin := q.at
	q.col = begin - q.line
	if to.role == someItems {
		o := manifest{}
		if !q.mapping(into{role: anObject, of: &o}, q.col) {
			return false
		}
		*to.of.read = append(*to.of.read, o)
		return true
	}
	if q.entry() {
		return q.sequence(to, -1)
	}
	if _, ok := q.key(to.role); ok {
		q.at = begin
		return q.mapping(to, q.col)
	}
	return q.node(to, col)
}
