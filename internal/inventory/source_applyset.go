package inventory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

const (
	labelApplySet = "applyset.kubernetes.io/id"
	labelPartOf   = "applyset.kubernetes.io/part-of"
)

var applySetScheme = &Scheme{"applyset/[[NAMESPACE/]TYPE[.GROUP]/]NAME", 1, 3, func(w []string, t *Target) error {
	t.Scheme, t.Type, t.Name = "applyset", "secrets", w[len(w)-1]
	if len(w) > 1 {
		t.Type = w[len(w)-2]
	}
	return nil
}}

var applySetSources = []Source{
	{
		Name: "ApplySet", Short: "applyset", Scheme: applySetScheme, Written: parentWritten,
		Kind: "Secret", Plural: "secrets", Selector: labelApplySet, Match: labelled(labelApplySet), Read: applySet,
		// applyset-id: the value that members have in their label
		Candidates: func(t Target) []Candidate {
			id := labelApplySet + "=" + t.Name
			if t.Scheme != "applyset-id" || !selectorWord(id) {
				return nil
			}
			return []Candidate{{ID: t.at("", "Secret", ""), Selector: id}, {ID: t.at("", "ConfigMap", ""), Selector: id}}
		},
		Owners: func(o *object.Object) []Target {
			id := label(o, labelPartOf)
			return []Target{{Source: "applyset " + id, Scheme: "applyset-id", Namespace: o.Namespace, Name: id, AllNamespaces: true}}
		},
	},
	{
		Name: "ApplySet", Short: "applyset", Scheme: applySetScheme, Written: parentWritten,
		Kind: "ConfigMap", Plural: "configmaps", Selector: labelApplySet, Match: labelled(labelApplySet), Read: applySet,
	},
	{
		Name: "kro instance", Short: "kro", Written: parentWritten,
		Scheme: &Scheme{"kro/[NAMESPACE/]TYPE/NAME", 2, 3, func(w []string, t *Target) error {
			t.Scheme, t.Type, t.Name = "kro", w[0], w[1]
			return nil
		}},
		Selector: labelApplySet, Many: Many{Graphs: true}, Match: kroInstance, Read: applySet,
		Owners: kroOwners, MemberNote: kroNode,
	},
	{
		Name: "ApplySet", Short: "applyset", Scheme: applySetScheme, Written: parentWritten,
		Selector: labelApplySet, Many: Many{Label: "applyset.kubernetes.io/is-parent-type=true"}, Match: labelled(labelApplySet), Read: applySet,
	},
}

// parentWritten is TYPE[.GROUP]/NAME; a Secret is the default.
func parentWritten(root object.ID) string {
	switch {
	case root.Group != "":
		return strings.ToLower(root.Kind) + "." + root.Group + "/" + root.Name
	case root.Kind != "Secret":
		return strings.ToLower(root.Kind) + "/" + root.Name
	}
	return root.Name
}

// kroDomains are the domains of kro's labels, the newer one first.
var kroDomains = []string{"internal.kro.run/", "kro.run/"}

func kroOwners(o *object.Object) []Target {
	for _, domain := range kroDomains {
		typ := label(o, domain+"instance-kind")
		if typ == "" {
			continue
		}
		if g := label(o, domain+"instance-group"); g != "" {
			typ += "." + g
		}
		return ownedBy(typ, label(o, domain+"instance-namespace"), label(o, domain+"instance-name"))
	}
	return nil
}

// kroNode is a member's node in its graph, and its place in a collection.
func kroNode(o *object.Object) string {
	for _, domain := range kroDomains {
		node, ok := o.Label(domain + "node-id")
		if !ok {
			continue
		}
		index, size := label(o, domain+"collection-index"), label(o, domain+"collection-size")
		if n := HelmVersion(index); index != "" && size != "" && n >= 0 {
			return node + " " + strconv.Itoa(n+1) + " of " + size
		}
		return node
	}
	return ""
}

// selectorWord reports whether s is safe as key or value of a selector
// KEY=VALUE.
func selectorWord(s string) bool {
	return !strings.ContainsAny(s, ", ()!\t\n") && strings.Count(s, "=") == 1 && s == object.Clean(s) && len(s) < 400
}

func applySet(o Object) (Set, bool) {
	var s Set
	l := Labels{Selector: labelPartOf + "=" + o.label(labelApplySet)}
	if !selectorWord(l.Selector) || o.label(labelApplySet) == "" {
		return s, false
	}
	if o.Namespace != "" {
		l.Namespaces = []string{o.Namespace}
	}
	for ns := range strings.SplitSeq(o.annotation("applyset.kubernetes.io/additional-namespaces"), ",") {
		if ns = trim(ns); isNamespace(ns) && !slices.Contains(l.Namespaces, ns) {
			l.Namespaces = append(l.Namespaces, ns)
		}
	}
	kinds := o.annotation("applyset.kubernetes.io/contains-group-kinds")
	l.Kinds = s.groupKinds(kinds)
	if kinds == "" {
		for typ := range strings.SplitSeq(o.annotation("applyset.kubernetes.io/contains-group-resources"), ",") {
			if typ = trim(typ); isWord(typ) {
				l.Types = append(l.Types, typ)
			}
		}
	}
	if _, ok := o.at("metadata", "annotations", "applyset.kubernetes.io/contains-group-kinds").(string); !ok && len(l.Types) == 0 {
		s.note("the parent does not say which kinds it holds: all are looked through")
	} else if len(l.Kinds)+len(l.Types) == 0 {
		return s, true // an empty set
	}
	s.Labels = []Labels{l}
	s.unobserved(o)
	return s, true
}

// kroInstance recognises an instance of a kro graph by its tool annotation.
func kroInstance(o *object.Object) bool {
	tool, _ := o.Annotation("applyset.kubernetes.io/tooling")
	_, ok := o.Label(labelApplySet)
	return ok && strings.HasPrefix(tool, "kro/")
}
