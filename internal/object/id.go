package object

import (
	"cmp"
	"strings"
)

// ID names an object independently of the API version. It is comparable and
// serves as a map key. Equal IDs mean equal names, not necessarily the same
// object (see [Object.UID]).
type ID struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String is the short form for people: Kind/name. It is not unique and must not
// be parsed or used as a key.
func (id ID) String() string { return id.Kind + "/" + id.Name }

// onNode begins the name of an ID that OnNode made. No object has such a name.
const onNode = "spec.nodeName="

// OnNode stands for all Pods on a node, of all namespaces: it is a reference like any other, which
// names no object but a selection.
func OnNode(node string) ID { return ID{Kind: "Pod", Name: onNode + node} }

// Fields is the field selector that the ID of a selection stands for (see OnNode), or "".
func (id ID) Fields() string {
	if strings.HasPrefix(id.Name, onNode) {
		return id.Name
	}
	return ""
}

// IsZero reports whether the ID names nothing.
func (id ID) IsZero() bool { return id == ID{} }

// GroupKind is the key of rule tables: "apps/Deployment", or the kind alone
// for the core group, as kstatus writes it.
func (id ID) GroupKind() string {
	if id.Group == "" {
		return id.Kind
	}
	return id.Group + "/" + id.Kind
}

// Compare orders IDs by namespace, kind, name and group, for stable output.
func (id ID) Compare(other ID) int {
	return cmp.Or(
		natural(id.Namespace, other.Namespace), strings.Compare(id.Kind, other.Kind),
		natural(id.Name, other.Name), strings.Compare(id.Group, other.Group),
	)
}

// natural compares names with runs of digits by their value (web-2 before
// web-10), everything else byte by byte. Only equal names are equal.
func natural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		n, m := digits(x), digits(y)
		if n > 0 && m > 0 {
			v, w := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
			if c := cmp.Or(cmp.Compare(len(v), len(w)), strings.Compare(v, w)); c != 0 {
				return c
			}
			x, y = x[n:], y[m:]
			continue
		}
		if x[0] != y[0] {
			return strings.Compare(x, y)
		}
		x, y = x[1:], y[1:]
	}
	// Of equal names one may have other leading zeros.
	return cmp.Or(strings.Compare(x, y), strings.Compare(a, b))
}

// digits is the number of digits that s begins with.
func digits(s string) (n int) {
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
