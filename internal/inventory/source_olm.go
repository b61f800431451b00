package inventory

import (
	"cmp"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var olmSources = []Source{
	{
		Name: "OLM Operator", Group: "operators.coreos.com", Kind: "Operator", Plural: "operators", Read: olmOperator,
		Owners: func(o *object.Object) (out []Target) {
			for _, l := range o.Labels {
				// operators.coreos.com/<package>.<namespace> names the Operator.
				if name, ok := strings.CutPrefix(l.Key, "operators.coreos.com/"); ok && l.Value == "" {
					out = append(out, ownedBy("operators.operators.coreos.com", "", name)...)
				}
			}
			return out
		},
	},
	{Name: "OLM InstallPlan", Group: "operators.coreos.com", Kind: "InstallPlan", Plural: "installplans", Read: olmInstallPlan},
	{
		// OLM copies it into every namespace that the operator watches.
		Name: "OLM ClusterServiceVersion", Group: "operators.coreos.com", Kind: "ClusterServiceVersion", Plural: "clusterserviceversions",
		Selector: "!olm.copiedFrom", Read: olmServiceVersion,
		Owners: func(o *object.Object) []Target {
			if label(o, "olm.owner.kind") != "ClusterServiceVersion" {
				return nil
			}
			return ownedBy("clusterserviceversions.operators.coreos.com", label(o, "olm.owner.namespace"), label(o, "olm.owner"))
		},
	},
	{
		Name: "OLM ClusterExtension", Group: "olm.operatorframework.io", Kind: "ClusterExtension", Plural: "clusterextensions", Read: olmExtension,
		Owners: func(o *object.Object) []Target {
			if label(o, "olm.operatorframework.io/owner-kind") != "ClusterExtension" {
				return nil
			}
			return ownedBy("clusterextensions.olm.operatorframework.io", "", label(o, "olm.operatorframework.io/owner-name"))
		},
	},
	{
		Name: "OLM ClusterObjectSet", Group: "olm.operatorframework.io", Kind: "ClusterObjectSet", Plural: "clusterobjectsets",
		Read: olmObjectSet, Past: olmArchived,
	},
	{
		Name: "OLM ClusterExtensionRevision", Group: "olm.operatorframework.io", Kind: "ClusterExtensionRevision", Plural: "clusterextensionrevisions",
		Read: olmObjectSet, Past: olmArchived,
	},
}

func olmOperator(o Object) (Set, bool) {
	var s Set
	s.references(s.listedAt(o, "status", "components", "refs"), "", nil)
	return s, true
}

func olmInstallPlan(o Object) (Set, bool) {
	var s Set
	var refs []any
	for _, step := range o.list("status", "plan") {
		refs = append(refs, dig(step, "resource"))
	}
	s.references(refs, o.Namespace, nil)
	if phase := o.text("status", "phase"); phase != "Complete" {
		s.Pending = "the plan is " + cmp.Or(object.Clean(phase), "new")
	}
	return s, true
}

func olmServiceVersion(o Object) (Set, bool) {
	var s Set
	s.references(s.listedAt(o, "status", "requirementStatus"), o.Namespace, nil)
	return s, true
}

func olmExtension(o Object) (Set, bool) {
	var s Set
	for _, r := range o.list("status", "activeRevisions") {
		kind := cmp.Or(text(r, "kind"), "ClusterObjectSet")
		s.add(checked(Member{ID: object.ID{Group: "olm.operatorframework.io", Kind: kind, Name: text(r, "name")}}, compact(r)))
	}
	s.unobserved(o)
	return s, true
}

func olmObjectSet(o Object) (Set, bool) {
	var s Set
	hidden := 0
	for _, phase := range o.list("spec", "phases") {
		objects, _ := dig(phase, "objects").([]any)
		for _, e := range objects {
			obj, ok := dig(e, "object").(map[string]any)
			if !ok {
				hidden++
				continue
			}
			s.references([]any{map[string]any{
				"apiVersion": obj["apiVersion"], "kind": obj["kind"],
				"name": dig(obj, "metadata", "name"), "namespace": dig(obj, "metadata", "namespace"),
			}}, "", nil)
		}
	}
	if hidden > 0 {
		s.note("%d objects are stored in Secrets, which are not read", hidden)
	}
	return s, true
}

// olmArchived reports a revision that OLM only keeps as history.
func olmArchived(o Object) bool { return o.text("spec", "lifecycleState") == "Archived" }
