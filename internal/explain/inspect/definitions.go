package inspect

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Definitions are the known definitions of a custom kind. The one with the usual name is asked for:
// to list them all would take many megabytes.
func Definitions(in *Inspector, group, kind string) []*object.Object {
	in.Get(ClusterID("apiextensions.k8s.io", "CustomResourceDefinition", wording.PluralOf(kind)+"."+group))
	all := in.Known("apiextensions.k8s.io", "CustomResourceDefinition", "").Items
	return slices.DeleteFunc(slices.Clone(all), func(d *object.Object) bool {
		return d.Str("spec", "group") != group || d.Str("spec", "names", "kind") != kind
	})
}
