package edges

import (
	"maps"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// namedMost bounds the objects of [NamedByKind].
const namedMost = 6

// NamedByKind lists the objects that the spec of a custom object, or the top level of its status,
// names in fields that are called as a kind is: "broker: default", "dataVolume: {name: fedora}",
// "clusterName: main", "integrationKit: {name: kit-1}". The kind is one of the object's own
// project that kindsNamed knows (by a name in any case; it returns groups and kinds), or one of the
// object's own group that a condition which is not True is about (BrokerReady).
func NamedByKind(o *object.Object, kindsNamed func(name string) []object.ID) []object.ID {
	n := byKind{o: o, kindsNamed: kindsNamed}
	n.walk(o.Tree["spec"], 0)
	// what a controller has chosen: integrationKit: {name: kit-1}
	if status, ok := o.Tree["status"].(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(status)) {
			if m, ok := status[key].(map[string]any); ok && str(m, "name") != "" && m["kind"] == nil {
				n.field(key, str(m, "name"), str(m, "namespace"))
			}
		}
	}
	return n.out
}

// NamedInField lists the objects that a field of a custom object's project names which is called as a
// kind is, in any case: "eventbusname" with the value "default" in a line of a log.
func NamedInField(o *object.Object, key, value string, kindsNamed func(name string) []object.ID) []object.ID {
	n := byKind{o: o, kindsNamed: func(name string) []object.ID { return kindsNamed(strings.TrimSuffix(name, "name")) }}
	n.field(key, value, "")
	return n.out
}

type byKind struct {
	o          *object.Object
	kindsNamed func(name string) []object.ID
	out        []object.ID
}

func (n *byKind) walk(v any, depth int) {
	if depth > 8 || len(n.out) >= namedMost {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch x := v[key].(type) {
			case string:
				n.field(key, x, "")
			case map[string]any:
				if name := str(x, "name"); name != "" && x["kind"] == nil && x["apiVersion"] == nil {
					n.field(key, name, str(x, "namespace"))
				}
			}
			n.walk(v[key], depth+1)
		}
	case []any:
		for _, e := range v {
			n.walk(e, depth+1)
		}
	}
}

// field adds what a field names, if its key is that of a kind.
func (n *byKind) field(key, name, namespace string) {
	if !isObjectName(name) || key == "name" {
		return
	}
	for _, what := range [...]string{key, strings.TrimSuffix(key, "Name")} {
		stranger := func(k object.ID) bool { return !Relatives(k.Group, n.o.Group) }
		kinds := slices.DeleteFunc(slices.Clone(n.kindsNamed(what)), stranger)
		if kind := upperFirst(what); len(kinds) == 0 && n.awaits(kind) {
			kinds = []object.ID{{Group: n.o.Group, Kind: kind}}
		}
		for _, id := range kinds {
			id.Namespace, id.Name = n.o.Namespace, name
			if namespace != "" {
				id.Namespace = namespace
			}
			if id != n.o.ID && len(n.out) < namedMost && !slices.Contains(n.out, id) {
				n.out = append(n.out, id)
			}
		}
	}
}

// isThere are the ends of conditions that say of another object that it can be used.
var isThere = []string{"Ready", "Resolved", "Available", "Exists", "Healthy"}

// awaits reports whether a condition that is not True is about a kind: BrokerReady.
func (n *byKind) awaits(kind string) bool {
	return slices.ContainsFunc(n.o.Conditions, func(c object.Condition) bool {
		rest, is := strings.CutPrefix(c.Type, kind)
		return is && c.Status != "True" && slices.Contains(isThere, rest)
	})
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
