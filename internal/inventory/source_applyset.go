package inventory

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

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
