package inventory

import (
	"cmp"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var crossplaneSources = []Source{
	{Name: "Crossplane Provider", Group: "pkg.crossplane.io", Kind: "Provider", decode: crossplanePackage},
	{Name: "Crossplane Configuration", Group: "pkg.crossplane.io", Kind: "Configuration", decode: crossplanePackage},
	{Name: "Crossplane Function", Group: "pkg.crossplane.io", Kind: "Function", decode: crossplanePackage},
	{Name: "Crossplane package revision", Group: "pkg.crossplane.io", decode: crossplanePackage},
	{Name: "inventory", Match: func(o *object.Object) bool {
		return o.List("status", "inventory", "entries") != nil
	}, decode: fluxOperator},
	{
		Name: "Crossplane composite", Many: Many{Categories: []string{"composite", "claim"}},
		Match: maybeComposite, decode: crossplane,
		InventoriesOf: crossplaneOwners,
	},
}

// crossplaneOwners are the claim that a composite names, and the composite that
// composed an object.
func crossplaneOwners(o *object.Object) (out []Target) {
	if claim := reference(o.Map("spec", "claimRef")); claim.check() == nil && claim.ID.Group != "" {
		out = ownedBy(claim.ID.Kind+"."+claim.ID.Group, claim.ID.Namespace, claim.ID.Name)
	}
	if name := label(o, "crossplane.io/composite"); name != "" && name != o.Name {
		out = append(out,
			Target{Source: "composite " + name, Scheme: "crossplane-composite", Namespace: o.Namespace, Name: name})
	}
	return out
}

func crossplanePackage(s *Set, o *object.Object) {
	if refs := o.List("status", "objectRefs"); refs != nil {
		s.references(refs, "", nil)
		return
	}
	if _, tag, ok := strings.Cut(o.Str("spec", "package"), ":"); ok {
		s.Revision = tag[strings.LastIndexByte(tag, ':')+1:]
	}
	if current := o.Str("status", "currentRevision"); current != "" {
		s.object(object.ID{Group: o.Group, Kind: o.Kind + "Revision", Name: current})
		return
	}
	s.Unlisted = true
	s.none = o.Kind != "Provider" && o.Kind != "Configuration" && o.Kind != "Function"
}

// maybeComposite: all objects that Crossplane manages have a Synced condition.
// Only the whole object distinguishes a composite from a managed resource.
func maybeComposite(o *object.Object) bool {
	return o.Tree != nil && strings.Contains(o.Group, ".") && o.Condition("Synced") != nil
}

func crossplane(s *Set, o *object.Object) {
	s.none = true
	for _, path := range [][]string{
		{"spec", "crossplane", "resourceRefs"},
		{"spec", "resourceRefs"},
		{"spec", "crossplane", "resourceRef"},
		{"spec", "resourceRef"},
	} {
		switch refs := object.At(o.Tree, path...).(type) {
		case []any:
			s.none = false
			s.references(refs, o.Namespace, nil)
		case map[string]any:
			if text(refs, "kind") != "" { // a claim's composite, which is cluster-scoped
				s.none = false
				s.references([]any{refs}, "", nil)
			}
		}
	}
	if rootAnnotation(o, "crossplane.io/paused") == "true" {
		s.note("paused")
	}
	if is, reason, message := condition(o, "Synced"); is != "True" {
		s.Pending = cmp.Or(message, reason, "its composition has not been applied")
	}
}
