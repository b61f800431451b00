package inventory

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// parseID parses cli-utils' form of an object's name, namespace_name_group_kind
// (pkg/object/objmetadata.go): the first underscore ends the namespace, the
// last begins the kind, the one before it the group; the name is in between,
// with two underscores for a colon. Names of RBAC objects may contain
// underscores; cli-utils' parser refuses those, Flux's and this one accept
// them. A name may also contain two underscores itself. Other is then the name as
// it is written.
func parseID(s string) (Member, error) {
	part := idParts.FindStringSubmatch(s)
	if part == nil {
		return Member{}, errors.New("it is not NAMESPACE_NAME_GROUP_KIND")
	}
	m := Member{ID: object.ID{
		Group: part[3], Kind: part[4], Namespace: part[1],
		Name: strings.ReplaceAll(part[2], "__", ":"),
	}}
	if m.ID.Name != part[2] {
		m.Other = part[2]
	}
	return m, m.check()
}

var idParts = regexp.MustCompile(`^([^_]*)_(.*)_([^_]*)_([^_]*)$`)

// addID adds the member that an id names. If the id cannot be parsed, it adds a member with the
// error instead (Unreadable).
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
		s.addID(cmp.Or(text(e, "id"), compact(e)), text(e, "v"))
	}
}

// references reads a list of typed references. namespace is the default of
// entries without one; each may change a member.
func (s *Set) references(list []any, namespace string, each func(entry any, m *Member)) {
	for _, e := range list {
		if e == nil {
			continue
		}
		m := reference(e)
		m.ID.Namespace = cmp.Or(m.ID.Namespace, namespace)
		if m = checked(m, compact(e)); m.Unreadable == "" && each != nil {
			each(e, &m)
		}
		s.add(m)
	}
}

// reference reads a typed reference, trimmed as by kpt. All writers use the same
// few fields: apiVersion or group (apiGroup) and version, kind, namespace, name.
func reference(e any) Member {
	m := Member{Version: text(e, "version"), ID: object.ID{
		Group: cmp.Or(text(e, "group"), text(e, "apiGroup")), Kind: strings.TrimSpace(text(e, "kind")),
		Namespace: strings.TrimSpace(text(e, "namespace")), Name: strings.TrimSpace(text(e, "name")),
	}}
	if av := text(e, "apiVersion"); av != "" {
		gv, err := schema.ParseGroupVersion(av)
		if err != nil {
			gv.Group = av // which no group is called
		}
		m.ID.Group, m.Version = gv.Group, gv.Version
	}
	m.ID.Group = strings.TrimSpace(m.ID.Group)
	if !isWord(m.Version) {
		m.Version = ""
	}
	return m
}

// compact is an entry as one line, for messages.
func compact(v any) string {
	data, _ := json.Marshal(v)
	return string(data[:min(len(data), 400)])
}

// groupKinds parses a list such as "ConfigMap,Deployment.apps".
func (s *Set) groupKinds(list string) []object.ID {
	var out []object.ID
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word == "" {
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

// Filter selects the members among the objects with a label: KEY=VALUE of an
// annotation, or Identified. Its zero value accepts all.
type Filter string

// Identified is kapp's: an object that was made from a template inherits the
// label, but lacks an identity annotation of its own.
const Identified Filter = "identified"

// Passes reports whether a labelled object is a member.
func (f Filter) Passes(o *object.Object) bool {
	switch f {
	case "":
		return true
	case Identified:
		// v1;<namespace>/<group>/<kind>/<name>;<apiVersion>
		parts := strings.Split(annotation(o, "kapp.k14s.io/identity"), ";")
		return len(parts) == 3 && parts[0] == "v1" && parts[1] == o.Namespace+"/"+o.Group+"/"+o.Kind+"/"+o.Name
	}
	key, value, _ := strings.Cut(string(f), "=")
	return annotation(o, key) == value
}
