package recording

import (
	"bytes"
	"encoding/json"
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

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
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
	// inline: an embedded struct, or a pointer to one, whose fields stand among
	// the outer ones.
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
		if !f.IsExported() || f.Tag.Get("recording") == "-" {
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
	intType      = reflect.TypeFor[object.Int]()
	labelType    = reflect.TypeFor[object.Label]()
	durationType = reflect.TypeFor[feed.Duration]()
	treeType     = reflect.TypeFor[map[string]any]()
	rawType      = reflect.TypeFor[raw]()
	objectsType  = reflect.TypeFor[[]*object.Object]()
	changesType  = reflect.TypeFor[[]change]()
)

// chained are the lists whose elements differ in little: each is written as what
// is different from the one before.
var chained = map[reflect.Type]bool{
	reflect.TypeFor[[]feed.Began]():      true,
	reflect.TypeFor[[]feed.Event]():      true,
	reflect.TypeFor[[]feed.Remembered](): true,
	reflect.TypeFor[[]feed.Root]():       true,
	reflect.TypeFor[[]feed.Transition](): true,
}

// raw is JSON that is kept as it stands.
type raw []byte

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
	case rawType:
		return append(b, v.Bytes()...)
	case objectsType:
		return appendObjects(b, v.Interface().([]*object.Object))
	case changesType:
		return appendChanges(b, v.Interface().([]change))
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
		link := chained[v.Type()]
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			if link && i > 0 {
				b, _ = appendDelta(b, v.Index(i-1), v.Index(i))
				continue
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
			if fv.Kind() == reflect.Pointer {
				if fv.IsNil() {
					continue
				}
				fv = fv.Elem()
			}
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

// appendObjects appends objects, each as what is different from the one of its
// kind before it: pods that one template has made differ in little. One of
// another kind than the one before says so first.
func appendObjects(b []byte, objects []*object.Object) []byte {
	b = append(b, '[')
	byKind := map[kind]*object.Object{}
	var last *object.Object
	for _, o := range objects {
		k := kind{o.Group, o.Kind}
		before := byKind[k]
		byKind[k] = o
		if before == nil {
			before = &object.Object{ID: object.ID{Group: o.Group, Kind: o.Kind}}
		}
		if last != nil {
			b = append(b, ',')
		}
		b = append(b, '{')
		if last == nil || last.Group != o.Group || last.Kind != o.Kind {
			if o.Group != "" {
				b = append(appendString(append(b, `"group":`...), o.Group), ',')
			}
			b = appendString(append(b, `"kind":`...), o.Kind)
		}
		last = o
		b = append(appendDifferences(b, reflect.ValueOf(before).Elem(), reflect.ValueOf(o).Elem()), '}')
	}
	return append(b, ']')
}

type kind struct{ group, kind string }

// appendChanges appends what has become of objects: of each its identity, as far
// as it is not that of the one before it, and then what is different.
func appendChanges(b []byte, changes []change) []byte {
	b = append(b, '[')
	var last object.ID
	for i, c := range changes {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		b = appendDifferences(b, reflect.ValueOf(&last).Elem(), reflect.ValueOf(&c.now.ID).Elem())
		b = append(appendDifferences(b, reflect.ValueOf(c.before).Elem(), reflect.ValueOf(c.now).Elem()), '}')
		last = c.now.ID
	}
	return append(b, ']')
}

// appendDelta appends, as an object, the fields of the struct now that differ
// from those of before; null stands for a zero value. An element of a list that
// has kept its length is named by its index. It reports whether anything
// differs.
func appendDelta(b []byte, before, now reflect.Value) ([]byte, bool) {
	b = append(b, '{')
	begin := len(b)
	b = appendDifferences(b, before, now)
	return append(b, '}'), len(b) > begin
}

// appendDifferences is appendDelta without the braces.
func appendDifferences(b []byte, before, now reflect.Value) []byte {
	for _, f := range fieldsOf(now.Type()) {
		v0, v1 := before.Field(f.index), now.Field(f.index)
		if same(v0, v1) {
			continue
		}
		if f.inline {
			b = appendDifferences(b, elem(v0), elem(v1))
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), f.name...), '"', ':')
		b = appendChange(b, v0, v1)
	}
	return b
}

// elem is an embedded struct, or what an embedded pointer points at, zero where
// that is nothing.
func elem(v reflect.Value) reflect.Value {
	switch {
	case v.Kind() != reflect.Pointer:
		return v
	case v.IsNil():
		return reflect.Zero(v.Type().Elem())
	}
	return v.Elem()
}

// appendChange appends what makes v1 of v0.
func appendChange(b []byte, v0, v1 reflect.Value) []byte {
	if omitted(v1) {
		return append(b, "null"...)
	}
	switch v1.Type() {
	case timeType, intType, labelType, durationType, treeType:
		return appendValue(b, v1)
	}
	switch v1.Kind() {
	case reflect.Pointer:
		if !v0.IsNil() && v1.Elem().Kind() == reflect.Struct {
			b, _ = appendDelta(b, v0.Elem(), v1.Elem())
			return b
		}
	case reflect.Struct:
		b, _ = appendDelta(b, v0, v1)
		return b
	case reflect.Slice:
		if v0.Len() != v1.Len() || v1.Type().Elem().Kind() != reflect.Struct || v1.Type().Elem() == labelType {
			break
		}
		b = append(b, '{')
		begin := len(b)
		for i := range v1.Len() {
			if same(v0.Index(i), v1.Index(i)) {
				continue
			}
			if len(b) > begin {
				b = append(b, ',')
			}
			b = append(strconv.AppendInt(append(b, '"'), int64(i), 10), '"', ':')
			b, _ = appendDelta(b, v0.Index(i), v1.Index(i))
		}
		return append(b, '}')
	}
	return appendValue(b, v1)
}

// same reports whether two values of one type are written alike.
func same(a, b reflect.Value) bool {
	switch a.Type() {
	case timeType:
		return a.Interface().(time.Time).Equal(b.Interface().(time.Time))
	case treeType:
		return a.IsNil() == b.IsNil() && reflect.DeepEqual(a.Interface(), b.Interface())
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() || a.Pointer() == b.Pointer() {
			return a.Pointer() == b.Pointer()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		if a.Len() == 0 || a.Pointer() == b.Pointer() {
			return true
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
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
