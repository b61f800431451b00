package inventory

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// parseID parses cli-utils' form of an object's name, namespace_name_group_kind
// (pkg/object/objmetadata.go): the first underscore ends the namespace, the
// last begins the kind, the one before it the group; the name is in between,
// with two underscores for a colon. Names of RBAC objects may contain
// underscores; cli-utils' parser refuses those, Flux's and this one accept
// them. A name that itself contains two underscores is ambiguous: Other is that
// name.
func parseID(s string) (Member, error) {
	namespace, rest, ok := strings.Cut(s, "_")
	if !ok {
		return Member{}, errors.New("it is not NAMESPACE_NAME_GROUP_KIND")
	}
	i := strings.LastIndexByte(rest, '_')
	if i < 0 {
		return Member{}, errors.New("it is not NAMESPACE_NAME_GROUP_KIND")
	}
	kind, rest := rest[i+1:], rest[:i]
	i = strings.LastIndexByte(rest, '_')
	if i < 0 {
		return Member{}, errors.New("it is not NAMESPACE_NAME_GROUP_KIND")
	}
	group, name := rest[i+1:], rest[:i]
	m := Member{ID: object.ID{Group: group, Kind: kind, Namespace: namespace, Name: strings.ReplaceAll(name, "__", ":")}}
	if m.ID.Name != name {
		m.Other = name
	}
	return m, m.check()
}

// addID adds an id string, or a row with the reason why it cannot be parsed.
func (s *Set) addID(id, version string) *Member {
	m, err := parseID(id)
	if err != nil {
		m = unreadable(id, err)
	} else if isWord(version) {
		m.Version = version
	}
	s.add(m)
	return &s.Members[len(s.Members)-1]
}

// idEntries reads a list of {id, v} entries, the form of all of Flux's
// inventories and of Timoni's.
func (s *Set) idEntries(list []any) {
	for _, e := range list {
		id, ok := dig(e, "id").(string)
		if !ok {
			s.add(unreadable(compact(e), errors.New("it has no id")))
			continue
		}
		s.addID(id, text(e, "v"))
	}
}

// idKeys parses the keys of a ConfigMap's data, cli-utils' own form. Since 2023
// the values say what was last done with each object.
func (s *Set) idKeys(data map[string]any) {
	for _, id := range slices.Sorted(maps.Keys(data)) {
		m := s.addID(id, "")
		var did struct{ Strategy, Actuation, Reconcile string }
		value, _ := data[id].(string)
		if value == "" || json.Unmarshal([]byte(value), &did) != nil {
			continue
		}
		switch {
		case did.Strategy == "Delete":
			m.Note = "to be pruned"
		case did.Actuation == "Failed":
			m.Note = "could not be applied"
		}
		if did.Actuation == "Pending" {
			s.Pending = "it is being applied"
		}
	}
}

// references reads a list of typed references. All writers use the same few
// fields: apiVersion or group and version, kind, namespace, name. namespace is
// the default of entries without one; each may change a member.
func (s *Set) references(list []any, namespace string, each func(entry any, m *Member)) {
	for _, e := range list {
		if e == nil {
			continue
		}
		m := Member{ID: object.ID{
			Group: text(e, "group"), Kind: trim(text(e, "kind")), Namespace: trim(text(e, "namespace")), Name: trim(text(e, "name")),
		}, Version: text(e, "version")}
		if av, ok := dig(e, "apiVersion").(string); ok {
			group, version, found := strings.Cut(av, "/")
			if !found {
				group, version = "", av
			}
			m.ID.Group, m.Version = group, version
		}
		m.ID.Group = trim(m.ID.Group)
		if m.ID.Namespace == "" {
			m.ID.Namespace = namespace
		}
		if !isWord(m.Version) {
			m.Version = ""
		}
		if m = checked(m, compact(e)); m.Unreadable == "" && each != nil {
			each(e, &m)
		}
		s.add(m)
	}
}

// trim removes white space, as kpt does.
func trim(s string) string { return strings.TrimSpace(s) }

// compact is an entry as one line, for messages.
func compact(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data[:min(len(data), 400)])
}

// groupKinds parses a list such as "ConfigMap,Deployment.apps".
func (s *Set) groupKinds(list string) []object.ID {
	var out []object.ID
	for word := range strings.SplitSeq(list, ",") {
		if word = trim(word); word == "" {
			continue
		}
		kind, group, _ := strings.Cut(word, ".")
		gk := Member{ID: object.ID{Group: group, Kind: kind, Name: "any"}}
		if err := gk.check(); err != nil {
			s.add(unreadable(word, err))
			continue
		}
		out = append(out, object.ID{Group: group, Kind: kind})
	}
	return out
}

// Filter selects the members among the objects with a label. Its zero value
// accepts all.
type Filter string

// The filters. Annotated is a prefix: "annotated KEY=VALUE".
const (
	// Identified is kapp's: an object that was made from a template inherits
	// the label, but lacks an identity annotation of its own.
	Identified Filter = "identified"
	// Unowned accepts objects without an owner reference.
	Unowned   Filter = "unowned"
	annotated Filter = "annotated "
)

// Passes reports whether a labelled object is a member.
func (f Filter) Passes(o *object.Object) bool {
	switch {
	case f == Unowned:
		return len(o.Owners) == 0
	case f == Identified:
		// v1;<namespace>/<group>/<kind>/<name>;<apiVersion>
		identity, ok := o.Annotation("kapp.k14s.io/identity")
		parts := strings.Split(identity, ";")
		return ok && len(parts) == 3 && parts[0] == "v1" &&
			parts[1] == o.Namespace+"/"+o.Group+"/"+o.Kind+"/"+o.Name
	case strings.HasPrefix(string(f), string(annotated)):
		key, value, _ := strings.Cut(strings.TrimPrefix(string(f), string(annotated)), "=")
		v, ok := o.Annotation(key)
		return ok && v == value
	}
	return true
}

// Annotated accepts objects with that value of an annotation.
func Annotated(key, value string) Filter { return annotated + Filter(key+"="+value) }
