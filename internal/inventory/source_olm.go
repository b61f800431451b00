package inventory

import (
	"cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

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
