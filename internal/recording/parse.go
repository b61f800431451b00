package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A parser reads JSON straight into the shapes of package status: a jump in a
// large recording reads ten thousand objects while somebody waits. It refuses
// what is not JSON, passes over keys that the shape does not have (a later
// version of the same schema may have added them), and cleans every string of
// what could move a cursor.
type parser struct {
	b     []byte
	i     int
	depth int
}

// maxDepth bounds how deep values nest; nothing of Kubernetes comes near.
const maxDepth = 200

var (
	errEnds   = errors.New("it ends in the middle of a value")
	errDepth  = errors.New("it nests too deep")
	errSyntax = errors.New("it is not JSON")
)

// readLine reads a line into what into points at.
func readLine(text []byte, into any) error {
	p := &parser{b: text}
	if err := p.value(reflect.ValueOf(into).Elem()); err != nil {
		return err
	}
	return p.end()
}

// patched is the struct that v points at with the changes of text made, as
// [appendDelta] wrote them. What v points at is not touched.
func patched[T any](v *T, text []byte) (*T, error) {
	out := new(T)
	*out = *v
	p := &parser{b: text}
	if err := p.patch(reflect.ValueOf(out).Elem()); err != nil {
		return nil, err
	}
	return out, p.end()
}

// names are the fields of a struct by their keys, those of embedded ones
// included.
var names sync.Map // reflect.Type → map[string][]int

func namesOf(t reflect.Type) map[string][]int {
	if m, ok := names.Load(t); ok {
		return m.(map[string][]int)
	}
	m := map[string][]int{}
	for _, f := range fieldsOf(t) {
		if !f.inline {
			m[f.name] = []int{f.index}
			continue
		}
		inner := t.Field(f.index).Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		for name, path := range namesOf(inner) {
			m[name] = append([]int{f.index}, path...)
		}
	}
	names.Store(t, m)
	return m
}

func (p *parser) space() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// peek is the next byte that is not space, or 0 at the end.
func (p *parser) peek() byte {
	p.space()
	if p.i >= len(p.b) {
		return 0
	}
	return p.b[p.i]
}

func (p *parser) end() error {
	if p.peek() != 0 {
		return errSyntax
	}
	return nil
}

func (p *parser) word(w string) error {
	if len(p.b)-p.i < len(w) {
		return errEnds
	}
	if string(p.b[p.i:p.i+len(w)]) != w {
		return errSyntax
	}
	p.i += len(w)
	return nil
}

// open takes an opening bracket; more reports whether an element follows, and
// takes the comma or the closing bracket.
func (p *parser) open() error {
	p.i++
	if p.depth++; p.depth > maxDepth {
		return errDepth
	}
	return nil
}

func (p *parser) more(first bool, closing byte) (bool, error) {
	switch c := p.peek(); {
	case c == 0:
		return false, errEnds
	case c == closing:
		p.i++
		p.depth--
		return false, nil
	case first:
		return true, nil
	case c == ',':
		p.i++
		return true, nil
	}
	return false, errSyntax
}

// fields calls f with each key of an object; f reads the value.
func (p *parser) fields(f func(key []byte) error) error {
	if err := p.open(); err != nil {
		return err
	}
	for first := true; ; first = false {
		if more, err := p.more(first, '}'); !more {
			return err
		}
		key, err := p.text()
		if err != nil {
			return err
		}
		if p.peek() != ':' {
			return errSyntax
		}
		p.i++
		if err := f(key); err != nil {
			return err
		}
	}
}

// elements calls f for each element of a list; f reads it.
func (p *parser) elements(f func(i int) error) error {
	if err := p.open(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if more, err := p.more(i == 0, ']'); !more {
			return err
		}
		if err := f(i); err != nil {
			return err
		}
	}
}

// text is the next string, not cleaned. It is valid until the line is gone.
func (p *parser) text() ([]byte, error) {
	switch p.peek() {
	case '"':
	case 0:
		return nil, errEnds
	default:
		return nil, p.mismatch("a string")
	}
	begin := p.i + 1
	for i := begin; i < len(p.b); i++ {
		switch c := p.b[i]; {
		case c == '"':
			p.i = i + 1
			return p.b[begin:i], nil
		case c == '\\':
			return p.escaped(begin)
		case c < 0x20:
			return nil, errSyntax
		}
	}
	return nil, errEnds
}

// escaped is a string with escapes in it.
func (p *parser) escaped(begin int) ([]byte, error) {
	for i := begin; i < len(p.b); i++ {
		switch p.b[i] {
		case '\\':
			i++
		case '"':
			p.i = i + 1
			var s string
			if json.Unmarshal(p.b[begin-1:i+1], &s) != nil {
				return nil, errSyntax
			}
			return []byte(s), nil
		}
	}
	return nil, errEnds
}

// str is the next string, clean; short ones are shared.
func (p *parser) str() (string, error) {
	b, err := p.text()
	if err != nil {
		return "", err
	}
	return cleaned(b), nil
}

func cleaned(b []byte) string {
	for _, c := range b {
		if c < 0x20 || c > 0x7e {
			return clean(string(b))
		}
	}
	if len(b) <= shared {
		return status.Intern(b)
	}
	return string(b)
}

// shared is the longest string that is looked for among those already held.
const shared = 64

func (p *parser) number() (string, error) {
	p.space()
	begin := p.i
	for p.i < len(p.b) && strings.IndexByte("0123456789-+.eE", p.b[p.i]) >= 0 {
		p.i++
	}
	if p.i == begin {
		if p.i >= len(p.b) {
			return "", errEnds
		}
		return "", p.mismatch("a number")
	}
	return string(p.b[begin:p.i]), nil
}

func (p *parser) integer() (int64, error) {
	at := p.i
	text, err := p.number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.i = at
		return 0, p.mismatch("an integer")
	}
	return n, nil
}

// mismatch says what stands where something else was expected.
func (p *parser) mismatch(want string) error {
	p.space()
	got := p.b[p.i:min(len(p.b), p.i+40)]
	if i := bytes.IndexAny(got, ",]}"); i > 0 {
		got = got[:i]
	}
	return fmt.Errorf("%s is not %s", clean(strings.ToValidUTF8(string(got), "")), want)
}

func (p *parser) null() bool {
	return p.peek() == 'n' && p.word("null") == nil
}

// value reads the next value into dst. null leaves it as it is.
func (p *parser) value(dst reflect.Value) error {
	if p.null() {
		return nil
	}
	switch dst.Type() {
	case timeType:
		b, err := p.text()
		if err != nil {
			return err
		}
		t, err := time.Parse(time.RFC3339Nano, string(b))
		if err != nil {
			return fmt.Errorf("%.40q is not a time", b)
		}
		dst.Set(reflect.ValueOf(t.UTC()))
		return nil
	case intType:
		n, err := p.integer()
		if err == nil {
			dst.Set(reflect.ValueOf(status.IntOf(n)))
		}
		return err
	case labelType:
		if p.peek() != '[' {
			return p.mismatch("a pair")
		}
		n := 0
		err := p.elements(func(i int) error {
			if n++; i > 1 {
				return p.mismatch("the end of a pair")
			}
			s, err := p.str()
			dst.Field(i).SetString(s)
			return err
		})
		if err == nil && n != 2 {
			return errors.New("a pair has two parts")
		}
		return err
	case durationType:
		b, err := p.text()
		if err != nil {
			return err
		}
		d, err := time.ParseDuration(string(b))
		if err != nil {
			return fmt.Errorf("%.40q is not a duration", b)
		}
		dst.SetInt(int64(d))
		return nil
	case treeType:
		if p.peek() != '{' {
			return p.mismatch("an object")
		}
		t, err := p.tree()
		if err == nil {
			dst.Set(reflect.ValueOf(t))
		}
		return err
	case rawType:
		p.space()
		begin := p.i
		if err := p.skip(); err != nil {
			return err
		}
		dst.SetBytes(p.b[begin:p.i])
		return nil
	}
	switch dst.Kind() {
	case reflect.Bool:
		switch p.peek() {
		case 't':
			dst.SetBool(true)
			return p.word("true")
		case 'f':
			dst.SetBool(false)
			return p.word("false")
		}
		return p.mismatch("true or false")
	case reflect.String:
		s, err := p.str()
		dst.SetString(s)
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := p.integer()
		if err == nil && dst.OverflowInt(n) {
			err = fmt.Errorf("%d is too large", n)
		}
		if err == nil {
			dst.SetInt(n)
		}
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := p.integer()
		if err == nil && (n < 0 || dst.OverflowUint(uint64(n))) {
			err = fmt.Errorf("%d is out of range", n)
		}
		if err == nil {
			dst.SetUint(uint64(n))
		}
		return err
	case reflect.Pointer:
		v := reflect.New(dst.Type().Elem())
		dst.Set(v)
		return p.value(v.Elem())
	case reflect.Slice:
		return p.list(dst)
	case reflect.Struct:
		if p.peek() != '{' {
			return p.mismatch("an object")
		}
		fields := namesOf(dst.Type())
		ownEmbedded(dst)
		return p.fields(func(key []byte) error {
			path, ok := fields[string(key)]
			if !ok {
				return p.skip()
			}
			if err := p.value(dst.FieldByIndex(path)); err != nil {
				return within(key, err)
			}
			return nil
		})
	}
	panic("recording: cannot read a " + dst.Type().String())
}

// ownEmbedded gives a struct what its embedded pointers point at, as its own.
func ownEmbedded(dst reflect.Value) {
	for _, f := range fieldsOf(dst.Type()) {
		if v := dst.Field(f.index); f.inline && v.Kind() == reflect.Pointer {
			fresh := reflect.New(v.Type().Elem())
			if !v.IsNil() {
				fresh.Elem().Set(v.Elem())
			}
			v.Set(fresh)
		}
	}
}

// within says in which field something is wrong.
func within(key []byte, err error) error { return fmt.Errorf("%.40s: %w", key, err) }

func (p *parser) list(dst reflect.Value) error {
	if p.peek() != '[' {
		return p.mismatch("a list")
	}
	pointers := dst.Type().Elem().Kind() == reflect.Pointer
	list := reflect.MakeSlice(dst.Type(), 0, p.guess())
	zero := reflect.Zero(dst.Type().Elem())
	err := p.elements(func(i int) error {
		if pointers && p.peek() == 'n' {
			return p.mismatch("an object")
		}
		list = reflect.Append(list, zero)
		return p.value(list.Index(i))
	})
	dst.Set(list)
	return err
}

// guess is how many elements the list that begins here is likely to have: it
// keeps short lists, which are most, from growing twice.
func (p *parser) guess() int {
	depth, n := 0, 1
	for _, c := range p.b[p.i:min(len(p.b), p.i+2000)] {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return n
			}
		case ',':
			if depth == 1 {
				n++
			}
		}
	}
	return n
}

// patch reads the changes of a struct, as appendDelta wrote them: null sets to
// zero, and what dst shares with others is replaced, never written to.
func (p *parser) patch(dst reflect.Value) error {
	if p.peek() != '{' {
		return p.mismatch("an object")
	}
	fields := namesOf(dst.Type())
	ownEmbedded(dst)
	return p.fields(func(key []byte) error {
		path, ok := fields[string(key)]
		if !ok {
			return p.skip()
		}
		if err := p.change(dst.FieldByIndex(path)); err != nil {
			return within(key, err)
		}
		return nil
	})
}

func (p *parser) change(dst reflect.Value) error {
	if p.null() {
		dst.SetZero()
		return nil
	}
	switch dst.Type() {
	case timeType, intType, labelType, durationType, treeType, rawType:
		return p.value(dst)
	}
	switch dst.Kind() {
	case reflect.Pointer:
		if dst.IsNil() || dst.Type().Elem().Kind() != reflect.Struct {
			return p.value(dst)
		}
		v := reflect.New(dst.Type().Elem())
		v.Elem().Set(dst.Elem())
		dst.Set(v)
		return p.patch(v.Elem())
	case reflect.Struct:
		return p.patch(dst)
	case reflect.Slice:
		if p.peek() != '{' {
			return p.value(dst)
		}
		if dst.Type().Elem().Kind() != reflect.Struct {
			return p.mismatch("a list")
		}
		list := reflect.MakeSlice(dst.Type(), dst.Len(), dst.Len())
		reflect.Copy(list, dst)
		dst.Set(list)
		return p.fields(func(key []byte) error {
			i, err := strconv.Atoi(string(key))
			if err != nil || i < 0 || i >= list.Len() {
				return fmt.Errorf("there is no element %.20s", key)
			}
			return p.patch(list.Index(i))
		})
	}
	return p.value(dst)
}

// skip passes over the next value.
func (p *parser) skip() error {
	switch p.peek() {
	case 0:
		return errEnds
	case '{':
		return p.fields(func([]byte) error { return p.skip() })
	case '[':
		return p.elements(func(int) error { return p.skip() })
	case '"':
		_, err := p.text()
		return err
	case 't':
		return p.word("true")
	case 'f':
		return p.word("false")
	case 'n':
		return p.word("null")
	}
	_, err := p.number()
	return err
}

// tree reads any value, as Object.Tree has it: an integer stays one.
func (p *parser) tree() (any, error) {
	switch p.peek() {
	case 0:
		return nil, errEnds
	case '{':
		m := map[string]any{}
		err := p.fields(func(key []byte) error {
			k := cleaned(key)
			v, err := p.tree()
			m[k] = v
			return err
		})
		return m, err
	case '[':
		list := []any{}
		err := p.elements(func(int) error {
			v, err := p.tree()
			list = append(list, v)
			return err
		})
		return list, err
	case '"':
		return p.str()
	case 't':
		return true, p.word("true")
	case 'f':
		return false, p.word("false")
	case 'n':
		return nil, p.word("null")
	}
	text, err := p.number()
	if err != nil {
		return nil, err
	}
	if !strings.ContainsAny(text, ".eE") {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("%.40s is not a number", text)
	}
	return f, nil
}
