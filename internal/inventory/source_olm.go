package inventory

import (
	"cmp"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var olmSources = []Source{
	{
		Name: "OLM Operator", Group: "operators.coreos.com", Kind: "Operator",
		decode: listed("status", "components", "refs"),
		InventoriesOf: func(o *object.Object) (out []Target) {
			for _, l := range o.Labels {
				// operators.coreos.com/<package>.<namespace> names the Operator.
				if name, ok := strings.CutPrefix(l.Key, "operators.coreos.com/"); ok && l.Value == "" {
					out = append(out, ownedBy("operators.operators.coreos.com", "", name)...)
				}
			}
			return out
		},
	},
	{Name: "OLM InstallPlan", Group: "operators.coreos.com", Kind: "InstallPlan", decode: olmInstallPlan},
	{
		// OLM copies it into every namespace that the operator watches.
		Name: "OLM ClusterServiceVersion", Group: "operators.coreos.com", Kind: "ClusterServiceVersion",
		Selector: "!olm.copiedFrom", decode: listed("status", "requirementStatus"),
		Owner: Owner{Kind: "olm.owner.kind", Namespace: "olm.owner.namespace", Name: "olm.owner"},
	},
	{
		Name: "OLM ClusterExtension", Group: "olm.operatorframework.io", Kind: "ClusterExtension", decode: olmExtension,
		Owner: Owner{Kind: "olm.operatorframework.io/owner-kind", Name: "olm.operatorframework.io/owner-name"},
	},
	{
		Name: "OLM ClusterObjectSet", Group: "olm.operatorframework.io", Kind: "ClusterObjectSet",
		decode: olmObjectSet, Past: olmArchived,
	},
	{
		Name: "OLM ClusterExtensionRevision", Group: "olm.operatorframework.io", Kind: "ClusterExtensionRevision",
		decode: olmObjectSet, Past: olmArchived,
	},
}

func olmInstallPlan(s *Set, o *object.Object) {
	var refs []any
	for _, step := range o.List("status", "plan") {
		refs = append(refs, object.At(step, "resource"))
	}
	s.references(refs, o.Namespace, nil)
	if phase := o.Str("status", "phase"); phase != "Complete" {
		s.Pending = "the plan is " + cmp.Or(phase, "new")
	}
}

func olmExtension(s *Set, o *object.Object) {
	for _, r := range o.List("status", "activeRevisions") {
		s.object(object.ID{
			Group: "olm.operatorframework.io",
			Kind:  cmp.Or(text(r, "kind"), "ClusterObjectSet"), Name: text(r, "name"),
		})
	}
}

func olmObjectSet(s *Set, o *object.Object) {
	hidden := 0
	for _, phase := range o.List("spec", "phases") {
		for _, e := range items(phase, "objects") {
			obj, ok := object.At(e, "object").(map[string]any)
			if !ok {
				hidden++
				continue
			}
			s.references([]any{map[string]any{
				"apiVersion": obj["apiVersion"], "kind": obj["kind"],
				"name": object.At(obj, "metadata", "name"), "namespace": object.At(obj, "metadata", "namespace"),
			}}, "", nil)
		}
	}
	if hidden > 0 {
		s.note("%d objects are stored in Secrets, which are not read", hidden)
	}
}

// olmArchived reports a revision that OLM only keeps as history.
func olmArchived(o *object.Object) bool { return o.Str("spec", "lifecycleState") == "Archived" }
