package object

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Get returns the value at a path of Tree. ok is false if there is none, and
// true with nil for a null.
func (o *Object) Get(path ...string) (v any, ok bool) {
	last := len(path) - 1
	m, _ := At(o.Tree, path[:last]...).(map[string]any)
	v, ok = m[path[last]]
	return v, ok
}

// Int returns the integer at a path of Tree; unset if there is none.
func (o *Object) Int(path ...string) Int {
	if n, ok := At(o.Tree, path...).(int64); ok {
		return IntOf(n)
	}
	return Int{}
}

// Str returns the string at a path of Tree, or "".
func (o *Object) Str(path ...string) string {
	s, _ := At(o.Tree, path...).(string)
	return s
}

// Bool returns the boolean at a path of Tree, if there is one.
func (o *Object) Bool(path ...string) (value, ok bool) {
	value, ok = At(o.Tree, path...).(bool)
	return value, ok
}

// List returns the list at a path of Tree, or nil.
func (o *Object) List(path ...string) []any {
	l, _ := At(o.Tree, path...).([]any)
	return l
}

// Map returns the object at a path of Tree, or nil.
func (o *Object) Map(path ...string) map[string]any {
	m, _ := At(o.Tree, path...).(map[string]any)
	return m
}

// NamesItsKind reports whether a field names an object with its kind, and no more: "pod: {kind: Pod,
// namespace: shop, name: web}". A list of the kinds that an operator owns has their versions, too.
func NamesItsKind(field map[string]any) bool {
	for key := range field {
		switch key {
		case "kind", "name", "namespace", "apiVersion", "apiGroup", "group", "uid", "resourceVersion":
		default:
			return false
		}
	}
	_, kind := field["kind"].(string)
	_, name := field["name"].(string)
	return kind && name
}

// SelectsSecretKey reports whether a field, by its name and its content, selects a key of a Secret:
// "masterUserPassword: {name: db, key: password}" (aws-controllers-k8s/runtime v0.40, SecretKeyReference).
// What looks like the material of a key does not select one.
func SelectsSecretKey(name string, field map[string]any) bool {
	for key := range field {
		switch key {
		case "name", "key", "namespace", "optional":
		default:
			return false
		}
	}
	low := strings.ToLower(name)
	if !slices.ContainsFunc(inSecrets, func(word string) bool { return strings.Contains(low, word) }) {
		return false
	}
	object, _ := field["name"].(string)
	key, _ := field["key"].(string)
	return object != "" && secretKey().MatchString(key)
}

var (
	// inSecrets are words in the names of fields whose values are kept in a Secret.
	inSecrets = []string{"secret", "password", "token", "credential", "certificate", "privatekey"}
	secretKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[a-z._-]{1,40}|[A-Z._-]{1,40})$`) })
)
