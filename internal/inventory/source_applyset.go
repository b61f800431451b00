package inventory

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

const (
	labelApplySet = "applyset.kubernetes.io/id"
	labelPartOf   = "applyset.kubernetes.io/part-of"
)

var applySetScheme = &Scheme{
	form: "applyset/[[NAMESPACE/]TYPE[.GROUP]/]NAME", least: 1, most: 3,
	read: func(w []string, t *Target) error {
		t.Type, t.Name = "secrets", w[len(w)-1]
		if len(w) > 1 {
			t.Type = w[len(w)-2]
		}
		return nil
	},
}

var applySetSources = []Source{
	{
		Name: "ApplySet", Short: "applyset", Scheme: applySetScheme, NameInSource: parentWritten,
		Kind: "Secret", Selector: labelApplySet, Match: labelled(labelApplySet), decode: applySet,
		// applyset-id: the value that members have in their label
		Candidates: func(t Target) []Candidate {
			id := labelApplySet + "=" + t.Name
			if t.Scheme != "applyset-id" || !selectorWord(id) {
				return nil
			}
			return []Candidate{
				{ID: t.at("", "Secret", ""), Selector: id},
				{ID: t.at("", "ConfigMap", ""), Selector: id},
			}
		},
		InventoriesOf: func(o *object.Object) []Target {
			id := label(o, labelPartOf)
			return []Target{{Source: "applyset " + id, Scheme: "applyset-id", Name: id}}
		},
	},
	{
		Name: "ApplySet", Short: "applyset", Scheme: applySetScheme, NameInSource: parentWritten,
		Kind: "ConfigMap", Selector: labelApplySet, Match: labelled(labelApplySet), decode: applySet,
	},
	{
		Name: "kro instance", Short: "kro", NameInSource: parentWritten,
		Scheme: &Scheme{form: "kro/[NAMESPACE/]TYPE/NAME", least: 2, most: 3, read: func(w []string, t *Target) error {
			t.Type, t.Name = w[0], w[1]
			return nil
		}},
		Selector: labelApplySet, Match: kroInstance, decode: applySet,
		Many: Many{Group: "kro.run", Definitions: object.ID{Group: "kro.run", Kind: "ResourceGraphDefinition"}},
		InventoriesOf: func(o *object.Object) []Target {
			typ := kroLabel(o, "instance-kind")
			if typ == "" {
				return nil
			}
			return ownedBy(strings.TrimSuffix(typ+"."+kroLabel(o, "instance-group"), "."),
				kroLabel(o, "instance-namespace"), kroLabel(o, "instance-name"))
		},
	},
	{
		Name: "ApplySet", Short: "applyset", Scheme: applySetScheme, NameInSource: parentWritten,
		Selector: labelApplySet, Match: labelled(labelApplySet), decode: applySet,
		Many: Many{
			Definitions: object.ID{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
			Label:       "applyset.kubernetes.io/is-parent-type=true",
		},
	},
}

// parentWritten is TYPE[.GROUP]/NAME; a Secret is the default.
func parentWritten(root object.ID) string {
	if root.GroupKind() == "Secret" {
		return root.Name
	}
	return strings.TrimSuffix(strings.ToLower(root.Kind)+"."+root.Group, ".") + "/" + root.Name
}

// kroLabel is one of kro's labels, of which older versions have another domain.
func kroLabel(o *object.Object, key string) string {
	return cmp.Or(label(o, "internal.kro.run/"+key), label(o, "kro.run/"+key))
}

// MemberNote is the remark in a member's own labels about its role: kro's node in
// its graph, and its place in a collection.
func MemberNote(o *object.Object) string {
	node, size := kroLabel(o, "node-id"), kroLabel(o, "collection-size")
	if n, err := strconv.Atoi(kroLabel(o, "collection-index")); err == nil && node != "" && size != "" {
		node += " " + strconv.Itoa(n+1) + " of " + size
	}
	return node
}

// selectorWord reports whether s is safe as key or value of a selector
// KEY=VALUE.
func selectorWord(s string) bool {
	return !strings.ContainsAny(s, ", ()!\t\n") && strings.Count(s, "=") == 1 && s == object.Clean(s) && len(s) < 400
}

func applySet(s *Set, o *object.Object) {
	l := Labels{Selector: labelPartOf + "=" + rootLabel(o, labelApplySet)}
	if !selectorWord(l.Selector) || rootLabel(o, labelApplySet) == "" {
		s.none = true
		return
	}
	for ns := range strings.SplitSeq(o.Namespace+","+
		rootAnnotation(o, "applyset.kubernetes.io/additional-namespaces"), ",") {
		if ns = strings.TrimSpace(ns); isNamespace(ns) && !slices.Contains(l.Namespaces, ns) {
			l.Namespaces = append(l.Namespaces, ns)
		}
	}
	kinds, given := object.At(o.Tree, "metadata", "annotations", "applyset.kubernetes.io/contains-group-kinds").(string)
	l.Kinds = s.groupKinds(kinds)
	if !given {
		s.note("the parent does not say which kinds it holds: all are looked through")
	} else if len(l.Kinds) == 0 {
		return // an empty set
	}
	s.Labels = []Labels{l}
}

// kroInstance recognises an instance of a kro graph by its tool annotation.
func kroInstance(o *object.Object) bool {
	return labelled(labelApplySet)(o) && strings.HasPrefix(annotation(o, "applyset.kubernetes.io/tooling"), "kro/")
}
