package explain

import "iter"

// fields is an object in unstructured JSON. Missing fields and fields of
// another type read as empty.
type fields map[string]any

func (m fields) str(key string) string {
	s, _ := m[key].(string)
	return s
}

func (m fields) sub(key string) fields {
	x, _ := m[key].(map[string]any)
	return x
}

func (m fields) list(key string) []any {
	x, _ := m[key].([]any)
	return x
}

// each iterates over the objects of a list, with their indexes.
func each(list []any) iter.Seq2[int, fields] {
	return func(yield func(int, fields) bool) {
		for i, v := range list {
			if m, ok := v.(map[string]any); ok && !yield(i, m) {
				return
			}
		}
	}
}

// texts are the strings of a list.
func texts(list []any) (out []string) {
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
