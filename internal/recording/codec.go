package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The codec follows the shapes of package status by reflection, so that a
// field added there is recorded without a word here. Zero values are left out.
// A key is the field's JSON name, or its Go name in lower camel case where it
// has none (or has "-": what the JSON output hides, a replay needs).
//
// An Int is a number and absent when unset, a Label a pair, a time RFC 3339,
// a Duration Go's notation. In a Tree a float keeps its decimal point, so that
// 1.0 does not come back as an integer.

type field struct {
	name  string
	index int
	// inline: an embedded struct, whose fields stand among the outer ones.
	inline bool
}

var plans sync.Map // reflect.Type → []field

func fieldsOf(t reflect.Type) []field {
	if p, ok := plans.Load(t); ok {
		return p.([]field)
	}
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			name = lowerCamel(f.Name)
		}
		out = append(out, field{name: name, index: i, inline: f.Anonymous})
	}
	plans.Store(t, out)
	return out
}

// lowerCamel lowers the leading capitals: UID → uid, HasSelector → hasSelector,
// QOSClass → qosClass.
func lowerCamel(s string) string {
	n := 0
	for n < len(s) && 'A' <= s[n] && s[n] <= 'Z' {
		n++
	}
	if n > 1 && n < len(s) && 'a' <= s[n] && s[n] <= 'z' && s[n:] != "s" {
		n--
	}
	return strings.ToLower(s[:n]) + s[n:]
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	intType      = reflect.TypeFor[status.Int]()
	labelType    = reflect.TypeFor[status.Label]()
	durationType = reflect.TypeFor[status.Duration]()
	treeType     = reflect.TypeFor[map[string]any]()
)

// omitted says whether a value says nothing. A pointer or a tree that is there
// says something even when it is empty.
func omitted(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map:
		return v.IsNil()
	case reflect.Slice:
		return v.Len() == 0
	}
	return v.IsZero()
}

// appendValue appends v as JSON. A kind that it does not know is a mistake in
// this program, found by the test that fills every field.
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Type() {
	case timeType:
		return appendTime(b, v.Interface().(time.Time))
	case intType:
		return strconv.AppendInt(b, v.Field(0).Int(), 10)
	case labelType:
		b = appendString(append(b, '['), v.Field(0).String())
		return append(appendString(append(b, ','), v.Field(1).String()), ']')
	case durationType:
		return appendString(b, time.Duration(v.Int()).String())
	case treeType:
		return appendTree(b, v.Interface())
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.String:
		return appendString(b, v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10)
	case reflect.Pointer:
		return appendValue(b, v.Elem())
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, v.Index(i))
		}
		return append(b, ']')
	case reflect.Struct:
		b = append(b, '{')
		b = appendFields(b, v)
		return append(b, '}')
	}
	panic("recording: cannot write a " + v.Type().String())
}

// appendFields appends the fields of a struct without braces, so that an
// embedded one joins its outer one.
func appendFields(b []byte, v reflect.Value) []byte {
	for _, f := range fieldsOf(v.Type()) {
		fv := v.Field(f.index)
		if f.inline {
			b = appendFields(b, fv)
			continue
		}
		if omitted(fv) {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), f.name...), '"', ':')
		b = appendValue(b, fv)
	}
	return b
}

func appendTime(b []byte, t time.Time) []byte {
	b = append(b, '"')
	return append(t.UTC().AppendFormat(b, time.RFC3339Nano), '"')
}

func appendString(b []byte, s string) []byte {
	plain := true
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return append(append(append(b, '"'), s...), '"')
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string is always encoded
	return append(b, bytes.TrimRight(buf.Bytes(), "\n")...)
}

func appendTree(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendTree(append(appendString(b, k), ':'), v[k])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendTree(b, e)
		}
		return append(b, ']')
	case string:
		return appendString(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(b, "null"...) // JSON has none
		}
		n := len(b)
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
		if !bytes.ContainsAny(b[n:], ".e") {
			b = append(b, ".0"...)
		}
		return b
	}
	return append(b, "null"...)
}

// decode reads one JSON value without losing the difference between integers
// and floats.
func decode(line []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}

// assign puts a decoded value into dst. Fields that dst does not have are
// passed over: a later version of the same schema may have added them. Strings
// lose what could move a cursor.
func assign(dst reflect.Value, src any) error {
	if src == nil {
		return nil
	}
	switch dst.Type() {
	case timeType:
		s, ok := src.(string)
		if !ok {
			return mismatch(src, "a time")
		}
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return mismatch(src, "a time")
		}
		dst.Set(reflect.ValueOf(t.UTC()))
		return nil
	case intType:
		n, err := integer(src)
		dst.Set(reflect.ValueOf(status.IntOf(n)))
		return err
	case labelType:
		pair, ok := src.([]any)
		if !ok || len(pair) != 2 {
			return mismatch(src, "a pair")
		}
		if err := assign(dst.Field(0), pair[0]); err != nil {
			return err
		}
		return assign(dst.Field(1), pair[1])
	case durationType:
		s, ok := src.(string)
		d, err := time.ParseDuration(s)
		if !ok || err != nil {
			return mismatch(src, "a duration")
		}
		dst.SetInt(int64(d))
		return nil
	case treeType:
		m, ok := src.(map[string]any)
		if !ok {
			return mismatch(src, "an object")
		}
		dst.Set(reflect.ValueOf(tree(m)))
		return nil
	}
	switch dst.Kind() {
	case reflect.Bool:
		v, ok := src.(bool)
		if !ok {
			return mismatch(src, "true or false")
		}
		dst.SetBool(v)
	case reflect.String:
		s, ok := src.(string)
		if !ok {
			return mismatch(src, "a string")
		}
		dst.SetString(clean(s))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := integer(src)
		if err != nil || dst.OverflowInt(n) {
			return mismatch(src, "a small enough integer")
		}
		dst.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := integer(src)
		if err != nil || n < 0 || dst.OverflowUint(uint64(n)) {
			return mismatch(src, "a small enough number")
		}
		dst.SetUint(uint64(n))
	case reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		return assign(dst.Elem(), src)
	case reflect.Slice:
		list, ok := src.([]any)
		if !ok {
			return mismatch(src, "a list")
		}
		dst.Set(reflect.MakeSlice(dst.Type(), len(list), len(list)))
		for i, e := range list {
			if e == nil && dst.Type().Elem().Kind() == reflect.Pointer {
				return mismatch(src, "an object")
			}
			if err := assign(dst.Index(i), e); err != nil {
				return err
			}
		}
	case reflect.Struct:
		m, ok := src.(map[string]any)
		if !ok {
			return mismatch(src, "an object")
		}
		return assignFields(dst, m)
	default:
		panic("recording: cannot read a " + dst.Type().String())
	}
	return nil
}

func assignFields(dst reflect.Value, m map[string]any) error {
	for _, f := range fieldsOf(dst.Type()) {
		if f.inline {
			if err := assignFields(dst.Field(f.index), m); err != nil {
				return err
			}
			continue
		}
		if v, ok := m[f.name]; ok {
			if err := assign(dst.Field(f.index), v); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	return nil
}

func mismatch(src any, want string) error {
	got := fmt.Sprintf("%v", src)
	if len(got) > 40 {
		got = got[:40] + "…"
	}
	return fmt.Errorf("%q is not %s", got, want)
}

func integer(src any) (int64, error) {
	if n, ok := src.(json.Number); ok {
		if i, err := n.Int64(); err == nil {
			return i, nil
		}
	}
	return 0, mismatch(src, "an integer")
}

// tree turns decoded JSON into the values that Object.Tree has.
func tree(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			t := tree(e)
			if c := clean(k); c != k {
				delete(v, k)
				k = c
			}
			v[k] = t
		}
		return v
	case []any:
		for i, e := range v {
			v[i] = tree(e)
		}
		return v
	case string:
		return clean(v)
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			if i, err := v.Int64(); err == nil {
				return i
			}
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

// clean removes what could move the cursor or turn the writing direction: a
// file may come from anywhere. Line breaks and tabs stay; they stand in YAML
// and in logs, and were cleaned elsewhere by whoever recorded them.
func clean(s string) string {
	fine := true
	for i := range len(s) {
		if c := s[i]; (c < 0x20 && c != '\n' && c != '\t') || c >= 0x7f {
			fine = false
			break
		}
	}
	if fine {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), r == utf8.RuneError,
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029:
			return utf8.RuneError
		}
		return r
	}, s)
}
