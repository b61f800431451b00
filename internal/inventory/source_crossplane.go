package inventory

import (
	"cmp"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var crossplaneSources = []Source{
	{Name: "Crossplane Provider", Group: "pkg.crossplane.io", Kind: "Provider", Plural: "providers", Read: crossplanePackage},
	{Name: "Crossplane Configuration", Group: "pkg.crossplane.io", Kind: "Configuration", Plural: "configurations", Read: crossplanePackage},
	{Name: "Crossplane Function", Group: "pkg.crossplane.io", Kind: "Function", Plural: "functions", Read: crossplanePackage},
	{Name: "Crossplane package revision", Group: "pkg.crossplane.io", Read: crossplanePackage},
	{Name: "inventory", Match: hasEntries, Read: fluxOperator},
	{
		Name: "Crossplane composite", Many: Many{Categories: []string{"composite", "claim"}}, Match: maybeComposite, Read: crossplane,
		Owners: crossplaneOwners,
	},
}

// crossplaneOwners are the claim that a composite names, and the composite that
// composed an object.
func crossplaneOwners(o *object.Object) (out []Target) {
	if claim, ok := dig(o.Tree, "spec", "claimRef").(map[string]any); ok {
		group := groupOf(text(claim, "apiVersion"))
		m := Member{ID: object.ID{Group: group, Kind: text(claim, "kind"), Namespace: text(claim, "namespace"), Name: text(claim, "name")}}
		if m.check() == nil && group != "" {
			out = ownedBy(m.ID.Kind+"."+group, m.ID.Namespace, m.ID.Name)
		}
	}
	if name := label(o, "crossplane.io/composite"); name != "" && name != o.Name {
		out = append(out, Target{Source: "composite " + name, Scheme: "crossplane-composite", Namespace: o.Namespace, Name: name})
	}
	return out
}

func crossplanePackage(o Object) (Set, bool) {
	var s Set
	if refs := o.at("status", "objectRefs"); refs != nil {
		s.references(o.list("status", "objectRefs"), "", nil)
		return s, true
	}
	if _, tag, ok := strings.Cut(o.text("spec", "package"), ":"); ok {
		s.Revision = object.Clean(tag[strings.LastIndexByte(tag, ':')+1:])
	}
	if current := o.text("status", "currentRevision"); current != "" {
		s.add(checked(Member{ID: object.ID{Group: o.Group, Kind: o.Kind + "Revision", Name: current}}, current))
		return s, true
	}
	s.Unlisted = true
	return s, o.Kind == "Provider" || o.Kind == "Configuration" || o.Kind == "Function"
}

// maybeComposite: all objects that Crossplane manages have a Synced condition.
// Only the whole object tells a composite from a managed resource.
func maybeComposite(o *object.Object) bool {
	return o.Tree != nil && strings.Contains(o.Group, ".") && o.Condition("Synced") != nil
}

func crossplane(o Object) (Set, bool) {
	var s Set
	known := false
	for _, path := range [][]string{{"spec", "crossplane", "resourceRefs"}, {"spec", "resourceRefs"}} {
		if list, ok := o.at(path...).([]any); ok {
			known = true
			s.references(list, o.Namespace, nil)
		}
	}
	if ref, ok := o.at("spec", "crossplane", "resourceRef").(map[string]any); ok {
		known = true
		s.references([]any{ref}, "", nil)
	} else if ref, ok := o.at("spec", "resourceRef").(map[string]any); ok && text(ref, "kind") != "" {
		known = true // a claim; its composite is cluster-scoped
		s.references([]any{ref}, "", nil)
	}
	if !known {
		return s, false
	}
	if o.annotation("crossplane.io/paused") == "true" {
		s.note("paused")
	}
	if is, reason, message := o.condition("Synced"); is != "True" {
		s.Pending = cmp.Or(message, reason, "its composition has not been applied")
	}
	return s, true
}
