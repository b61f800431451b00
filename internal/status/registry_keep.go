package status

// registryKeep returns the paths outside of status that rules read from an
// object without a typed view, for the decoder to keep: dotted, starting at
// the top, as in "spec.replicas". A path that ends at a map or a list keeps
// all that is below it. The first few are read by the conventions from every
// kind; the others come from the rows of the registry and the readers of
// built-in kinds.
func registryKeep(group, kind string) []string {
	return commonKeep
}

// commonKeep are the fields by which custom kinds of every origin say what is
// wanted of them.
var commonKeep = []string{
	"spec.replicas", "spec.paused", "spec.pause", "spec.suspend", "spec.suspended",
	"spec.disabled", "spec.size", "spec.conditions",
}

// keptAnnotations are the annotations that rules of this package read, beside
// those that other rooms do.
var keptAnnotations = map[string]bool{}
