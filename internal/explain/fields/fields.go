// Package fields reads objects in unstructured JSON. Missing fields and fields
// of another type read as empty.
package fields

import (
	"iter"
)

// Map is an object in unstructured JSON. Missing fields and fields of
// another type read as empty.
type Map map[string]any

// Str is a field that is a string.
func (m Map) Str(key string) string {
	s, _ := m[key].(string)
	return s
}

// Sub is a field that is an object.
func (m Map) Sub(key string) Map {
	x, _ := m[key].(map[string]any)
	return x
}

// List is a field that is a list.
func (m Map) List(key string) []any {
	x, _ := m[key].([]any)
	return x
}

// Each iterates over the objects of a list, with their indexes.
func Each(list []any) iter.Seq2[int, Map] {
	return func(yield func(int, Map) bool) {
		for i, v := range list {
			if m, ok := v.(map[string]any); ok && !yield(i, m) {
				return
			}
		}
	}
}

// Texts are the strings of a list.
func Texts(list []any) (out []string) {
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
