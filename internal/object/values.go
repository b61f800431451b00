package object

// Get returns the value at a path of Tree. ok is false if there is none, and
// true with nil for a null.
func (o *Object) Get(path ...string) (v any, ok bool) {
	v = o.Tree
	for _, field := range path {
		m, _ := v.(map[string]any)
		if v, ok = m[field]; !ok {
			return nil, false
		}
	}
	return v, ok
}

// Int returns the integer at a path of Tree; unset if there is none.
func (o *Object) Int(path ...string) Int {
	v, _ := o.Get(path...)
	if n, ok := v.(int64); ok {
		return IntOf(n)
	}
	return Int{}
}

// Str returns the string at a path of Tree, or "".
func (o *Object) Str(path ...string) string {
	v, _ := o.Get(path...)
	s, _ := v.(string)
	return s
}

// Bool returns the boolean at a path of Tree, if there is one.
func (o *Object) Bool(path ...string) (value, ok bool) {
	v, _ := o.Get(path...)
	value, ok = v.(bool)
	return value, ok
}

// List returns the list at a path of Tree, or nil.
func (o *Object) List(path ...string) []any {
	v, _ := o.Get(path...)
	l, _ := v.([]any)
	return l
}

// Map returns the object at a path of Tree, or nil.
func (o *Object) Map(path ...string) map[string]any {
	v, _ := o.Get(path...)
	m, _ := v.(map[string]any)
	return m
}
