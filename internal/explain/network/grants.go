package network

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// grants says what ReferenceGrants permit of the references into other namespaces that a
// controller has refused (RefNotPermitted). Where one permits what its message names, the fault
// is not a missing grant.
func grants(in *inspect.Inspector, f *inspect.Finding, said string) {
	needs := false
	for _, r := range edges.References(in.Object) {
		to := r.To
		named := !strings.Contains(said, "/") || strings.Contains(said, to.Name)
		if to.Namespace == in.Object.Namespace || to.Kind == "Gateway" || !named {
			continue
		}
		list := in.List(gatewayGroup, "ReferenceGrant", to.Namespace)
		if grant := permits(list.Items, in.Object.ID, to); grant != nil {
			f.Also("ReferenceGrant %s in namespace %s permits it: the controller does not heed it", grant.Name,
				to.Namespace)
			f.ProveOn(grant.ID, "metadata.creationTimestamp", grant.Created)
			f.Next = append(f.Next, wording.Command(to.Namespace, "get", "referencegrants."+gatewayGroup, "-o", "yaml"))
			continue
		}
		if !needs {
			f.Note("needs a ReferenceGrant in namespace %s", to.Namespace)
			f.Next = append(f.Next, wording.Command(to.Namespace, "get", "referencegrants."+gatewayGroup))
		}
		needs = true
	}
}

const gatewayGroup = "gateway.networking.k8s.io"

// permits is the first of the grants that lets one object refer to another, or nil
// (gateway-api v1.4, apis/v1beta1/referencegrant_types.go: no name means all objects of the kind).
func permits(grants []*object.Object, from, to object.ID) *object.Object {
	for _, g := range grants {
		froms, tos := false, false
		for _, m := range fields.Each(g.List("spec", "from")) {
			froms = froms ||
				m.Str("group") == from.Group && m.Str("kind") == from.Kind && m.Str("namespace") == from.Namespace
		}
		for _, m := range fields.Each(g.List("spec", "to")) {
			name := m.Str("name")
			tos = tos || m.Str("group") == to.Group && m.Str("kind") == to.Kind && (name == "" || name == to.Name)
		}
		if froms && tos && g.Deleted.IsZero() {
			return g
		}
	}
	return nil
}
