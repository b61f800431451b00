package status

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// reader walks JSON once, front to back. Whoever walks consumes every value,
// by reading or by skipping it. Skipped values are not checked beyond their
// brackets and quotes; what the API server sends is valid, and whoever reads
// files checks them first. It walks protobuf as if that were JSON.
type reader struct {
	b []byte
	i int
	// proto says that val is read instead of what stands at i.
	proto bool
	val   value
	err   error
	o     *object.Object // receives the flaws
	path  []step         // where the walk stands, for flaws
	buf   []byte         // for strings with escapes
	// verbatim keeps strings as they came.
	verbatim bool
}

// step is one step of a path: a field (key) or a place in a list.
type step struct {
	key []byte
	idx int
}

// place is where a walk may be taken up again.
type place struct {
	i   int
	val value
}

func (r *reader) here() place { return place{r.i, r.val} }

func (r *reader) back(to place) { r.i, r.val = to.i, to.val }

const maxFlaws = 16

var errTruncated = errors.New("the JSON ends too early")

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format+" at byte %d", append(args, r.i)...)
	}
	r.i = len(r.b)
}

// peek skips white space and returns the next byte, 0 at the end.
func (r *reader) peek() byte {
	if r.proto {
		return r.initial()
	}
	for r.i < len(r.b) {
		c := r.b[r.i]
		if c > ' ' {
			return c
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			r.fail("unexpected character %q", c)
			return 0
		}
		r.i++
	}
	if r.err == nil {
		r.err = errTruncated
	}
	return 0
}

// flaw notes that the value where the walk stands is not what it should be.
func (r *reader) flaw(problem string) {
	if r.o != nil && len(r.o.Flaws) < maxFlaws {
		r.o.Flaws = append(r.o.Flaws, object.Flaw{Path: r.at(), Problem: problem})
	}
}

func (r *reader) at() string {
	var b []byte
	for _, s := range r.path {
		if s.key == nil {
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(s.idx), 10)
			b = append(b, ']')
			continue
		}
		if len(b) > 0 {
			b = append(b, '.')
		}
		b = append(b, s.key...)
	}
	return object.Clean(string(b))
}

// wrong skips a value of another type than the wanted one. A null counts as
// absent; anything else is a flaw.
func (r *reader) wrong(want string) {
	what := r.what()
	r.skip()
	if what != "null" && r.err == nil {
		r.flaw("is " + what + ", not " + want)
	}
}

// what names the type of the next value.
func (r *reader) what() string {
	switch c := r.peek(); {
	case c == '{':
		return "an object"
	case c == '[':
		return "a list"
	case c == '"':
		return "a string"
	case c == 't' || c == 'f':
		return "a boolean"
	case c == 'n':
		return "null"
	case c == '-' || c >= '0' && c <= '9':
		return "a number"
	}
	return "nothing"
}

// object calls f with every key; f consumes the value. It reports whether there
// was an object.
func (r *reader) object(f func(key []byte)) bool {
	if r.proto {
		return r.message(f)
	}
	if r.peek() != '{' {
		r.wrong("an object")
		return false
	}
	r.i++
	if r.peek() == '}' {
		r.i++
		return true
	}
	n := len(r.path)
	for r.err == nil {
		if r.peek() != '"' {
			r.fail("expected a field name")
			break
		}
		key := r.key()
		if r.peek() != ':' {
			r.fail("expected a colon")
			break
		}
		r.i++
		r.path = append(r.path[:n], step{key: key})
		f(key)
		c := r.peek()
		r.i++
		if c == '}' {
			break
		}
		if c != ',' {
			r.fail("expected a comma or a closing brace")
		}
	}
	r.path = r.path[:n]
	return r.err == nil
}

// array calls f with every index; f consumes the element.
func (r *reader) array(f func(i int)) bool {
	if r.proto {
		return r.elements(f)
	}
	if r.peek() != '[' {
		r.wrong("a list")
		return false
	}
	r.i++
	if r.peek() == ']' {
		r.i++
		return true
	}
	n := len(r.path)
	for i := 0; r.err == nil; i++ {
		r.path = append(r.path[:n], step{idx: i})
		f(i)
		c := r.peek()
		r.i++
		if c == ']' {
			break
		}
		if c != ',' {
			r.fail("expected a comma or a closing bracket")
		}
	}
	r.path = r.path[:n]
	return r.err == nil
}

// key reads a field name. It stays valid, for it points into the input or, with
// escapes, to a copy.
func (r *reader) key() []byte {
	raw, escaped := r.quoted()
	if escaped {
		return bytes.Clone(r.unescape(raw))
	}
	if raw == nil {
		raw = []byte{} // a nil key marks a list index in a path
	}
	return raw
}

// quoted returns what stands between the quotes, and whether it has escapes.
func (r *reader) quoted() (raw []byte, escaped bool) {
	r.i++
	start := r.i
	for {
		n := bytes.IndexByte(r.b[r.i:], '"')
		if n < 0 {
			r.i = len(r.b)
			if r.err == nil {
				r.err = errTruncated
			}
			return nil, false
		}
		end := r.i + n
		if !escaped {
			escaped = bytes.IndexByte(r.b[r.i:end], '\\') >= 0
		}
		r.i = end + 1
		slashes := 0
		for p := end - 1; p >= start && r.b[p] == '\\'; p-- {
			slashes++
		}
		if slashes%2 == 0 {
			return r.b[start:end], escaped
		}
	}
}

// unescape resolves JSON's escapes into the scratch buffer.
func (r *reader) unescape(raw []byte) []byte {
	out := r.buf[:0]
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c != '\\' || i+1 >= len(raw) {
			out = append(out, c)
			continue
		}
		i++
		switch raw[i] {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			u := hex4(raw, i+1)
			i += 4
			if utf16.IsSurrogate(u) {
				low := rune(-1)
				if i+2 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' {
					low = hex4(raw, i+3)
				}
				if dec := utf16.DecodeRune(u, low); dec != utf8.RuneError {
					u = dec
					i += 6
				} else {
					u = utf8.RuneError
				}
			}
			out = utf8.AppendRune(out, u)
		default:
			out = append(out, raw[i])
		}
	}
	r.buf = out
	return out
}

func hex4(b []byte, at int) rune {
	if at+4 > len(b) {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(b[at:at+4]), 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// bytes reads a string that is only looked at; it is valid until the next read.
func (r *reader) bytes() ([]byte, bool) {
	if r.peek() != '"' {
		r.wrong("a string")
		return nil, false
	}
	if r.proto {
		return r.val.data, true
	}
	raw, escaped := r.quoted()
	if escaped {
		raw = r.unescape(raw)
	}
	return raw, r.err == nil
}

// text reads a string of its own: a message, a name.
func (r *reader) text() string {
	b, _ := r.bytes()
	if len(b) == 0 {
		return ""
	}
	if r.verbatim {
		return string(b)
	}
	return object.Clean(string(b))
}

// word reads a string that other objects probably have too.
func (r *reader) word() string {
	b, _ := r.bytes()
	if r.verbatim {
		return string(b)
	}
	return object.Intern(b)
}

// integer reads an integer. Numbers with a fraction or an exponent are no
// integers, as in Kubernetes's own decoding.
func (r *reader) integer() object.Int {
	if c := r.peek(); c != '-' && (c < '0' || c > '9') {
		r.wrong("an integer")
		return object.Int{}
	}
	if r.proto {
		return object.IntOf(int64(r.val.num))
	}
	v, ok := r.number().(int64)
	if !ok {
		r.flaw("is not an integer")
		return object.Int{}
	}
	return object.IntOf(v)
}

// small reads an integer that fits an int32; others are cut off at its ends.
func (r *reader) small() int32 {
	return int32(min(max(r.integer().V, math.MinInt32), math.MaxInt32))
}

// number reads an int64 or, failing that, a float64.
func (r *reader) number() any {
	start := r.i
	whole := true
	for r.i < len(r.b) {
		switch c := r.b[r.i]; {
		case c >= '0' && c <= '9' || c == '-' || c == '+':
		case c == '.' || c == 'e' || c == 'E':
			whole = false
		default:
			goto done
		}
		r.i++
	}
done:
	raw := r.b[start:r.i]
	if whole {
		if v, ok := parseInt(raw); ok {
			return v
		}
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		r.fail("bad number")
	}
	return f
}

func parseInt(raw []byte) (int64, bool) {
	if len(raw) > 0 && len(raw) < 19 { // cannot overflow
		neg := raw[0] == '-'
		digits := raw
		if neg {
			digits = raw[1:]
		}
		if len(digits) == 0 {
			return 0, false
		}
		var v int64
		for _, c := range digits {
			if c < '0' || c > '9' {
				return 0, false
			}
			v = v*10 + int64(c-'0')
		}
		if neg {
			v = -v
		}
		return v, true
	}
	v, err := strconv.ParseInt(string(raw), 10, 64)
	return v, err == nil
}

func (r *reader) boolean() bool {
	switch c := r.peek(); c {
	case 't', 'f':
		if r.proto {
			return r.val.num != 0
		}
		r.skip()
		return c == 't'
	}
	r.wrong("a boolean")
	return false
}

// when reads an RFC 3339 time. Text that is none becomes the Unix epoch, for
// there was something, and a flaw.
func (r *reader) when() time.Time {
	if r.proto && r.val.field.typ == 't' {
		return r.protoTime()
	}
	b, ok := r.bytes()
	if !ok || len(b) == 0 {
		return time.Time{}
	}
	var t time.Time
	if err := t.UnmarshalText(b); err != nil {
		r.flaw("is not a time")
		return time.Unix(0, 0).UTC()
	}
	if t.IsZero() {
		return time.Unix(0, 0).UTC()
	}
	return t.UTC()
}

// intOrString reads "25%", 1 or 0.5 as it is written.
func (r *reader) intOrString() string {
	if r.proto {
		return r.protoNumberOrWord()
	}
	if c := r.peek(); c == '-' || c >= '0' && c <= '9' {
		start := r.i
		r.number()
		return object.Intern(r.b[start:min(r.i, len(r.b))])
	}
	return r.word()
}

// skip consumes the next value without reading it.
func (r *reader) skip() {
	if r.proto {
		return
	}
	switch c := r.peek(); {
	case c == '"':
		r.quoted()
	case c == '{' || c == '[':
		r.skipNested()
	case c == 't':
		r.literal("true")
	case c == 'f':
		r.literal("false")
	case c == 'n':
		r.literal("null")
	case c == '-' || c >= '0' && c <= '9':
		r.number()
	default:
		r.fail("expected a value")
	}
}

// length consumes the next value and returns its length as it stands in JSON.
func (r *reader) length() int {
	if r.proto {
		return quotedLength(r.val.data)
	}
	r.peek()
	from := r.i
	r.skip()
	return r.i - from
}

func (r *reader) literal(word string) {
	if !bytes.HasPrefix(r.b[r.i:], []byte(word)) {
		r.fail("expected %s", word)
		return
	}
	r.i += len(word)
}

// maxNesting is deeper than any object that Kubernetes stores.
const maxNesting = 500

// skipNested counts brackets, so that no depth of nesting costs more than its
// bytes.
func (r *reader) skipNested() {
	depth := 0
	deepest := 0
	defer func() {
		if deepest > maxNesting {
			r.flaw("is nested deeper than any object that Kubernetes stores")
		}
	}()
	for r.i < len(r.b) {
		switch r.b[r.i] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
			if depth == 0 {
				r.i++
				return
			}
		case '"':
			r.quoted()
			continue
		}
		r.i++
	}
	if r.err == nil {
		r.err = errTruncated
	}
}
